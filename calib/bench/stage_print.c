// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stage, for people and for programs.
 */
#include "calib/bench/stage_print.h"

void stage_print_virtual(const struct stage *s, uint32_t seed, FILE *f)
{
	if (s->virtual_board)
		fprintf(f,
			"VIRTUAL board '%s', seed %u: virtual time, a model of the "
			"governors, nothing was measured\n",
			s->board, seed);
}

void stage_print_power(const struct stage *s, const char *when, FILE *f)
{
	if (s->meters[0])
		fprintf(f, "power of %s%s\n", s->meters, when);
	else
		fprintf(f, "no power: %s\n", s->no_meter);
}

int stage_json_head(struct json *root, const char *schema, const struct stage *s,
		    uint32_t seed, const char *command)
{
	int ret = json_put_str(root, "schema", schema);

	ret |= json_put_text(root, "command", command);
	ret |= json_put_bool(root, "virtual", s->virtual_board);
	if (s->virtual_board) {
		ret |= json_put_text(root, "board", s->board);
		ret |= json_put_u64(root, "seed", seed);
	}
	return ret | json_put_text(root, "meters", s->meters);
}

int stage_json_settings(struct json *row, const struct coretype *type, unsigned int cpu,
			const struct knobs_combo *c)
{
	int ret = json_put_text(row, "core", type->name);

	ret |= json_put_u64(row, "cpu", cpu);
	if (c->mode[0])
		ret |= json_put_str(row, "mode", c->mode);
	if (c->governor[0])
		ret |= json_put_str(row, "governor", c->governor);
	if (c->epp[0])
		ret |= json_put_str(row, "epp", c->epp);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ramp's table, for people, for a cover letter, and for programs.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calib/bench/ramp.h"
#include "lib/json.h"
#include "lib/text.h"

/* The columns behind CPU and settings, in the order of the table. */
static const struct column {
	const char *head, *unit; /* over the numbers */
	const char *key;	 /* in JSON */
	size_t offset;
	int width, digits; /* behind the point */
} columns[] = {
#define PERCENT(i, ms)                                                                   \
	{                                                                                \
#ms, "ms", "percent-" #ms "-ms",                                         \
			offsetof(struct ramp_run, percent) + (i) * sizeof(double), 6, 1  \
	}
	PERCENT(0, 5),
	PERCENT(1, 10),
	PERCENT(2, 20),
	PERCENT(3, 50),
	PERCENT(4, 100),
	PERCENT(5, 500),
	PERCENT(6, 1000),
	{ "95 %", "ms", "converged-ms", offsetof(struct ramp_run, converged_ms), 6, 0 },
	{ "steady", "Mops/s", "mops", offsetof(struct ramp_run, mops), 7, 1 },
	{ "power", "W", "watt", offsetof(struct ramp_run, watt), 6, 3 },
	{ "energy", "J/Gop", "joule-per-gop", offsetof(struct ramp_run, joule_per_gop), 6,
	  2 },
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void describe(const struct ramp_result *r, FILE *f)
{
	const struct stage *s = r->stage;

	if (s->virtual_board)
		fprintf(f,
			"VIRTUAL board '%s', seed %u: virtual time, a model of the "
			"governors, nothing was measured\n",
			s->board, r->seed);
	fprintf(f,
		"the serial float recurrence on one CPU after %.0f ms idle; mean of %u "
		"start%s\n"
		"throughput in %% of the steady state over the first 5 ms to 1 s; 95 %%: "
		"when it is reached\n",
		r->idle_ns / 1e6, r->repeats, text_s(r->repeats));
	if (s->meters[0])
		fprintf(f, "power of %s, from 0.5 to 1.4 s\n", s->meters);
	else
		fprintf(f, "no power: %s\n", s->no_meter);
}

/* A number, or "-", in @out; returns @out. */
static const char *number(double value, int digits, char *out, size_t size)
{
	if (isfinite(value))
		snprintf(out, size, "%.*f", digits, value);
	else
		snprintf(out, size, "-");
	return out;
}

static double mean(const struct tally *t)
{
	return t->samples ? t->average : NAN;
}

static int name_width(const struct ramp_result *r)
{
	size_t width = strlen("governor/EPP"), len;
	char name[80];

	for (unsigned int i = 0; i < r->row_count; i++) {
		len = strlen(knobs_name(&r->rows[i].combo, name, sizeof(name)));
		width = len > width ? len : width;
	}
	return width;
}

static void text_row(const struct ramp_row *row, int width, FILE *f)
{
	char name[80], cell[32];
	struct tally t;
	size_t i;

	fprintf(f, "%-10s %3u  %-*s", row->type->name, row->cpu, width,
		knobs_name(&row->combo, name, sizeof(name)));
	for (i = 0; i < COLUMNS; i++) {
		t = ramp_tally(row, columns[i].offset);
		fprintf(f, " %*s", columns[i].width,
			number(mean(&t), columns[i].digits, cell, sizeof(cell)));
	}
	if (row->run_count < 2) {
		fprintf(f, "\n");
		return;
	}
	fprintf(f, "\n%-10s %3s  %-*s", "", "", width, "  +-");
	for (i = 0; i < COLUMNS; i++) {
		t = ramp_tally(row, columns[i].offset);
		fprintf(f, " %*s", columns[i].width,
			number(tally_sd(&t), columns[i].digits, cell, sizeof(cell)));
	}
	fprintf(f, "\n");
}

void ramp_print_text(const struct ramp_result *r, FILE *f)
{
	int width = name_width(r);
	size_t i;

	describe(r, f);
	fprintf(f, "\n%-10s %3s  %-*s", "core", "CPU", width, "governor/EPP");
	for (i = 0; i < COLUMNS; i++)
		fprintf(f, " %*s", columns[i].width, columns[i].head);
	fprintf(f, "\n%-10s %3s  %-*s", "", "", width, "");
	for (i = 0; i < COLUMNS; i++)
		fprintf(f, " %*s", columns[i].width, columns[i].unit);
	fprintf(f, "\n");
	for (unsigned int n = 0; n < r->row_count; n++)
		text_row(&r->rows[n], width, f);
}

static void markdown_row(const struct ramp_row *row, FILE *f)
{
	char name[80], cell[32];

	fprintf(f, "| %s | %u | %s |", row->type->name, row->cpu,
		knobs_name(&row->combo, name, sizeof(name)));
	for (size_t i = 0; i < COLUMNS; i++) {
		struct tally t = ramp_tally(row, columns[i].offset);

		fprintf(f, " %s",
			number(mean(&t), columns[i].digits, cell, sizeof(cell)));
		if (t.samples > 1)
			fprintf(f, " ± %s",
				number(tally_sd(&t), columns[i].digits, cell,
				       sizeof(cell)));
		fprintf(f, " |");
	}
	fprintf(f, "\n");
}

void ramp_print_markdown(const struct ramp_result *r, FILE *f)
{
	size_t i;

	describe(r, f);
	fprintf(f, "\n| core | CPU | governor/EPP |");
	for (i = 0; i < COLUMNS; i++)
		fprintf(f, " %s %s |", columns[i].head, columns[i].unit);
	fprintf(f, "\n|---|---:|---|");
	for (i = 0; i < COLUMNS; i++)
		fprintf(f, "---:|");
	fprintf(f, "\n");
	for (unsigned int n = 0; n < r->row_count; n++)
		markdown_row(&r->rows[n], f);
}

/* "mean" and "sd"; a value that is unknown has no key. */
static int add_tally(struct json *obj, const char *key, const struct tally *t)
{
	struct json *value;
	int ret = 0;

	if (!t->samples)
		return 0;
	value = json_new_object();
	ret |= json_put_real(value, "mean", t->average, 6);
	if (t->samples > 1)
		ret |= json_put_real(value, "sd", tally_sd(t), 3);
	return ret | json_put(obj, key, value);
}

static int add_row(struct json *rows, const struct ramp_row *row)
{
	struct json *obj = json_new_object();
	struct tally t = ramp_tally(row, offsetof(struct ramp_run, had_cpu));
	int ret = 0;

	ret |= json_put_text(obj, "core", row->type->name);
	ret |= json_put_u64(obj, "cpu", row->cpu);
	if (row->combo.mode[0])
		ret |= json_put_str(obj, "mode", row->combo.mode);
	if (row->combo.governor[0])
		ret |= json_put_str(obj, "governor", row->combo.governor);
	if (row->combo.epp[0])
		ret |= json_put_str(obj, "epp", row->combo.epp);
	ret |= json_put_u64(obj, "repeats", row->run_count);
	ret |= add_tally(obj, "had-cpu", &t);
	for (size_t i = 0; i < COLUMNS; i++) {
		t = ramp_tally(row, columns[i].offset);
		ret |= add_tally(obj, columns[i].key, &t);
	}
	return ret | json_add(rows, obj);
}

int ramp_print_json(const struct ramp_result *r, FILE *f, struct err *err)
{
	struct json *root = json_new_object(), *rows = json_new_array();
	int ret = 0;

	ret |= json_put_str(root, "schema", "calib-ramp/1");
	ret |= json_put_text(root, "command", r->command);
	ret |= json_put_bool(root, "virtual", r->stage->virtual_board);
	if (r->stage->virtual_board) {
		ret |= json_put_text(root, "board", r->stage->board);
		ret |= json_put_u64(root, "seed", r->seed);
	}
	ret |= json_put_text(root, "meters", r->stage->meters);
	ret |= json_put_u64(root, "idle-ns", r->idle_ns);
	ret |= json_put_bool(root, "interrupted", r->interrupted);
	for (unsigned int i = 0; i < r->row_count; i++)
		ret |= add_row(rows, &r->rows[i]);
	ret |= json_put(root, "rows", rows);
	if (ret)
		ret = err_set(err, -ENOMEM, "out of memory");
	else
		ret = json_write(root, f, err);
	json_free(root);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ramp's table, for people, for a cover letter, and for programs.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "calib/bench/ramp.h"
#include "calib/bench/stage_print.h"
#include "lib/grid.h"
#include "lib/json.h"
#include "lib/text.h"

/* The columns behind CPU and settings, in the order of the table. */
static const struct column {
	const char *head, *unit; /* over the numbers */
	const char *key;	 /* in JSON */
	size_t offset;
	int digits; /* behind the point */
} columns[] = {
#define PERCENT(i, ms)                                                                   \
	{                                                                                \
#ms, "ms", "percent-" #ms "-ms",                                         \
			offsetof(struct ramp_run, percent) + (i) * sizeof(double), 1     \
	}
	PERCENT(0, 5),
	PERCENT(1, 10),
	PERCENT(2, 20),
	PERCENT(3, 50),
	PERCENT(4, 100),
	PERCENT(5, 500),
	PERCENT(6, 1000),
	{ "95 %", "ms", "converged-ms", offsetof(struct ramp_run, converged_ms), 0 },
	{ "steady", "Mops/s", "mops", offsetof(struct ramp_run, mops), 1 },
	{ "power", "W", "watt", offsetof(struct ramp_run, watt), 3 },
	{ "energy", "J/Gop", "joule-per-gop", offsetof(struct ramp_run, joule_per_gop),
	  2 },
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))
#define ALIGN	"lrlrrrrrrrrrrr"

_Static_assert(sizeof(ALIGN) - 1 == 3 + COLUMNS, "a letter for each column");

static void describe(const struct ramp_result *r, FILE *f)
{
	double from = ramp_power_ns(r->stage) * 1e-9, to = from + RAMP_POWER_NS * 1e-9;
	char when[64];

	stage_print_virtual(r->stage, r->seed, f);
	fprintf(f,
		"the serial float recurrence on one CPU after %.0f ms idle; mean of %u "
		"start%s\n"
		"throughput in %% of the steady state over the first 5 ms to 1 s; 95 %%: "
		"when it is reached\n",
		r->idle_ns / 1e6, r->repeats, text_s(r->repeats));
	snprintf(when, sizeof(when), ", from %.2g to %.2g s", from, to);
	stage_print_power(r->stage, when, f);
	fprintf(f, "\n");
}

static double mean(const struct tally *t)
{
	return t->samples ? t->average : NAN;
}

static void add_cell(struct grid *g, const struct tally *t, int digits, bool markdown)
{
	if (markdown && t->samples > 1)
		grid_add(g, "%.*f ± %.*f", digits, mean(t), digits, tally_sd(t));
	else
		grid_add_number(g, mean(t), digits);
}

/* The line of spreads below a row. */
static void add_spreads(struct grid *g, const struct ramp_row *row)
{
	grid_add(g, "%s", "");
	grid_add(g, "%s", "");
	grid_add(g, "  +-");
	for (size_t i = 0; i < COLUMNS; i++) {
		struct tally t = ramp_tally(row, columns[i].offset);

		grid_add_number(g, tally_sd(&t), columns[i].digits);
	}
}

static void add_table_row(struct grid *g, const struct ramp_row *row, bool markdown)
{
	char name[80];

	grid_add(g, "%s", row->type->name);
	grid_add(g, "%u", row->cpu);
	grid_add(g, "%s", knobs_name(&row->combo, name, sizeof(name)));
	for (size_t i = 0; i < COLUMNS; i++) {
		struct tally t = ramp_tally(row, columns[i].offset);

		add_cell(g, &t, columns[i].digits, markdown);
	}
	if (!markdown && row->run_count > 1)
		add_spreads(g, row);
}

/* One line in Markdown, which has no more, and two for people. */
static void add_heads(struct grid *g, bool markdown)
{
	size_t i;

	grid_add(g, "core");
	grid_add(g, "CPU");
	grid_add(g, "governor/EPP");
	for (i = 0; i < COLUMNS; i++)
		grid_add(g, "%s%s%s", columns[i].head, markdown ? " " : "",
			 markdown ? columns[i].unit : "");
	for (i = 0; i < 3 && !markdown; i++)
		grid_add(g, "%s", "");
	for (i = 0; i < COLUMNS && !markdown; i++)
		grid_add(g, "%s", columns[i].unit);
}

int ramp_print(const struct ramp_result *r, FILE *f, bool markdown, struct err *err)
{
	struct grid g = { .align = ALIGN };
	int ret;

	describe(r, f);
	add_heads(&g, markdown);
	for (unsigned int i = 0; i < r->row_count; i++)
		add_table_row(&g, &r->rows[i], markdown);
	ret = grid_print(&g, f, markdown);
	grid_free(&g);
	return ret ? err_set(err, ret, "out of memory") : 0;
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
	int ret = stage_json_settings(obj, row->type, row->cpu, &row->combo);

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
	int ret = stage_json_head(root, "calib-ramp/1", r->stage, r->seed, r->command);

	ret |= json_put_u64(root, "idle-ns", r->idle_ns);
	ret |= json_put_bool(root, "interrupted", r->interrupted);
	for (unsigned int i = 0; i < r->row_count; i++)
		ret |= add_row(rows, &r->rows[i]);
	ret |= json_put(root, "rows", rows);
	return json_finish(root, ret, f, err);
}

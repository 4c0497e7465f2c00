// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sweep's tables, for people, for a cover letter, and for programs: for each CPU one
 * of power and one of execution times.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "calib/bench/stage_print.h"
#include "calib/bench/sweep.h"
#include "lib/grid.h"
#include "lib/json.h"

/* One of the tables. */
struct page {
	const struct sweep_plan *plan;
	const struct sweep_row *const *rows; /* of one CPU */
	unsigned int row_count;
	bool times, markdown;
};

static void describe_plan(const struct sweep_plan *p, FILE *f)
{
	if (p->serialized)
		fprintf(f,
			"serialized: a sample is %u processes, one after the other, with "
			"%.3g ms of work each at the highest clock\n",
			p->tasks, p->packet_ns / 1e6);
	else
		fprintf(f,
			"periodic: a packet of work in each period, in %% of what fills "
			"it "
			"at the highest clock; %.3g s per step\n",
			p->step_ns / 1e9);
}

static void describe(const struct sweep_result *r, FILE *f)
{
	stage_print_virtual(r->stage, r->seed, f);
	describe_plan(r->plan, f);
	for (unsigned int i = 0; i < r->cpu_count; i++)
		if (r->rates[i] > 0)
			fprintf(f, "CPU %u at its highest clock: %.1f Mops/s\n",
				r->cpus[i], r->rates[i] / 1e6);
	stage_print_power(r->stage, "", f);
}

/* Heads of columns: for people in two lines. */
struct head {
	const char *above, *name;
};

static const struct head of_periods[] = { { "", "Hz" }, { "load", "%" }, { "", "way" } };
static const struct head of_processes[] = { { "processes", "per second" } };
static const struct head statistics[] = {
	{ "", "governor/EPP" },	     { "", "Samples" }, { "", "Average" },
	{ "Standard", "deviation" }, { "", "Maximum" }, { "", "Minimum" },
};
static const struct head late[] = { { "", "late" } };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum line { ABOVE, NAME, BOTH };

static void add_heads(struct grid *g, const struct head *heads, size_t n, enum line line)
{
	for (size_t i = 0; i < n; i++) {
		const char *above = line == NAME ? "" : heads[i].above;
		const char *name = line == ABOVE ? "" : heads[i].name;

		grid_add(g, "%s%s%s", above, *above && *name ? " " : "", name);
	}
}

static bool has_late(const struct page *page)
{
	return page->times && !page->plan->serialized;
}

static void add_line(struct grid *g, const struct page *page, enum line line)
{
	if (page->plan->serialized)
		add_heads(g, of_processes, COUNT(of_processes), line);
	else
		add_heads(g, of_periods, COUNT(of_periods), line);
	add_heads(g, statistics, COUNT(statistics), line);
	if (has_late(page))
		add_heads(g, late, COUNT(late), line);
}

static void add_table_row(struct grid *g, const struct page *page,
			  const struct sweep_row *row)
{
	const struct tally *t = page->times ? &row->seconds : &row->watt;
	/* Packets are told in ms, samples of many processes in s. */
	double unit = page->times && !page->plan->serialized ? 1e3 : 1;
	double none = t->samples ? 0 : NAN;
	char name[80];

	if (page->plan->serialized) {
		grid_add_number(g, page->plan->tasks / row->seconds.average, 1);
	} else {
		grid_add(g, "%u", row->hz);
		grid_add(g, "%u", row->load);
		grid_add(g, row->down ? "down" : "up");
	}
	grid_add(g, "%s", knobs_name(&row->combo, name, sizeof(name)));
	grid_add(g, "%ju", (uintmax_t)t->samples);
	grid_add_number(g, none + t->average * unit, 3);
	grid_add_number(g, tally_sd(t) * unit, 3);
	grid_add_number(g, none + t->maximum * unit, 3);
	grid_add_number(g, none + t->minimum * unit, 3);
	if (has_late(page))
		grid_add(g, "%ju", (uintmax_t)row->late);
}

static int print_table(const struct page *page, FILE *f)
{
	const struct sweep_row *first = page->rows[0];
	struct grid g = { .align = page->plan->serialized ? "rlrrrrr"
				   : page->times	  ? "rrllrrrrrr"
							  : "rrllrrrrr" };
	int ret;

	fprintf(f, "\nCPU %u (%s): %s\n%s", first->cpu, first->type->name,
		!page->times		 ? "power, W"
		: page->plan->serialized ? "execution time of a sample, s"
					 : "execution time of a packet, ms",
		page->markdown ? "\n" : "");
	if (page->markdown) {
		add_line(&g, page, BOTH);
	} else {
		add_line(&g, page, ABOVE);
		add_line(&g, page, NAME);
	}
	for (unsigned int i = 0; i < page->row_count; i++)
		add_table_row(&g, page, page->rows[i]);
	ret = grid_print(&g, f, page->markdown);
	grid_free(&g);
	return ret;
}

int sweep_print(const struct sweep_result *r, FILE *f, bool markdown, struct err *err)
{
	unsigned int i, n;
	int ret = 0;

	describe(r, f);
	for (i = 0; i < r->row_count && !ret; i += n) {
		struct page page = { r->plan, &r->rows[i], 1, false, markdown };

		for (n = 1; i + n < r->row_count; n++)
			if (r->rows[i + n]->cpu != r->rows[i]->cpu)
				break;
		page.row_count = n;
		if (r->stage->meters[0])
			ret = print_table(&page, f);
		page.times = true;
		if (!ret)
			ret = print_table(&page, f);
	}
	return ret ? err_set(err, ret, "out of memory") : 0;
}

static int add_tally(struct json *obj, const char *key, const struct tally *t)
{
	struct json *value = json_new_object();
	int ret = json_put_u64(value, "samples", t->samples);

	if (t->samples) {
		ret |= json_put_real(value, "average", t->average, 6);
		ret |= json_put_real(value, "maximum", t->maximum, 6);
		ret |= json_put_real(value, "minimum", t->minimum, 6);
	}
	if (t->samples > 1)
		ret |= json_put_real(value, "standard-deviation", tally_sd(t), 3);
	return ret | json_put(obj, key, value);
}

static int add_row(struct json *rows, const struct sweep_row *row, bool serialized)
{
	struct json *obj = json_new_object();
	int ret = stage_json_settings(obj, row->type, row->cpu, &row->combo);

	if (!serialized) {
		ret |= json_put_u64(obj, "hz", row->hz);
		ret |= json_put_u64(obj, "load-percent", row->load);
		ret |= json_put_str(obj, "way", row->down ? "down" : "up");
		ret |= json_put_u64(obj, "late", row->late);
	}
	ret |= add_tally(obj, "watt", &row->watt);
	ret |= add_tally(obj, "seconds", &row->seconds);
	return ret | json_add(rows, obj);
}

static int add_plan(struct json *root, const struct sweep_plan *p)
{
	int ret = json_put_bool(root, "serialized", p->serialized);

	if (!p->serialized)
		return ret | json_put_u64(root, "step-ns", p->step_ns);
	ret |= json_put_u64(root, "packet-ns", p->packet_ns);
	return ret | json_put_u64(root, "tasks", p->tasks);
}

int sweep_print_json(const struct sweep_result *r, FILE *f, struct err *err)
{
	struct json *root = json_new_object(), *rows = json_new_array();
	int ret = stage_json_head(root, "calib-sweep/1", r->stage, r->seed, r->command);

	ret |= add_plan(root, r->plan);
	ret |= json_put_bool(root, "interrupted", r->interrupted);
	for (unsigned int i = 0; i < r->row_count; i++)
		ret |= add_row(rows, r->rows[i], r->plan->serialized);
	ret |= json_put(root, "rows", rows);
	return json_finish(root, ret, f, err);
}

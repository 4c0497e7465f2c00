// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sweep's table, for people, for a cover letter, and for programs.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calib/bench/sweep.h"
#include "lib/json.h"

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
	const struct stage *s = r->stage;

	if (s->virtual_board)
		fprintf(f,
			"VIRTUAL board '%s', seed %u: virtual time, a model of the "
			"governors, nothing was measured\n",
			s->board, r->seed);
	describe_plan(r->plan, f);
	for (unsigned int i = 0; i < r->cpu_count; i++)
		if (r->rates[i] > 0)
			fprintf(f, "CPU %u at its highest clock: %.1f Mops/s\n",
				r->cpus[i], r->rates[i] / 1e6);
	if (s->meters[0])
		fprintf(f, "power of %s\n", s->meters);
	else
		fprintf(f, "no power: %s\n", s->no_meter);
}

/* A number, or "-", in @out; returns @out. */
static const char *number(double value, int digits, char out[32])
{
	if (isfinite(value))
		snprintf(out, 32, "%.*f", digits, value);
	else
		snprintf(out, 32, "-");
	return out;
}

/* The five statistics, in the order of the table. */
struct five {
	double samples, average, sd, maximum, minimum;
};

static struct five five_of(const struct tally *t, double unit)
{
	struct five v = { t->samples, NAN, tally_sd(t) * unit, NAN, NAN };

	if (!t->samples)
		return v;
	v.average = t->average * unit;
	v.maximum = t->maximum * unit;
	v.minimum = t->minimum * unit;
	return v;
}

/* Packets are told in ms, samples of many processes in s. */
static double unit_of(const struct sweep_plan *p)
{
	return p->serialized ? 1 : 1e3;
}

static double processes_per_s(const struct sweep_plan *p, const struct sweep_row *row)
{
	return p->tasks / row->seconds.average;
}

static void text_five(const struct tally *t, double unit, int width, FILE *f)
{
	struct five v = five_of(t, unit);
	char cell[32];

	fprintf(f, " %7.0f", v.samples);
	fprintf(f, " %*s", width, number(v.average, 3, cell));
	fprintf(f, " %*s", width, number(v.sd, 3, cell));
	fprintf(f, " %*s", width, number(v.maximum, 3, cell));
	fprintf(f, " %*s", width, number(v.minimum, 3, cell));
}

static int name_width(const struct sweep_result *r)
{
	size_t width = strlen("governor/EPP"), len;
	char name[80];

	for (unsigned int i = 0; i < r->row_count; i++) {
		len = strlen(knobs_name(&r->rows[i]->combo, name, sizeof(name)));
		width = len > width ? len : width;
	}
	return width;
}

static void text_head(const struct sweep_plan *p, int width, FILE *f)
{
	fprintf(f, "\n%-10s %3s %-14s %-*s |%-36s|%s\n", "", "",
		p->serialized ? "processes" : "", width, "", " power, W",
		p->serialized ? " execution time of a sample, s"
			      : " execution time of a packet, ms");
	fprintf(f, "%-10s %3s %-14s %-*s |%7s %6s %6s %6s %6s |%8s %7s %7s %7s %7s%s\n",
		"core", "CPU", p->serialized ? "per second" : "  Hz load way", width,
		"governor/EPP", "Samples", "Aver.", "StDev", "Max", "Min", "Samples",
		"Aver.", "StDev", "Max", "Min", p->serialized ? "" : "   late");
}

static void text_row(const struct sweep_plan *p, const struct sweep_row *row, int width,
		     FILE *f)
{
	char name[80], point[32];

	if (p->serialized)
		snprintf(point, sizeof(point), "%10.1f", processes_per_s(p, row));
	else
		snprintf(point, sizeof(point), "%4u %4u %s", row->hz, row->load,
			 row->down ? "down" : "up");
	fprintf(f, "%-10s %3u %-14s %-*s |", row->type->name, row->cpu, point, width,
		knobs_name(&row->combo, name, sizeof(name)));
	text_five(&row->watt, 1, 6, f);
	fprintf(f, " |");
	text_five(&row->seconds, unit_of(p), 7, f);
	if (!p->serialized)
		fprintf(f, " %6llu", (unsigned long long)row->late);
	fprintf(f, "\n");
}

void sweep_print_text(const struct sweep_result *r, FILE *f)
{
	int width = name_width(r);

	describe(r, f);
	text_head(r->plan, width, f);
	for (unsigned int i = 0; i < r->row_count; i++)
		text_row(r->plan, r->rows[i], width, f);
}

static void markdown_five(const struct tally *t, double unit, FILE *f)
{
	struct five v = five_of(t, unit);
	char cell[32];

	fprintf(f, " %.0f |", v.samples);
	fprintf(f, " %s |", number(v.average, 3, cell));
	fprintf(f, " %s |", number(v.sd, 3, cell));
	fprintf(f, " %s |", number(v.maximum, 3, cell));
	fprintf(f, " %s |", number(v.minimum, 3, cell));
}

void sweep_print_markdown(const struct sweep_result *r, FILE *f)
{
	bool serialized = r->plan->serialized;
	char name[80];

	describe(r, f);
	fprintf(f,
		"\n| core | CPU |%s governor/EPP | W: Samples | Average | Standard "
		"deviation | Maximum | Minimum | %s: Samples | Average | Standard "
		"deviation | Maximum | Minimum |%s\n",
		serialized ? " processes/s |" : " Hz | load % | way |",
		serialized ? "s" : "ms", serialized ? "" : " late |");
	fprintf(f,
		"|---|---:|%s---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|%s\n",
		serialized ? "---:|" : "---:|---:|---|", serialized ? "" : "---:|");
	for (unsigned int i = 0; i < r->row_count; i++) {
		const struct sweep_row *row = r->rows[i];

		fprintf(f, "| %s | %u |", row->type->name, row->cpu);
		if (serialized)
			fprintf(f, " %.1f |", processes_per_s(r->plan, row));
		else
			fprintf(f, " %u | %u | %s |", row->hz, row->load,
				row->down ? "down" : "up");
		fprintf(f, " %s |", knobs_name(&row->combo, name, sizeof(name)));
		markdown_five(&row->watt, 1, f);
		markdown_five(&row->seconds, unit_of(r->plan), f);
		if (!serialized)
			fprintf(f, " %llu |", (unsigned long long)row->late);
		fprintf(f, "\n");
	}
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
	int ret = 0;

	ret |= json_put_text(obj, "core", row->type->name);
	ret |= json_put_u64(obj, "cpu", row->cpu);
	if (row->combo.mode[0])
		ret |= json_put_str(obj, "mode", row->combo.mode);
	if (row->combo.governor[0])
		ret |= json_put_str(obj, "governor", row->combo.governor);
	if (row->combo.epp[0])
		ret |= json_put_str(obj, "epp", row->combo.epp);
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
	int ret = 0;

	ret |= json_put_str(root, "schema", "calib-sweep/1");
	ret |= json_put_text(root, "command", r->command);
	ret |= json_put_bool(root, "virtual", r->stage->virtual_board);
	if (r->stage->virtual_board) {
		ret |= json_put_text(root, "board", r->stage->board);
		ret |= json_put_u64(root, "seed", r->seed);
	}
	ret |= json_put_text(root, "meters", r->stage->meters);
	ret |= add_plan(root, r->plan);
	ret |= json_put_bool(root, "interrupted", r->interrupted);
	for (unsigned int i = 0; i < r->row_count; i++)
		ret |= add_row(rows, r->rows[i], r->plan->serialized);
	ret |= json_put(root, "rows", rows);
	if (ret)
		ret = err_set(err, -ENOMEM, "out of memory");
	else
		ret = json_write(root, f, err);
	json_free(root);
	return ret;
}

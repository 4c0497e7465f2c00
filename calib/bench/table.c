// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mean, RSD, least and most of what was measured.
 */
#include "calib/bench/table.h"

#include <stdlib.h>
#include <string.h>

#include "models/compare.h"

/* What is looked at of an iteration. */
struct metric {
	char name[224];
	bool (*value)(const struct metric *m, const struct bench_result *r,
		      const struct bench_series *s, const struct bench_iteration *it,
		      double *out);
	int rail; /* -1: the total */
};

static bool time_s(const struct metric *m, const struct bench_result *r,
		   const struct bench_series *s, const struct bench_iteration *it,
		   double *out)
{
	(void)m;
	(void)r;
	(void)s;
	*out = it->time_ns * 1e-9;
	return true;
}

static bool time_per_unit_us(const struct metric *m, const struct bench_result *r,
			     const struct bench_series *s,
			     const struct bench_iteration *it, double *out)
{
	(void)m;
	(void)r;
	*out = it->time_ns * 1e-3 / s->units;
	return true;
}

static bool energy_j(const struct metric *m, const struct bench_result *r,
		     const struct bench_series *s, const struct bench_iteration *it,
		     double *out)
{
	(void)s;
	if (!bench_energy_uj(&r->context, it, m->rail, out))
		return false;
	*out *= 1e-6;
	return true;
}

static bool power_w(const struct metric *m, const struct bench_result *r,
		    const struct bench_series *s, const struct bench_iteration *it,
		    double *out)
{
	if (!it->time_ns || !energy_j(m, r, s, it, out))
		return false;
	*out /= it->time_ns * 1e-9;
	return true;
}

static bool late_wakeups(const struct metric *m, const struct bench_result *r,
			 const struct bench_series *s, const struct bench_iteration *it,
			 double *out)
{
	(void)m;
	(void)r;
	(void)s;
	*out = it->late_wakeups;
	return it->has_late;
}

static void number(double x, char *out, size_t size)
{
	snprintf(out, size, "%.4g", x);
	/* No exponent in a table for people. */
	if (strchr(out, 'e'))
		snprintf(out, size, "%.0f", x);
}

static void print_line(FILE *out, const char *workload, const struct metric *m,
		       const struct compare_summary *s, bool markdown)
{
	const char *fmt = markdown ? "| %s | %s | %s | %s | %s | %s | %s |\n"
				   : "%-10s %-34s %5s %10s %7s %10s %10s\n";
	char n[24], mean[32], rsd[24] = "-", min[32], max[32];

	snprintf(n, sizeof(n), "%zu", s->n);
	number(s->mean, mean, sizeof(mean));
	number(s->min, min, sizeof(min));
	number(s->max, max, sizeof(max));
	if (s->has_rsd)
		snprintf(rsd, sizeof(rsd), "%.2f", s->rsd_pct);
	fprintf(out, fmt, workload, m->name, n, mean, rsd, min, max);
}

static void print_metric(FILE *out, const struct bench_result *r,
			 const struct bench_series *s, const struct metric *m,
			 bool markdown)
{
	double *values = calloc(s->iteration_count, sizeof(*values));
	struct compare_summary summary;
	size_t n = 0;

	for (size_t i = 0; values && i < s->iteration_count; i++)
		n += m->value(m, r, s, &s->iterations[i], &values[n]);
	if (n && !compare_summarise(values, n, &summary, NULL))
		print_line(out, s->workload, m, &summary, markdown);
	free(values);
}

static void print_series(FILE *out, const struct bench_result *r,
			 const struct bench_series *s, bool markdown)
{
	struct metric m = { "time, s", time_s, -1 };

	print_metric(out, r, s, &m, markdown);
	if (s->units && !s->fixed_time) {
		m = (struct metric){ "", time_per_unit_us, -1 };
		snprintf(m.name, sizeof(m.name), "us per %s", s->unit);
		print_metric(out, r, s, &m, markdown);
	}
	for (unsigned int i = 0; i < r->context.rail_count; i++) {
		m = (struct metric){ "", energy_j, i };
		snprintf(m.name, sizeof(m.name), "%s, J", r->context.rails[i].name);
		print_metric(out, r, s, &m, markdown);
	}
	m = (struct metric){ "energy, J", energy_j, -1 };
	if (r->context.rail_count > 1)
		print_metric(out, r, s, &m, markdown);
	m = (struct metric){ "power, W", power_w, -1 };
	print_metric(out, r, s, &m, markdown);
	m = (struct metric){ "", late_wakeups, -1 };
	snprintf(m.name, sizeof(m.name), "late wake-ups of %ju", (uintmax_t)s->units);
	print_metric(out, r, s, &m, markdown);
}

static bool same_settings(const struct bench_policy *a, const struct bench_policy *b)
{
	return !strcmp(a->governor, b->governor) && !strcmp(a->epp, b->epp);
}

static void print_policy(FILE *out, const struct bench_policy *p)
{
	fprintf(out, " %s%s%s", p->governor[0] ? p->governor : "unknown",
		p->epp[0] ? "/" : "", p->epp);
}

/* "settings: all policies schedutil", or those that differ from the one before. */
static void print_policies(FILE *out, const struct bench_context *c)
{
	const struct bench_policy *p = c->policies;
	bool same = true;

	if (!c->policy_count)
		return;
	for (unsigned int i = 1; i < c->policy_count; i++)
		same &= same_settings(&p[i - 1], &p[i]);
	fprintf(out, "settings:");
	if (same) {
		fprintf(out, " all policies");
		print_policy(out, p);
	}
	for (unsigned int i = 0; i < c->policy_count && !same; i++) {
		if (i && same_settings(&p[i - 1], &p[i]))
			continue;
		fprintf(out, "%s policy%u", i ? ", from" : "", p[i].id);
		print_policy(out, &p[i]);
	}
	fprintf(out, "\n");
}

void table_print(FILE *out, const struct bench_result *r, bool markdown)
{
	const struct bench_context *c = &r->context;

	if (c->virtual_board)
		fprintf(out,
			"VIRTUAL board '%s', seed %ju: virtual time, and no scheduler is "
			"modelled\n",
			c->board, (uintmax_t)c->seed);
	print_policies(out, c);
	if (c->virtual_board || c->policy_count)
		fprintf(out, "\n");
	if (markdown)
		fprintf(out, "| Workload | Metric | n | Mean | RSD %% | Min | Max |\n"
			     "|---|---|--:|--:|--:|--:|--:|\n");
	else
		fprintf(out, "%-10s %-34s %5s %10s %7s %10s %10s\n", "Workload", "Metric",
			"n", "Mean", "RSD %", "Min", "Max");
	for (unsigned int i = 0; i < r->series_count; i++)
		print_series(out, r, &r->series[i], markdown);
}

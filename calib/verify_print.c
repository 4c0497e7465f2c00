// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What 'calib verify' found, as a table per domain and a line at the end.
 */
#include "calib/verify.h"

#include <inttypes.h>
#include <string.h>

#include "lib/cpulist.h"
#include "lib/text.h"

/* From the tree, so not to be trusted on a terminal. */
static const char *core(const struct verify *v, const struct verify_pair *p, char *buf,
			size_t size)
{
	const struct dt_cpu *cpu;

	if (p->in.domain < 0)
		return "not in the tree";
	cpu = &v->d->cpus[p->in.cpu];
	snprintf(buf, size, "%s",
		 cpu->compatible_count ? cpu->compatibles[0] : "no compatible");
	text_clean(buf);
	return buf;
}

static void print_head(const struct verify *v, const struct verify_pair *p, FILE *out)
{
	const struct verify_domain *d = p->out;
	char cpus[256], name[128];

	fprintf(out, "%s: CPU%s %s, %s", d->kernel ? d->kernel->name : "no energy model",
		text_s(p->cpu_count),
		cpulist_format(p->cpus, p->cpu_count, cpus, sizeof(cpus)),
		core(v, p, name, sizeof(name)));
	if (d->source == VERIFY_OPP_MICROWATT)
		fprintf(out, ", power by opp-microwatt");
	else if (d->has_dpc)
		fprintf(out, ", coefficient %" PRIu32, d->dpc_uw_per_mhz_v2);
	else
		fprintf(out, ", no coefficient");
	if (d->kernel && !d->by_clock)
		fprintf(out, ", capacity %" PRIu32, d->capacity);
	if (d->kernel)
		fprintf(out, "; %s (%s)", em_unit_name(d->unit), d->unit_why);
	fputc('\n', out);
}

static void print_columns(const struct verify_domain *d, FILE *out)
{
	const char *unit = d->unit == EM_MICROWATT   ? "uW"
			   : d->unit == EM_MILLIWATT ? "mW"
						     : "?";
	char ours[32], kernel[32];

	snprintf(ours, sizeof(ours), "ours %s", unit);
	snprintf(kernel, sizeof(kernel), "kernel %s", unit);
	fprintf(out, "  %6s %5s %12s %12s %12s %12s  %s\n", "MHz", "mV", ours, kernel,
		"cost", "ours", "inefficient (kernel/ours)");
}

static const char *number(bool has, uint64_t value, char *text, size_t size)
{
	if (has)
		snprintf(text, size, "%" PRIu64, value);
	else
		snprintf(text, size, "-");
	return text;
}

static const char *yes(bool has, bool value)
{
	return !has ? "-" : value ? "yes" : "no";
}

static void print_state(const struct verify_domain *d, const struct verify_state *s,
			FILE *out)
{
	const bool costs = s->in_kernel && d->has_costs;
	char mv[24], ours[24], kernel[24], cost[24], our_cost[24], marks[16];

	snprintf(marks, sizeof(marks), "%s/%s",
		 yes(s->in_kernel && s->kernel.has_inefficient, s->kernel.inefficient),
		 yes(costs, s->ours.inefficient));
	fprintf(out, "  %6" PRIu64 " %5s %12s %12s %12s %12s  %-9s %s", s->khz / 1000,
		number(s->volt_uv, s->volt_uv / 1000, mv, sizeof(mv)),
		number(s->has_ours, s->ours.power, ours, sizeof(ours)),
		number(s->in_kernel, s->kernel.power, kernel, sizeof(kernel)),
		number(s->in_kernel && s->kernel.has_cost, s->kernel.cost, cost,
		       sizeof(cost)),
		number(costs, s->ours.cost, our_cost, sizeof(our_cost)), marks,
		s->differs || s->coeffs_differs ? "≠"
		: s->in_kernel			? "="
						: "-");
	if (s->why[0])
		fprintf(out, " %s", s->why);
	if (s->coeffs_differs)
		fprintf(out, "%s coeffs.json says %" PRIu64 ": %s", s->differs ? ";" : "",
			s->coeffs_power, s->coeffs_why);
	fputc('\n', out);
}

static void print_pair(const struct verify *v, const struct verify_pair *p, FILE *out)
{
	const struct verify_domain *d = p->out;
	unsigned int i;

	print_head(v, p, out);
	if (d->kernel)
		print_columns(d, out);
	for (i = 0; i < d->state_count; i++)
		print_state(d, &d->states[i], out);
	for (i = 0; i < d->item_count; i++)
		fprintf(out, "  %s: %s\n", d->items[i].note ? "note" : "≠",
			d->items[i].text);
	fputc('\n', out);
}

void verify_print(const struct verify *v, FILE *out)
{
	char text[1024];
	unsigned int i;

	if (v->board)
		fprintf(out,
			"VIRTUAL board '%s', no kernel runs: what v%s would make "
			"of its true coefficients",
			v->board->name, v->release);
	else
		fprintf(out, "kernel %s, its energy model by %s",
			v->release[0] ? v->release : "of unknown release", v->source);
	fprintf(out, ", against %s", buf_file_name(v->tree));
	if (v->coeffs)
		fprintf(out, " and %s%s", v->coeffs_name,
			v->coeffs->virtual_board ? " (of a virtual board)" : "");
	fprintf(out, "\n\n");
	for (i = 0; i < v->pair_count; i++)
		print_pair(v, &v->pairs[i], out);
	verify_verdict(v, text, sizeof(text));
	fprintf(out, "%s\n", text);
}

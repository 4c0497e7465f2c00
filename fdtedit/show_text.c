// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fdtedit show for people: one block per frequency domain.
 */
#include "fdtedit/show.h"

#include <inttypes.h>
#include <string.h>

#include "lib/text.h"

static void print_clean(const char *text, FILE *f)
{
	char copy[256];

	snprintf(copy, sizeof(copy), "%s", text);
	text_clean(copy);
	fputs(copy, f);
}

static void print_head(const struct show *s, FILE *f)
{
	print_clean(s->file, f);
	fputs(": ", f);
	print_clean(s->d->root_compatible_count ? s->d->root_compatibles[0]
						: "no compatible",
		    f);
	if (s->d->model) {
		fputs(" (", f);
		print_clean(s->d->model, f);
		fputc(')', f);
	}
	fputc('\n', f);
}

static void print_cell(bool has, uint32_t value, FILE *f)
{
	if (has)
		fprintf(f, "  %18" PRIu32, value);
	else
		fprintf(f, "  %18s", "-");
}

static void print_cpu_head(FILE *f)
{
	fprintf(f, "  %-20s  %10s  %18s  %18s  %s\n", "CPU node", "reg",
		"capacity-dmips-mhz", "power-coefficient", "compatible");
}

static void print_cpu(const struct dt_cpu *cpu, FILE *f)
{
	char reg[24] = "-";
	char path[sizeof(cpu->path)];

	strcpy(path, cpu->path);
	text_clean(path);
	if (cpu->has_reg)
		snprintf(reg, sizeof(reg), "0x%" PRIx64, cpu->reg);
	fprintf(f, "  %-20s  %10s", path, reg);
	print_cell(cpu->has_capacity, cpu->capacity_dmips_mhz, f);
	print_cell(cpu->has_dpc, cpu->dpc_uw_per_mhz_v2, f);
	fputs("  ", f);
	print_clean(cpu->compatible_count ? cpu->compatibles[0] : "-", f);
	fputs(cpu->enabled ? "\n" : "  (disabled)\n", f);
}

static void print_opp(const struct show *s, unsigned int domain, unsigned int i, FILE *f)
{
	const struct checks_domain *cd = &s->checks->domains[domain];
	const struct dt_opp *opp = &s->d->domains[domain].opps[i];
	const struct em_state *state = cd->has_current ? &cd->current[i] : NULL;
	uint64_t power_uw;

	fprintf(f, "  %10.10g", opp->hz / 1e6);
	if (opp->has_volt)
		fprintf(f, "  %9.7g", opp->volt_uv / 1e3);
	else
		fprintf(f, "  %9s", opp->volt_binned ? "by bin" : "-");
	if (show_power_uw(s, domain, i, &power_uw))
		fprintf(f, "  %10" PRIu64, power_uw);
	else
		fprintf(f, "  %10s", "-");
	if (state)
		fprintf(f, "  %11" PRIu64 "  %10" PRIu64, state->performance,
			state->cost);
	else
		fprintf(f, "  %11s  %10s", "-", "-");
	fprintf(f, "%s%s%s%s\n", state && state->inefficient ? "  inefficient" : "",
		opp->turbo ? "  turbo" : "", opp->suspend ? "  suspend" : "",
		opp->supported_hw ? "  on some chips (opp-supported-hw)" : "");
}

static void print_model(const struct checks_domain *cd, FILE *f)
{
	if (cd->source == CHECKS_NO_MODEL)
		fputs("  no energy model: no coefficient on the first CPU, no "
		      "opp-microwatt\n",
		      f);
	else if (!cd->has_current)
		fprintf(f, "  %s\n", cd->current_why);
	else if (cd->source == CHECKS_COEFFICIENT)
		fprintf(f, "  energy model from coefficient %" PRIu32 "\n",
			cd->dpc_uw_per_mhz_v2);
	else
		fprintf(f, "  energy model from opp-microwatt%s\n",
			cd->has_dpc ? ", which overrides the coefficient" : "");
}

/* The kernel would not say that it passes over them. */
static void print_unread(const struct show *s, const struct dt_domain *dom, FILE *f)
{
	const struct dt_cpu *first = &s->d->cpus[dom->cpus[0]];

	for (unsigned int i = 1; i < dom->cpu_count; i++) {
		const struct dt_cpu *cpu = &s->d->cpus[dom->cpus[i]];

		if (!cpu->has_dpc)
			continue;
		if (first->has_dpc && cpu->dpc_uw_per_mhz_v2 == first->dpc_uw_per_mhz_v2)
			continue;
		fputs("  the kernel reads the first CPU's coefficient only, others "
		      "differ\n",
		      f);
		return;
	}
}

static void print_disabled(const struct dt_domain *dom, FILE *f)
{
	if (!dom->disabled_count)
		return;
	fputs("  disabled:", f);
	for (unsigned int i = 0; i < dom->disabled_count; i++)
		fprintf(f, " %.10g", dom->disabled_hz[i] / 1e6);
	fputs(" MHz\n", f);
}

static void print_opps(const struct show *s, unsigned int domain, FILE *f)
{
	const struct dt_domain *dom = &s->d->domains[domain];

	if (!dom->opp_path[0]) {
		fputs("  no OPP table in the tree: clock and voltage come from "
		      "firmware\n",
		      f);
		return;
	}
	print_model(&s->checks->domains[domain], f);
	if (dom->volt_bin_count) {
		fputs("  speed bins (--bin):", f);
		for (unsigned int i = 0; i < dom->volt_bin_count; i++) {
			fputc(' ', f);
			print_clean(dom->volt_bins[i], f);
		}
		fputc('\n', f);
	}
	if (dom->regulators > 1)
		fprintf(f, "  voltages of %u regulators: mV is the first one's\n",
			dom->regulators);
	else if (dom->regulators_differ)
		fputs("  the OPPs have values of different numbers of regulators\n", f);
	else if (!dom->regulators)
		fprintf(f,
			"  opp-microvolt may be <target min max> or of several "
			"regulators (%u supplies): mV is its first number\n",
			dom->supplies);
	if (dom->opp_count)
		fprintf(f, "  %10s  %9s  %10s  %11s  %10s\n", "MHz", "mV", "uW",
			"performance", "cost");
	for (unsigned int i = 0; i < dom->opp_count; i++)
		print_opp(s, domain, i, f);
	print_disabled(dom, f);
}

static void print_domain(const struct show *s, unsigned int domain, FILE *f)
{
	const struct dt_domain *dom = &s->d->domains[domain];
	const struct checks_domain *cd = &s->checks->domains[domain];

	fprintf(f, "\ndomain %u: %u CPU(s)", domain, dom->cpu_count);
	if (cd->has_capacity)
		fprintf(f, ", capacity %" PRIu32, cd->capacity);
	if (dom->opp_path[0]) {
		fputs(", OPPs in ", f);
		print_clean(dom->opp_path, f);
	}
	fputc('\n', f);
	print_cpu_head(f);
	for (unsigned int i = 0; i < dom->cpu_count; i++)
		print_cpu(&s->d->cpus[dom->cpus[i]], f);
	print_unread(s, dom, f);
	print_opps(s, domain, f);
}

static void print_others(const struct show *s, FILE *f)
{
	bool first = true;

	for (unsigned int i = 0; i < s->d->cpu_count; i++) {
		if (s->d->cpus[i].domain >= 0)
			continue;
		if (first) {
			fputs("\nwithout OPP table (clock and voltage are not in the "
			      "tree):\n",
			      f);
			print_cpu_head(f);
		}
		first = false;
		print_cpu(&s->d->cpus[i], f);
	}
}

static void print_source(const struct show *s, FILE *f)
{
	size_t count;
	const struct edit_cpu *cpus = dts_cpus(s->source, &count);

	fprintf(f, "  %-20s  %10s  %18s  %s\n", "CPU node", "reg", "power-coefficient",
		"in source");
	for (size_t i = 0; i < count; i++) {
		unsigned int line;
		const char *path = dts_place(s->source, i, &line);
		const char *odd = dts_odd_value(s->source, i);
		char reg[24] = "-", value[16] = "-";

		if (cpus[i].has_reg)
			snprintf(reg, sizeof(reg), "0x%" PRIx64, cpus[i].reg);
		if (cpus[i].has_value)
			snprintf(value, sizeof(value), "%" PRIu32, cpus[i].value);
		fprintf(f, "  %-20s  %10s  %18s  ", cpus[i].path, reg, odd ? odd : value);
		print_clean(path, f);
		fprintf(f, ":%u%s\n", line, cpus[i].has_value ? "" : " (node)");
	}
}

void show_text(const struct show *s, FILE *f)
{
	if (s->d) {
		print_head(s, f);
	} else {
		print_clean(s->file, f);
		fputs(": source\n", f);
	}
	if (s->source) {
		fputc('\n', f);
		print_source(s, f);
	}
	for (unsigned int i = 0; s->d && i < s->d->domain_count; i++)
		print_domain(s, i, f);
	if (s->d)
		print_others(s, f);
}

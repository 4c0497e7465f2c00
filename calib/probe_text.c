// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine's facts and what is missing, on a screen or two.
 */
#include "calib/probe.h"

#include <inttypes.h>
#include <string.h>

#include "lib/cpulist.h"
#include "lib/text.h"

#define WIDTH 88

/* Words from column @at on, folded at WIDTH to the margin @indent. */
static void print_words(FILE *out, unsigned int at, unsigned int indent, const char *text)
{
	bool first = true;
	size_t len;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		len = strcspn(text, " ");
		if (!first && at + 1 + len > WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
			first = true;
		}
		at += fprintf(out, "%s%.*s", first ? "" : " ", (int)len, text);
		text += len;
		first = false;
	}
	fprintf(out, "\n");
}

static void print_machine(const struct facts *f, FILE *out)
{
	const char *what = f->model[0]	      ? f->model
			   : f->compatible[0] ? f->compatible
					      : "this machine";

	fprintf(out, "%s%s%s%s%s%s%s%s\n", f->virtual_board ? "VIRTUAL " : "", what,
		f->board[0] ? ", board " : "", f->board, f->kernel[0] ? ", " : "",
		f->kernel, f->virtual_board ? ": no hardware is looked at" : "", "");
	if (f->online[0])
		fprintf(out, "CPUs: %s online%s%s%s\n", f->online,
			f->offline[0] ? ", " : "", f->offline,
			f->offline[0] ? " offline" : "");
}

static void print_identity(const struct facts_cluster *c, FILE *out)
{
	char cpus[128], policies[128];

	cpulist_format(c->cpus, c->cpu_count, cpus, sizeof(cpus));
	fprintf(out, "\n%s: CPUs %s", c->name, cpus);
	if (c->offline_count)
		fprintf(out, " (%s offline)",
			cpulist_format(c->offline, c->offline_count, cpus, sizeof(cpus)));
	if (c->compatible[0])
		fprintf(out, ", %s", c->compatible);
	if (c->policy_count)
		fprintf(out, ", policy %s, driver %s",
			cpulist_format(c->policies, c->policy_count, policies,
				       sizeof(policies)),
			c->driver);
	fprintf(out, "\n");
}

static const char *source_text(const char *source)
{
	static const char *const texts[][2] = {
		{ "list", "the kernel's list" },
		{ "list+boost", "the kernel's list, boost clocks too" },
		{ "limits", "requests between the limits, no list" },
		{ "board", "the board description" },
		{ "debugfs", "the kernel's OPP table (debugfs)" },
		{ "dt", "the device tree" },
		{ "user", "your file" },
		{ "user+debugfs", "your file, else the kernel's OPP table (debugfs)" },
		{ "user+dt", "your file, else the device tree" },
		{ "user+board", "your file, else the board description" },
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(texts[i][0], source))
			return texts[i][1];
	return source;
}

static void print_opps(const struct facts_cluster *c, FILE *out)
{
	char text[64 * BOARD_MAX_OPPS] = "";
	size_t used = 0;
	unsigned int i;

	fprintf(out, "  OPPs       %u from %s", c->opp_count, source_text(c->opp_source));
	if (c->volt_source[0])
		fprintf(out, "; voltages from %s", source_text(c->volt_source));
	fprintf(out, "\n             ");
	used += snprintf(text, sizeof(text), "MHz%s:", c->volt_source[0] ? "/mV" : "");
	for (i = 0; i < c->opp_count; i++) {
		used += snprintf(text + used, sizeof(text) - used, " %g",
				 c->opps[i].khz / 1e3);
		if (c->opps[i].volt_uv)
			used += snprintf(text + used, sizeof(text) - used, "/%g",
					 c->opps[i].volt_uv / 1e3);
	}
	print_words(out, 13, 13, text);
	for (i = 0; i < c->boost_count; i++)
		fprintf(out, "%s%g", i ? " " : "  boost      ", c->boost_khz[i] / 1e3);
	if (c->boost_count)
		fprintf(out, " MHz, %s\n", c->boost_on ? "on" : "off");
	if (c->regulator_uv)
		fprintf(out, "  regulator  %s, now %g mV\n", c->regulator,
			c->regulator_uv / 1e3);
	else if (c->regulator[0])
		fprintf(out, "  regulator  %s, does not tell its voltage\n",
			c->regulator);
}

static void print_control(const struct facts_cluster *c, FILE *out)
{
	if (!c->policy_count)
		return;
	fprintf(out, "  governor   %s", c->governor[0] ? c->governor : "unknown");
	if (c->governors[0])
		fprintf(out, " (of %.*s)",
			(int)(strlen(c->governors) -
			      (c->governors[strlen(c->governors) - 1] == ' ')),
			c->governors);
	if (c->limit_min_khz && c->limit_max_khz)
		fprintf(out, ", limits %g..%g MHz", c->limit_min_khz / 1e3,
			c->limit_max_khz / 1e3);
	fprintf(out, "\n");
	if (!c->no_pin[0])
		fprintf(out, "  pinned by  %s\n",
			c->way == CPUFREQ_SETSPEED ? "governor userspace"
						   : "equal limits");
}

static void print_meter(const struct facts_cluster *c, FILE *out)
{
	if (!c->sensor[0]) {
		fprintf(out, "  meter      none\n");
		return;
	}
	fprintf(out, "  meter      %s: %s%s\n", c->sensor, c->sensor_about,
		c->volt_measured ? ", tells the rail's voltage" : "");
}

static void print_thermal(const struct facts *f, const struct facts_cluster *c, FILE *out)
{
	unsigned int i;

	for (i = 0; i < c->zone_count; i++) {
		const struct facts_zone *z = &f->zones[c->zones[i]];

		fprintf(out, "%s%s", i ? ", " : "  thermal    ", z->type);
		if (z->has_temp)
			fprintf(out, " %.1f C", z->temp_mc / 1e3);
	}
	if (c->zone_count)
		fprintf(out, "\n");
	for (i = 0; i < c->cooler_count; i++) {
		const struct facts_cooler *k = &f->coolers[c->coolers[i]];

		fprintf(out, "%s%s", i ? ", " : "  cooling    ", k->type);
		if (k->has_state)
			fprintf(out, " state %u", k->state);
		if (k->max)
			fprintf(out, " of %u", k->max);
	}
	if (c->cooler_count)
		fprintf(out, "\n");
}

static void print_capacity(const struct facts_cluster *c, FILE *out)
{
	if (!c->capacity && !c->capacity_dmips_mhz)
		return;
	fprintf(out, "  capacity  ");
	if (c->capacity)
		fprintf(out, " %u of 1024", c->capacity);
	if (c->capacity_dmips_mhz)
		fprintf(out, "%s %u DMIPS/MHz", c->capacity ? "," : "",
			c->capacity_dmips_mhz);
	fprintf(out, "\n");
}

static void print_model(const struct facts *f, const struct facts_cluster *c, FILE *out)
{
	unsigned int i;

	for (i = 0; i < f->domain_count; i++) {
		const struct facts_domain *d = &f->domains[i];

		if (d->cpus[0] != c->cpus[0])
			continue;
		fprintf(out,
			"  kernel EM  %u state%s, %u inefficient, %" PRIu64
			" %s at %g MHz\n",
			d->state_count, text_s(d->state_count), d->inefficient,
			d->top_power, em_unit_name(d->unit), d->top_khz / 1e3);
		return;
	}
	if (f->em_shown != FACTS_UNKNOWN)
		fprintf(out, "  kernel EM  none\n");
}

static void print_cluster(const struct facts *f, const struct facts_cluster *c, FILE *out)
{
	print_identity(c, out);
	print_opps(c, out);
	print_control(c, out);
	print_meter(c, out);
	print_thermal(f, c, out);
	print_capacity(c, out);
	print_model(f, c, out);
}

static void print_one_meter(const struct facts_meter *m, FILE *out)
{
	char line[sizeof(m->name) + sizeof(m->about) + sizeof(m->why) + 64];

	if (m->has_power)
		snprintf(line, sizeof(line), "%s: %s; now %g mW", m->name, m->about,
			 m->power_uw / 1e3);
	else
		snprintf(line, sizeof(line), "%s: %s; no reading: %s", m->name, m->about,
			 m->why);
	fprintf(out, "  ");
	print_words(out, 2, 4, line);
}

static void print_complexity(const struct facts *f, FILE *out)
{
	unsigned int cpus = 0, states = 0, i;
	char line[256];

	for (i = 0; i < f->domain_count; i++) {
		cpus += f->domains[i].cpu_count;
		states += f->domains[i].state_count;
	}
	snprintf(
		line, sizeof(line),
		"energy model: complexity %u = %u domain%s x (%u CPU%s + %u state%s), %u "
		"without inefficient states; %s %u",
		probe_complexity(f, false), f->domain_count, text_s(f->domain_count),
		cpus, text_s(cpus), states, text_s(states), probe_complexity(f, true),
		probe_limits_complexity(f) ? "this kernel leaves EAS off above"
					   : "kernels before v6.7 leave EAS off above",
		EM_MAX_COMPLEXITY);
	print_words(out, 0, 11, line);
}

static void print_eas(const struct facts *f, FILE *out)
{
	static const char *const answers[] = { "unknown", "no", "yes" };

	fprintf(out, "scheduler: SMT active %s, sched_energy_aware %s, ", answers[f->smt],
		answers[f->energy_aware]);
	fprintf(out, "frequency-invariant %s\n", answers[f->invariant]);
	if (f->domain_count)
		print_complexity(f, out);
}

static void print_rest(const struct facts *f, FILE *out)
{
	char line[sizeof(f->no_cycles) + sizeof(f->pmus) + 4];
	unsigned int i;

	fprintf(out, "\n");
	if (!f->virtual_board) {
		fprintf(out, "power meters:%s\n", f->meter_count ? "" : " none");
	}
	for (i = 0; i < f->meter_count; i++)
		print_one_meter(&f->meters[i], out);
	for (i = 0; i < f->zone_count && !f->cluster_count; i++)
		fprintf(out, "%s%s", i ? ", " : "thermal zones: ", f->zones[i].type);
	if (f->zone_count && !f->cluster_count)
		fprintf(out, "\n");
	fprintf(out, "cycle counters: ");
	snprintf(line, sizeof(line), "%s%s%s", f->cycles ? "usable" : f->no_cycles,
		 f->pmus[0] ? "; " : "", f->pmus);
	print_words(out, 16, 16, line);
	print_eas(f, out);
	if (f->config_source[0]) {
		fprintf(out, "kernel config (%s):", f->config_source);
		for (i = 0; i < FACTS_CONFIGS; i++)
			fprintf(out, " %s=%c", f->configs[i].name,
				f->configs[i].set == FACTS_YES ? f->configs[i].value
							       : 'n');
		fprintf(out, "\n");
	}
}

/* @verdict: the last line; NULL: none */
static void print_items(const struct probe *p, bool eas, const char *verdict, FILE *out)
{
	static const char *const kinds[] = { "MISSING", "unseen ", "note   " };
	unsigned int i;

	fprintf(out, "\nFor %s:\n", eas ? "energy-aware scheduling" : "a calibration");
	for (i = 0; i < p->item_count; i++) {
		const struct probe_item *item = &p->items[i];
		char line[sizeof(item->what) + sizeof(item->todo) + 8];

		if (item->eas != eas)
			continue;
		snprintf(line, sizeof(line), "%s%s%s", item->what,
			 item->todo[0] ? " -> " : "", item->todo);
		fprintf(out, "  %s  ", kinds[item->kind]);
		print_words(out, 11, 11, line);
	}
	if (verdict)
		fprintf(out, "  %s\n", verdict);
}

static const char *eas_verdict(const struct probe *p)
{
	unsigned int unseen = 0, i;

	for (i = 0; i < p->item_count; i++)
		unseen += p->items[i].eas && p->items[i].kind == PROBE_UNKNOWN;
	if (probe_missing(p, true))
		return "EAS is off until that is there";
	if (unseen)
		return "nothing is seen to be missing: EAS is on if what is unseen is "
		       "there";
	return "nothing is seen to be missing: EAS is on";
}

void probe_print(const struct probe *p, FILE *out)
{
	const struct facts *f = p->facts;
	unsigned int i;

	print_machine(f, out);
	for (i = 0; i < f->cluster_count; i++)
		print_cluster(f, &f->clusters[i], out);
	print_rest(f, out);
	print_items(
		p, false,
		probe_missing(p, false) ? NULL
		: f->virtual_board
			? "nothing is missing; next: 'calib freqcheck' or 'calib "
			  "measure', "
			  "with the same --board"
			: "nothing is missing; next: 'calib freqcheck', 'calib measure'",
		out);
	print_items(p, true, eas_verdict(p), out);
}

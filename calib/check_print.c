// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What 'calib check' found, as text for a console.
 */
#include "calib/check_print.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "lib/cpulist.h"
#include "lib/text.h"

#define COLUMNS 100

/* Words of @text after @prefix, broken at COLUMNS, further lines indented. */
static void print_wrapped(FILE *f, const char *prefix, const char *text)
{
	size_t column = strlen(prefix);
	const char *word = text;

	fputs(prefix, f);
	while (*word) {
		size_t len = strcspn(word, " ");

		if (column + 1 + len > COLUMNS && column > 4) {
			fputs("\n   ", f);
			column = 3;
		}
		fprintf(f, " %.*s", (int)len, word);
		column += 1 + len;
		word += len;
		word += strspn(word, " ");
	}
	fputc('\n', f);
}

/* From the tree or the command line, so not to be trusted on a terminal. */
static const char *clean(const char *text, char *buf, size_t size)
{
	snprintf(buf, size, "%s", text);
	text_clean(buf);
	return buf;
}

static void print_opps(FILE *f, const struct dt_domain *dom)
{
	if (!dom->opp_count)
		fputs(", no OPPs", f);
	else
		fprintf(f, ", %u OPP%s %" PRIu64 "-%" PRIu64 " MHz", dom->opp_count,
			text_s(dom->opp_count), dom->opps[0].hz / 1000000,
			dom->opps[dom->opp_count - 1].hz / 1000000);
}

static void print_head(FILE *f, unsigned int index, const struct dtcpus *d,
		       const struct checks_domain *cd)
{
	const struct dt_domain *dom = &d->domains[index];
	char cpus[128], name[64];

	fprintf(f, "domain %u: CPU%s %s, %s", index, dom->cpu_count == 1 ? "" : "s",
		cpulist_format(dom->cpus, dom->cpu_count, cpus, sizeof(cpus)),
		cd->compatible[0] ? clean(cd->compatible, name, sizeof(name))
				  : "no compatible");
	print_opps(f, dom);
	if (cd->has_capacity)
		fprintf(f, ", capacity %" PRIu32, cd->capacity);
	else
		fputs(", capacity not known", f);
	if (cd->source == CHECKS_OPP_MICROWATT)
		fputs(", power by opp-microwatt\n", f);
	else if (cd->has_dpc)
		fprintf(f, ", coefficient %" PRIu32 "\n", cd->dpc_uw_per_mhz_v2);
	else
		fputs(", no coefficient\n", f);
}

/* "v5.6 rule: states 1,3,4" or why there are none. */
static void print_rule(FILE *f, const char *rule, bool has, const char *why,
		       const struct em_state *states, size_t n)
{
	char list[512], line[600];

	if (!has)
		snprintf(line, sizeof(line), "%s", why);
	else if (!checks_states(states, n, list, sizeof(list))[0])
		snprintf(line, sizeof(line), "no state, monotonic");
	else
		snprintf(line, sizeof(line), "states %s", list);
	print_wrapped(f, rule, line);
}

static void print_domain(FILE *f, unsigned int index, const struct dtcpus *d,
			 const struct checks_domain *cd)
{
	char line[160];
	size_t i;

	print_head(f, index, d, cd);
	print_rule(f, "v5.6 rule:", cd->has_v56, cd->v56_why, cd->v56, cd->state_count);
	for (i = 0; cd->has_v56 && i < cd->state_count; i++) {
		if (!cd->v56[i].inefficient)
			continue;
		em_v56_message(line, sizeof(line), cd->first_cpu, i);
		fprintf(f, "%s\n", line);
	}
	print_rule(f, "current rule:", cd->has_current, cd->current_why, cd->current,
		   cd->state_count);
	fputc('\n', f);
}

/* Where a ratio lies; the verdict is on the coefficients' alone. */
static const char *place(const struct checks_ratio *r, double ratio)
{
	if (!r->has_band)
		return "";
	return ratio < r->band_min ? " below" : ratio > r->band_max ? " above" : " in   ";
}

static void print_ratio(FILE *f, const struct checks *c)
{
	const struct checks_ratio *r = &c->ratio;
	const struct checks_domain *big = &c->domains[r->big];
	const struct checks_domain *little = &c->domains[r->little];
	char big_name[64], little_name[64];

	if (!r->known)
		return;
	fprintf(f, "big/LITTLE ratio, %s over %s\n",
		clean(big->compatible, big_name, sizeof(big_name)),
		clean(little->compatible, little_name, sizeof(little_name)));
	if (r->has_dpc)
		fprintf(f, "  %6.2f%s  by coefficient: %" PRIu32 "/%" PRIu32 "\n",
			r->by_dpc, place(r, r->by_dpc), big->dpc_uw_per_mhz_v2,
			little->dpc_uw_per_mhz_v2);
	if (r->has_power) {
		fprintf(f,
			"  %6.2f%s  by power at the top OPPs: %" PRIu64 "/%" PRIu64
			" MHz\n",
			r->by_top_power, place(r, r->by_top_power), r->big_top_khz / 1000,
			r->little_top_khz / 1000);
		fprintf(f,
			"  %6.2f%s  by power at the nearest equal clock: %" PRIu64
			"/%" PRIu64 " MHz\n",
			r->by_equal_power, place(r, r->by_equal_power),
			r->big_equal_khz / 1000, r->little_equal_khz / 1000);
	}
	if (r->has_band)
		fprintf(f, "expected of the coefficients: %g..%g\n", r->band_min,
			r->band_max);
	fputc('\n', f);
}

static void print_item(FILE *f, const struct checks *c, const struct checks_item *item)
{
	const char *kind = item->severity == CHECKS_NOTE       ? "note"
			   : item->severity == CHECKS_LEFT_OUT ? "left out"
			   : item->ignored		       ? "ignored"
							       : "finding";
	char prefix[64], text[CHECKS_TEXT + 96];

	snprintf(prefix, sizeof(prefix), "%s: %s:", kind, item->check);
	if (item->domain < 0)
		snprintf(text, sizeof(text), "%s", item->text);
	else
		snprintf(text, sizeof(text), "domain %d (%s): %s", item->domain,
			 c->domains[item->domain].compatible, item->text);
	text_clean(text);
	print_wrapped(f, prefix, text);
}

/* Findings of one check, or of all when @check is NULL. */
static unsigned int count(const struct checks *c, const char *check, bool ignored)
{
	unsigned int i, n = 0;

	for (i = 0; i < c->item_count; i++)
		n += c->items[i].severity == CHECKS_FINDING &&
		     c->items[i].ignored == ignored &&
		     (!check || !strcmp(c->items[i].check, check));
	return n;
}

static void print_verdict(FILE *f, const struct checks *c)
{
	unsigned int total = count(c, NULL, false), ignored = count(c, NULL, true);
	const char *separator = " (";
	unsigned int i, n;

	if (!total)
		fprintf(f, "verdict: ok%s, no finding",
			checks_left_out(c) ? " as far as checked" : "");
	else
		fprintf(f, "verdict: no, %u finding%s", total, total == 1 ? "" : "s");
	for (i = 0; total && checks_name(i); i++) {
		n = count(c, checks_name(i), false);
		if (!n)
			continue;
		fprintf(f, "%s%s", separator, checks_name(i));
		if (n > 1)
			fprintf(f, " %u", n);
		separator = ", ";
	}
	if (total)
		fputc(')', f);
	if (ignored)
		fprintf(f, ", %u ignored", ignored);
	fputc('\n', f);
}

void check_print_text(FILE *f, const char *path, const struct check_facts *facts,
		      const struct checks *c)
{
	char text[PATH_MAX];
	unsigned int i;

	fprintf(f, "%s\n", clean(path, text, sizeof(text)));
	if (facts->title[0])
		print_wrapped(f, "machine:", clean(facts->title, text, sizeof(text)));
	if (check_facts_virtual(facts))
		fputs("VIRTUAL: " CHECK_FACTS_VIRTUAL "\n", f);
	fputc('\n', f);
	for (i = 0; i < c->domain_count; i++)
		print_domain(f, i, facts->d, &c->domains[i]);
	print_ratio(f, c);
	for (i = 0; i < facts->note_count; i++)
		print_wrapped(f, "note:", clean(facts->notes[i], text, sizeof(text)));
	for (i = 0; i < c->item_count; i++)
		print_item(f, c, &c->items[i]);
	print_verdict(f, c);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is printed of a series of boots alone.
 */
#include <string.h>

#include "calib/bench/comparison_page.h"
#include "lib/text.h"

static void add_p(struct grid *g, bool known, double p)
{
	char text[32];

	grid_add(g, "%s", page_p(known, p, text, sizeof(text)));
}

/* In percent of the mean. */
static void add_sd(struct grid *g, bool known, double sd, double mean)
{
	if (known && mean > 0)
		grid_add(g, "%.2f %%", 100 * sd / mean);
	else
		grid_add(g, "-");
}

static void add_boots(struct grid *g, const struct comparison_side *s)
{
	const struct compare_groups *by = &s->groups;

	add_sd(g, by->has_within, by->within_sd, s->sum.mean);
	add_sd(g, by->has_between, by->between_sd, s->sum.mean);
	add_p(g, by->has_p, by->between_p);
}

/* What boots do by themselves, beside what iterations do; drift; and what would be told
 * of just these boots. */
int page_boots(const struct page *page)
{
	const struct comparison_workload *w = page->w;
	char align[4 + 5 * COMPARISON_MAX_FILES] = "lrr", text[64];
	struct grid g = { .align = align };
	unsigned int i, k;

	grid_add(&g, "boots");
	grid_add(&g, "drift");
	grid_add(&g, "p");
	for (k = 0; k < page->c->file_count; k++) {
		grid_add(&g, "%c: within", 'A' + k);
		grid_add(&g, "between");
		grid_add(&g, "alike p");
		strcat(align, "rrr");
	}
	for (k = 1; k < page->c->file_count; k++) {
		grid_add(&g, "%c by iterations", 'A' + k);
		grid_add(&g, "p");
		strcat(align, "rr");
	}
	for (i = 0; i < w->metric_count; i++) {
		const struct comparison_metric *m = &w->metrics[i];

		grid_add(&g, "%s", m->name);
		grid_add(&g, "%s",
			 page_percent(m->drift.known, m->drift.span_pct, text,
				      sizeof(text)));
		add_p(&g, m->drift.known, m->drift.p);
		for (k = 0; k < page->c->file_count; k++)
			add_boots(&g, &m->sides[k]);
		for (k = 1; k < page->c->file_count; k++) {
			const struct compare *v = &m->sides[k].each_versus;

			grid_add(&g, "%s",
				 page_percent(v->has_diff, v->diff_pct, text,
					      sizeof(text)));
			add_p(&g, v->has_welch, v->welch_p);
		}
	}
	return page_grid(page, &g);
}

/* "order of boots: A B B A" */
void page_boots_note(const struct page *page)
{
	const struct comparison *c = page->c;
	const struct bench_result *r = c->files[0].result;
	char line[2 * BENCH_MAX_BOOTS + 1] = "";

	for (unsigned int i = 0; i < r->boot_count; i++)
		for (unsigned int k = 0; k < c->file_count; k++)
			if (!strcmp(c->files[k].name, r->boots[i].state))
				snprintf(line + 2 * i, 3, " %c", 'A' + k);
	page_note(page, "order of boots:%s%s", line,
		  c->file_count > 2 || comparison_took_turns(c, 1)
			  ? ""
			  : "; the states did not take turns, and what changed meanwhile "
			    "looks like a difference");
	for (unsigned int k = 0; k < c->file_count; k++)
		if (page->w->metric_count && page->w->metrics[0].sides[k].n < 2)
			page_note(page,
				  "one boot of %c: what a boot does by itself cannot be "
				  "told "
				  "from what changed; two of each at least",
				  'A' + k);
}

/* "6 boots of 10 iterations", "6 boots of 4 to 10 iterations" */
void page_boots_count(const struct bench_series *s, char *out, size_t size)
{
	size_t boots = 0, least = 0, most = 0, len;

	for (size_t i = 0; i < s->iteration_count; i += len) {
		for (len = 1; i + len < s->iteration_count; len++)
			if (s->iterations[i + len].boot != s->iterations[i].boot)
				break;
		least = !boots || len < least ? len : least;
		most = len > most ? len : most;
		boots++;
	}
	if (least == most)
		snprintf(out, size, "%zu boot%s of %zu iteration%s", boots, text_s(boots),
			 most, text_s(most));
	else
		snprintf(out, size, "%zu boot%s of %zu to %zu iterations", boots,
			 text_s(boots), least, most);
}

void page_boots_interrupted(const struct page *page, unsigned int k, char *out,
			    size_t size)
{
	const struct bench_result *r = page->c->files[k].result;
	unsigned int n = 0;
	size_t used = 0;

	for (unsigned int i = 0; i < r->boot_count && used < size; i++)
		if (r->boots[i].interrupted &&
		    !strcmp(r->boots[i].state, page->c->files[k].name))
			used += snprintf(out + used, size - used, "%s %u",
					 n++ ? "," : " of boot", i + 1);
}

void page_boots_legend(const struct page *page)
{
	fputs("All is of boots, each counted once as the mean of its iterations. Within: "
	      "how iterations\nof a boot differ (SD); between: how boots do beyond that; "
	      "alike p: of so much where boots\nare alike. Drift: from the first boot to "
	      "the last. By iterations: of just these boots,\nas if all were alike; it "
	      "says nothing of other boots.\n",
	      page->f);
}

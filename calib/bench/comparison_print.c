// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A comparison for people: the table of a cover letter, then what reviewers ask.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "calib/bench/comparison_page.h"
#include "lib/grid.h"
#include "lib/text.h"

#define MAX_NAMED 8 /* outliers told one by one */
#define LEVEL	  0.05
/* Of 1000 comparisons of equal sides on a virtual board 79 are told apart by Welch's test
 * where an iteration is as long as a reading, and 49 where it is as long as four. */
#define FEW_READINGS 4

/* "1.203 s": four digits, in the unit that suits @scale. */
static const char *quantity(const struct comparison_metric *m, double value, double scale,
			    char *out, size_t size)
{
	static const char *const times[] = { "ns", "us", "ms", "s" };
	static const char *const energies[] = { "uJ", "mJ", "J", "kJ" };
	unsigned int step = 0;
	int digits;

	if (m->unit == UNIT_COUNT) {
		snprintf(out, size, "%.4g", value);
		return out;
	}
	for (scale = fabs(scale); step < 3 && scale >= 1000; step++) {
		scale /= 1000;
		value /= 1000;
	}
	digits = scale >= 1000 || !scale ? 0 : scale >= 100 ? 1 : scale >= 10 ? 2 : 3;
	snprintf(out, size, "%.*f %s", digits, value,
		 m->unit == UNIT_NS ? times[step] : energies[step]);
	return out;
}

/* The first mean that says something: all of a row are in the unit that suits it. */
static double scale_of(const struct page *page, const struct comparison_metric *m)
{
	unsigned int k = 0;

	while (k + 1 < page->c->file_count && !m->sides[k].sum.mean)
		k++;
	return m->sides[k].sum.mean;
}

/* "-9.20 %"; at least two digits that say something. */
const char *page_percent(bool known, double pct, char *out, size_t size)
{
	if (!known)
		snprintf(out, size, "-");
	else
		snprintf(out, size, "%+.*f %%", fabs(pct) >= 1000 ? 0 : 2, pct);
	return out;
}

const char *page_p(bool known, double p, char *out, size_t size)
{
	if (!known)
		snprintf(out, size, "-");
	else if (p < 0.0001)
		snprintf(out, size, "<0.0001");
	else
		snprintf(out, size, "%.*f", p < 0.001 ? 4 : p < 0.1 ? 3 : 2, p);
	return out;
}

/* A paragraph's end. */
static void blank(const struct page *page)
{
	fputc('\n', page->f);
}

void page_note(const struct page *page, const char *fmt, ...)
{
	va_list ap;

	fputs(page->markdown ? "* " : "  ", page->f);
	va_start(ap, fmt);
	vfprintf(page->f, fmt, ap);
	va_end(ap);
	fputc('\n', page->f);
}

int page_grid(const struct page *page, struct grid *g)
{
	int ret = grid_print(g, page->f, page->markdown);

	grid_free(g);
	blank(page);
	return ret;
}

/* One row per metric: mean and spread of each file, difference against the first. */
static int print_means(const struct page *page)
{
	const struct comparison_workload *w = page->w;
	char align[2 + 3 * COMPARISON_MAX_FILES] = "l", text[64];
	struct grid g = { .align = align };
	unsigned int i, k;

	grid_add(&g, "metric");
	for (k = 0; k < page->c->file_count; k++) {
		grid_add(&g, "%c: mean", 'A' + k);
		grid_add(&g, "RSD");
		strcat(align, "rr");
		if (k) {
			grid_add(&g, "difference");
			strcat(align, "r");
		}
	}
	for (i = 0; i < w->metric_count; i++) {
		const struct comparison_metric *m = &w->metrics[i];

		grid_add(&g, "%s", m->name);
		for (k = 0; k < page->c->file_count; k++) {
			const struct comparison_side *s = &m->sides[k];

			grid_add(&g, "%s",
				 quantity(m, s->sum.mean, scale_of(page, m), text,
					  sizeof(text)));
			if (s->sum.has_rsd)
				grid_add(&g, "%.2f %%", s->sum.rsd_pct);
			else
				grid_add(&g, "-");
			if (k)
				grid_add(&g, "%s",
					 page_percent(s->versus.has_diff,
						      s->versus.diff_pct, text,
						      sizeof(text)));
		}
	}
	return page_grid(page, &g);
}

/* What both tests say. */
static const char *verdict(const struct compare *v)
{
	bool welch = v->has_welch && v->welch_p < LEVEL;
	bool rank = v->has_rank && v->rank_p < LEVEL;

	if (!v->has_welch)
		return "cannot be told";
	/* So few that ranks cannot say it: Welch's is left. */
	if (welch && v->has_rank && v->rank_exact && v->rank_least_p >= LEVEL)
		return v->welch_t < 0 ? "lower" : "higher";
	if (welch != rank && v->has_rank)
		return "the tests disagree";
	return !welch ? "no difference shown" : v->welch_t < 0 ? "lower" : "higher";
}

static void add_test(struct grid *g, const struct comparison_metric *m, unsigned int k,
		     bool several)
{
	const struct comparison_side *s = &m->sides[k];
	const struct compare *v = &s->versus;
	char text[64], other[64];

	if (several)
		grid_add(g, "%s, %c-A", m->name, 'A' + k);
	else
		grid_add(g, "%s", m->name);
	if (v->has_interval)
		grid_add(g, "%s .. %s",
			 page_percent(true, v->ci95_pct[0], text, sizeof(text)),
			 page_percent(true, v->ci95_pct[1], other, sizeof(other)));
	else
		grid_add(g, "-");
	grid_add(g, "%s", page_p(v->has_welch, v->welch_p, text, sizeof(text)));
	grid_add(g, "%s%s", page_p(v->has_rank, v->rank_p, text, sizeof(text)),
		 v->has_rank && !v->rank_exact ? "~" : "");
	if (v->has_welch && v->has_diff)
		grid_add(g, "%.2f %%", v->detectable_pct);
	else
		grid_add(g, "-");
	grid_add(g, "%s", verdict(v));
}

static int print_tests(const struct page *page)
{
	const struct comparison_workload *w = page->w;
	struct grid g = { .align = "lrrrrl" };

	grid_add(&g, "difference");
	grid_add(&g, "95 %% interval");
	grid_add(&g, "Welch p");
	grid_add(&g, "Mann-Whitney p");
	grid_add(&g, "could find");
	grid_add(&g, page->c->file_count > 2 ? "is" : "B is");
	for (unsigned int i = 0; i < w->metric_count; i++)
		for (unsigned int k = 1; k < page->c->file_count; k++)
			add_test(&g, &w->metrics[i], k, page->c->file_count > 2);
	return page_grid(page, &g);
}

static void note_missing(const struct page *page, const struct comparison_metric *m,
			 unsigned int k)
{
	const struct comparison_side *s = &m->sides[k];

	if (s->missing)
		page_note(page, "%s of %c: not known of %zu of %zu iterations", m->name,
			  'A' + k, s->missing, page->w->series[k]->iteration_count);
}

static void note_outliers(const struct page *page, const struct comparison_metric *m,
			  unsigned int k)
{
	const struct comparison_side *s = &m->sides[k];
	char line[512], text[64];
	const char *what;
	size_t used, told = 0;

	if (!s->outliers)
		return;
	what = page->c->by_boot ? "boot" : "iteration";
	used = snprintf(line, sizeof(line), "outlier%s in %s of %c:", text_s(s->outliers),
			m->name, 'A' + k);
	for (size_t i = 0; i < s->n && told < MAX_NAMED; i++)
		if (s->outlier[i])
			used += snprintf(line + used, sizeof(line) - used,
					 "%s %s %zu (%s)", told++ ? "," : "", what,
					 (page->c->by_boot ? s->order[i] : i) + 1,
					 quantity(m, s->values[i], s->sum.mean, text,
						  sizeof(text)));
	page_note(page, "%s%s; kept in all figures", line,
		  s->outliers > told ? " and more" : "");
}

static void note_trend(const struct page *page, const struct comparison_metric *m,
		       unsigned int k)
{
	const struct compare_trend *t = &m->sides[k].trend;
	char p[32], span[32];

	if (!page->c->by_boot && t->known && t->p < LEVEL)
		page_note(page,
			  "%s of %c drifts: %s of its mean, from its first to its last "
			  "iteration (p %s)",
			  m->name, 'A' + k,
			  page_percent(true, t->span_pct, span, sizeof(span)),
			  page_p(true, t->p, p, sizeof(p)));
}

static void note_turns(const struct page *page, const struct comparison_metric *m,
		       unsigned int k)
{
	const struct compare_turns *t = &m->sides[k].turns;
	char p[32], pct[32], at[32], q[32], second[128] = "";

	if (!t->has_paired)
		return;
	if (t->has_position)
		snprintf(second, sizeof(second), "; the second of a pair %s (p %s)",
			 page_percent(true, t->position_pct, at, sizeof(at)),
			 page_p(true, t->position_p, q, sizeof(q)));
	else if (t->one_order)
		snprintf(second, sizeof(second),
			 "; the second of a pair was always the same side, which may be "
			 "why");
	page_note(page, "%s: by the %zu pairs of turns %s (p %s)%s", m->name, t->pairs,
		  page_percent(true, t->paired_pct, pct, sizeof(pct)),
		  page_p(true, t->paired_p, p, sizeof(p)), second);
}

static void note_many(const struct page *page, const struct comparison_metric *m,
		      unsigned int k)
{
	const struct comparison_side *s = &m->sides[k];
	char p[32];

	if (page->w->tests > 1 && s->versus.has_welch && s->versus.welch_p < LEVEL &&
	    s->welch_holm >= LEVEL)
		page_note(page,
			  "%s of %c: with %u comparisons Welch's p counts as %s (Holm), "
			  "which may be chance",
			  m->name, 'A' + k, page->w->tests,
			  page_p(true, s->welch_holm, p, sizeof(p)));
}

/* Was file number @k made in another boot than the first, as far as both say? */
static bool other_boot(const struct comparison *c, unsigned int k)
{
	const char *a = c->files[0].result->context.boot.id;
	const char *b = c->files[k].result->context.boot.id;

	return *a && *b && strcmp(a, b) != 0;
}

static void note_order(const struct page *page)
{
	const struct comparison *c = page->c;
	unsigned int k;

	if (c->by_boot) {
		page_boots_note(page);
		return;
	}
	for (k = 1; k < c->file_count; k++)
		if (!comparison_took_turns(c, k))
			break;
	if (k == c->file_count)
		page_note(page, "order: the sides took turns");
	else if (other_boot(c, k))
		page_note(page,
			  "order: one boot each, and one boot differs from the next with "
			  "nothing changed; several that take turns tell that from an "
			  "effect: 'calib bench perf --boot'");
	else
		page_note(page,
			  "order: one side ran after the other, and a machine that "
			  "changed meanwhile looks like a difference; 'calib bench ab' "
			  "takes turns");
}

static bool has_energy(const struct comparison_workload *w)
{
	for (unsigned int i = 0; i < w->metric_count; i++)
		if (!strncmp(w->metrics[i].name, "energy", 6))
			return true;
	return false;
}

/* The slowest of them; NULL where there is none. */
static const struct bench_rail *slowest_rail(const struct bench_context *c)
{
	const struct bench_rail *slowest = NULL;

	for (unsigned int i = 0; i < c->rail_count; i++)
		if (!slowest || c->rails[i].interval_us > slowest->interval_us)
			slowest = &c->rails[i];
	return slowest;
}

/* A meter that hardly moves during an iteration says little of it, and what it misses of
 * one may be in the next. */
static void note_coarse(const struct page *page)
{
	if (!has_energy(page->w))
		return;
	for (unsigned int k = 0; k < page->c->file_count; k++) {
		const struct bench_result *r = page->c->files[k].result;
		const struct bench_rail *rail = slowest_rail(&r->context);
		uint64_t ns = page->w->series[k]->iterations[0].time_ns;
		double each_ns = rail ? 1e3 * rail->interval_us : 0;

		if (ns < FEW_READINGS * each_ns)
			page_note(
				page,
				"energy of %c: iterations of %.2g s, a reading of '%s' "
				"each %.2g s: coarse, and errors that go on to the next "
				"iteration; let each do more",
				'A' + k, ns * 1e-9, rail->name, each_ns * 1e-9);
	}
}

static void note_few(const struct page *page)
{
	const struct comparison_metric *m = &page->w->metrics[0];

	for (unsigned int k = 1; k < page->c->file_count && page->w->metric_count; k++) {
		const struct compare *v = &m->sides[k].versus;

		if (v->has_rank && v->rank_exact && v->rank_least_p >= LEVEL)
			page_note(page,
				  "with %zu and %zu %s Mann-Whitney's p cannot be below "
				  "%.2f: run more",
				  v->a.n, v->b.n,
				  page->c->by_boot ? "boots" : "iterations",
				  v->rank_least_p);
	}
}

static void print_notes(const struct page *page)
{
	static void (*const each[])(const struct page *page,
				    const struct comparison_metric *m, unsigned int k) = {
		note_missing, note_outliers, note_trend, note_turns, note_many,
	};

	note_order(page);
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++)
		for (unsigned int n = 0; n < page->w->metric_count; n++)
			for (unsigned int k = 0; k < page->c->file_count; k++)
				each[i](page, &page->w->metrics[n], k);
	note_few(page);
	note_coarse(page);
	blank(page);
}

static void print_workload(const struct page *page)
{
	const struct bench_series *s = page->w->series[0];
	bool lines = false;

	/* Command lines read better one below the other. */
	for (unsigned int i = 0; i < s->param_count; i++)
		lines |= strchr(s->params[i].value, ' ') != NULL;
	fprintf(page->f, "%s%s%s", page->markdown ? "### " : "", s->workload,
		lines ? "\n\n" : "");
	for (unsigned int i = 0; i < s->param_count; i++) {
		if (lines)
			page_note(page, "%s: %s", s->params[i].key, s->params[i].value);
		else
			fprintf(page->f, "%s%s=%s", i ? " " : ": ", s->params[i].key,
				s->params[i].value);
	}
	fputs(lines ? "\n" : "\n\n", page->f);
}

static void print_context(void *arg, const char *text)
{
	page_note(arg, "%s", text);
}

static void print_file(const struct page *page, unsigned int k)
{
	const struct bench_result *r = page->c->files[k].result;
	const struct bench_context *c = &r->context;
	const char *board = c->board[0] ? c->board : c->model;
	const bool known = c->kernel[0] && !c->virtual_board;
	char count[96], of_boots[5 * BENCH_MAX_BOOTS + 16] = "";
	size_t most = 0;

	for (unsigned int i = 0; i < page->c->workload_count; i++) {
		size_t n = page->c->workloads[i].series[k]->iteration_count;

		most = n > most ? n : most;
	}
	snprintf(count, sizeof(count), "%zu iteration%s", most, text_s(most));
	if (page->c->by_boot) {
		page_boots_count(page->c->workloads[0].series[k], count, sizeof(count));
		page_boots_interrupted(page, k, of_boots, sizeof(of_boots));
	}
	page_note(page, "%c: %s, %s%s%s%s%s%s%s%s%s", 'A' + k, page->c->files[k].name,
		  count, r->interrupted ? " (INTERRUPTED: more were planned" : "",
		  of_boots, r->interrupted ? ")" : "",
		  c->virtual_board ? ", VIRTUAL" : "", board[0] ? ", " : "", board,
		  known ? ", Linux " : "", known ? c->kernel : "");
}

static void print_head(const struct page *page)
{
	if (page->c->virtual_board)
		fputs("VIRTUAL: of a virtual board in virtual time. No scheduler is "
		      "modelled, nothing was measured.\n\n",
		      page->f);
	for (unsigned int k = 0; k < page->c->file_count; k++)
		print_file(page, k);
	comparison_contexts(page->c, print_context, (void *)page);
	blank(page);
}

static void print_legend(const struct page *page)
{
	if (page->c->by_boot)
		page_boots_legend(page);
	fprintf(page->f,
		"95 %% interval: of the difference of means (Fieller). Could find: a "
		"difference that large\nwould be found 4 times of 5. ~: of many, by the "
		"normal law. An outlier: Rosner's test at 5 %%.\n");
}

int comparison_print(const struct comparison *c, FILE *f, bool markdown, struct err *err)
{
	struct page page = { .c = c, .f = f, .markdown = markdown };
	int ret = 0;

	print_head(&page);
	for (unsigned int i = 0; i < c->workload_count && !ret; i++) {
		page.w = &c->workloads[i];
		print_workload(&page);
		ret = print_means(&page);
		if (!ret)
			ret = print_tests(&page);
		if (!ret && c->by_boot)
			ret = page_boots(&page);
		if (!ret)
			print_notes(&page);
	}
	if (ret)
		return err_set(err, ret, "out of memory");
	print_legend(&page);
	return 0;
}

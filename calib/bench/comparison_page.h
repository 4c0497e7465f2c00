/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between comparison_print.c and comparison_print_boots.c.
 */
#ifndef CALIB_BENCH_COMPARISON_PAGE_H
#define CALIB_BENCH_COMPARISON_PAGE_H

#include "calib/bench/comparison.h"
#include "lib/grid.h"

/* Where a print goes. */
struct page {
	const struct comparison *c;
	const struct comparison_workload *w;
	FILE *f;
	bool markdown;
};

/* Into @out, which is returned; "-" where it is not known. */
const char *page_percent(bool known, double pct, char *out, size_t size);
const char *page_p(bool known, double p, char *out, size_t size);
/* A line of its own, as printf. */
void page_note(const struct page *page, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* And free it; 0 or -ENOMEM. */
int page_grid(const struct page *page, struct grid *g);

/* comparison_print_boots.c: a table, a note, "6 boots of 10 iterations", and a legend.
 */
int page_boots(const struct page *page);
void page_boots_note(const struct page *page);
void page_boots_count(const struct bench_series *s, char *out, size_t size);
/* " of boot 2, 4": those of file @k that were interrupted. */
void page_boots_interrupted(const struct page *page, unsigned int k, char *out,
			    size_t size);
void page_boots_legend(const struct page *page);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two series of measurements of the same thing: do they differ, by how much, and what may
 * be wrong with the comparison?
 *
 * Assumed by all but the order effects: within a series the values are independent and
 * come from one distribution. Welch's test and the interval assume besides that means of
 * so many are about normal, not that both scatter alike (Welch, Biometrika 34, 1947);
 * Mann and Whitney's test (Ann. Math. Stat. 18, 1947) assumes nothing of the shape, and
 * under its hypothesis both have the same. Neither is true where the machine drifts while
 * one side runs after the other: hence the trends, and pairs of sides that took turns.
 *
 * What cannot be known (a single value, no spread, a mean that is not above 0) has its
 * "has_" unset; no figure is ever NaN.
 */
#ifndef MODELS_COMPARE_H
#define MODELS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct compare_series {
	const double *values;
	const uint32_t *order; /* when each was run, ascending; see compare_turns() */
	size_t n;
};

struct compare_summary {
	size_t n;
	double mean, median, min, max;
	bool has_sd; /* two values or more */
	double sd;
	bool has_rsd; /* and a mean above 0 */
	double rsd_pct;
};

struct compare {
	struct compare_summary a, b;
	/* Means: how much b is above a, in percent of a. */
	bool has_diff;
	double diff_pct;
	/*
	 * Its 95 % interval: Fieller's for the ratio of two means (Suppl. J. R. Stat.
	 * Soc. 7, 1940), with each side's own variance and Welch's degrees of freedom. It
	 * excludes 0 just when welch_p is below 0.05. None where a's mean is not clearly
	 * above 0.
	 */
	bool has_interval;
	double ci95_pct[2];
	/* Would have been found at 5 % four times out of five, at this scatter. */
	double detectable_pct;
	bool has_welch;
	double welch_t, welch_dof, welch_p;
	/*
	 * Exact, by counting all ways to share out the ranks, where no series has more
	 * than COMPARE_EXACT values; else normal, with corrections for ties and
	 * continuity.
	 */
	bool has_rank, rank_exact;
	double rank_u, rank_p;
	double rank_least_p; /* less than this the test cannot say of so few */
};

#define COMPARE_EXACT 25

/* 0; -EDOM an empty series; -EINVAL a value that is not finite. */
int compare_summarise(const double *values, size_t n, struct compare_summary *s,
		      struct err *err);
/* Of a and b: the same, and -ENOMEM. */
int compare_series(const struct compare_series *a, const struct compare_series *b,
		   struct compare *c, struct err *err);

/*
 * compare_outliers - values that do not belong to their series
 * @out: which, @n of them
 *
 * Rosner's generalised extreme studentised deviate (Technometrics 25, 1983): at 5 %
 * a look (one of 10 normal values is named in 7 series of 100, fewer of longer ones); up
 * to a quarter of the values, 20 at most. Of less than 5 values, none. Returns how many;
 * they stay in all figures.
 */
#define COMPARE_OUTLIERS_MIN 5
size_t compare_outliers(const double *values, size_t n, bool *out);

/*
 * Values that come in groups, as iterations do by boots: what makes one group differ from
 * the next is then drawn once for all its values, and only the groups are independent.
 */
struct compare_groups {
	size_t groups;
	bool has_within;  /* a group has two values or more */
	double within_sd; /* of values about their group's mean, of all groups */
	bool has_between; /* and there are two groups or more */
	/* Of the groups' own means, beside what the values within them explain; 0 when
	 * they explain all. */
	double between_sd;
	bool has_p;	  /* and values within groups differ */
	double between_p; /* that all groups have one mean: the F test */
};
/*
 * compare_groups - means of @n values that belong to groups
 * @group: of each value its group's number, ascending
 * @means, @order: room for @n; mean and number of each group; may be @values, @group
 *
 * Returns how many groups there are.
 */
size_t compare_groups(const double *values, const uint32_t *group, size_t n,
		      double *means, uint32_t *order, struct compare_groups *g);

/* Least-squares line of the values against their order. */
struct compare_trend {
	bool known;	 /* two values more than are fitted, and some spread */
	double span_pct; /* how much it rises from the first to the last, of the mean */
	double p;	 /* of a slope of 0 */
};
void compare_trend(const struct compare_series *s, struct compare_trend *t);
/* One slope of @count series that share the time, each with a mean of its own, of which
 * the slope is a share. */
void compare_drift(const struct compare_series *s, size_t count, struct compare_trend *t);

/*
 * Sides that took turns: @order counts iterations of both, and 2k and 2k+1 are a pair of
 * one each.
 */
struct compare_turns {
	size_t pairs; /* complete ones */
	/* The mean difference within pairs, in percent of a's mean, and Student's p: slow
	 * drift of any shape drops out. */
	bool has_paired;
	double paired_pct, paired_p;
	/* How much the second of a pair is above the first, whichever side it is of. */
	bool one_order; /* always the same side: nobody can tell, nor from the difference
			 */
	bool has_position;
	double position_pct, position_p;
};
void compare_turns(const struct compare_series *a, const struct compare_series *b,
		   struct compare_turns *t);

/*
 * compare_holm - @p of several comparisons, such that 5 % is for any of them all (Holm,
 * Scand. J. Stat. 6, 1979)
 */
void compare_holm(const double *p, size_t n, double *out);

#endif

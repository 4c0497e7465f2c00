/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The linear problem behind the fits for several CPU counts: rows, columns, weights, and
 * visits with an offset of their own.
 */
#ifndef MODELS_MIXED_H
#define MODELS_MIXED_H

#include "models/power_internal.h"

/*
 * The columns: C u f V^2, D f V^2 [busy], D0 f V^2 (what of the clock runs when idle),
 * leakage, its derivative by growth, the derivative by the rail's resistance, 1.
 */
enum mixed_col {
	COL_C,
	COL_D,
	COL_D0,
	COL_LEAK,
	COL_GROWTH,
	COL_OHM,
	COL_CONST,
	COL_MAX
};

struct mixed {
	const struct power_data *d;
	bool per_visit;
	bool grows;  /* leakage, with a temperature that is known */
	bool droops; /* look for the rail's resistance */
	bool has[COL_MAX];
	unsigned int col[COL_MAX]; /* where the columns stand now */
	unsigned int cols;
	double base[COL_MAX]; /* coefficients of the last mixed_fit() */
	double growth, t_ref;
	double ohm; /* of the rail, where its voltage was not measured */
	double max_ohm;
	int exponent;		 /* leakage grows with V to this power */
	double var_add, var_rel; /* variance of a window: var_add + var_rel P^2 */
	double var_visit;	 /* variance of a visit's own offset; INFINITY: free */
	double max_uw;
	/* per row of the data */
	double *factor; /* Huber's weight */
	double *fitted;
	double *celsius;
	bool *rejected;
	unsigned int reject_count;
	/* the problem without rejected rows, as it is and with the offsets taken out */
	double *x, *y, *w, *xt, *yt;
	double *sums;		  /* per group: see take_offsets() */
	double *resid, *leverage; /* with the visits' offsets fitted */
	unsigned int *group, *opp;
	size_t *row;
	size_t n;
	struct lsq lsq;
};

/* 0 or -ENOMEM; mixed_free() in any case. */
int mixed_init(struct mixed *f, const struct power_data *d);
void mixed_free(struct mixed *f);

unsigned int mixed_group_count(const struct mixed *f);
/* Variance of a window with this power. */
double mixed_variance(const struct mixed *f, double uw);
/* Gather the rows that are not rejected, and the columns that has[] names. */
void mixed_assemble(struct mixed *f);
/*
 * mixed_solve - solve what was assembled
 * @cluster: what hangs together, per assembled row; NULL: no clustered errors
 *
 * Returns as lsq_fit() does.
 */
int mixed_solve(struct mixed *f, const unsigned int *cluster, unsigned int clusters,
		struct err *err);
/* Assemble, solve, and keep the fitted powers for the next weights. */
int mixed_fit(struct mixed *f, struct err *err);
/* Minus twice the log likelihood, but for constants; solves. INFINITY: not solvable. */
double mixed_deviance(struct mixed *f);
/* The growth of leakage with temperature that leaves the least. */
void mixed_search_growth(struct mixed *f);
/* The variance of the visits' offsets that makes the data most likely. */
void mixed_search_visits(struct mixed *f);
/* The rail's resistance that leaves the least: rows have the voltage of a table. */
void mixed_search_ohm(struct mixed *f);
/* From there to where both leave the least together, by the derivatives. */
void mixed_polish(struct mixed *f);
/*
 * mixed_rounding_shift - what rounding of the temperatures added to C
 * @se: of the shift
 */
double mixed_rounding_shift(struct mixed *f, double *se);
/* Share of a column that varies within the groups (or, without them, at all). */
double mixed_variation(const struct mixed *f, enum mixed_col col);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The linear problem that a fit ended in: what diagnostics, robust cross-checks and the
 * bootstrap work on. A fit that is not linear (leakage, a rail's resistance) is here with
 * its derivatives as columns, at the values found.
 */
#ifndef MODELS_PROBLEM_H
#define MODELS_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "models/lsq.h"
#include "models/power.h"

struct power_problem {
	size_t n;   /* rows that were fitted; they come first */
	size_t all; /* with those that were left out as outliers */
	unsigned int cols;
	char names[LSQ_MAX_COLS][32]; /* column 0 is C's */
	int constant;		      /* the column that is all 1; -1: none */
	/* per row */
	double *x, *y, *w;   /* x: all * cols; w: 1 / variance, up to a factor */
	double *celsius;     /* NAN: unknown */
	double *busy;	     /* CPUs */
	double *fv2;	     /* of the OPP, for trends */
	unsigned int *group; /* rows with an offset in common: visits or OPPs */
	unsigned int *opp;   /* index into the data's opp_khz */
	unsigned int *count; /* CPUs */
	size_t *sample;	     /* into the samples */
	unsigned int groups, opps;
	double var_visit; /* variance of a group's offset; INFINITY: free; 0: none */
};

/*
 * problem_alloc - room for @all rows of @cols columns, zeroed
 *
 * Returns 0 (free with problem_free()) or -ENOMEM.
 */
int problem_alloc(struct power_problem *p, size_t all, unsigned int cols);
/* Takes a zeroed one. */
void problem_free(struct power_problem *p);

/*
 * problem_transform - take the groups' offsets out of a column and the weights into it
 * @n: rows; p->n or p->all
 * @column: its first value, the next @stride further
 *
 * Errors of transformed rows are independent and of equal variance. 0 or -ENOMEM.
 */
int problem_transform(const struct power_problem *p, size_t n, const double *column,
		      unsigned int stride, double *out);

/*
 * problem_solve - least squares of the fitted rows
 * @extra: one more column, n values; NULL: none
 * @y: instead of p->y; NULL: that
 * @skip: column that is left out; negative: none
 * @without: row that is left out; negative: none
 *
 * Clustered errors are by group. Returns as lsq_fit() does; lsq_free() in any case.
 */
struct problem_change {
	const double *extra, *y;
	int skip;
	long without;
};
int problem_solve(const struct power_problem *p, const struct problem_change *change,
		  struct lsq *out, struct err *err);
/* Residuals of the fitted rows in uW, the groups' estimated offsets taken out. */
int problem_residuals(const struct power_problem *p, const double *coef, double *resid);

/* The errors to trust: by group where there are enough of them, else row by row. */
enum lsq_errors problem_errors(const struct power_problem *p);
/* The errors that @f states, before what it adds to them: the kind that is nearest. */
enum lsq_errors problem_errors_of(const struct power_fit *f, const struct lsq *l);
/* Groups that the fitted rows are in. */
unsigned int problem_group_count(const struct power_problem *p);

#endif

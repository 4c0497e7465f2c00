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

/* Of leakage: V^m exp(g (T - T0)), or with these in place of the one or the other. */
enum mixed_law {
	LAW_ARRHENIUS = 1, /* exp(g T0 (T - T0) / T), in kelvin: the same growth at T0 */
	LAW_LINEAR = 2,	   /* 1 + g (T - T0) */
	LAW_TEMPERATURE = 3, /* which of these */
	LAW_EXPONENTIAL = 4, /* V exp((m - 1) (V / V0 - 1)): the same exponent at V0 */
};

struct power_problem;

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
	double ohm;	     /* of the rail, where its voltage was not measured */
	double exponent;     /* leakage grows with V to this power */
	bool exponent_fixed; /* by the law that was asked for */
	bool no_shared;	     /* leave D out */
	unsigned int law;    /* enum mixed_law */
	double volt_ref;
	struct power_noise noise;
	double var_visit; /* variance of a visit's own offset; INFINITY: free */
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

/* The columns that the data can tell, and weights to begin with (many_counts.c). */
void mixed_choose_columns(struct mixed *f);
void mixed_start_weights(struct mixed *f);

unsigned int mixed_group_count(const struct mixed *f);
/* Leakage by voltage: what its coefficient is multiplied by. */
double mixed_by_volt(const struct mixed *f, double volt);
/* Variance of row @i of the data at this power (mixed_noise.c). */
double mixed_variance(const struct mixed *f, size_t i, double uw);
/* Residual @i of the last mixed_solve() in standard deviations. */
double mixed_standardised(const struct mixed *f, size_t i);
/* Median absolute deviation of these, as a standard deviation. */
double mixed_scale(const struct mixed *f);
/* The variances that the residuals ask for; too few leave them as they are. */
void mixed_update_variance(struct mixed *f);
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
/* The variance of the visits' offsets that makes the data most likely. */
void mixed_search_visits(struct mixed *f);
/*
 * mixed_bend - the growth of leakage, the resistance of a rail whose voltage is only
 * known from a table, and (@exponent) the exponent of V, where all leave the least
 *
 * Returns 0 or -ENOMEM. Where nothing is to be found they stay as they are.
 */
int mixed_bend(struct mixed *f, bool exponent);
/* Squared standard deviations that exponent and growth are off what is known of them
 * beforehand: leakage goes with V^3 and grows by 3 %/K, give or take as much. */
double mixed_surprise(const struct mixed *f);
/* Start with the law that was asked for; else with V^3 exp(T). */
void mixed_start_law(struct mixed *f);
/*
 * mixed_average_laws - C over all laws of leakage, or by the one that was asked for
 * @sd: of C over the laws, and over the exponents of V that each may have
 *
 * Leaves @f with the likeliest law.
 */
void mixed_average_laws(struct mixed *f, double *mean, double *sd);
/* Into @p the problem as it stands, rejected rows behind the others. 0 or -ENOMEM. */
int mixed_keep(struct mixed *f, struct power_problem *p);
/* " + k V^m exp(g (T-T0))" */
void mixed_law_words(const struct mixed *f, char *out, size_t size);
/* What the temperatures were before a coarse thermometer rounded them. */
void mixed_refine_celsius(struct mixed *f);
/* Share of a column that varies within the groups (or, without them, at all). */
double mixed_variation(const struct mixed *f, enum mixed_col col);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regression diagnostics of a power fit: what the rows say about the model that was laid
 * through them, and what a user should do about it.
 *
 * All is of the weighted problem with the visits' offsets taken out, whose errors should
 * be independent and alike. Sources: leverage, studentised residuals, Cook's distance -
 * Belsley, Kuh and Welsch, "Regression Diagnostics" (1980), ch. 2; Cook, Technometrics
 * 19:15 (1977). Variance inflation - Marquardt, Technometrics 12:591 (1970). Lack of fit
 * with near replicates - Christensen, Annals of Statistics 17:673 (1989). Drift - an
 * added column and its t with errors clustered by visit.
 *
 * A figure that cannot be had is NAN, and a text in diagnose.left_out says why.
 */
#ifndef MODELS_DIAGNOSE_H
#define MODELS_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "models/lsq.h"
#include "models/power.h"
#include "models/problem.h"

#define DIAGNOSE_MAX_TEXTS 16
#define DIAGNOSE_TEXT	   256

/* The row where something is largest. */
struct diagnose_row {
	double value;
	double probability; /* of such a row among as many good ones; NAN: no test */
	size_t sample;	    /* into the samples */
};

/* What a column more would find. */
struct diagnose_trend {
	double value, se;
	double probability; /* of as much without any trend */
	double shift;	    /* of C when it is allowed for */
};

struct diagnose_opp {
	double c, se;		/* of this OPP alone, the other terms as fitted */
	double predicted_uw;	/* one busy CPU above idle, in a new pair of windows */
	double low_uw, high_uw; /* 95 % of them, as warm as these */
};

struct diagnose {
	double r2_centred, r2_about_zero;		/* weighted */
	double se[LSQ_ERRORS_MAX], dof[LSQ_ERRORS_MAX]; /* of C */
	unsigned int groups; /* visits or OPPs that errors hang together in */
	unsigned int terms;
	char names[LSQ_MAX_COLS][32];
	double vif[LSQ_MAX_COLS]; /* variance inflation per term */
	struct diagnose_row leverage, cook, student;
	double mean_leverage;
	double c_without; /* C without the row of the largest Cook's distance */
	/* lack of fit against the scatter of repeated windows */
	double lack_f, lack_dof[2], lack_probability, lack_pct;
	struct diagnose_trend order;	   /* value: uW from the first row to the last */
	struct diagnose_trend heat;	   /* uW/K beyond the model */
	struct diagnose_trend slope;	   /* of C, from the lowest OPP to the highest */
	double bootstrap_ci95[2];	   /* where groups are few */
	double theil_sen, huber, bisquare; /* C by robust methods */
	double robust_se;      /* of Huber's; nothing that pulls C makes it larger */
	double static_share;   /* of the power of one CPU at the lowest OPP: not C's */
	double through_origin; /* what P / (f V^2) would be called C */
	struct diagnose_opp *opps; /* per opp_khz of the data; NULL: none */
	char left_out[DIAGNOSE_MAX_TEXTS][DIAGNOSE_TEXT];
	unsigned int left_out_count;
};

/*
 * diagnose_run - all of it
 * @p: of power_fit_keep(); p->n may be 0 (the method solved no problem)
 *
 * Returns 0 (diagnose_free() when done) or -ENOMEM.
 */
int diagnose_run(const struct power_data *d, const struct power_fit *f,
		 const struct power_problem *p, struct diagnose *out, struct err *err);
/* Takes a zeroed one. */
void diagnose_free(struct diagnose *g);

#endif

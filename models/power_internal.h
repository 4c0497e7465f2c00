/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of the power models.
 */
#ifndef MODELS_POWER_INTERNAL_H
#define MODELS_POWER_INTERNAL_H

#include "models/lsq.h"
#include "models/power.h"

int power_within_opp(const struct power_data *d, struct power_fit *f, struct err *err);
int power_structured(const struct power_data *d, struct power_fit *f, struct err *err);
int power_idle_subtracted(const struct power_data *d, struct power_fit *f,
			  struct err *err);
int power_intercept(const struct power_data *d, struct power_fit *f, struct err *err);
int power_through_origin(const struct power_data *d, struct power_fit *f,
			 struct err *err);
int power_mean_of_ratios(const struct power_data *d, struct power_fit *f,
			 struct err *err);
int power_median_of_ratios(const struct power_data *d, struct power_fit *f,
			   struct err *err);
int power_delta(const struct power_data *d, struct power_fit *f, struct err *err);
int power_two_minus_one(const struct power_data *d, struct power_fit *f, struct err *err);

int power_within_opp_plain(const struct power_data *d, struct power_fit *f,
			   struct err *err);
int power_pooled(const struct power_data *d, struct power_fit *f, struct err *err);
int power_voltage_linear(const struct power_data *d, struct power_fit *f,
			 struct err *err);
int power_exponential_leakage(const struct power_data *d, struct power_fit *f,
			      struct err *err);

/* The next busy CPU of an OPP, into @out. */
void power_opp_next(const struct power_data *d, const struct power_fit *f,
		    unsigned int opp, struct power_opp *out);
bool power_is_outlier(const struct power_fit *f, size_t index);
/*
 * power_variance - of a window
 * @uw: its power
 * @sleeping: CPUs of the cluster that were to sleep
 * @cfv2_uw: what one busy CPU takes, C f V^2
 */
double power_variance(const struct power_noise *n, double uw, double sleeping,
		      double cfv2_uw);
/* CPUs that are to sleep in a window with @count loaded. */
unsigned int power_sleeping(const struct power_data *d, unsigned int count);
/* A finding for the user; dropped when there are too many. */
void power_note(struct power_fit *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void power_add_term(struct power_fit *f, const char *name, const char *unit, double value,
		    double se);
/* Mean idle row of an OPP. false: there is none. */
bool power_idle_mean(const struct power_data *d, unsigned int opp,
		     struct power_row *mean);
/* At the rail: the table's voltage less what the current loses in @ohm on its way. */
double power_rail_volt(double table_volt, double ohm, double uw);
/* R^2 about the mean, or @uncentred about zero. NAN where nothing varies. */
double power_r2(const struct lsq *l, bool uncentred);
/* Root mean square of resid / fitted, in percent; rows fitted at 0 or less pass. */
double power_rmse_pct(const double *resid, const double *fitted, size_t n);

#endif

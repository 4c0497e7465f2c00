/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power models: from the rows of one cluster to the dynamic power coefficient C of one
 * CPU, in uW/MHz/V^2, with its error, and what stands beside it.
 *
 * What a cluster's rail draws (uW; f in MHz, V in volt):
 *
 *	P = C u f V^2  +  D f V^2 [clocked]  +  leakage(V, T)  +  whatever else is metered
 *
 * u: busy CPUs (measured utilisation), D: shared clock and caches.
 */
#ifndef MODELS_POWER_H
#define MODELS_POWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "models/sample.h"

#define POWER_MAX_TERMS	   8
#define POWER_MAX_NOTES	   12
#define POWER_MAX_OUTLIERS 32
#define POWER_MAX_COUNTS   64

/* One window as the models see it. */
struct power_row {
	double mhz, volt, fv2; /* fv2: MHz * V^2 */
	double busy;	       /* CPUs, measured where possible */
	double clocked;	       /* share of time in which the cluster's clock runs */
	double uw;
	double celsius; /* NAN: unknown */
	double before;	/* the same a window before; NAN: that of the row before */
	unsigned int count;
	unsigned int opp;   /* index into opp_khz of the data */
	unsigned int visit; /* a visit is a stay at one OPP, whatever the CPU count */
	double windows;	    /* that it is the mean of */
	size_t index;	    /* into the samples */
};

/* How leakage goes with voltage and temperature, where the model has it. */
enum power_leakage {
	POWER_LEAKAGE_AUTO,	   /* every law, weighed by what the data say of it */
	POWER_LEAKAGE_LINEAR,	   /* k V (1 + g (T - T0)) */
	POWER_LEAKAGE_CUBIC,	   /* k V^3 exp(g (T - T0)) */
	POWER_LEAKAGE_EXPONENTIAL, /* k V exp((m - 1) (V / V0 - 1)) exp(g (T - T0)) */
};

/* The rows of one cluster and one load, and what their design is. */
struct power_data {
	struct power_row *rows;
	size_t row_count;
	uint32_t *opp_khz; /* ascending */
	unsigned int opp_count, visit_count;
	unsigned int counts[POWER_MAX_COUNTS]; /* distinct busy CPU counts, ascending */
	unsigned int count_count;
	unsigned int busy_opps, idle_opps; /* OPPs with busy rows; those with idle too */
	bool by_visit;	      /* most rows stand in visits with several levels of load */
	bool has_temp;	      /* of every row */
	bool volt_from_table; /* one voltage per OPP, whatever the load */
	bool baseline;	 /* one was subtracted, from rows that brought it or before */
	size_t left_out; /* flagged rows that are not in rows */
	enum power_leakage leakage; /* auto unless the caller sets it afterwards */
};

struct power_select {
	const char *cluster; /* rows of others are passed over */
	const char *load;    /* busy rows of other loads are passed over; NULL: all */
	bool volt_measured;  /* at the rail, even if it does not move */
	bool with_flagged;   /* take flagged rows too, with the clock they claimed */
	bool baseline;	     /* a baseline was subtracted before */
};

/*
 * power_data_init - take the rows that @sel asks for
 * @samples: in file order; voltages known
 *
 * Subtracts a row's own baseline; a busy row that is not above it counts as flagged.
 *
 * Returns 0 (free with power_data_free()), -ENODATA when no busy row is left, -EINVAL for
 * a row without voltage, -ERANGE for too many CPU counts, -EDOM when idle rows are as
 * busy as loaded ones, -ENOMEM.
 */
int power_data_init(struct power_data *d, const struct sample *samples, size_t n,
		    const struct power_select *sel, struct err *err);
/* Is a row not taken for what is wrong with it: its flags, or busy below its baseline? */
bool power_leaves_out(const struct sample *s);
/* Takes a zeroed one. */
void power_data_free(struct power_data *d);

struct power_term {
	char name[32];
	char unit[32];
	double value, se; /* se NAN: none */
};

struct power_problem;

/*
 * Standard deviations of a window: of its power, as a share of that, and of how busy a
 * CPU was that was to sleep. The kernel tells that in ticks, and C f V^2 makes power of
 * it.
 */
struct power_noise {
	double uw, rel, busy;
};

struct power_fit {
	double c, se;	/* uW/MHz/V^2; se NAN: the data leave no error to state */
	double dof;	/* of the t interval */
	double ci95[2]; /* NAN without se */
	/* of the wild cluster bootstrap, with few visits; NAN: not made */
	double bootstrap_ci95[2];
	bool bootstrapped;   /* ci95 is that one */
	double classical_se; /* for comparison with published numbers */
	struct power_term terms[POWER_MAX_TERMS];
	unsigned int term_count;
	double static_uw; /* at mean voltage and heat, clock stopped; NAN: not told */
	double ohm;	  /* of the rail, found from its droop; NAN: not looked for */
	double shared;	  /* D; NAN: not in the model */
	size_t rows;	  /* used */
	unsigned int opps, visits;
	double r2; /* NAN: not meaningful */
	bool r2_uncentred;
	double rmse_pct;     /* of the fitted power */
	double loo_rmse_pct; /* OPPs left out one by one; negative: not computed */
	double condition;
	struct power_noise noise;
	double visit_uw; /* standard deviation of a visit's offset; NAN: not estimated */
	size_t outliers[POWER_MAX_OUTLIERS]; /* into the samples */
	unsigned int outlier_count;	     /* may exceed the array */
	struct power_problem *keep;	     /* see power_fit_keep() */
	char formula[192];
	char notes[POWER_MAX_NOTES][256]; /* findings: warnings for the user */
	unsigned int note_count;
};

struct power_method {
	const char *name;
	const char *alias;    /* whose way it is, as another name; NULL: none */
	const char *words;    /* what it is, for users */
	bool comparison_only; /* reproduces published numbers, never a default */
	/* 0; -EDOM when the data cannot identify it (with the reason); -ENOMEM. */
	int (*fit)(const struct power_data *d, struct power_fit *f, struct err *err);
	const char
		*holds; /* what is in C beside one CPU's dynamic power; NULL: nothing */
	bool takes_law; /* minds power_data.leakage */
	const char *assumes; /* what makes C wrong where it is not so; NULL: nothing */
};

/* The methods, best first; NULL past the end. */
const struct power_method *power_method(size_t i);
/* By name or alias; NULL when there is none. */
const struct power_method *power_method_find(const char *name);

/*
 * power_choose - the method that the design of the data calls for
 * @why: says which and why, for users
 *
 * Returns 0 or -EDOM, "cannot separate static and dynamic power from one operating point
 * (rank 1 of 2)" and the like.
 */
int power_choose(const struct power_data *d, const struct power_method **method,
		 char *why, size_t size, struct err *err);

/*
 * power_fit_with - run @method and finish the result (interval, findings)
 *
 * A coefficient that is not positive is returned as it is: the caller refuses it.
 * Returns as power_method.fit does.
 */
int power_fit_with(const struct power_method *method, const struct power_data *d,
		   struct power_fit *f, struct err *err);

/*
 * power_fit_keep - the same, and into @keep the linear problem that was solved
 *
 * With very few visits the interval is then the wild bootstrap's where that is wider.
 * @keep is zeroed first, and stays empty (n is 0) where the method solves none;
 * problem_free() in any case (models/problem.h).
 */
int power_fit_keep(const struct power_method *method, const struct power_data *d,
		   struct power_fit *f, struct power_problem *keep, struct err *err);

/* One OPP: what one busy CPU takes beyond idle, as measured and by the model. */
struct power_opp {
	double volt; /* mean */
	bool has_measured;
	double measured_uw, measured_ci_uw; /* the first busy CPU, above idle */
	double model_uw;
	bool has_next; /* one more, the cluster being awake: needs two busy counts */
	double next_uw, next_ci_uw;
	double fv2;	   /* MHz V^2 with the fewest CPUs busy; 0: not measured */
	bool has_share;	   /* rows of the most CPUs */
	double share_uw;   /* of all that the meter sees with them, per busy CPU */
	unsigned int cpus; /* how many those are */
};

/* @opp: index into d->opp_khz. */
void power_opp(const struct power_data *d, const struct power_fit *f, unsigned int opp,
	       struct power_opp *out);

/*
 * power_opp_c - C as one OPP by itself has it, with its standard error (NAN: none)
 *
 * The slope of power on busy CPUs, ordinary least squares, over f V^2 (mean of the busy
 * rows). Leakage that the load's heat adds is inside, and voltage that the load lowers
 * bends it. Returns false where the OPP was not measured with two counts.
 */
bool power_opp_c(const struct power_data *d, unsigned int opp, double *c, double *se);

/* The kernel-like effective coefficient: one CPU's busy power through the origin, static
 * and shared power included. NAN when there is no busy row. */
double power_effective(const struct power_data *d);

#endif

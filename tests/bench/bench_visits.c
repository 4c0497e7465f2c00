// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Few visits: how often the t interval with the degrees of freedom of Bell and McCaffrey
 * holds the truth, and how often the wild cluster bootstrap's does. All effects of the
 * coverage study at once, over the OPP tables of four clusters, of each a few OPPs, each
 * visited once.
 *
 * usage: bench_visits [CALIBRATIONS]	(per number of visits; 400)
 */
#include "models/problem.h"
#include "tests/bench/coverage.h"

#define CALIBRATIONS 400
#define FEWEST	     3
#define MOST	     12

enum { T, BOOTSTRAP, STATED, KINDS };

struct tally {
	unsigned int runs, had[KINDS], held[KINDS];
	double half[KINDS];
};

static void add(struct tally *y, const struct power_fit *f, double c)
{
	double half = lsq_t975(f->dof) * f->se;
	const double t[] = { f->c - half, f->c + half };
	const double *const ci[KINDS] = { t, f->bootstrap_ci95, f->ci95 };
	int k;

	y->runs++;
	for (k = 0; k < KINDS; k++) {
		if (!isfinite(ci[k][0]))
			continue;
		y->had[k]++;
		y->held[k] += ci[k][0] <= c && c <= ci[k][1];
		y->half[k] += 50 * (ci[k][1] - ci[k][0]) / c;
	}
}

/* @visits OPPs spread over the table. */
static void thin(struct cov_cluster *k, unsigned int visits)
{
	unsigned int i, from;

	for (i = 0; i < visits; i++) {
		from = i * (k->opps - 1) / (visits - 1);
		k->mhz[i] = k->mhz[from];
		k->volt[i] = k->volt[from];
	}
	k->opps = visits;
}

static void calibrate(const struct cov_cluster *k, const struct sample *rows, size_t n,
		      struct tally *y)
{
	const struct power_select sel = { .cluster = "x", .volt_measured = true };
	const struct power_method *m;
	struct power_problem p = { 0 };
	struct power_data d;
	struct power_fit f;
	char why[128];

	if (power_data_init(&d, rows, n, &sel, NULL))
		return;
	if (!power_choose(&d, &m, why, sizeof(why), NULL) &&
	    !power_fit_keep(m, &d, &f, &p, NULL))
		add(y, &f, k->c);
	problem_free(&p);
	power_data_free(&d);
}

static struct tally study(unsigned int visits, unsigned int calibrations)
{
	static struct sample rows[COV_MAX_ROWS];
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct tally y = { 0 };
	unsigned int i, c;

	gsl_rng_set(rng, visits);
	for (c = 0; c < COV_CLUSTERS; c++) {
		struct cov_cluster k = cov_cluster(c);

		if (k.opps < visits)
			continue;
		thin(&k, visits);
		for (i = 0; i < calibrations / COV_CLUSTERS; i++)
			calibrate(&k, rows, cov_generate(&k, COV_ALL, rng, rows) / 2, &y);
	}
	gsl_rng_free(rng);
	return y;
}

int main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? strtoul(argv[1], NULL, 10) : CALIBRATIONS, v;
	int k;

	printf("95 %% intervals: held %%, mean half-width %%\n%-7s %5s %15s %15s %15s\n",
	       "visits", "runs", "t", "bootstrap", "stated");
	for (v = FEWEST; v <= MOST; v++) {
		struct tally y = study(v, n);

		printf("%-7u %5u", v, y.runs);
		for (k = 0; k < KINDS; k++)
			printf(" %7.1f %7.2f", 100.0 * y.held[k] / y.had[k],
			       y.half[k] / y.had[k]);
		printf("\n");
		fflush(stdout);
	}
	return 0;
}

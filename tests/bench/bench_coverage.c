// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far the methods are off, and how often their 95 % interval holds the truth: made-up
 * calibrations over the OPP tables of four real clusters, all methods on the same data.
 *
 * usage: bench_coverage [CALIBRATIONS [METHOD...]]	(per scenario; 2000)
 */
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/coverage.h"

#define CALIBRATIONS 2000
#define MAX_METHODS  8
/* What is claimed of the default method, in all but the scenarios beyond the claim. */
#define LEAST_PCT 93.0
#define MOST_PCT  97.0
#define BIAS_PCT  0.5

static const struct {
	const char *name;
	unsigned int effects;
	bool beyond; /* no model holds here: shown, nothing is claimed */
} scenarios[] = {
	{ "noise only", COV_NO_SHARED, false },
	{ "shared clock (D)", 0, false },
	{ "offset per visit", COV_DRIFT, false },
	{ "thermal drift, random order", COV_THERMAL, false },
	{ "thermal drift, ascending", COV_THERMAL | COV_ASCENDING, false },
	{ "quantised, errors with memory", COV_COARSE | COV_MEMORY, false },
	{ "outlier windows", COV_OUTLIERS, false },
	{ "rail droop", COV_DROOP, false },
	{ "background tasks", COV_BACKGROUND, false },
	{ "busy time in ticks", COV_BACKGROUND | COV_TICKS, false },
	{ "all at once", COV_ALL, false },
	{ "all, busy time in ticks", COV_ALL | COV_TICKS, false },
	{ "all, ascending", COV_ALL | COV_ASCENDING, false },
	{ "all, other law of leakage", COV_ALL | COV_OTHER_LEAK, true },
	{ "all, voltage of the table", COV_ALL | COV_TABLE, true },
	{ "all, no idle rows", COV_ALL | COV_NO_IDLE, true },
	{ "all, leakage by V and 6 %/K", COV_ALL | COV_HOT_LEAK, true },
	{ "all, leakage by V^5 and 1 %/K", COV_ALL | COV_STEEP_LEAK, true },
	{ "quiet, busy time in ticks", COV_TICKS, false },
};

#define SCENARIOS (sizeof(scenarios) / sizeof(scenarios[0]))

static const char *const defaults[] = {
	"structured",	 "within-opp", "through-origin", "mean-of-ratios", "delta",
	"two-minus-one", NULL
};

struct table {
	struct cov_result at[SCENARIOS][COV_CLUSTERS][MAX_METHODS];
};

/* One cluster's share in a process of its own, its results through a pipe. */
static int start(unsigned int cluster, const char *const *methods, unsigned int repeats)
{
	struct cov_result r[MAX_METHODS];
	struct cov_cluster k;
	int fd[2];
	size_t i;

	if (pipe(fd))
		return -1;
	switch (fork()) {
	case -1:
		return -1;
	case 0:
		k = cov_cluster(cluster);
		for (i = 0; i < SCENARIOS; i++) {
			memset(r, 0, sizeof(r));
			cov_run(&k, scenarios[i].effects, methods, r, repeats,
				1000 * cluster + i + 1);
			if (write(fd[1], r, sizeof(r)) != sizeof(r))
				_exit(1);
		}
		_exit(0);
	}
	close(fd[1]);
	return fd[0];
}

static bool run(struct table *t, const char *const *methods, unsigned int repeats)
{
	int fd[COV_CLUSTERS];
	bool ok = true;
	unsigned int k;
	size_t i;

	fflush(stdout);
	for (k = 0; k < COV_CLUSTERS; k++)
		fd[k] = start(k, methods, repeats);
	for (k = 0; k < COV_CLUSTERS; k++)
		for (i = 0; i < SCENARIOS; i++)
			ok = read(fd[k], t->at[i][k], sizeof(t->at[i][k])) ==
				     sizeof(t->at[i][k]) &&
			     ok;
	while (wait(NULL) > 0)
		;
	return ok;
}

static struct cov_result pool(const struct table *t, size_t scenario, unsigned int method)
{
	struct cov_result sum = { 0 };
	unsigned int k;

	for (k = 0; k < COV_CLUSTERS; k++) {
		const struct cov_result *r = &t->at[scenario][k][method];

		sum.runs += r->runs;
		sum.held += r->held;
		sum.failed += r->failed;
		sum.off_pct += r->off_pct;
		sum.half_pct += r->half_pct;
	}
	return sum;
}

static void print_cell(const struct cov_result *r)
{
	if (r->runs)
		printf(" %+7.2f %5.1f %6.2f%c", r->off_pct / r->runs,
		       100.0 * r->held / r->runs, r->half_pct / r->runs,
		       r->failed ? '!' : ' ');
	else
		printf(" %7s %5s %6s ", "-", "-", "-");
}

static void print_pooled(const struct table *t, const char *const *methods)
{
	unsigned int m;
	size_t i;

	printf("all clusters: bias %% / coverage %% / mean half-width %%\n%-30s", "");
	for (m = 0; methods[m]; m++)
		printf(" %-21s", methods[m]);
	printf("\n");
	for (i = 0; i < SCENARIOS; i++) {
		printf("%-30s", scenarios[i].name);
		for (m = 0; methods[m]; m++) {
			struct cov_result r = pool(t, i, m);

			print_cell(&r);
		}
		printf("\n");
	}
}

static void print_clusters(const struct table *t, const char *method)
{
	unsigned int k;
	size_t i;

	printf("\n%s by cluster\n%-30s", method, "");
	for (k = 0; k < COV_CLUSTERS; k++) {
		struct cov_cluster c = cov_cluster(k);

		printf(" %-10s %-10s", c.board, c.name);
	}
	printf("\n");
	for (i = 0; i < SCENARIOS; i++) {
		printf("%-30s", scenarios[i].name);
		for (k = 0; k < COV_CLUSTERS; k++)
			print_cell(&t->at[i][k][0]);
		printf("\n");
	}
}

/* Does what is claimed of the first method hold? */
static bool claims(const struct table *t, const char *method)
{
	/* two standard errors of a count */
	double chance_pct = 200 * sqrt(0.95 * 0.05 / pool(t, 0, 0).runs);
	bool ok = true;
	size_t i;

	for (i = 0; i < SCENARIOS; i++) {
		struct cov_result r = pool(t, i, 0);
		double held = 100.0 * r.held / r.runs, bias = r.off_pct / r.runs;

		if (scenarios[i].beyond || (held >= LEAST_PCT && held <= MOST_PCT &&
					    fabs(bias) < BIAS_PCT && !r.failed))
			continue;
		printf("%s, %s: coverage %.1f %%, bias %+.2f %%: CLAIM DOES NOT HOLD\n",
		       method, scenarios[i].name, held, bias);
		ok = false;
	}
	printf("%s: coverage %g..%g %%, bias within %g %%: %s (95 %% is %.1f..%.1f %% of "
	       "so "
	       "many by chance)\n",
	       method, LEAST_PCT, MOST_PCT, BIAS_PCT, ok ? "holds" : "DOES NOT HOLD",
	       95 - chance_pct, fmin(95 + chance_pct, 100));
	return ok;
}

int main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? strtoul(argv[1], NULL, 10) : CALIBRATIONS;
	const char *const *m = argc > 2 ? (const char *const *)argv + 2 : defaults;
	static struct table t;

	if (argc - 2 > MAX_METHODS || n < COV_CLUSTERS) {
		fprintf(stderr, "usage: bench_coverage [CALIBRATIONS [METHOD...]]\n");
		return 2;
	}
	if (!run(&t, m, n / COV_CLUSTERS)) {
		fprintf(stderr, "bench_coverage: a process failed\n");
		return 2;
	}
	printf("%u calibrations per scenario\n", n / COV_CLUSTERS * COV_CLUSTERS);
	print_pooled(&t, m);
	print_clusters(&t, m[0]);
	return claims(&t, m[0]) ? 0 : 1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far the methods are off, and how often their 95 % interval holds the truth.
 *
 * usage: bench_coverage [REPEATS [METHOD...]]	(100 repeats; figures to quote need 500)
 */
#include "tests/bench/coverage.h"

static const struct {
	const char *name;
	unsigned int effects;
} scenarios[] = {
	{ "noise only", 0 },
	{ "rail droop", COV_DROOP },
	{ "thermal drift", COV_THERMAL },
	{ "offset per visit", COV_DRIFT },
	{ "background tasks", COV_BACKGROUND },
	{ "outlier windows", COV_OUTLIERS },
	{ "coarse sensors", COV_COARSE },
	{ "all at once", COV_ALL },
	{ "droop, table volts", COV_DROOP | COV_TABLE },
	{ "all, table volts", COV_ALL | COV_TABLE },
	{ "all, other leakage", COV_ALL | COV_OTHER_LEAK },
	{ "all, no idle rows", COV_ALL | COV_NO_IDLE },
};

static const char *const defaults[] = {
	"within-opp",	  "structured", "two-minus-one", "idle-subtracted", "intercept",
	"mean-of-ratios", NULL
};

static void one_method(const char *method, unsigned int repeats)
{
	size_t i, k;

	printf("\n%s: bias %% / coverage %% / mean half-width %%\n%-20s", method, "");
	for (k = 0; k < COV_CLUSTERS; k++)
		printf(" %-22s", cov_clusters[k].name);
	printf("\n");
	for (i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		printf("%-20s", scenarios[i].name);
		for (k = 0; k < COV_CLUSTERS; k++) {
			struct cov_result r = cov_run(&cov_clusters[k],
						      scenarios[i].effects, method,
						      repeats, 1000 * k + i + 1);

			if (r.failed == repeats)
				printf(" %6s %5s %6s  ", "-", "-", "-");
			else
				printf(" %+6.2f %5.1f %6.2f%s ", r.bias_pct,
				       r.coverage_pct, r.half_width_pct,
				       r.failed ? "!" : " ");
			fflush(stdout);
		}
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	unsigned int repeats = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
	const char *const *m = argc > 2 ? (const char *const *)argv + 2 : defaults;

	for (; *m; m++)
		one_method(*m, repeats ? repeats : 100);
	return 0;
}

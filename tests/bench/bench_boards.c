// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Very many boards: how long 'calib fit' takes for BOARDS of some 200 rows each, how much
 * memory, and whether it finds the mean and the spread that the made-up boards have.
 *
 * usage: bench_boards [BOARDS]	(10000)
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/coeffs.h"
#include "tests/bench/coverage.h"

#define SPREAD_PCT 4.0 /* standard deviation of C between boards */

static void put_rows(FILE *f, const struct sample *rows, size_t n, unsigned int board)
{
	size_t i;

	for (i = 0; i < n; i++)
		fprintf(f, "b%u,%u,%u,%u,%s,%.3f,%lld,%d\n", board, rows[i].freq_khz,
			rows[i].volt_uv, rows[i].cpu_count, rows[i].load,
			rows[i].util_pct, (long long)rows[i].power_uw, rows[i].temp_mc);
}

static size_t make(FILE *f, const struct cov_cluster *k, unsigned int boards)
{
	static struct sample rows[COV_MAX_ROWS];
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	size_t n, sum = 0;
	unsigned int i;

	fprintf(f, "board,freq_khz,volt_uv,cpu_count,load,util_pct,power_uw,temp_mc\n");
	for (i = 0; i < boards; i++) {
		struct cov_cluster one = *k;

		one.c *= 1 + gsl_ran_gaussian(rng, SPREAD_PCT / 100);
		one.leak_uw *= exp(gsl_ran_gaussian(rng, 0.3));
		n = cov_generate(&one, COV_ALL, rng, rows);
		put_rows(f, rows, n, i);
		sum += n;
	}
	gsl_rng_free(rng);
	return sum;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int run(char *csv, char *json)
{
	char *argv[] = { "calib", "fit", "-o", json, csv, NULL };
	const char *calib = getenv("CALIB");
	pid_t pid = fork();
	int status;

	if (!pid) {
		execv(calib ? calib : "build/calib/calib", argv);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && !status ? 0 : -1;
}

static bool judge(const struct coeffs_cluster *k, double c)
{
	const struct coeffs_boards *b = &k->boards;
	bool ok = b->between_pct > 0.9 * SPREAD_PCT &&
		  b->between_pct < 1.1 * SPREAD_PCT && fabs(k->estimate / c - 1) < 0.005;

	printf("true mean %.2f, spread %.2f %%; found %.2f (%.2f..%.2f), %.2f %%: %s\n",
	       c, SPREAD_PCT, k->estimate, k->ci95[0], k->ci95[1], b->between_pct,
	       ok ? "holds" : "DOES NOT HOLD");
	return ok;
}

int main(int argc, char **argv)
{
	unsigned int boards = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	char csv[] = "/tmp/bench_boards_XXXXXX", json[sizeof(csv) + 5];
	struct cov_cluster k = cov_cluster(1);
	struct coeffs *c = coeffs_new();
	struct rusage use;
	FILE *f = fdopen(mkstemp(csv), "w");
	double begin, took;
	size_t rows;
	int ret = 2;

	snprintf(json, sizeof(json), "%s.json", csv);
	if (!f || !c)
		return 2;
	rows = make(f, &k, boards);
	fclose(f);
	begin = now();
	if (!run(csv, json)) {
		took = now() - begin;
		getrusage(RUSAGE_CHILDREN, &use);
		printf("%u boards, %zu rows: %.1f s, %ld MB at most\n", boards, rows,
		       took, use.ru_maxrss / 1024);
		ret = coeffs_read(json, c, NULL) || !judge(&c->clusters[0], k.c);
	}
	unlink(csv);
	unlink(json);
	coeffs_free(c);
	return ret;
}

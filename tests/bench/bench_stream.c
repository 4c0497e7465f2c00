// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * More rows than memory: how long 'calib fit -' takes for ROWS made-up rows of one
 * cluster through a pipe, how much memory, and whether it finds their coefficient.
 *
 * The rows go round the operating points of the Odroid-XU3's A15, idle and 1 .. 4 CPUs,
 * WINDOWS rows at each, with leakage, an offset per visit, noise, and one row of a
 * thousand 40 % too high. A generator of random numbers of its own, so that making the
 * rows does not take longer than reading them.
 *
 * usage: bench_stream [ROWS [WINDOWS]]		(100000000 200)
 *        bench_stream --rows ROWS [WINDOWS]	the rows on stdout
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/coeffs.h"
#include "tests/bench/coverage.h"

#define PER_MILLE_HIGH 1
#define NOISE	       0.01 /* of a row's power */

struct source {
	struct cov_cluster k;
	uint64_t state;
	char *out, buf[1 << 16];
	double kelvin;
};

static uint64_t draw(struct source *s)
{
	s->state ^= s->state << 13;
	s->state ^= s->state >> 7;
	s->state ^= s->state << 17;
	return s->state;
}

/* Sum of eight uniform numbers: near enough to normal. */
static double normal(struct source *s)
{
	uint64_t bits = draw(s);
	double sum = 0;
	int i;

	for (i = 0; i < 8; i++, bits >>= 8)
		sum += (bits & 255) + 0.5;
	return (sum / 256 - 4) / sqrt(8.0 / 12);
}

static void put(struct source *s, uint64_t v, char end)
{
	char digits[20];
	int n = 0;

	do
		digits[n++] = '0' + v % 10;
	while (v /= 10);
	while (n)
		*s->out++ = digits[--n];
	*s->out++ = end;
}

static void put_row(struct source *s, unsigned int opp, unsigned int count, double offset)
{
	const struct cov_cluster *k = &s->k;
	double busy = fmin(count + 0.01 * (draw(s) % 3), s->k.cpus);
	double volt = k->volt[opp], fv2, uw, goal;

	goal = 35 + 3.0 * count * k->mhz[opp] / 1000 * volt;
	s->kelvin += (goal - s->kelvin) / 50;
	volt -= k->ohm * (0.3 + count * 0.5);
	fv2 = k->mhz[opp] * volt * volt;
	uw = (k->c * busy + k->d * (count ? 1 : busy)) * fv2 +
	     cov_leakage(k, COV_THERMAL, volt, s->kelvin) + k->board_uw + offset;
	uw *= 1 + NOISE * normal(s);
	if (draw(s) % 1000 < PER_MILLE_HIGH)
		uw *= 1.4;
	put(s, k->mhz[opp] * 1000, ',');
	put(s, volt * 1e6 + 0.5, ',');
	put(s, count, ',');
	put(s, busy * 100 + 0.5, ',');
	put(s, uw + 0.5, ',');
	put(s, s->kelvin * 1000, '\n');
	if (s->out - s->buf > (long)sizeof(s->buf) - 256) {
		fwrite(s->buf, 1, s->out - s->buf, stdout);
		s->out = s->buf;
	}
}

static int make_rows(uint64_t rows, unsigned int windows)
{
	struct source *s = calloc(1, sizeof(*s));
	unsigned int opp, count, i;

	if (!s)
		return 2;
	s->k = cov_cluster(1);
	s->state = 88172645463325252u;
	s->out = s->buf;
	s->kelvin = 40;
	printf("freq_khz,volt_uv,cpu_count,util_pct,power_uw,temp_mc\n");
	while (rows) {
		double offset = 3000 * normal(s);

		opp = draw(s) % s->k.opps;
		for (count = 0; count <= s->k.cpus; count++)
			for (i = 0; i < windows && rows; i++, rows--)
				put_row(s, opp, count, offset);
	}
	fwrite(s->buf, 1, s->out - s->buf, stdout);
	free(s);
	return fflush(stdout) ? 2 : 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Its rows in, coeffs.json at @json. Returns the exit status of calib. */
static int run(uint64_t rows, unsigned int windows, char *json, struct rusage *use)
{
	char *argv[] = { "calib", "fit", "-o", json, "-", NULL };
	const char *calib = getenv("CALIB");
	int fd[2], status = -1;
	pid_t maker, fitter;

	if (pipe(fd))
		return -1;
	maker = fork();
	if (!maker) {
		dup2(fd[1], 1);
		close(fd[0]);
		close(fd[1]);
		_exit(make_rows(rows, windows));
	}
	fitter = fork();
	if (!fitter) {
		dup2(fd[0], 0);
		close(fd[0]);
		close(fd[1]);
		execv(calib ? calib : "build/calib/calib", argv);
		_exit(127);
	}
	close(fd[0]);
	close(fd[1]);
	wait4(fitter, &status, 0, use);
	waitpid(maker, NULL, 0);
	return status;
}

static int measure(uint64_t rows, unsigned int windows)
{
	char json[] = "/tmp/bench_stream_XXXXXX";
	struct coeffs *c = coeffs_new();
	double begin = now(), took, cpu;
	struct cov_cluster k = cov_cluster(1);
	struct rusage use;
	bool ok;

	if (!c || close(mkstemp(json)) || run(rows, windows, json, &use) ||
	    coeffs_read(json, c, NULL)) {
		fprintf(stderr, "bench_stream: calib fit failed\n");
		unlink(json);
		return 2;
	}
	unlink(json);
	took = now() - begin;
	cpu = use.ru_utime.tv_sec + use.ru_utime.tv_usec / 1e6 + use.ru_stime.tv_sec +
	      use.ru_stime.tv_usec / 1e6;
	ok = fabs(c->clusters[0].estimate / k.c - 1) < 0.005;
	printf("%llu rows: %.1f s (%.1f s of CPU, %.2f us a row), %ld MB at most\n",
	       (unsigned long long)rows, took, cpu, 1e6 * cpu / rows,
	       use.ru_maxrss / 1024);
	printf("true C %.2f; found %.3f (%.3f..%.3f): %s\n", k.c, c->clusters[0].estimate,
	       c->clusters[0].ci95[0], c->clusters[0].ci95[1],
	       ok ? "holds" : "DOES NOT HOLD");
	coeffs_free(c);
	return !ok;
}

int main(int argc, char **argv)
{
	bool only_rows = argc > 1 && !strcmp(argv[1], "--rows");
	char **arg = argv + 1 + only_rows;
	uint64_t rows = *arg ? strtoull(*arg, NULL, 10) : 100000000;
	unsigned int windows = *arg && arg[1] ? strtoul(arg[1], NULL, 10) : 200;

	if (!rows || !windows) {
		fprintf(stderr, "usage: bench_stream [--rows] [ROWS [WINDOWS]]\n");
		return 2;
	}
	return only_rows ? make_rows(rows, windows) : measure(rows, windows);
}

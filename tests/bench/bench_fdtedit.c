// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One 'fdtedit apply' for 8 CPUs against 8 x fdtput, and against dtc to source, sed, and
 * dtc back to a tree: the same tree, the median of RUNS, in turns. Needs fdtput and dtc
 * (Debian's device-tree-compiler); says so where they are not there.
 *
 * The tree has some 2000 nodes, as a phone's has; where ../shared is, its Odroid-XU4 is
 * taken as well.
 *
 * usage: bench_fdtedit [RUNS]	(21), from the top folder, after make
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/spawn.h"

#define CPUS	 8
#define NODES	 2000
#define MAX_RUNS 999
#define SHARED	 "../shared/data/exynos5422-odroidxu4.pre.dtb"

static const char fdtedit[] = "\"$FDTEDIT\" apply board.dtb coeffs.json > log";
static const char fdtput[] = "for n in $CPUS; do fdtput -t u board.dtb /cpus/cpu@$n "
			     "dynamic-power-coefficient 90 || exit; done";
static const char round_trip[] =
	"dtc -q -I dtb -O dts board.dtb | sed '/^\\t\\tcpu@.* {$/a\\\n"
	"dynamic-power-coefficient = <90>;' | dtc -q -I dts -O dtb -o new.dtb && "
	"mv new.dtb board.dtb";

static const struct {
	const char *name, *command;
} ways[] = {
	{ "fdtedit apply", fdtedit },
	{ "8 x fdtput", fdtput },
	{ "dtc | sed | dtc", round_trip },
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* 0 when it ended well. */
static int sh(const char *command)
{
	const char *const argv[] = { "sh", "-ec", command, NULL };
	const struct spawn sp = { .argv = argv };
	struct err err = { "" };
	int ret = spawn_run(&sp, &err);

	if (ret)
		fprintf(stderr, "failed: %s%s\n", command, err.msg);
	return ret;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* All of them must write the same values, or their times mean nothing. */
static int check(const char *name)
{
	if (!sh("for n in $CPUS; do [ \"$(fdtget -t u board.dtb /cpus/cpu@$n "
		"dynamic-power-coefficient)\" = 90 ]; done"))
		return 0;
	fprintf(stderr, "%s: not the values asked for\n", name);
	return -EINVAL;
}

static int measure(unsigned int runs)
{
	static double ms[WAYS][MAX_RUNS];

	for (unsigned int r = 0; r < runs; r++) {
		for (size_t w = 0; w < WAYS; w++) {
			double begin;

			if (sh("cp before.dtb board.dtb"))
				return -EINVAL;
			begin = now_ms();
			if (sh(ways[w].command))
				return -EINVAL;
			ms[w][r] = now_ms() - begin;
			if (!r && check(ways[w].name))
				return -EINVAL;
		}
	}
	for (size_t w = 0; w < WAYS; w++) {
		qsort(ms[w], runs, sizeof(ms[w][0]), compare);
		printf("  %-16s %7.2f ms  %5.2f x fdtedit\n", ways[w].name,
		       ms[w][runs / 2], ms[w][runs / 2] / ms[0][runs / 2]);
	}
	return 0;
}

static int make_tree(void)
{
	FILE *f = popen("dtc -q -I dts -O dtb -o before.dtb", "w");

	if (!f)
		return -errno;
	fputs("/dts-v1/; / { cpus { #address-cells = <1>; #size-cells = <0>;", f);
	for (int i = 0; i < CPUS; i++)
		fprintf(f,
			"cpu@%d { device_type = \"cpu\"; compatible = \"arm,cortex-a7\"; "
			"reg = <%d>; capacity-dmips-mhz = <1024>; };",
			i, i);
	fputs("}; soc { #address-cells = <1>; #size-cells = <1>;", f);
	for (int i = 0; i < NODES; i++)
		fprintf(f,
			"dev@%x { compatible = \"ours,device-%d\"; reg = <%d 16>; "
			"clocks = <1 2 3 4>; status = \"disabled\"; };",
			i * 16, i % 50, i * 16);
	fputs("}; };\n", f);
	return pclose(f) ? -EINVAL : 0;
}

static int write_coeffs(const char *compatibles[2])
{
	FILE *f = fopen("coeffs.json", "w");

	if (!f)
		return -errno;
	fputs("{ \"schema\": \"calib-coeffs/1\", \"clusters\": [", f);
	for (int i = 0; i < 2 && compatibles[i]; i++)
		fprintf(f,
			"%s{ \"name\": \"c%d\", \"match\": { \"compatible\": \"%s\" }, "
			"\"dynamic-power-coefficient\": 90 }",
			i ? ", " : "", i, compatibles[i]);
	fputs("] }\n", f);
	return fclose(f) ? -errno : 0;
}

static int bench(const char *top, unsigned int runs)
{
	const char *made[2] = { "arm,cortex-a7" };
	const char *odroid[2] = { "arm,cortex-a7", "arm,cortex-a15" };
	char path[8192];
	int ret = make_tree();

	if (!ret)
		ret = write_coeffs(made);
	if (ret)
		return ret;
	printf("a tree of %d nodes, 8 CPUs, median of %u runs\n", NODES, runs);
	setenv("CPUS", "0 1 2 3 4 5 6 7", 1);
	ret = measure(runs);
	snprintf(path, sizeof(path), "%s/" SHARED, top);
	if (ret || access(path, R_OK))
		return ret;
	setenv("BOARD", path, 1);
	if (sh("cp \"$BOARD\" before.dtb") || write_coeffs(odroid))
		return -EINVAL;
	printf("the Odroid-XU4's tree of Linux 6.12\n");
	setenv("CPUS", "0 1 2 3 100 101 102 103", 1);
	return measure(runs);
}

int main(int argc, char **argv)
{
	unsigned int runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 21;
	char dir[] = "/tmp/bench_fdtedit-XXXXXX", program[4160], top[4096];
	int ret;

	if (!runs || runs > MAX_RUNS || !getcwd(top, sizeof(top)))
		return 2;
	if (system("command -v dtc fdtput fdtget > /dev/null 2>&1")) {
		puts("skipped: no dtc and fdtput (Debian package device-tree-compiler)");
		return 0;
	}
	snprintf(program, sizeof(program), "%s/build/fdtedit/fdtedit", top);
	setenv("FDTEDIT", program, 0);
	if (!mkdtemp(dir) || chdir(dir))
		return 2;
	ret = bench(top, runs);
	setenv("DIR", dir, 1);
	sh("rm -r \"$DIR\"");
	return ret ? 1 : 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * board DIR CPU PID CLUSTER - while PID lives, the virtual Odroid-XU3 plays the rail and
 * the thermometers of CLUSTER, whose policy is CPU's, in the files of the fake one in
 * DIR.
 *
 * The clock is what scaling_setspeed says, busy are as many CPUs as PID has load threads.
 * Board time runs SPEED times as fast as ours, so that the meter's 264 ms are 20 ms. All
 * its terms are on but two that these files cannot tell: the meter's gain error and
 * background tasks.
 */
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "boards/virtual.h"

#define SPEED	13.2
#define STEP_NS 2000000

struct player {
	const char *dir;
	unsigned int cpu, cluster, sensor;
	int pid;
	struct board board;
	struct virtual *virt;
	uint32_t khz;
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "board: %s\n", what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* In one write, cutting nothing: a reader never sees half of it. */
static void put(const struct player *p, const char *name, long long value)
{
	char path[512], text[32];
	int len = snprintf(text, sizeof(text), "%09lld\n", value), fd;

	snprintf(path, sizeof(path), "%s/sys/class/%s", p->dir, name);
	fd = open(path, O_WRONLY);
	if (fd < 0 || pwrite(fd, text, len, 0) != len)
		die(path);
	close(fd);
}

static uint32_t asked_khz(const struct player *p)
{
	char path[512];
	unsigned int khz = 0;
	FILE *f;

	snprintf(path, sizeof(path),
		 "%s/sys/devices/system/cpu/cpufreq/policy%u/scaling_setspeed", p->dir,
		 p->cpu);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%u", &khz) != 1)
		khz = p->board.clusters[p->cluster].opps[0].khz;
	if (f)
		fclose(f);
	return khz;
}

/* The threads of the process but its first. */
static unsigned int load_threads(const struct player *p)
{
	char pattern[64];
	unsigned int n;
	glob_t g;

	snprintf(pattern, sizeof(pattern), "/proc/%d/task/*", p->pid);
	n = glob(pattern, 0, NULL, &g) ? 0 : g.gl_pathc;
	globfree(&g);
	return n ? n - 1 : 0;
}

static void play(struct player *p, uint64_t board_ns)
{
	uint32_t khz = asked_khz(p), volt_uv;
	unsigned int n = load_threads(p);
	int64_t power_uw;
	char name[64];

	virtual_advance(p->virt, board_ns);
	if (khz != p->khz && !virtual_set_khz(p->virt, p->cluster, khz))
		p->khz = khz;
	virtual_set_load(p->virt, p->cluster, n, 1);
	for (int zone = 0; zone < 4; zone++) {
		snprintf(name, sizeof(name), "thermal/thermal_zone%d/temp", zone);
		put(p, name, virtual_temp_mc(p->virt, p->cluster));
	}
	if (virtual_read_meter(p->virt, p->sensor, &power_uw, &volt_uv))
		return;
	put(p, "hwmon/hwmon0/in1_input", volt_uv / 1000);
	put(p, "hwmon/hwmon0/power1_input", power_uw);
}

static void begin(struct player *p, char **argv)
{
	const struct virtual_options opts = { .seed = 1,
					      .off = VIRTUAL_GAIN | VIRTUAL_BACKGROUND };
	const struct board_cluster *cl;

	p->dir = argv[1];
	p->cpu = atoi(argv[2]);
	p->pid = atoi(argv[3]);
	if (board_load("odroid-xu3", &p->board, NULL))
		die("no such board");
	cl = board_cluster(&p->board, argv[4]);
	if (!cl)
		die("no such cluster");
	p->cluster = cl - p->board.clusters;
	p->sensor = board_sensor(&p->board, p->cluster) - p->board.sensors;
	if (virtual_new(&p->board, &opts, &p->virt, NULL))
		die("it cannot be played");
}

int main(int argc, char **argv)
{
	const struct timespec step = { .tv_nsec = STEP_NS };
	static struct player p;
	uint64_t start = now_ns();

	if (argc != 5)
		die("usage: board DIR CPU PID CLUSTER");
	begin(&p, argv);
	while (!kill(p.pid, 0)) {
		play(&p, (now_ns() - start) * SPEED);
		nanosleep(&step, NULL);
	}
	virtual_free(p.virt);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * simsensor BOARD.dtb SEED - play the INA231s of a virtual board inside a guest, noise by
 * seed.
 *
 * Which clock each policy has and which CPUs are busy comes from the running kernel, the
 * power from the physics of boards/virtual.c. It goes where the real chip keeps it: into
 * the registers behind the i2c-stub bus, in the chip's byte order, so that the kernel's
 * own ina2xx driver reads them. Runs until it is killed.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "boards/virtual.h"
#include "lib/num.h"

/* INA231, datasheet SBOS644: registers, and what one bit is at a shunt of 100 mOhm. */
#define REG_SHUNT      1
#define REG_BUS	       2
#define REG_POWER      3
#define REG_CURRENT    4
#define BUS_LSB_UV     1250
#define POWER_LSB_UW   625
#define CURRENT_LSB_UA 25
#define SHUNT_UOHM     100000

#define AWAY_NS 1e8 /* more idle time than a step and some ticks have */

struct player {
	struct board board;
	struct virtual *virt;
	int bus, stat;
	int clock[BOARD_MAX_CPUS]; /* its scaling_cur_freq, -1: not open */
	int64_t shown_uw[BOARD_MAX_SENSORS];
	uint32_t khz[BOARD_MAX_CLUSTERS];
	double idle_ns[BOARD_MAX_CPUS]; /* per Linux CPU, since boot; -1: offline */
};

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* The bus of i2c-stub. */
static int open_bus(void)
{
	for (int n = 0; n < 32; n++) {
		char path[64], name[64] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/sys/bus/i2c/devices/i2c-%d/name", n);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (!fgets(name, sizeof(name), f))
			name[0] = '\0';
		fclose(f);
		if (strcmp(name, "SMBus stub driver\n"))
			continue;
		snprintf(path, sizeof(path), "/dev/i2c-%d", n);
		n = open(path, O_RDWR | O_CLOEXEC);
		if (n < 0)
			die(path);
		return n;
	}
	fprintf(stderr, "simsensor: no bus of i2c-stub\n");
	exit(1);
}

static void put(const struct player *p, uint8_t reg, uint16_t value)
{
	union i2c_smbus_data data = { .word = (uint16_t)(value << 8 | value >> 8) };
	struct i2c_smbus_ioctl_data args = { .read_write = I2C_SMBUS_WRITE,
					     .command = reg,
					     .size = I2C_SMBUS_WORD_DATA,
					     .data = &data };

	if (ioctl(p->bus, I2C_SMBUS, &args))
		die("simsensor: I2C_SMBUS");
}

static void put_meter(struct player *p, unsigned int i)
{
	int64_t power_uw;
	uint32_t volt_uv;
	double ua;

	if (virtual_read_meter(p->virt, i, &power_uw, &volt_uv) ||
	    power_uw == p->shown_uw[i])
		return;
	p->shown_uw[i] = power_uw;
	if (ioctl(p->bus, I2C_SLAVE_FORCE, (long)p->board.sensors[i].address))
		die("simsensor: I2C_SLAVE_FORCE");
	ua = volt_uv ? power_uw * 1e6 / volt_uv : 0;
	put(p, REG_BUS, volt_uv / BUS_LSB_UV);
	put(p, REG_CURRENT, ua / CURRENT_LSB_UA);
	put(p, REG_SHUNT, ua * 1e-6 * SHUNT_UOHM / 2.5);
	put(p, REG_POWER, power_uw / POWER_LSB_UW);
}

/*
 * The files stay open: in a guest without hardware help, opening costs more than reading,
 * and what this process takes is not the load's.
 */
static ssize_t read_again(int fd, char *text, size_t size)
{
	ssize_t len = pread(fd, text, size - 1, 0);

	text[len > 0 ? len : 0] = '\0';
	return len;
}

/* 0 when the CPU is offline; its file is another one afterwards. */
static uint32_t cpu_khz(struct player *p, unsigned int cpu)
{
	char path[96], text[32];

	if (p->clock[cpu] < 0) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);
		p->clock[cpu] = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (p->clock[cpu] >= 0 && read_again(p->clock[cpu], text, sizeof(text)) > 0)
		return strtoul(text, NULL, 10);
	if (p->clock[cpu] >= 0)
		close(p->clock[cpu]);
	p->clock[cpu] = -1;
	return 0;
}

static uint32_t cluster_khz(struct player *p, const struct board_cluster *c)
{
	uint32_t khz = 0;

	for (unsigned int i = 0; i < c->cpu_count && !khz; i++)
		khz = cpu_khz(p, c->cpus[i]);
	return khz;
}

/* Idle time of all CPUs since boot; -1 for one that is offline. */
static void read_idle(struct player *p, double idle_ns[BOARD_MAX_CPUS])
{
	const double tick_ns = 1e9 / sysconf(_SC_CLK_TCK);
	unsigned long long user, nice, sys, idle, iowait;
	char text[4096], *line = text;
	unsigned int cpu;

	for (cpu = 0; cpu < BOARD_MAX_CPUS; cpu++)
		idle_ns[cpu] = -1;
	/* The CPUs come first; what does not fit is not of them. */
	read_again(p->stat, text, sizeof(text));
	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu", &cpu, &user, &nice,
			   &sys, &idle, &iowait) == 6 &&
		    cpu < BOARD_MAX_CPUS)
			idle_ns[cpu] = (idle + iowait) * tick_ns;
	}
}

/*
 * How many CPUs were busy in a step, on the mean. The kernel counts idle time in ticks,
 * so that a step may seem to have more of it than it is long: then it is less than 0, and
 * over several steps it comes out right, as long as nobody cuts it at 0. A CPU that was
 * offline has no idle time to make up for.
 */
static double busy_cpus(struct player *p, unsigned int cluster,
			const double idle_ns[BOARD_MAX_CPUS], double step_ns)
{
	const struct board_cluster *c = &p->board.clusters[cluster];
	double busy = 0;

	for (unsigned int i = 0; i < c->cpu_count; i++) {
		unsigned int cpu = c->cpus[i];
		double idle = idle_ns[cpu] - p->idle_ns[cpu];

		if (idle_ns[cpu] >= 0 && idle < step_ns + AWAY_NS)
			busy += 1 - idle / step_ns;
		p->idle_ns[cpu] = idle_ns[cpu];
	}
	return busy;
}

/* The clocks of the clusters, and their load in the step that has passed. */
static void look(struct player *p, double step_ns)
{
	double idle_ns[BOARD_MAX_CPUS];

	read_idle(p, idle_ns);
	for (unsigned int c = 0; c < p->board.cluster_count; c++) {
		uint32_t khz = cluster_khz(p, &p->board.clusters[c]);

		if (khz && khz != p->khz[c] && !virtual_set_khz(p->virt, c, khz))
			p->khz[c] = khz;
		/* What it draws is linear in that, as the shared clock is always on. */
		virtual_set_load(p->virt, c, 1, busy_cpus(p, c, idle_ns, step_ns));
	}
}

/*
 * A reading has to be in its register as soon as it is made, as in the chip: whoever sees
 * it change takes the next one to be of the time from there on. Looks in between would
 * only cost, in a guest without hardware help.
 */
static void wait_for_update(const struct player *p, uint64_t start)
{
	uint64_t ns = start + virtual_next_update_ns(p->virt);
	const struct timespec until = { ns / 1000000000, ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int main(int argc, char **argv)
{
	struct virtual_options opts = { .off = VIRTUAL_BACKGROUND };
	const struct sched_param fifo = { .sched_priority = 50 };
	static struct player p;
	struct err err = { "" };
	uint64_t start = now_ns(), last = 0, now;

	if (argc != 3 || num_u64(argv[2], &opts.seed)) {
		fprintf(stderr, "usage: simsensor BOARD.dtb SEED\n");
		return 2;
	}
	if (board_from_file(argv[1], &p.board, &err) ||
	    virtual_new(&p.board, &opts, &p.virt, &err)) {
		fprintf(stderr, "simsensor: %s\n", err.msg);
		return 1;
	}
	p.bus = open_bus();
	p.stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	if (p.stat < 0)
		die("/proc/stat");
	memset(p.clock, -1, sizeof(p.clock));
	sched_setscheduler(0, SCHED_FIFO, &fifo);
	read_idle(&p, p.idle_ns);
	for (;;) {
		wait_for_update(&p, start);
		now = now_ns() - start;
		look(&p, now - last);
		virtual_advance(p.virt, now);
		for (unsigned int i = 0; i < p.board.sensor_count; i++)
			put_meter(&p, i);
		last = now;
	}
}

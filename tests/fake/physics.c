// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * physics DIR CPU PID C - while PID lives, play the rail of CPU's policy on DIR's hwmon0.
 *
 * Power is that of rail.h, n being the threads of PID but its first. A little noise shows
 * that the meter lives. DIR/proc/stat says that the CPU idles while n is 0, whatever else
 * runs on the real one; without that file nothing is said. It starts no process: on a
 * busy machine one that sleeps is soon scheduled, one that forks is not.
 */
#include "rail.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 10000000
#define TICKS	100 /* per second, in /proc/stat */

/* In one write, cutting nothing: a reader never sees half of it. */
static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

static void put_number(const char *dir, const char *name, uint64_t value)
{
	char path[512], text[32];

	snprintf(path, sizeof(path), "%s/sys/class/hwmon/hwmon0/%s", dir, name);
	snprintf(text, sizeof(text), "%08" PRIu64 "\n", value);
	put(path, text);
}

/* The threads of the process but its first. */
static unsigned int load_threads(const char *pid)
{
	const struct dirent *entry;
	char path[64];
	unsigned int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.20s/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n ? n - 1 : 0;
}

static void put_idle(const char *dir, const char *cpu, uint64_t idle_ns)
{
	char path[512], text[128];

	snprintf(path, sizeof(path), "%s/proc/stat", dir);
	snprintf(text, sizeof(text), "cpu%.8s 0 0 0 %012" PRIu64 " 0 0 0 0 0 0\n", cpu,
		 idle_ns / (1000000000 / TICKS));
	put(path, text);
}

static void put_rail(const char *dir, const char *cpu, uint64_t c, unsigned int n)
{
	uint64_t mv, uw = rail_uw(dir, cpu, c, n, &mv);

	put_number(dir, "in1_input", mv);
	put_number(dir, "power1_input", uw + noise_uw());
}

int main(int argc, char **argv)
{
	const struct timespec step = { .tv_nsec = STEP_NS };
	uint64_t then = now_ns(), now, idle_ns = 0;
	unsigned int n;

	if (argc != 5) {
		fprintf(stderr, "usage: physics DIR CPU PID C\n");
		return 2;
	}
	while (!kill(atoi(argv[3]), 0)) {
		n = load_threads(argv[3]);
		now = now_ns();
		idle_ns += n ? 0 : now - then;
		then = now;
		put_idle(argv[1], argv[2], idle_ns);
		put_rail(argv[1], argv[2], strtoull(argv[4], NULL, 10), n);
		nanosleep(&step, NULL);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into calib by tests: what a kernel makes of cpuN/online in a tree of plain
 * files. A CPU's policy follows; one without an online CPU answers nothing but EBUSY, as
 * since Linux 5.19. $CALIB_HOTPLUG_MS is how long a CPU takes to change,
 * $CALIB_HOTPLUG_GOVERNOR the governor of policies that come back (else they keep it).
 */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload.h"

/* Is @path an attribute of a policy that has no online CPU? */
static int is_asleep(const char *path)
{
	const char *policy = strstr(path, "/cpufreq/policy"), *end = strrchr(path, '/');
	char file[4200], text[256];

	if (!policy || end <= policy + strlen("/cpufreq"))
		return 0;
	snprintf(file, sizeof(file), "%.*s/affected_cpus", (int)(end - path), path);
	if (access(file, F_OK))
		return 0;
	get(file, text);
	return !isdigit((unsigned char)text[0]);
}

static int is_online(const char *cpus, unsigned int cpu)
{
	char file[4200], text[256];

	snprintf(file, sizeof(file), "%s/cpu%u/online", cpus, cpu);
	get(file, text);
	return text[0] != '0';
}

static void wake(const char *dir)
{
	const char *governor = getenv("CALIB_HOTPLUG_GOVERNOR");
	char file[4200];

	snprintf(file, sizeof(file), "%s/scaling_setspeed", dir);
	put(file, "<unsupported>");
	snprintf(file, sizeof(file), "%s/scaling_governor", dir);
	if (governor)
		put(file, governor);
}

/* Let the policy in @dir follow its CPUs. */
static void follow(const char *cpus, const char *dir)
{
	char file[4200], related[256], was[256], now[256] = "", *word, *save;
	size_t len = 0;

	snprintf(file, sizeof(file), "%s/related_cpus", dir);
	get(file, related);
	snprintf(file, sizeof(file), "%s/affected_cpus", dir);
	get(file, was);
	for (word = strtok_r(related, " \n", &save); word;
	     word = strtok_r(NULL, " \n", &save))
		if (is_online(cpus, atoi(word)))
			len += snprintf(now + len, sizeof(now) - len, "%s%s",
					len ? " " : "", word);
	put(file, now);
	if (len && !isdigit((unsigned char)was[0]))
		wake(dir);
}

static void switched(const char *path)
{
	const char *ms = getenv("CALIB_HOTPLUG_MS");
	const char *cpu = strstr(path, "/system/cpu/cpu");
	const char *end = strrchr(path, '/');
	char cpus[4096], pattern[4200];
	glob_t found;

	if (!cpu || strcmp(end, "/online") != 0)
		return;
	snprintf(cpus, sizeof(cpus), "%.*s", (int)(cpu - path + strlen("/system/cpu")),
		 path);
	snprintf(pattern, sizeof(pattern), "%s/cpufreq/policy*", cpus);
	usleep(ms ? atoi(ms) * 1000 : 0);
	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		follow(cpus, found.gl_pathv[i]);
	globfree(&found);
}

ssize_t read(int fd, void *buf, size_t size)
{
	ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
	char path[4096];

	if (!is_asleep(path_of(fd, path)))
		return real(fd, buf, size);
	errno = EBUSY;
	return -1;
}

ssize_t write(int fd, const void *buf, size_t size)
{
	ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
	char path[4096];
	ssize_t n;

	if (is_asleep(path_of(fd, path))) {
		errno = EBUSY;
		return -1;
	}
	n = real(fd, buf, size);
	if (n > 0)
		switched(path);
	return n;
}

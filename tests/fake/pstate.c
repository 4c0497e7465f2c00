// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into calib by tests: what intel_pstate makes of writes to a tree of plain
 * files. Active, it has an EPP of its own under the governor performance and refuses any
 * other (EBUSY); raw EPPs that have a name read back as that; another mode makes the
 * policies anew and forgets limits and turbo. Writes are listed in $CALIB_PSTATE_LOG.
 */
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload.h"

#define EPP "energy_performance_preference"

static const struct {
	unsigned int raw;
	const char *name;
} epps[] = { { 0, "performance" },
	     { 128, "balance_performance" },
	     { 192, "balance_power" },
	     { 255, "power" } };

/* The file NAME beside @path. */
static const char *beside(const char *path, const char *name, char file[4200])
{
	snprintf(file, 4200, "%.*s/%s", (int)(strrchr(path, '/') - path), path, name);
	return file;
}

static void copy(const char *path, const char *from, const char *to)
{
	char file[4200], text[256];

	get(beside(path, from, file), text);
	put(beside(path, to, file), text);
}

static int is_active(const char *path)
{
	char file[4200], driver[256];

	get(beside(path, "scaling_driver", file), driver);
	return !strcmp(driver, "intel_pstate");
}

/* Whether the kernel refuses @text, and why. */
static int refuses(const char *path, const char *text)
{
	char file[4200], governor[256], *end;
	unsigned long raw = strtoul(text, &end, 10);

	if (strcmp(strrchr(path, '/'), "/" EPP) != 0)
		return 0;
	if (!*end && raw > 255)
		return EINVAL;
	get(beside(path, "scaling_governor", file), governor);
	if (is_active(path) && !strcmp(governor, "performance") &&
	    strcmp(text, "performance") != 0 && (*end || raw))
		return EBUSY;
	return 0;
}

static void epp_set(const char *path, const char *text)
{
	char *end;
	unsigned long raw = strtoul(text, &end, 10);

	for (size_t i = 0; i < 4 && !*end; i++)
		if (epps[i].raw == raw)
			put(path, epps[i].name);
	if (!strcmp(text, "default"))
		put(path, "balance_performance");
}

static void governor_set(const char *path, const char *text)
{
	char file[4200], saved[4200];

	beside(path, ".epp", saved);
	if (!is_active(path))
		return;
	if (!strcmp(text, "performance") && access(saved, F_OK)) {
		copy(path, EPP, ".epp");
		put(beside(path, EPP, file), "performance");
	} else if (strcmp(text, "performance") != 0 && !access(saved, F_OK)) {
		copy(path, ".epp", EPP);
		unlink(saved);
	}
}

static void mode_set(const char *path, const char *text)
{
	int active = !strcmp(text, "active");
	char file[4200], pattern[4200];
	glob_t found;

	put(beside(path, "no_turbo", file), "0");
	put(beside(path, "max_perf_pct", file), "100");
	beside(path, "../cpufreq/policy*/scaling_governor", pattern);
	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *governor = found.gl_pathv[i];

		put(beside(governor, "scaling_driver", file),
		    active ? "intel_pstate" : "intel_cpufreq");
		put(beside(governor, "scaling_available_governors", file),
		    active ? "performance powersave"
			   : "performance powersave schedutil ondemand");
		put(governor, active ? "powersave" : "schedutil");
		copy(governor, "cpuinfo_min_freq", "scaling_min_freq");
		copy(governor, "cpuinfo_max_freq", "scaling_max_freq");
	}
	globfree(&found);
}

static void tell(const char *path, const char *text, int refused)
{
	const char *log = getenv("CALIB_PSTATE_LOG"), *cpu = strstr(path, "/system/cpu/");
	FILE *f = log && cpu ? fopen(log, "a") : NULL;

	if (!f)
		return;
	fprintf(f, "%s %s%s\n", cpu + strlen("/system/cpu/"), text,
		refused ? " refused" : "");
	fclose(f);
}

ssize_t write(int fd, const void *buf, size_t size)
{
	ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
	char path[4096], text[64];
	const char *name;
	ssize_t n;

	path_of(fd, path);
	name = strrchr(path, '/');
	if (!name || !strstr(path, "/system/cpu/"))
		return real(fd, buf, size);
	snprintf(text, sizeof(text), "%.*s", (int)size, (const char *)buf);
	text[strcspn(text, "\n")] = '\0';
	errno = refuses(path, text);
	tell(path, text, errno);
	if (errno == EBUSY) {
		/* It was cut when it was opened. */
		put(path, "performance");
		errno = EBUSY;
	}
	if (errno)
		return -1;
	n = real(fd, buf, size);
	if (!strcmp(name, "/" EPP))
		epp_set(path, text);
	else if (!strcmp(name, "/scaling_governor"))
		governor_set(path, text);
	else if (!strcmp(name, "/status"))
		mode_set(path, text);
	return n;
}

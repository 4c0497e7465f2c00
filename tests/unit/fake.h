/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fake machines for tests: trees made by tests/fake/, for namespace.h. Include after
 * <cmocka.h> and files.h.
 */
#ifndef TESTS_UNIT_FAKE_H
#define TESTS_UNIT_FAKE_H

#include <sys/stat.h>

#include "namespace.h"

static char *fake_made; /* the machine that the next is a copy of ... */
static const char *fake_made_cpus;

static inline void fake_forget(void)
{
	if (fake_made)
		files_remove(fake_made);
	fake_made = NULL;
}

static inline void fake_make(const char *cpus)
{
	const char *top = getenv("TOP");
	char *command = NULL;

	if (!fake_made)
		atexit(fake_forget);
	fake_forget();
	fake_made = files_folder();
	fake_made_cpus = cpus;
	assert_true(asprintf(&command, "'%s/tests/fake/odroid-xu3' '%s' %s",
			     top ? top : ".", fake_made, cpus) > 0);
	assert_int_equal(system(command), 0);
	free(command);
}

/*
 * A new folder with a fake Odroid-XU3 in it; files_remove() takes it away. A copy is one
 * process, the machine itself seventy. @cpus: a string that stays.
 */
static inline char *fake_xu3(const char *cpus)
{
	char *dir = files_folder(), *command = NULL;

	if (!fake_made || strcmp(fake_made_cpus, cpus) != 0)
		fake_make(cpus);
	assert_true(asprintf(&command, "cp -a '%s/.' '%s'", fake_made, dir) > 0);
	assert_int_equal(system(command), 0);
	free(command);
	return dir;
}

/* Add meters to what is in @dir; @kinds are words of tests/fake/meters. */
static inline void fake_meters(const char *dir, const char *kinds)
{
	const char *top = getenv("TOP");
	char *command = NULL;

	assert_true(asprintf(&command, "'%s/tests/fake/meters' '%s' %s", top ? top : ".",
			     dir, kinds) > 0);
	assert_int_equal(system(command), 0);
	free(command);
}

/* DIR/sys/devices/system/cpu/cpufreq/NAME */
static inline const char *fake_cpufreq(const char *dir, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpufreq/%s", name);
	return files_path(dir, path);
}

static inline void fake_put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static inline void fake_expect(const char *path, const char *text)
{
	char *data = files_get(path);

	assert_string_equal(data, text);
	free(data);
}

/* "name text" of every file below DIR/sys/devices, to compare before and after. */
static inline char *fake_dump(const char *dir, const char *but)
{
	char *command = NULL, *data = calloc(1, 1 << 20);
	FILE *f;

	assert_non_null(data);
	assert_true(asprintf(&command,
			     "cd '%s' && find sys/devices -type f ! -name '%s' | sort | "
			     "xargs md5sum",
			     dir, but) > 0);
	f = popen(command, "r");
	assert_non_null(f);
	assert_true(fread(data, 1, (1 << 20) - 1, f) > 100);
	assert_int_equal(pclose(f), 0);
	free(command);
	return data;
}

#endif

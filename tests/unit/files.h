/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files for tests: a folder of its own, content in and out. Include after <cmocka.h>.
 */
#ifndef TESTS_UNIT_FILES_H
#define TESTS_UNIT_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A new folder below $TMPDIR; the caller frees the name. */
static inline char *files_folder(void)
{
	const char *top = getenv("TMPDIR");
	char *dir = NULL;

	assert_true(asprintf(&dir, "%s/calib-test-XXXXXX", top ? top : "/tmp") > 0);
	assert_non_null(mkdtemp(dir));
	return dir;
}

static inline void files_remove(char *dir)
{
	char *command = NULL;

	assert_true(asprintf(&command, "rm -rf '%s'", dir) > 0);
	assert_int_equal(system(command), 0);
	free(command);
	free(dir);
}

/* The folder of the present test, for programs that take these two as set-up and
 * tear-down. */
static char *files_dir;

static inline int files_set_up(void **state)
{
	(void)state;
	files_dir = files_folder();
	return 0;
}

static inline int files_tear_down(void **state)
{
	(void)state;
	files_remove(files_dir);
	return 0;
}

/* "DIR/NAME", in memory that the next but three calls take again. */
static inline const char *files_path(const char *dir, const char *name)
{
	static char paths[4][512];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

/* Write @len bytes to DIR/NAME and return that path. */
static inline const char *files_put(const char *dir, const char *name, const void *data,
				    size_t len)
{
	const char *path = files_path(dir, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	return path;
}

static inline const char *files_puts(const char *dir, const char *name, const char *text)
{
	return files_put(dir, name, text, strlen(text));
}

/* The content, NUL-terminated; the caller frees it. */
static inline char *files_get(const char *path)
{
	char *data = calloc(1, 1 << 20);
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_non_null(data);
	assert_true(fread(data, 1, (1 << 20) - 1, f) < (1 << 20) - 1);
	fclose(f);
	return data;
}

/* How many there are in @dir: temporary ones would show. */
static inline unsigned int files_count(const char *dir)
{
	DIR *d = opendir(dir);
	unsigned int n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

#endif

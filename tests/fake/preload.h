/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What preloaded kernels of plain files have in common.
 */
#ifndef TESTS_FAKE_PRELOAD_H
#define TESTS_FAKE_PRELOAD_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The file that is open as @fd, or "". */
static const char *path_of(int fd, char path[4096])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, 4095);
	path[n < 0 ? 0 : n] = '\0';
	return path;
}

/* Its first line, or "". */
static void get(const char *path, char text[256])
{
	FILE *f = fopen(path, "r");

	text[0] = '\0';
	if (f && !fgets(text, 256, f))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (f)
		fclose(f);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return;
	fprintf(f, "%s\n", text);
	fclose(f);
}

#endif

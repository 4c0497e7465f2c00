/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command line of fdtedit, run inside of the fuzz target.
 */
#ifndef TESTS_FUZZ_RUN_H
#define TESTS_FUZZ_RUN_H

#include <stdbool.h>

#include "lib/buf.h"

#define RUN_MAX_ARGS 40

/* Zero it before first use; run_free() afterwards. */
struct run {
	const char *argv[RUN_MAX_ARGS + 2]; /* arguments after the program's name */
	int argc;
	int status;
	char *out, *err; /* what it said */
	size_t out_len, err_len;
};

/* Add an argument; it must outlive the run. */
void run_arg(struct run *r, const char *arg);
/* Run it. Asserts that exit status and what was said belong together. With FUZZ_TELL in
 * the environment it tells both. */
void run_now(struct run *r);
void run_free(struct run *r);

/* Name of a file in the folder of this target, to be freed. */
char *run_file(const char *name);
/* Whole files of that folder. run_get() of a file that is not there: false. */
void run_put(const char *path, const void *data, size_t len);
bool run_get(const char *path, struct buf *content);

#endif

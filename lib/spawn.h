/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run another program: no shell, arguments as given, input from memory, output captured.
 */
#ifndef LIB_SPAWN_H
#define LIB_SPAWN_H

#include <stddef.h>

#include "lib/buf.h"
#include "lib/err.h"

struct spawn {
	const char *const *argv; /* NULL-ended; argv[0] is looked up in PATH */
	const char *input;	 /* its stdin; NULL: /dev/null */
	size_t input_len;
	struct buf *out; /* collects stdout; NULL: our own stdout */
	struct buf *err; /* collects stderr; NULL: our own stderr */
};

/*
 * spawn_run - run and wait
 *
 * Returns the exit status 0..255; -ENOENT with "'gnuplot' not found; install ..." when
 * there is no such program; -EINTR when it died by a signal; -errno otherwise.
 */
int spawn_run(const struct spawn *sp, struct err *err);

/*
 * spawn_close_files - close descriptors @first to @last (~0u: all) in a child that was
 * forked and lives on: a lock or a pipe lives as long as any copy of its descriptor
 *
 * Safe after the fork of a process with threads.
 */
void spawn_close_files(unsigned int first, unsigned int last);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RUN/raw.csv while it is being written: the readings of each window, all in one go,
 * before its row. What a run that was killed left without a row is of no window.
 */
#ifndef CALIB_MEASURE_RAWLOG_H
#define CALIB_MEASURE_RAWLOG_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "calib/raw.h"
#include "lib/err.h"

struct rawlog {
	char path[PATH_MAX];
	bool durable, begun; /* between rawlog_begin() and rawlog_close() */
	int fd;
	off_t good; /* bytes that are whole lines */
	char *text; /* a window's lines */
};

/*
 * rawlog_open - look at RUN/raw.csv; changes nothing
 *
 * 0; -EEXIST when there is a file with another header, -EINVAL when it is no file,
 * -errno.
 */
int rawlog_open(struct rawlog *l, const char *run, bool durable, struct err *err);
/* Create it, or cut half a line off. The caller holds the lock of RUN (session_begin()).
 * 0, -ENOMEM, -errno. Does nothing the second time. */
int rawlog_begin(struct rawlog *l, struct err *err);
/* Add the @n readings of a window, at most PLAN_MAX_READS; all or none. 0 or -errno. */
int rawlog_append(struct rawlog *l, const char *cluster, uint64_t window_ns,
		  const struct raw_reading *r, size_t n, struct err *err);
/* 0 or -errno of the last write. Takes one that was never begun, or zeroed. */
int rawlog_close(struct rawlog *l, struct err *err);

#endif

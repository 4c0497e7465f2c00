/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The RUN folder while it is being written: board.json, and samples.csv to which rows are
 * appended one by one. Every run of the same machine may add to it.
 */
#ifndef CALIB_MEASURE_SESSION_H
#define CALIB_MEASURE_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "calib/runinfo.h"
#include "lib/err.h"
#include "models/sample.h"

struct session {
	char run[PATH_MAX];
	char samples[PATH_MAX];
	struct runinfo info; /* what board.json will say */
	bool exists;	     /* a board.json of this machine is there */
	bool durable;	     /* each row is on the disk before the next is measured */
	bool begun;	     /* between session_begin() and session_close() ... */
	int fd;		     /* ... this is samples.csv */
	off_t good;	     /* bytes of samples.csv that are whole rows */
	off_t torn;	     /* bytes after them: half a row, written when power failed */
	/* what was there before */
	uint64_t rows, cluster_rows[BOARD_MAX_CLUSTERS];
	uint64_t last_time_ns; /* 0 without rows */
	char kernel[128];      /* that the rows there were measured with; "" same */
};

/*
 * session_open - look at RUN; changes nothing
 * @info: the machine that will be measured
 *
 * A RUN that is not there yet is fine. Returns 0; -EEXIST when RUN holds something that
 * cannot be added to: another machine, another virtual board or seed, imported data, a
 * samples.csv with another header; -EINVAL for a board.json or samples.csv that cannot be
 * read; -EACCES, -EROFS and the like when RUN cannot be written.
 */
int session_open(struct session *s, const char *run, const struct runinfo *info,
		 bool durable, struct err *err);
/*
 * session_begin - create what is missing, cut half a row off, write board.json
 *
 * Returns 0, -EBUSY when another calib writes to RUN, -errno.
 */
int session_begin(struct session *s, struct err *err);
/* After a change of s->info: board.json again, unless session_begin() will write it. 0 or
 * -errno. */
int session_update(struct session *s, struct err *err);
/* Add one row, whole or not at all. 0 or -errno. */
int session_append(struct session *s, const struct sample *row, struct err *err);
/* 0 or -errno of the last write. Takes a session that was never begun, or a zeroed one.
 */
int session_close(struct session *s, struct err *err);

#endif

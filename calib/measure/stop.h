/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals that ask the program to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT), as a state that
 * is asked for and not as a handler that runs: they are blocked, stay pending, and the
 * runner looks at safe places. So nothing is cut in the middle (a write to sysfs, a row
 * of samples.csv, the restoring), and load threads, which inherit the mask, are never
 * disturbed.
 */
#ifndef CALIB_MEASURE_STOP_H
#define CALIB_MEASURE_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct stop {
	sigset_t old; /* the mask before, for stop_end() */
};

/*
 * From here on these signals are pending instead of deadly. One that the caller's
 * parent ignores (nohup, a background job of a script) stays ignored.
 */
void stop_begin(struct stop *stop);
/* The mask as it was. A signal that is still pending then acts, unless dropped before. */
void stop_end(struct stop *stop);
/* The signal that asks us to end, or 0. It stays pending. */
int stop_pending(void);
/* Forget those that are pending: what they asked for has been done. */
void stop_drop(void);
/*
 * Was the process stopped and let go on (Ctrl-Z, SIGSTOP) since this was asked last?
 * Its load threads then stood still with it.
 */
bool stop_stood_still(void);
/* CLOCK_MONOTONIC, in ns. */
uint64_t stop_now_ns(void);
/* Sleep until that clock says @ns. 0, or -EINTR at once when a signal asks us to end. */
int stop_sleep_until(uint64_t ns);

#endif

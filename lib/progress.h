/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One progress line with the time left, redrawn in place on stderr, and only on a
 * terminal.
 */
#ifndef LIB_PROGRESS_H
#define LIB_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool on;
	uint64_t start_ns, last_draw_ns;
	int width;
};

/* @now_ns: any steady clock; the caller keeps using the same one. */
void progress_start(struct progress *p, uint64_t now_ns);
/*
 * progress_update - draw "a15 1400 MHz 4 CPUs  37 % ETA 1:05"
 * @left_ns: what the plan says is left
 *
 * Draws at most ten times a second, and always when @done is total.
 */
void progress_update(struct progress *p, uint64_t now_ns, uint64_t done, uint64_t total,
		     uint64_t left_ns, const char *what);
/* Wipe the line, so that other text starts on a clean one. */
void progress_end(struct progress *p);

#endif

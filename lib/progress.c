// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One progress line, redrawn in place.
 */
#include "lib/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_NS     100000000u
#define DEFAULT_WIDTH 80
#define NS_PER_S      1000000000u
#define LONGEST_LINE  200

static int terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 20)
		return DEFAULT_WIDTH;
	return size.ws_col < LONGEST_LINE ? size.ws_col : LONGEST_LINE;
}

void progress_start(struct progress *p, uint64_t now_ns)
{
	*p = (struct progress){ .start_ns = now_ns };
	p->on = isatty(STDERR_FILENO);
	if (p->on)
		p->width = terminal_width();
}

static void format_left(uint64_t left_ns, char *out, size_t size)
{
	uint64_t s = (left_ns + NS_PER_S - 1) / NS_PER_S;

	if (s >= 3600)
		snprintf(out, size, "%" PRIu64 ":%02u:%02u", s / 3600,
			 (unsigned int)(s / 60 % 60), (unsigned int)(s % 60));
	else
		snprintf(out, size, "%u:%02u", (unsigned int)(s / 60),
			 (unsigned int)(s % 60));
}

void progress_update(struct progress *p, uint64_t now_ns, uint64_t done, uint64_t total,
		     uint64_t left_ns, const char *what)
{
	char left[32], tail[64];
	int room;

	if (!p->on)
		return;
	if (done < total && p->last_draw_ns && now_ns - p->last_draw_ns < REDRAW_NS)
		return;
	p->last_draw_ns = now_ns;
	format_left(left_ns, left, sizeof(left));
	snprintf(tail, sizeof(tail), "%3u %% ETA %s",
		 (unsigned int)(total ? 100.0 * done / total : 0), left);
	/* The last column stays free: writing it makes some terminals wrap. */
	room = p->width - 2 - (int)strlen(tail);
	fprintf(stderr, "\r%-*.*s %s", room, room, what, tail);
	fflush(stderr);
}

void progress_end(struct progress *p)
{
	/* Blanks, not an escape sequence: a serial console may be anything. */
	if (p->on && p->last_draw_ns)
		fprintf(stderr, "\r%*s\r", p->width - 1, "");
	p->on = false;
}

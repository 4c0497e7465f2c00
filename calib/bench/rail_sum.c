// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The trapezoid, clipped to a window.
 */
#include "calib/bench/rail_sum.h"

void rail_sum_begin(struct rail_sum *s, uint64_t from_ns, uint64_t mean_ns)
{
	*s = (struct rail_sum){ .from_ns = from_ns, .mean_ns = mean_ns };
}

void rail_sum_until(struct rail_sum *s, uint64_t to_ns)
{
	bool known = s->to_ns;

	s->to_ns = to_ns + 2 * s->mean_ns;
	/* What has come from beyond it is not part of it. */
	if (!known && s->last_ns > s->to_ns)
		s->uj -= s->last_uw * (s->last_ns - s->to_ns) * 1e-9;
}

/* The part of the line from the last reading to (@t, @uw) that is in the window. */
static void add_line(struct rail_sum *s, uint64_t t, double uw)
{
	double length = t - s->last_ns, slope = (uw - s->last_uw) / length;
	double before = s->last_ns < s->from_ns ? s->from_ns - s->last_ns : 0;
	uint64_t a = s->last_ns > s->from_ns ? s->last_ns : s->from_ns;
	uint64_t b = s->to_ns && s->to_ns < t ? s->to_ns : t;
	double at_a, at_b;

	if (b <= a)
		return;
	if (b - a > s->hole_ns)
		s->hole_ns = b - a;
	/* Beyond an interval or two nothing is known of it. */
	if (length <= 2 * s->mean_ns)
		s->uj += slope * before * before / 2 * 1e-9;
	at_a = s->last_uw + slope * (a - s->last_ns);
	at_b = s->last_uw + slope * (b - s->last_ns);
	s->uj += (at_a + at_b) / 2 * (b - a) * 1e-9;
}

void rail_sum_add(struct rail_sum *s, uint64_t time_ns, double power_uw)
{
	if (s->has_last && time_ns <= s->last_ns)
		return;
	if (!s->has_last) {
		/* It was so since the begin, for all we know. */
		s->has_last = true;
		s->first_uw = power_uw;
		s->last_uw = power_uw;
		s->last_ns = s->from_ns < time_ns ? s->from_ns : time_ns;
	}
	if (time_ns > s->last_ns)
		add_line(s, time_ns, power_uw);
	if (time_ns >= s->from_ns && (!s->to_ns || time_ns <= s->to_ns))
		s->reads++;
	if (time_ns <= s->from_ns)
		s->first_uw = power_uw;
	s->last_ns = time_ns;
	s->last_uw = power_uw;
}

bool rail_sum_end(struct rail_sum *s, double *uj)
{
	if (!s->has_last)
		return false;
	if (s->to_ns > s->last_ns)
		add_line(s, s->to_ns, s->last_uw);
	*uj = s->uj - (s->first_uw + s->last_uw) * (s->mean_ns * 1e-9);
	/* Noise around nothing. */
	if (*uj < 0)
		*uj = 0;
	return true;
}

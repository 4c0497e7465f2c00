// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a meter is like, from its own readings.
 */
#include "calib/measure/traits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NS_PER_MS 1000000ull

/* Looks are taken after 4, 8, 16, 32 readings: its last quarter against the one before.
 */
#define FIRST_LOOK  4
#define LAST_LOOK   32
#define GAP_NS	    (25 * NS_PER_MS) /* between those of a fast meter */
#define MAX_LOOK_NS (120000 * NS_PER_MS)
#define SETTLED	    0.03 /* of the step */
#define SHOWN	    0.10
#define CLEAR_STEP  0.05 /* of the power; with less the load hardly shows */

#define COARSE	   0.03 /* of the power: values this far apart are told */
#define WINDOW_ERR 0.01 /* of the power, of a window, from the steps of the values */
#define MAX_MORE   4	/* times the readings of a fine meter */

struct series {
	uint64_t time_ns[LAST_LOOK];
	double uw[LAST_LOOK];
	unsigned int count;
};

static double mean(const double *uw, unsigned int n)
{
	double sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += uw[i];
	return sum / n;
}

static uint64_t now_ns(const struct meter *mt)
{
	return mt->machine->ops->now_ns(mt->machine);
}

static int fill(struct series *s, struct meter *mt, unsigned int upto, struct err *err)
{
	struct reading r;
	int ret;

	while (s->count < upto) {
		if (mt->end_ns && now_ns(mt) >= mt->end_ns)
			return 0;
		ret = meter_next(mt, &r, err);
		if (ret == -ENODATA && mt->bad > LAST_LOOK)
			return 0;
		if (ret == -ENODATA)
			continue;
		if (ret)
			return ret;
		if (s->count && r.time_ns < s->time_ns[s->count - 1] + GAP_NS)
			continue;
		s->time_ns[s->count] = r.time_ns;
		s->uw[s->count++] = r.power_uw;
	}
	return 0;
}

static bool is_settled(const struct series *s, double loaded_uw)
{
	unsigned int quarter = s->count / 4;
	const double *end = s->uw + s->count;
	double last = mean(end - quarter, quarter);
	double before = mean(end - 2 * quarter, quarter);

	return fabs(last - before) <= SETTLED * fabs(loaded_uw - last);
}

/* The first reading from which on all show the step. */
static uint64_t response(const struct series *s, uint64_t ended_ns, double loaded_uw)
{
	unsigned int quarter = s->count / 4, i = s->count;
	double last = mean(s->uw + s->count - quarter, quarter);
	double step = fabs(loaded_uw - last);

	if (step < CLEAR_STEP * fabs(loaded_uw))
		return 0;
	while (i && fabs(s->uw[i - 1] - last) <= SHOWN * step)
		i--;
	if (i == s->count)
		i--;
	return s->time_ns[i] > ended_ns ? s->time_ns[i] - ended_ns : 0;
}

int traits_response(struct traits *t, struct meter *mt, uint64_t ended_ns,
		    int64_t loaded_uw, struct err *err)
{
	struct series s = { .count = 0 };
	unsigned int upto;
	int ret;

	t->load_uw = loaded_uw;
	t->grid_uw = mt->grid_uw;
	for (upto = FIRST_LOOK; upto <= LAST_LOOK; upto *= 2) {
		ret = fill(&s, mt, upto, err);
		if (ret)
			return ret;
		if (s.count < upto)
			return 0;
		if (is_settled(&s, loaded_uw))
			break;
		/* Nobody has that much time. */
		if (now_ns(mt) > ended_ns + MAX_LOOK_NS)
			return 0;
	}
	t->grid_uw = mt->grid_uw;
	/* It drifts for some other reason; windows show that. */
	if (upto > LAST_LOOK)
		return 0;
	t->response_ns = response(&s, ended_ns, loaded_uw);
	/* The update in which the load ends, and one after it, are waited for anyway. */
	if (t->response_ns <= 2 * mt->slot_ns + GAP_NS)
		t->response_ns = 0;
	return 0;
}

/* How many readings bring the steps' part of a window's error below WINDOW_ERR. */
static unsigned int reads_for(const struct traits *t)
{
	double n = t->grid_uw / (sqrt(12) * WINDOW_ERR * llabs(t->load_uw));

	return t->load_uw ? fmin(ceil(n * n), PLAN_MAX_READS) : 0;
}

bool traits_fit(const struct traits *t, struct plan_timing *timing)
{
	unsigned int reads = reads_for(t), most = MAX_MORE * timing->reads;
	bool changed = false;

	/* After twice nine tenths an exponential mean is at 99 %, a moving one long at
	 * the end. */
	if (2 * t->response_ns > timing->lead_ns) {
		timing->lead_ns = 2 * t->response_ns;
		changed = true;
	}
	if (most > PLAN_MAX_READS)
		most = PLAN_MAX_READS;
	if (reads > most)
		reads = most;
	if (reads > timing->reads) {
		timing->reads = reads;
		changed = true;
	}
	return changed;
}

static char *format_time(uint64_t ns, char *out, size_t size)
{
	bool long_time = ns >= 10000 * NS_PER_MS;

	snprintf(out, size, "%.3g %s", ns / (long_time ? 1e9 : 1e6),
		 long_time ? "s" : "ms");
	return out;
}

static size_t add(char *out, size_t size, size_t len, const char *text)
{
	if (len < size)
		len += snprintf(out + len, size - len, "%s%s", len ? "; " : "", text);
	return len;
}

char *traits_format(const struct traits *t, char *out, size_t size)
{
	char part[128], a[24], b[24];
	size_t len = 0;

	out[0] = '\0';
	if (t->still)
		len = add(out, size, len,
			  "the value did not change while it was watched");
	if (t->interval_ns && t->interval_ns != t->stated_ns) {
		if (t->stated_ns)
			snprintf(part, sizeof(part),
				 "updates every %s (its driver says %s)",
				 format_time(t->interval_ns, a, sizeof(a)),
				 format_time(t->stated_ns, b, sizeof(b)));
		else
			snprintf(part, sizeof(part), "updates every %s",
				 format_time(t->interval_ns, a, sizeof(a)));
		len = add(out, size, len, part);
	}
	if (t->response_ns) {
		snprintf(part, sizeof(part), "averages: a change of load shows after %s",
			 format_time(t->response_ns, a, sizeof(a)));
		len = add(out, size, len, part);
	}
	if (t->grid_uw > COARSE * llabs(t->load_uw)) {
		snprintf(part, sizeof(part), "is coarse: its values are %.3g mW apart",
			 t->grid_uw / 1e3);
		add(out, size, len, part);
	}
	return out;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The clock of an external meter against ours.
 */
#include "calib/measure/marker.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define STEPS_PER_CHIP 64 /* of the search; then as many again about the best */
#define READS_PER_CHIP 2
#define MEANS_PER_CHIP 16

/* How well the readings follow the pattern, and by how much. */
struct match {
	double r, step_uw;
};

bool marker_on(unsigned int i)
{
	static const char code[MARKER_CHIPS + 1] = "1111100110101";

	return i < MARKER_CHIPS && code[i] == '1';
}

uint64_t marker_chip_ns(uint64_t interval_ns)
{
	uint64_t chip = 4 * interval_ns;

	return chip > MARKER_MIN_CHIP_NS ? chip : MARKER_MIN_CHIP_NS;
}

/* What @offset makes of the readings; those far from the pattern have no part in it. */
static struct match match_at(const struct marker *m, const struct marker_sample *s,
			     size_t count, int64_t offset)
{
	int64_t first = m->edge_ns[0], last = m->edge_ns[MARKER_CHIPS];
	int64_t margin = (last - first) / MARKER_CHIPS;
	double n = 0, on = 0, sum = 0, sum_on = 0, squares = 0;
	double mean, var, share, cov;
	unsigned int chip = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t t = s[i].time_ns + offset;
		double uw = s[i].power_uw - s[0].power_uw;

		if (t < first - margin || t >= last + margin)
			continue;
		while (chip < MARKER_CHIPS && t >= (int64_t)m->edge_ns[chip + 1])
			chip++;
		n++;
		sum += uw;
		squares += uw * uw;
		if (t >= first && marker_on(chip)) {
			on++;
			sum_on += uw;
		}
	}
	if (n < READS_PER_CHIP * MARKER_CHIPS || !(on > 0) || !(on < n))
		return (struct match){ -2, 0 };
	mean = sum / n;
	share = on / n;
	var = squares / n - mean * mean;
	cov = sum_on / n - share * mean;
	if (!(var > 0))
		return (struct match){ 0, 0 };
	return (struct match){ cov / sqrt(var * share * (1 - share)),
			       cov / (share * (1 - share)) };
}

/* The best of @from .. @to; where several are, the middle: readings are coarser than
 * that. */
static struct match search(const struct marker *m, const struct marker_sample *s,
			   size_t count, int64_t from, int64_t to, int64_t step,
			   int64_t *where)
{
	struct match best = { -3, 0 };
	int64_t first = from, last = from;

	for (int64_t d = from; d <= to; d += step) {
		struct match at = match_at(m, s, count, d);

		if (at.r > best.r + 1e-9) {
			best = at;
			first = last = d;
		} else if (at.r > best.r - 1e-9 && d - last <= step) {
			last = d;
		}
	}
	*where = first + (last - first) / 2;
	return best;
}

/*
 * Means of a few readings each, about MEANS_PER_CHIP a chip: what a fast meter's single
 * readings scatter says nothing about whether the load shows. Returns how many.
 */
static size_t condense(const struct marker_sample *s, size_t count, int64_t chip_ns,
		       struct marker_sample *out)
{
	int64_t span = count > 1 ? s[count - 1].time_ns - s[0].time_ns : 0;
	size_t group = 1, n = 0;

	if (span > 0)
		group += (double)chip_ns / MEANS_PER_CHIP / ((double)span / (count - 1));
	for (size_t i = 0; i + group <= count; i += group, n++) {
		double time = 0, power = 0;

		for (size_t k = i; k < i + group; k++) {
			time += s[k].time_ns - s[i].time_ns;
			power += s[k].power_uw;
		}
		out[n].time_ns = s[i].time_ns + llround(time / group);
		out[n].power_uw = power / group;
	}
	return n;
}

static int find_in(const struct marker *m, const struct marker_sample *s, size_t count,
		   int64_t from, int64_t to, int64_t *offset_ns, double *step_uw,
		   struct err *err)
{
	int64_t step = (m->edge_ns[MARKER_CHIPS] - m->edge_ns[0]) / MARKER_CHIPS /
		       STEPS_PER_CHIP;
	struct match best;

	best = search(m, s, count, from, to, step, offset_ns);
	if (best.r < -1)
		return err_set(
			err, -ENODATA,
			"too few readings came for the marker load to be found in");
	best = search(m, s, count, *offset_ns - step, *offset_ns + step,
		      step / STEPS_PER_CHIP + 1, offset_ns);
	*step_uw = best.step_uw;
	if (best.r < MARKER_MIN_R)
		return err_set(
			err, -ENODATA,
			"the marker load (%d times on and off) does not show in "
			"the readings (correlation %.2f, %.2f is needed): does this "
			"meter measure this machine?",
			MARKER_CHIPS, best.r, MARKER_MIN_R);
	return 0;
}

int marker_find(const struct marker *m, const struct marker_sample *samples, size_t count,
		int64_t from, int64_t to, int64_t *offset_ns, double *step_uw,
		struct err *err)
{
	int64_t chip_ns = (m->edge_ns[MARKER_CHIPS] - m->edge_ns[0]) / MARKER_CHIPS;
	struct marker_sample *means = calloc(count + 1, sizeof(*means));
	int ret;

	if (!means)
		return err_set(err, -ENOMEM, "out of memory");
	count = condense(samples, count, chip_ns, means);
	ret = find_in(m, means, count, from, to, offset_ns, step_uw, err);
	free(means);
	return ret;
}

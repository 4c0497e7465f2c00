// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The clock that was delivered, from cycles or from work.
 */
#include "calib/measure/delivered.h"

#include <errno.h>
#include <math.h>

#define BUSY_ENOUGH 0.1 /* of the window */

bool delivered_differs(uint32_t khz, uint32_t asked_khz)
{
	return fabs((double)khz - asked_khz) > DELIVERED_TOLERANCE * asked_khz;
}

uint32_t delivered_scale(uint32_t khz, uint32_t max_khz)
{
	return max_khz ? llround((double)khz * DELIVERED_SCALE / max_khz) : 0;
}

/*
 * Time that the loaded CPUs ran: the window's, unless the cluster was busy for less, by
 * more than busy time can be off.
 */
static uint64_t ran_ns(const struct usage *begin, const struct usage *end,
		       unsigned int ncpus)
{
	uint64_t ns = (end->time_ns - begin->time_ns) * ncpus;
	uint64_t busy_ns = end->busy_ns - begin->busy_ns;

	if (begin->busy_known && end->busy_known && busy_ns + end->busy_step_ns < ns)
		return busy_ns;
	return ns;
}

/* The CPU whose clock is furthest from what was asked for. */
static int worst_of_each(const struct usage *begin, const struct usage *end,
			 uint32_t asked_khz, uint32_t *khz)
{
	uint64_t ns = end->time_ns - begin->time_ns;
	double worst = -1;

	for (unsigned int i = 0; i < end->loaded; i++) {
		const struct usage_cpu *a = &begin->each[i], *b = &end->each[i];
		double one;

		if (!ns || b->cycles <= a->cycles)
			return -ENOENT;
		one = (b->cycles - a->cycles) * 1e6 / ns;
		if (fabs(one - asked_khz) > worst) {
			worst = fabs(one - asked_khz);
			*khz = llround(one);
		}
	}
	return 0;
}

int delivered_by_cycles(const struct usage *begin, const struct usage *end,
			unsigned int ncpus, uint32_t asked_khz, uint32_t *khz)
{
	uint64_t ns = ran_ns(begin, end, ncpus);

	if (!ncpus || !ns || end->cycles <= begin->cycles)
		return -ENOENT;
	/* CPUs that sleep: a few ticks of busy time are no measure. */
	if (ns < BUSY_ENOUGH * (end->time_ns - begin->time_ns) * ncpus)
		return -ENOENT;
	*khz = llround((end->cycles - begin->cycles) * 1e6 / ns);
	/* One CPU alone may be off, and the mean not tell. */
	if (end->loaded == ncpus && begin->loaded == ncpus &&
	    ns == (end->time_ns - begin->time_ns) * ncpus)
		return worst_of_each(begin, end, asked_khz, khz);
	return 0;
}

double delivered_rate(const struct usage *begin, const struct usage *end,
		      unsigned int ncpus)
{
	uint64_t ns = ran_ns(begin, end, ncpus);

	/* Work is done in the load's own time: others may have taken some of the CPU's.
	 */
	if (end->load_ns > begin->load_ns)
		ns = end->load_ns - begin->load_ns;
	if (!ncpus || !ns || end->work <= begin->work)
		return 0;
	return (end->work - begin->work) * 1e9 / ns;
}

/* How many points of another clock have this one's work per clock. */
static unsigned int count_agreeing(const struct delivered_point *points,
				   unsigned int count, const struct delivered_point *p)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < count; i++) {
		double expected = p->rate / p->asked_khz * points[i].asked_khz;

		n += points[i].asked_khz != p->asked_khz &&
		     fabs(points[i].rate - expected) <= DELIVERED_TOLERANCE * expected;
	}
	return n;
}

double delivered_reference(const struct delivered_point *points, unsigned int count)
{
	const struct delivered_point *best = NULL;
	unsigned int most = 0;

	for (unsigned int i = 0; i < count; i++) {
		unsigned int n;

		if (points[i].rate <= 0)
			continue;
		n = count_agreeing(points, count, &points[i]);
		if (n > most ||
		    (n && n == most && points[i].asked_khz > best->asked_khz)) {
			most = n;
			best = &points[i];
		}
	}
	return best ? best->rate / best->asked_khz : 0;
}

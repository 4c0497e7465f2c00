// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which unit a running kernel's energy model is in.
 */
#include "models/em_shown.h"

#include <stdlib.h>
#include <string.h>

#include "models/kernel_em.h"

static bool is_abstract(const struct em_shown *d)
{
	if (!strcmp(d->units, "bogoWatts"))
		return true;
	return d->has_flags &&
	       (!(d->flags & EM_FLAG_WATTS) || (d->flags & EM_FLAG_ARTIFICIAL));
}

/* Kernels that reckon in mW refuse more than 16 bits of it. */
static bool is_too_much_for_mw(const struct em_shown *d)
{
	unsigned int i;

	for (i = 0; i < d->state_count; i++)
		if (d->states[i].power > EM_MAX_POWER_MW_V56)
			return true;
	return false;
}

static bool has_performance(const struct em_shown *d)
{
	return d->state_count && d->states[0].has_performance;
}

enum em_unit em_shown_unit(const struct em_shown *d, unsigned int release, bool *sure,
			   const char **why)
{
	*sure = true;
	if (is_abstract(d)) {
		*why = "the kernel says so";
		return EM_ABSTRACT;
	}
	if (has_performance(d)) {
		*why = "states have a performance, as from v6.9 on";
		return EM_MICROWATT;
	}
	if (!d->has_flags) {
		*why = "no flags, as before v5.16";
		return EM_MILLIWATT;
	}
	if (is_too_much_for_mw(d)) {
		*why = "more than the 65535 that kernels take which reckon in mW";
		return EM_MICROWATT;
	}
	*sure = false;
	if (!release) {
		*why = "flag 0x1 is mW before v6.0 and uW since, and the release is not "
		       "known";
		return EM_UNIT_UNKNOWN;
	}
	*why = "by the kernel's release";
	return release >= EM_RELEASE(6, 0) ? EM_MICROWATT : EM_MILLIWATT;
}

unsigned int em_shown_inefficient(const struct em_shown *d)
{
	uint64_t lowest = UINT64_MAX;
	unsigned int i = d->state_count, n = 0;

	while (i-- > 0) {
		const struct em_shown_state *s = &d->states[i];

		if (s->has_inefficient) {
			n += s->inefficient;
		} else if (s->has_cost) {
			n += s->cost >= lowest;
			lowest = s->cost < lowest ? s->cost : lowest;
		}
	}
	return n;
}

unsigned int em_complexity(unsigned int domains, unsigned int cpus, unsigned int states)
{
	return domains * (cpus + states);
}

const char *em_unit_name(enum em_unit unit)
{
	switch (unit) {
	case EM_MICROWATT:
		return "uW";
	case EM_MILLIWATT:
		return "mW";
	case EM_ABSTRACT:
		return "of an abstract scale";
	default:
		return "of an unknown unit";
	}
}

unsigned int em_release(const char *text)
{
	char *end;
	unsigned long major, minor;

	if (*text < '0' || *text > '9')
		return 0;
	major = strtoul(text, &end, 10);
	if (end[0] != '.' || end[1] < '0' || end[1] > '9')
		return 0;
	minor = strtoul(end + 1, NULL, 10);
	if (!major || major > 999 || minor > 999)
		return 0;
	return EM_RELEASE(major, minor);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which meters are rails, and which of those see what others see.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calib/bench/rails_internal.h"

static bool is_kind(const struct meter_info *m, const char *kind)
{
	return !strcmp(meter_kind_name(m), kind);
}

/* Memory is told below its package, whose counter does not hold it. */
static bool is_memory(const struct meter_info *m)
{
	return (is_kind(m, "rapl") && !strcmp(m->channel, "dram")) ||
	       (is_kind(m, "perf") && !strcmp(m->device, "energy-ram"));
}

/* A zone of powercap below another: "intel-rapl:0:1" in "intel-rapl:0". */
static bool is_subzone(const struct meter_info *zone, const struct meter_info *sub)
{
	size_t len = strlen(zone->path);

	return !is_memory(sub) && !strncmp(zone->path, sub->path, len) &&
	       sub->path[len] == ':';
}

/* Of perf's events the package's own holds all of a package but its memory. */
static bool is_subevent(const struct meter_info *pkg, const struct meter_info *sub)
{
	return !strcmp(pkg->device, "energy-pkg") && pkg->addr == sub->addr &&
	       sub->scope == METER_RAIL && !is_memory(sub);
}

static bool counts_for_rapl(const struct meter_info *m)
{
	return is_kind(m, "rapl") || is_kind(m, "perf");
}

/* The same counters by another way: perf's events, and zones over MMIO. */
static bool is_second_way(const struct meter_info *a, const struct meter_info *b)
{
	return is_kind(a, "rapl") && counts_for_rapl(b) && strcmp(a->driver, b->driver);
}

/* power1 and energy1 of a chip. */
static bool is_same_channel(const struct meter_info *a, const struct meter_info *b)
{
	return is_kind(a, "hwmon") && is_kind(b, "hwmon") &&
	       !strcmp(a->device, b->device) && !strncmp(b->channel, "energy", 6) &&
	       !strcmp(a->channel + strcspn(a->channel, "0123456789"), b->channel + 6) &&
	       strcmp(a->channel, b->channel) != 0;
}

/* Does meter @a see all that @b sees? */
static bool contains(const struct meter_info *a, const struct meter_info *b)
{
	if (a->scope == METER_DEVICE)
		return b->scope != METER_DEVICE;
	if (b->scope == METER_DEVICE)
		return false;
	if (is_kind(a, "rapl") && is_kind(b, "rapl") && is_subzone(a, b))
		return true;
	if (is_kind(a, "perf") && is_kind(b, "perf") && a != b && is_subevent(a, b))
		return true;
	return is_second_way(a, b) || is_same_channel(a, b);
}

void rails_find_overlaps(struct rails *r)
{
	bool device = false;

	for (unsigned int i = 0; i < r->count; i++) {
		struct rail *rail = &r->rails[i];

		/* Two that see the whole board: the first one. */
		rail->info.summed = rail->pm.info.scope != METER_DEVICE || !device;
		device |= rail->pm.info.scope == METER_DEVICE;
		for (unsigned int k = 0; k < r->count; k++)
			if (k != i && contains(&r->rails[k].pm.info, &rail->pm.info))
				rail->info.summed = false;
	}
}

static int no_room(struct err *err)
{
	return err_set(err, -E2BIG,
		       "there are more than %d power meters; choose some with --sensor",
		       RAILS_MAX);
}

static int add_rail(struct rails *r, const struct meter_info *info, struct err *err)
{
	struct rail *rail = &r->rails[r->count];
	unsigned int lost;
	double uj;
	int ret;

	if (r->count == RAILS_MAX)
		return no_room(err);
	ret = power_meter_open(&r->meters, info, &rail->pm, err);
	if (ret)
		return ret;
	ret = power_meter_may_start(&rail->pm, r->settings->sys, err);
	if (ret) {
		power_meter_close(&rail->pm);
		return ret;
	}
	snprintf(rail->info.name, sizeof(rail->info.name), "%s", info->name);
	rail->info.interval_us = info->interval_us;
	rail->info.counted = power_meter_counted(&rail->pm, &uj, &lost);
	r->count++;
	return 0;
}

static int add_asked(struct rails *r, const char *spec, struct err *err)
{
	const struct meter_info *info;
	int ret = meters_find(&r->meters, spec, &info, err);

	for (unsigned int i = 0; !ret && i < r->count; i++)
		if (!strcmp(r->rails[i].pm.info.name, info->name))
			return err_set(err, -EINVAL, "--sensor '%s' is given twice",
				       spec);
	return ret ? ret : add_rail(r, info, err);
}

/* libsensors shows a battery among the chips. */
static bool is_battery_chip(const struct meters *all, const struct meter_info *m)
{
	for (unsigned int i = 0; i < all->count; i++)
		if (is_kind(&all->list[i], "battery") && is_kind(m, "hwmon") &&
		    !strcmp(all->list[i].device, m->driver))
			return true;
	return false;
}

/* Is it seen by a rail that there is already? */
static bool is_seen(const struct rails *r, const struct meter_info *m)
{
	for (unsigned int i = 0; i < r->count; i++)
		if (contains(&r->rails[i].pm.info, m))
			return true;
	return false;
}

/* All of @scope that can be used. @why: of the first that cannot. */
static int add_scope(struct rails *r, enum meter_scope scope, struct err *why,
		     struct err *err)
{
	struct err one;

	for (unsigned int i = 0; i < r->meters.count; i++) {
		const struct meter_info *m = &r->meters.list[i];

		one = (struct err){ "" };
		if (m->scope != scope || (m->by_name && !is_memory(m)) ||
		    is_battery_chip(&r->meters, m) || is_seen(r, m))
			continue;
		if (r->count == RAILS_MAX)
			return no_room(err);
		if (add_rail(r, m, &one) && !why->msg[0])
			*why = one;
	}
	return 0;
}

/* Packages before their parts. The whole board only where it is all there is. */
static int add_all(struct rails *r, struct err *why, struct err *err)
{
	int ret = add_scope(r, METER_PACKAGE, why, err);

	if (!ret)
		ret = add_scope(r, METER_RAIL, why, err);
	if (!ret && !r->count)
		ret = add_scope(r, METER_DEVICE, why, err);
	return ret;
}

int rails_choose(struct rails *r, const struct rails_options *opt, struct err *err)
{
	struct err why = { "" };
	int ret = 0;

	for (unsigned int i = 0; i < opt->sensor_count && !ret; i++)
		ret = add_asked(r, opt->sensors[i], err);
	if (!ret && opt->power_from)
		ret = add_asked(r, METERS_STREAM_SPEC, err);
	if (ret || opt->sensor_count || opt->power_from)
		return ret;
	ret = add_all(r, &why, err);
	if (!ret && !r->count)
		rails_note(r, "no power meter can be used (%s): only times are measured",
			   why.msg[0] ? why.msg : "none was found; see 'calib probe'");
	return ret;
}

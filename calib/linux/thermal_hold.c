// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thermal_zoneN/policy and thermal_zoneN/mode, and the hard stop that replaces what they
 * did.
 */
#include "calib/linux/thermal_hold.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BELOW_CRITICAL_MC 10000
#define MAX_UNREAD	  3

static const struct {
	const char *name; /* what the user says, and what is written */
	const char *attr;
} modes[] = {
	[THERMAL_USER_SPACE] = { "user_space", "policy" },
	[THERMAL_DISABLED] = { "disabled", "mode" },
};

struct path {
	char text[SYSFS_PATH];
};

static struct path attr(unsigned int zone, const char *name)
{
	struct path p;

	snprintf(p.text, sizeof(p.text), THERMAL_DIR "/thermal_zone%u/%s", zone, name);
	return p;
}

int thermal_mode_parse(const char *text, enum thermal_mode *mode, struct err *err)
{
	*mode = THERMAL_KERNEL;
	if (!text)
		return 0;
	for (size_t i = THERMAL_USER_SPACE; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(text, modes[i].name))
			*mode = i;
	if (*mode == THERMAL_KERNEL)
		return err_set(err, -EINVAL,
			       "--thermal-mode '%s' is not user_space or disabled", text);
	return 0;
}

static int check_user_space(const struct sysfs *sys, unsigned int zone, struct err *err)
{
	char text[SYSFS_TEXT];
	int ret = sysfs_read(sys, attr(zone, "available_policies").text, text,
			     sizeof(text), err);

	if (ret || sysfs_has_word(text, "user_space"))
		return ret;
	return err_set(err, -ENOTSUP,
		       "thermal_zone%u: this kernel has no governor user_space (it has "
		       "'%s'); --thermal-mode disabled does without, and without the "
		       "kernel's critical trip points",
		       zone, text);
}

static int find_stop(const struct sysfs *sys, unsigned int zone, int32_t max_mc,
		     int32_t *stop_mc, struct err *err)
{
	int32_t critical_mc;

	*stop_mc = max_mc ? max_mc : INT32_MAX;
	if (thermal_critical_mc(sys, zone, &critical_mc))
		return max_mc ? 0
			      : err_set(err, -ENOENT,
					"thermal_zone%u tells no critical trip point: "
					"say with --max-temp where the run is to end",
					zone);
	if (critical_mc - BELOW_CRITICAL_MC < *stop_mc)
		*stop_mc = critical_mc - BELOW_CRITICAL_MC;
	return 0;
}

static int add_zone(const struct sysfs *sys, unsigned int zone, int32_t max_mc,
		    struct thermal_hold *h, struct err *err)
{
	int ret;

	ret = sysfs_may_write(sys, attr(zone, modes[h->mode].attr).text, err);
	if (!ret && h->mode == THERMAL_USER_SPACE)
		ret = check_user_space(sys, zone, err);
	if (!ret)
		ret = find_stop(sys, zone, max_mc, &h->stop_mc[h->count], err);
	if (!ret)
		h->zones[h->count++] = zone;
	return ret;
}

int thermal_hold_find(const struct sysfs *sys, const struct thermal *th,
		      enum thermal_mode mode, int32_t max_mc, struct thermal_hold *h,
		      struct err *err)
{
	bool throttled;
	int ret = 0;

	*h = (struct thermal_hold){ .mode = mode };
	if (!th->cutter_count)
		return err_set(err, -ENOENT,
			       "no thermal zone is known that cuts this clock: leave "
			       "--thermal-mode out");
	for (unsigned int i = 0; i < th->cutter_count && !ret; i++)
		ret = add_zone(sys, th->cutters[i], max_mc, h, err);
	if (!ret && !thermal_throttled(sys, th, &throttled, NULL) && throttled)
		ret = err_set(err, -EBUSY,
			      "the kernel is cutting the clock for heat, and would not "
			      "stop to: let it cool first");
	return ret ? ret : thermal_hold_check(sys, h, THERMAL_LOOK_NS, err);
}

int thermal_hold_save(struct state *st, const struct thermal_hold *h, struct err *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < h->count && !ret; i++)
		ret = state_save(st, attr(h->zones[i], modes[h->mode].attr).text, err);
	return ret;
}

int thermal_hold_begin(const struct sysfs *sys, const struct thermal_hold *h,
		       struct err *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < h->count && !ret; i++)
		ret = sysfs_set(sys, attr(h->zones[i], modes[h->mode].attr).text,
				modes[h->mode].name, err);
	return ret;
}

static int check_zone(const struct sysfs *sys, struct thermal_hold *h, unsigned int i,
		      struct err *err)
{
	int32_t temp_mc, stop_mc = h->stop_mc[i];
	unsigned int zone = h->zones[i];

	if (thermal_zone_mc(sys, zone, &temp_mc)) {
		if (++h->unread[i] < MAX_UNREAD)
			return 0;
		return err_set(err, -ECANCELED,
			       "thermal_zone%u cannot be read, and the kernel does not "
			       "look after it (--thermal-mode): load stopped",
			       zone);
	}
	h->unread[i] = 0;
	if (temp_mc < stop_mc)
		return 0;
	return err_set(err, -ECANCELED,
		       "thermal_zone%u is at %.1f degrees, the limit under "
		       "--thermal-mode is %.1f: load stopped; let it cool, leave out the "
		       "highest operating points, or cool it better",
		       zone, temp_mc / 1e3, stop_mc / 1e3);
}

int thermal_hold_check(const struct sysfs *sys, struct thermal_hold *h, uint64_t now_ns,
		       struct err *err)
{
	int ret = 0;

	if (!h->count || now_ns < h->looked_ns + THERMAL_LOOK_NS)
		return 0;
	h->looked_ns = now_ns;
	for (unsigned int i = 0; i < h->count && !ret; i++)
		ret = check_zone(sys, h, i, err);
	return ret;
}

int thermal_hold_stop_mc(const struct thermal_hold *h, int32_t *temp_mc)
{
	*temp_mc = INT32_MAX;
	for (unsigned int i = 0; i < h->count; i++)
		if (h->stop_mc[i] < *temp_mc)
			*temp_mc = h->stop_mc[i];
	return h->count ? 0 : -ENOENT;
}

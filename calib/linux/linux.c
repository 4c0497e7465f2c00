// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * struct machine over a real Linux system: taking control, pinning, reading, and putting
 * everything back.
 */
#include "calib/linux/linux.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/hotplug.h"
#include "calib/linux/internal.h"
#include "calib/linux/quiet.h"
#include "calib/measure/stop.h"

void linux_note(const struct linux_machine *lm, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (!lm->opt.note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	lm->opt.note(lm->opt.note_arg, text);
}

/* All that can be known without a write. */
static int check_ready(struct linux_machine *lm, unsigned int cluster, struct err *err)
{
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	const struct linux_cluster *lc = &lm->clusters[cluster];
	unsigned int offline[BOARD_MAX_CPUS], n, i;
	int ret;

	for (i = 0; i < c->policy_count; i++) {
		ret = cpufreq_can_pin(&c->policies[i], err);
		if (ret)
			return ret;
	}
	if (!lc->has_sensor && !lm->opt.clock_only) {
		if (err)
			*err = lc->sensor_err;
		return lc->sensor_ret;
	}
	for (i = 0; i < c->policy_count; i++) {
		ret = cpufreq_may_pin(&lm->sys, &c->policies[i], err);
		if (ret)
			return ret;
	}
	n = lm->opt.online ? hotplug_offline(&lm->sys, c->cpus, c->cpu_count, offline)
			   : 0;
	ret = hotplug_may_switch(&lm->sys, offline, n, err);
	if (!ret && lm->opt.thermal_mode != THERMAL_KERNEL)
		ret = thermal_hold_find(&lm->sys, &lc->thermal, lm->opt.thermal_mode,
					lm->opt.max_temp_mc, &lm->hold, err);
	if (ret)
		return ret;
	return lc->has_sensor ? power_meter_may_start(&lc->sensor, &lm->sys, err) : 0;
}

int linux_bring_up(struct linux_machine *lm, const unsigned int *cpus, unsigned int ncpus,
		   struct err *err)
{
	unsigned int offline[BOARD_MAX_CPUS];
	unsigned int n = hotplug_offline(&lm->sys, cpus, ncpus, offline);
	int ret;

	if (!n)
		return 0;
	ret = hotplug_may_switch(&lm->sys, offline, n, err);
	if (!ret)
		ret = settings_hold(&lm->settings, err);
	if (!ret)
		ret = hotplug_save(&lm->settings.state, offline, n, err);
	if (!ret)
		ret = settings_commit(&lm->settings, err);
	return ret ? ret : hotplug_bring_up(&lm->sys, offline, n, err);
}

static int take_policy(const struct linux_machine *lm, const struct cpufreq_policy *p,
		       struct err *err)
{
	uint32_t max_khz;
	unsigned int i, n = 0;
	int ret;

	ret = cpufreq_take(&lm->sys, p, &max_khz, err);
	if (ret)
		return ret;
	for (i = 0; i < p->khz_count; i++)
		n += p->khz[i] > max_khz;
	if (n)
		linux_note(
			lm,
			"policy%u: the kernel keeps scaling_max_freq at %u; %u operating "
			"points above it are out of reach",
			p->id, max_khz, n);
	return 0;
}

int linux_restore(struct machine *m, struct err *err)
{
	struct linux_machine *lm = to_linux(m);
	unsigned int i;

	linux_load_stop(m, NULL);
	quiet_move_back(lm);
	lm->hold.count = 0;
	for (i = 0; i < BOARD_MAX_CLUSTERS; i++) {
		power_meter_stop(&lm->clusters[i].sensor);
		lm->clusters[i].prepared = false;
	}
	return settings_restore(&lm->settings, 0, err);
}

/* All settings that will be changed, into the state file. */
static int save_settings(struct linux_machine *lm, unsigned int cluster, struct err *err)
{
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	int ret = thermal_hold_save(&lm->settings.state, &lm->hold, err);

	for (unsigned int i = 0; !ret && i < c->policy_count; i++)
		ret = cpufreq_save(&lm->settings.state, &c->policies[i], err);
	if (!ret)
		ret = power_meter_save(&lm->clusters[cluster].sensor, &lm->settings.state,
				       err);
	if (ret)
		return ret;
	quiet_save(lm, cluster);
	return settings_commit(&lm->settings, err);
}

static int change_settings(struct linux_machine *lm, unsigned int cluster,
			   struct err *err)
{
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	int ret = thermal_hold_begin(&lm->sys, &lm->hold, err);

	for (unsigned int i = 0; !ret && i < c->policy_count; i++)
		ret = take_policy(lm, &c->policies[i], err);
	if (!ret)
		ret = power_meter_start(&lm->clusters[cluster].sensor, &lm->sys,
					lm->opt.note, lm->opt.note_arg, err);
	if (ret)
		return ret;
	quiet_park(lm, cluster);
	quiet_move(lm, cluster);
	return linux_align(lm, cluster, err);
}

static int linux_prepare(struct machine *m, unsigned int cluster, struct err *err)
{
	struct linux_machine *lm = to_linux(m);
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	struct err first, besides;
	int ret;

	ret = check_ready(lm, cluster, err);
	if (!ret)
		ret = settings_hold(&lm->settings, err);
	if (ret)
		return ret;
	/* Only a policy that has an online CPU tells its settings. */
	if (lm->opt.online)
		ret = linux_bring_up(lm, c->cpus, c->cpu_count, err);
	if (!ret)
		ret = save_settings(lm, cluster, err);
	if (!ret)
		ret = change_settings(lm, cluster, err);
	if (ret) {
		if (linux_restore(m, &besides) && err) {
			first = *err;
			err_set(err, ret, "%.400s; besides, %.500s", first.msg,
				besides.msg);
		}
		return ret;
	}
	lm->clusters[cluster].prepared = true;
	lm->clusters[cluster].taken_away = false;
	lm->clusters[cluster].pinned_khz = 0;
	return 0;
}

static int linux_set_opp(struct machine *m, unsigned int cluster, uint32_t khz,
			 struct err *err)
{
	struct linux_machine *lm = to_linux(m);
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	struct linux_cluster *lc = &lm->clusters[cluster];
	uint32_t made = khz, one;
	unsigned int i;
	int ret = 0;

	if (!lc->prepared)
		return err_set(err, -EINVAL, "cluster '%s' was not prepared", c->name);
	for (i = 0; lc->taken_away && i < c->policy_count && !ret; i++)
		ret = take_policy(lm, &c->policies[i], err);
	if (ret)
		return ret;
	lc->taken_away = false;
	for (i = 0; i < c->policy_count; i++) {
		ret = cpufreq_pin(&lm->sys, &c->policies[i], khz, &one, err);
		if (!ret && i && one != made)
			ret = err_set(err, -EIO,
				      "policy%u makes %u kHz of %u, policy%u %u: the "
				      "cluster has no one clock",
				      c->policies[0].id, made, khz, c->policies[i].id,
				      one);
		if (ret)
			return ret;
		made = one;
	}
	lc->pinned_khz = made;
	if (!lc->use_regulator ||
	    regulator_read_uv(&lm->sys, &lc->regulator, &lc->pinned_uv))
		lc->pinned_uv = 0;
	return 0;
}

static uint32_t linux_made_khz(struct machine *m, unsigned int cluster)
{
	return to_linux(m)->clusters[cluster].pinned_khz;
}

/* The slowest of the cluster's policies. */
static int linux_read_khz(struct machine *m, unsigned int cluster, uint32_t *khz,
			  struct err *err)
{
	struct linux_machine *lm = to_linux(m);
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	uint32_t one, lowest = UINT32_MAX;
	unsigned int i;
	int ret;

	for (i = 0; i < c->policy_count; i++) {
		ret = cpufreq_cur_khz(&lm->sys, &c->policies[i], lm->load_cpu_count > 0,
				      &one, err);
		if (ret)
			return ret;
		if (one < lowest)
			lowest = one;
	}
	*khz = lowest;
	return 0;
}

static int linux_read_power(struct machine *m, unsigned int cluster, struct reading *r,
			    struct err *err)
{
	struct linux_machine *lm = to_linux(m);
	struct linux_cluster *lc = &lm->clusters[cluster];
	int ret;

	if (!lc->has_sensor)
		return err_set(err, -ENODEV, "cluster '%s' has no power sensor",
			       lm->topo->clusters[cluster].name);
	ret = power_meter_read(&lc->sensor, stop_now_ns(), r, err);
	if (!lc->sensor.tells_volts)
		r->volt_uv = lc->pinned_uv;
	return ret;
}

static int linux_read_temp(struct machine *m, unsigned int cluster, int32_t *temp_mc,
			   struct err *err)
{
	struct linux_machine *lm = to_linux(m);

	return thermal_read_mc(&lm->sys, &lm->clusters[cluster].thermal, temp_mc, err);
}

static int linux_read_trip(struct machine *m, unsigned int cluster, int32_t *temp_mc,
			   struct err *err)
{
	struct linux_machine *lm = to_linux(m);

	if (!thermal_hold_stop_mc(&lm->hold, temp_mc))
		return 0;
	return thermal_trip_mc(&lm->sys, &lm->clusters[cluster].thermal, temp_mc, err);
}

/* A CPU that was offline between two looks leaves its load elsewhere. */
static int verify_loads(const struct linux_machine *lm, struct err *err)
{
	for (unsigned int i = 0; lm->loads && i < lm->load_cpu_count; i++)
		if (loads_lost_cpu(lm->loads, i))
			return err_set(err, -EBUSY,
				       "the load is no longer pinned to CPU %u: it was "
				       "offline, or somebody set its affinity",
				       lm->load_cpus[i]);
	return 0;
}

/* The load stood still with us, and the first reading after is not of it. */
static int verify_went_on(struct err *err)
{
	if (!stop_stood_still())
		return 0;
	return err_set(err, -EBUSY,
		       "calib was stopped for a while (Ctrl-Z, SIGSTOP), and its load "
		       "with it");
}

static bool is_other(int ret)
{
	return ret == -EBUSY || ret == -ENODEV;
}

static int linux_verify(struct machine *m, unsigned int cluster, struct err *err)
{
	struct linux_machine *lm = to_linux(m);
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	struct linux_cluster *lc = &lm->clusters[cluster];
	bool limited = false;
	int ret = 0;

	if (thermal_throttled(&lm->sys, &lc->thermal, &limited, NULL))
		limited = false;
	for (unsigned int i = 0; i < c->policy_count && !is_other(ret); i++)
		ret = cpufreq_verify(&lm->sys, &c->policies[i], lc->pinned_khz, limited,
				     err);
	/* What cannot be read now, the next set_opp() will tell. */
	if (!is_other(ret))
		ret = verify_went_on(err);
	if (!is_other(ret))
		return verify_loads(lm, err);
	lc->taken_away = true;
	return ret;
}

static int linux_throttled(struct machine *m, unsigned int cluster, bool *yes,
			   struct err *err)
{
	struct linux_machine *lm = to_linux(m);
	const struct topology_cluster *c = &lm->topo->clusters[cluster];
	uint32_t max_khz;
	unsigned int i;
	int ret;

	ret = thermal_throttled(&lm->sys, &lm->clusters[cluster].thermal, yes, NULL);
	if (ret)
		*yes = false;
	for (i = 0; i < c->policy_count; i++) {
		ret = cpufreq_limit_khz(&lm->sys, &c->policies[i], &max_khz, err);
		if (ret)
			return ret;
		/* The highest clock that a driver makes may be above its maximum. */
		if (max_khz < lm->clusters[cluster].pinned_khz &&
		    max_khz < c->policies[i].max_khz)
			*yes = true;
	}
	return 0;
}

static uint64_t linux_now_ns(struct machine *m)
{
	(void)m;
	return stop_now_ns();
}

int linux_sleep_until(struct machine *m, uint64_t ns, struct err *err)
{
	struct linux_machine *lm = to_linux(m);
	uint64_t until;

	do {
		int ret = thermal_hold_check(&lm->sys, &lm->hold, stop_now_ns(), err);

		if (ret)
			return ret;
		until = stop_now_ns() + THERMAL_LOOK_NS;
		if (!lm->hold.count || until > ns)
			until = ns;
		ret = stop_sleep_until(until);
		if (ret)
			return err_set(err, ret, "interrupted");
	} while (until < ns);
	return 0;
}

static void linux_close(struct machine *m)
{
	struct linux_machine *lm = to_linux(m);
	unsigned int i;

	if (!lm)
		return;
	linux_restore(m, NULL);
	settings_close(&lm->settings);
	for (i = 0; i < BOARD_MAX_CLUSTERS; i++)
		power_meter_close(&lm->clusters[i].sensor);
	meters_close(&lm->meters);
	free(lm->topo);
	free(lm);
}

static void linux_describe(struct machine *m, unsigned int cluster,
			   struct runinfo_cluster *c)
{
	const struct linux_cluster *lc = &to_linux(m)->clusters[cluster];

	snprintf(c->irqs_stayed, sizeof(c->irqs_stayed), "%s", lc->irqs_stayed);
}

static const struct machine_ops linux_ops = {
	.discover = linux_discover,
	.prepare = linux_prepare,
	.describe = linux_describe,
	.set_opp = linux_set_opp,
	.made_khz = linux_made_khz,
	.read_khz = linux_read_khz,
	.read_power = linux_read_power,
	.read_temp = linux_read_temp,
	.throttled = linux_throttled,
	.read_trip = linux_read_trip,
	.verify = linux_verify,
	.load_start = linux_load_start,
	.read_usage = linux_read_usage,
	.load_stop = linux_load_stop,
	.now_ns = linux_now_ns,
	.sleep_until = linux_sleep_until,
	.restore = linux_restore,
	.close = linux_close,
};

int linux_open(const struct linux_options *opt, struct machine **m, struct err *err)
{
	struct linux_machine *lm = calloc(1, sizeof(*lm));
	int ret;

	if (!lm)
		return err_set(err, -ENOMEM, "out of memory");
	lm->topo = calloc(1, sizeof(*lm->topo));
	ret = lm->topo ? sysfs_init(&lm->sys, opt->sysroot, err)
		       : err_set(err, -ENOMEM, "out of memory");
	if (ret) {
		free(lm->topo);
		free(lm);
		return ret;
	}
	lm->machine.ops = &linux_ops;
	lm->opt = *opt;
	settings_init(&lm->settings, &lm->sys, opt->note, opt->note_arg);
	*m = &lm->machine;
	return 0;
}

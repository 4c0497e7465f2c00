// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pinning a policy's clock: governor userspace where there is one, else equal limits;
 * never without reading back what the kernel made of it.
 */
#include "calib/linux/cpufreq.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calib/measure/machine.h"

#define RESYNC_US 20000

struct attr {
	char path[SYSFS_PATH];
};

static struct attr attr(const struct cpufreq_policy *p, const char *name)
{
	struct attr a;

	snprintf(a.path, sizeof(a.path), CPUFREQ_DIR "/policy%u/%s", p->id, name);
	return a;
}

static int read_khz(const struct sysfs *sys, const struct cpufreq_policy *p,
		    const char *name, uint32_t *khz, struct err *err)
{
	return sysfs_read_u32(sys, attr(p, name).path, khz, err);
}

static int write_khz(const struct sysfs *sys, const struct cpufreq_policy *p,
		     const char *name, uint32_t khz, struct err *err)
{
	char text[16];

	snprintf(text, sizeof(text), "%u\n", khz);
	return sysfs_write(sys, attr(p, name).path, text, err);
}

int cpufreq_can_pin(const struct cpufreq_policy *p, struct err *err)
{
	static const struct {
		const char *driver, *status, *param;
	} active[] = {
		{ "intel_pstate", "intel_pstate/status", "intel_pstate=passive" },
		{ "amd-pstate-epp", "amd_pstate/status", "amd_pstate=passive" },
	};
	size_t i;

	if (p->way == CPUFREQ_SETSPEED)
		return 0;
	/* These choose the clock in hardware: equal limits are no more than a hint. */
	for (i = 0; i < sizeof(active) / sizeof(active[0]); i++)
		if (!strcmp(p->driver, active[i].driver))
			return err_set(
				err, -ENOTSUP,
				"policy%u: driver %s has no userspace governor (active "
				"mode); write 'passive' to /sys/devices/system/cpu/%s or "
				"boot with %s",
				p->id, p->driver, active[i].status, active[i].param);
	return 0;
}

static int may_write(const struct sysfs *sys, const struct cpufreq_policy *p,
		     const char *name, struct err *err)
{
	int ret = sysfs_may_write(sys, attr(p, name).path, err);

	if (ret == -EACCES)
		return err_set(err, ret,
			       "policy%u: %s is not writable for this user; run as root",
			       p->id, name);
	if (ret == -EROFS)
		return err_set(
			err, ret,
			"policy%u: %s is on a read-only mount (a container?); run on "
			"the machine itself",
			p->id, name);
	return ret;
}

int cpufreq_may_pin(const struct sysfs *sys, const struct cpufreq_policy *p,
		    struct err *err)
{
	char boost[SYSFS_PATH];
	int ret;

	ret = may_write(sys, p, "scaling_min_freq", err);
	if (!ret)
		ret = may_write(sys, p, "scaling_max_freq", err);
	if (!ret && p->way == CPUFREQ_SETSPEED)
		ret = may_write(sys, p, "scaling_governor", err);
	if (!ret && p->way == CPUFREQ_SETSPEED)
		ret = may_write(sys, p, "scaling_setspeed", err);
	if (!ret && p->boost_wanted && !cpufreq_boost_path(sys, p, boost, NULL))
		ret = sysfs_may_write(sys, boost, err);
	return ret;
}

int cpufreq_save(struct state *st, const struct cpufreq_policy *p, struct err *err)
{
	char boost[SYSFS_PATH];
	uint32_t khz;
	int ret = 0;

	/* Put back first: the limits that follow are those without it. */
	if (p->boost_wanted)
		ret = cpufreq_boost_path(st->sys, p, boost, err);
	if (!ret && p->boost_wanted)
		ret = state_save(st, boost, err);
	if (!ret)
		ret = state_save(st, attr(p, "scaling_min_freq").path, err);
	if (!ret)
		ret = state_save(st, attr(p, "scaling_max_freq").path, err);
	if (ret || p->way != CPUFREQ_SETSPEED)
		return ret;
	ret = state_save(st, attr(p, "scaling_governor").path, err);
	if (ret)
		return ret;
	/* Under another governor it reads "<unsupported>", which nobody can write back.
	 */
	ret = read_khz(st->sys, p, "scaling_setspeed", &khz, err);
	if (ret)
		return ret == -ENOTSUP ? 0 : ret;
	return state_save(st, attr(p, "scaling_setspeed").path, err);
}

/* Old kernels refuse a minimum above the maximum: open the far side first. */
static int set_limits(const struct sysfs *sys, const struct cpufreq_policy *p,
		      uint32_t min_khz, uint32_t max_khz, struct err *err)
{
	uint32_t now_max;
	int ret;

	ret = read_khz(sys, p, "scaling_max_freq", &now_max, err);
	if (ret)
		return ret;
	if (min_khz > now_max) {
		ret = write_khz(sys, p, "scaling_max_freq", max_khz, err);
		if (!ret)
			ret = write_khz(sys, p, "scaling_min_freq", min_khz, err);
	} else {
		ret = write_khz(sys, p, "scaling_min_freq", min_khz, err);
		if (!ret)
			ret = write_khz(sys, p, "scaling_max_freq", max_khz, err);
	}
	return ret;
}

static int switch_boost_on(const struct sysfs *sys, const struct cpufreq_policy *p,
			   struct err *err)
{
	char path[SYSFS_PATH];
	int ret = cpufreq_boost_path(sys, p, path, err);

	return ret ? ret : sysfs_set(sys, path, "1", err);
}

int cpufreq_take(const struct sysfs *sys, const struct cpufreq_policy *p,
		 uint32_t *max_khz, struct err *err)
{
	int ret = 0;

	if (p->boost_wanted)
		ret = switch_boost_on(sys, p, err);
	if (!ret)
		ret = set_limits(sys, p, p->min_khz, p->max_khz, err);
	if (!ret)
		ret = cpufreq_limit_khz(sys, p, max_khz, err);
	if (!ret && p->way == CPUFREQ_SETSPEED)
		ret = sysfs_set(sys, attr(p, "scaling_governor").path, "userspace", err);
	if (ret)
		return err_wrap(err, ret, "policy%u", p->id);
	return 0;
}

/*
 * A driver without a table may round: intel_cpufreq, whose P cores have 78741 kHz per
 * state, makes 866151 kHz of 800000 (intel_cpufreq_target() in
 * drivers/cpufreq/intel_pstate.c). Its own clocks it takes as they are.
 */
static int set_speed(const struct sysfs *sys, const struct cpufreq_policy *p,
		     uint32_t khz, uint32_t *made_khz, struct err *err)
{
	uint32_t now, off;
	int ret = write_khz(sys, p, "scaling_setspeed", khz, err);

	if (!ret)
		ret = read_khz(sys, p, "scaling_setspeed", &now, err);
	if (ret)
		return ret;
	off = now > khz ? now - khz : khz - now;
	if (off && (p->has_list || off >= MACHINE_STEP_KHZ))
		return err_set(err, -EIO, "asked for %u kHz, driver %s makes it %u", khz,
			       p->driver, now);
	*made_khz = now;
	return 0;
}

/* scaling_setspeed reads back the clock that the policy has now. */
static int pin_setspeed(const struct sysfs *sys, const struct cpufreq_policy *p,
			uint32_t khz, uint32_t *made_khz, struct err *err)
{
	char governor[sizeof(p->governor)];
	int ret;

	ret = sysfs_read(sys, attr(p, "scaling_governor").path, governor,
			 sizeof(governor), err);
	if (ret)
		return ret;
	if (strcmp(governor, "userspace") != 0)
		return err_set(
			err, -EIO,
			"governor is '%s', no longer userspace: something else sets it; "
			"stop that service",
			governor);
	return set_speed(sys, p, khz, made_khz, err);
}

static int pin_clamp(const struct sysfs *sys, const struct cpufreq_policy *p,
		     uint32_t khz, struct err *err)
{
	uint32_t min_khz, max_khz;
	int ret;

	ret = set_limits(sys, p, khz, khz, err);
	if (!ret)
		ret = read_khz(sys, p, "scaling_min_freq", &min_khz, err);
	if (!ret)
		ret = read_khz(sys, p, "scaling_max_freq", &max_khz, err);
	if (ret)
		return ret;
	if (min_khz != khz || max_khz != khz)
		return err_set(err, -EIO, "asked for %u kHz, the limits read %u..%u", khz,
			       min_khz, max_khz);
	return 0;
}

int cpufreq_pin(const struct sysfs *sys, const struct cpufreq_policy *p, uint32_t khz,
		uint32_t *made_khz, struct err *err)
{
	uint32_t max_khz, made = khz;
	int ret;

	if (p->way == CPUFREQ_CLAMP) {
		ret = pin_clamp(sys, p, khz, err);
		if (!ret && made_khz)
			*made_khz = khz;
		return ret ? err_wrap(err, ret, "policy%u", p->id) : 0;
	}
	ret = cpufreq_limit_khz(sys, p, &max_khz, err);
	if (!ret && khz > max_khz)
		ret = err_set(
			err, -EIO,
			"%u kHz is out of reach: the kernel keeps scaling_max_freq at "
			"%u (a thermal or power limit, or a service that sets it)",
			khz, max_khz);
	if (!ret)
		ret = pin_setspeed(sys, p, khz, &made, err);
	if (!ret && made_khz)
		*made_khz = made;
	return ret ? err_wrap(err, ret, "policy%u", p->id) : 0;
}

static int verify_governor(const struct sysfs *sys, const struct cpufreq_policy *p,
			   struct err *err)
{
	char governor[sizeof(p->governor)];
	int ret;

	if (p->way != CPUFREQ_SETSPEED)
		return 0;
	ret = sysfs_read(sys, attr(p, "scaling_governor").path, governor,
			 sizeof(governor), err);
	if (!ret && strcmp(governor, "userspace") != 0)
		ret = err_set(
			err, -EBUSY,
			"policy%u: somebody changed scaling_governor from userspace "
			"to %s",
			p->id, governor);
	return ret;
}

/* @name must read @lowest..@highest. */
static int verify_khz(const struct sysfs *sys, const struct cpufreq_policy *p,
		      const char *name, uint32_t lowest, uint32_t highest,
		      struct err *err)
{
	uint32_t khz;
	int ret = read_khz(sys, p, name, &khz, err);

	if (ret || (khz >= lowest && khz <= highest))
		return ret;
	return err_set(err, -EBUSY, "policy%u: somebody changed %s from %u to %u", p->id,
		       name, khz < lowest ? lowest : highest, khz);
}

/*
 * Whoever reads cpuinfo_cur_freq, a monitor as well as we, may make it read what the
 * hardware says for a moment, until the kernel has set the clock again
 * (cpufreq_verify_current_freq() in drivers/cpufreq/cpufreq.c). A change lasts.
 */
static int verify_setspeed(const struct sysfs *sys, const struct cpufreq_policy *p,
			   uint32_t lowest, uint32_t highest, struct err *err)
{
	int ret = verify_khz(sys, p, "scaling_setspeed", lowest, highest, err);

	if (ret != -EBUSY)
		return ret;
	usleep(RESYNC_US);
	return verify_khz(sys, p, "scaling_setspeed", lowest, highest, err);
}

int cpufreq_verify(const struct sysfs *sys, const struct cpufreq_policy *p, uint32_t khz,
		   bool limited, struct err *err)
{
	uint32_t least = limited ? 0 : khz;
	int ret = cpufreq_verify_online(sys, p, err);

	if (!ret)
		ret = verify_governor(sys, p, err);
	if (ret || !khz)
		return ret;
	if (p->way == CPUFREQ_SETSPEED) {
		ret = verify_setspeed(sys, p, least, khz, err);
		if (!ret)
			ret = verify_khz(sys, p, "scaling_min_freq", 0, khz, err);
		if (!ret)
			ret = verify_khz(sys, p, "scaling_max_freq",
					 least < p->max_khz ? least : p->max_khz,
					 UINT32_MAX, err);
		return ret;
	}
	ret = verify_khz(sys, p, "scaling_min_freq", least, khz, err);
	if (!ret)
		ret = verify_khz(sys, p, "scaling_max_freq", least, khz, err);
	return ret;
}

int cpufreq_cur_khz(const struct sysfs *sys, const struct cpufreq_policy *p,
		    bool ask_hardware, uint32_t *khz, struct err *err)
{
	int ret;

	if (ask_hardware && !read_khz(sys, p, "cpuinfo_cur_freq", khz, NULL) && *khz)
		return 0;
	ret = read_khz(sys, p, "scaling_cur_freq", khz, err);
	if (!ret && !*khz)
		ret = -ENOTSUP;
	if (ret == -ENOENT || ret == -ENOTSUP)
		return err_set(err, -ENOENT,
			       "policy%u: the kernel tells no present clock", p->id);
	return ret;
}

int cpufreq_limit_khz(const struct sysfs *sys, const struct cpufreq_policy *p,
		      uint32_t *khz, struct err *err)
{
	return read_khz(sys, p, "scaling_max_freq", khz, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpufreq policies: what they offer, and pinning their clock.
 */
#ifndef CALIB_LINUX_CPUFREQ_H
#define CALIB_LINUX_CPUFREQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boards/board.h"
#include "calib/linux/state.h"
#include "calib/linux/sysfs.h"

#define CPUFREQ_DIR	     "/sys/devices/system/cpu/cpufreq"
#define CPUFREQ_MAX_POLICIES 256
#define CPUFREQ_MAX_BOOST    16

enum cpufreq_way {
	CPUFREQ_SETSPEED, /* governor userspace, scaling_setspeed */
	CPUFREQ_CLAMP,	  /* scaling_min_freq = scaling_max_freq */
};

struct cpufreq_policy {
	unsigned int id; /* policyN */
	unsigned int related[BOARD_MAX_CPUS], related_count;
	/* affected_cpus; after cpufreq_count_offline() those that can be, too */
	unsigned int online[BOARD_MAX_CPUS], online_count;
	char driver[32];
	char governor[32];
	uint32_t min_khz, max_khz;    /* cpuinfo_* */
	uint32_t khz[BOARD_MAX_OPPS]; /* ascending; boost clocks only while boost is on */
	unsigned int khz_count;
	bool has_list; /* false: khz[] are requests, no OPP table of the kernel */
	/* Where they come from then: "limits" (evenly between them), "dt", "user"; NULL
	 * with a list. */
	const char *points_from;
	uint32_t boost_khz[CPUFREQ_MAX_BOOST]; /* ascending */
	unsigned int boost_count;
	bool boost_on;
	bool boost_wanted; /* cpufreq_take() switches it on */
	enum cpufreq_way way;
};

/*
 * cpufreq_list - the numbers of all policies, ascending
 *
 * Returns how many, at least 1; -ENODEV when there is none, with what to do next.
 */
int cpufreq_list(const struct sysfs *sys, unsigned int ids[CPUFREQ_MAX_POLICIES],
		 struct err *err);

/*
 * cpufreq_read - all there is to know of a policy
 *
 * A policy whose CPUs are all offline has online_count 0 and only its CPUs are filled in.
 * Returns 0, -errno, -EINVAL (an attribute that makes no sense, named), -ERANGE.
 */
int cpufreq_read(const struct sysfs *sys, unsigned int id, struct cpufreq_policy *p,
		 struct err *err);

/* From here on CPUs that are offline and can be brought online count as online. */
void cpufreq_count_offline(const struct sysfs *sys, struct cpufreq_policy *p);
/* The CPUs of the policy that are not online now, into @cpus. How many. */
unsigned int cpufreq_not_online(const struct sysfs *sys, const struct cpufreq_policy *p,
				unsigned int cpus[BOARD_MAX_CPUS]);

/*
 * cpufreq_want_boost - from here on boost clocks are operating points like others
 *
 * Writes nothing. 0; -ENOENT there is no switch for boost; -ERANGE too many clocks.
 */
int cpufreq_want_boost(const struct sysfs *sys, struct cpufreq_policy *p,
		       struct err *err);
/* The switch of its boost: its own, or one for all. 0 or -ENOENT. */
int cpufreq_boost_path(const struct sysfs *sys, const struct cpufreq_policy *p,
		       char path[SYSFS_PATH], struct err *err);

/* Can its clock be pinned at all? 0, or -ENOTSUP with what to do; writes nothing. */
int cpufreq_can_pin(const struct cpufreq_policy *p, struct err *err);
/* May we write what pinning needs? 0, or -EACCES "... run as root". */
int cpufreq_may_pin(const struct sysfs *sys, const struct cpufreq_policy *p,
		    struct err *err);

/* Remember all that pinning will change. */
int cpufreq_save(struct state *st, const struct cpufreq_policy *p, struct err *err);
/*
 * cpufreq_take - open the limits as far as they go, select the governor
 * @max_khz: the highest clock the kernel allows afterwards; less than p->max_khz when
 *	     something keeps scaling_max_freq down
 *
 * Call after cpufreq_save() and state_commit(). 0, -errno, -EIO when the governor did
 * not change.
 */
int cpufreq_take(const struct sysfs *sys, const struct cpufreq_policy *p,
		 uint32_t *max_khz, struct err *err);
/*
 * cpufreq_pin - pin the clock and read back what was accepted
 * @made_khz: what the driver made of @khz; another clock only where it has no list, and
 *	      off by less than MACHINE_STEP_KHZ, even above max_khz. May be NULL.
 *
 * Returns 0, -errno, -EIO when governor, limits or clock are not what was asked for.
 */
int cpufreq_pin(const struct sysfs *sys, const struct cpufreq_policy *p, uint32_t khz,
		uint32_t *made_khz, struct err *err);

/* Has the policy the CPUs that it had? 0, -ENODEV naming the first that it has not, or
 * has in addition, or telling that the policy has none any more; -errno. */
int cpufreq_verify_online(const struct sysfs *sys, const struct cpufreq_policy *p,
			  struct err *err);
/*
 * cpufreq_verify - is the policy still as cpufreq_pin() left it?
 * @khz: that cpufreq_pin() made; 0: not yet, only the governor is looked at
 * @limited: a thermal limit is at work, which may lower maximum and clock
 *
 * Returns 0, -EBUSY naming what is now another and what it was set to, -ENODEV as
 * cpufreq_verify_online(), -errno.
 */
int cpufreq_verify(const struct sysfs *sys, const struct cpufreq_policy *p, uint32_t khz,
		   bool limited, struct err *err);

/*
 * cpufreq_cur_khz - scaling_cur_freq, what the kernel takes the clock for
 * @ask_hardware: cpuinfo_cur_freq where there is one. For loaded CPUs: idle ones may
 *		  stand at any clock, and what is more than 1 MHz off the kernel takes
 *		  for the policy's and sets the clock again (cpufreq_verify_current_freq()
 *		  in drivers/cpufreq/cpufreq.c)
 *
 * Returns 0, -ENOENT when neither tells a number, -errno.
 */
int cpufreq_cur_khz(const struct sysfs *sys, const struct cpufreq_policy *p,
		    bool ask_hardware, uint32_t *khz, struct err *err);
/* scaling_max_freq, into which the kernel folds thermal and power limits. */
int cpufreq_limit_khz(const struct sysfs *sys, const struct cpufreq_policy *p,
		      uint32_t *khz, struct err *err);

#endif

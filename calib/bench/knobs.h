/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cpufreq settings under which an experiment runs: governor, energy/performance
 * preference (EPP), and the mode of a driver that has several (intel_pstate, amd_pstate:
 * active, passive). They are saved through calib/linux/settings.h and put back
 * in every kind of end: knobs_restore(), a signal (the caller holds it back, see
 * calib/measure/stop.h), death by SIGKILL.
 */
#ifndef CALIB_BENCH_KNOBS_H
#define CALIB_BENCH_KNOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boards/board.h"
#include "calib/linux/cpufreq.h"
#include "calib/linux/settings.h"
#include "calib/linux/sysfs.h"
#include "lib/err.h"

/* What to set. Zeroed: everything stays as it is. */
struct knobs_combo {
	char mode[16]; /* of the driver; "": as it is. It is the same for all policies */
	char governor[32]; /* "": as it is */
	char epp[32];	   /* a name or 0..255; "": as it is */
	/* Of which policies; none: of all. */
	unsigned int policies[CPUFREQ_MAX_POLICIES], policy_count;
};

/* What one policy is set to now. "" and 0: it does not tell. */
struct knobs_policy {
	unsigned int id;			      /* policyN */
	unsigned int cpus[BOARD_MAX_CPUS], cpu_count; /* online; 0: all are offline */
	char driver[32], governor[32], epp[32];
	uint32_t min_khz, max_khz; /* scaling_min_freq, scaling_max_freq */
};

struct knobs {
	const struct sysfs *sys;
	struct settings *settings;
	struct knobs_policy
		policies[CPUFREQ_MAX_POLICIES]; /* as knobs_open() found them */
	unsigned int policy_count;		/* 0: no cpufreq here */
	bool applied;
	unsigned int first; /* of what is saved of ours, when something is applied */
};

/*
 * knobs_parse - "governor=schedutil", "epp=power",
 * "governor=powersave,epp=power,policy=4"
 *
 * policy=N may be repeated. "" is everything as it is. Returns 0; -EINVAL for anything
 * else, quoted.
 */
int knobs_parse(const char *text, struct knobs_combo *c, struct err *err);
/* The same of two options; NULL: not given. */
int knobs_of(const char *governor, const char *epp, struct knobs_combo *c,
	     struct err *err);
/* Is @now, of one policy, what @asked made of it? Its governor and EPP are told. */
bool knobs_same(const struct knobs_combo *asked, const struct knobs_combo *now);
/* Does it leave everything as it is? */
bool knobs_empty(const struct knobs_combo *c);
/* For tables: "powersave/balance_power", "passive schedutil", "as set". Returns @out. */
const char *knobs_name(const struct knobs_combo *c, char *out, size_t size);
/*
 * knobs_product - every mode with every governor and every EPP
 * @modes, @governors, @epps: comma-separated; NULL: as they are
 *
 * Returns how many are in @out, at least 1; -EINVAL for an empty name, or one twice;
 * -ERANGE for more than @max.
 */
int knobs_product(const char *modes, const char *governors, const char *epps,
		  struct knobs_combo *out, unsigned int max, struct err *err);

/*
 * knobs_open - look at the policies; changes nothing, needs no rights
 * @settings: borrowed; what was saved there before the first knobs_apply() stays saved
 * until their owner puts it back
 *
 * Returns 0, also where there is no cpufreq at all (policy_count is 0); -errno.
 */
int knobs_open(struct knobs *k, struct settings *settings, struct err *err);
/*
 * knobs_check - could @c be applied?
 *
 * Changes nothing, so that what another mode of the driver offers is not known; then
 * knobs_apply() returns the same. 0; -ENODEV no cpufreq, or no such policy; -EINVAL it is
 * not offered (what is offered gets named); -ENOTSUP the policy has no such setting;
 * -EACCES run as root; -EROFS.
 */
int knobs_check(const struct knobs *k, const struct knobs_combo *c, struct err *err);
/*
 * knobs_apply - set @c and read it back
 *
 * What @c leaves as it is, is as knobs_open() found it, whatever was applied in between:
 * combinations do not depend on their order. A @c that sets nothing changes nothing and
 * needs no rights. Call it without threads (see settings_commit()). Returns what
 * knobs_check() does; -EBUSY another calib is measuring; -EIO the kernel made something
 * else of it. After a failure everything is back, or the message says what is not.
 */
int knobs_apply(struct knobs *k, const struct knobs_combo *c, struct err *err);
/* Put everything back. May be called at any time, twice. 0, -EIO naming what is not. */
int knobs_restore(struct knobs *k, struct err *err);
/*
 * knobs_describe - what policy number @i (of policies[]) is set to now
 *
 * For the context of a result. Returns 0; -ENOENT past the end; -errno.
 */
int knobs_describe(const struct knobs *k, unsigned int i, struct knobs_policy *now,
		   struct err *err);
#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine that is measured, as the plan and the runner see it. Two implementations:
 * linux/ (sysfs, libsensors, real loads) and sim/ (virtual board, virtual time). The
 * runner, the statistics and the restore logic are the same code for both.
 *
 * Clusters are indices into the runinfo that discover() filled.
 */
#ifndef CALIB_MEASURE_MACHINE_H
#define CALIB_MEASURE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "calib/runinfo.h"
#include "lib/err.h"

#define MACHINE_STEP_KHZ 100000 /* of a driver that rounds, at most */

struct machine;

/* One reading of a cluster's power meter. */
struct reading {
	uint64_t time_ns;
	int64_t power_uw;
	uint32_t volt_uv; /* at the rail; 0: this sensor does not tell */
};

/* Of one CPU that runs the load. */
struct usage_cpu {
	unsigned int cpu;
	uint64_t work;	 /* units of the load; 0: unknown */
	uint64_t cycles; /* 0: unknown */
};

/* Running totals since load_start(); the caller takes differences over a window. */
struct usage {
	uint64_t time_ns;
	uint64_t busy_ns;   /* summed over the cluster's CPUs, other tasks included; see
			       busy_known */
	uint64_t work;	    /* units of the load; 0: unknown */
	uint64_t cycles;    /* summed over the loaded CPUs; 0: unknown */
	uint64_t load_ns;   /* CPU time that the load's threads had; 0: unknown */
	bool counts_cycles; /* else cycles are 0 for want of a counter */
	bool busy_known;
	uint64_t busy_step_ns; /* a difference of busy_ns may be that far off; 0: exact */
	uint64_t throttles;  /* how often the hardware has cut the clock by itself, as far
				as  it counts that; it began anywhere */
	unsigned int loaded; /* CPUs in each[]; 0: they are not told one by one */
	struct usage_cpu each[BOARD_MAX_CPUS];
};

struct machine_ops {
	/*
	 * What is there. Changes nothing. -ENODEV with what to do next when it cannot be
	 * measured at all (no cpufreq), clusters without a sensor are listed with sensor
	 * "".
	 */
	int (*discover)(struct machine *m, struct runinfo *info, struct err *err);
	/*
	 * Take control of the cluster: save what will be changed, then governor and
	 * limits; the other clusters are parked at their lowest clock. Checks sensor and
	 * rights before the first write: -ENODEV no sensor, -EACCES not root, -ENOTSUP no
	 * way to pin the clock, all with what to do next and nothing changed.
	 */
	int (*prepare)(struct machine *m, unsigned int cluster, struct err *err);
	/* What prepare() found out about the cluster, into @c. May be NULL. */
	void (*describe)(struct machine *m, unsigned int cluster,
			 struct runinfo_cluster *c);
	/* Pin the clock and read back what the kernel accepted; -EIO when it is another
	 * one, but for what a driver without a table rounds to: see made_khz(). */
	int (*set_opp)(struct machine *m, unsigned int cluster, uint32_t khz,
		       struct err *err);
	/* The clock that the last set_opp() made, off by less than MACHINE_STEP_KHZ.
	 * NULL: what it was asked for. */
	uint32_t (*made_khz)(struct machine *m, unsigned int cluster);
	/* The delivered clock as well as this machine can tell. -ENOENT: it cannot. */
	int (*read_khz)(struct machine *m, unsigned int cluster, uint32_t *khz,
			struct err *err);
	/* Hot path: allocates nothing. -EAGAIN: try again; -EIO/-ENODATA: this reading is
	 * bad. */
	int (*read_power)(struct machine *m, unsigned int cluster, struct reading *r,
			  struct err *err);
	/* -ENOENT: no thermometer. */
	int (*read_temp)(struct machine *m, unsigned int cluster, int32_t *temp_mc,
			 struct err *err);
	/* Is a thermal or power limit cutting the clock now? Cuts that come and go
	 * between two looks are in usage.throttles. */
	int (*throttled)(struct machine *m, unsigned int cluster, bool *yes,
			 struct err *err);
	/*
	 * Where the kernel begins to cut the clock, lowest trip point of the cluster's
	 * thermal zones. -ENOENT: it is not told. May be NULL.
	 */
	int (*read_trip)(struct machine *m, unsigned int cluster, int32_t *temp_mc,
			 struct err *err);
	/*
	 * Is all that prepare() and set_opp() set still so, and did the load run all the
	 * time? -EBUSY naming what somebody else changed; the next set_opp() takes it
	 * back. -ENODEV: CPUs went offline or came online. A thermal limit is no change,
	 * throttled() tells it. May be NULL.
	 */
	int (*verify)(struct machine *m, unsigned int cluster, struct err *err);
	/* Load @ncpus CPUs of the cluster, one pinned thread each; 0 is idle (nothing
	 * starts). */
	int (*load_start)(struct machine *m, unsigned int cluster, unsigned int ncpus,
			  const char *load, struct err *err);
	int (*read_usage)(struct machine *m, unsigned int cluster, struct usage *u,
			  struct err *err);
	int (*load_stop)(struct machine *m, struct err *err);
	uint64_t (*now_ns)(struct machine *m);
	/* Returns early with -EINTR when a signal asked the program to end, with
	 * -ECANCELED when the load must (it is too hot, and nobody else stops it). */
	int (*sleep_until)(struct machine *m, uint64_t ns, struct err *err);
	/* Put back everything prepare() and set_opp() changed. May be called at any time,
	 * twice. */
	int (*restore)(struct machine *m, struct err *err);
	void (*close)(struct machine *m);
};

/* First member of each implementation's own struct. */
struct machine {
	const struct machine_ops *ops;
};

/* The clock of the cluster after set_opp() of @khz has returned 0. */
static inline uint32_t machine_made_khz(struct machine *m, unsigned int cluster,
					uint32_t khz)
{
	return m->ops->made_khz ? m->ops->made_khz(m, cluster) : khz;
}

#endif

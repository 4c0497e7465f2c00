/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The real machine's own struct, shared by the files that implement its operations.
 */
#ifndef CALIB_LINUX_INTERNAL_H
#define CALIB_LINUX_INTERNAL_H

#include <sched.h>

#include "calib/linux/cycles.h"
#include "calib/linux/linux.h"
#include "calib/linux/meters.h"
#include "calib/linux/regulator.h"
#include "calib/linux/settings.h"
#include "calib/linux/thermal.h"
#include "calib/linux/thermal_hold.h"
#include "calib/linux/topology.h"
#include "calib/loads/command.h"
#include "calib/loads/loads.h"

struct linux_cluster {
	bool has_sensor;
	struct power_meter sensor;
	int sensor_ret; /* why there is none, for prepare() */
	struct err sensor_err;
	const char *table_volts; /* source of the operating points' voltages, or "" */
	struct regulator regulator;
	bool use_regulator; /* it knows the voltage better than the table does */
	struct thermal thermal;
	char irqs_stayed[128]; /* on its CPUs, refused by the kernel: "9,45-46" */
	bool prepared;
	bool taken_away; /* somebody changed governor or limits: take them again */
	uint32_t pinned_khz;
	uint32_t pinned_uv; /* of the regulator then; 0: unknown */
};

struct linux_machine {
	struct machine machine; /* first: see machine.h */
	struct linux_options opt;
	struct sysfs sys;
	struct meters meters;
	bool discovered;
	struct settings settings;
	struct thermal_hold hold; /* of the cluster that is prepared */
	struct topology *topo;
	struct linux_cluster clusters[BOARD_MAX_CLUSTERS];
	uint32_t parked;	 /* bit i: cluster i may be parked */
	char voltages_note[256]; /* on those of the user's that are of no use */
	cpu_set_t affinity;	 /* of our own thread before prepare() */
	bool affinity_moved;
	/* the running load */
	struct loads *loads;
	struct command_load *command; /* in their place */
	bool command_tried;
	struct cycles cycles;
	unsigned int load_cluster;
	unsigned int load_cpus[BOARD_MAX_CPUS], load_cpu_count;
	uint64_t load_start_ns, load_idle_ns;
	bool idle_known;
};

static inline struct linux_machine *to_linux(struct machine *m)
{
	return (struct linux_machine *)m;
}

void linux_note(const struct linux_machine *lm, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* linux.c */
/*
 * Bring those of @cpus that are offline online, saved first and with a guardian. 0,
 * -errno; linux_restore() puts them offline again, whatever came of it.
 */
int linux_bring_up(struct linux_machine *lm, const unsigned int *cpus, unsigned int ncpus,
		   struct err *err);
int linux_restore(struct machine *m, struct err *err);
int linux_sleep_until(struct machine *m, uint64_t ns, struct err *err);

/* discover.c */
int linux_discover(struct machine *m, struct runinfo *info, struct err *err);

/* asleep.c */
/* Notes on the CPUs that are offline. */
void asleep_note(const struct linux_machine *lm);
/*
 * Bring those of the wanted clusters online whose policy has no online CPU, as no kernel
 * says what it offers. 1 when there were some, 0, -errno; then as linux_bring_up().
 */
int asleep_wake(struct linux_machine *lm, struct err *err);

/* load.c */
int linux_load_start(struct machine *m, unsigned int cluster, unsigned int ncpus,
		     const char *load, struct err *err);
int linux_read_usage(struct machine *m, unsigned int cluster, struct usage *u,
		     struct err *err);
int linux_load_stop(struct machine *m, struct err *err);

/* align.c: find the clock of the cluster's external meter, with a marker load. 0 when
 * there is nothing to find; needs prepare() to have gone that far that clocks can be
 * pinned. */
int linux_align(struct linux_machine *lm, unsigned int cluster, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that a machine tells about its CPUs and what measures them, for 'calib probe'.
 * Nothing here is an error: what cannot be read is a fact too.
 */
#ifndef CALIB_LINUX_FACTS_H
#define CALIB_LINUX_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "boards/board.h"
#include "calib/linux/cpufreq.h"
#include "calib/linux/linux.h"
#include "calib/linux/meters.h"
#include "calib/runinfo.h"
#include "lib/err.h"
#include "models/em_shown.h"

#define FACTS_MAX_ZONES	  32
#define FACTS_MAX_DOMAINS EM_SHOWN_MAX_DOMAINS
#define FACTS_MAX_METERS  METERS_MAX
#define FACTS_CONFIGS	  4

enum facts_answer { FACTS_UNKNOWN, FACTS_NO, FACTS_YES };

struct facts_cluster {
	char name[32];
	char compatible[64];			      /* of the core; "" unknown */
	unsigned int cpus[BOARD_MAX_CPUS], cpu_count; /* online */
	unsigned int offline[BOARD_MAX_CPUS], offline_count;
	unsigned int policies[BOARD_MAX_CPUS], policy_count; /* 0: a virtual board */
	char driver[32], governor[32];
	char governors[256]; /* as the kernel lists them; "" when it does not */
	uint32_t limit_min_khz, limit_max_khz; /* scaling_*; 0: unknown */
	uint32_t min_khz, max_khz;	       /* cpuinfo_* */
	enum cpufreq_way way;
	char no_pin[512]; /* why the clock cannot be pinned, and what to do; "": it can */
	char opp_source[16]; /* "list", "list+boost", "limits" (requests), "dt", "board"
			      */
	struct board_opp opps[BOARD_MAX_OPPS]; /* ascending; volt_uv 0: unknown */
	unsigned int opp_count;
	uint32_t boost_khz[CPUFREQ_MAX_BOOST];
	unsigned int boost_count;
	bool boost_on;
	char volt_source[32];	     /* of opps[]: "debugfs", "dt", "board", "user", "" */
	bool volt_measured;	     /* its meter tells the rail's voltage */
	char regulator[64];	     /* supply of the CPUs, "" unknown */
	uint32_t regulator_uv;	     /* now; 0: unknown */
	uint32_t capacity_dmips_mhz; /* 0: nobody says */
	bool capacity_in_tree;	     /* the device tree does, of its CPUs */
	uint32_t capacity;	     /* cpu_capacity of its first CPU; 0: unknown */
	char sensor[128];	     /* "": none */
	char sensor_about[256];	     /* unit, interval, what to know of it */
	uint32_t sensor_interval_us; /* 0: unknown */
	char no_sensor[1024];	     /* why there is none, and what to do */
	unsigned int zones[FACTS_MAX_ZONES], zone_count;     /* into facts.zones */
	unsigned int coolers[FACTS_MAX_ZONES], cooler_count; /* into facts.coolers */
};

struct facts_zone {
	unsigned int id; /* thermal_zoneN */
	char type[64];
	bool has_temp;
	int32_t temp_mc;
};

struct facts_cooler {
	unsigned int id; /* cooling_deviceN */
	char type[64];
	bool has_state;
	uint32_t state, max;
};

/* A perf domain of the running kernel's energy model. */
struct facts_domain {
	char name[32];
	unsigned int cpus[BOARD_MAX_CPUS], cpu_count;
	enum em_unit unit;
	unsigned int state_count, inefficient;
	uint64_t top_khz, top_power;
};

/* A power meter, whatever it measures. */
struct facts_meter {
	char name[192];	      /* a SPEC up to its first blank */
	char kind[16];	      /* "hwmon", "rapl" ... */
	char unit[24];	      /* what is read: "uW", "uJ, counted" */
	char about[256];      /* the same for people */
	uint32_t interval_us; /* 0: unknown */
	bool averages;
	bool has_power;
	int64_t power_uw; /* now */
	char why[256];	  /* why it has none */
};

struct facts_config {
	const char *name; /* "ENERGY_MODEL" */
	enum facts_answer set;
	char value; /* 'y' or 'm' when set */
};

struct facts {
	bool virtual_board;
	char board[32], compatible[128], model[128], kernel[128];
	char present[128], online[128], offline[128]; /* lists of CPUs; "" unknown */
	char no_cpufreq[512]; /* why there are no clusters; "" when there are */
	struct facts_cluster clusters[BOARD_MAX_CLUSTERS];
	unsigned int cluster_count;
	unsigned int offline_policies[CPUFREQ_MAX_POLICIES], offline_policy_count;
	struct facts_meter meters[FACTS_MAX_METERS];
	unsigned int meter_count;
	char voltages_note[256]; /* on those of the user's that are of no use, or "" */
	char no_meters[256];	 /* why they could not be listed; "" when they were */
	struct facts_zone zones[FACTS_MAX_ZONES];
	unsigned int zone_count;
	struct facts_cooler coolers[FACTS_MAX_ZONES];
	unsigned int cooler_count;
	/* cycle counters */
	char pmus[512]; /* of CPUs: "cpu_core (CPUs 0-15), ..." */
	bool cycles;
	char no_cycles[256];
	/* energy-aware scheduling */
	enum facts_answer em_shown; /* does debugfs show models? unknown: no debugfs */
	struct facts_domain domains[FACTS_MAX_DOMAINS];
	unsigned int domain_count;
	unsigned int em_release;	/* EM_RELEASE() of the kernel; 0: unknown */
	enum facts_answer energy_aware; /* sched_energy_aware; unknown: there is none */
	enum facts_answer smt;		/* is it active? */
	bool x86;			/* as /proc/cpuinfo has it */
	enum facts_answer invariant;	/* frequency-invariant load tracking */
	char invariant_why[128];
	struct facts_config configs[FACTS_CONFIGS];
	char config_source[128]; /* "" when none could be read */
};

/*
 * facts_read - look at the machine; changes nothing
 * @f: large, allocate it
 *
 * Returns 0; errors of the options only: those of linux_open() and voltages_read(),
 * -EINVAL for a sensor SPEC, -ENODEV for voltages and sensors where there is no cluster.
 */
int facts_read(const struct linux_options *opt, struct facts *f, struct err *err);

/* The same of a virtual board, from its machine's discover(); nothing of a kernel. */
void facts_of_virtual(const struct runinfo *info, struct facts *f);

/* A domain of an energy model that a kernel of @release shows. */
void facts_sum_up(const struct em_shown *m, unsigned int release, struct facts_domain *d);
/* Of configs[@i]. */
const char *facts_config_name(unsigned int i);

#endif

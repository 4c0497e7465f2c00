/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Board descriptions: what a known board is, which sensor measures which cluster, the
 * band its big/LITTLE ratio is expected in, and the truth of its virtual twin. Written in
 * DTS (boards/README has the binding), compiled at build and linked in.
 */
#ifndef BOARDS_BOARD_H
#define BOARDS_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/dtcpus.h"
#include "lib/err.h"

#define BOARD_MAX_CLUSTERS 8
#define BOARD_MAX_CPUS	   64
#define BOARD_MAX_OPPS	   64

struct board_opp {
	uint32_t khz;
	uint32_t volt_uv;
};

enum board_sensor_kind { BOARD_SENSOR_NONE, BOARD_SENSOR_HWMON, BOARD_SENSOR_RAPL };

/* The sensor that measures a cluster's rail. */
struct board_sensor {
	enum board_sensor_kind kind;
	char chip[32];	  /* hwmon: driver name ("ina231"); rapl: domain name ("core") */
	uint32_t address; /* hwmon: I2C address (0x40) */
	char label[64];	  /* the rail ("VDD_ARM") */
};

/* The virtual board's truth; every term has its switch (0 switches it off). SI-free
 * integers. */
struct board_truth {
	uint32_t dpc_uw_per_mhz_v2;    /* C of one busy CPU running the integer load */
	uint32_t uncore_uw_per_mhz_v2; /* D: shared clock and L2 while any CPU is busy */
	uint32_t leak_uw_per_v3; /* leakage at leak_ref_mc: uW at 1 V, grows with V^3 */
	uint32_t leak_ppm_per_k; /* exponential growth per kelvin, parts per million */
	int32_t leak_ref_mc;
	uint32_t board_uw;	   /* constant the meter also sees */
	uint32_t droop_uohm;	   /* rail droop: V = V_table - I * R */
	uint32_t thermal_mk_per_w; /* thermal resistance, mK/W (m-kelvin per watt) */
	uint32_t thermal_tau_ms;
	uint32_t ambient_mc;
	uint32_t throttle_mc;	      /* 0: never throttles */
	uint32_t background_util_pct; /* mean utilisation of background tasks, percent of
					 one CPU */
	uint32_t work_per_mhz;	      /* integer-load units per second and MHz */
	/* the sensor */
	uint32_t sensor_period_us; /* conversion/update period */
	uint32_t sensor_average;   /* readings averaged per update */
	uint32_t sensor_lsb_uw;
	uint32_t
		sensor_noise_ppm; /* of the reading, per conversion, standard deviation */
	uint32_t sensor_noise_uw; /* additive part, standard deviation */
	uint32_t sensor_gain_ppm; /* standard deviation of a gain error drawn once per run
				   */
	uint32_t sensor_drift_uw; /* standard deviation of an offset drawn per visit to an
				     OPP */
};

struct board_cluster {
	char name[32];			   /* "a15" */
	char compatible[64];		   /* core compatible, "arm,cortex-a15" */
	unsigned int cpus[BOARD_MAX_CPUS]; /* Linux CPU numbers */
	uint64_t reg[BOARD_MAX_CPUS];	   /* of the CPU nodes, same order */
	char paths[BOARD_MAX_CPUS][64];	   /* of the CPU nodes in this description */
	unsigned int cpu_count;
	uint32_t capacity_dmips_mhz;
	struct board_opp opps[BOARD_MAX_OPPS]; /* ascending */
	unsigned int opp_count;
	struct board_sensor sensor;
	struct board_truth truth;
};

struct board {
	char name[32];	     /* "odroid-xu3" */
	char compatible[64]; /* first root compatible */
	char model[64];
	char soc[32]; /* "exynos5422": boards of one SoC share coefficients */
	struct board_cluster clusters[BOARD_MAX_CLUSTERS]; /* little first */
	unsigned int cluster_count;
	bool has_ratio;
	double ratio_min, ratio_max; /* expected big/LITTLE band of the coefficients */
	char ratio_source[128];	     /* where the band comes from */
};

/* The built-in boards, in the order they are listed; NULL past the end. */
const char *board_name(size_t i);
/* Load a built-in board. 0; -ENOENT naming the known ones; -EINVAL (with node and
 * property). */
int board_load(const char *name, struct board *board, struct err *err);
/* Load a description from a compiled .dtb file in memory. */
int board_from_blob(const void *blob, const char *name, struct board *board,
		    struct err *err);
/*
 * board_match - the built-in board of these root compatibles (most specific first)
 * Returns 1 found (@board filled), 0 none, or a negative errno.
 */
int board_match(const char *const compatibles[], size_t n, struct board *board,
		struct err *err);
const struct board_cluster *board_cluster(const struct board *board, const char *name);

#endif

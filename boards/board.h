/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Board descriptions: what a known board is, which sensor measures which cluster, the
 * band its big/LITTLE ratio is expected in, and the truth of its virtual twin. Written in
 * DTS (boards/README.md has the binding), compiled at build and linked in.
 */
#ifndef BOARDS_BOARD_H
#define BOARDS_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/dtcpus.h"
#include "lib/err.h"

#define BOARD_MAX_CLUSTERS 8
#define BOARD_MAX_CPUS	   256
#define BOARD_MAX_OPPS	   64
#define BOARD_MAX_SENSORS  8

struct board_opp {
	uint32_t khz;
	uint32_t volt_uv;
};

enum board_sensor_kind { BOARD_SENSOR_NONE, BOARD_SENSOR_HWMON, BOARD_SENSOR_RAPL };

/* How a virtual board's meter sees the rail; 0 switches a flaw off. */
struct board_meter {
	uint32_t period_us;    /* time between updates, averaged over; 0: no meter */
	uint32_t average;      /* conversions averaged per update; at least 1 */
	uint32_t power_lsb_uw; /* of the power reading */
	uint32_t volt_lsb_uv;  /* of the voltage reading; 0: it tells no voltage */
	uint32_t noise_ppm;    /* standard deviation per conversion, of the reading */
	uint32_t noise_uw;     /* standard deviation per conversion, additive part */
	uint32_t gain_ppm;     /* standard deviation of a gain error drawn once per run */
	uint32_t drift_uw; /* standard deviation of an offset drawn per visit to an OPP */
};

/* A power sensor of the board. */
struct board_sensor {
	enum board_sensor_kind kind;
	char chip[32];	   /* hwmon: driver name ("ina231"); rapl: domain name ("core") */
	bool has_address;  /* hwmon on I2C */
	uint32_t address;  /* I2C address (0x40) */
	char label[64];	   /* the rail ("VDD_ARM"); "" when it has none */
	uint32_t clusters; /* bit i: it measures clusters[i]; 0: something else */
	struct board_meter meter;
};

/* The virtual board's truth about a cluster; every term has its switch: 0 is off. */
struct board_truth {
	uint32_t dpc_uw_per_mhz_v2;    /* C of one busy CPU running the integer load */
	uint32_t uncore_uw_per_mhz_v2; /* D: shared clock and L2 while any CPU is busy */
	uint32_t uncore_idle_ppm; /* part of D that an idle cluster draws: clock not gated
				   */
	uint32_t leak_uw_per_v3;  /* leakage at leak_ref_mc and 1 V; grows with V^3 */
	uint32_t leak_ppm_per_k;  /* exponential growth per kelvin */
	uint32_t leak_ref_mc;
	uint32_t board_uw;	   /* constant that the meter also sees */
	uint32_t droop_uohm;	   /* rail droop: V = V_table - I * R */
	uint32_t thermal_mk_per_w; /* thermal resistance: millikelvin per watt */
	uint32_t thermal_tau_ms;   /* its time constant; 0: heats at once */
	uint32_t ambient_mc;	   /* what the cluster cools down to */
	uint32_t throttle_mc;	   /* clock is cut above this; 0: never */
	uint32_t temp_lsb_mc;	   /* of the thermometer; 0: exact */
	uint32_t background_ppm;   /* mean utilisation of background tasks, of one CPU */
	uint32_t work_per_mhz;	   /* load units per CPU, second and MHz */
};

struct board_cluster {
	char name[32];			   /* "a15" */
	char compatible[64];		   /* core compatible, "arm,cortex-a15" */
	unsigned int cpus[BOARD_MAX_CPUS]; /* Linux CPU numbers */
	uint64_t reg[BOARD_MAX_CPUS];	   /* of the CPU nodes, same order */
	char paths[BOARD_MAX_CPUS][64];	   /* of the CPU nodes in this description */
	unsigned int cpu_count;
	uint32_t capacity_dmips_mhz;	       /* 0: the tree does not say */
	struct board_opp opps[BOARD_MAX_OPPS]; /* ascending; volt_uv 0: unknown */
	unsigned int opp_count;
	bool has_truth;
	struct board_truth truth;
};

struct board {
	char name[32];	     /* "odroid-xu3" */
	char compatible[64]; /* first root compatible */
	char model[64];
	char soc[32]; /* "exynos5422": boards of one SoC share coefficients; or "" */
	bool hybrid;  /* Intel hybrid: known by its PMUs, not by a device tree */
	struct board_cluster clusters[BOARD_MAX_CLUSTERS]; /* little first */
	unsigned int cluster_count;
	struct board_sensor sensors[BOARD_MAX_SENSORS];
	unsigned int sensor_count;
	bool has_ratio;
	double ratio_min, ratio_max; /* expected big/LITTLE band of the coefficients */
	char ratio_source[128];	     /* where the band comes from */
};

/* The built-in boards, in the order they are listed; NULL past the end. */
const char *board_name(size_t i);

/* Load a built-in board. 0; -ENOENT naming the known ones; -EINVAL, see below. */
int board_load(const char *name, struct board *board, struct err *err);

/*
 * board_from_blob - read a compiled description
 * @size: bytes at @blob; checked as dtcpus_check_blob() does
 * @name: what to call the board
 *
 * A tree without /calib is taken as it is: one cluster per OPP table (or per core
 * compatible), named after the core, no sensors, no truth.
 *
 * Returns 0; -EINVAL naming node and property; -ERANGE over the limits above; -ENOENT
 * when there are no CPU nodes.
 */
int board_from_blob(const void *blob, size_t size, const char *name, struct board *board,
		    struct err *err);

/* The same from a .dtb file; the board is called after the file. Also -errno of reading.
 */
int board_from_file(const char *path, struct board *board, struct err *err);

/*
 * board_open - a board by what a user types: "odroid-xu3", "virtual:odroid-xu3",
 *		"boards/mine.dtb", "virtual:boards/mine.dtb"
 * @virtual_board: was "virtual:" in front?
 *
 * What has a '/' in it or ends in ".dtb" is a file. Returns as the two above.
 */
int board_open(const char *spec, struct board *board, bool *virtual_board,
	       struct err *err);
/* Is "virtual:" in front? */
bool board_is_virtual(const char *spec);

/*
 * board_match - the built-in board of these root compatibles (most specific first)
 *
 * Only a board's own first compatible counts: an XU4 is no XU3, though both say
 * "samsung,exynos5800".
 * Returns 1 found (@board filled), 0 none, or a negative errno.
 */
int board_match(const char *const compatibles[], size_t n, struct board *board,
		struct err *err);

/*
 * board_match_root - the built-in board that this machine is
 * @root: "/" or, in tests, a folder that stands for it
 *
 * Looks at sys/firmware/devicetree/base/compatible, then proc/device-tree/compatible,
 * then at the PMUs cpu_core and cpu_atom of an Intel hybrid.
 * Returns 1, 0 (@compatible is "" when there is no device tree) or a negative errno.
 */
int board_match_root(const char *root, struct board *board, char *compatible, size_t size,
		     struct err *err);

/*
 * board_cpus - its CPUs and OPPs as dtcpus_read() has them of a tree
 * @d: new; borrows @board
 *
 * Cluster i is domain i, CPUs have their Linux numbers. Coefficients are not told.
 * Returns 0; -ERANGE for a CPU number above what @d holds.
 */
int board_cpus(const struct board *board, struct dtcpus *d, struct err *err);
/* The OPPs alone, in place of @dom's. */
void board_cluster_opps(const struct board_cluster *cluster, struct dt_domain *dom);

/* NULL when there is no cluster of that name. */
const struct board_cluster *board_cluster(const struct board *board, const char *name);

/* The first sensor that measures clusters[@cluster]; NULL when none does. */
const struct board_sensor *board_sensor(const struct board *board, unsigned int cluster);

/* "ina231@0x40 VDD_ARM", "rapl:core". Returns @out. */
char *board_sensor_format(const struct board_sensor *sensor, char *out, size_t size);

#endif

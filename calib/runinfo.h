/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RUN/board.json: what the machine was when RUN/samples.csv was measured.
 */
#ifndef CALIB_RUNINFO_H
#define CALIB_RUNINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "boards/board.h"
#include "lib/err.h"

#define RUN_DEFAULT    "calib-run"
#define RUNINFO_SCHEMA "calib-run/1"

struct runinfo_cluster {
	char name[32];
	char compatible[64];
	unsigned int cpus[BOARD_MAX_CPUS];
	unsigned int cpu_count;
	uint64_t reg[BOARD_MAX_CPUS];
	unsigned int reg_count;		       /* 0: unknown */
	uint32_t capacity_dmips_mhz;	       /* of the tree; 0: unknown */
	struct board_opp opps[BOARD_MAX_OPPS]; /* volt_uv 0: unknown */
	unsigned int opp_count;
	char volt_source[32]; /* "rail", "dt", "debugfs", "regulator", "user", "board", ""
			       */
	char sensor[128];     /* path or "chip@address label" */
	char sensor_driver[32];
	uint32_t sensor_interval_us; /* 0: unknown */
	bool has_housekeeper;
	uint32_t housekeeper;  /* CPU that calib itself runs on meanwhile */
	char sensor_note[256]; /* what its readings told of it; "" nothing new */
	/* Half of C's 95 % interval over C, as asked for, and as the last run that was
	 * carried out to its end predicted it, of that load; 0, "": no such. */
	double precision_asked, precision_predicted;
	char precision_load[32];
	char irqs_stayed[128]; /* interrupts that the kernel kept on its CPUs: "9,45-46"
				*/
};

struct runinfo {
	char board[32];	      /* name in boards/, "" when unknown */
	char compatible[128]; /* root compatible */
	char model[128];
	char kernel[128];
	char date[32]; /* ISO 8601 UTC */
	bool virtual_board;
	uint64_t seed;	      /* of the virtual board, up to 2^63-1 */
	char power_scope[16]; /* "rail", "package" or "device" */
	bool has_baseline;
	int64_t baseline_uw; /* already subtracted from power_uw in samples.csv */
	char baseline_source[64];
	char tool[64];
	char command[256];
	struct runinfo_cluster clusters[BOARD_MAX_CLUSTERS];
	unsigned int cluster_count;
};

/* RUN/NAME into @out. -ENAMETOOLONG. */
int runinfo_path(const char *run, const char *name, char *out, size_t size,
		 struct err *err);
/* Read RUN/board.json. 0, -ENOENT ("... run 'calib measure' first"), -EINVAL with key. */
int runinfo_read(const char *run, struct runinfo *info, struct err *err);
/* Write it, whole or not at all; creates RUN. */
int runinfo_write(const char *run, const struct runinfo *info, struct err *err);
const struct runinfo_cluster *runinfo_cluster(const struct runinfo *info,
					      const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row of samples.csv: the mean over one window at one OPP with one load on cpu_count
 * CPUs.
 */
#ifndef MODELS_SAMPLE_H
#define MODELS_SAMPLE_H

#include <stdint.h>

/* What is wrong with a row; the names are in calib/samples.c. */
enum sample_flag {
	SAMPLE_THROTTLED = 1 << 0, /* thermal or power limit was active */
	SAMPLE_CLOCK = 1 << 1,	   /* the delivered clock is not the requested one */
	SAMPLE_STALE = 1 << 2,	   /* the sensor did not update in the window */
	SAMPLE_UNSETTLED = 1 << 3, /* power or temperature still drifting */
	SAMPLE_FEW_READS = 1 << 4, /* too few distinct readings for a mean */
	SAMPLE_NEGATIVE = 1 << 5,  /* power below the subtracted baseline */
	SAMPLE_BAD_READS = 1 << 6, /* some reads failed or were out of range */
	SAMPLE_ERRATIC = 1 << 7,   /* readings of one load differ as no load does */
};

struct sample {
	uint64_t time_ns;
	char cluster[32];
	uint32_t opp_khz;   /* asked for */
	uint32_t freq_khz;  /* delivered; = opp_khz when nothing could tell */
	uint32_t volt_uv;   /* 0: unknown (the fit then refuses, or takes board.json's) */
	uint32_t cpu_count; /* 0: the idle baseline at this OPP */
	char load[32];
	double util_pct;  /* of the cluster, 100 per busy CPU */
	int64_t power_uw; /* signed: below a subtracted baseline */
	uint32_t power_sd_uw;
	uint32_t reads;	     /* distinct readings; 0: unknown */
	int32_t temp_mc;     /* INT32_MIN: unknown */
	uint64_t work;	     /* what the load did in the window; 0: unknown */
	uint64_t cycles;     /* summed over the loaded CPUs; 0: unknown */
	uint64_t load_ns;    /* CPU time that the load had, summed; 0: unknown */
	uint32_t flags;	     /* enum sample_flag */
	int64_t baseline_uw; /* of a generic CSV's baseline column, not yet subtracted; 0:
				none */
	uint32_t line;	     /* in its file, for messages; 0: not from a file */
	uint16_t file;	     /* which of several files; see struct samples */
	uint32_t board;	     /* which of several boards; see struct samples */
	uint32_t windows;    /* the row is the mean of so many; 0: one */
	uint32_t visit;	     /* rows with another one are another visit */
	int32_t before_mc;   /* of a mean: the temperature a window before each */
};

#define SAMPLE_TEMP_UNKNOWN INT32_MIN

#endif

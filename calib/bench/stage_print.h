/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the output of ramp and sweep has in common.
 */
#ifndef CALIB_BENCH_STAGE_PRINT_H
#define CALIB_BENCH_STAGE_PRINT_H

#include <stdint.h>
#include <stdio.h>

#include "calib/bench/coretypes.h"
#include "calib/bench/knobs.h"
#include "calib/bench/stage.h"
#include "lib/json.h"

/* Of a virtual board the line that says so, as the first one. */
void stage_print_virtual(const struct stage *s, uint32_t seed, FILE *f);
/* Whose power it is, @when (", from 0.5 to 1.4 s" or ""); or why there is none. */
void stage_print_power(const struct stage *s, const char *when, FILE *f);
/* The same for programs; 0, or not. */
int stage_json_head(struct json *root, const char *schema, const struct stage *s,
		    uint32_t seed, const char *command);
/* Of a row: on which CPU under which settings. 0, or not. */
int stage_json_settings(struct json *row, const struct coretype *type, unsigned int cpu,
			const struct knobs_combo *c);

#endif

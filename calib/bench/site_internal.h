/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between site.c and the virtual board's side of it.
 */
#ifndef CALIB_BENCH_SITE_INTERNAL_H
#define CALIB_BENCH_SITE_INTERNAL_H

#include "boards/rng.h"
#include "boards/virtual.h"
#include "calib/bench/knobs_virtual.h"
#include "calib/bench/site.h"

struct site {
	struct site_options opt;
	struct rails *rails;
	/* this machine */
	struct sysfs sys;
	struct settings settings;
	struct knobs knobs;
	/* a virtual board */
	struct board board;
	struct virtual *virt;
	struct knobs_virtual virt_knobs;
	struct rng rng;
	double boot_factor; /* of the work of this boot */
};

void site_take_energy(const struct site *s, const struct rails_energy *e,
		      struct bench_iteration *it);
int site_virtual_open(struct site *s, struct err *err);
void site_virtual_describe(const struct site *s, struct bench_context *c);
int site_virtual_run(struct site *s, const struct workload_run *w,
		     struct bench_iteration *it, struct err *err);

#endif

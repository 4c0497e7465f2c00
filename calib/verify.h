/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What 'calib verify' compares, read from the machine, its tree and coeffs.json.
 */
#ifndef CALIB_VERIFY_H
#define CALIB_VERIFY_H

#include <stdbool.h>
#include <stdio.h>

#include "boards/board.h"
#include "calib/linux/sysfs.h"
#include "lib/buf.h"
#include "lib/coeffs.h"
#include "lib/dtcpus.h"
#include "lib/err.h"
#include "models/checks.h"
#include "models/verify.h"

#define VERIFY_MAX_PAIRS (EM_SHOWN_MAX_DOMAINS + DTCPUS_MAX_DOMAINS)

/* A perf domain with its domain of the tree; either may be missing. */
struct verify_pair {
	unsigned int cpus[DTCPUS_MAX_CPUS], cpu_count; /* Linux numbers */
	struct verify_input in;
	struct verify_domain *out;
};

struct verify {
	const struct board *board; /* virtual, with a kernel that is played; or NULL */
	struct sysfs sys;
	char release[64];	 /* of the kernel; "" unknown */
	const char *source;	 /* "debugfs", "netlink", "arithmetic" */
	const char *tree;	 /* its name */
	const char *coeffs_name; /* NULL: none was given */
	char no_model[200];	 /* why there is no energy model at all; "" */
	struct em_shown *shown;	 /* EM_SHOWN_MAX_DOMAINS */
	unsigned int shown_count;
	struct buf blob; /* of the tree, which @d points into */
	struct dtcpus *d;
	struct checks *checks; /* what the kernel makes of the tree */
	struct coeffs *coeffs; /* NULL: none */
	struct verify_pair *pairs;
	unsigned int pair_count;
};

/* What one run comes to. */
struct verify_sum {
	unsigned int domains, states, differing;
	bool differs;
};

struct verify_options {
	const struct board *board; /* virtual; NULL: a real machine */
	const char *kernel;	   /* the release that it plays */
	const char *sysroot;	   /* NULL: this machine */
	const char *tree;   /* NULL: the one that the kernel booted with; of a virtual
			       board its description, with the true coefficients */
	const char *coeffs; /* NULL: none */
};

/*
 * verify_run - read everything and compare
 * @v: verify_free() it, after an error too
 *
 * 0; -EINVAL: no such kernel, or a board without coefficients; -ENODEV: neither debugfs
 * nor netlink is there to see a model; what energy_model_read(), dtcpus_read() and
 * coeffs_read() return.
 */
int verify_run(const struct verify_options *o, struct verify *v, struct err *err);
void verify_free(struct verify *v);

struct verify_sum verify_sum(const struct verify *v);
/* One line: what it comes to. */
void verify_verdict(const struct verify *v, char *text, size_t size);
void verify_print(const struct verify *v, FILE *out);
/* 0, -ENOMEM, -EIO */
int verify_print_json(const struct verify *v, FILE *out, struct err *err);

#endif

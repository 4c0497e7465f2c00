/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running kernel's energy model against what its device tree, and coeffs.json, ask for.
 *
 * Expected is what the kernel computes from the tree, integer for integer (kernel_em.h),
 * with the voltages that it has at run time where those are known. Equal means equal.
 */
#ifndef MODELS_VERIFY_H
#define MODELS_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/coeffs.h"
#include "lib/dtcpus.h"
#include "models/em_shown.h"
#include "models/kernel_em.h"

#define VERIFY_TEXT	  400
#define VERIFY_MAX_STATES (EM_SHOWN_MAX_STATES + DTCPUS_MAX_OPPS)
#define VERIFY_MAX_ITEMS  8

/* An OPP that the kernel has at run time: debugfs opp/. */
struct verify_opp {
	uint64_t hz;
	uint32_t volt_uv; /* 0: not told */
	bool disabled;
};

struct verify_input {
	const struct em_shown *kernel; /* NULL: no energy model for these CPUs */
	const struct dtcpus *d;
	int domain;	      /* of @d; -1: the tree has none of these CPUs */
	unsigned int cpu;     /* of @d: the first of the domain, if @domain >= 0 */
	const char *no_model; /* why the kernel builds none from the tree; "" */
	struct verify_opp opps[DTCPUS_MAX_OPPS];
	unsigned int opp_count;		     /* 0: they are not told */
	uint32_t capacity;		     /* by the tree; 0: it does not say */
	uint32_t capacity_now;		     /* that the kernel shows; 0: unknown */
	uint32_t capacity_first;	     /* by the tree, before clocks are known; 0 */
	unsigned int release;		     /* EM_RELEASE(); 0: unknown */
	const struct coeffs_cluster *coeffs; /* NULL: none, or none of these CPUs */
};

/* Where the power of the states comes from. */
enum verify_source {
	VERIFY_NO_POWER,
	VERIFY_COEFFICIENT,
	VERIFY_OPP_MICROWATT,
};

struct verify_state {
	uint64_t khz;
	bool in_kernel, in_tree;
	struct em_shown_state kernel;
	bool has_opp;	   /* the tree's, or one that a driver added */
	struct dt_opp opp; /* with the tree's voltage, if it is the tree's */
	bool has_ours;	   /* a power that the tree asks for */
	struct em_state ours;
	uint32_t volt_uv, tree_uv; /* reckoned with; of the tree; 0: none */
	bool differs;
	const char *cause;     /* one word, "" when equal */
	char why[VERIFY_TEXT]; /* a note when equal, may be "" */
	bool has_coeffs, coeffs_differs;
	uint64_t coeffs_power; /* in the kernel's unit */
	char coeffs_why[VERIFY_TEXT];
};

struct verify_item {
	const char *cause;
	bool note; /* worth knowing, and no difference */
	char text[VERIFY_TEXT];
};

struct verify_domain {
	const struct em_shown *kernel; /* NULL: there is none */
	enum em_unit unit;
	const char *unit_why;
	enum verify_source source;
	bool has_dpc;
	uint32_t dpc_uw_per_mhz_v2; /* of the first CPU */
	uint32_t capacity;	    /* reckoned with */
	bool by_clock;		    /* cost by em_by_clock(), else em_current() */
	unsigned int scale;	    /* of em_by_clock() */
	bool has_costs;		    /* ours could be computed */
	struct verify_state states[VERIFY_MAX_STATES]; /* ascending */
	unsigned int state_count;
	unsigned int differing, coeffs_differing; /* states */
	struct verify_item items[VERIFY_MAX_ITEMS];
	unsigned int item_count;
};

/*
 * verify_domain_run - compare, and explain what differs
 * @out: about 600 KB, allocate it
 *
 * Causes of states: "artificial", "opp-microwatt", "coefficient", "other-cpu", "voltage",
 * "rounding", "capacity", "mark-left", "follows", "missing", "boost", "supported-hw",
 * "disabled", "not-in-tree", "no-power", "not-explained". Of items also "no-model",
 * "unit", "coeffs".
 */
void verify_domain_run(const struct verify_input *in, struct verify_domain *out);

/* Does anything differ: a state, or an item that is no note? */
bool verify_domain_differs(const struct verify_domain *d);

#endif

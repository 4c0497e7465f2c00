/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of a machine's coefficients: what the kernel's energy model will make of them
 * and what is wrong with that. Pure: facts in (struct dtcpus, read from a tree or filled
 * in from a board and coeffs.json), findings out.
 *
 * The checks by name (for --ignore):
 *	monotonic	efficiency falls as the clock rises, by the v5.6 and current rule
 *	limits		every state's power is one that the kernel takes
 *	voltage		a coefficient has voltages to work with
 *	coefficient	one coefficient per frequency domain, on its first CPU
 *	energy-model	every CPU has an energy model, or EAS stays off
 *	capacity	capacity-dmips-mhz on all CPUs, and not all capacities equal
 *	ratio		the big/LITTLE ratio of the coefficients is in the expected band
 *	cost		the little CPUs cost less at the same performance, for the kernel
 *	order		and which cluster costs least is the same by measurement
 */
#ifndef MODELS_CHECKS_H
#define MODELS_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/dtcpus.h"
#include "lib/err.h"
#include "models/kernel_em.h"

#define CHECKS_MAX_ITEMS 256
#define CHECKS_TEXT	 512

enum checks_severity {
	CHECKS_FINDING,	 /* the answer is no */
	CHECKS_NOTE,	 /* worth knowing */
	CHECKS_LEFT_OUT, /* a check that could not be made, and why */
};

struct checks_item {
	enum checks_severity severity;
	const char *check; /* name, from the list above */
	int domain;	   /* -1: of the whole machine */
	bool ignored;	   /* by checks_ignore(); checks_run() leaves it false */
	char text[CHECKS_TEXT];
};

/* Where the power of a domain's states comes from. */
enum checks_source {
	CHECKS_NO_MODEL,
	CHECKS_COEFFICIENT,
	CHECKS_OPP_MICROWATT, /* opp-microwatt, which overrides the coefficient */
};

/* What the kernel builds for one frequency domain. */
struct checks_domain {
	const char *compatible; /* of its first CPU; "" when the tree does not tell */
	unsigned int first_cpu; /* Linux number, "pd4" in v5.6's messages */
	bool has_dpc;		/* of the first CPU, the one that the kernel reads */
	uint32_t dpc_uw_per_mhz_v2;
	enum checks_source source;
	bool has_capacity; /* false: not known, or its top clock is not */
	uint32_t capacity; /* 0..1024; 1024 when nothing tells it */
	size_t state_count;
	bool has_v56, has_current; /* the rule could be computed */
	struct em_state v56[DTCPUS_MAX_OPPS];
	struct em_state current[DTCPUS_MAX_OPPS];
	char v56_why[CHECKS_TEXT], current_why[CHECKS_TEXT]; /* why it could not */
};

/* The biggest domain's numbers over the littlest's. */
struct checks_ratio {
	bool known; /* there are two kinds of CPU, both with a coefficient or power */
	unsigned int big, little; /* domains */
	bool has_dpc;
	double by_dpc;
	bool has_power; /* power per OPP is known for both */
	double by_top_power;
	uint64_t big_top_khz, little_top_khz;
	double by_equal_power; /* at the two OPPs of nearest clock; the highest such pair
				*/
	uint64_t big_equal_khz, little_equal_khz;
	bool has_band;
	double band_min, band_max;
	bool in_band; /* by_dpc */
};

/* The band the ratio of the coefficients is expected in, ends included. */
struct checks_band {
	bool known;
	double min, max;
	const char *source; /* who says so, for the message */
};

/* Measured power of one state of a domain; 0: not known. */
struct checks_power {
	double next_uw, next_ci_uw;   /* of one more busy CPU */
	double first_uw, first_ci_uw; /* of the first one, above idle */
};

struct checks_measured {
	const char *name;			     /* of the cluster */
	struct checks_power states[DTCPUS_MAX_OPPS]; /* as the domain's OPPs */
};

struct checks_input {
	/*
	 * Borrowed, must outlive the checks. A domain may be without OPPs, and CPU
	 * numbers may have holes: only CPUs that a domain lists count.
	 */
	const struct dtcpus *d;
	bool capacity_unknown; /* nothing tells capacities, so leave them out */
	struct checks_band band;
	const struct checks_measured *measured; /* per domain; NULL: nothing was */
};

/* About 1.3 MB: allocate it with checks_new(). */
struct checks {
	struct checks_domain domains[DTCPUS_MAX_DOMAINS];
	unsigned int domain_count;
	bool capacity_partial; /* capacity-dmips-mhz on some CPUs only: all are 1024 */
	unsigned int complexity_v56; /* domains * (CPUs + states) */
	struct checks_ratio ratio;
	bool order_known; /* measured power and capacities let "order" be checked */
	struct checks_item items[CHECKS_MAX_ITEMS];
	unsigned int item_count;
};

/* Zeroed; NULL when out of memory. checks_free() takes NULL. */
struct checks *checks_new(void);
void checks_free(struct checks *c);

/*
 * checks_run - build the kernel's view of a machine and judge it
 *
 * Never fails: what can not be computed becomes an item.
 */
void checks_run(const struct checks_input *in, struct checks *out);

/*
 * checks_add - append a finding or note
 * @check: a string that outlives @out
 */
void checks_add(struct checks *out, enum checks_severity severity, const char *check,
		int domain, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* The checks' names; NULL past the end. */
const char *checks_name(size_t i);

/*
 * checks_ignore - leave the findings of one check out of the verdict
 * Returns 0, or -EINVAL "no check 'x'; the checks are ..." .
 */
int checks_ignore(struct checks *out, const char *check, struct err *err);

/* Findings that are not ignored. */
unsigned int checks_findings(const struct checks *out);

/*
 * cpuinfo.max_freq of the policy, which the kernel scales capacities by: boost clocks do
 * not count until they are switched on. 0 without OPPs.
 */
uint64_t checks_top_khz(const struct dt_domain *dom);

/* Was any check left out? */
bool checks_left_out(const struct checks *out);

/* "1,3,4" of the marked states; returns @out. "" when none is. */
char *checks_states(const struct em_state *states, size_t n, char *out, size_t size);

/* "CPUs 2-5 (cpu@200, cpu@300)" of a domain; the nodes only where there are paths. */
char *checks_cpus(const struct dtcpus *d, unsigned int domain, char *out, size_t size);

#endif

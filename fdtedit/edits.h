/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From coefficients to edits: which property of which CPU node gets which value.
 *
 * The planner sees CPU nodes through a small view, so that a compiled tree (dtb.c) and
 * source (dts.c) are planned by the same rules. It changes nothing.
 */
#ifndef FDTEDIT_EDITS_H
#define FDTEDIT_EDITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/coeffs.h"
#include "lib/err.h"

#define EDITS_PROPERTY	      "dynamic-power-coefficient"
#define EDITS_MAX	      256 /* as DTCPUS_MAX_CPUS */
#define EDITS_MAX_COMPATIBLES 4
#define EDITS_MAX_NOTES	      16

/* One CPU node as its file shows it. Strings are borrowed and must outlive the plan. */
struct edit_cpu {
	const char *path; /* full path: "/cpus/cpu@100" */
	bool has_reg;	  /* source may not tell (then no match by reg) */
	uint64_t reg;	  /* first entry of reg */
	const char *compatibles[EDITS_MAX_COMPATIBLES];
	unsigned int compatible_count; /* 0: not known (then no match by compatible) */
	const char *opp_path;	       /* as struct coeffs_cpu */
	const char *map_path;
	int domain; /* equal numbers >= 0: one frequency domain; -1: not known or alone */
	bool has_value; /* has EDITS_PROPERTY now */
	uint32_t value;
	bool deleted; /* source: deleted after this place, whatever is written here */
	/* Source: what the same place is when an "#if" gives it another compatible or
	 * reg; NULL: none. */
	const struct edit_cpu *other;
};

struct edit {
	size_t cpu;	      /* index into the view */
	const char *path;     /* of the view */
	const char *property; /* EDITS_PROPERTY */
	uint32_t value;	      /* one cell */
	const char *cluster;  /* name in coeffs; borrowed from it */
	bool has_old;	      /* replace; else add */
	uint32_t old;
};

/* About 25 KB. */
struct edits {
	struct edit list[EDITS_MAX]; /* in the view's order; only what must change */
	unsigned int count;	     /* 0: nothing to do */
	int cluster[EDITS_MAX]; /* per CPU node of the view: whose of coeffs it is, or
				   -1 */
	unsigned int nodes;	/* CPU nodes edited; one with two alternatives is one */
	unsigned int right;	/* CPU nodes that have the wanted value already */
	unsigned int lost;	/* CPU nodes, to be edited or not, that end up without it:
				   /delete-property/ follows */
	char notes[EDITS_MAX_NOTES][256]; /* what the user should know; for cmd_warn() */
	unsigned int note_count;
};

/*
 * edits_plan - list what must change so that the tree says what @c says
 * @all_cpus: add the property to every matched CPU node. Without it a frequency domain
 *	whose first CPU has the property and where others do without (the kernel reads the
 *	first one only) keeps that custom: only nodes that have it are changed.
 *
 * Returns 0; -ENOENT when a cluster matches no CPU node (the message lists the nodes that
 * there are), -EINVAL when a cluster's match has no key, two clusters claim one CPU node,
 * an "#if" decides whether a cluster has it, or one frequency domain would end up with
 * two values; -ERANGE with more than EDITS_MAX CPU nodes. On failure @out->count is 0.
 */
int edits_plan(const struct coeffs *c, const struct edit_cpu *cpus, size_t cpu_count,
	       bool all_cpus, struct edits *out, struct err *err);
/* -EINVAL: of two CPU nodes of one frequency domain. */
int edits_two_values(const char *path, uint32_t value, const char *other_path,
		     uint32_t other, struct err *err);
/* Add to @out->notes; more than fit are left out. */
void edits_note(struct edits *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif

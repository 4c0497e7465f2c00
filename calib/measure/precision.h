/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How precisely the rows measured so far tell the coefficient C, and how many more visits
 * it would take: the fit that 'calib fit' makes, asked while the run goes on.
 */
#ifndef CALIB_MEASURE_PRECISION_H
#define CALIB_MEASURE_PRECISION_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/measure/plan.h"
#include "lib/err.h"
#include "models/sample.h"

/* Whoever asks for nothing else gets this, or what so many rounds give. */
#define PRECISION_DEFAULT 0.01
#define PRECISION_ROUNDS  3

struct precision {
	/* filled in by the caller */
	double target;	     /* half of the 95 % interval over C: 0.01 */
	const char *cluster; /* rows of others are passed over */
	/* its own */
	struct sample *rows;
	size_t count, cap;
	bool known;	     /* a fit came out, and it has an error; else err says why */
	const char *load;    /* the least precise one */
	double half, dof;    /* of the last fit: half of its interval over C */
	bool narrow;	     /* the last look said that it is enough */
	unsigned int visits; /* that it rests on */
	unsigned int next;   /* look again after this many visits of the run */
	struct err err;
};

/* 0 or -ENOMEM. */
int precision_add(struct precision *p, const struct sample *row, struct err *err);
/*
 * precision_look - fit the rows so far
 * @plan: whose loads are looked at; the least precise counts
 */
void precision_look(struct precision *p, const struct plan *plan);
/*
 * precision_reached - the same, and is it enough to stop?
 * @visits: made in this run; between looks that are sure to say no it just says so
 *
 * Also true when no fit is possible.
 */
bool precision_reached(struct precision *p, const struct plan *plan, unsigned int visits);
/* Visits that are still missing by the last look; 0: none, or no fit is possible. */
unsigned int precision_missing(const struct precision *p);
/* Takes a zeroed struct. */
void precision_free(struct precision *p);

#endif

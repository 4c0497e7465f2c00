/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of the diagnostics.
 */
#ifndef MODELS_DIAGNOSE_INTERNAL_H
#define MODELS_DIAGNOSE_INTERNAL_H

#include "models/diagnose.h"

/* Why a figure is not there; dropped when there are too many. */
void diagnose_leave_out(struct diagnose *g, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Rows less all that was fitted, free offsets too. */
double diagnose_dof(const struct power_problem *p);

/* Each fills its part of @g: figures, or a reason. 0 or -ENOMEM. */
int diagnose_lack_of_fit(const struct power_problem *p, const struct lsq *l,
			 struct diagnose *g);
int diagnose_trends(const struct power_problem *p, const struct lsq *l,
		    struct diagnose *g);
int diagnose_opps(const struct power_data *d, const struct power_fit *f,
		  const struct power_problem *p, const struct lsq *l, struct diagnose *g);
void diagnose_static(const struct power_data *d, const struct power_fit *f,
		     struct diagnose *g);

#endif

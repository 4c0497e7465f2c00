/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C by methods that a few wild rows cannot move, from all rows, those too that the fit
 * left out as outliers: a cross-check of a least-squares fit.
 */
#ifndef MODELS_ROBUST_H
#define MODELS_ROBUST_H

#include "models/problem.h"

/*
 * robust_theil_sen - weighted median of the slopes between pairs of rows
 * @coef: of the least-squares fit: the other terms are taken out as fitted
 *
 * Pairs are of one group (visit or OPP) where the model has offsets, of any two rows
 * where it has a constant, and of a row and the origin else. Theil 1950, Sen, JASA
 * 63:1379 (1968); weights as Jaeckel, Ann. Math. Stat. 43:1449 (1972). NAN: no pair.
 */
double robust_theil_sen(const struct power_problem *p, const double *coef);

enum robust_weights { ROBUST_HUBER, ROBUST_BISQUARE };
/*
 * M estimate of all terms at once; Huber, "Robust Statistics" (1981), ch. 7
 * @se: its standard error, of independent rows; NULL: not wanted
 *
 * NAN: it cannot be had (too few rows, no scatter); @se is then NAN, too.
 */
double robust_m_estimate(const struct power_problem *p, enum robust_weights weights,
			 double *se);

#endif

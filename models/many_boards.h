/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several boards of one kind: C of each by the ordinary method, and then what they have
 * in common and how they differ (models/meta.h: random effects). All boards go by one
 * method, the one that most boards' rows call for, since C means something else with
 * another; a board whose rows do not allow it is left out, and says so.
 */
#ifndef MODELS_MANY_BOARDS_H
#define MODELS_MANY_BOARDS_H

#include "models/meta.h"
#include "models/power.h"

#define MANY_BOARDS_IN_FULL 100

struct many_board {
	bool used;
	char why[192]; /* not used: why */
	double c, se;
	double deleted; /* standard deviations off what the others predict */
	bool outlying;
};

struct many_boards_in {
	const struct sample *samples; /* board by board */
	const size_t *first;	      /* of each board, and the end: count + 1 */
	const char *const *names;
	size_t in_full; /* 0: MANY_BOARDS_IN_FULL */
	size_t count;
	struct power_select sel;
	enum power_leakage leakage; /* as in struct power_data */
};

struct many_boards {
	struct many_board *boards; /* count of the input; freed by many_boards_free() */
	size_t count, used, outlying;
	size_t in_full; /* fitted by the ordinary method; 0: all */
	double quick_off,
		quick_off_se; /* what the quick fit was off on those, put right */
	struct meta meta;
};

/*
 * many_boards_fit - fit every board, and pool them
 * @method, @why: in: asked for, or NULL; out: what all were fitted by, and why
 * @f: of the pooled boards: C with the mean's interval, other terms as means over boards
 *	with the error of that mean, sums of rows
 *
 * Of @f, what only the full fits tell (terms, residuals, outliers, notes) is that of the
 * sample, where there is one.
 *
 * Returns 0 (many_boards_free() in any case); -EDOM when less than two boards are left,
 * with the reason of the first that is not used; -ENOMEM.
 */
int many_boards_fit(const struct many_boards_in *in, const struct power_method **method,
		    char *why, size_t size, struct many_boards *out, struct power_fit *f,
		    struct err *err);
void many_boards_free(struct many_boards *b);

#endif

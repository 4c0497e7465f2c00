// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where boots, not iterations, are what is compared.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/bench/comparison.h"

int comparison_group(struct comparison_side *side, struct err *err)
{
	side->each = side->values;
	side->each_n = side->n;
	side->values = calloc(side->n, sizeof(*side->values));
	if (!side->values)
		return err_set(err, -ENOMEM, "out of memory");
	side->n = compare_groups(side->each, side->order, side->each_n, side->values,
				 side->order, &side->groups);
	return 0;
}

int comparison_compare_boots(const struct comparison *c, struct comparison_metric *m,
			     struct err *err)
{
	const struct compare_series a = { m->sides[0].each, NULL, m->sides[0].each_n };
	struct compare_series boots[COMPARISON_MAX_FILES];
	int ret = 0;

	for (unsigned int i = 0; i < c->file_count && !ret; i++) {
		struct comparison_side *side = &m->sides[i];
		const struct compare_series b = { side->each, NULL, side->each_n };

		boots[i] = (struct compare_series){ side->values, side->order, side->n };
		if (i)
			ret = compare_series(&a, &b, &side->each_versus, err);
		/* One boot may be like any other, or like none. */
		if (i && (boots[0].n < 2 || side->n < 2))
			side->versus.has_rank = false;
	}
	compare_drift(boots, c->file_count, &m->drift);
	return ret;
}

bool comparison_boots_took_turns(const struct comparison *c)
{
	const struct bench_result *r = c->files[0].result;

	for (unsigned int i = 0; i + 1 < r->boot_count; i += 2)
		if (!strcmp(r->boots[i].state, r->boots[i + 1].state))
			return false;
	return c->file_count == 2;
}

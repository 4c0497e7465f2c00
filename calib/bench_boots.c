// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From --boot to a series of boots.
 */
#include "calib/bench_boots.h"

#include <errno.h>
#include <string.h>

#include "calib/bench/boots.h"
#include "calib/bench/comparison.h"
#include "lib/num.h"

int bench_boots_open(struct bench_boots *b, struct err *err)
{
	static const char *const of_boots[] = { "boot-rsd", NULL };

	if (!b->state && cmd_any_given(b->ctx, of_boots))
		return err_set(err, -EINVAL, "--boot-rsd is of --boot NAME");
	if (!b->state)
		return boots_spare(b->path, err);
	if (!b->path || !strcmp(b->path, "-"))
		return err_set(err, -EINVAL,
			       "--boot adds to a file: give -o FILE, the same at each "
			       "boot");
	return boots_open(b->path, b->result, err);
}

void bench_boots_found(const struct bench_boots *b, unsigned int i,
		       struct workload_run *w)
{
	const struct bench_series *was = &b->result->series[i];
	const struct workload_param *p = w->type->params;

	if (i >= b->result->series_count || strcmp(was->workload, w->type->name) != 0)
		return;
	for (size_t n = 0; p[n].name; n++) {
		const char *found = bench_param_value(was, p[n].name);

		if (found && !p[n].choices && !p[n].is_text && !w->value[n])
			num_u64(found, &w->value[n]);
	}
}

int bench_boots_same(const struct bench_boots *b, unsigned int i,
		     const struct bench_series *now, unsigned int count, struct err *err)
{
	int ret = boots_same_work(b->result, i, now, count, err);

	return ret ? err_wrap(err, ret, "'%s'", b->path) : 0;
}

int bench_boots_check(struct bench_boots *b, struct site *site, struct err *err)
{
	int ret = b->state ? site_describe(site, &b->now, err) : 0;

	if (b->state && !ret)
		ret = boots_ok(b->result, b->state, &b->now, err);
	return ret ? err_wrap(err, ret, "--boot") : 0;
}

static void warn_of_change(void *arg, const char *text)
{
	const struct bench_boots *b = arg;

	cmd_warn(b->ctx, "this is not the '%s' of the series' boots before: %s", b->state,
		 text);
}

int bench_boots_begin(struct bench_boots *b, struct err *err)
{
	int ret = boots_begin(b->result, b->state, &b->now, err);

	if (ret)
		return err_wrap(err, ret, "--boot");
	comparison_boots_differ(b->result, b->state, warn_of_change, b);
	return 0;
}

int bench_boots_pick(const struct bench_boots *b, struct bench_result *out,
		     struct err *err)
{
	return boots_pick(b->result, b->state, b->result->boot_count - 1, out, err);
}

void bench_boots_tell(const struct bench_boots *b)
{
	const struct bench_result *r = b->result;
	struct boots_state states[BOOTS_MAX_STATES];
	unsigned int n = boots_states(r, states), least = r->boot_count, done = 0;
	const char *next = boots_next(r);

	for (unsigned int i = 0; i < n; i++) {
		unsigned int boots = states[i].boots;

		least = boots < least ? boots : least;
		done += boots < BOOTS_ENOUGH ? boots : BOOTS_ENOUGH;
	}
	if (!next)
		cmd_note(b->ctx,
			 "boot %u of the series is of '%s'; next: boot the other state, "
			 "and run this again there with --boot and its name",
			 r->boot_count, states[0].name);
	else if (least < BOOTS_ENOUGH)
		cmd_note(b->ctx,
			 "%u of %u boots (%d of each state) are done; next: boot '%s', "
			 "and run this again there with --boot '%s'",
			 done, n * BOOTS_ENOUGH, BOOTS_ENOUGH, next, next);
	else
		cmd_note(b->ctx,
			 "%u boots of each state are done; next: calib bench compare %s; "
			 "one boot more of each would lower what can be found by less "
			 "than a tenth",
			 least, b->path);
}

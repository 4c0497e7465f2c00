// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which boots a series has, and which comes next.
 */
#include "calib/bench/boots.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/text.h"

static struct boots_state *find(struct boots_state *states, unsigned int n,
				const char *name)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(states[i].name, name))
			return &states[i];
	return NULL;
}

unsigned int boots_states(const struct bench_result *r,
			  struct boots_state out[BOOTS_MAX_STATES])
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < r->boot_count; i++) {
		struct boots_state *s = find(out, n, r->boots[i].state);

		if (!s && n == BOOTS_MAX_STATES)
			break;
		if (!s) {
			s = &out[n++];
			*s = (struct boots_state){ .name = r->boots[i].state,
						   .first = i };
		}
		s->boots++;
		s->last = i;
	}
	return n;
}

/* Of those with the fewest boots the one that was booted last. */
const char *boots_next(const struct bench_result *r)
{
	struct boots_state states[BOOTS_MAX_STATES], *next = states;
	unsigned int n = boots_states(r, states);

	if (n < 2)
		return NULL;
	for (unsigned int i = 1; i < n; i++) {
		struct boots_state *s = &states[i];

		if (s->boots < next->boots ||
		    (s->boots == next->boots && s->last > next->last))
			next = s;
	}
	return next->name;
}

/* A pipe may be written to, and not be read again. */
static bool is_file(const char *path)
{
	struct stat st;

	return path && !stat(path, &st) && S_ISREG(st.st_mode);
}

int boots_open(const char *path, struct bench_result *r, struct err *err)
{
	int ret = is_file(path) ? bench_result_read(path, r, err) : 0;

	if (!ret && is_file(path) && !r->boot_count)
		ret = err_set(err, -EINVAL,
			      "'%s' is there, and is no series of boots: add to another "
			      "file",
			      path);
	return ret;
}

int boots_spare(const char *path, struct err *err)
{
	struct bench_result *r = calloc(1, sizeof(*r));
	int ret = 0;

	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	if (is_file(path) && !bench_result_read(path, r, NULL) && r->boot_count)
		ret = err_set(
			err, -EINVAL,
			"'%s' holds a series of %u boot%s, which would be lost: add "
			"to it with --boot NAME, or give another file",
			path, r->boot_count, text_s(r->boot_count));
	bench_result_free(r);
	free(r);
	return ret;
}

int boots_same_work(const struct bench_result *r, unsigned int i,
		    const struct bench_series *now, unsigned int count, struct err *err)
{
	const struct bench_series *was = &r->series[i];
	const struct bench_param *p;
	const char *then, *here;

	if (count != r->series_count)
		return err_set(
			err, -EINVAL,
			"the series is of %u workload%s, and not of %u; name none, "
			"and those of the series are run",
			r->series_count, text_s(r->series_count), count);
	if (strcmp(was->workload, now->workload) != 0)
		return err_set(err, -EINVAL,
			       "workload %u of the series is '%s', and not '%s'; name "
			       "none, and those of the series are run",
			       i + 1, was->workload, now->workload);
	p = bench_differing(was, now);
	if (!p)
		p = bench_differing(now, was);
	if (!p)
		return 0;
	then = bench_param_value(was, p->key);
	here = bench_param_value(now, p->key);
	return err_set(err, -EINVAL,
		       "%s: %s is '%.80s' in the series, and '%.80s' now: not the same "
		       "work",
		       now->workload, p->key, then ? then : "", here ? here : "");
}

/* The first setting that was not so when the boot began. */
static const char *changed_setting(const struct bench_context *a,
				   const struct bench_context *b)
{
	for (unsigned int i = 0; i < a->policy_count && i < b->policy_count; i++) {
		if (strcmp(a->policies[i].governor, b->policies[i].governor) != 0)
			return "governor";
		if (strcmp(a->policies[i].epp, b->policies[i].epp) != 0)
			return "energy/performance preference";
	}
	return strcmp(a->cpus, b->cpus) != 0 ? "list of CPUs online" : NULL;
}

static const struct bench_boot *boot_of(const struct bench_result *r, const char *id)
{
	for (unsigned int i = 0; i < r->boot_count; i++)
		if (!strcmp(r->boots[i].context.boot.id, id))
			return &r->boots[i];
	return NULL;
}

static int check_state(const struct bench_result *r, const char *state, struct err *err)
{
	struct boots_state states[BOOTS_MAX_STATES];
	unsigned int n = boots_states(r, states);
	char text[sizeof(r->boots->state)];

	if (!*state || strlen(state) >= sizeof(text))
		return err_set(err, -EINVAL, "a state's name has 1 to %zu letters",
			       sizeof(text) - 1);
	strcpy(text, state);
	text_clean(text);
	if (strcmp(text, state) != 0)
		return err_set(err, -EINVAL,
			       "a state's name holds no control characters");
	if (n == BOOTS_MAX_STATES && !find(states, n, state))
		return err_set(err, -E2BIG, "more than %d states", BOOTS_MAX_STATES);
	return 0;
}

int boots_ok(const struct bench_result *r, const char *state,
	     const struct bench_context *now, struct err *err)
{
	const struct bench_boot *b = boot_of(r, now->boot.id);
	int ret = check_state(r, state, err);

	if (ret)
		return ret;
	if (!now->boot.id[0])
		return err_set(err, -EINVAL,
			       "/proc/sys/kernel/random/boot_id cannot be read: boots "
			       "cannot be told apart");
	if (r->boot_count && r->context.virtual_board != now->virtual_board)
		return err_set(err, -EINVAL, "the series is of a %s board",
			       r->context.virtual_board ? "virtual" : "real");
	if (r->boot_count && !bench_same_rails(&r->context, now))
		return err_set(err, -EINVAL,
			       "the meters are not those of the series' first boot; name "
			       "the same ones with --sensor");
	if (b && strcmp(b->state, state) != 0)
		return err_set(
			err, -EINVAL,
			"this is still the boot that was '%s' (boot id %s): reboot "
			"into '%s' first",
			b->state, now->boot.id, state);
	if (b && b != &r->boots[r->boot_count - 1])
		return err_set(err, -EINVAL,
			       "this is boot %zu of the series, and there are later ones",
			       b - r->boots + 1);
	return 0;
}

int boots_begin(struct bench_result *r, const char *state,
		const struct bench_context *now, struct err *err)
{
	const struct bench_boot *b = boot_of(r, now->boot.id);
	const char *changed = b ? changed_setting(&b->context, now) : NULL;
	int ret = boots_ok(r, state, now, err);

	if (ret)
		return ret;
	if (changed)
		return err_set(err, -EINVAL,
			       "the %s is not what it was when this boot's first "
			       "iterations ran",
			       changed);
	if (b)
		return 0;
	if (!r->boot_count)
		r->context = *now;
	return bench_boot_add(r, state, now, err);
}

/* Boot number @i, by boots_pick()'s @state and @boot. */
static bool is_picked(const struct bench_result *r, unsigned int i, const char *state,
		      int boot)
{
	return boot < 0 ? !strcmp(r->boots[i].state, state) : i == (unsigned int)boot;
}

static int pick_series(const struct bench_result *r, const struct bench_series *from,
		       const char *state, int boot, struct bench_series *to,
		       struct err *err)
{
	int ret = 0;

	*to = *from;
	to->iterations = NULL;
	to->iteration_count = to->room = 0;
	for (size_t i = 0; i < from->iteration_count && !ret; i++) {
		const struct bench_iteration *it = &from->iterations[i];

		if (is_picked(r, it->boot, state, boot))
			ret = bench_series_add(to, it, err);
	}
	return ret;
}

int boots_pick(const struct bench_result *r, const char *state, int boot,
	       struct bench_result *out, struct err *err)
{
	struct boots_state states[BOOTS_MAX_STATES];
	const struct boots_state *s = find(states, boots_states(r, states), state);
	int ret = 0;

	if (!s)
		return err_set(err, -EINVAL, "there is no boot of '%s'", state);
	out->context = r->boots[boot < 0 ? s->first : (unsigned int)boot].context;
	out->boots = malloc(r->boot_count * sizeof(*r->boots));
	if (!out->boots)
		return err_set(err, -ENOMEM, "out of memory");
	memcpy(out->boots, r->boots, r->boot_count * sizeof(*r->boots));
	out->boot_count = r->boot_count;
	for (unsigned int i = 0; i < r->boot_count; i++)
		out->interrupted |= r->boots[i].interrupted &&
				    is_picked(r, i, state, boot);
	for (unsigned int i = 0; i < r->series_count && !ret; i++) {
		out->series_count++;
		ret = pick_series(r, &r->series[i], state, boot, &out->series[i], err);
	}
	return ret;
}

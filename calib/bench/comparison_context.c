// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What differs in how the files of a comparison were made, besides what is compared.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "calib/bench/comparison.h"
#include "lib/cpulist.h"

#define TEXT_MAX 512

static void put_board(const struct bench_result *r, char *out, size_t size)
{
	const struct bench_context *c = &r->context;

	snprintf(out, size, "%s",
		 c->board[0]	    ? c->board
		 : c->compatible[0] ? c->compatible
				    : c->model);
}

static void put_kernel(const struct bench_result *r, char *out, size_t size)
{
	snprintf(out, size, "%s", r->context.kernel);
}

static void put_tool(const struct bench_result *r, char *out, size_t size)
{
	snprintf(out, size, "%s", r->context.tool);
}

static void put_cpus(const struct bench_result *r, char *out, size_t size)
{
	snprintf(out, size, "%s", r->context.cpus);
}

static void put_warmup(const struct bench_result *r, char *out, size_t size)
{
	snprintf(out, size, "%" PRIu32, r->context.warmup);
}

/* The seed is the virtual board: another one is another piece of hardware. */
static void put_seed(const struct bench_result *r, char *out, size_t size)
{
	snprintf(out, size, "%" PRIu64, r->context.seed);
}

enum setting { GOVERNOR, EPP, LIMITS, DRIVER };

static void one_setting(const struct bench_policy *p, enum setting what, char *out,
			size_t size)
{
	switch (what) {
	case GOVERNOR:
		snprintf(out, size, "%s", p->governor);
		break;
	case EPP:
		snprintf(out, size, "%s", p->epp);
		break;
	case DRIVER:
		snprintf(out, size, "%s", p->driver);
		break;
	case LIMITS:
		snprintf(out, size, "%" PRIu32 "-%" PRIu32 " kHz", p->min_khz,
			 p->max_khz);
		break;
	}
}

/* Once where all policies have the same, else each with its CPUs. */
static void put_setting(const struct bench_result *r, enum setting what, char *out,
			size_t size)
{
	const struct bench_context *c = &r->context;
	char first[64] = "", text[64], cpus[64];
	bool same = true;
	size_t used = 0;

	*out = '\0';
	for (unsigned int i = 0; i < c->policy_count; i++) {
		one_setting(&c->policies[i], what, text, sizeof(text));
		if (!i)
			strcpy(first, text);
		same &= !strcmp(first, text);
	}
	if (same) {
		snprintf(out, size, "%s", first);
		return;
	}
	for (unsigned int i = 0; i < c->policy_count && used < size; i++) {
		one_setting(&c->policies[i], what, text, sizeof(text));
		used += snprintf(out + used, size - used, "%s%s (CPUs %s)", i ? ", " : "",
				 text[0] ? text : "none",
				 cpulist_format(c->policies[i].cpus,
						c->policies[i].cpu_count, cpus,
						sizeof(cpus)));
	}
}

static void put_governor(const struct bench_result *r, char *out, size_t size)
{
	put_setting(r, GOVERNOR, out, size);
}

static void put_epp(const struct bench_result *r, char *out, size_t size)
{
	put_setting(r, EPP, out, size);
}

static void put_limits(const struct bench_result *r, char *out, size_t size)
{
	put_setting(r, LIMITS, out, size);
}

static void put_driver(const struct bench_result *r, char *out, size_t size)
{
	put_setting(r, DRIVER, out, size);
}

static void put_meters(const struct bench_result *r, char *out, size_t size)
{
	const struct bench_context *c = &r->context;
	size_t used = 0;

	*out = '\0';
	for (unsigned int i = 0; i < c->rail_count && used < size; i++)
		used += snprintf(out + used, size - used, "%s%s by %s", i ? ", " : "",
				 c->rails[i].name,
				 c->rails[i].method == BENCH_COUNTER ? "counter"
								     : "trapezoid");
}

static const struct {
	const char *name;
	void (*put)(const struct bench_result *r, char *out, size_t size);
} facts[] = {
	{ "governor", put_governor },
	{ "energy/performance preference", put_epp },
	{ "clock limits", put_limits },
	{ "cpufreq driver", put_driver },
	{ "kernel", put_kernel },
	{ "board", put_board },
	{ "seed of the virtual board", put_seed },
	{ "CPUs online", put_cpus },
	{ "meters", put_meters },
	{ "warm-up iterations", put_warmup },
	{ "tool", put_tool },
};

static void tell(const struct comparison *c, size_t fact,
		 void (*line)(void *arg, const char *text), void *arg)
{
	char first[TEXT_MAX], text[TEXT_MAX], all[COMPARISON_MAX_FILES * TEXT_MAX];
	bool differs = false;
	size_t used;

	used = snprintf(all, sizeof(all), "%s:", facts[fact].name);
	for (unsigned int i = 0; i < c->file_count && used < sizeof(all); i++) {
		facts[fact].put(c->files[i].result, text, sizeof(text));
		if (!i)
			strcpy(first, text);
		differs |= strcmp(first, text) != 0;
		used += snprintf(all + used, sizeof(all) - used, "%s %c %s", i ? "," : "",
				 'A' + i, text[0] ? text : "none");
	}
	if (differs)
		line(arg, all);
}

static void tell_left_out(const struct comparison_left_out *l,
			  void (*line)(void *arg, const char *text), void *arg)
{
	char text[TEXT_MAX];

	snprintf(text, sizeof(text), "left out: '%s', of which %c has no iterations",
		 l->workload, 'A' + l->file);
	line(arg, text);
}

void comparison_contexts(const struct comparison *c,
			 void (*line)(void *arg, const char *text), void *arg)
{
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		tell(c, i, line, arg);
	for (unsigned int i = 0; i < c->left_out_count; i++)
		tell_left_out(&c->left_out[i], line, arg);
}

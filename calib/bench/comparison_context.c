// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What differs in how the files of a comparison were made, besides what is compared.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "calib/bench/comparison.h"
#include "lib/cpulist.h"

#define TEXT_MAX   1100 /* a whole command line */
#define BOOT_FACTS 5	/* the first of facts[]: what a boot may change */

static void put_board(const struct bench_context *c, char *out, size_t size)
{
	snprintf(out, size, "%s",
		 c->board[0]	    ? c->board
		 : c->compatible[0] ? c->compatible
				    : c->model);
}

static void put_kernel(const struct bench_context *c, char *out, size_t size)
{
	snprintf(out, size, "%s", c->kernel);
}

static void put_build(const struct bench_context *c, char *out, size_t size)
{
	snprintf(out, size, "%s", c->boot.build);
}

static void put_cmdline(const struct bench_context *c, char *out, size_t size)
{
	snprintf(out, size, "%s", c->boot.cmdline);
}

static void put_tree(const struct bench_context *c, char *out, size_t size)
{
	snprintf(out, size, "%s", c->boot.tree);
}

static void put_energy_model(const struct bench_context *c, char *out, size_t size)
{
	snprintf(out, size, "%s", c->boot.energy_model);
}

static void put_tool(const struct bench_context *c, char *out, size_t size)
{
	snprintf(out, size, "%s", c->tool);
}

static void put_cpus(const struct bench_context *c, char *out, size_t size)
{
	snprintf(out, size, "%s", c->cpus);
}

static void put_warmup(const struct bench_context *c, char *out, size_t size)
{
	snprintf(out, size, "%" PRIu32, c->warmup);
}

/* The seed is the virtual board: another one is another piece of hardware. */
static void put_seed(const struct bench_context *c, char *out, size_t size)
{
	snprintf(out, size, "%" PRIu64, c->seed);
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
static void put_setting(const struct bench_context *c, enum setting what, char *out,
			size_t size)
{
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

static void put_governor(const struct bench_context *c, char *out, size_t size)
{
	put_setting(c, GOVERNOR, out, size);
}

static void put_epp(const struct bench_context *c, char *out, size_t size)
{
	put_setting(c, EPP, out, size);
}

static void put_limits(const struct bench_context *c, char *out, size_t size)
{
	put_setting(c, LIMITS, out, size);
}

static void put_driver(const struct bench_context *c, char *out, size_t size)
{
	put_setting(c, DRIVER, out, size);
}

static void put_meters(const struct bench_context *c, char *out, size_t size)
{
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
	void (*put)(const struct bench_context *c, char *out, size_t size);
} facts[] = {
	{ "kernel", put_kernel },
	{ "kernel build", put_build },
	{ "kernel command line", put_cmdline },
	{ "device tree", put_tree },
	{ "energy model", put_energy_model },
	{ "governor", put_governor },
	{ "energy/performance preference", put_epp },
	{ "clock limits", put_limits },
	{ "cpufreq driver", put_driver },
	{ "board", put_board },
	{ "seed of the virtual board", put_seed },
	{ "CPUs online", put_cpus },
	{ "meters", put_meters },
	{ "warm-up iterations", put_warmup },
	{ "tool", put_tool },
};

#define FACTS (sizeof(facts) / sizeof(facts[0]))

/* Does one of @files have another one than the first? Into @all: "governor: A x, B y". */
static bool differs(const struct comparison *c, size_t fact, char *all, size_t size)
{
	char first[TEXT_MAX], text[TEXT_MAX];
	bool differs = false;
	size_t used;

	used = snprintf(all, size, "%s:", facts[fact].name);
	for (unsigned int i = 0; i < c->file_count && used < size; i++) {
		facts[fact].put(&c->files[i].result->context, text, sizeof(text));
		if (fact < BOOT_FACTS && !text[0])
			return false; /* not known of one: nothing to tell */
		if (!i)
			strcpy(first, text);
		differs |= strcmp(first, text) != 0;
		used += snprintf(all + used, size - used, "%s %c %s", i ? "," : "",
				 'A' + i, text[0] ? text : "none");
	}
	return differs;
}

static void tell_left_out(const struct comparison_left_out *l,
			  void (*line)(void *arg, const char *text), void *arg)
{
	char text[TEXT_MAX];

	snprintf(text, sizeof(text), "left out: '%s', of which %c has no iterations",
		 l->workload, 'A' + l->file);
	line(arg, text);
}

/* The boots of @state that have another one than its first. */
static bool boots_differ(const struct bench_result *r, const char *state, size_t fact,
			 char *all, size_t size)
{
	char first[TEXT_MAX], text[TEXT_MAX];
	bool known = false, differs = false;
	size_t used = 0;

	for (unsigned int i = 0; i < r->boot_count && used < size; i++) {
		if (strcmp(r->boots[i].state, state) != 0)
			continue;
		facts[fact].put(&r->boots[i].context, text, sizeof(text));
		if ((fact < BOOT_FACTS && !text[0]) || (known && !strcmp(first, text)))
			continue;
		used += snprintf(all + used, size - used, "%s%s boot %u %s",
				 known ? "" : facts[fact].name, known ? "," : ":", i + 1,
				 text[0] ? text : "none");
		differs |= known;
		if (!known)
			strcpy(first, text);
		known = true;
	}
	return differs;
}

void comparison_boots_differ(const struct bench_result *r, const char *state,
			     void (*line)(void *arg, const char *text), void *arg)
{
	char all[COMPARISON_MAX_FILES * TEXT_MAX];

	for (size_t i = 0; i < FACTS; i++)
		if (boots_differ(r, state, i, all, sizeof(all)))
			line(arg, all);
}

/* How the states of a series differ, beside what differs between boots of one. */
static void tell_states(const struct comparison *c, bool changed,
			void (*line)(void *arg, const char *text), void *arg)
{
	const struct bench_result *r = c->files[0].result;

	if (!changed && !r->context.virtual_board)
		line(arg, "kernel, command line, device tree and energy model, as far as "
			  "they could be read, are the same: was another state booted?");
	for (unsigned int k = 0; k < c->file_count; k++) {
		char all[COMPARISON_MAX_FILES * TEXT_MAX], text[sizeof(all) + 64];

		for (size_t i = 0; i < FACTS; i++) {
			if (!boots_differ(r, c->files[k].name, i, all, sizeof(all)))
				continue;
			snprintf(text, sizeof(text),
				 "%c is not the same at each boot: %s", 'A' + k, all);
			line(arg, text);
		}
	}
}

void comparison_contexts(const struct comparison *c,
			 void (*line)(void *arg, const char *text), void *arg)
{
	char all[COMPARISON_MAX_FILES * TEXT_MAX];
	bool changed = false;

	for (size_t i = 0; i < FACTS; i++) {
		if (!differs(c, i, all, sizeof(all)))
			continue;
		line(arg, all);
		changed |= i < BOOT_FACTS;
	}
	if (c->by_boot)
		tell_states(c, changed, line, arg);
	for (unsigned int i = 0; i < c->left_out_count; i++)
		tell_left_out(&c->left_out[i], line, arg);
}

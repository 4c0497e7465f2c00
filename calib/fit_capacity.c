// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: capacity-dmips-mhz of the clusters, and whether work per MHz is the same at
 * every clock.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit.h"
#include "models/capacity.h"

#define CHECK_NAME "capacity-flat"

/* Of one cluster. */
struct speed_rows {
	struct capacity_row *rows;
	size_t count;
};

static unsigned int opp_of(const struct coeffs_cluster *c, uint32_t khz)
{
	unsigned int i = 0;

	while (i < c->opp_count && c->opps[i].hz != khz * 1000ull)
		i++;
	return i;
}

/* Rows of @load; those at a point that is not in the result have one number. */
static void gather(struct speed_rows *r, const struct coeffs_cluster *c, const char *load,
		   const struct fit_input *in)
{
	size_t i;

	r->count = 0;
	for (i = 0; i < in->samples.count; i++) {
		const struct sample *s = &in->samples.rows[i];

		if (strcmp(s->cluster, c->name) || strcmp(s->load, load) ||
		    !capacity_row_of(s, &r->rows[r->count]))
			continue;
		r->rows[r->count++].opp = opp_of(c, s->opp_khz);
	}
}

static bool all_have(const struct coeffs *out, const struct fit_input *in,
		     struct speed_rows *r, const char *load)
{
	unsigned int i;

	for (i = 0; i < out->cluster_count; i++) {
		gather(r, &out->clusters[i], load, in);
		if (r->count < 2)
			return false;
	}
	return true;
}

/* The integer load, or the one that was fitted: units of other loads do not compare. */
static const char *common_load(const struct coeffs *out, const struct fit_input *in,
			       struct speed_rows *r)
{
	const char *fitted = out->clusters[0].provenance.load;
	size_t i;

	for (i = 0; fit_integer_load(i); i++)
		if (all_have(out, in, r, fit_integer_load(i)))
			return fit_integer_load(i);
	return all_have(out, in, r, fitted) ? fitted : NULL;
}

static void fill_opps(struct coeffs_cluster *c, const struct speed_rows *r)
{
	unsigned int i;
	size_t k;

	for (i = 0; i < c->opp_count; i++) {
		double work = 0, cycles = 0;

		for (k = 0; k < r->count; k++) {
			if (r->rows[k].opp != i)
				continue;
			work += r->rows[k].work;
			cycles += r->rows[k].cycles;
		}
		c->opps[i].work_per_mhz = cycles > 0 ? work / cycles : 0;
	}
}

/* No "-0.00". */
static double hundredths(double pct)
{
	return round(100 * pct) / 100 + 0.0;
}

static void tell_flat(char *out, size_t size, const struct capacity_speed *s,
		      const char *load)
{
	int used = snprintf(out, size, "work per MHz of '%.31s' ", load);

	if (s->flat) {
		snprintf(out + used, size - used,
			 "is flat over %u operating points: %+.2f %% of the time at the "
			 "top clock is not the core's (95 %%: %+.2f..%+.2f)",
			 s->opps, hundredths(s->wait_pct), hundredths(s->wait_ci95[0]),
			 hundredths(s->wait_ci95[1]));
		return;
	}
	snprintf(out + used, size - used,
		 "%s with the clock: %+.1f %% of the time at the top clock is not the "
		 "core's (95 %%: %+.1f..%+.1f); capacity is that at the top clock; %s",
		 s->wait_pct > 0 ? "falls" : "rises", s->wait_pct, s->wait_ci95[0],
		 s->wait_ci95[1],
		 s->wait_pct > 0 ? "take a load that stays in the core (--loads int)"
				 : "see 'calib freqcheck' for false clocks");
}

/* Every cluster that is not flat is told; the file names the first, or one that is. */
static void add_check(const struct cmd_ctx *ctx, struct coeffs *out,
		      const struct capacity_speed *speeds, const char *load)
{
	struct coeffs_check *k = &out->checks[out->check_count];
	char text[COEFFS_TEXT - sizeof(out->clusters[0].name)];
	unsigned int i;

	if (out->check_count == COEFFS_MAX_NOTES)
		return;
	memset(k, 0, sizeof(*k));
	k->ok = true;
	for (i = 0; i < out->cluster_count; i++) {
		char name[sizeof(out->clusters[i].name)];

		if (!speeds[i].tested)
			continue;
		memcpy(name, out->clusters[i].name, sizeof(name));
		tell_flat(text, sizeof(text), &speeds[i], load);
		if (!speeds[i].flat)
			cmd_warn(ctx, "cluster '%s': %s", name, text);
		if (!*k->text || (k->ok && !speeds[i].flat))
			snprintf(k->text, sizeof(k->text), "%s: %s", name, text);
		k->ok &= speeds[i].flat;
	}
	if (!*k->text)
		return;
	snprintf(k->name, sizeof(k->name), CHECK_NAME);
	out->check_count++;
}

static void take(struct coeffs_cluster *c, const struct capacity *value)
{
	c->has_capacity = true;
	c->capacity_dmips_mhz = value->dmips_mhz;
	c->has_capacity_ci = isfinite(value->ci95[1]);
	if (c->has_capacity_ci)
		memcpy(c->capacity_ci95, value->ci95, sizeof(value->ci95));
}

static void talk(const struct coeffs *out, const char *load)
{
	unsigned int i;

	fprintf(stderr, "capacity of '%s':", load);
	for (i = 0; i < out->cluster_count; i++) {
		const struct coeffs_cluster *c = &out->clusters[i];

		fprintf(stderr, "%s %s %u", i ? "," : "", c->name, c->capacity_dmips_mhz);
		if (c->has_capacity_ci && c->capacity_ci95[0] < c->capacity_ci95[1])
			fprintf(stderr, " (95 %%: %.5g..%.5g)", c->capacity_ci95[0],
				c->capacity_ci95[1]);
	}
	fputc('\n', stderr);
}

static int find_speeds(struct coeffs *out, const struct fit_input *in,
		       struct speed_rows *r, const char *load,
		       struct capacity_speed *speeds, struct err *err)
{
	unsigned int i;
	int ret;

	for (i = 0; i < out->cluster_count; i++) {
		struct coeffs_cluster *c = &out->clusters[i];

		gather(r, c, load, in);
		fill_opps(c, r);
		ret = capacity_speed(r->rows, r->count, c->opp_count + 1, &speeds[i],
				     err);
		if (ret)
			return err_wrap(err, ret, "cluster '%s': capacity", c->name);
	}
	return 0;
}

int fit_capacities(const struct cmd_ctx *ctx, struct coeffs *out,
		   const struct fit_input *in, struct err *err)
{
	struct capacity_speed speeds[COEFFS_MAX_CLUSTERS];
	struct capacity values[COEFFS_MAX_CLUSTERS];
	struct speed_rows r = { .rows = calloc(in->samples.count + 1, sizeof(*r.rows)) };
	const char *load;
	unsigned int i;
	int ret = 0;

	if (!r.rows)
		return err_set(err, -ENOMEM, "out of memory");
	load = common_load(out, in, &r);
	if (load)
		ret = find_speeds(out, in, &r, load, speeds, err);
	if (load && !ret)
		add_check(ctx, out, speeds, load);
	/* One cluster alone has nothing to compare with. */
	if (load && !ret && out->cluster_count > 1) {
		capacity_normalise(speeds, out->cluster_count, values);
		for (i = 0; i < out->cluster_count; i++)
			take(&out->clusters[i], &values[i]);
		talk(out, load);
	}
	free(r.rows);
	return ret;
}

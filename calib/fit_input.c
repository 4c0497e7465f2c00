// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: rows in, and each cluster's way to its coefficient.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calib/fit.h"

#define MIN_UV	200000
#define MAX_UV	5000000
#define MIN_KHZ 1000
#define MAX_KHZ 20000000

const char *fit_integer_load(size_t i)
{
	static const char *const names[] = { "int", "integer", NULL };

	return names[i];
}

static int add_cluster(struct fit_input *in, const char *name, struct err *err)
{
	unsigned int i;

	for (i = 0; i < in->cluster_count; i++)
		if (!strcmp(in->clusters[i], name))
			return 0;
	if (in->cluster_count == COEFFS_MAX_CLUSTERS)
		return err_set(err, -E2BIG,
			       "more than %d clusters; choose with --cluster",
			       COEFFS_MAX_CLUSTERS);
	snprintf(in->clusters[in->cluster_count++], sizeof(in->clusters[0]), "%s", name);
	return 0;
}

static bool has_rows(const struct fit_input *in, const char *name)
{
	size_t i;

	for (i = 0; i < in->samples.count; i++)
		if (!strcmp(in->samples.rows[i].cluster, name))
			return true;
	return false;
}

static int unknown_cluster(const struct fit_input *in, const char *name, struct err *err)
{
	char known[512] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < in->cluster_count && used < sizeof(known); i++)
		used += snprintf(known + used, sizeof(known) - used, "%s%s",
				 i ? ", " : "", in->clusters[i]);
	return err_set(err, -ENOENT, "no rows of a cluster '%s'; there are %s", name,
		       known);
}

/* In the machine's order, then as they come. */
static int list_clusters(struct fit_input *in, const char *only, struct err *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; in->has_info && i < in->info.cluster_count && !ret; i++)
		if (has_rows(in, in->info.clusters[i].name))
			ret = add_cluster(in, in->info.clusters[i].name, err);
	for (i = 0; i < in->samples.count && !ret; i++)
		ret = add_cluster(in, in->samples.rows[i].cluster, err);
	if (ret || !only)
		return ret;
	if (!has_rows(in, only))
		return unknown_cluster(in, only, err);
	in->cluster_count = 1;
	snprintf(in->clusters[0], sizeof(in->clusters[0]), "%s", only);
	return 0;
}

static uint32_t table_uv(const struct runinfo_cluster *c, uint32_t khz)
{
	unsigned int i;

	for (i = 0; c && i < c->opp_count; i++)
		if (c->opps[i].khz == khz)
			return c->opps[i].volt_uv;
	return 0;
}

static int fill_voltages(struct fit_input *in, const char *only, struct err *err)
{
	unsigned int k;
	size_t i;

	for (i = 0; i < in->samples.count; i++) {
		struct sample *s = &in->samples.rows[i];

		if (s->volt_uv || (only && strcmp(only, s->cluster)))
			continue;
		if (in->has_info)
			s->volt_uv = table_uv(runinfo_cluster(&in->info, s->cluster),
					      s->opp_khz);
		if (!s->volt_uv)
			return err_set(
				err, -EINVAL,
				"%s:%u: the voltage of cluster '%s' at %u kHz is not "
				"known, neither here nor in board.json; add it there "
				"to the cluster's OPPs",
				in->samples.paths[s->file], s->line, s->cluster,
				s->opp_khz);
		for (k = 0; k < in->cluster_count; k++)
			in->volt_filled[k] |= !strcmp(in->clusters[k], s->cluster);
	}
	return 0;
}

/* A wrong unit gives a wrong coefficient by powers of ten, and no other sign of it. */
static int check_units(const struct fit_input *in, const char *only, struct err *err)
{
	size_t i;

	for (i = 0; i < in->samples.count; i++) {
		const struct sample *s = &in->samples.rows[i];
		const char *path = in->samples.paths[s->file];

		if (only && strcmp(only, s->cluster))
			continue;
		if (s->volt_uv < MIN_UV || s->volt_uv > MAX_UV)
			return err_set(
				err, -ERANGE,
				"%s:%u: %u uV is no CPU's voltage (0.2 to 5 V); is the "
				"unit in the column's name right?",
				path, s->line, s->volt_uv);
		if (s->opp_khz < MIN_KHZ || s->opp_khz > MAX_KHZ)
			return err_set(
				err, -ERANGE,
				"%s:%u: %u kHz is no CPU's clock (1 MHz to 20 GHz); is "
				"the unit in the column's name right?",
				path, s->line, s->opp_khz);
	}
	return 0;
}

static int read_run(struct fit_input *in, const char *dir, struct err *err)
{
	int ret = runinfo_read(dir, &in->info, err);

	in->has_info = !ret;
	if (!ret)
		ret = runinfo_path(dir, "board.json", in->info_path,
				   sizeof(in->info_path), err);
	return ret;
}

int fit_input_read(struct fit_input *in, const struct fit_opts *o, char **files,
		   int file_count, struct err *err)
{
	const char *dir = o->dir ? o->dir : RUN_DEFAULT;
	int i, ret = 0;

	memset(in, 0, sizeof(*in));
	if (o->dir || !file_count)
		ret = read_run(in, dir, err);
	if (!ret && !file_count) {
		ret = runinfo_path(dir, "samples.csv", in->samples_path,
				   sizeof(in->samples_path), err);
		if (!ret)
			ret = samples_read(&in->samples, in->samples_path, err);
	}
	for (i = 0; i < file_count && !ret; i++)
		ret = samples_read(&in->samples, files[i], err);
	if (ret)
		return ret;
	if (!in->samples.count)
		return err_set(err, -ENODATA, "%s: no rows",
			       in->samples.file_count ? in->samples.paths[0] : dir);
	ret = list_clusters(in, o->cluster, err);
	if (!ret)
		ret = fill_voltages(in, o->cluster, err);
	return ret ? ret : check_units(in, o->cluster, err);
}

void fit_input_free(struct fit_input *in)
{
	samples_free(&in->samples);
}

static int several_loads(const char *a, const char *b, struct err *err)
{
	return err_set(err, -EINVAL,
		       "rows of several loads ('%s', '%s'); choose one with --load", a,
		       b);
}

/* The load to fit: what was asked for, the integer load, or the only one. */
static int choose_load(struct fit_cluster *c, const struct fit_input *in,
		       const char *asked, struct err *err)
{
	const char *only = NULL, *other = NULL, *usual = NULL;
	size_t i, k;

	for (i = 0; i < in->samples.count; i++) {
		const struct sample *s = &in->samples.rows[i];

		if (!s->cpu_count || strcmp(s->cluster, c->name))
			continue;
		if (!only)
			only = s->load;
		else if (strcmp(only, s->load))
			other = s->load;
		for (k = 0; fit_integer_load(k); k++)
			if (!strcmp(s->load, fit_integer_load(k)))
				usual = s->load;
	}
	if (asked)
		only = asked;
	else if (other && usual)
		only = usual;
	else if (other)
		return several_loads(only, other, err);
	snprintf(c->load, sizeof(c->load), "%s", only ? only : "");
	return 0;
}

static int choose_method(struct fit_cluster *c, const struct fit_opts *o, struct err *err)
{
	if (!o->method || !strcmp(o->method, "auto"))
		return power_choose(&c->data, &c->method, c->why, sizeof(c->why), err);
	c->method = power_method_find(o->method);
	if (!c->method)
		return err_set(err, -EINVAL, "no method '%s'; see 'calib fit --help'",
			       o->method);
	snprintf(c->why, sizeof(c->why), "asked for with --method");
	return 0;
}

static int choose_law(struct fit_cluster *c, const struct fit_opts *o, struct err *err)
{
	static const char *const laws[] = { "auto", "linear", "cubic", "exponential" };
	unsigned int i = 0;

	if (!o->leakage)
		return 0;
	while (i < sizeof(laws) / sizeof(laws[0]) && strcmp(laws[i], o->leakage))
		i++;
	if (i && !c->method->takes_law)
		return err_set(err, -EINVAL,
			       "--leakage %s: method %s has no law of leakage; it is for "
			       "structured and within-opp",
			       o->leakage, c->method->name);
	c->data.leakage = i;
	return 0;
}

int fit_cluster_run(struct fit_cluster *c, const struct fit_input *in,
		    const struct fit_opts *o, unsigned int i, struct err *err)
{
	struct power_select sel = { 0 };
	int ret;

	memset(c, 0, sizeof(*c));
	c->name = in->clusters[i];
	c->info = in->has_info ? runinfo_cluster(&in->info, c->name) : NULL;
	ret = choose_load(c, in, o->load, err);
	sel.cluster = c->name;
	sel.load = c->load;
	sel.volt_measured = c->info && !in->volt_filled[i] &&
			    !strcmp(c->info->volt_source, "rail");
	sel.baseline = in->has_info && in->info.has_baseline;
	if (!ret)
		ret = power_data_init(&c->data, in->samples.rows, in->samples.count, &sel,
				      err);
	if (ret == -ENODATA)
		fit_left_out_all(c, in, o->compare, err);
	if (!ret)
		ret = choose_method(c, o, err);
	if (!ret)
		ret = choose_law(c, o, err);
	if (!ret)
		ret = power_fit_with(c->method, &c->data, &c->fit, err);
	if (ret)
		return err_wrap(err, ret, "cluster '%s'", c->name);
	return 0;
}

void fit_cluster_free(struct fit_cluster *c)
{
	power_data_free(&c->data);
}

const char *fit_cluster_poor(const struct fit_cluster *c)
{
	if (!(c->fit.c > 0))
		return "the coefficient is not positive: power does not rise with f V^2";
	if (c->fit.c < 0.5)
		return "the coefficient rounds to 0: power hardly rises with f V^2";
	if (c->fit.ci95[0] <= 0)
		return "the 95 % interval reaches 0; more operating points or quieter "
		       "rows "
		       "are needed";
	if (c->fit.c > UINT32_MAX)
		return "the coefficient does not fit 32 bits: wrong units?";
	return NULL;
}

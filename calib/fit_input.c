// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: rows in, and each cluster's way to its coefficient.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "calib/fit.h"
#include "calib/fit_loads.h"
#include "calib/samples_pool.h"

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
	if (in->cluster_count == COEFFS_MAX_CLUSTERS && in->only) {
		/* Only the one that was asked for needs a place. */
		if (!strcmp(name, in->only))
			snprintf(in->clusters[in->cluster_count - 1],
				 sizeof(in->clusters[0]), "%s", name);
		return 0;
	}
	if (in->cluster_count == COEFFS_MAX_CLUSTERS)
		return err_set(err, -E2BIG,
			       "more than %d clusters; choose with --cluster",
			       COEFFS_MAX_CLUSTERS);
	snprintf(in->clusters[in->cluster_count++], sizeof(in->clusters[0]), "%s", name);
	return 0;
}

static bool has_rows(const struct fit_input *in, const char *name, size_t from)
{
	size_t i;

	for (i = from; i < in->samples.count; i++)
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
int fit_input_clusters(struct fit_input *in, const struct runinfo *info, size_t from,
		       struct err *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; info && i < info->cluster_count && !ret; i++)
		if (has_rows(in, info->clusters[i].name, from))
			ret = add_cluster(in, info->clusters[i].name, err);
	for (i = from; i < in->samples.count && !ret; i++)
		ret = add_cluster(in, in->samples.rows[i].cluster, err);
	return ret;
}

static int only_cluster(struct fit_input *in, const char *only, struct err *err)
{
	unsigned int i = 0;

	while (i < in->cluster_count && strcmp(in->clusters[i], only))
		i++;
	if (i == in->cluster_count)
		return unknown_cluster(in, only, err);
	in->cluster_count = 1;
	in->volt_filled[0] = in->volt_filled[i];
	in->raw[0] = in->raw[i];
	memmove(in->clusters[0], in->clusters[i], sizeof(in->clusters[0]));
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

int fit_input_voltages(struct fit_input *in, const char *only, const struct runinfo *info,
		       size_t from, struct err *err)
{
	unsigned int k;
	size_t i;

	for (i = from; i < in->samples.count; i++) {
		struct sample *s = &in->samples.rows[i];

		if (s->volt_uv || (only && strcmp(only, s->cluster)))
			continue;
		if (info)
			s->volt_uv = table_uv(runinfo_cluster(info, s->cluster),
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

static bool is_clock(uint32_t khz)
{
	return khz >= MIN_KHZ && khz <= MAX_KHZ;
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
		if (!is_clock(s->opp_khz) ||
		    (!(s->flags & SAMPLE_CLOCK) && !is_clock(s->freq_khz)))
			return err_set(
				err, -ERANGE,
				"%s:%u: %u kHz is no CPU's clock (1 MHz to 20 GHz); is "
				"the unit in the column's name right?",
				path, s->line,
				is_clock(s->opp_khz) ? s->freq_khz : s->opp_khz);
	}
	return 0;
}

int fit_input_path(struct fit_input *in, const char *dir, const char *name,
		   struct err *err)
{
	char path[4096], **paths;
	int ret = runinfo_path(dir, name, path, sizeof(path), err);

	if (ret)
		return ret;
	paths = reallocarray(in->paths, in->path_count + 1, sizeof(*paths));
	if (paths)
		in->paths = paths;
	if (!paths || !(paths[in->path_count] = strdup(path)))
		return err_errno(err, -ENOMEM, "%s", path);
	in->path_count++;
	return 0;
}

int fit_input_run(struct fit_input *in, const char *dir, struct runinfo *info,
		  struct err *err)
{
	int ret = runinfo_read(dir, info, err);

	if (!ret)
		ret = fit_input_path(in, dir, "board.json", err);
	if (!ret)
		ret = fit_input_path(in, dir, "samples.csv", err);
	return ret ? ret : samples_read(&in->samples, in->paths[in->path_count - 1], err);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Arguments are folders, each the run of a board, or files with rows of one. */
static int count_folders(const struct fit_opts *o, char **files, int n, struct err *err)
{
	int i, folders = 0, folder = 0, file = 0;

	for (i = 0; i < n; i++) {
		if (is_folder(files[i])) {
			folders++;
			folder = i;
		} else {
			file = i;
		}
	}
	if (folders && folders < n)
		return err_set(err, -EINVAL,
			       "'%s' is a folder (a run) and '%s' is not; give runs or "
			       "CSV files, not both",
			       files[folder], files[file]);
	if (folders && o->dir)
		return err_set(err, -EINVAL,
			       "run '%s' with -d, and run '%s'; give all runs without -d",
			       o->dir, files[folder]);
	return folders;
}

static int read_files(struct fit_input *in, const struct fit_opts *o, char **files, int n,
		      struct err *err)
{
	int i, ret = 0;

	if (o->dir) {
		ret = runinfo_read(o->dir, &in->info, err);
		in->has_info = !ret;
		if (!ret)
			ret = fit_input_path(in, o->dir, "board.json", err);
	}
	if (!ret)
		ret = fit_twins_files(files, n, err);
	for (i = 0; i < n && !ret; i++)
		ret = samples_read(&in->samples, files[i], err);
	return ret;
}

/* An empty file, or one whose every row was left out. */
static int no_rows(const struct fit_input *in, struct err *err)
{
	const struct samples_reject *first = &in->samples.rejects[0];
	char place[COEFFS_TEXT];

	if (!in->samples.reject_count)
		return err_set(err, -ENODATA, "%s: no rows", in->samples.paths[0]);
	return err_set(err, -ENODATA, "no usable row; %u left out, the first is %s: %s",
		       in->samples.reject_count,
		       fit_place(in, first->file, first->line, place, sizeof(place)),
		       first->why);
}

static int read_rows(struct fit_input *in, const struct fit_opts *o, char **files, int n,
		     struct err *err)
{
	const char *dir = o->dir ? o->dir : RUN_DEFAULT;
	int folders = count_folders(o, files, n, err), ret;

	if (folders < 0)
		return folders;
	if (folders > 1)
		return fit_runs_read(in, o, files, n, err);
	in->samples.may_pool = true;
	if (folders || !n) {
		ret = fit_input_run(in, folders ? files[0] : dir, &in->info, err);
		in->has_info = !ret;
	} else {
		ret = read_files(in, o, files, n, err);
	}
	if (!ret && samples_pool_finish(&in->samples))
		ret = err_errno(err, -ENOMEM, "%zu rows", in->samples.pooled);
	if (ret)
		return ret;
	if (!in->samples.count)
		return no_rows(in, err);
	ret = fit_input_clusters(in, in->has_info ? &in->info : NULL, 0, err);
	if (!ret && o->raw && n && !folders)
		ret = fit_raw_files(in, err);
	else if (!ret && o->raw)
		ret = fit_raw_run(in, folders ? files[0] : dir, &in->info, 0, err);
	return ret ? ret
		   : fit_input_voltages(in, o->cluster, in->has_info ? &in->info : NULL,
					0, err);
}

int fit_input_read(struct fit_input *in, const struct fit_opts *o, char **files,
		   int file_count, struct err *err)
{
	int ret;

	memset(in, 0, sizeof(*in));
	in->only = o->cluster;
	ret = read_rows(in, o, files, file_count, err);
	if (!ret && o->cluster)
		ret = only_cluster(in, o->cluster, err);
	if (!ret)
		ret = check_units(in, o->cluster, err);
	if (!ret && in->samples.board_count > 1)
		ret = fit_boards_group(in, err);
	return ret ? ret : fit_twins_rows(in, err);
}

void fit_input_free(struct fit_input *in)
{
	unsigned int i;

	for (i = 0; i < in->path_count; i++)
		free(in->paths[i]);
	free(in->paths);
	free(in->first);
	samples_free(&in->samples);
}

static int several_loads(const char *a, const char *b, struct err *err)
{
	return err_set(err, -EINVAL,
		       "rows of several loads ('%s', '%s'); choose one with --load, or "
		       "say with --mix how much of each",
		       a, b);
}

static bool is_busy_of(const struct sample *s, const char *cluster)
{
	return s->cpu_count && !strcmp(s->cluster, cluster);
}

/* -ENOENT with the loads that there are, where none is @asked. */
static int check_load(const struct fit_cluster *c, const struct fit_input *in,
		      const char *asked, struct err *err)
{
	const struct sample *rows = in->samples.rows;
	char known[512] = "";
	size_t used = 0, i, k;

	for (i = 0; i < in->samples.count; i++) {
		if (!is_busy_of(&rows[i], c->name))
			continue;
		if (!strcmp(rows[i].load, asked))
			return 0;
		for (k = 0; k < i; k++)
			if (is_busy_of(&rows[k], c->name) &&
			    !strcmp(rows[k].load, rows[i].load))
				break;
		if (k == i && used < sizeof(known))
			used += snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "", rows[i].load);
	}
	if (!used)
		return 0; /* told later: only idle rows */
	return err_set(err, -ENOENT, "no rows of a load '%.60s'; there are %s", asked,
		       known);
}

/* The load to fit: what was asked for, the integer load, or the only one. */
static int choose_load(struct fit_cluster *c, const struct fit_input *in,
		       const char *asked, struct err *err)
{
	const char *only = NULL, *other = NULL, *usual = NULL;
	size_t i, k;

	for (i = 0; i < in->samples.count; i++) {
		const struct sample *s = &in->samples.rows[i];

		if (!is_busy_of(s, c->name))
			continue;
		if (!only)
			only = s->load;
		else if (strcmp(only, s->load))
			other = s->load;
		for (k = 0; fit_integer_load(k); k++)
			if (!strcmp(s->load, fit_integer_load(k)))
				usual = s->load;
	}
	if (asked && check_load(c, in, asked, err))
		return -ENOENT;
	if (asked)
		only = asked;
	else if (other && usual)
		only = usual;
	else if (other)
		return several_loads(only, other, err);
	snprintf(c->load, sizeof(c->load), "%s", only ? only : "");
	return 0;
}

static int ask_method(struct fit_cluster *c, const struct fit_opts *o, struct err *err)
{
	if (!o->method || !strcmp(o->method, "auto"))
		return 0;
	c->method = power_method_find(o->method);
	if (!c->method)
		return err_set(err, -EINVAL, "no method '%s'; see 'calib fit --help'",
			       o->method);
	snprintf(c->why, sizeof(c->why), "asked for with --method");
	return 0;
}

/* The law of leakage that was asked for. */
static enum power_leakage asked_law(const struct fit_opts *o)
{
	static const char *const laws[] = { "auto", "linear", "cubic", "exponential" };
	unsigned int i = 0;

	while (o->leakage && i < sizeof(laws) / sizeof(laws[0]) &&
	       strcmp(laws[i], o->leakage))
		i++;
	return o->leakage ? i : 0;
}

static int check_law(const struct fit_cluster *c, const struct fit_opts *o,
		     struct err *err)
{
	if (!c->data.leakage || c->method->takes_law)
		return 0;
	return err_set(err, -EINVAL,
		       "--leakage %s: method %s has no law of leakage; it is for "
		       "structured and within-opp",
		       o->leakage, c->method->name);
}

static int fit_one_board(struct fit_cluster *c, const struct fit_opts *o, struct err *err)
{
	int ret = 0;

	if (!c->method)
		ret = power_choose(&c->data, &c->method, c->why, sizeof(c->why), err);
	if (!ret)
		ret = check_law(c, o, err);
	return ret ? ret : power_fit_keep(c->method, &c->data, &c->fit, &c->problem, err);
}

static int fit_several(struct fit_cluster *c, const struct fit_input *in,
		       const struct power_select *sel, const struct fit_opts *o,
		       struct err *err)
{
	struct many_boards_in boards = {
		.samples = in->samples.rows,
		.first = in->first,
		.names = (const char *const *)in->samples.boards,
		.count = in->samples.board_count,
		.sel = *sel,
		.leakage = c->data.leakage,
	};
	int ret = many_boards_fit(&boards, &c->method, c->why, sizeof(c->why), &c->boards,
				  &c->fit, err);

	return ret ? ret : check_law(c, o, err);
}

int fit_cluster_load(struct fit_cluster *c, const struct fit_input *in,
		     const struct fit_opts *o, unsigned int i, const char *load,
		     struct err *err)
{
	struct power_select sel = { 0 };
	int ret;

	memset(c, 0, sizeof(*c));
	c->name = in->clusters[i];
	c->info = in->has_info ? runinfo_cluster(&in->info, c->name) : NULL;
	ret = choose_load(c, in, load, err);
	sel.cluster = c->name;
	sel.load = c->load;
	sel.volt_measured = c->info && !in->volt_filled[i] &&
			    !strcmp(c->info->volt_source, "rail");
	sel.baseline = in->has_info && in->info.has_baseline;
	c->select = sel;
	if (!ret)
		ret = power_data_init(&c->data, in->samples.rows, in->samples.count, &sel,
				      err);
	if (ret == -ENODATA)
		fit_left_out_all(c, in, o->compare, err);
	if (!ret)
		ret = ask_method(c, o, err);
	if (!ret)
		c->data.leakage = asked_law(o);
	if (!ret)
		ret = in->first ? fit_several(c, in, &sel, o, err)
				: fit_one_board(c, o, err);
	if (ret)
		return err_wrap(err, ret, "cluster '%s'", c->name);
	return 0;
}

int fit_cluster_run(struct fit_cluster *c, const struct fit_input *in,
		    const struct fit_opts *o, unsigned int i, struct err *err)
{
	bool all = o->load && !strcmp(o->load, FIT_ALL_LOADS);

	memset(c, 0, sizeof(*c));
	if (o->mix && o->load && !all)
		return err_set(err, -EINVAL,
			       "--mix says which loads; leave --load out, or say 'all'");
	if (o->mix || all)
		return fit_loads_run(c, in, o, i, err);
	return fit_cluster_load(c, in, o, i, o->load, err);
}

void fit_cluster_free(struct fit_cluster *c)
{
	power_data_free(&c->data);
	many_boards_free(&c->boards);
	problem_free(&c->problem);
	fit_loads_free(c->loads);
}

/* Nor could coeffs.json be read again. */
static bool beyond_any_cpu(const struct fit_cluster *c)
{
	struct power_opp o;
	unsigned int i;

	for (i = 0; i < c->data.opp_count; i++) {
		power_opp(&c->data, &c->fit, i, &o);
		if (fmax(fabs(o.measured_uw), o.measured_ci_uw) > COEFFS_MAX_UW ||
		    fmax(fabs(o.next_uw), o.next_ci_uw) > COEFFS_MAX_UW ||
		    fabs(o.model_uw) > COEFFS_MAX_UW)
			return true;
	}
	return false;
}

const char *fit_cluster_poor(const struct fit_cluster *c)
{
	if (c->loads && fit_loads_poor(c->loads))
		return fit_loads_poor(c->loads);
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
	if (beyond_any_cpu(c))
		return "one CPU of a megawatt and more: wrong units, or util_pct near 0?";
	return NULL;
}

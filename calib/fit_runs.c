// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: several boards of one kind, as runs or by a file's column.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit.h"

/* Runs of which C would mean something else are not pooled. Returns what differs. */
static const char *other_kind(const struct runinfo *a, const struct runinfo *b)
{
	unsigned int i;

	if (strcmp(a->compatible, b->compatible))
		return "compatible";
	if (a->virtual_board != b->virtual_board)
		return "virtual";
	if (strcmp(a->power_scope, b->power_scope))
		return "power-scope";
	if (a->has_baseline != b->has_baseline)
		return "baseline";
	if (a->cluster_count != b->cluster_count)
		return "clusters";
	for (i = 0; i < a->cluster_count; i++) {
		const struct runinfo_cluster *x = &a->clusters[i];
		const struct runinfo_cluster *y = runinfo_cluster(b, x->name);

		if (!y || strcmp(x->compatible, y->compatible) ||
		    x->cpu_count != y->cpu_count)
			return "clusters";
	}
	return NULL;
}

static int check_kind(const struct runinfo *first, const struct runinfo *other,
		      const char *first_dir, const char *dir, struct err *err)
{
	const char *what = other_kind(first, other);

	if (!what)
		return 0;
	if (!strcmp(what, "compatible"))
		return err_set(
			err, -EINVAL,
			"run '%s' is of a '%.60s', and run '%s' of a '%.60s'; only "
			"boards of one kind can be pooled",
			dir, other->compatible, first_dir, first->compatible);
	return err_set(err, -EINVAL,
		       "runs '%s' and '%s' differ in '%s' of their board.json; only runs "
		       "of one kind can be pooled",
		       first_dir, dir, what);
}

static bool has_cluster(const struct fit_input *in, size_t from, const char *name)
{
	size_t i;

	for (i = from; i < in->samples.count; i++)
		if (!strcmp(in->samples.rows[i].cluster, name))
			return true;
	return false;
}

/* Every run measured what the first did, where not one cluster is asked for. */
static int check_clusters(const struct fit_input *in, size_t from, unsigned int known,
			  const char *first_dir, const char *dir, struct err *err)
{
	unsigned int i;

	for (i = 0; i < in->cluster_count; i++) {
		const char *with = i < known ? first_dir : dir;

		if (i < known && has_cluster(in, from, in->clusters[i]))
			continue;
		return err_set(
			err, -EINVAL,
			"run '%s' has rows of cluster '%s', and run '%s' has none; "
			"choose one that all have with --cluster",
			with, in->clusters[i], i < known ? dir : first_dir);
	}
	return 0;
}

static int read_one(struct fit_input *in, const struct fit_opts *o, char **dirs, int i,
		    struct runinfo *info, struct err *err)
{
	size_t from = in->samples.count, k;
	unsigned int known = in->cluster_count;
	int ret = fit_input_run(in, dirs[i], info, err);

	if (!ret && in->samples.board_count)
		ret = err_set(err, -EINVAL,
			      "run '%s' has a column 'board', and a run is of one board",
			      dirs[i]);
	if (!ret && i)
		ret = check_kind(&in->info, info, dirs[0], dirs[i], err);
	if (!ret && from == in->samples.count)
		ret = err_set(err, -ENODATA, "run '%s' has no rows", dirs[i]);
	if (!ret)
		ret = fit_input_clusters(in, info, from, err);
	if (!ret && i && !o->cluster)
		ret = check_clusters(in, from, known, dirs[0], dirs[i], err);
	if (!ret && o->raw)
		ret = fit_raw_run(in, dirs[i], info, from, err);
	if (!ret)
		ret = fit_input_voltages(in, o->cluster, info, from, err);
	for (k = from; k < in->samples.count; k++)
		in->samples.rows[k].board = i;
	return ret;
}

int fit_runs_read(struct fit_input *in, const struct fit_opts *o, char **dirs, int n,
		  struct err *err)
{
	struct runinfo *info = calloc(1, sizeof(*info));
	uint32_t number;
	int i, ret = info ? 0 : err_errno(err, -ENOMEM, "%d runs", n);

	for (i = 0; i < n && !ret; i++) {
		ret = read_one(in, o, dirs, i, i ? info : &in->info, err);
		in->has_info = !ret;
	}
	free(info);
	for (i = 0; i < n && !ret; i++) {
		if (samples_board(&in->samples, dirs[i], &number))
			ret = err_errno(err, -ENOMEM, "%d runs", n);
		else if (number != (uint32_t)i)
			ret = err_set(err, -EINVAL,
				      "run '%s' is given twice; a run is one board",
				      dirs[i]);
	}
	return ret;
}

/* Rows board by board, in the order of the file within each. */
static int sort_rows(struct fit_input *in, struct err *err)
{
	struct samples *s = &in->samples;
	struct sample *sorted = NULL;
	bool in_order = true;
	size_t i;

	for (i = 0; i < s->count; i++) {
		in->first[s->rows[i].board + 1]++;
		in_order &= !i || s->rows[i - 1].board <= s->rows[i].board;
	}
	for (i = 0; i < s->board_count; i++)
		in->first[i + 1] += in->first[i];
	if (in_order)
		return 0;
	sorted = calloc(s->count, sizeof(*sorted));
	if (!sorted)
		return err_errno(err, -ENOMEM, "%zu rows", s->count);
	for (i = 0; i < s->count; i++)
		sorted[in->first[s->rows[i].board]++] = s->rows[i];
	/* Each has moved on to where the next began. */
	memmove(in->first + 1, in->first, s->board_count * sizeof(*in->first));
	in->first[0] = 0;
	free(s->rows);
	s->rows = sorted;
	s->cap = s->count;
	return 0;
}

int fit_boards_group(struct fit_input *in, struct err *err)
{
	int ret;

	in->first = calloc(in->samples.board_count + 1, sizeof(*in->first));
	if (!in->first)
		return err_errno(err, -ENOMEM, "%u boards", in->samples.board_count);
	ret = sort_rows(in, err);
	return ret ? ret : fit_twins_boards(in, err);
}

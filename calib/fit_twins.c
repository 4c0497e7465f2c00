// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: what is given twice. Rows that count double make the interval too narrow,
 * and nothing else shows it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "calib/fit.h"

struct digest {
	uint64_t sum;
	size_t number;
};

static int by_sum(const void *a, const void *b)
{
	const struct digest *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* What was measured when: not the same in two rows, nor on two boards. */
static bool same_row(const struct sample *x, const struct sample *y)
{
	return x->time_ns == y->time_ns && x->power_uw == y->power_uw &&
	       x->opp_khz == y->opp_khz && x->cpu_count == y->cpu_count &&
	       !strcmp(x->cluster, y->cluster) && !strcmp(x->load, y->load);
}

static bool same_rows(const struct fit_input *in, size_t a, size_t b)
{
	const struct sample *x = in->samples.rows + in->first[a];
	const struct sample *y = in->samples.rows + in->first[b];
	size_t n = in->first[a + 1] - in->first[a], i;

	if (n != in->first[b + 1] - in->first[b])
		return false;
	for (i = 0; i < n; i++)
		if (!same_row(x + i, y + i))
			return false;
	return true;
}

int fit_twins_boards(const struct fit_input *in, struct err *err)
{
	size_t n = in->samples.board_count, i, k;
	struct digest *d = calloc(n, sizeof(*d));
	int ret = d ? 0 : err_errno(err, -ENOMEM, "%zu boards", n);

	for (i = 0; i < n && d; i++) {
		d[i].number = i;
		for (k = in->first[i]; k < in->first[i + 1]; k++)
			d[i].sum = d[i].sum * 31 + in->samples.rows[k].power_uw;
	}
	if (d)
		qsort(d, n, sizeof(*d), by_sum);
	for (i = 1; i < n && !ret; i++)
		if (d[i].sum == d[i - 1].sum &&
		    same_rows(in, d[i - 1].number, d[i].number))
			ret = err_set(err, -EINVAL,
				      "'%s' and '%s' hold the same rows; is that one run "
				      "given twice?",
				      in->samples.boards[d[i - 1].number],
				      in->samples.boards[d[i].number]);
	free(d);
	return ret;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (!strcmp(a, b))
		return true;
	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

int fit_twins_files(char *const *files, int n, struct err *err)
{
	struct digest *d = calloc(n + 1, sizeof(*d));
	int i, ret = d ? 0 : err_errno(err, -ENOMEM, "%d files", n);

	for (i = 0; i < n && d; i++) {
		struct stat st;

		/* What is not there is told when it is opened. */
		d[i].number = i;
		if (!strcmp(files[i], "-"))
			d[i].sum = UINT64_MAX;
		else if (stat(files[i], &st))
			d[i].sum = i;
		else
			d[i].sum = st.st_ino ^ (uint64_t)st.st_dev << 32;
	}
	if (d)
		qsort(d, n, sizeof(*d), by_sum);
	for (i = 1; i < n && !ret; i++)
		if (d[i].sum == d[i - 1].sum &&
		    same_file(files[d[i - 1].number], files[d[i].number]))
			ret = err_set(err, -EINVAL,
				      "'%s' and '%s' are one file; its rows would count "
				      "twice",
				      files[d[i - 1].number], files[d[i].number]);
	free(d);
	return ret;
}

static int twin_row(const struct fit_input *in, const struct sample *a,
		    const struct sample *b, struct err *err)
{
	char first[COEFFS_TEXT], again[COEFFS_TEXT];

	fit_place(in, a->file, a->line, first, sizeof(first));
	fit_place(in, b->file, b->line, again, sizeof(again));
	return err_set(err, -EINVAL,
		       "%s is the window of %s again, which would count twice; leave one "
		       "out",
		       again, first);
}

int fit_twins_rows(const struct fit_input *in, struct err *err)
{
	const struct samples *s = &in->samples;
	struct digest *d = calloc(s->count + 1, sizeof(*d));
	size_t n = 0, i, k;
	int ret = d ? 0 : err_errno(err, -ENOMEM, "%zu rows", s->count);

	/* Without a time, rows may be the same by chance; means are of many. */
	for (i = 0; i < s->count && d && !s->pooled; i++)
		if (s->rows[i].time_ns)
			d[n++] = (struct digest){ s->rows[i].time_ns, i };
	if (n)
		qsort(d, n, sizeof(*d), by_sum);
	for (i = 0; i < n && !ret; i++)
		for (k = i + 1; k < n && d[k].sum == d[i].sum && !ret; k++)
			if (s->rows[d[i].number].board == s->rows[d[k].number].board &&
			    same_row(s->rows + d[i].number, s->rows + d[k].number))
				ret = twin_row(in, s->rows + d[i].number,
					       s->rows + d[k].number, err);
	free(d);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: the rows that a fit leaves out, and why.
 */
#include <errno.h>
#include <string.h>

#include "calib/fit.h"
#include "lib/buf.h"
#include "lib/text.h"

#define PATH_SHOWN 160 /* of a path: its end, which tells more than its beginning */

/* What is wrong with a row that is not taken: flags, or one that is meant by them. */
static uint32_t faults(const struct sample *s)
{
	return s->flags ? s->flags : SAMPLE_NEGATIVE;
}

char *fit_place_in(const char *path, uint32_t line, char *out, size_t size)
{
	size_t len;

	path = buf_file_name(path);
	len = strlen(path);

	snprintf(out, size, "%s%s:%u", len > PATH_SHOWN ? "..." : "",
		 len > PATH_SHOWN ? path + len - PATH_SHOWN : path, line);
	return out;
}

char *fit_place(const struct fit_input *in, unsigned int file, uint32_t line, char *out,
		size_t size)
{
	return fit_place_in(in->samples.paths[file], line, out, size);
}

static void add_row(struct fit_left_out *out, const struct fit_input *in,
		    unsigned int file, uint32_t line, const char *why)
{
	char *row;

	if (out->named == FIT_LEFT_OUT_NAMED) {
		out->more++;
		return;
	}
	row = out->rows[out->named++];
	fit_place(in, file, line, row, sizeof(out->rows[0]));
	snprintf(row + strlen(row), sizeof(out->rows[0]) - strlen(row), ": %s", why);
}

static void add_flagged(struct fit_left_out *out, const struct fit_cluster *c,
			const struct fit_input *in, unsigned int count[32])
{
	unsigned int bit, windows;
	char why[96];
	size_t i;

	for (i = 0; i < in->samples.count; i++) {
		const struct sample *s = &in->samples.rows[i];

		if (strcmp(s->cluster, c->name) || !power_leaves_out(s) ||
		    (s->cpu_count && strcmp(s->load, c->load)))
			continue;
		windows = s->windows ? s->windows : 1;
		/* A row may have several flags. */
		for (bit = 0; bit < 32; bit++)
			count[bit] += (faults(s) >> bit & 1) * windows;
		add_row(out, in, s->file, s->line,
			samples_flags_format(faults(s), why, sizeof(why)));
		out->more += windows - 1;
	}
}

static void add_standing_out(struct fit_left_out *out, const struct fit_input *in,
			     const struct sample *s)
{
	char why[128];

	snprintf(why, sizeof(why), "stands out (%u kHz, %u CPU%s, %lld uW)", s->opp_khz,
		 s->cpu_count, text_s(s->cpu_count), (long long)s->power_uw);
	add_row(out, in, s->file, s->line, why);
}

static void add_outliers(struct fit_left_out *out, const struct fit_cluster *c,
			 const struct fit_input *in)
{
	const struct power_fit *f = &c->fit;
	unsigned int i;

	for (i = 0; i < f->outlier_count && i < POWER_MAX_OUTLIERS; i++)
		add_standing_out(out, in, &in->samples.rows[f->outliers[i]]);
	out->more += f->outlier_count - i;
}

/* What no mean has. Those of other clusters are among the ones that are only counted. */
static void add_spikes(struct fit_left_out *out, const struct fit_cluster *c,
		       const struct fit_input *in)
{
	const struct samples *s = &in->samples;
	size_t i;

	for (i = 0; i < s->spike_count && i < SAMPLES_MAX_SPIKES; i++)
		if (!strcmp(s->spikes[i].cluster, c->name))
			add_standing_out(out, in, &s->spikes[i]);
}

static void add_count(struct fit_left_out *out, unsigned int n, const char *what)
{
	size_t used = strlen(out->counts);

	if (n)
		snprintf(out->counts + used, sizeof(out->counts) - used, "%s%u %s",
			 used ? ", " : "", n, what);
}

void fit_left_out(const struct fit_cluster *c, const struct fit_input *in,
		  struct fit_left_out *out)
{
	unsigned int count[32] = { 0 }, bit;
	char name[64];

	memset(out, 0, sizeof(*out));
	add_flagged(out, c, in, count);
	add_spikes(out, c, in);
	add_outliers(out, c, in);
	for (bit = 0; bit < 32; bit++)
		add_count(out, count[bit],
			  samples_flags_format(1u << bit, name, sizeof(name)));
	snprintf(name, sizeof(name), "outlier%s", text_s(c->fit.outlier_count));
	add_count(out, c->fit.outlier_count, name);
	add_count(out, in->samples.spike_count, "spikes");
	out->stale = count[__builtin_ctz(SAMPLE_STALE)];
}

static bool is_import(const struct fit_input *in)
{
	return in->has_info && !strncmp(in->info.tool, "freqbench", 9);
}

int fit_left_out_all(const struct fit_cluster *c, const struct fit_input *in,
		     bool compare, struct err *err)
{
	struct fit_left_out *out = &(struct fit_left_out){ 0 };
	const char *next;

	fit_left_out(c, in, out);
	if (!*out->counts)
		return err_set(err, -ENODATA,
			       "only idle rows, none with a busy CPU; measure with a "
			       "load");
	next = out->stale && is_import(in) ? "import the results again with --trim-stale"
					   : "measure again";
	return err_set(err, -ENODATA,
		       "no usable row with a busy CPU; left out: %s (%s%s); %s%s",
		       out->counts, out->rows[0], out->named > 1 ? " ..." : "", next,
		       compare ? "" : ", or see what all rows give with --compare");
}

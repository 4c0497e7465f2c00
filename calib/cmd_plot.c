// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib plot: power and efficiency curves of coeffs.json, drawn by gnuplot.
 */
#include "calib/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "calib/plot/script.h"
#include "calib/runinfo.h"
#include "calib/samples.h"
#include "lib/coeffs.h"
#include "lib/outfile.h"
#include "lib/spawn.h"

#define DEFAULT_PICTURE "efficiency.svg"

struct plot_options {
	const char *run, *output, *term;
	uint32_t columns, rows; /* of PLOT_DUMB */
	bool script;
};

static const struct {
	const char *name, *suffix;
	enum plot_term term;
} terms[] = {
	{ "svg", ".svg", PLOT_SVG },
	{ "png", ".png", PLOT_PNG },
	{ "dumb", ".txt", PLOT_DUMB },
};

#define NTERMS (sizeof(terms) / sizeof(terms[0]))

static bool ends_with(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);

	return n >= m && !strcasecmp(text + n - m, suffix);
}

/* The kind that the name of the output says, or -ENOENT. */
static int term_of_name(const char *name)
{
	for (size_t i = 0; i < NTERMS; i++)
		if (ends_with(name, terms[i].suffix))
			return i;
	return -ENOENT;
}

static int term_of_option(const char *term)
{
	for (size_t i = 0; i < NTERMS; i++)
		if (!strcmp(term, terms[i].name))
			return i;
	return -ENOENT;
}

/* --term decides, else the file's suffix; a suffix that says otherwise is a slip. */
static int choose_term(const struct plot_options *o, enum plot_term *term,
		       struct err *err)
{
	int by_name = term_of_name(o->output ? o->output : DEFAULT_PICTURE);
	int i = o->term ? term_of_option(o->term) : by_name;

	if (i < 0)
		return err_set(err, -EINVAL,
			       "'%s': the name ends in none of .svg, .png, .txt; say "
			       "--term svg, png or dumb",
			       o->output);
	if (o->output && by_name >= 0 && by_name != i)
		return err_set(
			err, -EINVAL,
			"'%s' is no name for --term %s; end it in %s, or leave out "
			"--term",
			o->output, o->term, terms[i].suffix);
	*term = terms[i].term;
	return 0;
}

/* Where the picture goes: a serial console wants to see it, everything else is a file. */
static const char *choose_output(const struct plot_options *o, enum plot_term term)
{
	if (o->output)
		return o->output;
	if (term == PLOT_DUMB)
		return "-";
	return term == PLOT_PNG ? "efficiency.png" : DEFAULT_PICTURE;
}

/* gnuplot repeats the line and points into it; the reason comes last. */
static const char *reason(struct buf *talk)
{
	char *line;

	while (talk->len && strchr(" \t\r\n", talk->data[talk->len - 1]))
		talk->data[--talk->len] = '\0';
	if (!talk->len)
		return "no picture came out";
	line = strrchr(talk->data, '\n');
	line = line ? line + 1 : talk->data;
	return line + strspn(line, " \t");
}

static int run_gnuplot(const struct buf *script, struct buf *picture, struct err *err)
{
	static const char *const argv[] = { "gnuplot", "-d", "-", NULL };
	struct buf talk = { 0 };
	const struct spawn sp = {
		.argv = argv,
		.input = script->data,
		.input_len = script->len,
		.out = picture,
		.err = &talk,
	};
	int ret = spawn_run(&sp, err);

	if (ret > 0 || (!ret && !picture->len))
		ret = err_set(err, -EIO,
			      "gnuplot failed (status %d): %.300s; 'calib plot --script' "
			      "prints what it was given",
			      ret, reason(&talk));
	buf_free(&talk);
	return ret;
}

/* A picture does not replace what it was made from. */
static int check_output(const char *output, const char *coeffs, const char *run,
			struct err *err)
{
	char path[PATH_MAX];
	int ret = outfile_not_input(output, coeffs, err);

	if (!ret && run)
		ret = runinfo_path(run, "samples.csv", path, sizeof(path), err);
	return ret || !run ? ret : outfile_not_input(output, path, err);
}

static int draw(struct cmd_ctx *ctx, const struct plot *plot,
		const struct plot_options *o, struct err *err)
{
	struct buf script = { 0 }, picture = { 0 };
	enum plot_term term = PLOT_SVG;
	const char *output;
	int ret;

	ret = choose_term(o, &term, err);
	if (ret)
		return ret;
	if (o->columns < 40 || o->columns > 500 || o->rows < 10 || o->rows > 200)
		return err_set(
			err, -EINVAL,
			"%ux%u characters: --columns takes 40..500, --rows 10..200",
			o->columns, o->rows);
	output = choose_output(o, term);
	ret = plot_script(plot, term, o->columns, o->rows, &script);
	if (ret)
		err_errno(err, ret, "gnuplot script");
	else if (o->script)
		ret = outfile_write("-", script.data, script.len, err);
	else
		ret = run_gnuplot(&script, &picture, err);
	if (!ret && !o->script)
		ret = outfile_write(output, picture.data, picture.len, err);
	if (!ret && !o->script && strcmp(output, "-"))
		cmd_note(ctx, "wrote '%s'", output);
	buf_free(&script);
	buf_free(&picture);
	return ret;
}

static int add_run(struct plot *plot, const char *run, struct err *err)
{
	struct samples rows = { 0 };
	char path[PATH_MAX];
	int ret = runinfo_path(run, "samples.csv", path, sizeof(path), err);

	if (!ret)
		ret = samples_read(&rows, path, err);
	if (!ret && !plot_add_windows(plot, &rows))
		ret = err_set(err, -ENODATA,
			      "%s: no loaded window beside an idle one of these clusters",
			      path);
	samples_free(&rows);
	return ret;
}

static int run(struct cmd_ctx *ctx, const void *opts, int argc, char **argv,
	       struct err *err)
{
	const struct plot_options *o = opts;
	const char *path = argc ? argv[0] : "coeffs.json";
	struct coeffs *c = coeffs_new();
	struct plot *plot = calloc(1, sizeof(*plot));
	int ret = -ENOMEM;

	if (!c || !plot) {
		err_errno(err, ret, "'%s'", path);
		goto out;
	}
	ret = check_output(o->output, path, o->run, err);
	if (ret)
		goto out;
	ret = coeffs_read(path, c, err);
	if (ret == -ENOENT && !argc)
		err_set(err, ret,
			"no 'coeffs.json' here; name it, or first run 'calib fit > "
			"coeffs.json'");
	if (ret)
		goto out;
	ret = plot_from_coeffs(c, plot, err);
	if (ret) {
		err_wrap(err, ret, "%s", buf_file_name(path));
		goto out;
	}
	if (o->run)
		ret = add_run(plot, o->run, err);
	if (ret)
		goto out;
	ret = draw(ctx, plot, o, err);
	if (!ret && c->virtual_board)
		cmd_note(ctx, "VIRTUAL board: these are not measurements of hardware");
out:
	free(plot);
	coeffs_free(c);
	return ret;
}

static const struct opt options[] = {
	{ "run", 'd', OPT_STRING, offsetof(struct plot_options, run), "RUN",
	  "show this run's windows too, each above idle and per busy CPU", NULL },
	{ "output", 'o', OPT_STRING, offsetof(struct plot_options, output), "FILE",
	  "write the picture to FILE (.svg, .png or .txt); '-' is stdout", NULL },
	{ "term", 0, OPT_STRING, offsetof(struct plot_options, term), "TERM",
	  "kind of picture: svg, png, or dumb for a serial console", "svg|png|dumb" },
	{ "columns", 0, OPT_U32, offsetof(struct plot_options, columns), "N",
	  "width of a dumb picture in characters (79)", NULL },
	{ "rows", 0, OPT_U32, offsetof(struct plot_options, rows), "N",
	  "height of each dumb picture in lines (24)", NULL },
	{ "script", 0, OPT_FLAG, offsetof(struct plot_options, script), NULL,
	  "print the gnuplot script instead of running it", NULL },
	{ NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL },
};

static const struct plot_options defaults = { .columns = 79, .rows = 24 };

const struct cmd cmd_plot = {
	.name = "plot",
	.args = "[COEFFS]",
	.summary = "draw power and efficiency curves of all clusters",
	.help = "Draws two panels from COEFFS (coeffs.json in this folder when none is "
		"named). "
		"Above: power of one busy CPU over frequency. Below: performance per "
		"watt over "
		"performance, all clusters on one scale, where performance is capacity "
		"as the "
		"kernel computes it.\n\n"
		"Points are measurements with their 95 % interval, the solid curve is "
		"the fitted "
		"model, the dashed one what the kernel will compute from the coefficient "
		"alone: "
		"the gap between them is what the kernel's one-parameter model leaves "
		"out. A ring "
		"marks a state that the kernel will call inefficient: a higher one costs "
		"less per "
		"unit of work. With -d the run's windows stand behind the curves: with "
		"more CPUs busy, "
		"each bears less of the shared clock and cache.\n\n"
		"Without -o the picture goes to " DEFAULT_PICTURE
		" (--term png: efficiency.png), "
		"with --term dumb to the terminal. Needs gnuplot (Debian: gnuplot-nox).",
	.example = "calib fit > coeffs.json && calib plot\n"
		   "calib plot -d calib-run coeffs.json -o eff.png\n"
		   "calib plot --term dumb --columns 120 --rows 40",
	.opts = options,
	.opts_size = sizeof(struct plot_options),
	.defaults = &defaults,
	.max_args = 1,
	.run = run,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The gnuplot text. Names reach it only inside single quotes, in which gnuplot expands
 * nothing.
 */
#include "calib/plot/script.h"

#include <ctype.h>
#include <errno.h>

/* One colour per cluster (Okabe-Ito: told apart by colour-blind eyes and in grey). */
static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73",
				       "#cc79a7", "#e69f00", "#56b4e9" };
#define NCOLOURS (sizeof(colours) / sizeof(colours[0]))

enum panel { PANEL_POWER, PANEL_EFFICIENCY };

/*
 * 'text tail'. A quote becomes U+2019: doubled quotes would do, but gnuplot's scanner
 * miscounts two of them in a row. Control characters become blanks.
 */
static int add_quoted(struct buf *out, const char *text, const char *tail)
{
	int ret = buf_adds(out, "'");

	for (; *text; text++) {
		unsigned char ch = *text;

		ret |= ch == '\''    ? buf_adds(out, "\u2019")
		       : iscntrl(ch) ? buf_adds(out, " ")
				     : buf_add(out, text, 1);
	}
	return ret | buf_addf(out, "%s'", tail);
}

/* Rows: x, measured, half interval, model, kernel, inefficient model; NaN where there is
 * none. */
static int add_row(struct buf *out, const struct plot_state *s, enum panel panel)
{
	double perf = s->performance;
	double line = s->has_model ? s->model_mw : s->kernel_mw;
	int ret;

	if (panel == PANEL_POWER) {
		ret = buf_addf(out, "%.6g ", s->mhz);
		ret |= s->has_measured
			       ? buf_addf(out, "%.6g %.6g ", s->measured_mw, s->ci_mw)
			       : buf_adds(out, "NaN NaN ");
		ret |= buf_addf(out, "%.6g %.6g ", line, s->kernel_mw);
		return ret | (s->inefficient ? buf_addf(out, "%.6g\n", line)
					     : buf_adds(out, "NaN\n"));
	}
	/* Per watt; to first order the error bar keeps its relative size. */
	ret = buf_addf(out, "%.6g ", perf);
	ret |= s->has_measured && s->measured_mw > 0
		       ? buf_addf(out, "%.6g %.6g ", perf / s->measured_mw * 1e3,
				  perf / s->measured_mw * 1e3 * s->ci_mw / s->measured_mw)
		       : buf_adds(out, "NaN NaN ");
	ret |= line > 0 ? buf_addf(out, "%.6g ", perf / line * 1e3)
			: buf_adds(out, "NaN ");
	ret |= s->kernel_mw > 0 ? buf_addf(out, "%.6g ", perf / s->kernel_mw * 1e3)
				: buf_adds(out, "NaN ");
	return ret |
	       (s->inefficient && line > 0 ? buf_addf(out, "%.6g\n", perf / line * 1e3)
					   : buf_adds(out, "NaN\n"));
}

static int add_data(struct buf *out, const struct plot *plot)
{
	int ret = 0;

	for (unsigned int i = 0; i < plot->cluster_count; i++) {
		const struct plot_cluster *cl = &plot->clusters[i];

		if (!cl->window_count)
			continue;
		ret |= buf_addf(out, "$w_%u << EOD\n", i);
		for (unsigned int w = 0; w < cl->window_count; w++)
			ret |= buf_addf(out, "%.6g %.6g\n", cl->windows[w].mhz,
					cl->windows[w].mw);
		ret |= buf_adds(out, "EOD\n");
	}
	for (int panel = PANEL_POWER; panel <= PANEL_EFFICIENCY; panel++) {
		for (unsigned int i = 0; i < plot->cluster_count; i++) {
			const struct plot_cluster *cl = &plot->clusters[i];

			ret |= buf_addf(out, "$d%d_%u << EOD\n", panel, i);
			for (unsigned int s = 0; s < cl->state_count; s++)
				ret |= add_row(out, &cl->states[s], panel);
			ret |= buf_adds(out, "EOD\n");
		}
	}
	return ret;
}

static int add_windows(struct buf *out, const struct plot_cluster *cl, enum panel panel,
		       unsigned int i)
{
	int ret;

	if (panel != PANEL_POWER || !cl->window_count)
		return 0;
	ret = buf_addf(out, "$w_%u with points lc rgb '%s' pt 2 ps 0.6 title ", i,
		       colours[i % NCOLOURS]);
	ret |= add_quoted(out, cl->name, ", windows above idle, per busy CPU");
	return ret | buf_adds(out, ", ");
}

/*
 * Curves, then points with error bars, then the marks of inefficient states. A character
 * terminal has no room for more than points and marks, and its symbols follow the order
 * of the calls.
 */
static int add_cluster(struct buf *out, const struct plot_cluster *cl, enum panel panel,
		       unsigned int i, bool dumb)
{
	const char *colour = colours[i % NCOLOURS];
	char data[32];
	int ret;

	snprintf(data, sizeof(data), "$d%d_%u", panel, i);
	if (dumb) {
		ret = buf_addf(out, "%s using 1:4 with points pt '%c' title ", data,
			       'A' + (int)(i % 26));
		ret |= add_quoted(out, cl->name, "");
		ret |= buf_addf(out, ", %s using 1:6 with points pt 'x' title ", data);
		return ret | add_quoted(out, cl->name, ", inefficient");
	}
	ret = add_windows(out, cl, panel, i);
	ret |= buf_addf(out, "%s using 1:4 with lines lc rgb '%s' lw 2 title ", data,
			colour);
	ret |= add_quoted(out, cl->name, ", fitted");
	ret |= buf_addf(out, ", %s using 1:5 with lines lc rgb '%s' dt 3 title ", data,
			colour);
	ret |= add_quoted(out, cl->name, ", kernel");
	ret |= buf_addf(out,
			", %s using 1:2:3 with yerrorbars lc rgb '%s' pt 7 ps 0.7 title ",
			data, colour);
	ret |= add_quoted(out, cl->name, ", measured (95 %)");
	ret |= buf_addf(out,
			", %s using 1:6 with points lc rgb '%s' pt 6 ps 2 lw 2 title ",
			data, colour);
	return ret | add_quoted(out, cl->name, ", inefficient state");
}

static int add_panel(struct buf *out, const struct plot *plot, enum panel panel,
		     bool dumb)
{
	int ret;

	if (panel == PANEL_POWER) {
		ret = buf_adds(out, "set title ");
		ret |= add_quoted(out, plot->title, "");
		ret |= buf_adds(out, "\nset xlabel 'frequency (MHz)'\n"
				     "set ylabel 'power of one busy CPU (mW)'\n"
				     "set key top left\n");
	} else {
		ret = buf_addf(out,
			       "unset title\nset xlabel 'performance (%s)'\n"
			       "set ylabel 'performance per watt'\n"
			       "set key top right\n",
			       plot->has_capacity ? "capacity, 1024 is the fastest CPU"
						  : "MHz; capacity is not known");
	}
	ret |= buf_adds(out, "plot ");
	for (unsigned int i = 0; i < plot->cluster_count; i++) {
		if (i)
			ret |= buf_adds(out, ", ");
		ret |= add_cluster(out, &plot->clusters[i], panel, i, dumb);
	}
	return ret | buf_adds(out, "\n");
}

static int add_terminal(struct buf *out, enum plot_term term, unsigned int columns,
			unsigned int rows)
{
	switch (term) {
	case PLOT_SVG:
		return buf_adds(out, "set terminal svg noenhanced size 900,1100 font "
				     "'sans,13' background rgb 'white'\n");
	case PLOT_PNG:
		return buf_adds(out, "set terminal pngcairo noenhanced size 900,1100 "
				     "font 'sans,11' background rgb 'white'\n");
	case PLOT_DUMB:
		return buf_addf(out, "set terminal dumb noenhanced size %u,%u\n", columns,
				rows);
	}
	return -EINVAL;
}

int plot_script(const struct plot *plot, enum plot_term term, unsigned int columns,
		unsigned int rows, struct buf *out)
{
	bool dumb = term == PLOT_DUMB;
	int ret;

	ret = add_terminal(out, term, columns, rows);
	ret |= buf_adds(out, "set encoding utf8\nset datafile missing 'NaN'\n"
			     "set xrange [0:*]\nset yrange [0:*]\n");
	ret |= buf_adds(out, dumb ? "unset grid\n"
				  : "set grid lc rgb '#dddddd'\nset bars small\n"
				    "set multiplot layout 2,1\n");
	ret |= add_data(out, plot);
	ret |= add_panel(out, plot, PANEL_POWER, dumb);
	ret |= add_panel(out, plot, PANEL_EFFICIENCY, dumb);
	if (!dumb)
		ret |= buf_adds(out, "unset multiplot\n");
	return ret ? -ENOMEM : 0;
}

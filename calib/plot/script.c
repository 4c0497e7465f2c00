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

/* " VALUE", or " NaN" where there is none. */
static int add_value(struct buf *out, bool known, double value)
{
	return known ? buf_addf(out, " %.6g", value) : buf_adds(out, " NaN");
}

/* Rows: x, measured, half interval, model, kernel, mark; NaN where there is none. */
static int add_power_row(struct buf *out, const struct plot_state *s)
{
	bool kernel = s->kernel_mw > 0;
	int ret = buf_addf(out, "%.6g", s->mhz);

	ret |= add_value(out, s->has_measured, s->measured_mw);
	ret |= add_value(out, s->has_measured, s->ci_mw);
	ret |= add_value(out, s->has_model, s->model_mw);
	ret |= add_value(out, kernel, s->kernel_mw);
	ret |= add_value(out, s->inefficient && (s->has_model || kernel),
			 s->has_model ? s->model_mw : s->kernel_mw);
	return ret | buf_adds(out, "\n");
}

/* The same per watt; to first order an interval keeps its relative size. */
static int add_efficiency_row(struct buf *out, const struct plot_state *s)
{
	bool measured = s->has_measured && s->measured_mw > 0;
	bool model = s->has_model && s->model_mw > 0, kernel = s->kernel_mw > 0;
	double perf = s->performance * 1e3; /* per W, from mW */
	int ret = buf_addf(out, "%.6g", s->performance);

	ret |= add_value(out, measured, perf / s->measured_mw);
	ret |= add_value(out, measured,
			 perf / s->measured_mw * s->ci_mw / s->measured_mw);
	ret |= add_value(out, model, perf / s->model_mw);
	ret |= add_value(out, kernel, perf / s->kernel_mw);
	ret |= add_value(out, s->inefficient && (model || kernel),
			 perf / (model ? s->model_mw : s->kernel_mw));
	return ret | buf_adds(out, "\n");
}

static int add_row(struct buf *out, const struct plot_state *s, enum panel panel)
{
	return panel == PANEL_POWER ? add_power_row(out, s) : add_efficiency_row(out, s);
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

/* How a cluster is drawn: after six colours the shape of the points changes. */
static int add_style(struct buf *out, unsigned int i)
{
	static const int shapes[] = { 7, 5, 9 }; /* disc, square, triangle */

	return buf_addf(out, "lc rgb '%s' pt %d ps 0.7", colours[i % NCOLOURS],
			shapes[i / NCOLOURS % 3]);
}

/* Curves, then points with error bars, then rings around the inefficient states. */
static int add_cluster(struct buf *out, const struct plot_cluster *cl, enum panel panel,
		       unsigned int i)
{
	const char *colour = colours[i % NCOLOURS];
	char data[32];
	int ret = 0;

	snprintf(data, sizeof(data), "$d%d_%u", panel, i);
	if (panel == PANEL_POWER && cl->window_count)
		ret = buf_addf(out, "$w_%u with points lc rgb '%s' pt 2 ps 0.6 notitle, ",
			       i, colour);
	ret |= buf_addf(out, "%s using 1:4 with lines lc rgb '%s' lw 2 notitle", data,
			colour);
	ret |= buf_addf(out, ", %s using 1:5 with lines lc rgb '%s' dt 2 notitle", data,
			colour);
	ret |= buf_addf(out, ", %s using 1:2:3 with yerrorbars ", data);
	ret |= add_style(out, i);
	ret |= buf_addf(out,
			" notitle, %s using 1:6 with points lc rgb '%s' pt 6 ps 2 lw 2 "
			"notitle",
			data, colour);
	return ret;
}

/* Colours once per cluster, line styles once in all: both panels share it. */
static int add_legend(struct buf *out, const struct plot *plot)
{
	bool windows = false;
	int ret = 0;

	for (unsigned int i = 0; i < plot->cluster_count; i++) {
		windows |= plot->clusters[i].window_count != 0;
		ret |= buf_adds(out, ", NaN with linespoints lw 2 ");
		ret |= add_style(out, i);
		ret |= buf_adds(out, " title ");
		ret |= add_quoted(out, plot->clusters[i].name, "");
	}
	ret |= buf_adds(
		out, ", NaN with lines lc rgb '#555555' lw 2 title 'fitted model'"
		     ", NaN with lines lc rgb '#555555' dt 2 title 'what the kernel "
		     "computes'"
		     ", NaN with points lc rgb '#555555' pt 7 ps 0.7 title 'measured, "
		     "with 95 % interval'"
		     ", NaN with points lc rgb '#555555' pt 6 ps 2 lw 2 title 'state the "
		     "kernel calls inefficient'");
	if (windows)
		ret |= buf_adds(out, ", NaN with points lc rgb '#555555' pt 2 ps 0.6 "
				     "title 'window above idle, per busy CPU'");
	return ret;
}

/*
 * A character terminal has room for one letter per state: the fitted model, or the kernel
 * where there is none; small where the kernel calls the state inefficient.
 */
static int add_letters(struct buf *out, const struct plot_cluster *cl, enum panel panel,
		       unsigned int i)
{
	int ret = buf_addf(out,
			   "$d%d_%u using 1:(valid(4) ? $4 : $5) with points pt '%c' "
			   "title ",
			   panel, i, 'A' + (int)(i % 26));

	ret |= add_quoted(out, cl->name, "");
	return ret | buf_addf(out, ", $d%d_%u using 1:6 with points pt '%c' notitle",
			      panel, i, 'a' + (int)(i % 26));
}

static int add_labels(struct buf *out, const struct plot *plot, enum panel panel,
		      bool dumb)
{
	const char *tail = dumb ? "; small letter: inefficient state" : "";
	int ret;

	if (panel == PANEL_POWER) {
		ret = buf_adds(out, "set title ");
		ret |= add_quoted(out, plot->title, "");
		return ret | buf_addf(out,
				      "\nset xlabel 'frequency (MHz)%s'\n"
				      "set ylabel 'power of one busy CPU (mW)'\n",
				      tail);
	}
	return buf_addf(out, "unset title\nset xlabel '%s'\nset ylabel '%s per watt'\n",
			plot->has_capacity ? "performance (capacity, 1024 is the fastest "
					     "CPU)"
					   : "frequency (MHz; capacities are not known)",
			plot->has_capacity ? "performance" : "MHz");
}

static int add_panel(struct buf *out, const struct plot *plot, enum panel panel,
		     bool dumb)
{
	int ret = add_labels(out, plot, panel, dumb);

	if (!dumb && panel == PANEL_EFFICIENCY)
		ret |= buf_adds(out, "unset key\n");
	ret |= buf_adds(out, "plot ");
	for (unsigned int i = 0; i < plot->cluster_count; i++) {
		if (i)
			ret |= buf_adds(out, ", ");
		ret |= dumb ? add_letters(out, &plot->clusters[i], panel, i)
			    : add_cluster(out, &plot->clusters[i], panel, i);
	}
	if (!dumb && panel == PANEL_POWER)
		ret |= add_legend(out, plot);
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
			     "set xrange [0:*]\nset yrange [*<0:*]\n");
	/* A legend above a dumb picture: inside it would hide states. */
	ret |= buf_adds(out, dumb ? "set key outside top center horizontal\n"
				  : "set key top left Left reverse\n"
				    "set grid lt 1 lc rgb '#e0e0e0'\nset bars small\n"
				    "set multiplot layout 2,1\n");
	ret |= add_data(out, plot);
	ret |= add_panel(out, plot, PANEL_POWER, dumb);
	ret |= add_panel(out, plot, PANEL_EFFICIENCY, dumb);
	if (!dumb)
		ret |= buf_adds(out, "unset multiplot\n");
	return ret ? -ENOMEM : 0;
}

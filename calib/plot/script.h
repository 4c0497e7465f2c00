/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From coeffs.json to a gnuplot script: one text, data inline, nothing that gnuplot would
 * interpret comes from a file unquoted.
 */
#ifndef CALIB_PLOT_SCRIPT_H
#define CALIB_PLOT_SCRIPT_H

#include <stdbool.h>

#include "calib/samples.h"
#include "lib/buf.h"
#include "lib/coeffs.h"
#include "lib/err.h"

enum plot_term { PLOT_SVG, PLOT_PNG, PLOT_DUMB };

/* One performance state, in the units of the picture. */
struct plot_state {
	double mhz;
	double performance; /* 0..1024, or MHz when no cluster has a capacity */
	bool has_measured, has_model;
	double measured_mw, ci_mw; /* one busy CPU above idle; half the 95 % interval */
	double model_mw;
	double kernel_mw; /* what the kernel will compute; 0: not known */
	bool inefficient; /* by the kernel's current rule, where it has a model */
};

#define PLOT_MAX_WINDOWS 4096

/* A measured window: (power - the OPP's mean idle power) / busy CPUs. */
struct plot_window {
	double mhz, mw;
};

struct plot_cluster {
	char name[32];
	struct plot_window windows[PLOT_MAX_WINDOWS];
	unsigned int window_count;
	struct plot_state states[COEFFS_MAX_OPPS]; /* ascending */
	unsigned int state_count;
};

struct plot {
	char title[256];
	bool has_capacity;
	struct plot_cluster clusters[COEFFS_MAX_CLUSTERS];
	unsigned int cluster_count;
};

/*
 * plot_from_coeffs - take what can be drawn out of @c
 *
 * Clusters without opps[] are left out. Returns 0, or -ENODATA when none is left or none
 * has a power above 0.
 */
int plot_from_coeffs(const struct coeffs *c, struct plot *plot, struct err *err);

/*
 * plot_add_windows - the windows behind the curves, for the panel of power
 *
 * Rows with flags, without load, or of an OPP without idle rows are left out, and what is
 * more than PLOT_MAX_WINDOWS. Returns how many were added.
 */
unsigned int plot_add_windows(struct plot *plot, const struct samples *rows);

/*
 * plot_script - the gnuplot text: power over frequency above, efficiency over performance
 * below
 * @columns, @rows: size of PLOT_DUMB in characters
 *
 * Works with gnuplot-nox 5: no window terminal, no locale. Returns 0 or -ENOMEM.
 */
int plot_script(const struct plot *plot, enum plot_term term, unsigned int columns,
		unsigned int rows, struct buf *out);

#endif

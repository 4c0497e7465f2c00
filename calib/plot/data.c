// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What of coeffs.json is drawn, in the picture's units.
 */
#include "calib/plot/script.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "models/kernel_em.h"

/* Capacity is all CPUs or none, in the kernel as here. */
static bool capacities(const struct coeffs *c, uint32_t *capacity)
{
	uint32_t dmips[COEFFS_MAX_CLUSTERS];
	uint64_t max_khz[COEFFS_MAX_CLUSTERS];

	for (unsigned int i = 0; i < c->cluster_count; i++) {
		const struct coeffs_cluster *cl = &c->clusters[i];

		if (!cl->has_capacity || !cl->opp_count)
			return false;
		dmips[i] = cl->capacity_dmips_mhz;
		max_khz[i] = cl->opps[cl->opp_count - 1].hz / 1000;
	}
	em_capacity(dmips, max_khz, capacity, c->cluster_count);
	return true;
}

static void fill_state(const struct coeffs_opp *opp, double performance,
		       struct plot_state *s)
{
	*s = (struct plot_state){
		.mhz = opp->hz / 1e6,
		.performance = performance,
		.has_measured = opp->has_measured,
		.has_model = opp->has_model,
		.measured_mw = opp->measured_uw / 1e3,
		.ci_mw = opp->measured_ci_uw / 1e3,
		.model_mw = opp->model_uw / 1e3,
		.kernel_mw = opp->kernel_uw / 1e3,
		.inefficient = opp->inefficient,
	};
}

int plot_from_coeffs(const struct coeffs *c, struct plot *plot, struct err *err)
{
	uint32_t capacity[COEFFS_MAX_CLUSTERS];

	memset(plot, 0, sizeof(*plot));
	snprintf(plot->title, sizeof(plot->title), "%s%s%s",
		 c->board[0] ? c->board : "CPU power",
		 c->virtual_board ? " - VIRTUAL BOARD, not a measurement" : "", "");
	plot->has_capacity = capacities(c, capacity);

	for (unsigned int i = 0; i < c->cluster_count; i++) {
		const struct coeffs_cluster *cl = &c->clusters[i];
		struct plot_cluster *p = &plot->clusters[plot->cluster_count];

		if (!cl->opp_count)
			continue;
		plot->cluster_count++;
		snprintf(p->name, sizeof(p->name), "%s", cl->name);
		p->state_count = cl->opp_count;
		for (unsigned int o = 0; o < cl->opp_count; o++) {
			double mhz = cl->opps[o].hz / 1e6;
			double top = cl->opps[cl->opp_count - 1].hz / 1e6;

			fill_state(&cl->opps[o],
				   plot->has_capacity ? capacity[i] * mhz / top : mhz,
				   &p->states[o]);
		}
	}
	if (!plot->cluster_count)
		return err_set(err, -ENODATA,
			       "no cluster has 'opps' to draw; 'calib fit' writes them");
	return 0;
}

/* Mean idle power of the cluster at the OPP. */
static bool idle_mw(const struct samples *rows, const char *cluster, uint32_t opp_khz,
		    double *mw)
{
	double sum = 0;
	unsigned int n = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct sample *row = &rows->rows[i];

		if (row->cpu_count || row->flags || row->opp_khz != opp_khz ||
		    strcmp(row->cluster, cluster))
			continue;
		sum += row->power_uw / 1e3;
		n++;
	}
	*mw = n ? sum / n : 0;
	return n;
}

unsigned int plot_add_windows(struct plot *plot, const struct samples *rows)
{
	unsigned int added = 0;

	for (unsigned int c = 0; c < plot->cluster_count; c++) {
		struct plot_cluster *cl = &plot->clusters[c];

		for (size_t i = 0; i < rows->count; i++) {
			const struct sample *row = &rows->rows[i];
			double idle;

			if (!row->cpu_count || row->flags ||
			    strcmp(row->cluster, cl->name) ||
			    cl->window_count == PLOT_MAX_WINDOWS ||
			    !idle_mw(rows, cl->name, row->opp_khz, &idle))
				continue;
			cl->windows[cl->window_count++] = (struct plot_window){
				.mhz = row->opp_khz / 1e3,
				.mw = (row->power_uw / 1e3 - idle) / row->cpu_count,
			};
			added++;
		}
	}
	return added;
}

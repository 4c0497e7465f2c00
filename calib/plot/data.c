// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What of coeffs.json is drawn, in the picture's units.
 */
#include "calib/plot/script.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "models/kernel_em.h"

#define FULL_CAPACITY 1024

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
	};
}

/*
 * What the kernel makes of the coefficient is computed here, not believed: whoever edits
 * the coefficient by hand leaves kernel-microwatt behind. Without a voltage the file's
 * word stands.
 */
static void fill_kernel(const struct coeffs_cluster *cl, uint32_t capacity,
			struct plot_cluster *p)
{
	struct em_state em[COEFFS_MAX_OPPS] = { 0 };
	bool computed = true, refused;
	struct err why;

	for (unsigned int o = 0; o < cl->opp_count; o++) {
		const struct coeffs_opp *opp = &cl->opps[o];

		em[o].khz = opp->hz / 1000;
		em[o].power = opp->microvolt ? em_power_uw(cl->dpc_uw_per_mhz_v2, opp->hz,
							   opp->microvolt)
					     : opp->kernel_uw;
		computed &= opp->microvolt != 0;
		p->states[o].kernel_mw = em[o].power / 1e3;
	}
	refused = computed && em_current(em, cl->opp_count, capacity, &why);
	for (unsigned int o = 0; o < cl->opp_count; o++)
		p->states[o].inefficient = computed ? !refused && em[o].inefficient
						    : cl->opps[o].inefficient;
}

static void fill_cluster(const struct coeffs_cluster *cl, const uint32_t *capacity,
			 struct plot_cluster *p)
{
	double top = cl->opps[cl->opp_count - 1].hz / 1e6;

	snprintf(p->name, sizeof(p->name), "%s", cl->name);
	p->state_count = cl->opp_count;
	for (unsigned int o = 0; o < cl->opp_count; o++) {
		double mhz = cl->opps[o].hz / 1e6;

		fill_state(&cl->opps[o], capacity ? *capacity * mhz / top : mhz,
			   &p->states[o]);
	}
	fill_kernel(cl, capacity ? *capacity : FULL_CAPACITY, p);
}

/* Is there a power that has an efficiency? gnuplot fails on an empty picture. */
static bool is_drawable(const struct plot *plot)
{
	for (unsigned int i = 0; i < plot->cluster_count; i++) {
		for (unsigned int o = 0; o < plot->clusters[i].state_count; o++) {
			const struct plot_state *s = &plot->clusters[i].states[o];

			if (s->performance > 0 &&
			    (s->kernel_mw > 0 || s->model_mw > 0 || s->measured_mw > 0))
				return true;
		}
	}
	return false;
}

int plot_from_coeffs(const struct coeffs *c, struct plot *plot, struct err *err)
{
	uint32_t capacity[COEFFS_MAX_CLUSTERS];

	memset(plot, 0, sizeof(*plot));
	snprintf(plot->title, sizeof(plot->title), "%s%s",
		 c->board[0] ? c->board : "CPU power",
		 c->virtual_board ? " - VIRTUAL BOARD, not a measurement" : "");
	plot->has_capacity = capacities(c, capacity);

	for (unsigned int i = 0; i < c->cluster_count; i++) {
		if (!c->clusters[i].opp_count)
			continue;
		fill_cluster(&c->clusters[i], plot->has_capacity ? &capacity[i] : NULL,
			     &plot->clusters[plot->cluster_count++]);
	}
	if (!plot->cluster_count)
		return err_set(err, -ENODATA,
			       "no cluster has 'opps' to draw; 'calib fit' writes them");
	if (!is_drawable(plot))
		return err_set(err, -ENODATA,
			       "no entry of 'opps' has a power to draw; give them "
			       "'microvolt', or let 'calib fit' write them");
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: one cluster's fit into coeffs.json.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/fit_diagnose.h"
#include "calib/fit_curve.h"
#include "calib/fit_loads.h"
#include "lib/num.h"
#include "lib/sha256.h"
#include "models/kernel_em.h"

static void __attribute__((format(printf, 2, 3)))
add_note(struct coeffs_provenance *p, const char *fmt, ...)
{
	va_list ap;

	if (p->note_count == COEFFS_MAX_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(p->notes[p->note_count++], sizeof(p->notes[0]), fmt, ap);
	va_end(ap);
}

static int parse_match(struct coeffs_match *m, const char *text, struct err *err)
{
	const char *value = strchr(text, '=');
	char list[1024], *item, *rest;

	if (!value)
		goto bad;
	value++;
	if (!strncmp(text, "compatible=", 11)) {
		if (snprintf(m->compatible, sizeof(m->compatible), "%s", value) >=
			    (int)sizeof(m->compatible) ||
		    !*value)
			goto bad;
		return 0;
	}
	if (snprintf(list, sizeof(list), "%s", value) >= (int)sizeof(list))
		goto bad;
	for (item = strtok_r(list, ",", &rest); item; item = strtok_r(NULL, ",", &rest)) {
		if (!strncmp(text, "reg=", 4) && m->reg_count < COEFFS_MAX_MATCH) {
			if (num_u64_hex(item, &m->reg[m->reg_count++]))
				goto bad;
		} else if (!strncmp(text, "path=", 5) && *item == '/' &&
			   m->path_count < COEFFS_MAX_MATCH &&
			   strlen(item) < sizeof(m->paths[0])) {
			strcpy(m->paths[m->path_count++], item);
		} else {
			goto bad;
		}
	}
	if (m->reg_count || m->path_count)
		return 0;
bad:
	return err_set(err, -EINVAL,
		       "--match '%s' is not compatible=CORE, reg=N[,N...] or "
		       "path=/NODE[,/NODE...]",
		       text);
}

static int fill_match(struct coeffs_match *m, const struct fit_cluster *c,
		      const struct fit_input *in, const struct fit_opts *o,
		      struct err *err)
{
	unsigned int i;
	int ret;

	if (o->match.n && in->cluster_count > 1)
		return err_set(
			err, -EINVAL,
			"--match is for one cluster, and there are %u; add --cluster",
			in->cluster_count);
	for (i = 0; i < o->match.n; i++) {
		ret = parse_match(m, o->match.items[i], err);
		if (ret)
			return ret;
	}
	if (o->match.n || !c->info)
		return 0;
	snprintf(m->compatible, sizeof(m->compatible), "%s", c->info->compatible);
	for (i = 0; i < c->info->reg_count && i < COEFFS_MAX_MATCH; i++)
		m->reg[m->reg_count++] = c->info->reg[i];
	return 0;
}

static void fill_model(struct coeffs_model *m, const struct fit_cluster *c)
{
	const struct power_fit *f = &c->fit;
	unsigned int i;

	snprintf(m->name, sizeof(m->name), "%s", c->method->name);
	for (i = 0; i < f->term_count && i < COEFFS_MAX_TERMS; i++) {
		struct coeffs_term *t = &m->terms[m->term_count++];

		snprintf(t->name, sizeof(t->name), "%s", f->terms[i].name);
		snprintf(t->unit, sizeof(t->unit), "%s", f->terms[i].unit);
		t->value = f->terms[i].value;
		t->has_se = isfinite(f->terms[i].se);
		t->se = t->has_se ? f->terms[i].se : 0;
	}
	m->n = c->loads && c->loads->is_mix ? fit_loads_rows(c->loads) : f->rows;
	m->dof = fmax(f->dof, 0);
	m->has_r2 = isfinite(f->r2);
	m->r2 = m->has_r2 ? f->r2 : 0;
	m->r2_uncentred = f->r2_uncentred;
	m->rmse_pct = f->rmse_pct;
	m->loo_rmse_pct = f->loo_rmse_pct;
	m->condition = f->condition;
}

static int add_file(struct coeffs_provenance *p, const char *path, struct err *err)
{
	struct coeffs_file *f;
	size_t len = strlen(path);

	if (p->file_count == COEFFS_MAX_FILES || !strcmp(path, "-"))
		return 0;
	f = &p->files[p->file_count++];
	/* The end of a long path says more than its beginning. */
	snprintf(f->path, sizeof(f->path), "%s",
		 len < sizeof(f->path) ? path : path + len - sizeof(f->path) + 1);
	return sha256_file(path, f->sha256, err);
}

/* Named rows, those without a reading included, are bounded: other notes need room. */
static void note_left_out(struct coeffs_provenance *p, const struct fit_cluster *c,
			  const struct fit_input *in)
{
	struct fit_left_out *out = &(struct fit_left_out){ 0 };
	unsigned int i, named;
	char place[COEFFS_TEXT];

	fit_left_out(c, in, out);
	if (*out->counts)
		add_note(p, "rows left out: %s", out->counts);
	for (i = 0; i < out->named; i++)
		add_note(p, "left out: %s", out->rows[i]);
	named = out->named;
	for (i = 0; i < in->samples.reject_count; i++) {
		const struct samples_reject *r = &in->samples.rejects[i];

		if (named++ < FIT_LEFT_OUT_NAMED)
			add_note(p, "left out: %s: %s",
				 fit_place(in, r->file, r->line, place, sizeof(place)),
				 r->why);
		else
			out->more++;
	}
	if (out->more)
		add_note(p, "left out: %u more", out->more);
}

static void note_raw(struct coeffs_provenance *p, const struct fit_cluster *c,
		     const struct fit_input *in)
{
	const struct fit_raw *raw = fit_raw_of(in, c->name);
	char text[COEFFS_TEXT];

	if (!raw)
		return;
	add_note(p, "rows made anew: %s", fit_raw_format(raw, text, sizeof(text)));
	for (unsigned int i = 0; i < FIT_RAW_NAMED && i < raw->count[TRACE_SPIKE]; i++)
		add_note(p, "%s", fit_raw_format_spike(raw, i, text, sizeof(text)));
}

/* Of a mix's other loads: rows left out and findings. */
static void note_others(struct coeffs_provenance *p, const struct fit_cluster *c,
			const struct fit_input *in)
{
	const struct fit_loads *l = c->loads;
	unsigned int i, k;

	for (i = 0; i < l->count; i++) {
		struct fit_left_out *out = &(struct fit_left_out){ 0 };
		const struct fit_cluster *one = &l->list[i];

		if (!(l->weight[i] > 0) || !strcmp(one->load, c->load))
			continue;
		fit_left_out(one, in, out);
		if (*out->counts)
			add_note(p, "load %s: rows left out: %s", one->load, out->counts);
		for (k = 0; k < one->fit.note_count; k++)
			add_note(p, "load %s: %.200s", one->load, one->fit.notes[k]);
	}
}

static void note_loads(struct coeffs_provenance *p, const struct fit_cluster *c,
		       const struct fit_input *in)
{
	char text[COEFFS_TEXT];

	if (!c->loads)
		return;
	note_others(p, c, in);
	if (c->loads->is_mix) {
		fit_loads_common(c->loads, text, sizeof(text));
		add_note(p, "%s", text);
		add_note(p, "diagnostics are of load %s alone", c->load);
	}
	fit_loads_spread(c->loads, c->fit.c, text, sizeof(text));
	if (*text)
		add_note(p, "%s", text);
}

static void add_notes(struct coeffs_provenance *p, const struct fit_cluster *c,
		      const struct fit_input *in)
{
	const struct power_fit *f = &c->fit;
	unsigned int i;

	add_note(p, "method %s: %s", c->method->name, c->why);
	note_left_out(p, c, in);
	note_raw(p, c, in);
	note_loads(p, c, in);
	for (i = 0; i < f->note_count; i++)
		add_note(p, "%s", f->notes[i]);
	if (c->data.volt_from_table && isfinite(f->ohm))
		add_note(p, "voltage from a table; the rail's droop was estimated");
	else if (c->data.volt_from_table)
		add_note(p, "voltage from a table, not measured at the rail");
	add_note(p, "not in the interval: %s", FIT_NOT_IN_INTERVAL);
	if (in->has_info && in->info.virtual_board)
		add_note(p, "VIRTUAL: measured on a virtual board");
}

static int fill_provenance(struct coeffs_provenance *p, const struct fit_cluster *c,
			   const struct fit_input *in, const struct fit_opts *o,
			   const char *command, struct err *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < in->path_count && !ret; i++)
		ret = add_file(p, in->paths[i], err);
	/* Those of runs are among them. */
	for (i = 0; i < in->samples.file_count && in->path_count < 2 && !ret; i++)
		ret = add_file(p, in->samples.paths[i], err);
	if (ret)
		return ret;
	if (in->path_count > COEFFS_MAX_FILES)
		add_note(p, "files: %u more", in->path_count - COEFFS_MAX_FILES);
	if (c->info && c->info->sensor_driver[0])
		snprintf(p->sensor, sizeof(p->sensor), "%s (%s)", c->info->sensor,
			 c->info->sensor_driver);
	else if (c->info)
		snprintf(p->sensor, sizeof(p->sensor), "%s", c->info->sensor);
	snprintf(p->load, sizeof(p->load), "%s",
		 c->loads && c->loads->is_mix ? c->loads->text : c->load);
	snprintf(p->formula, sizeof(p->formula), "%s", c->fit.formula);
	snprintf(p->scope, sizeof(p->scope), "%s",
		 o->scope	? o->scope
		 : in->has_info ? in->info.power_scope
				: "");
	if (in->has_info && in->info.has_baseline) {
		p->has_baseline = true;
		p->baseline_uw = in->info.baseline_uw;
	}
	snprintf(p->command, sizeof(p->command), "%s", command);
	add_notes(p, c, in);
	return 0;
}

static void add_opp(struct coeffs_cluster *out, const struct fit_cluster *c, uint32_t khz,
		    uint32_t table_uv)
{
	struct coeffs_opp *o;
	struct power_opp p;

	fit_curve_opp(c, khz, &p);
	if (out->opp_count == COEFFS_MAX_OPPS || (!table_uv && !(p.volt > 0)))
		return;
	o = &out->opps[out->opp_count++];
	o->hz = (uint64_t)khz * 1000;
	o->microvolt = table_uv ? table_uv : llround(p.volt * 1e6);
	o->has_measured = p.has_measured;
	o->measured_uw = p.measured_uw;
	o->measured_ci_uw = p.measured_ci_uw;
	o->has_next = p.has_next;
	o->next_uw = p.next_uw;
	o->next_ci_uw = p.next_ci_uw;
	o->has_model = p.model_uw > 0;
	o->model_uw = p.model_uw;
	o->kernel_uw = em_power_uw(out->dpc_uw_per_mhz_v2, o->hz, o->microvolt);
}

static int by_hz(const void *a, const void *b)
{
	const struct coeffs_opp *x = a, *y = b;

	return (x->hz > y->hz) - (x->hz < y->hz);
}

/* The OPPs of the machine, and those of the rows that are not among them. */
static void fill_opps(struct coeffs_cluster *out, const struct fit_cluster *c)
{
	unsigned int i, k, known = 0;

	for (i = 0; c->info && i < c->info->opp_count; i++)
		add_opp(out, c, c->info->opps[i].khz, c->info->opps[i].volt_uv);
	known = out->opp_count;
	for (i = 0; i < c->data.opp_count; i++) {
		for (k = 0; k < known; k++)
			if (out->opps[k].hz == c->data.opp_khz[i] * 1000ull)
				break;
		if (k == known)
			add_opp(out, c, c->data.opp_khz[i], 0);
	}
	qsort(out->opps, out->opp_count, sizeof(out->opps[0]), by_hz);
}

static void add_board(struct coeffs_boards *out, const struct many_board *b,
		      const char *name)
{
	struct coeffs_board *o = &out->each[out->each_count];

	if (out->each_count == COEFFS_MAX_BOARDS)
		return;
	snprintf(o->name, sizeof(o->name), "%s", name);
	o->used = b->used;
	o->estimate = b->c;
	o->stderr_ = b->se;
	o->off = b->deleted;
	o->outlying = b->outlying;
	snprintf(o->left_out, sizeof(o->left_out), "%s", b->why);
	out->each_count++;
}

/* All boards, or of very many those with something amiss. */
static void fill_boards(struct coeffs_boards *out, const struct fit_cluster *c,
			char *const *names)
{
	const struct many_boards *m = &c->boards;
	bool all = m->count <= COEFFS_MAX_BOARDS;
	size_t i;

	out->n = m->used;
	out->outlying = m->outlying;
	out->left_out = m->count - m->used;
	out->between_pct = 100 * m->meta.sd / m->meta.mean;
	for (i = 0; i < 2; i++) {
		out->between_pct95[i] = 100 * m->meta.sd95[i] / m->meta.mean;
		out->new95[i] = m->meta.new95[i];
	}
	for (i = 0; i < m->count; i++)
		if (all || m->boards[i].outlying || !m->boards[i].used)
			add_board(out, &m->boards[i], names[i]);
}

int fit_result_cluster(struct coeffs_cluster *out, const struct fit_cluster *c,
		       const struct fit_input *in, const struct fit_opts *o,
		       const char *command, struct err *err)
{
	const struct power_fit *f = &c->fit;
	int ret;

	memset(out, 0, sizeof(*out));
	snprintf(out->name, sizeof(out->name), "%s", c->name);
	ret = fill_match(&out->match, c, in, o, err);
	if (ret)
		return ret;
	out->dpc_uw_per_mhz_v2 = llround(f->c);
	if (isfinite(f->se) && isfinite(f->ci95[0])) {
		out->has_interval = true;
		out->estimate = f->c;
		out->stderr_ = f->se;
		out->ci95[0] = f->ci95[0];
		out->ci95[1] = f->ci95[1];
	}
	out->effective = fit_loads_effective(c);
	out->has_effective = isfinite(out->effective) && out->effective > 0;
	out->has_model = true;
	fill_model(&out->model, c);
	out->has_boards = c->boards.count > 0;
	if (out->has_boards)
		fill_boards(&out->boards, c, in->samples.boards);
	fill_opps(out, c);
	if (c->loads)
		fit_loads_result(out, c->loads);
	out->has_provenance = true;
	ret = fill_provenance(&out->provenance, c, in, o, command, err);
	if (!ret && !out->has_boards)
		ret = fit_diagnose(out, fit_loads_main(c), in, err);
	if (!ret)
		fit_curve_fill(out, c);
	return ret;
}

/* Capacities 0..1024 as the kernel will have them; false: not known for all. */
static bool kernel_capacities(const struct coeffs *out, const struct fit_input *in,
			      uint32_t *capacity)
{
	uint32_t dmips[COEFFS_MAX_CLUSTERS];
	uint64_t khz[COEFFS_MAX_CLUSTERS];
	unsigned int i;

	for (i = 0; i < out->cluster_count; i++) {
		const struct coeffs_cluster *c = &out->clusters[i];
		const struct runinfo_cluster *info =
			in->has_info ? runinfo_cluster(&in->info, c->name) : NULL;

		dmips[i] = info && info->capacity_dmips_mhz ? info->capacity_dmips_mhz
			   : c->has_capacity		    ? c->capacity_dmips_mhz
							    : 0;
		if (!dmips[i] || !c->opp_count)
			return false;
		khz[i] = c->opps[c->opp_count - 1].hz / 1000;
	}
	em_capacity(dmips, khz, capacity, out->cluster_count);
	return true;
}

static void mark_inefficient(struct coeffs_cluster *c, uint32_t capacity)
{
	struct em_state states[COEFFS_MAX_OPPS];
	unsigned int i;

	memset(states, 0, sizeof(states));
	for (i = 0; i < c->opp_count; i++) {
		states[i].khz = c->opps[i].hz / 1000;
		states[i].power = c->opps[i].kernel_uw;
	}
	/* A table that the kernel refuses is for 'calib check' to tell. */
	if (em_current(states, c->opp_count, capacity, NULL))
		return;
	for (i = 0; i < c->opp_count; i++)
		c->opps[i].inefficient = states[i].inefficient;
}

void fit_result_join(struct coeffs *out, const struct fit_input *in)
{
	uint32_t capacity[COEFFS_MAX_CLUSTERS];
	unsigned int i;
	bool known;

	known = kernel_capacities(out, in, capacity);
	for (i = 0; i < out->cluster_count; i++) {
		mark_inefficient(&out->clusters[i], known ? capacity[i] : 1024);
		fit_curve_mark(&out->clusters[i], known ? capacity[i] : 1024);
	}
}

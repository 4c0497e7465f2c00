// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The physics of a virtual board. Between two events (a meter's update, a change of the
 * background tasks, a look at the thermal limit, a command) all is constant but the
 * temperature, whose exponential is taken in closed form.
 */
#include "boards/virtual.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boards/rng.h"

#define BACKGROUND_HOLD_S  0.1 /* mean time between changes of background tasks */
#define THROTTLE_POLL_NS   100000000u
#define THROTTLE_HYST_MC   5000
#define TEMP_STEPS_PER_TAU 20	  /* leakage follows temperature in steps this fine */
#define TEMP_MAX_MC	   150000 /* where silicon would have shut down */

struct cluster {
	const struct board_cluster *desc;
	struct board_truth t;
	unsigned int opp, cap; /* index: asked for, highest allowed */
	double busy_asked, activity;
	double background;
	uint64_t background_next_ns;
	struct rng background_rng;
	double temp_mc;
	/* what follows from the above; see settle() */
	double load, busy, khz, volt, watt;
	struct virtual_usage usage;
};

struct meter {
	const struct board_sensor *desc;
	struct board_meter m;
	uint64_t next_ns, last_ns;
	double joule, volt_s; /* integrals since last_ns */
	double gain, offset_uw;
	struct rng noise_rng, drift_rng, fail_rng, spike_rng;
	bool has_value;
	int64_t power_uw;
	uint32_t volt_uv;
};

struct virtual
{
	struct board board;
	struct virtual_options opts;
	uint64_t now_ns, throttle_next_ns;
	struct cluster clusters[BOARD_MAX_CLUSTERS];
	struct meter meters[BOARD_MAX_SENSORS];
};

/* Streams of random numbers: one per cause and instance. */
enum {
	STREAM_BACKGROUND = 0x100,
	STREAM_NOISE = 0x200,
	STREAM_DRIFT = 0x300,
	STREAM_FAIL = 0x400,
	STREAM_GAIN = 0x500,
	STREAM_PHASE = 0x600,
	STREAM_SPIKE = 0x700
};

static double delivered_khz(const struct virtual *v, const struct cluster *c)
{
	uint32_t khz = c->desc->opps[c->opp < c->cap ? c->opp : c->cap].khz;
	uint32_t limit = v->opts.faults.clock_half_above_khz;

	return limit && khz > limit ? khz / 2.0 : khz;
}

/*
 * The rail at temperature @temp_mc. V = Vt - R (A V + L V^2), where A V^2 is the
 * switching and L V^3 the leakage power, is a quadratic in V; this form of its root is
 * also right for R = 0.
 */
static void rail(const struct cluster *c, double temp_mc, double *volt, double *watt)
{
	const struct board_truth *t = &c->t;
	double busy = c->load > 0 ? 1 : fmin(c->background, 1); /* part of the time */
	double clocked = busy + (1 - busy) * t->uncore_idle_ppm * 1e-6;
	double units = t->dpc_uw_per_mhz_v2 *
			       (c->activity * c->load + c->busy - c->load) +
		       t->uncore_uw_per_mhz_v2 * clocked;
	double a = units * 1e-6 * c->khz / 1e3;
	double kelvin = (temp_mc - t->leak_ref_mc) / 1e3;
	double l = t->leak_uw_per_v3 * 1e-6 * exp(t->leak_ppm_per_k * 1e-6 * kelvin);
	double r = t->droop_uohm * 1e-6;
	double vt = c->desc->opps[c->opp < c->cap ? c->opp : c->cap].volt_uv * 1e-6;
	double b = 1 + r * a;
	double x = 2 * vt / (b + sqrt(b * b + 4 * r * l * vt));

	*volt = x;
	*watt = a * x * x + l * x * x * x;
}

static double warm_mc(const struct board_truth *t, double watt)
{
	return fmin(t->ambient_mc + t->thermal_mk_per_w * watt, TEMP_MAX_MC);
}

/* Bring load, clock, voltage, power (and an instant temperature) up to date. */
static void settle(const struct virtual *v, struct cluster *c)
{
	double cpus = c->desc->cpu_count;
	int i;

	/* Background tasks take idle CPUs first; on a full cluster they displace load. */
	c->busy = fmin(c->busy_asked + c->background, cpus);
	c->load = fmin(c->busy_asked, c->busy - fmin(c->background, c->busy));
	c->khz = delivered_khz(v, c);
	rail(c, c->temp_mc, &c->volt, &c->watt);
	for (i = 0; !c->t.thermal_tau_ms && i < 50; i++) {
		c->temp_mc = warm_mc(&c->t, c->watt);
		rail(c, c->temp_mc, &c->volt, &c->watt);
	}
}

static void update_background(struct cluster *c, uint64_t now_ns)
{
	double mean = c->t.background_ppm * 1e-6;
	double hold = BACKGROUND_HOLD_S * rng_exponential(&c->background_rng);

	c->background = fmin(mean * rng_exponential(&c->background_rng),
			     c->desc->cpu_count);
	c->background_next_ns = now_ns + 1 + (uint64_t)(hold * 1e9);
}

static void update_throttle(struct cluster *c)
{
	const struct board_truth *t = &c->t;
	unsigned int top = c->desc->opp_count - 1;

	if (!t->throttle_mc)
		return;
	if (c->temp_mc >= t->throttle_mc) {
		/* From where the clock is, not from where it might be. */
		c->cap = c->opp < c->cap ? c->opp : c->cap;
		c->cap -= c->cap > 0;
	} else if (c->temp_mc < (double)t->throttle_mc - THROTTLE_HYST_MC &&
		   c->cap < top) {
		c->cap++;
	}
}

static double quantise(double x, uint32_t lsb)
{
	return lsb ? round(x / lsb) * lsb : x;
}

static void update_meter(const struct virtual *v, struct meter *m)
{
	const struct virtual_faults *f = &v->opts.faults;
	double seconds = (v->now_ns - m->last_ns) * 1e-9;
	double uw = m->joule / seconds * 1e6, uv = m->volt_s / seconds * 1e6;
	double sd = hypot(m->m.noise_ppm * 1e-6 * uw, m->m.noise_uw) / sqrt(m->m.average);

	m->joule = 0;
	m->volt_s = 0;
	m->last_ns = v->now_ns;
	m->next_ns = v->now_ns + (uint64_t)m->m.period_us * 1000;
	if (f->stuck_at_ns && v->now_ns >= f->stuck_at_ns && m->has_value)
		return;

	uw = uw * m->gain + m->offset_uw + sd * rng_normal(&m->noise_rng);
	if (f->spike_ppm && rng_uniform(&m->spike_rng) * 1e6 < f->spike_ppm)
		uw *= 1.4;
	if (v->now_ns >= f->charger_at_ns)
		uw += f->charger_uw;
	/* A power register is unsigned. */
	m->power_uw = llround(fmax(quantise(uw, m->m.power_lsb_uw), 0));
	m->volt_uv = m->m.volt_lsb_uv ? llround(quantise(uv, m->m.volt_lsb_uv)) : 0;
	m->has_value = true;
}

static void pass_cluster(struct cluster *c, double seconds)
{
	double end = warm_mc(&c->t, c->watt);

	c->usage.busy_ns += c->busy * seconds * 1e9;
	c->usage.cycles += fmin(ceil(c->busy_asked), c->busy) * c->khz * 1e3 * seconds;
	c->usage.load_ns += c->load * seconds * 1e9;
	c->usage.work += c->load * c->t.work_per_mhz * c->khz / 1e3 * seconds;
	if (c->t.thermal_tau_ms)
		c->temp_mc = end + (c->temp_mc - end) *
					   exp(-seconds * 1e3 / c->t.thermal_tau_ms);
}

static void pass_meter(const struct virtual *v, struct meter *m, double seconds)
{
	bool first = true;
	unsigned int i;

	for (i = 0; i < v->board.cluster_count; i++) {
		if (!(m->desc->clusters & (1u << i)))
			continue;
		m->joule += (v->clusters[i].watt + v->clusters[i].t.board_uw * 1e-6) *
			    seconds;
		m->volt_s += first ? v->clusters[i].volt * seconds : 0;
		first = false;
	}
}

/* The next moment at which something may change, not after @end. */
static uint64_t next_event(const struct virtual *v, uint64_t end)
{
	uint64_t step;
	unsigned int i;

	for (i = 0; i < v->board.cluster_count; i++) {
		const struct cluster *c = &v->clusters[i];

		if (c->t.background_ppm && c->background_next_ns < end)
			end = c->background_next_ns;
		step = (uint64_t)c->t.thermal_tau_ms * 1000000 / TEMP_STEPS_PER_TAU;
		if (step && v->now_ns + step < end)
			end = v->now_ns + step;
	}
	for (i = 0; i < v->board.sensor_count; i++)
		if (v->meters[i].m.period_us && v->meters[i].next_ns < end)
			end = v->meters[i].next_ns;
	return v->throttle_next_ns < end ? v->throttle_next_ns : end;
}

static void handle_events(struct virtual *v)
{
	bool throttle = v->now_ns >= v->throttle_next_ns;
	unsigned int i;

	for (i = 0; i < v->board.sensor_count; i++)
		if (v->meters[i].m.period_us && v->now_ns >= v->meters[i].next_ns)
			update_meter(v, &v->meters[i]);
	for (i = 0; i < v->board.cluster_count; i++) {
		struct cluster *c = &v->clusters[i];

		if (c->t.background_ppm && v->now_ns >= c->background_next_ns)
			update_background(c, v->now_ns);
		if (throttle)
			update_throttle(c);
		settle(v, c);
	}
	if (throttle)
		v->throttle_next_ns = v->now_ns + THROTTLE_POLL_NS;
}

void virtual_advance(struct virtual *v, uint64_t ns)
{
	uint64_t next;
	unsigned int i;

	while (v->now_ns < ns) {
		double seconds;

		next = next_event(v, ns);
		seconds = (next - v->now_ns) * 1e-9;
		for (i = 0; i < v->board.sensor_count; i++)
			pass_meter(v, &v->meters[i], seconds);
		for (i = 0; i < v->board.cluster_count; i++)
			pass_cluster(&v->clusters[i], seconds);
		v->now_ns = next;
		handle_events(v);
	}
}

uint64_t virtual_now_ns(const struct virtual *v)
{
	return v->now_ns;
}

static void draw_offset(struct meter *m)
{
	m->offset_uw = m->m.drift_uw * rng_normal(&m->drift_rng);
}

int virtual_set_khz(struct virtual *v, unsigned int cluster, uint32_t khz)
{
	struct cluster *c = &v->clusters[cluster];
	unsigned int i;

	for (i = 0; i < c->desc->opp_count; i++)
		if (c->desc->opps[i].khz == khz)
			break;
	if (i == c->desc->opp_count)
		return -EINVAL;
	c->opp = i;
	settle(v, c);
	for (i = 0; i < v->board.sensor_count; i++)
		if (v->meters[i].desc->clusters & (1u << cluster))
			draw_offset(&v->meters[i]);
	return 0;
}

void virtual_set_load(struct virtual *v, unsigned int cluster, double busy,
		      double activity)
{
	struct cluster *c = &v->clusters[cluster];

	c->busy_asked = fmin(busy, c->desc->cpu_count);
	c->activity = activity;
	settle(v, c);
}

uint32_t virtual_claimed_khz(const struct virtual *v, unsigned int cluster)
{
	const struct cluster *c = &v->clusters[cluster];

	return c->desc->opps[c->opp < c->cap ? c->opp : c->cap].khz;
}

bool virtual_throttled(const struct virtual *v, unsigned int cluster)
{
	return v->clusters[cluster].cap < v->clusters[cluster].opp;
}

int32_t virtual_temp_mc(const struct virtual *v, unsigned int cluster)
{
	const struct cluster *c = &v->clusters[cluster];

	return lround(quantise(c->temp_mc, c->t.temp_lsb_mc));
}

void virtual_usage(const struct virtual *v, unsigned int cluster, struct virtual_usage *u)
{
	*u = v->clusters[cluster].usage;
}

int virtual_read_meter(struct virtual *v, unsigned int sensor, int64_t *power_uw,
		       uint32_t *volt_uv)
{
	struct meter *m;

	if (sensor >= v->board.sensor_count)
		return -ENODATA;
	m = &v->meters[sensor];
	if (!m->has_value)
		return -ENODATA;
	if (v->opts.faults.fail_ppm &&
	    rng_uniform(&m->fail_rng) * 1e6 < v->opts.faults.fail_ppm)
		return -EIO;
	*power_uw = m->power_uw;
	*volt_uv = m->volt_uv;
	return 0;
}

uint64_t virtual_meter_next_ns(const struct virtual *v, unsigned int sensor)
{
	return v->meters[sensor].m.period_us ? v->meters[sensor].next_ns : UINT64_MAX;
}

uint64_t virtual_next_update_ns(const struct virtual *v)
{
	uint64_t next = UINT64_MAX;

	for (unsigned int i = 0; i < v->board.sensor_count; i++)
		if (virtual_meter_next_ns(v, i) < next)
			next = virtual_meter_next_ns(v, i);
	return next;
}

void virtual_truth(const struct virtual *v, unsigned int cluster, struct virtual_truth *t)
{
	const struct cluster *c = &v->clusters[cluster];

	t->power_uw = c->watt * 1e6;
	t->volt_uv = c->volt * 1e6;
	t->temp_mc = c->temp_mc;
	t->busy = c->busy;
	t->khz = lround(c->khz);
}

/* A term is off when its figure is 0; zero the figures of those that the caller wants
 * off. */
static void switch_truth(struct board_truth *t, uint32_t off)
{
	const struct {
		uint32_t term;
		uint32_t *figure;
	} table[] = {
		{ VIRTUAL_UNCORE, &t->uncore_uw_per_mhz_v2 },
		{ VIRTUAL_LEAKAGE, &t->leak_uw_per_v3 },
		{ VIRTUAL_BOARD, &t->board_uw },
		{ VIRTUAL_DROOP, &t->droop_uohm },
		{ VIRTUAL_THERMAL, &t->thermal_mk_per_w },
		{ VIRTUAL_THROTTLE, &t->throttle_mc },
		{ VIRTUAL_BACKGROUND, &t->background_ppm },
		{ VIRTUAL_LSB, &t->temp_lsb_mc },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (off & table[i].term)
			*table[i].figure = 0;
}

static void switch_meter(struct board_meter *m, uint32_t off)
{
	if (off & VIRTUAL_NOISE)
		m->noise_ppm = m->noise_uw = 0;
	if (off & VIRTUAL_GAIN)
		m->gain_ppm = 0;
	if (off & VIRTUAL_DRIFT)
		m->drift_uw = 0;
	if (off & VIRTUAL_LSB) {
		m->power_lsb_uw = 0;
		/* 0 would mean that it tells no voltage. */
		m->volt_lsb_uv = m->volt_lsb_uv ? 1 : 0;
	}
}

/* What is another one at each boot. */
static uint64_t stream(const struct virtual *v, uint64_t first)
{
	return first + ((uint64_t)v->opts.boot << 32);
}

static void init_cluster(struct virtual *v, unsigned int i)
{
	struct cluster *c = &v->clusters[i];

	c->desc = &v->board.clusters[i];
	c->t = c->desc->truth;
	switch_truth(&c->t, v->opts.off);
	c->t.ambient_mc += v->opts.faults.hot_mc;
	c->cap = c->desc->opp_count - 1;
	c->activity = 1;
	c->temp_mc = c->t.ambient_mc;
	rng_seed(&c->background_rng, v->opts.seed, stream(v, STREAM_BACKGROUND) + i);
	if (c->t.background_ppm)
		update_background(c, 0);
	settle(v, c);
}

static void init_meter(struct virtual *v, unsigned int i)
{
	struct meter *m = &v->meters[i];
	struct rng rng;

	m->desc = &v->board.sensors[i];
	m->m = m->desc->meter;
	if (!m->desc->clusters)
		m->m.period_us = 0;
	switch_meter(&m->m, v->opts.off);
	rng_seed(&m->noise_rng, v->opts.seed, stream(v, STREAM_NOISE) + i);
	rng_seed(&m->drift_rng, v->opts.seed, stream(v, STREAM_DRIFT) + i);
	rng_seed(&m->fail_rng, v->opts.seed, stream(v, STREAM_FAIL) + i);
	rng_seed(&m->spike_rng, v->opts.seed, stream(v, STREAM_SPIKE) + i);
	rng_seed(&rng, v->opts.seed, STREAM_GAIN + i);
	m->gain = 1 + m->m.gain_ppm * 1e-6 * rng_normal(&rng);
	/* Meters do not start in step with us. */
	rng_seed(&rng, v->opts.seed, stream(v, STREAM_PHASE) + i);
	m->next_ns = 1 + (uint64_t)(m->m.period_us * 1e3 * rng_uniform(&rng));
	draw_offset(m);
}

int virtual_new(const struct board *board, const struct virtual_options *opts,
		struct virtual **out, struct err *err)
{
	struct virtual *v;
	unsigned int i;

	for (i = 0; i < board->cluster_count; i++)
		if (!board->clusters[i].has_truth || !board->clusters[i].opp_count)
			return err_set(
				err, -EINVAL,
				"board '%s' cannot be played: cluster '%s' has no truth",
				board->name, board->clusters[i].name);
	v = calloc(1, sizeof(*v));
	if (!v)
		return err_set(err, -ENOMEM, "out of memory");
	v->board = *board;
	v->opts = *opts;
	v->throttle_next_ns = THROTTLE_POLL_NS;
	for (i = 0; i < board->cluster_count; i++)
		init_cluster(v, i);
	for (i = 0; i < board->sensor_count; i++)
		init_meter(v, i);
	*out = v;
	return 0;
}

void virtual_free(struct virtual *v)
{
	free(v);
}

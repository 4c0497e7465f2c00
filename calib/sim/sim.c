// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * struct machine over a virtual board.
 */
#include "calib/sim/sim.h"
#include "lib/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_SENSOR (-1)

struct sim {
	struct machine machine; /* first: see machine.h */
	struct board board;
	struct sim_options opts;
	struct virtual *virt;
	int sensor[BOARD_MAX_CLUSTERS]; /* index into board.sensors, NO_SENSOR */
	struct virtual_usage start[BOARD_MAX_CLUSTERS]; /* at load_start() */
	bool touched[BOARD_MAX_CLUSTERS];
};

static struct sim *to_sim(struct machine *m)
{
	return (struct sim *)m;
}

static const struct {
	const char *name;
	double activity;
} loads[] = {
	{ "int", 1.0 },	  { "float", 0.75 }, { "simd", 1.35 }, { "branchy", 0.9 },
	{ "l1", 1.15 },	  { "l2", 1.05 },    { "dram", 0.7 },  { "chase", 0.35 },
	{ "spin", 0.55 }, { "idle", 0 },
};

int sim_load_activity(const char *load, double *activity, struct err *err)
{
	char known[256] = "";
	size_t i, len = 0;

	for (i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		if (!strcmp(loads[i].name, load)) {
			*activity = loads[i].activity;
			return 0;
		}
		len += snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
				loads[i].name);
	}
	return err_set(err, -EINVAL, "virtual boards have no load '%s'; known are %s",
		       load, known);
}

#define MINUTE_NS 60000000000u

static void fault_clock(struct virtual_faults *f, const struct board *board)
{
	const struct board_cluster *big = &board->clusters[board->cluster_count - 1];

	f->clock_half_above_khz = big->opps[(big->opp_count - 1) * 2 / 3].khz;
}

static void fault_stuck(struct virtual_faults *f, const struct board *board)
{
	(void)board;
	f->stuck_at_ns = MINUTE_NS;
}

static void fault_reads(struct virtual_faults *f, const struct board *board)
{
	(void)board;
	f->fail_ppm = 20000;
}

static void fault_charger(struct virtual_faults *f, const struct board *board)
{
	(void)board;
	f->charger_uw = 1000000;
	f->charger_at_ns = MINUTE_NS;
}

static void fault_spikes(struct virtual_faults *f, const struct board *board)
{
	(void)board;
	f->spike_ppm = 10000;
}

static void fault_pmu(struct virtual_faults *f, const struct board *board)
{
	(void)board;
	f->no_cycles = true;
}

static void fault_hot(struct virtual_faults *f, const struct board *board)
{
	(void)board;
	f->hot_mc = 40000;
}

static const struct {
	const char *name;
	void (*add)(struct virtual_faults *f, const struct board *board);
} faults_known[] = {
	{ "clock", fault_clock },   { "stuck", fault_stuck },
	{ "reads", fault_reads },   { "charger", fault_charger },
	{ "spikes", fault_spikes }, { "hot", fault_hot },
	{ "pmu", fault_pmu },
};

static int add_fault(const char *name, size_t len, const struct board *board,
		     struct virtual_faults *f)
{
	size_t i;

	for (i = 0; i < sizeof(faults_known) / sizeof(faults_known[0]); i++) {
		if (strlen(faults_known[i].name) == len &&
		    !strncmp(faults_known[i].name, name, len)) {
			faults_known[i].add(f, board);
			return 0;
		}
	}
	return -EINVAL;
}

int sim_fault_parse(const char *list, const struct board *board,
		    struct virtual_faults *faults, struct err *err)
{
	const char *p = list;
	size_t len;

	for (;;) {
		len = strcspn(p, ",");
		if (add_fault(p, len, board, faults))
			return err_set(err, -EINVAL,
				       "fault '%.*s' is not one of clock, stuck, reads, "
				       "charger, spikes, hot, pmu",
				       (int)len, p);
		if (!p[len])
			return 0;
		p += len + 1;
	}
}

static void describe_cluster(const struct sim *sim, unsigned int i,
			     struct runinfo_cluster *out)
{
	const struct board_cluster *cl = &sim->board.clusters[i];
	const struct board_sensor *s;

	snprintf(out->name, sizeof(out->name), "%s", cl->name);
	snprintf(out->compatible, sizeof(out->compatible), "%s", cl->compatible);
	memcpy(out->cpus, cl->cpus, sizeof(out->cpus));
	memcpy(out->reg, cl->reg, sizeof(out->reg));
	memcpy(out->opps, cl->opps, sizeof(out->opps));
	out->cpu_count = cl->cpu_count;
	out->reg_count = cl->cpu_count;
	out->opp_count = cl->opp_count;
	out->capacity_dmips_mhz = cl->capacity_dmips_mhz;
	snprintf(out->volt_source, sizeof(out->volt_source), "board");
	if (sim->sensor[i] == NO_SENSOR)
		return;
	s = &sim->board.sensors[sim->sensor[i]];
	board_sensor_format(s, out->sensor, sizeof(out->sensor));
	snprintf(out->sensor_driver, sizeof(out->sensor_driver), "%s", s->chip);
	out->sensor_interval_us = s->meter.period_us;
	if (s->meter.volt_lsb_uv)
		snprintf(out->volt_source, sizeof(out->volt_source), "rail");
}

static int sim_discover(struct machine *m, struct runinfo *info, struct err *err)
{
	const struct sim *sim = to_sim(m);
	unsigned int i;

	(void)err;
	memset(info, 0, sizeof(*info));
	snprintf(info->board, sizeof(info->board), "%s", sim->board.name);
	snprintf(info->compatible, sizeof(info->compatible), "%s", sim->board.compatible);
	snprintf(info->model, sizeof(info->model), "%s (virtual)", sim->board.model);
	snprintf(info->kernel, sizeof(info->kernel), "none: virtual board");
	snprintf(info->power_scope, sizeof(info->power_scope), "rail");
	info->virtual_board = true;
	info->seed = sim->opts.seed;
	info->cluster_count = sim->board.cluster_count;
	for (i = 0; i < info->cluster_count; i++)
		describe_cluster(sim, i, &info->clusters[i]);
	return 0;
}

static int sim_prepare(struct machine *m, unsigned int cluster, struct err *err)
{
	struct sim *sim = to_sim(m);

	if (sim->sensor[cluster] == NO_SENSOR && !sim->opts.clock_only)
		return err_set(
			err, -ENODEV,
			"cluster '%s' of board '%s' has no power sensor; measure the "
			"real "
			"board with an external meter (--power-from), or a board of the "
			"same SoC that has one ('calib boards')",
			sim->board.clusters[cluster].name, sim->board.name);
	sim->touched[cluster] = true;
	return 0;
}

static int sim_set_opp(struct machine *m, unsigned int cluster, uint32_t khz,
		       struct err *err)
{
	struct sim *sim = to_sim(m);

	sim->touched[cluster] = true;
	if (virtual_set_khz(sim->virt, cluster, khz))
		return err_set(err, -EINVAL,
			       "cluster '%s' has no operating point of %u kHz",
			       sim->board.clusters[cluster].name, khz);
	return 0;
}

static int sim_read_khz(struct machine *m, unsigned int cluster, uint32_t *khz,
			struct err *err)
{
	(void)err;
	*khz = virtual_claimed_khz(to_sim(m)->virt, cluster);
	return 0;
}

static int sim_read_power(struct machine *m, unsigned int cluster, struct reading *r,
			  struct err *err)
{
	struct sim *sim = to_sim(m);
	int ret;

	if (sim->sensor[cluster] == NO_SENSOR)
		return err_set(err, -ENODEV, "cluster '%s' has no power sensor",
			       sim->board.clusters[cluster].name);
	r->time_ns = virtual_now_ns(sim->virt);
	ret = virtual_read_meter(sim->virt, sim->sensor[cluster], &r->power_uw,
				 &r->volt_uv);
	if (ret == -ENODATA)
		return err_set(err, -EAGAIN, "the virtual meter has no reading yet");
	if (ret)
		return err_set(err, ret,
			       "the virtual meter's read fails (a fault asked for)");
	return 0;
}

static int sim_read_temp(struct machine *m, unsigned int cluster, int32_t *temp_mc,
			 struct err *err)
{
	(void)err;
	*temp_mc = virtual_temp_mc(to_sim(m)->virt, cluster);
	return 0;
}

static int sim_throttled(struct machine *m, unsigned int cluster, bool *yes,
			 struct err *err)
{
	(void)err;
	*yes = virtual_throttled(to_sim(m)->virt, cluster);
	return 0;
}

static int sim_read_trip(struct machine *m, unsigned int cluster, int32_t *temp_mc,
			 struct err *err)
{
	uint32_t trip = to_sim(m)->board.clusters[cluster].truth.throttle_mc;

	if (!trip)
		return err_set(err, -ENOENT, "the virtual board has no trip point");
	*temp_mc = trip;
	return 0;
}

static int sim_load_start(struct machine *m, unsigned int cluster, unsigned int ncpus,
			  const char *load, struct err *err)
{
	struct sim *sim = to_sim(m);
	double activity = 1;
	int ret;

	if (ncpus > sim->board.clusters[cluster].cpu_count)
		return err_set(err, -EINVAL, "cluster '%s' has %u CPU%s, not %u",
			       sim->board.clusters[cluster].name,
			       sim->board.clusters[cluster].cpu_count,
			       text_s(sim->board.clusters[cluster].cpu_count), ncpus);
	if (ncpus) {
		ret = sim_load_activity(load, &activity, err);
		if (ret)
			return ret;
	}
	sim->touched[cluster] = true;
	/* Threads that sleep load nothing. */
	virtual_set_load(sim->virt, cluster, activity > 0 ? ncpus : 0, activity);
	virtual_usage(sim->virt, cluster, &sim->start[cluster]);
	return 0;
}

static int sim_read_usage(struct machine *m, unsigned int cluster, struct usage *u,
			  struct err *err)
{
	const struct sim *sim = to_sim(m);
	const struct virtual_usage *start = &sim->start[cluster];
	struct virtual_usage now;

	(void)err;
	virtual_usage(sim->virt, cluster, &now);
	*u = (struct usage){
		.time_ns = virtual_now_ns(sim->virt),
		.busy_ns = llround(now.busy_ns - start->busy_ns),
		.work = llround(now.work - start->work),
		.cycles = llround(now.cycles - start->cycles),
		.load_ns = llround(now.load_ns - start->load_ns),
		.counts_cycles = !sim->opts.faults.no_cycles,
		.busy_known = true,
	};
	if (sim->opts.faults.no_cycles)
		u->cycles = 0;
	return 0;
}

static int sim_load_stop(struct machine *m, struct err *err)
{
	struct sim *sim = to_sim(m);
	unsigned int i;

	(void)err;
	for (i = 0; i < sim->board.cluster_count; i++)
		virtual_set_load(sim->virt, i, 0, 1);
	return 0;
}

static uint64_t sim_now_ns(struct machine *m)
{
	return virtual_now_ns(to_sim(m)->virt);
}

static int sim_sleep_until(struct machine *m, uint64_t ns, struct err *err)
{
	struct sim *sim = to_sim(m);

	if (sim->opts.stop_pending && sim->opts.stop_pending())
		return err_set(err, -EINTR, "interrupted");
	virtual_advance(sim->virt, ns);
	return 0;
}

static int sim_restore(struct machine *m, struct err *err)
{
	struct sim *sim = to_sim(m);
	unsigned int i;

	for (i = 0; i < sim->board.cluster_count; i++)
		if (sim->touched[i])
			virtual_set_khz(sim->virt, i, sim->board.clusters[i].opps[0].khz);
	memset(sim->touched, 0, sizeof(sim->touched));
	return sim_load_stop(m, err);
}

static void sim_close(struct machine *m)
{
	if (!m)
		return;
	virtual_free(to_sim(m)->virt);
	free(m);
}

static const struct machine_ops sim_ops = {
	.discover = sim_discover,
	.prepare = sim_prepare,
	.set_opp = sim_set_opp,
	.read_khz = sim_read_khz,
	.read_power = sim_read_power,
	.read_temp = sim_read_temp,
	.throttled = sim_throttled,
	.read_trip = sim_read_trip,
	.load_start = sim_load_start,
	.read_usage = sim_read_usage,
	.load_stop = sim_load_stop,
	.now_ns = sim_now_ns,
	.sleep_until = sim_sleep_until,
	.restore = sim_restore,
	.close = sim_close,
};

int sim_open(const struct sim_options *opts, struct machine **m, struct err *err)
{
	const struct virtual_options vo = {
		.seed = opts->seed,
		.off = opts->off,
		.faults = opts->faults,
	};
	const struct board_sensor *s;
	struct sim *sim;
	unsigned int i;
	int ret;

	sim = calloc(1, sizeof(*sim));
	if (!sim)
		return err_set(err, -ENOMEM, "out of memory");
	ret = virtual_new(opts->board, &vo, &sim->virt, err);
	if (ret) {
		free(sim);
		return ret;
	}
	sim->machine.ops = &sim_ops;
	sim->board = *opts->board;
	sim->opts = *opts;
	sim->opts.board = &sim->board;
	for (i = 0; i < sim->board.cluster_count; i++) {
		s = board_sensor(&sim->board, i);
		sim->sensor[i] = s && s->meter.period_us ? s - sim->board.sensors
							 : NO_SENSOR;
	}
	virtual_advance(sim->virt, opts->start_ns);
	*m = &sim->machine;
	return 0;
}

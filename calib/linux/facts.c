// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clusters and meters as facts: what discover() found, and what a command that changes
 * nothing can add to it.
 */
#include "calib/linux/facts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calib/linux/facts_internal.h"
#include "calib/linux/internal.h"
#include "calib/linux/meters_stream.h"

static uint32_t read_policy_khz(const struct sysfs *sys, unsigned int id,
				const char *name)
{
	char path[SYSFS_PATH];
	uint32_t khz;

	snprintf(path, sizeof(path), CPUFREQ_DIR "/policy%u/%s", id, name);
	return sysfs_read_u32(sys, path, &khz, NULL) ? 0 : khz;
}

static void add_offline(const struct cpufreq_policy *p, struct facts_cluster *c)
{
	unsigned int i, k;

	for (i = 0; i < p->related_count; i++) {
		for (k = 0; k < p->online_count; k++)
			if (p->online[k] == p->related[i])
				break;
		if (k == p->online_count && c->offline_count < BOARD_MAX_CPUS)
			c->offline[c->offline_count++] = p->related[i];
	}
}

/* Policies of one cluster are alike: the first speaks for all. */
static void add_policies(const struct sysfs *sys, const struct topology_cluster *from,
			 struct facts_cluster *c)
{
	const struct cpufreq_policy *p = &from->policies[0];
	char path[SYSFS_PATH];
	unsigned int i;
	struct err err;

	for (i = 0; i < from->policy_count; i++) {
		c->policies[c->policy_count++] = from->policies[i].id;
		add_offline(&from->policies[i], c);
		if (!c->no_pin[0] && (cpufreq_can_pin(&from->policies[i], &err) ||
				      cpufreq_may_pin(sys, &from->policies[i], &err)))
			snprintf(c->no_pin, sizeof(c->no_pin), "%.500s", err.msg);
	}
	strcpy(c->driver, p->driver);
	strcpy(c->governor, p->governor);
	snprintf(path, sizeof(path), CPUFREQ_DIR "/policy%u/scaling_available_governors",
		 p->id);
	if (sysfs_read(sys, path, c->governors, sizeof(c->governors), NULL))
		c->governors[0] = '\0';
	c->limit_min_khz = read_policy_khz(sys, p->id, "scaling_min_freq");
	c->limit_max_khz = read_policy_khz(sys, p->id, "scaling_max_freq");
	c->min_khz = p->min_khz;
	c->max_khz = p->max_khz;
	c->way = p->way;
	c->boost_on = p->boost_on;
	c->boost_count = p->boost_count;
	memcpy(c->boost_khz, p->boost_khz, sizeof(c->boost_khz));
	snprintf(c->opp_source, sizeof(c->opp_source), "%s",
		 !p->has_list			 ? p->points_from
		 : p->boost_on && p->boost_count ? "list+boost"
						 : "list");
}

static void add_described(const struct runinfo_cluster *from, struct facts_cluster *c)
{
	strcpy(c->name, from->name);
	strcpy(c->compatible, from->compatible);
	memcpy(c->cpus, from->cpus, sizeof(c->cpus));
	c->cpu_count = from->cpu_count;
	memcpy(c->opps, from->opps, sizeof(c->opps));
	c->opp_count = from->opp_count;
	c->capacity_dmips_mhz = from->capacity_dmips_mhz;
	strcpy(c->volt_source, from->volt_source);
	strcpy(c->sensor, from->sensor);
	c->sensor_interval_us = from->sensor_interval_us;
	c->volt_measured = !strcmp(from->volt_source, "rail");
}

static void find_ids(const unsigned int *ids, unsigned int count, const struct facts *f,
		     bool zones, unsigned int *out, unsigned int *out_count)
{
	unsigned int all = zones ? f->zone_count : f->cooler_count, i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < all; k++)
			if (ids[i] == (zones ? f->zones[k].id : f->coolers[k].id))
				out[(*out_count)++] = k;
}

static void add_cluster(const struct linux_machine *lm, const struct runinfo *info,
			unsigned int i, struct facts *f)
{
	const struct linux_cluster *lc = &lm->clusters[i];
	struct facts_cluster *c = &f->clusters[i];
	char path[SYSFS_PATH];

	add_described(&info->clusters[i], c);
	c->capacity_in_tree = lm->topo->clusters[i].capacity_dmips_mhz;
	strcpy(c->volt_source, lc->table_volts);
	add_policies(&lm->sys, &lm->topo->clusters[i], c);
	if (lc->has_sensor)
		meter_describe(&lc->sensor.info, c->sensor_about,
			       sizeof(c->sensor_about));
	else
		strcpy(c->no_sensor, lc->sensor_err.msg);
	strcpy(c->regulator, lc->regulator.name);
	if (!lc->regulator.name[0] ||
	    regulator_read_uv(&lm->sys, &lc->regulator, &c->regulator_uv))
		c->regulator_uv = 0;
	find_ids(lc->thermal.zones, lc->thermal.zone_count, f, true, c->zones,
		 &c->zone_count);
	find_ids(lc->thermal.coolers, lc->thermal.cooler_count, f, false, c->coolers,
		 &c->cooler_count);
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpu_capacity",
		 c->cpus[0]);
	if (sysfs_read_u32(&lm->sys, path, &c->capacity, NULL))
		c->capacity = 0;
}

/* By now it has been looked at. */
static void describe_stream(const struct linux_machine *lm, const struct meter_info *info,
			    struct facts_meter *m)
{
	struct meter_info seen = *info;

	if (!stream_describe(&lm->meters, m->unit, sizeof(m->unit), &m->interval_us))
		return;
	seen.unit = m->unit;
	seen.interval_us = m->interval_us;
	meter_describe(&seen, m->about, sizeof(m->about));
}

static void add_meter(const struct linux_machine *lm, const struct meter_info *info,
		      struct facts_meter *m)
{
	struct reading r;
	struct err err;
	int ret;

	snprintf(m->name, sizeof(m->name), "%s", info->name);
	snprintf(m->kind, sizeof(m->kind), "%s", meter_kind_name(info));
	snprintf(m->unit, sizeof(m->unit), "%s", info->unit);
	meter_describe(info, m->about, sizeof(m->about));
	m->interval_us = info->interval_us;
	m->averages = info->averages;
	ret = power_meter_show(&lm->meters, info, &r, &err);
	m->has_power = !ret;
	if (!strcmp(m->kind, METERS_STREAM_SPEC))
		describe_stream(lm, info, m);
	if (ret)
		snprintf(m->why, sizeof(m->why), "%.250s", err.msg);
	else
		m->power_uw = r.power_uw;
}

static void add_meters(struct linux_machine *lm, struct facts *f)
{
	struct err err;
	unsigned int i;

	if (!lm->meters.sys &&
	    meters_open(&lm->meters, &lm->sys, lm->opt.power_from, &err)) {
		snprintf(f->no_meters, sizeof(f->no_meters), "%.250s", err.msg);
		return;
	}
	for (i = 0; i < lm->meters.count && i < FACTS_MAX_METERS; i++)
		add_meter(lm, &lm->meters.list[i], &f->meters[f->meter_count++]);
	if (lm->sys.root[0])
		snprintf(f->no_meters, sizeof(f->no_meters),
			 "those of hwmon are not looked for: --sysroot is not this "
			 "machine");
}

static void describe_machine(const struct linux_machine *lm, const struct runinfo *info,
			     struct facts *f)
{
	const char *base = "/sys/firmware/devicetree/base/";
	char path[SYSFS_PATH];
	size_t len;

	strcpy(f->board, info->board);
	strcpy(f->compatible, info->compatible);
	strcpy(f->model, info->model);
	/* Of a tree of files: what it says itself, not what runs here. */
	if (!lm->sys.root[0])
		strcpy(f->kernel, info->kernel);
	if (!f->kernel[0] && sysfs_read(&lm->sys, "/proc/sys/kernel/osrelease", f->kernel,
					sizeof(f->kernel), NULL))
		f->kernel[0] = '\0';
	if (f->compatible[0])
		return;
	snprintf(path, sizeof(path), "%scompatible", base);
	if (!sysfs_read_bytes(&lm->sys, path, f->compatible, sizeof(f->compatible) - 1,
			      &len, NULL))
		f->compatible[len] = '\0';
}

/* What is given for a cluster is not silently ignored where there is none. */
static int tell_unused(const struct linux_options *opt, int ret, struct err *err)
{
	if (ret != -ENODEV)
		return ret;
	return err_wrap(err, ret, "--%s is for clusters, and there is none here",
			opt->voltages ? "voltages" : "sensor");
}

int facts_read(const struct linux_options *opt, struct facts *f, struct err *err)
{
	struct linux_machine *lm;
	struct runinfo info;
	struct machine *m;
	unsigned int i;
	int ret;

	memset(f, 0, sizeof(*f));
	memset(&info, 0, sizeof(info));
	ret = linux_open(opt, &m, err);
	if (ret)
		return ret;
	lm = to_linux(m);
	ret = linux_discover(m, &info, err);
	if (ret && (lm->topo->cluster_count || opt->voltages || opt->sensor_count)) {
		ret = tell_unused(opt, ret, err);
		goto out_close;
	}
	if (ret && err)
		snprintf(f->no_cpufreq, sizeof(f->no_cpufreq), "%.500s", err->msg);
	ret = 0;
	facts_read_thermal(&lm->sys, f);
	for (i = 0; i < lm->topo->cluster_count; i++)
		add_cluster(lm, &info, i, f);
	f->cluster_count = lm->topo->cluster_count;
	strcpy(f->voltages_note, lm->voltages_note);
	f->offline_policy_count = lm->topo->offline_count;
	memcpy(f->offline_policies, lm->topo->offline, sizeof(f->offline_policies));
	add_meters(lm, f);
	describe_machine(lm, &info, f);
	facts_read_cpus(&lm->sys, f);
	facts_read_cycles(&lm->sys, f);
	facts_read_eas(&lm->sys, f);
out_close:
	m->ops->close(m);
	return ret;
}

static void about_virtual_meter(struct facts_cluster *c)
{
	if (c->sensor[0])
		snprintf(c->sensor_about, sizeof(c->sensor_about), "uW, every %g ms",
			 c->sensor_interval_us / 1e3);
	else
		snprintf(c->no_sensor, sizeof(c->no_sensor),
			 "the board has no meter for it; on the real one an external "
			 "meter's readings come with --power-from");
}

void facts_of_virtual(const struct runinfo *info, struct facts *f)
{
	struct facts_cluster *c;
	unsigned int i;

	memset(f, 0, sizeof(*f));
	f->virtual_board = true;
	strcpy(f->board, info->board);
	strcpy(f->compatible, info->compatible);
	strcpy(f->model, info->model);
	f->cycles = true;
	f->cluster_count = info->cluster_count;
	for (i = 0; i < info->cluster_count; i++) {
		c = &f->clusters[i];
		add_described(&info->clusters[i], c);
		snprintf(c->opp_source, sizeof(c->opp_source), "board");
		snprintf(c->volt_source, sizeof(c->volt_source), "board");
		about_virtual_meter(c);
	}
}

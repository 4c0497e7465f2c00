// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What this machine is: clusters, operating points, voltages, meters. Reads only.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "calib/linux/internal.h"
#include "calib/linux/points.h"
#include "calib/linux/quiet.h"
#include "calib/linux/volts.h"
#include "calib/measure/stop.h"
#include "lib/buf.h"
#include "lib/cpulist.h"
#include "lib/text.h"

#define FDT_MAX	    (4u << 20)
#define MAX_RAIL_UV 2000000

/* The live device tree, where there is one and we may read it. */
struct live_tree {
	struct buf blob; /* dt points into it */
	struct dtcpus *dt;
};

static void live_tree_free(struct live_tree *tree)
{
	dtcpus_free(tree->dt);
	buf_free(&tree->blob);
}

static void live_tree_read(const struct sysfs *sys, struct live_tree *tree)
{
	char path[PATH_MAX];

	memset(tree, 0, sizeof(*tree));
	if (sysfs_real(sys, "/sys/firmware/fdt", path, sizeof(path), NULL) ||
	    buf_read_file(&tree->blob, path, FDT_MAX, NULL) ||
	    dtcpus_check_blob(tree->blob.data, tree->blob.len, NULL))
		return;
	tree->dt = dtcpus_new();
	if (tree->dt && dtcpus_read(tree->blob.data, tree->dt, NULL)) {
		dtcpus_free(tree->dt);
		tree->dt = NULL;
	}
}

/* The description of this machine: the user's, else a built-in one that matches. */
static int find_board(struct linux_machine *lm, struct board *board, struct runinfo *info,
		      struct err *err)
{
	const char *root = lm->sys.root[0] ? lm->sys.root : "/";
	int ret;

	ret = board_match_root(root, board, info->compatible, sizeof(info->compatible),
			       err);
	if (ret < 0)
		return ret;
	/* None matched: what was tried last is still in there. */
	if (!ret)
		memset(board, 0, sizeof(*board));
	if (lm->opt.board) {
		*board = *lm->opt.board;
		ret = 1;
	}
	if (ret)
		snprintf(info->board, sizeof(info->board), "%s", board->name);
	return ret;
}

static void describe_system(const struct linux_machine *lm, struct runinfo *info)
{
	struct utsname uts;

	if (!uname(&uts))
		snprintf(info->kernel, sizeof(info->kernel), "%.20s %.64s %.20s",
			 uts.sysname, uts.release, uts.machine);
	snprintf(info->power_scope, sizeof(info->power_scope), "rail");
	if (sysfs_read(&lm->sys, "/sys/firmware/devicetree/base/model", info->model,
		       sizeof(info->model), NULL) &&
	    sysfs_read(&lm->sys, "/sys/class/dmi/id/product_name", info->model,
		       sizeof(info->model), NULL))
		info->model[0] = '\0';
}

/* Is it all of the same core, and are all CPUs of @c in @b? */
static bool holds_cpus(const struct board_cluster *b, const struct topology_cluster *c)
{
	unsigned int i, k;

	if (c->compatible[0] && strcmp(b->compatible, c->compatible))
		return false;
	for (i = 0; i < c->cpu_count; i++) {
		for (k = 0; k < b->cpu_count && b->cpus[k] != c->cpus[i]; k++)
			;
		if (k == b->cpu_count)
			return false;
	}
	return true;
}

/* The board's cluster: by name, by a core that only one has, or by its CPUs. */
static const struct board_cluster *board_twin(const struct board *board,
					      const struct topology_cluster *c)
{
	const struct board_cluster *same = board_cluster(board, c->name), *holds = NULL;
	unsigned int i, n = 0;

	if (same)
		return same;
	for (i = 0; i < board->cluster_count; i++) {
		if (c->compatible[0] &&
		    !strcmp(board->clusters[i].compatible, c->compatible)) {
			same = &board->clusters[i];
			n++;
		}
		if (holds_cpus(&board->clusters[i], c))
			holds = &board->clusters[i];
	}
	return n == 1 ? same : holds;
}

/* A description names its clusters itself, and tells those of one core type apart. */
static void name_after_board(struct topology *topo, const struct board *board)
{
	const struct board_cluster *twins[BOARD_MAX_CLUSTERS] = { NULL };
	unsigned int i, k;

	for (i = 0; i < topo->cluster_count; i++)
		twins[i] = board_twin(board, &topo->clusters[i]);
	for (i = 0; i < topo->cluster_count; i++) {
		for (k = 0; k < topo->cluster_count; k++)
			if (k != i && twins[k] == twins[i])
				break;
		if (twins[i] && k == topo->cluster_count)
			strcpy(topo->clusters[i].name, twins[i]->name);
	}
}

/* The user's SPEC for this cluster, or NULL. */
static const char *user_spec(const struct linux_machine *lm, const char *name)
{
	size_t len = strlen(name);
	unsigned int i;

	for (i = 0; i < lm->opt.sensor_count; i++)
		if (!strncmp(lm->opt.sensors[i], name, len) &&
		    lm->opt.sensors[i][len] == '=')
			return lm->opt.sensors[i] + len + 1;
	return NULL;
}

static int no_sensor(const struct meters *all, const char *cluster, const char *why,
		     struct err *err)
{
	char names[600];

	if (!meters_names(all, names, sizeof(names)))
		return err_set(
			err, -ENODEV,
			"no power sensor found for cluster '%s'%s; load the meter's "
			"hwmon driver (ina2xx, ina3221 ...) and check with 'sensors', "
			"or give an external meter's readings with --power-from",
			cluster, why);
	return err_set(
		err, -ENODEV,
		"no power sensor is known for cluster '%s'%s; say which one measures "
		"it with --sensor %s=SPEC: there are %s",
		cluster, why, cluster, names);
}

/*
 * A CPU's rail is at most some 1.5 V; a meter that sees more sits before the regulator,
 * and so before its losses, and sees what else hangs there.
 */
static void check_place(struct power_meter *pm)
{
	struct reading r;

	if (!pm->tells_volts || power_meter_read(pm, stop_now_ns(), &r, NULL) ||
	    r.volt_uv <= MAX_RAIL_UV)
		return;
	pm->tells_volts = false;
	pm->info.scope = METER_DEVICE;
	snprintf(pm->info.note, sizeof(pm->info.note),
		 "it sits at %.3g V, which is no CPU's rail", r.volt_uv / 1e6);
}

static int open_meter(const struct meters *all, const struct meter_info *info,
		      struct linux_cluster *lc, struct err *err)
{
	int ret = power_meter_open(all, info, &lc->sensor, err);

	if (!ret)
		check_place(&lc->sensor);
	return ret;
}

static int find_described(const struct meters *all, const struct board *board,
			  const struct board_cluster *twin, struct linux_cluster *lc,
			  const char *name, struct err *err)
{
	const struct board_sensor *bs;
	const struct meter_info *info;
	char spec[64], why[160];
	int ret;

	bs = twin ? board_sensor(board, twin - board->clusters) : NULL;
	if (!bs)
		return no_sensor(all, name, "", err);
	if (bs->has_address)
		snprintf(spec, sizeof(spec), "%s@0x%x", bs->chip, bs->address);
	else
		snprintf(spec, sizeof(spec), "%s%s",
			 bs->kind == BOARD_SENSOR_RAPL ? "rapl:" : "", bs->chip);
	ret = meters_find(all, spec, &info, err);
	if (!ret)
		return open_meter(all, info, lc, err);
	if (ret != -ENODEV)
		return ret;
	snprintf(why, sizeof(why), " (board %s has it as %s)", board->name, spec);
	return no_sensor(all, name, why, err);
}

static int find_chosen(const struct meters *all, const char *spec,
		       struct linux_cluster *lc, struct err *err)
{
	const struct meter_info *info;
	int ret = meters_find(all, spec, &info, err);

	return ret ? ret : open_meter(all, info, lc, err);
}

/* A choice of the user that fails is an error now; a described one when it is needed. */
static int find_sensor(struct linux_machine *lm, const struct board *board,
		       const struct board_cluster *twin, unsigned int i, struct err *err)
{
	const char *name = lm->topo->clusters[i].name;
	struct linux_cluster *lc = &lm->clusters[i];
	const char *spec = user_spec(lm, name);
	int ret;

	if (!spec && lm->opt.power_from)
		spec = METERS_STREAM_SPEC;
	if (lm->opt.clock_only)
		return 0;
	if (spec) {
		ret = find_chosen(&lm->meters, spec, lc, err);
		if (ret)
			return err_wrap(err, ret, "--sensor %s=%s", name, spec);
	} else {
		lc->sensor_ret = find_described(&lm->meters, board, twin, lc, name,
						&lc->sensor_err);
	}
	lc->has_sensor = !lc->sensor_ret;
	return 0;
}

static void describe_opps(const struct topology_cluster *c, struct runinfo_cluster *out)
{
	const struct cpufreq_policy *p = &c->policies[0];
	unsigned int i;

	out->opp_count = p->khz_count;
	for (i = 0; i < p->khz_count; i++)
		out->opps[i] = (struct board_opp){ .khz = p->khz[i] };
}

static void describe_cluster(const struct topology_cluster *c,
			     const struct linux_cluster *lc, struct runinfo_cluster *out)
{
	strcpy(out->name, c->name);
	strcpy(out->compatible, c->compatible);
	memcpy(out->cpus, c->cpus, sizeof(out->cpus));
	memcpy(out->reg, c->reg, sizeof(out->reg));
	out->cpu_count = c->cpu_count;
	out->reg_count = c->reg_count;
	out->capacity_dmips_mhz = c->capacity_dmips_mhz;
	describe_opps(c, out);
	if (!lc->has_sensor)
		return;
	snprintf(out->sensor, sizeof(out->sensor), "%.127s", lc->sensor.info.name);
	snprintf(out->sensor_driver, sizeof(out->sensor_driver), "%s",
		 lc->sensor.info.driver);
	out->sensor_interval_us = lc->sensor.info.interval_us;
}

static void note_policy(const struct linux_machine *lm, const struct cpufreq_policy *p)
{
	unsigned int i;

	if (!p->has_list)
		linux_note(
			lm,
			"policy%u: the kernel lists no frequencies (driver %s); its %u "
			"point%s in %u..%u kHz%s %s, not an OPP table",
			p->id, p->driver, p->khz_count, text_s(p->khz_count), p->min_khz,
			p->max_khz,
			!strcmp(p->points_from, "dt") ? ", from the device tree," : "",
			p->khz_count == 1 ? "is a request" : "are requests");
	for (i = 0; i < p->boost_count && !p->boost_on && !p->boost_wanted; i++)
		linux_note(lm, "policy%u: boost clock %u kHz left out, as boost is off",
			   p->id, p->boost_khz[i]);
}

static void note_all(const struct linux_machine *lm)
{
	const struct topology *topo = lm->topo;
	unsigned int i;

	asleep_note(lm);
	/* Policies of one cluster are alike. */
	for (i = 0; i < topo->cluster_count; i++)
		note_policy(lm, &topo->clusters[i].policies[0]);
}

static int check_user_sensors(const struct linux_machine *lm, struct err *err)
{
	char names[BOARD_MAX_CLUSTERS * sizeof(lm->topo->clusters[0].name) * 2] = "";
	size_t len = 0, n;
	unsigned int i, j;

	for (i = 0; i < lm->topo->cluster_count; i++)
		len += snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
				lm->topo->clusters[i].name);
	for (i = 0; i < lm->opt.sensor_count; i++) {
		n = strcspn(lm->opt.sensors[i], "=");
		if (!lm->opt.sensors[i][n])
			return err_set(err, -EINVAL,
				       "--sensor '%s' is not CLUSTER=SENSOR, such as "
				       "%s=ina231@0x40",
				       lm->opt.sensors[i], lm->topo->clusters[0].name);
		for (j = 0; j < lm->topo->cluster_count; j++)
			if (strlen(lm->topo->clusters[j].name) == n &&
			    !strncmp(lm->topo->clusters[j].name, lm->opt.sensors[i], n))
				break;
		if (j == lm->topo->cluster_count)
			return err_set(
				err, -EINVAL,
				"--sensor '%s': there is no cluster '%.*s'; there are %s",
				lm->opt.sensors[i], (int)n, lm->opt.sensors[i], names);
		for (j = 0; j < i; j++)
			if (!strncmp(lm->opt.sensors[j], lm->opt.sensors[i], n + 1))
				return err_set(
					err, -EINVAL,
					"--sensor '%s' and '%s': a cluster has one "
					"meter",
					lm->opt.sensors[j], lm->opt.sensors[i]);
	}
	return 0;
}

static int open_meters(struct linux_machine *lm, struct err *err)
{
	if (lm->opt.clock_only)
		return 0;
	return meters_open(&lm->meters, &lm->sys, lm->opt.power_from, err);
}

/* Of --cluster, or all are. */
static bool is_measured(const struct linux_machine *lm, const char *name)
{
	for (unsigned int i = 0; i < lm->opt.cluster_count; i++)
		if (!strcmp(lm->opt.clusters[i], name))
			return true;
	return !lm->opt.cluster_count;
}

/* What its meter sees; of several meters, the widest. */
static void describe_meter(const struct linux_machine *lm, unsigned int i,
			   struct runinfo *info)
{
	const struct linux_cluster *lc = &lm->clusters[i];
	const char *name = lm->topo->clusters[i].name;

	if (!lc->has_sensor || !is_measured(lm, name))
		return;
	if (lc->sensor.info.note[0])
		linux_note(lm, "cluster '%s': meter %s: %s", name, lc->sensor.info.name,
			   lc->sensor.info.note);
	if (lc->sensor.info.scope == METER_DEVICE)
		strcpy(info->power_scope, "device");
	else if (lc->sensor.info.scope == METER_PACKAGE &&
		 !strcmp(info->power_scope, "rail"))
		strcpy(info->power_scope, "package");
}

static void describe_housekeeper(const struct linux_machine *lm, unsigned int i,
				 struct runinfo_cluster *out)
{
	bool shared;
	int cpu = quiet_housekeeper(lm, i, &shared);

	out->has_housekeeper = cpu >= 0;
	out->housekeeper = cpu < 0 ? 0 : cpu;
}

/*
 * Is there a regulator that knows better? The kernel's table, after binning, and the user
 * are believed first.
 */
static bool find_regulator(struct linux_machine *lm, unsigned int i)
{
	struct linux_cluster *lc = &lm->clusters[i];
	uint32_t uv;

	lc->use_regulator = !regulator_find(&lm->sys, lm->topo->clusters[i].cpus[0],
					    &lc->regulator) &&
			    !regulator_read_uv(&lm->sys, &lc->regulator, &uv) && uv &&
			    strcmp(lc->table_volts, "debugfs") != 0 &&
			    strncmp(lc->table_volts, "user", 4) != 0;
	return lc->use_regulator;
}

static int discover_clusters(struct linux_machine *lm, const struct board *board,
			     const struct dtcpus *tree, const struct voltages *user,
			     struct runinfo *info, struct err *err)
{
	const struct board_cluster *twin;
	struct topology_cluster *c;
	struct runinfo_cluster *out;
	const char *source;
	unsigned int i;
	int ret;

	info->cluster_count = lm->topo->cluster_count;
	for (i = 0; i < lm->topo->cluster_count; i++) {
		c = &lm->topo->clusters[i];
		out = &info->clusters[i];
		twin = board_twin(board, c);
		ret = find_sensor(lm, board, twin, i, err);
		if (ret)
			return ret;
		thermal_find(&lm->sys, lm->topo, i, &lm->clusters[i].thermal);
		describe_cluster(c, &lm->clusters[i], out);
		if (!out->capacity_dmips_mhz && twin)
			out->capacity_dmips_mhz = twin->capacity_dmips_mhz;
		source = volts_fill(&lm->sys, c, user, tree, twin, out->opps,
				    out->opp_count);
		lm->clusters[i].table_volts = source;
		if (find_regulator(lm, i))
			source = "regulator";
		if (lm->clusters[i].has_sensor && lm->clusters[i].sensor.tells_volts)
			source = "rail";
		snprintf(out->volt_source, sizeof(out->volt_source), "%s", source);
		describe_meter(lm, i, info);
	}
	return 0;
}

/* A clock in MHz or a CPU that is not there would else go unnoticed. */
static int check_user_voltages(struct linux_machine *lm, const struct voltages *user,
			       struct err *err)
{
	const struct voltage *one;
	unsigned int unused = volts_unused(user, lm->topo, &one);

	if (unused && unused == user->count)
		return err_set(err, -EINVAL,
			       "%s: none of its voltages is of an operating point here: "
			       "%u.%u=%u is not CPU.KHZ=MICROVOLT of one",
			       buf_file_name(lm->opt.voltages), one->cpu, one->khz,
			       one->uv);
	lm->voltages_note[0] = '\0';
	if (!unused)
		return 0;
	snprintf(lm->voltages_note, sizeof(lm->voltages_note),
		 "%.120s: %u of its %u voltages %s of no operating point here, the first "
		 "is "
		 "%u.%u=%u",
		 buf_file_name(lm->opt.voltages), unused, user->count,
		 unused == 1 ? "is" : "are", one->cpu, one->khz, one->uv);
	linux_note(lm, "%s", lm->voltages_note);
	return 0;
}

static int want_boost(struct linux_machine *lm, struct err *err)
{
	unsigned int i, k;
	bool any = false;
	int ret;

	for (i = 0; i < lm->topo->cluster_count; i++) {
		struct topology_cluster *c = &lm->topo->clusters[i];

		for (k = 0; k < c->policy_count; k++) {
			ret = cpufreq_want_boost(&lm->sys, &c->policies[k], err);
			if (ret)
				return ret;
			any = any || c->policies[k].boost_count;
		}
	}
	if (!any)
		linux_note(lm, "there are no boost clocks here");
	return 0;
}

/* Called again, it looks again. */
static void forget(struct linux_machine *lm)
{
	unsigned int i;

	for (i = 0; i < BOARD_MAX_CLUSTERS; i++)
		power_meter_close(&lm->clusters[i].sensor);
	memset(lm->clusters, 0, sizeof(lm->clusters));
	meters_close(&lm->meters);
}

static int read_topology(struct linux_machine *lm, const struct dtcpus *tree,
			 struct err *err)
{
	int ret = topology_read(&lm->sys, tree, lm->opt.online, lm->topo, err);

	if (ret || !lm->opt.online)
		return ret;
	ret = asleep_wake(lm, err);
	return ret > 0 ? topology_read(&lm->sys, tree, true, lm->topo, err) : ret;
}

/* Put back what discovery has changed, if it has. */
static int settle(struct linux_machine *lm, int ret, struct err *err)
{
	struct err why;
	int ret_restore = linux_restore(&lm->machine, &why);

	if (!ret && ret_restore)
		return err_set(err, ret_restore, "%s", why.msg);
	return ret;
}

int linux_discover(struct machine *m, struct runinfo *info, struct err *err)
{
	struct linux_machine *lm = to_linux(m);
	struct board *board = calloc(1, sizeof(*board));
	struct voltages *user = calloc(1, sizeof(*user));
	struct live_tree tree;
	unsigned int i;
	int ret;

	memset(info, 0, sizeof(*info));
	forget(lm);
	if (!board || !user) {
		free(user);
		free(board);
		return err_set(err, -ENOMEM, "out of memory");
	}
	live_tree_read(&lm->sys, &tree);
	ret = lm->opt.voltages ? voltages_read(lm->opt.voltages, user, err) : 0;
	if (!ret)
		ret = read_topology(lm, tree.dt, err);
	if (!ret)
		ret = find_board(lm, board, info, err);
	if (ret >= 0) {
		name_after_board(lm->topo, board);
		ret = 0;
	}
	for (i = 0; !ret && i < lm->topo->cluster_count; i++)
		points_choose(&lm->topo->clusters[i], tree.dt, lm->opt.opps);
	if (!ret && lm->opt.boost)
		ret = want_boost(lm, err);
	if (!ret && lm->opt.voltages)
		ret = check_user_voltages(lm, user, err);
	if (!ret)
		ret = check_user_sensors(lm, err);
	if (!ret)
		ret = open_meters(lm, err);
	if (ret)
		goto out_free;
	describe_system(lm, info);
	ret = discover_clusters(lm, board, tree.dt, user, info, err);
	if (ret)
		goto out_free;
	lm->discovered = true;

out_free:
	ret = settle(lm, ret, err);
	for (i = 0; !ret && i < info->cluster_count; i++)
		describe_housekeeper(lm, i, &info->clusters[i]);
	if (!ret)
		note_all(lm);
	live_tree_free(&tree);
	free(user);
	free(board);
	return ret;
}

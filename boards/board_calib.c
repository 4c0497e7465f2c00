// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The /calib node of a board description (boards/README.md): clusters, the virtual twin's
 * truth, sensors, ratio band.
 */
#include <errno.h>
#include <libfdt.h>
#include <stdio.h>
#include <string.h>

#include "boards/board_props.h"
#include "boards/board_reader.h"

#define MAX_CELLS 64

/* /calib/clusters */

/* Limits are there to stop slips of a digit, and steps so fine that playing would crawl.
 */
static const struct props_field truth_fields[] = {
#define FIELD(name, member, min, max)                                                    \
	{                                                                                \
		"calib," name, offsetof(struct board_truth, member), min, max            \
	}
	FIELD("dpc-uw-per-mhz-v2", dpc_uw_per_mhz_v2, 1, 100000),
	FIELD("uncore-uw-per-mhz-v2", uncore_uw_per_mhz_v2, 1, 100000),
	FIELD("uncore-idle-ppm", uncore_idle_ppm, 1, 1000000),
	FIELD("leak-uw-per-v3", leak_uw_per_v3, 1, 20000000),
	FIELD("leak-ppm-per-k", leak_ppm_per_k, 1, 100000),
	FIELD("leak-ref-mc", leak_ref_mc, 1, 150000),
	FIELD("board-uw", board_uw, 1, 100000000),
	FIELD("droop-uohm", droop_uohm, 1, 1000000),
	FIELD("thermal-mk-per-w", thermal_mk_per_w, 1, 200000),
	FIELD("thermal-tau-ms", thermal_tau_ms, 50, 3600000),
	FIELD("ambient-mc", ambient_mc, 1, 100000),
	FIELD("throttle-mc", throttle_mc, 1, 150000),
	FIELD("temp-lsb-mc", temp_lsb_mc, 1, 10000),
	FIELD("background-ppm", background_ppm, 1, 4000000),
	FIELD("work-per-mhz", work_per_mhz, 1, 10000000),
	{ NULL },
};

static const struct props_field meter_fields[] = {
#define METER(name, member, min, max)                                                    \
	{                                                                                \
		"calib," name, offsetof(struct board_meter, member), min, max            \
	}
	METER("period-us", period_us, 1000, 60000000),
	METER("average", average, 1, 4096),
	METER("power-lsb-uw", power_lsb_uw, 1, 10000000),
	METER("volt-lsb-uv", volt_lsb_uv, 1, 1000000),
	METER("noise-ppm", noise_ppm, 1, 1000000),
	METER("noise-uw", noise_uw, 1, 100000000),
	METER("gain-ppm", gain_ppm, 1, 500000),
	METER("drift-uw", drift_uw, 1, 100000000),
	{ NULL },
};

static int read_truth(struct reader *r, int node, struct board_cluster *cl,
		      struct err *err)
{
	int truth = fdt_subnode_offset(r->blob, node, "truth");
	unsigned int i;
	int ret;

	if (truth == -FDT_ERR_NOTFOUND)
		return 0;
	ret = props_read_fields(r->blob, truth, truth_fields, &cl->truth, err);
	if (ret)
		return ret;
	if (!cl->truth.dpc_uw_per_mhz_v2)
		return props_err(err, -EINVAL, r->blob, truth, truth_fields[0].name,
				 "is missing or 0");
	for (i = 0; i < cl->opp_count; i++)
		if (!cl->opps[i].volt_uv)
			return err_set(
				err, -EINVAL,
				"cluster '%s': %u kHz has no opp-microvolt, which its "
				"truth needs",
				cl->name, cl->opps[i].khz);
	cl->has_truth = true;
	return 0;
}

static bool cpu_taken(const struct board *b, const char *path)
{
	unsigned int c, i;

	for (c = 0; c <= b->cluster_count && c < BOARD_MAX_CLUSTERS; c++)
		for (i = 0; i < b->clusters[c].cpu_count; i++)
			if (!strcmp(b->clusters[c].paths[i], path))
				return true;
	return false;
}

static int read_cpus(struct reader *r, int node, struct board_cluster *cl,
		     struct err *err)
{
	static const char prop[] = "calib,cpus";
	const struct dt_cpu *first, *cpu;
	uint32_t cells[MAX_CELLS];
	int i, n, ret, index;

	n = props_cells(r->blob, node, prop, cells, MAX_CELLS, err);
	if (n < 0)
		return n;
	first = NULL;
	for (i = 0; i < n; i++) {
		index = reader_find_cpu(r, node, prop, cells[i], err);
		if (index < 0)
			return index;
		cpu = &r->cpus->cpus[index];
		if (cpu_taken(r->board, cpu->path))
			return props_err(err, -EINVAL, r->blob, node, prop,
					 "'%s' is in a cluster already", cpu->path);
		first = first ? first : cpu;
		if (strcmp(reader_opp_path(r->cpus, first),
			   reader_opp_path(r->cpus, cpu)) ||
		    strcmp(reader_core(first), reader_core(cpu)))
			return props_err(err, -EINVAL, r->blob, node, prop,
					 "'%s' and '%s' differ in core or OPP table",
					 first->path, cpu->path);
		ret = reader_add_cpu(r, cl, index, err);
		if (ret)
			return ret;
	}
	if (!cl->opp_count)
		return props_err(err, -EINVAL, r->blob, node, prop,
				 "'%s' has no operating points", cl->paths[0]);
	return 0;
}

static int read_cluster(struct reader *r, int node, struct err *err)
{
	struct board *b = r->board;
	struct board_cluster *cl;
	const char *p;
	int ret;

	if (b->cluster_count == BOARD_MAX_CLUSTERS)
		return err_set(err, -ERANGE, "more than %u clusters", BOARD_MAX_CLUSTERS);
	cl = &b->clusters[b->cluster_count];
	if (snprintf(cl->name, sizeof(cl->name), "%s",
		     fdt_get_name(r->blob, node, NULL)) >= (int)sizeof(cl->name))
		return props_err(err, -ERANGE, r->blob, node, NULL,
				 "the name is too long");
	for (p = cl->name; *p; p++)
		if (!reader_is_name(*p))
			return props_err(err, -EINVAL, r->blob, node, NULL,
					 "the name is not of letters, digits and ._+-");
	if (board_cluster(b, cl->name))
		return props_err(err, -EINVAL, r->blob, node, NULL, "is there twice");
	ret = read_cpus(r, node, cl, err);
	if (ret)
		return ret;
	ret = read_truth(r, node, cl, err);
	if (ret)
		return ret;
	b->cluster_count++;
	return 0;
}

static int read_clusters(struct reader *r, int calib, struct err *err)
{
	int node, list = fdt_subnode_offset(r->blob, calib, "clusters");
	int ret;

	if (list < 0)
		return props_err(err, -EINVAL, r->blob, calib, NULL,
				 "has no node 'clusters'");
	fdt_for_each_subnode(node, r->blob, list)
	{
		ret = read_cluster(r, node, err);
		if (ret)
			return ret;
	}
	if (!r->board->cluster_count)
		return props_err(err, -EINVAL, r->blob, list, NULL, "holds no cluster");
	return 0;
}

/* /calib/sensors */

static int read_kind(struct reader *r, int node, struct board_sensor *s, struct err *err)
{
	if (!fdt_node_check_compatible(r->blob, node, "calib,hwmon-sensor"))
		s->kind = BOARD_SENSOR_HWMON;
	else if (!fdt_node_check_compatible(r->blob, node, "calib,rapl-sensor"))
		s->kind = BOARD_SENSOR_RAPL;
	else
		return props_err(err, -EINVAL, r->blob, node, "compatible",
				 "is neither calib,hwmon-sensor nor calib,rapl-sensor");
	return 0;
}

static int read_measures(struct reader *r, int node, struct board_sensor *s,
			 struct err *err)
{
	static const char prop[] = "calib,measures";
	uint32_t cells[BOARD_MAX_CLUSTERS];
	char path[PROPS_PATH];
	unsigned int c;
	int i, n, target;

	n = props_cells(r->blob, node, prop, cells, BOARD_MAX_CLUSTERS, err);
	if (n == -ENOENT)
		return 0;
	if (n < 0)
		return n;
	for (i = 0; i < n; i++) {
		target = fdt_node_offset_by_phandle(r->blob, cells[i]);
		if (target < 0)
			return props_err(err, -EINVAL, r->blob, node, prop,
					 "phandle 0x%x is no node", cells[i]);
		props_path(r->blob, target, path);
		for (c = 0; c < r->board->cluster_count; c++)
			if (!strncmp(path, "/calib/clusters/", 16) &&
			    !strcmp(path + 16, r->board->clusters[c].name))
				break;
		if (c == r->board->cluster_count)
			return props_err(err, -EINVAL, r->blob, node, prop,
					 "'%s' is no cluster", path);
		s->clusters |= 1u << c;
	}
	return 0;
}

static int read_meter(struct reader *r, int node, struct board_sensor *s, struct err *err)
{
	int virt = fdt_subnode_offset(r->blob, node, "virtual");
	int ret;

	if (virt == -FDT_ERR_NOTFOUND)
		return 0;
	ret = props_read_fields(r->blob, virt, meter_fields, &s->meter, err);
	if (ret)
		return ret;
	if (!s->meter.period_us)
		return props_err(err, -EINVAL, r->blob, virt, meter_fields[0].name,
				 "is missing or 0");
	if (!s->meter.average)
		s->meter.average = 1;
	return 0;
}

static int read_sensor(struct reader *r, int node, struct err *err)
{
	struct board *b = r->board;
	struct board_sensor *s = &b->sensors[b->sensor_count];
	int ret;

	if (b->sensor_count == BOARD_MAX_SENSORS)
		return err_set(err, -ERANGE, "more than %u sensors", BOARD_MAX_SENSORS);
	ret = read_kind(r, node, s, err);
	if (!ret)
		ret = props_text(r->blob, node, "calib,chip", s->chip, sizeof(s->chip),
				 err);
	if (ret)
		return ret;
	ret = props_text(r->blob, node, "label", s->label, sizeof(s->label), err);
	if (ret && ret != -ENOENT)
		return ret;
	ret = props_u32(r->blob, node, "calib,address", &s->address, err);
	if (ret && ret != -ENOENT)
		return ret;
	s->has_address = !ret;
	ret = read_measures(r, node, s, err);
	if (ret)
		return ret;
	ret = read_meter(r, node, s, err);
	if (ret)
		return ret;
	b->sensor_count++;
	return 0;
}

static int read_sensors(struct reader *r, int calib, struct err *err)
{
	int node, list = fdt_subnode_offset(r->blob, calib, "sensors");
	int ret;

	if (list < 0)
		return 0;
	fdt_for_each_subnode(node, r->blob, list)
	{
		ret = read_sensor(r, node, err);
		if (ret)
			return ret;
	}
	return 0;
}

/* /calib itself */

static int read_ratio(struct reader *r, int calib, struct err *err)
{
	static const char prop[] = "calib,ratio-permille";
	struct board *b = r->board;
	uint32_t cells[2];
	int n, ret;

	n = props_cells(r->blob, calib, prop, cells, 2, err);
	if (n == -ENOENT)
		return 0;
	if (n < 0)
		return n;
	if (n != 2 || !cells[0] || cells[0] >= cells[1])
		return props_err(err, -EINVAL, r->blob, calib, prop,
				 "is not <least most> with 0 < least < most");
	ret = props_text(r->blob, calib, "calib,ratio-source", b->ratio_source,
			 sizeof(b->ratio_source), err);
	if (ret)
		return ret;
	b->has_ratio = true;
	b->ratio_min = cells[0] / 1000.0;
	b->ratio_max = cells[1] / 1000.0;
	return 0;
}

static int read_boot_cpu(struct reader *r, int calib, struct err *err)
{
	static const char prop[] = "calib,boot-cpu";
	uint32_t phandle;
	int ret;

	ret = props_u32(r->blob, calib, prop, &phandle, err);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	ret = reader_find_cpu(r, calib, prop, phandle, err);
	if (ret < 0)
		return ret;
	r->boot_cpu = ret;
	return 0;
}

int reader_calib(struct reader *r, int calib, struct err *err)
{
	struct board *b = r->board;
	int ret;

	if (fdt_node_check_compatible(r->blob, calib, "calib,board"))
		return props_err(err, -EINVAL, r->blob, calib, "compatible",
				 "is not calib,board");
	ret = props_text(r->blob, calib, "calib,soc", b->soc, sizeof(b->soc), err);
	if (ret && ret != -ENOENT)
		return ret;
	b->hybrid = fdt_getprop(r->blob, calib, "calib,hybrid", NULL) != NULL;
	ret = read_ratio(r, calib, err);
	if (ret)
		return ret;
	ret = read_boot_cpu(r, calib, err);
	if (ret)
		return ret;
	ret = read_clusters(r, calib, err);
	if (ret)
		return ret;
	reader_sort(b);
	return read_sensors(r, calib, err);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Board descriptions out of a compiled tree: the standard CPU bindings through dtcpus,
 * our own /calib node (boards/README.md) here.
 */
#include "boards/board.h"

#include <errno.h>
#include <libfdt.h>
#include <stdio.h>
#include <string.h>

#include "boards/board_props.h"

#define MAX_CELLS 64

/* What one reading of a tree works with. */
struct reader {
	const void *blob;
	struct dtcpus *cpus;
	int boot_cpu; /* index into cpus->cpus: Linux calls it CPU 0 */
	struct board *board;
};

/* Linux counts CPUs in node order, after the one that booted (smp_init_cpus()). */
static unsigned int cpu_number(const struct reader *r, int index)
{
	if (index == r->boot_cpu)
		return 0;
	return index < r->boot_cpu ? index + 1 : index;
}

static int find_cpu(const struct reader *r, int owner, const char *prop, uint32_t phandle,
		    struct err *err)
{
	int node = fdt_node_offset_by_phandle(r->blob, phandle);
	char path[PROPS_PATH];
	unsigned int i;

	if (node >= 0) {
		props_path(r->blob, node, path);
		for (i = 0; i < r->cpus->cpu_count; i++)
			if (!strcmp(r->cpus->cpus[i].path, path))
				return i;
	}
	return props_err(err, -EINVAL, r->blob, owner, prop,
			 "phandle 0x%x is no CPU node", phandle);
}

static int copy_text(char *out, size_t size, const char *text)
{
	return snprintf(out, size, "%s", text) < (int)size ? 0 : -ERANGE;
}

static const char *opp_path(const struct dtcpus *cpus, const struct dt_cpu *cpu)
{
	return cpu->domain < 0 ? "" : cpus->domains[cpu->domain].opp_path;
}

static const char *core_compatible(const struct dt_cpu *cpu)
{
	return cpu->compatible_count ? cpu->compatibles[0] : "";
}

static int take_opps(struct board_cluster *cl, const struct dtcpus *cpus,
		     const struct dt_cpu *cpu, struct err *err)
{
	const struct dt_domain *d;
	unsigned int i;

	if (cpu->domain < 0)
		return 0;
	d = &cpus->domains[cpu->domain];
	if (d->opp_count > BOARD_MAX_OPPS)
		return err_set(err, -ERANGE, "'%s' has %u operating points, more than %u",
			       d->opp_path, d->opp_count, BOARD_MAX_OPPS);
	for (i = 0; i < d->opp_count; i++) {
		if (d->opps[i].hz / 1000 > UINT32_MAX || d->opps[i].hz < 1000)
			return err_set(err, -ERANGE, "'%s': opp-hz %llu is out of range",
				       d->opp_path, (unsigned long long)d->opps[i].hz);
		cl->opps[i].khz = d->opps[i].hz / 1000;
		cl->opps[i].volt_uv = d->opps[i].has_volt ? d->opps[i].volt_uv : 0;
	}
	cl->opp_count = d->opp_count;
	return 0;
}

/* Put CPU @index into the cluster; the first one decides core, capacity and OPPs. */
static int add_cpu(struct reader *r, struct board_cluster *cl, int index, struct err *err)
{
	const struct dt_cpu *cpu = &r->cpus->cpus[index];
	unsigned int n = cl->cpu_count;
	int ret;

	if (n == BOARD_MAX_CPUS)
		return err_set(err, -ERANGE, "cluster '%s' has more than %u CPUs",
			       cl->name, BOARD_MAX_CPUS);
	if (copy_text(cl->paths[n], sizeof(cl->paths[n]), cpu->path))
		return err_set(err, -ERANGE, "CPU node path '%s' is too long", cpu->path);
	if (!n) {
		if (copy_text(cl->compatible, sizeof(cl->compatible),
			      core_compatible(cpu)))
			return err_set(err, -ERANGE, "'%s': compatible is too long",
				       cpu->path);
		cl->capacity_dmips_mhz = cpu->has_capacity ? cpu->capacity_dmips_mhz : 0;
		ret = take_opps(cl, r->cpus, cpu, err);
		if (ret)
			return ret;
	}
	cl->cpus[n] = cpu_number(r, index);
	cl->reg[n] = cpu->reg;
	cl->cpu_count++;
	return 0;
}

/* A tree without /calib */

/* "arm,cortex-a15" is called "a15", "apple,icestorm" "icestorm". */
static void name_cluster(struct board *b, struct board_cluster *cl,
			 const char *compatible)
{
	const char *core = strchr(compatible, ',');
	char base[sizeof(cl->name) - 4];
	unsigned int i;

	core = core ? core + 1 : compatible;
	if (!strncmp(core, "cortex-", 7))
		core += 7;
	snprintf(base, sizeof(base), "%s", *core ? core : "cpu");
	snprintf(cl->name, sizeof(cl->name), "%s", base);
	for (i = 2; board_cluster(b, cl->name); i++)
		snprintf(cl->name, sizeof(cl->name), "%s-%u", base, i);
}

static bool same_cluster(const struct dtcpus *cpus, const struct dt_cpu *a,
			 const struct dt_cpu *b)
{
	const struct dt_domain *d = a->domain < 0 ? NULL : &cpus->domains[a->domain];

	/* Tables of their own, though alike, are clocks of their own. */
	if (d && !d->shared)
		return a == b;
	return !strcmp(opp_path(cpus, a), opp_path(cpus, b)) &&
	       !strcmp(core_compatible(a), core_compatible(b));
}

static int clusters_of_tree(struct reader *r, struct err *err)
{
	const struct dtcpus *cpus = r->cpus;
	struct board *b = r->board;
	int first[BOARD_MAX_CLUSTERS]; /* CPU that began the cluster */
	struct board_cluster *cl;
	unsigned int i, c;
	int ret;

	for (i = 0; i < cpus->cpu_count; i++) {
		if (!cpus->cpus[i].enabled)
			continue;
		for (c = 0; c < b->cluster_count; c++)
			if (same_cluster(cpus, &cpus->cpus[first[c]], &cpus->cpus[i]))
				break;
		if (c == BOARD_MAX_CLUSTERS)
			return err_set(err, -ERANGE, "more than %u clusters",
				       BOARD_MAX_CLUSTERS);
		cl = &b->clusters[c];
		if (c == b->cluster_count) {
			name_cluster(b, cl, core_compatible(&cpus->cpus[i]));
			first[c] = i;
			b->cluster_count++;
		}
		ret = add_cpu(r, cl, i, err);
		if (ret)
			return ret;
	}
	if (!b->cluster_count)
		return err_set(err, -ENOENT, "no CPU node is enabled");
	return 0;
}

/* /calib/clusters */

static const struct props_field truth_fields[] = {
#define FIELD(name, member)                                                              \
	{                                                                                \
		name, offsetof(struct board_truth, member)                               \
	}
	FIELD("calib,dpc-uw-per-mhz-v2", dpc_uw_per_mhz_v2),
	FIELD("calib,uncore-uw-per-mhz-v2", uncore_uw_per_mhz_v2),
	FIELD("calib,leak-uw-per-v3", leak_uw_per_v3),
	FIELD("calib,leak-ppm-per-k", leak_ppm_per_k),
	FIELD("calib,leak-ref-mc", leak_ref_mc),
	FIELD("calib,board-uw", board_uw),
	FIELD("calib,droop-uohm", droop_uohm),
	FIELD("calib,thermal-mk-per-w", thermal_mk_per_w),
	FIELD("calib,thermal-tau-ms", thermal_tau_ms),
	FIELD("calib,ambient-mc", ambient_mc),
	FIELD("calib,throttle-mc", throttle_mc),
	FIELD("calib,temp-lsb-mc", temp_lsb_mc),
	FIELD("calib,background-ppm", background_ppm),
	FIELD("calib,work-per-mhz", work_per_mhz),
#undef FIELD
	{ NULL },
};

static const struct props_field meter_fields[] = {
#define FIELD(name, member)                                                              \
	{                                                                                \
		name, offsetof(struct board_meter, member)                               \
	}
	FIELD("calib,period-us", period_us),
	FIELD("calib,average", average),
	FIELD("calib,power-lsb-uw", power_lsb_uw),
	FIELD("calib,volt-lsb-uv", volt_lsb_uv),
	FIELD("calib,noise-ppm", noise_ppm),
	FIELD("calib,noise-uw", noise_uw),
	FIELD("calib,gain-ppm", gain_ppm),
	FIELD("calib,drift-uw", drift_uw),
#undef FIELD
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
		index = find_cpu(r, node, prop, cells[i], err);
		if (index < 0)
			return index;
		cpu = &r->cpus->cpus[index];
		if (cpu_taken(r->board, cpu->path))
			return props_err(err, -EINVAL, r->blob, node, prop,
					 "'%s' is in a cluster already", cpu->path);
		first = first ? first : cpu;
		if (strcmp(opp_path(r->cpus, first), opp_path(r->cpus, cpu)) ||
		    strcmp(core_compatible(first), core_compatible(cpu)))
			return props_err(err, -EINVAL, r->blob, node, prop,
					 "'%s' and '%s' differ in core or OPP table",
					 first->path, cpu->path);
		ret = add_cpu(r, cl, index, err);
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
	int ret;

	if (b->cluster_count == BOARD_MAX_CLUSTERS)
		return err_set(err, -ERANGE, "more than %u clusters", BOARD_MAX_CLUSTERS);
	cl = &b->clusters[b->cluster_count];
	if (copy_text(cl->name, sizeof(cl->name), fdt_get_name(r->blob, node, NULL)))
		return props_err(err, -ERANGE, r->blob, node, NULL,
				 "the name is too long");
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

static uint64_t strength(const struct board_cluster *cl)
{
	uint64_t khz = cl->opp_count ? cl->opps[cl->opp_count - 1].khz : 0;

	return cl->capacity_dmips_mhz * khz;
}

/* Little first; equals stay in the tree's order. */
static void sort_clusters(struct board *b)
{
	struct board_cluster tmp;
	unsigned int i, j;

	for (i = 1; i < b->cluster_count; i++) {
		for (j = i; j; j--) {
			if (strength(&b->clusters[j - 1]) <= strength(&b->clusters[j]))
				break;
			tmp = b->clusters[j];
			b->clusters[j] = b->clusters[j - 1];
			b->clusters[j - 1] = tmp;
		}
	}
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
	ret = find_cpu(r, calib, prop, phandle, err);
	if (ret < 0)
		return ret;
	r->boot_cpu = ret;
	return 0;
}

static int read_calib(struct reader *r, int calib, struct err *err)
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
	sort_clusters(b);
	return read_sensors(r, calib, err);
}

static int read_board(struct reader *r, const char *name, struct err *err)
{
	struct board *b = r->board;
	int calib, ret;

	snprintf(b->name, sizeof(b->name), "%s", name);
	if (r->cpus->model)
		snprintf(b->model, sizeof(b->model), "%s", r->cpus->model);
	if (r->cpus->root_compatible_count)
		snprintf(b->compatible, sizeof(b->compatible), "%s",
			 r->cpus->root_compatibles[0]);

	calib = fdt_path_offset(r->blob, "/calib");
	if (calib >= 0)
		return read_calib(r, calib, err);
	ret = clusters_of_tree(r, err);
	if (!ret)
		sort_clusters(b);
	return ret;
}

int board_from_blob(const void *blob, size_t size, const char *name, struct board *board,
		    struct err *err)
{
	struct reader r = { .blob = blob, .board = board };
	int ret;

	memset(board, 0, sizeof(*board));
	ret = dtcpus_check_blob(blob, size, err);
	if (ret)
		return ret;
	r.cpus = dtcpus_new();
	if (!r.cpus)
		return err_set(err, -ENOMEM, "out of memory");
	ret = dtcpus_read(blob, r.cpus, err);
	if (!ret)
		ret = read_board(&r, name, err);
	dtcpus_free(r.cpus);
	return ret;
}

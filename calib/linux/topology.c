// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From cpufreq policies and CPU nodes to named clusters.
 */
#include "calib/linux/topology.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/hotplug.h"
#include "lib/cpulist.h"

const struct topology_hybrid topology_hybrids[] = {
	{ "cpu_core", "p" }, { "cpu_atom", "e" }, { "cpu_lowpower", "lp" }, { NULL }
};

/* What is known of one CPU's core. */
struct core {
	char compatible[64];
	char type[16]; /* "p", "e", "lp": Intel hybrid */
	bool has_reg;
	uint64_t reg;
	uint32_t capacity_dmips_mhz;
};

static int node_bytes(const struct sysfs *sys, unsigned int cpu, const char *prop,
		      void *out, size_t size, size_t *len)
{
	char path[SYSFS_PATH];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/of_node/%s", cpu,
		 prop);
	return sysfs_read_bytes(sys, path, out, size, len, NULL);
}

bool topology_cpu_reg(const struct sysfs *sys, unsigned int cpu, uint64_t *reg)
{
	unsigned char cells[8] = { 0 };
	uint64_t reg64;
	uint32_t cell;
	size_t len;

	if (node_bytes(sys, cpu, "reg", cells, sizeof(cells), &len) ||
	    (len != 4 && len != 8))
		return false;
	memcpy(&cell, cells, 4);
	memcpy(&reg64, cells, 8);
	*reg = len == 4 ? be32toh(cell) : be64toh(reg64);
	return true;
}

/* The CPU's own node, by the link the kernel makes. */
static bool core_from_link(const struct sysfs *sys, unsigned int cpu, struct core *core)
{
	char compatible[256];
	uint32_t cell;
	size_t len;

	if (node_bytes(sys, cpu, "compatible", compatible, sizeof(compatible) - 1, &len))
		return false;
	compatible[len] = '\0';
	snprintf(core->compatible, sizeof(core->compatible), "%.63s", compatible);
	core->has_reg = topology_cpu_reg(sys, cpu, &core->reg);
	if (!node_bytes(sys, cpu, "capacity-dmips-mhz", &cell, 4, &len) && len == 4)
		core->capacity_dmips_mhz = be32toh(cell);
	return true;
}

static void core_from_tree(const struct dtcpus *tree, unsigned int cpu, struct core *core)
{
	const struct dt_cpu *dt;

	if (!tree || cpu >= tree->cpu_count)
		return;
	dt = &tree->cpus[cpu];
	if (dt->compatible_count)
		snprintf(core->compatible, sizeof(core->compatible), "%.63s",
			 dt->compatibles[0]);
	core->has_reg = true;
	core->reg = dt->reg;
	if (dt->has_capacity)
		core->capacity_dmips_mhz = dt->capacity_dmips_mhz;
}

static bool pmu_has_cpu(const struct sysfs *sys, const char *pmu, unsigned int cpu)
{
	unsigned int cpus[CPULIST_MAX];
	char path[SYSFS_PATH], text[SYSFS_TEXT];
	int i, n;

	snprintf(path, sizeof(path), "/sys/devices/%s/cpus", pmu);
	if (sysfs_read(sys, path, text, sizeof(text), NULL))
		return false;
	n = cpulist_parse(text, cpus, CPULIST_MAX);
	for (i = 0; i < n; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

static void core_read(const struct sysfs *sys, const struct dtcpus *tree,
		      unsigned int cpu, struct core *core)
{
	memset(core, 0, sizeof(*core));
	if (!core_from_link(sys, cpu, core))
		core_from_tree(tree, cpu, core);
	for (size_t i = 0; topology_hybrids[i].pmu && !core->type[0]; i++)
		if (pmu_has_cpu(sys, topology_hybrids[i].pmu, cpu))
			strcpy(core->type, topology_hybrids[i].name);
}

/* "arm,cortex-a15" -> "a15", "qcom,kryo385" -> "kryo385"; "" when it says no core. */
static void core_name(const struct core *core, char *out, size_t size)
{
	const char *name = strchr(core->compatible, ',');
	size_t i;

	out[0] = '\0';
	if (core->type[0]) {
		snprintf(out, size, "%s", core->type);
		return;
	}
	name = name ? name + 1 : core->compatible;
	if (!strcmp(name, "armv8") || !strcmp(name, "riscv"))
		return;
	if (!strncmp(name, "cortex-", 7))
		name += 7;
	/* It becomes a CSV field and part of file names. */
	for (i = 0; name[i] && i < size - 1; i++)
		out[i] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"0123456789-_.",
				name[i])
				 ? name[i]
				 : '-';
	out[i] = '\0';
}

static bool same_clocks(const struct cpufreq_policy *a, const struct cpufreq_policy *b)
{
	return a->min_khz == b->min_khz && a->max_khz == b->max_khz &&
	       a->khz_count == b->khz_count && !strcmp(a->driver, b->driver) &&
	       !memcmp(a->khz, b->khz, a->khz_count * sizeof(*a->khz));
}

/* The cluster that a policy of one CPU belongs to, or NULL. */
static struct topology_cluster *same_cluster(struct topology *topo, const char *name,
					     const struct core *core,
					     const struct cpufreq_policy *p)
{
	struct topology_cluster *c;
	unsigned int i;

	if (p->related_count != 1)
		return NULL;
	for (i = 0; i < topo->cluster_count; i++) {
		c = &topo->clusters[i];
		if (c->policies[0].related_count == 1 && !strcmp(c->name, name) &&
		    !strcmp(c->compatible, core->compatible) &&
		    c->capacity_dmips_mhz == core->capacity_dmips_mhz &&
		    same_clocks(&c->policies[0], p) && c->policy_count < BOARD_MAX_CPUS)
			return c;
	}
	return NULL;
}

static int add_cpus(const struct sysfs *sys, const struct dtcpus *tree,
		    const struct cpufreq_policy *p, struct topology_cluster *c,
		    struct err *err)
{
	struct core core;
	unsigned int i;

	for (i = 0; i < p->online_count; i++) {
		if (c->cpu_count == BOARD_MAX_CPUS)
			return err_set(err, -ERANGE, "cluster '%s' has more than %d CPUs",
				       c->name, BOARD_MAX_CPUS);
		core_read(sys, tree, p->online[i], &core);
		if (core.has_reg && c->reg_count == c->cpu_count)
			c->reg[c->reg_count++] = core.reg;
		c->cpus[c->cpu_count++] = p->online[i];
	}
	if (c->reg_count != c->cpu_count)
		c->reg_count = 0;
	return 0;
}

/* Two policies of one CPU would set its clock in turn. */
static int check_not_twice(const struct topology *topo, const struct cpufreq_policy *p,
			   struct err *err)
{
	for (unsigned int i = 0; i < topo->cluster_count; i++) {
		const struct topology_cluster *c = &topo->clusters[i];

		for (unsigned int j = 0; j < c->cpu_count; j++)
			for (unsigned int k = 0; k < p->online_count; k++)
				if (c->cpus[j] == p->online[k])
					return err_set(
						err, -EINVAL,
						"policy%u: its CPU %u is in "
						"another policy too, of cluster '%s'",
						p->id, p->online[k], c->name);
	}
	return 0;
}

static int add_policy(const struct sysfs *sys, const struct dtcpus *tree,
		      const struct cpufreq_policy *p, struct topology *topo,
		      struct err *err)
{
	struct topology_cluster *c;
	struct core core;
	char name[32];
	int ret;

	ret = check_not_twice(topo, p, err);
	if (ret)
		return ret;
	core_read(sys, tree, p->online[0], &core);
	core_name(&core, name, sizeof(name));
	c = same_cluster(topo, name, &core, p);
	if (!c && topo->cluster_count == BOARD_MAX_CLUSTERS)
		return err_set(err, -ERANGE, "more than %d clusters", BOARD_MAX_CLUSTERS);
	if (!c) {
		c = &topo->clusters[topo->cluster_count++];
		strcpy(c->name, name);
		strcpy(c->compatible, core.compatible);
		c->capacity_dmips_mhz = core.capacity_dmips_mhz;
	}
	c->policies[c->policy_count++] = *p;
	return add_cpus(sys, tree, p, c, err);
}

static bool name_taken_twice(const struct topology *topo, unsigned int i)
{
	unsigned int j;

	for (j = 0; j < topo->cluster_count; j++)
		if (j != i && !strcmp(topo->clusters[i].name, topo->clusters[j].name))
			return true;
	return false;
}

static void make_names_unique(struct topology *topo)
{
	bool twice[BOARD_MAX_CLUSTERS];
	struct topology_cluster *c;
	char base[16];
	unsigned int i;

	for (i = 0; i < topo->cluster_count; i++)
		twice[i] = name_taken_twice(topo, i);
	for (i = 0; i < topo->cluster_count; i++) {
		c = &topo->clusters[i];
		snprintf(base, sizeof(base), "%.14s", c->name);
		if (!c->name[0])
			snprintf(c->name, sizeof(c->name), "policy%u", c->policies[0].id);
		else if (twice[i])
			snprintf(c->name, sizeof(c->name), "%s-policy%u", base,
				 c->policies[0].id);
	}
}

/* Is the CPU, online or not, of a policy that has an online one? */
static bool is_of_cluster(const struct topology *topo, unsigned int cpu)
{
	for (unsigned int i = 0; i < topo->cluster_count; i++) {
		const struct topology_cluster *c = &topo->clusters[i];

		for (unsigned int j = 0; j < c->policy_count; j++)
			for (unsigned int k = 0; k < c->policies[j].related_count; k++)
				if (c->policies[j].related[k] == cpu)
					return true;
	}
	return false;
}

/* CPUs of offline policies, and those that were never online and so have no policy. */
static void find_asleep(const struct sysfs *sys, const struct dtcpus *tree,
			struct topology *topo)
{
	unsigned int cpus[CPULIST_MAX];
	struct core core;
	int n;

	n = sysfs_indices(sys, "/sys/devices/system/cpu", "cpu", cpus, CPULIST_MAX, NULL);
	for (int i = 0; i < n && topo->asleep_count < BOARD_MAX_CPUS; i++) {
		if (!hotplug_is_offline(sys, cpus[i]) || is_of_cluster(topo, cpus[i]))
			continue;
		core_read(sys, tree, cpus[i], &core);
		core_name(&core, topo->asleep_core[topo->asleep_count],
			  sizeof(topo->asleep_core[0]));
		topo->asleep[topo->asleep_count++] = cpus[i];
	}
}

int topology_read(const struct sysfs *sys, const struct dtcpus *tree, bool with_offline,
		  struct topology *topo, struct err *err)
{
	unsigned int ids[CPUFREQ_MAX_POLICIES];
	struct cpufreq_policy p;
	int i, n, ret;

	memset(topo, 0, sizeof(*topo));
	n = cpufreq_list(sys, ids, err);
	if (n < 0)
		return n;
	for (i = 0; i < n; i++) {
		ret = cpufreq_read(sys, ids[i], &p, err);
		if (ret)
			return ret;
		if (!p.online_count) {
			topo->offline[topo->offline_count++] = ids[i];
			continue;
		}
		if (with_offline)
			cpufreq_count_offline(sys, &p);
		ret = add_policy(sys, tree, &p, topo, err);
		if (ret)
			return ret;
	}
	if (!topo->cluster_count)
		return err_set(
			err, -ENODEV,
			"all CPUs of all %d cpufreq policies are offline; write 1 to "
			"/sys/devices/system/cpu/cpuN/online",
			n);
	make_names_unique(topo);
	find_asleep(sys, tree, topo);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Capacities of CPUs and power of OPPs, from coeffs.json.
 */
#include "fdtedit/extra.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <libfdt.h>

#define CAPACITY  "capacity-dmips-mhz"
#define OPP_POWER "opp-microwatt"

/* The kernel drops the capacities of all CPUs when one has none
 * (topology_parse_cpu_capacity(), drivers/base/arch_topology.c). */
int extra_capacity(const struct extra *x, struct changes *out, struct err *err)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < x->cpus->cpu_count; i++) {
		const char *path = x->cpus->cpus[i].path;
		const struct coeffs_cluster *cl;

		if (x->edits->cluster[i] < 0)
			return err_set(
				err, -EINVAL,
				"--capacity is for all CPUs or none, and no cluster "
				"matches CPU node '%s'",
				path);
		cl = &x->c->clusters[x->edits->cluster[i]];
		if (!cl->has_capacity)
			return err_set(
				err, -EINVAL,
				"--capacity is for all CPUs or none, and cluster "
				"'%s' has no " CAPACITY
				"; fit runs of all clusters with one load together",
				cl->name);
		ret = changes_set_u32(out, path, CAPACITY, cl->capacity_dmips_mhz,
				      cl->name, err);
	}
	return ret;
}

/* One OPP table, and whose values it gets. */
struct table {
	const struct extra *x;
	const char *path;
	const struct coeffs_cluster *cl;
	bool used[COEFFS_MAX_OPPS];
	struct changes *out;
};

static const struct coeffs_opp *find_opp(const struct coeffs_cluster *cl, uint64_t hz)
{
	for (unsigned int i = 0; i < cl->opp_count; i++)
		if (cl->opps[i].hz == hz && cl->opps[i].opp_uw)
			return &cl->opps[i];
	return NULL;
}

static bool same_power(const struct coeffs_cluster *a, const struct coeffs_cluster *b)
{
	for (unsigned int i = 0; i < a->opp_count; i++) {
		const struct coeffs_opp *o = find_opp(b, a->opps[i].hz);

		if (a->opps[i].opp_uw != (o ? o->opp_uw : 0))
			return false;
	}
	return true;
}

/* All CPUs that use the table must agree on its power. */
static int check_users(const struct table *t, struct err *err)
{
	const struct dtcpus *d = t->x->cpus;

	for (unsigned int i = 0; i < d->cpu_count; i++) {
		const struct dt_cpu *cpu = &d->cpus[i];
		const struct coeffs_cluster *cl;

		if (cpu->domain < 0 || strcmp(d->domains[cpu->domain].opp_path, t->path))
			continue;
		if (t->x->edits->cluster[i] < 0)
			return err_set(err, -EINVAL,
				       "'%s': CPU node '%s' uses this OPP table as well, "
				       "and no cluster matches it",
				       t->path, cpu->path);
		cl = &t->x->c->clusters[t->x->edits->cluster[i]];
		if (!same_power(t->cl, cl) || !same_power(cl, t->cl))
			return err_set(
				err, -EINVAL,
				"'%s': clusters '%s' and '%s' share this OPP table, "
				"and their " OPP_POWER " differ",
				t->path, t->cl->name, cl->name);
	}
	return 0;
}

/* The kernel wants one value per regulator (opp_parse_supplies(), drivers/opp/of.c), and
 * a measured one cannot be told apart. */
static int check_regulators(const struct table *t, const struct dt_domain *dom,
			    struct err *err)
{
	if (dom->regulators == 1)
		return 0;
	if (dom->regulators)
		return err_set(err, -EINVAL,
			       "'%s': its voltages are of %u regulators, each of which "
			       "needs its own " OPP_POWER
			       "; write them with 'fdtedit set'",
			       t->path, dom->regulators);
	if (dom->regulators_differ)
		return err_set(err, -EINVAL,
			       "'%s': its OPPs have values of different numbers of "
			       "regulators; make them agree first",
			       t->path);
	return err_set(
		err, -EINVAL,
		"'%s': nothing tells whether opp-microvolt is <target min max> or "
		"of several regulators (a CPU node has %u supplies), each of which "
		"needs its own " OPP_POWER "; write them with 'fdtedit set'",
		t->path, dom->supplies);
}

/* It takes opp-microwatt-<name> first. */
static int check_opp(const void *blob, int node, const char *path, struct err *err)
{
	const char *name;
	int prop;

	fdt_for_each_property_offset(prop, blob, node)
	{
		if (fdt_getprop_by_offset(blob, prop, &name, NULL) &&
		    !strncmp(name, OPP_POWER "-", strlen(OPP_POWER "-")))
			return err_set(err, -EINVAL,
				       "'%s': %s is there, which the kernel takes first; "
				       "write it with 'fdtedit set', or delete it",
				       path, name);
	}
	return 0;
}

/* As of_device_is_available(): the kernel passes over the others. */
static bool is_enabled(const void *blob, int node)
{
	const char *status = fdt_getprop(blob, node, "status", NULL);

	return !status || !strcmp(status, "okay") || !strcmp(status, "ok");
}

static int add_opp(struct table *t, int node, struct err *err)
{
	const void *blob = t->x->tree->file.data;
	const struct coeffs_opp *o;
	const void *hz;
	char path[256];
	int len, ret;

	ret = snprintf(path, sizeof(path), "%s/%s", t->path,
		       fdt_get_name(blob, node, NULL));
	if ((size_t)ret >= sizeof(path))
		return err_set(err, -EINVAL, "'%s': path too long", t->path);
	hz = fdt_getprop(blob, node, "opp-hz", &len);
	o = hz && len >= 8 ? find_opp(t->cl, fdt64_ld(hz)) : NULL;
	if (!o && !is_enabled(blob, node))
		return 0;
	if (!hz || len < 8)
		return err_set(err, -EINVAL,
			       "'%s' has no opp-hz; " OPP_POWER
			       " is for all OPPs of a table or none",
			       path);
	if (!o)
		return err_set(err, -EINVAL,
			       "'%s': cluster '%s' has no " OPP_POWER " for %" PRIu64
			       " Hz; it is for all OPPs of a table or none",
			       path, t->cl->name, fdt64_ld(hz));
	ret = check_opp(blob, node, path, err);
	if (ret)
		return ret;
	t->used[o - t->cl->opps] = true;
	return changes_set_u32(t->out, path, OPP_POWER, o->opp_uw, t->cl->name, err);
}

static int add_table(struct table *t, const struct dt_domain *dom, struct err *err)
{
	const void *blob = t->x->tree->file.data;
	int table, node, ret = check_users(t, err);

	if (!ret)
		ret = check_regulators(t, dom, err);
	if (ret)
		return ret;
	table = dtb_node(blob, t->path, err);
	if (table < 0)
		return table;
	fdt_for_each_subnode(node, blob, table)
	{
		ret = add_opp(t, node, err);
		if (ret)
			return ret;
	}
	for (unsigned int i = 0; i < t->cl->opp_count; i++)
		if (t->cl->opps[i].opp_uw && !t->used[i])
			return err_set(err, -EINVAL,
				       "cluster '%s': " OPP_POWER " of %" PRIu64
				       " Hz is of no OPP in '%s'",
				       t->cl->name, t->cl->opps[i].hz, t->path);
	edits_note(t->x->edits,
		   "'%s': the kernel takes " OPP_POWER
		   " from now on and ignores the coefficient of cluster '%s'",
		   t->path, t->cl->name);
	return 0;
}

/* Is CPU node @cpu the first one that is matched and uses its table? */
static bool leads_table(const struct extra *x, unsigned int cpu)
{
	const char *path = x->cpus->domains[x->cpus->cpus[cpu].domain].opp_path;

	for (unsigned int i = 0; i < cpu; i++) {
		int domain = x->cpus->cpus[i].domain;

		if (x->edits->cluster[i] >= 0 && domain >= 0 &&
		    !strcmp(x->cpus->domains[domain].opp_path, path))
			return false;
	}
	return true;
}

int extra_opp_power(const struct extra *x, struct changes *out, struct err *err)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < x->cpus->cpu_count; i++) {
		const struct dt_cpu *cpu = &x->cpus->cpus[i];
		struct table t = { .x = x, .out = out };

		if (x->edits->cluster[i] < 0)
			continue;
		if (cpu->domain < 0 || !x->cpus->domains[cpu->domain].opp_path[0])
			return err_set(err, -EINVAL,
				       "CPU node '%s' has no OPP table, so no place "
				       "for " OPP_POWER,
				       cpu->path);
		if (!leads_table(x, i))
			continue;
		t.path = x->cpus->domains[cpu->domain].opp_path;
		t.cl = &x->c->clusters[x->edits->cluster[i]];
		ret = add_table(&t, &x->cpus->domains[cpu->domain], err);
	}
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sustainable power of thermal zones, which was found with the CPUs' old power.
 */
#include "fdtedit/extra.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/cooling.h"

#define POWER "sustainable-power"

/*
 * What the coefficients of a zone's CPUs change by. Both numbers of each are rounded, so
 * each leaves a range, and they agree where the ranges do.
 */
struct factor {
	const struct extra *x;
	const char *zone;
	double old_sum, new_sum;
	double low, high;
	char said[160]; /* "1.115 (a7), 0.9 (a15)" */
	bool matched;	/* a cluster's CPU is among them */
	bool others;	/* and something that is no CPU */
	unsigned int seen[DTCPUS_MAX_CPUS], seen_count;
};

/* The value of the domain's first CPU stands for those that have none. */
static bool old_value(const struct dtcpus *d, unsigned int cpu, uint32_t *value)
{
	const struct dt_cpu *c = &d->cpus[cpu];

	if (!c->has_dpc && c->domain >= 0)
		c = &d->cpus[d->domains[c->domain].cpus[0]];
	*value = c->dpc_uw_per_mhz_v2;
	return c->has_dpc && c->dpc_uw_per_mhz_v2;
}

static void say(struct factor *f, double factor, const char *name)
{
	size_t len = strlen(f->said);
	char text[64];

	snprintf(text, sizeof(text), "%.4g (%s)", factor, name);
	if (!strstr(f->said, text))
		snprintf(f->said + len, sizeof(f->said) - len, "%s%s", len ? ", " : "",
			 text);
}

static int add_cpu(struct factor *f, unsigned int cpu, struct err *err)
{
	int index = f->x->edits->cluster[cpu];
	const struct coeffs_cluster *cl = index < 0 ? NULL : &f->x->c->clusters[index];
	const char *path = f->x->cpus->cpus[cpu].path;
	uint32_t old, new;

	for (unsigned int i = 0; i < f->seen_count; i++)
		if (f->seen[i] == cpu)
			return 0;
	f->seen[f->seen_count++] = cpu;
	if (!old_value(f->x->cpus, cpu, &old)) {
		if (!cl)
			return 0;
		return err_set(
			err, -EINVAL,
			"'%s': " POWER " cannot be rescaled: CPU node '%s' had no "
			"coefficient; leave --scale-sustainable-power out and write "
			"it with 'fdtedit set'",
			f->zone, path);
	}
	new = cl ? cl->dpc_uw_per_mhz_v2 : old;
	f->matched |= cl != NULL;
	f->old_sum += old;
	f->new_sum += new;
	f->low = fmax(f->low, (new - 0.5) / (old + 0.5));
	f->high = fmin(f->high, (new + 0.5) / (old - 0.5));
	say(f, (double)new / old, cl ? cl->name : path);
	return 0;
}

/* A cooling device by its phandle: a CPU node, or something else. */
static int add_device(struct factor *f, int node, struct err *err)
{
	const void *blob = f->x->tree->file.data;

	for (unsigned int i = 0; i < f->x->cpus->cpu_count; i++)
		if (dtb_node(blob, f->x->cpus->cpus[i].path, NULL) == node)
			return add_cpu(f, i, err);
	f->others = true;
	return 0;
}

static int add_map(struct factor *f, int map, struct err *err)
{
	const void *blob = f->x->tree->file.data;
	struct cooling dev;
	int len, at = 0, more, ret = 0;
	const char *list = fdt_getprop(blob, map, "cooling-device", &len);

	while (!ret && (more = cooling_next(blob, list, len, &at, &dev))) {
		if (more < 0)
			return err_set(err, more,
				       "'%s': cooling-device points to no node", f->zone);
		ret = add_device(f, dev.node, err);
	}
	return ret;
}

static int read_zone(struct factor *f, int zone, struct err *err)
{
	const void *blob = f->x->tree->file.data;
	int maps = fdt_subnode_offset(blob, zone, "cooling-maps");
	int map, ret = 0;

	if (maps < 0)
		return 0;
	fdt_for_each_subnode(map, blob, maps)
	{
		ret = add_map(f, map, err);
		if (ret)
			return ret;
	}
	return 0;
}

static int rescale(struct factor *f, uint32_t old, struct changes *out, struct err *err)
{
	double factor = f->new_sum / f->old_sum;
	double new = round(old * factor);
	char why[64];

	if (f->low > f->high)
		return err_set(
			err, -EINVAL,
			"'%s': the coefficients of its CPUs change by other factors "
			"each, %s; leave --scale-sustainable-power out and write "
			"its " POWER " (now %" PRIu32 ") with 'fdtedit set'",
			f->zone, f->said, old);
	if (new < 1 || new > UINT32_MAX)
		return err_set(err, -EINVAL,
			       "'%s': " POWER " %" PRIu32 " times %.4g is not in 1..%u",
			       f->zone, old, factor, UINT32_MAX);
	if (f->others)
		edits_note(f->x->edits,
			   "'%s' cools other devices than CPUs as well; their share "
			   "of " POWER " is rescaled too",
			   f->zone);
	snprintf(why, sizeof(why), "factor %.4g", factor);
	return changes_set_u32(out, f->zone, POWER, (uint32_t) new, why, err);
}

static int add_zone(const struct extra *x, int zone, unsigned int *found,
		    struct changes *out, struct err *err)
{
	const void *blob = x->tree->file.data;
	struct factor f = { .x = x, .high = INFINITY };
	char path[256];
	const void *power;
	int len, ret;

	ret = fdt_get_path(blob, zone, path, sizeof(path));
	if (ret)
		return err_set(err, -EINVAL, "thermal zone: %s", fdt_strerror(ret));
	power = fdt_getprop(blob, zone, POWER, &len);
	if (!power)
		return 0;
	f.zone = path;
	if (len != 4)
		return err_set(err, -EINVAL,
			       "'%s': " POWER " holds %d bytes, not one 32-bit number",
			       path, len);
	ret = read_zone(&f, zone, err);
	if (ret || !f.matched)
		return ret;
	++*found;
	return rescale(&f, fdt32_ld((const fdt32_t *)power), out, err);
}

int extra_sustainable(const struct extra *x, struct changes *out, struct err *err)
{
	const void *blob = x->tree->file.data;
	int zones = dtb_node(blob, "/thermal-zones", NULL);
	unsigned int found = 0;
	int zone, ret;

	if (zones >= 0) {
		fdt_for_each_subnode(zone, blob, zones)
		{
			ret = add_zone(x, zone, &found, out, err);
			if (ret)
				return ret;
		}
	}
	if (!found)
		edits_note(x->edits, "no thermal zone with " POWER
				     " cools these CPUs: nothing to rescale");
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read OPP tables out of a flattened device tree.
 */
#include "lib/dtcpus_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <libfdt.h>

static void add_bin(struct dt_domain *dom, const char *bin)
{
	unsigned int i;

	for (i = 0; i < dom->volt_bin_count; i++)
		if (!strcmp(dom->volt_bins[i], bin))
			return;
	if (i == DTCPUS_MAX_BINS || strlen(bin) >= sizeof(dom->volt_bins[0]))
		return;
	strcpy(dom->volt_bins[dom->volt_bin_count++], bin);
}

/* Has the OPP opp-microvolt-<bin>? The names are kept in @dom. */
static bool read_bins(const void *blob, int node, struct dt_domain *dom)
{
	static const char prefix[] = "opp-microvolt-";
	const size_t len = sizeof(prefix) - 1;
	bool found = false;
	const char *name;
	int prop;

	fdt_for_each_property_offset(prop, blob, node)
	{
		if (!fdt_getprop_by_offset(blob, prop, &name, NULL) ||
		    strncmp(name, prefix, len))
			continue;
		found = true;
		add_bin(dom, name + len);
	}
	return found;
}

static int read_hz(const void *blob, int node, const char *path, struct dt_opp *opp,
		   struct err *err)
{
	int len;
	const void *hz = fdt_getprop(blob, node, "opp-hz", &len);

	if (!hz && len == -FDT_ERR_NOTFOUND)
		return 1;
	if (!hz || len < 8 || len % 8)
		return err_set(err, -EINVAL,
			       "%s: opp-hz holds %d bytes, not 64-bit numbers", path,
			       len);
	opp->hz = fdt64_ld(hz);
	return 0;
}

/* opp_parse_supplies(): opp-microvolt-<bin> where there is a bin, else opp-microvolt. */
static int read_voltage(const void *blob, int node, const char *path, const char *bin,
			struct dt_opp *opp, struct err *err)
{
	char name[64];
	int ret;

	if (bin) {
		snprintf(name, sizeof(name), "opp-microvolt-%s", bin);
		ret = dtcpus_cell(blob, node, path, name, false, &opp->has_volt,
				  &opp->volt_uv, err);
		if (ret || opp->has_volt)
			return ret;
	}
	return dtcpus_cell(blob, node, path, "opp-microvolt", false, &opp->has_volt,
			   &opp->volt_uv, err);
}

/* dev_pm_opp_get_power(): what the OPP takes of all its regulators. */
static int read_power(const void *blob, int node, const char *path, struct dt_opp *opp,
		      struct err *err)
{
	static const char name[] = "opp-microwatt";
	uint64_t sum = 0;
	int len, ret;
	const fdt32_t *cells = fdt_getprop(blob, node, name, &len);

	ret = dtcpus_cell(blob, node, path, name, false, &opp->has_power, &opp->power_uw,
			  err);
	if (ret || !opp->has_power)
		return ret;
	for (int i = 0; i < len / 4; i++)
		sum += fdt32_ld(&cells[i]);
	if (sum > UINT32_MAX)
		return err_set(err, -ERANGE, "%s: %s adds up to more than %u", path, name,
			       UINT32_MAX);
	opp->power_uw = sum;
	return 0;
}

/*
 * Of bin "speed3" the chips have bit 3 set (drivers/cpufreq/qcom-cpufreq-nvmem.c).
 * Returns false when the bin's chips do not have the OPP.
 */
static bool bin_has_opp(const void *blob, int node, const char *bin, struct dt_opp *opp)
{
	unsigned int n;
	int len;
	const void *hw = fdt_getprop(blob, node, "opp-supported-hw", &len);

	opp->supported_hw = hw;
	if (!hw || len != 4 || !bin || strncmp(bin, "speed", 5))
		return true;
	bin += 5;
	if (*bin < '0' || *bin > '9')
		return true;
	for (n = 0; *bin >= '0' && *bin <= '9' && n < 32; bin++)
		n = n * 10 + (*bin - '0');
	if (n >= 32)
		return true;
	opp->supported_hw = false;
	return fdt32_ld(hw) & (1u << n);
}

/* Returns 1 when the table does not have it: no opp-hz, or for chips of other bins. */
static int read_opp(const void *blob, int node, const char *bin, struct dt_domain *dom,
		    struct dt_opp *opp, struct err *err)
{
	char path[128];
	int ret;

	memset(opp, 0, sizeof(*opp));
	ret = dtcpus_path(blob, node, path, sizeof(path), err);
	if (!ret)
		ret = read_hz(blob, node, path, opp, err);
	if (ret) {
		dom->opps_without_hz += ret > 0;
		return ret;
	}
	if (!bin_has_opp(blob, node, bin, opp))
		return 1;
	ret = read_voltage(blob, node, path, bin, opp, err);
	if (!ret)
		ret = read_power(blob, node, path, opp, err);
	if (ret)
		return ret;
	opp->volt_binned = read_bins(blob, node, dom) && !opp->has_volt;
	opp->turbo = fdt_getprop(blob, node, "turbo-mode", NULL);
	opp->suspend = fdt_getprop(blob, node, "opp-suspend", NULL);
	return 0;
}

/* Keep @opps ascending; of equal ones the first in the tree stays first. */
static void insert_opp(struct dt_domain *dom, const struct dt_opp *opp)
{
	unsigned int i = dom->opp_count++;

	for (; i > 0 && dom->opps[i - 1].hz > opp->hz; i--)
		dom->opps[i] = dom->opps[i - 1];
	dom->opps[i] = *opp;
}

/* What is wrong with it does not matter: nobody reads it. */
static void add_disabled(const void *blob, int node, struct dt_domain *dom)
{
	unsigned int i = dom->disabled_count;
	struct dt_opp opp;

	if (i == DTCPUS_MAX_OPPS || read_hz(blob, node, "", &opp, NULL))
		return;
	dom->disabled_count++;
	for (; i > 0 && dom->disabled_hz[i - 1] > opp.hz; i--)
		dom->disabled_hz[i] = dom->disabled_hz[i - 1];
	dom->disabled_hz[i] = opp.hz;
}

int dtcpus_opps(const void *blob, int table, const char *bin, struct dt_domain *dom,
		struct err *err)
{
	struct dt_opp opp;
	int node, ret;

	fdt_for_each_subnode(node, blob, table)
	{
		if (!dtcpus_enabled(blob, node)) {
			add_disabled(blob, node, dom);
			continue;
		}
		ret = read_opp(blob, node, bin, dom, &opp, err);
		if (ret < 0)
			return ret;
		if (ret)
			continue;
		if (dom->opp_count == DTCPUS_MAX_OPPS)
			return err_set(err, -ERANGE, "%s: more than %d OPPs",
				       dom->opp_path, DTCPUS_MAX_OPPS);
		insert_opp(dom, &opp);
	}
	return 0;
}

static bool has_bin(const struct dt_domain *dom, const char *bin)
{
	unsigned int i;

	for (i = 0; i < dom->volt_bin_count; i++)
		if (!strcmp(dom->volt_bins[i], bin))
			return true;
	return false;
}

static int no_such_bin(const struct dtcpus *d, const char *bin, struct err *err)
{
	char known[256] = "";
	unsigned int i, j;
	size_t used = 0;

	for (i = 0; i < d->domain_count; i++)
		for (j = 0; j < d->domains[i].volt_bin_count && used < sizeof(known); j++)
			used += snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "", d->domains[i].volt_bins[j]);
	if (!known[0])
		return err_set(err, -ENOENT,
			       "no speed bin '%s': the tree has no opp-microvolt-<bin>",
			       bin);
	return err_set(err, -ENOENT, "no speed bin '%s'; the tree has %s", bin, known);
}

int dtcpus_use_bin(const void *blob, struct dtcpus *d, const char *bin, struct err *err)
{
	unsigned int i;
	bool found = false;
	int ret;

	for (i = 0; i < d->domain_count; i++) {
		struct dt_domain *dom = &d->domains[i];

		if (!has_bin(dom, bin))
			continue;
		found = true;
		dom->opp_count = dom->opps_without_hz = dom->volt_bin_count = 0;
		dom->disabled_count = 0;
		ret = dtcpus_opps(blob, fdt_path_offset(blob, dom->opp_path), bin, dom,
				  err);
		if (ret)
			return ret;
	}
	return found ? 0 : no_such_bin(d, bin, err);
}

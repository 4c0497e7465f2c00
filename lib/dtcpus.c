// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read what a flattened device tree says about CPUs, their frequency domains and OPPs.
 */
#include "lib/dtcpus.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

#include "lib/dtcpus_internal.h"
#include "lib/text.h"

#define FDT_HEADER_MIN 28 /* version 1, what fdt_check_full() itself starts from */

/* Text that starts like a source: a directive, a comment, a node or a label reference. */
static bool looks_like_source(const char *text, size_t size)
{
	size_t head = size < 512 ? size : 512;
	size_t i = 0;

	if (memchr(text, '\0', head))
		return false;
	if (head >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		i = 3;
	while (i < head && strchr(" \t\r\n", text[i]))
		i++;
	return i < head && strchr("/#&", text[i]);
}

static int check_header(const void *blob, size_t size, struct err *err)
{
	uint32_t total = fdt_totalsize(blob);

	/* libfdt follows NULL in damaged trees of those versions. */
	if (fdt_version(blob) < 16)
		return err_set(err, -EINVAL,
			       "version %" PRIu32
			       " of the format is not read, only 16 and 17; "
			       "convert it with 'dtc -I dtb -O dtb'",
			       fdt_version(blob));
	if (total > size)
		return err_set(err, -EINVAL,
			       "totalsize %" PRIu32
			       " is more than the file's %zu bytes (truncated?)",
			       total, size);
	if (fdt_off_dt_struct(blob) % 4)
		return err_set(err, -EINVAL,
			       "off_dt_struct %" PRIu32
			       ": the structure block is not 4-byte aligned",
			       fdt_off_dt_struct(blob));
	if (fdt_off_mem_rsvmap(blob) % 8)
		return err_set(err, -EINVAL,
			       "off_mem_rsvmap %" PRIu32
			       ": the reserve map is not 8-byte aligned",
			       fdt_off_mem_rsvmap(blob));
	return 0;
}

static int check_magic(const void *blob, size_t size, struct err *err)
{
	if (!size)
		return err_set(err, -EINVAL, "empty, not a device tree");
	if (looks_like_source(blob, size))
		return err_set(err, -EINVAL,
			       "looks like DTS source, not a compiled tree; compile it "
			       "with dtc first");
	if (size < sizeof(fdt32_t))
		return err_set(err, -EINVAL, "%zu byte(s), not a device tree", size);
	if (fdt_magic(blob) != FDT_MAGIC)
		return err_set(err, -EINVAL,
			       "magic 0x%08" PRIx32 " is not 0x%08x: not a compiled "
			       "device tree",
			       fdt_magic(blob), FDT_MAGIC);
	if (size < FDT_HEADER_MIN)
		return err_set(err, -EINVAL,
			       "cut short: its %zu bytes are too few for a device tree's "
			       "header",
			       size);
	return 0;
}

/*
 * No property may be longer than the tree. libfdt 1.6.1 walks backwards, and so without
 * end, from a length that makes its offsets wrap in a tree of version 16.
 */
static int check_lengths(const char *blob, struct err *err)
{
	size_t at = fdt_off_dt_struct(blob), end = fdt_totalsize(blob);

	while (at + FDT_TAGSIZE <= end) {
		uint32_t tag = fdt32_ld((const fdt32_t *)(blob + at));
		size_t len = 0;

		at += FDT_TAGSIZE;
		if (tag == FDT_BEGIN_NODE) {
			len = strnlen(blob + at, end - at) + 1;
		} else if (tag == FDT_PROP && at + 2 * sizeof(fdt32_t) <= end) {
			len = fdt32_ld((const fdt32_t *)(blob + at));
			at += 2 * sizeof(fdt32_t);
		} else if (tag != FDT_END_NODE && tag != FDT_NOP) {
			return 0; /* the end, or what libfdt will not take */
		}
		if (len > end - at)
			return err_set(err, -EINVAL,
				       "damaged device tree: a name or property of %zu "
				       "bytes ends after the tree",
				       len);
		at += (len + 3) & ~(size_t)3;
	}
	return 0;
}

int dtcpus_check_blob(const void *blob, size_t size, struct err *err)
{
	int ret;

	if ((uintptr_t)blob % 8)
		return err_set(err, -EINVAL, "the tree in memory is not 8-byte aligned");
	ret = check_magic(blob, size, err);
	if (ret)
		return ret;
	ret = check_header(blob, size, err);
	if (ret)
		return ret;
	ret = check_lengths(blob, err);
	if (ret)
		return ret;
	ret = fdt_check_full(blob, size);
	if (ret)
		return err_set(err, -EINVAL, "damaged device tree: %s",
			       fdt_strerror(ret));
	if (size > fdt_totalsize(blob))
		return err_set(err, -E2BIG,
			       "%zu bytes after the tree; cut them off with "
			       "'head -c %" PRIu32 "' if they are only padding",
			       size - fdt_totalsize(blob), fdt_totalsize(blob));
	return 0;
}

/* Fit to be printed, and to lead back to this node: no name is empty or odd. */
static bool sound_path(const char *path)
{
	for (const char *p = path; *p; p++) {
		if (*p <= ' ' || *p > '~' || (p[0] == '/' && p[1] == '/'))
			return false;
	}
	return !path[1] || path[strlen(path) - 1] != '/';
}

int dtcpus_path(const void *blob, int node, char *path, size_t size, struct err *err)
{
	const char *name = fdt_get_name(blob, node, NULL);
	int ret = fdt_get_path(blob, node, path, size);

	if (ret == -FDT_ERR_NOSPACE)
		return err_set(err, -ERANGE,
			       "node '%s': its path is longer than %zu bytes", name,
			       size - 1);
	if (ret)
		return err_set(err, -EINVAL, "path of a node: %s", fdt_strerror(ret));
	if (!sound_path(path) || !name || strchr(name, '/')) {
		text_clean(path);
		return err_set(err, -EINVAL,
			       "node '%s': its name is empty or holds what no name may",
			       path);
	}
	return 0;
}

int dtcpus_cell(const void *blob, int node, const char *path, const char *name,
		bool exact, bool *has, uint32_t *value, struct err *err)
{
	int len;
	const void *data = fdt_getprop(blob, node, name, &len);

	*has = false;
	if (!data) {
		if (len == -FDT_ERR_NOTFOUND)
			return 0;
		return err_set(err, -EINVAL, "%s: %s: %s", path, name, fdt_strerror(len));
	}
	if (len < 4 || len % 4 || (exact && len != 4))
		return err_set(err, -EINVAL, "%s: %s holds %d bytes, not %s", path, name,
			       len, exact ? "one 32-bit number" : "32-bit numbers");
	*has = true;
	*value = fdt32_ld(data);
	return 0;
}

static int read_strings(const void *blob, int node, const char *path, const char *name,
			const char **out, unsigned int max, unsigned int *count,
			struct err *err)
{
	int n = fdt_stringlist_count(blob, node, name);
	int i;

	*count = 0;
	if (n == -FDT_ERR_NOTFOUND)
		return 0;
	if (n < 0)
		return err_set(err, -EINVAL, "%s: %s is not a list of strings", path,
			       name);
	for (i = 0; i < n && *count < max; i++)
		out[(*count)++] = fdt_stringlist_get(blob, node, name, i, NULL);
	return 0;
}

static bool prop_is(const void *blob, int node, const char *name, const char *text)
{
	int len;
	const void *data = fdt_getprop(blob, node, name, &len);

	return data && (size_t)len == strlen(text) + 1 && !memcmp(data, text, len);
}

bool dtcpus_enabled(const void *blob, int node)
{
	return !fdt_getprop(blob, node, "status", NULL) ||
	       prop_is(blob, node, "status", "okay") ||
	       prop_is(blob, node, "status", "ok");
}

/* of_get_next_cpu_node(): by name without unit address, or by device_type. */
static bool is_cpu_node(const void *blob, int node)
{
	const char *name = fdt_get_name(blob, node, NULL);

	if (name && !strncmp(name, "cpu", 3) && (name[3] == '@' || !name[3]))
		return true;
	return prop_is(blob, node, "device_type", "cpu");
}

/* of_n_addr_cells(): of /cpus, else of the root, else 1. */
static int cpus_address_cells(const void *blob, int cpus, unsigned int *cells,
			      struct err *err)
{
	bool has;
	uint32_t value = 1;
	int ret;

	ret = dtcpus_cell(blob, cpus, "/cpus", "#address-cells", true, &has, &value, err);
	if (!ret && !has)
		ret = dtcpus_cell(blob, 0, "/", "#address-cells", true, &has, &value,
				  err);
	if (ret)
		return ret;
	if (value > 2)
		return err_set(err, -EINVAL,
			       "/cpus: #address-cells %" PRIu32 " is not 0, 1 or 2",
			       value);
	*cells = value;
	return 0;
}

static int read_reg(const void *blob, int node, unsigned int cells, struct dt_cpu *cpu,
		    struct err *err)
{
	int len;
	const fdt32_t *data = fdt_getprop(blob, node, "reg", &len);
	unsigned int i;

	/* Without cells (one CPU node "cpu", as OMAP2 has it) there is no number. */
	if (!cells || (!data && len == -FDT_ERR_NOTFOUND))
		return 0;
	if (!data || len < (int)cells * 4 || len % 4)
		return err_set(err, -EINVAL,
			       "%s: reg holds %d bytes, not a number of %u cells",
			       cpu->path, len, cells);
	for (i = 0; i < cells; i++)
		cpu->reg = cpu->reg << 32 | fdt32_ld(&data[i]);
	cpu->has_reg = true;
	return 0;
}

static int read_cpu(const void *blob, int node, unsigned int cells, struct dt_cpu *cpu,
		    struct err *err)
{
	bool has;
	int ret;

	memset(cpu, 0, sizeof(*cpu));
	cpu->domain = -1;
	cpu->enabled = dtcpus_enabled(blob, node);
	cpu->phandle = fdt_get_phandle(blob, node);
	ret = dtcpus_path(blob, node, cpu->path, sizeof(cpu->path), err);
	if (!ret)
		ret = read_reg(blob, node, cells, cpu, err);
	if (!ret)
		ret = read_strings(blob, node, cpu->path, "compatible", cpu->compatibles,
				   DTCPUS_MAX_COMPATIBLES, &cpu->compatible_count, err);
	if (!ret)
		ret = dtcpus_cell(blob, node, cpu->path, "dynamic-power-coefficient",
				  true, &cpu->has_dpc, &cpu->dpc_uw_per_mhz_v2, err);
	if (!ret)
		ret = dtcpus_cell(blob, node, cpu->path, "capacity-dmips-mhz", true,
				  &cpu->has_capacity, &cpu->capacity_dmips_mhz, err);
	if (!ret)
		ret = dtcpus_cell(blob, node, cpu->path, "operating-points-v2", false,
				  &has, &cpu->opp_phandle, err);
	if (!ret)
		ret = dtcpus_clock(blob, node, cpu, err);
	return ret;
}

static bool same_domain(const struct dt_domain *dom, const struct dt_cpu *a,
			const struct dt_cpu *b)
{
	if (a->has_freq_domain && b->has_freq_domain)
		return !memcmp(a->freq_domain, b->freq_domain, sizeof(a->freq_domain));
	return dom->shared && a->opp_phandle == b->opp_phandle;
}

/* The domain that an earlier CPU shares with @cpu, or -1. */
static int find_domain(const struct dtcpus *out, const struct dt_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < out->domain_count; i++) {
		const struct dt_domain *dom = &out->domains[i];

		if (same_domain(dom, &out->cpus[dom->cpus[0]], cpu))
			return i;
	}
	return -1;
}

static int read_domain(const void *blob, struct dt_domain *dom, const struct dt_cpu *cpu,
		       struct err *err)
{
	int table, ret;

	memset(dom, 0, sizeof(*dom));
	if (!cpu->opp_phandle)
		return 0;
	table = fdt_node_offset_by_phandle(blob, cpu->opp_phandle);
	if (table < 0)
		return err_set(err, -EINVAL,
			       "%s: operating-points-v2 <0x%" PRIx32
			       "> points to no node",
			       cpu->path, cpu->opp_phandle);
	ret = dtcpus_path(blob, table, dom->opp_path, sizeof(dom->opp_path), err);
	if (ret)
		return ret;
	dom->shared = fdt_getprop(blob, table, "opp-shared", NULL);
	return dtcpus_opps(blob, table, NULL, dom, err);
}

static int join_domain(const void *blob, struct dtcpus *out, unsigned int index,
		       struct err *err)
{
	struct dt_cpu *cpu = &out->cpus[index];
	struct dt_domain *dom;
	int i, ret;

	if (!cpu->opp_phandle && !cpu->has_freq_domain)
		return 0;
	i = find_domain(out, cpu);
	if (i < 0) {
		i = out->domain_count;
		if (i == DTCPUS_MAX_DOMAINS)
			return err_set(err, -ERANGE, "more than %d frequency domains",
				       DTCPUS_MAX_DOMAINS);
		ret = read_domain(blob, &out->domains[i], cpu, err);
		if (ret)
			return ret;
		out->domain_count++;
	}
	cpu->domain = i;
	dom = &out->domains[i];
	dom->cpus[dom->cpu_count++] = index;
	return 0;
}

static int read_root(const void *blob, struct dtcpus *out, struct err *err)
{
	const char *model[1];
	unsigned int n;
	int ret;

	ret = read_strings(blob, 0, "/", "compatible", out->root_compatibles,
			   sizeof(out->root_compatibles) /
				   sizeof(out->root_compatibles[0]),
			   &out->root_compatible_count, err);
	if (!ret)
		ret = read_strings(blob, 0, "/", "model", model, 1, &n, err);
	if (!ret)
		out->model = n ? model[0] : NULL;
	return ret;
}

/* As the kernel compares names: "cpus@0" is another node. */
static int find_cpus(const void *blob)
{
	int node;

	fdt_for_each_subnode(node, blob, 0)
	{
		if (!strcmp(fdt_get_name(blob, node, NULL), "cpus"))
			return node;
	}
	return -FDT_ERR_NOTFOUND;
}

static int no_cpus(const void *blob, struct err *err)
{
	int node;

	fdt_for_each_subnode(
		node, blob,
		0) if (fdt_subnode_offset(blob, node, "__overlay__") >=
		       0) return err_set(err, -ENOENT,
					 "no /cpus node: this is an overlay; apply it to "
					 "its base tree (fdtoverlay) first");
	return err_set(err, -ENOENT, "no CPU node: there is no /cpus, or no CPU in it");
}

/* Binding cpu-topology.txt: a core or thread names its CPU. */
static void read_cpu_map(const void *blob, struct dtcpus *out)
{
	int node = fdt_path_offset(blob, "/cpus/cpu-map"), depth = 0;

	for (; node >= 0; node = fdt_next_node(blob, node, &depth)) {
		int len;
		const fdt32_t *cpu = fdt_getprop(blob, node, "cpu", &len);

		if (depth < 0)
			break;
		for (unsigned int i = 0; cpu && len == sizeof(*cpu) && i < out->cpu_count;
		     i++) {
			struct dt_cpu *c = &out->cpus[i];

			if (!c->phandle || c->phandle != fdt32_ld(cpu))
				continue;
			/* One too long for us is one that nobody asks for. */
			if (fdt_get_path(blob, node, c->map_path, sizeof(c->map_path)))
				c->map_path[0] = '\0';
		}
	}
}

const char *dtcpus_label(const void *blob, const char *label)
{
	int len, node = fdt_path_offset(blob, "/__symbols__");
	const char *path = node < 0 ? NULL : fdt_getprop(blob, node, label, &len);

	return path && len > 0 && path[0] == '/' && !path[len - 1] ? path : NULL;
}

int dtcpus_read(const void *blob, struct dtcpus *out, struct err *err)
{
	unsigned int cells = 1;
	int cpus, node, ret;

	memset(out, 0, sizeof(*out));
	ret = read_root(blob, out, err);
	if (ret)
		return ret;
	cpus = find_cpus(blob);
	if (cpus < 0)
		return no_cpus(blob, err);
	ret = cpus_address_cells(blob, cpus, &cells, err);
	if (ret)
		return ret;
	fdt_for_each_subnode(node, blob, cpus)
	{
		if (!is_cpu_node(blob, node))
			continue;
		if (out->cpu_count == DTCPUS_MAX_CPUS)
			return err_set(err, -ERANGE, "/cpus: more than %d CPUs",
				       DTCPUS_MAX_CPUS);
		ret = read_cpu(blob, node, cells, &out->cpus[out->cpu_count++], err);
		if (!ret)
			ret = join_domain(blob, out, out->cpu_count - 1, err);
		if (ret)
			return ret;
	}
	read_cpu_map(blob, out);
	for (unsigned int i = 0; i < out->domain_count; i++)
		if (out->domains[i].opp_path[0])
			dtcpus_count_regulators(blob, out, &out->domains[i]);
	return out->cpu_count ? 0 : no_cpus(blob, err);
}

struct dtcpus *dtcpus_new(void)
{
	return calloc(1, sizeof(struct dtcpus));
}

void dtcpus_free(struct dtcpus *d)
{
	free(d);
}

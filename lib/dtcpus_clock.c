// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which CPUs share a clock, by what their cpufreq drivers ask of the tree.
 */
#include <errno.h>
#include <string.h>

#include <libfdt.h>

#include "lib/dtcpus_internal.h"

/* qcom_cpufreq_hw_cpu_init() */
static int read_qcom(const fdt32_t *data, int len, struct dt_cpu *cpu, struct err *err)
{
	if (len < 8 || len % 4)
		return err_set(err, -EINVAL,
			       "%s: qcom,freq-domain holds %d bytes, not two 32-bit "
			       "numbers",
			       cpu->path, len);
	cpu->has_freq_domain = true;
	cpu->firmware_volt = true;
	cpu->freq_domain[0] = fdt32_ld(&data[0]);
	cpu->freq_domain[1] = fdt32_ld(&data[1]);
	return 0;
}

/* of_perf_domain_get_sharing_cpumask() of apple-soc-cpufreq and mediatek-cpufreq-hw */
static int read_performance(const fdt32_t *data, int len, struct dt_cpu *cpu,
			    struct err *err)
{
	if (len < 4 || len % 4)
		return err_set(err, -EINVAL,
			       "%s: performance-domains holds %d bytes, not 32-bit "
			       "numbers",
			       cpu->path, len);
	cpu->has_freq_domain = true;
	cpu->freq_domain[0] = fdt32_ld(&data[0]);
	cpu->freq_domain[1] = len > 4 ? fdt32_ld(&data[1]) : 0;
	return 0;
}

/* How many cells follow the phandle of node @to; -1: it does not tell. */
static int count_args(const void *blob, int to, const char *name)
{
	int len;
	const fdt32_t *cell = fdt_getprop(blob, to, name, &len);

	return cell && len == 4 && fdt32_ld(cell) <= 64 ? (int)fdt32_ld(cell) : -1;
}

/*
 * Entry @index of a list of <phandle arguments>, with one argument, as
 * of_parse_phandle_with_args() finds it. Returns the node that it points to, or -1.
 */
static int find_entry(const void *blob, int node, const char *list, const char *cells,
		      int index, uint32_t entry[2])
{
	int len, at = 0;
	const fdt32_t *data = fdt_getprop(blob, node, list, &len);
	int count = data ? len / 4 : 0;

	for (; at < count; index--) {
		uint32_t phandle = fdt32_ld(&data[at]);
		/* 0 stands for nothing, and has no arguments. */
		int to = phandle ? fdt_node_offset_by_phandle(blob, phandle) : -1;
		int args = to >= 0 ? count_args(blob, to, cells) : 0;

		if ((phandle && to < 0) || args < 0 || args >= count - at)
			return -1;
		if (!index && args != 1)
			return -1;
		if (!index) {
			entry[0] = phandle;
			entry[1] = fdt32_ld(&data[at + 1]);
			return to;
		}
		at += 1 + args;
	}
	return -1;
}

/* The binding fixes the name of SCMI's performance protocol. */
static bool is_scmi(const void *blob, int node)
{
	return node >= 0 && !strcmp(fdt_get_name(blob, node, NULL), "protocol@13");
}

static bool is_scpi(const void *blob, int node)
{
	return node >= 0 &&
	       !fdt_node_check_compatible(blob, node, "arm,scpi-dvfs-clocks");
}

/* scmi_cpu_domain_id() and scpi_dev_domain_id() */
static void read_firmware(const void *blob, int node, struct dt_cpu *cpu)
{
	uint32_t *entry = cpu->freq_domain;
	int to = find_entry(blob, node, "clocks", "#clock-cells", 0, entry);
	int perf;

	cpu->firmware_volt = is_scpi(blob, to);
	if (!cpu->firmware_volt && !is_scmi(blob, to)) {
		perf = fdt_stringlist_search(blob, node, "power-domain-names", "perf");
		to = perf < 0 ? -1
			      : find_entry(blob, node, "power-domains",
					   "#power-domain-cells", perf, entry);
	}
	cpu->firmware_power = is_scmi(blob, to);
	cpu->has_freq_domain = cpu->firmware_volt || cpu->firmware_power;
}

int dtcpus_clock(const void *blob, int node, struct dt_cpu *cpu, struct err *err)
{
	int len;
	const void *data = fdt_getprop(blob, node, "qcom,freq-domain", &len);

	if (data)
		return read_qcom(data, len, cpu, err);
	data = fdt_getprop(blob, node, "performance-domains", &len);
	if (data)
		return read_performance(data, len, cpu, err);
	read_firmware(blob, node, cpu);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a flattened device tree says about CPUs: nodes, frequency domains, OPP tables.
 * Reads only; what is absent or odd is recorded as a fact, for the caller to judge.
 *
 * Bindings: cpus.yaml, cpu-capacity.txt, opp-v2.yaml. Read as the kernel reads them:
 * of_get_next_cpu_node() (a child of /cpus named "cpu" or with device_type "cpu"), Linux
 * CPU numbers in node order as arch/arm64 assigns them (boot CPU first is not known here,
 * so node order).
 */
#ifndef LIB_DTCPUS_H
#define LIB_DTCPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define DTCPUS_MAX_CPUS	       256
#define DTCPUS_MAX_DOMAINS     64
#define DTCPUS_MAX_OPPS	       128
#define DTCPUS_MAX_COMPATIBLES 4
#define DTCPUS_MAX_BINS	       16

struct dt_opp {
	uint64_t hz;
	bool has_volt;
	uint32_t volt_uv; /* target of opp-microvolt (first regulator) */
	bool volt_binned; /* only opp-microvolt-<bin> properties are there */
	bool has_power;
	uint32_t power_uw; /* opp-microwatt, of all regulators together */
	bool supported_hw; /* opp-supported-hw: only some chips have this OPP */
	bool turbo, suspend;
};

struct dt_cpu {
	char path[128];
	bool has_reg;
	uint64_t reg; /* its first entry; 0 without one */
	const char *compatibles[DTCPUS_MAX_COMPATIBLES]; /* point into the blob */
	unsigned int compatible_count;
	bool enabled; /* no status, "okay" or "ok" */
	bool has_dpc;
	uint32_t dpc_uw_per_mhz_v2;
	bool has_capacity;
	uint32_t capacity_dmips_mhz;
	uint32_t phandle;     /* its own; 0: none */
	char map_path[128];   /* what names it in /cpus/cpu-map; "": nothing */
	uint32_t opp_phandle; /* operating-points-v2; 0: none */
	/*
	 * qcom,freq-domain, else performance-domains, else clocks or the power domain
	 * "perf" of SCMI or SCPI firmware: <phandle index>, of performance-domains often
	 * without index. CPUs with the same one share a clock.
	 */
	bool has_freq_domain;
	uint32_t freq_domain[2];
	bool firmware_volt;  /* qcom,freq-domain, SCPI: it tells the kernel voltages */
	bool firmware_power; /* SCMI: it tells power, and no coefficient counts */
	int domain; /* index into domains; -1: neither OPP table nor freq_domain */
};

/* CPUs that share one OPP table with opp-shared, or one freq_domain; else one alone. */
struct dt_domain {
	unsigned int cpus[DTCPUS_MAX_CPUS]; /* indices into dt_cpus.cpus, ascending */
	unsigned int cpu_count;
	char opp_path[128]; /* "" without a table */
	bool shared;
	struct dt_opp
		opps[DTCPUS_MAX_OPPS]; /* ascending hz, in which two may be equal
					  (opp-supported-hw); disabled ones left out */
	unsigned int opp_count;
	unsigned int opps_without_hz;	       /* left out too */
	uint64_t disabled_hz[DTCPUS_MAX_OPPS]; /* ascending; more than fit are left out */
	unsigned int disabled_count;
	/*
	 * How many regulators the voltages are of, volt_uv being the first one's. 0: the
	 * tree does not tell, opp-microvolt may be <target min max> of one as well as the
	 * targets of three; or, with regulators_differ, one OPP says other than another.
	 */
	unsigned int regulators;
	bool regulators_differ;
	unsigned int supplies; /* that a CPU node names */
	/* "speed0" of opp-microvolt-speed0; more than fit are left out */
	char volt_bins[DTCPUS_MAX_BINS][32];
	unsigned int volt_bin_count;
};

struct dtcpus {
	const char *root_compatibles[8]; /* point into the blob */
	unsigned int root_compatible_count;
	const char *model; /* may be NULL; points into the blob */
	struct dt_cpu cpus[DTCPUS_MAX_CPUS];
	unsigned int cpu_count;
	struct dt_domain domains[DTCPUS_MAX_DOMAINS];
	unsigned int domain_count;
};

/*
 * dtcpus_check_blob - is this a sound flattened tree?
 * @blob: 8-byte aligned, as libfdt wants it (what malloc() returns is)
 * @size: of the whole file
 *
 * Returns 0; -EINVAL with the reason by field ("totalsize 2458 is more than the file's
 * 1434 bytes", "magic 0x... is not 0xd00dfeed", "looks like DTS source", fdt_check_full's
 * verdict); -E2BIG "N bytes after the tree; ..." when the tree is sound but the file goes
 * on after its totalsize, which a reader may let pass and an editor must not lose.
 */
int dtcpus_check_blob(const void *blob, size_t size, struct err *err);

/*
 * dtcpus_read - fill @out from a blob that dtcpus_check_blob() found sound
 * @out: about 700 KB, allocate it with dtcpus_new(); strings in it point into @blob
 *
 * Returns 0; -ENOENT (no /cpus, an overlay, or no CPU node in it); -EINVAL (a property of
 * the wrong size, an operating-points-v2 that points nowhere); -ERANGE (more than the
 * fixed limits). Path and property are named.
 */
int dtcpus_read(const void *blob, struct dtcpus *out, struct err *err);
/* The path of a label by /__symbols__, into @blob; NULL when that is not there. */
const char *dtcpus_label(const void *blob, const char *label);
/*
 * dtcpus_use_bin - read the OPPs again, as chips of one speed bin have them
 * @bin: "speed1" of opp-microvolt-speed1; domains without that bin stay as they are
 *
 * Where opp-supported-hw is one mask and the bin is called speedN, OPPs without bit N are
 * left out. Returns 0; -ENOENT naming the bins that there are; -EINVAL as dtcpus_read().
 */
int dtcpus_use_bin(const void *blob, struct dtcpus *d, const char *bin, struct err *err);
/* Zeroed; NULL when out of memory. dtcpus_free() takes NULL. */
struct dtcpus *dtcpus_new(void);
void dtcpus_free(struct dtcpus *d);

#endif

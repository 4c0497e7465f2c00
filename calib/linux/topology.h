/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPUs form a cluster, what core they are, and what the cluster is called.
 */
#ifndef CALIB_LINUX_TOPOLOGY_H
#define CALIB_LINUX_TOPOLOGY_H

#include <stdint.h>

#include "boards/board.h"
#include "calib/linux/cpufreq.h"
#include "calib/linux/sysfs.h"
#include "lib/dtcpus.h"

/* One or more cpufreq policies that are calibrated as one. */
struct topology_cluster {
	char name[32];
	char compatible[64];		   /* of the core; "" unknown */
	unsigned int cpus[BOARD_MAX_CPUS]; /* those of its policies' online[] */
	unsigned int cpu_count;
	uint64_t reg[BOARD_MAX_CPUS]; /* of the CPU nodes of cpus[] */
	unsigned int reg_count;	      /* cpu_count, or 0: unknown */
	uint32_t capacity_dmips_mhz;  /* 0: the tree does not say */
	struct cpufreq_policy policies[BOARD_MAX_CPUS];
	unsigned int policy_count;
};

struct topology {
	struct topology_cluster clusters[BOARD_MAX_CLUSTERS]; /* by lowest CPU number */
	unsigned int cluster_count;
	unsigned int offline[CPUFREQ_MAX_POLICIES]; /* policies without an online CPU */
	unsigned int offline_count;
	/* CPUs that are offline and of none of the clusters; what cores they are. */
	unsigned int asleep[BOARD_MAX_CPUS], asleep_count;
	char asleep_core[BOARD_MAX_CPUS][32]; /* as clusters are named; "" unknown */
};

/*
 * topology_read - read policies and cores into @topo (large: allocate it)
 * @tree: the live device tree, or NULL; used where sysfs has no of_node links
 * @with_offline: CPUs that can be brought online count, in policies that have an online
 *	CPU
 *
 * A policy is a cluster; policies of one CPU each whose cores and clocks are the same
 * are one cluster together (x86). Names: the core's ("arm,cortex-a15" is a15), p and e
 * on Intel hybrids, else policyN; where two clusters would have one name, "-policyN" is
 * added to each.
 *
 * Returns 0, -ENODEV (no cpufreq, or all CPUs of all policies are offline), what
 * cpufreq_read() returns, -ERANGE for more clusters than BOARD_MAX_CLUSTERS.
 */
int topology_read(const struct sysfs *sys, const struct dtcpus *tree, bool with_offline,
		  struct topology *topo, struct err *err);

/* The PMUs of hybrid x86, /sys/devices/PMU/cpus, and what we call their cores; ended by
 * NULL. */
struct topology_hybrid {
	const char *pmu, *name;
};
extern const struct topology_hybrid topology_hybrids[];

/* reg of the node that a Linux CPU number is; false: the kernel does not tell. */
bool topology_cpu_reg(const struct sysfs *sys, unsigned int cpu, uint64_t *reg);

#endif

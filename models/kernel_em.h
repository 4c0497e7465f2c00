/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's Energy Model arithmetic, bit for bit, in integers.
 *
 * Sources: drivers/opp/of.c (dev_pm_opp_calc_power(), v5.6: _get_cpu_power()),
 * kernel/power/energy_model.c (v5.6: em_create_pd(); v6.1: em_create_perf_table(); v6.12:
 * em_init_performance(), em_compute_costs()), drivers/base/arch_topology.c
 * (topology_normalize_cpu_scale()).
 */
#ifndef MODELS_KERNEL_EM_H
#define MODELS_KERNEL_EM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define EM_MAX_POWER_UW	    64000000u /* EM_MAX_POWER of current kernels: 64 W */
#define EM_MAX_POWER_MW_V56 0xffffu

struct em_state {
	uint64_t khz;
	uint64_t power;	      /* uW (current) or mW (v5.6) */
	uint64_t performance; /* current rule only: 0..1024 */
	uint64_t cost;
	bool inefficient; /* current: flag; v5.6: the kernel prints its warning for this
			     state */
};

/*
 * uW of one CPU: dpc * (uV / 1000)^2 * (Hz / 10^6) / 10^6, every division cut. Where the
 * kernel's product wraps at 64 bits (above 18 MW), ours stays at the end of the type.
 */
uint64_t em_power_uw(uint32_t dpc_uw_per_mhz_v2, uint64_t hz, uint32_t volt_uv);
/* The same in mW, as v5.6 cuts it: ... / 10^9. */
uint64_t em_power_mw_v56(uint32_t dpc_uw_per_mhz_v2, uint64_t hz, uint32_t volt_uv);

/*
 * em_v56 - what v5.6 builds; em_current - what v6.12 builds
 * @states: in: khz ascending and power; out: cost, inefficient (and performance)
 * @capacity: arch_scale_cpu_capacity() of the domain's first CPU
 *
 * em_by_clock - v5.9 to v6.8: cost = fmax * power * scale / clock, marks as em_current()
 * @scale: 1; 1000 for v5.15..v5.19 where a long has 64 bits
 * Powers in mW or uW. Kernels before v5.16 do not show the marks.
 *
 * em_v56: state i >= 1 is marked when khz/mW of it is >= that of state i - 1 (integer
 * division). em_current: from the top, cost = power * 10 / performance; a state whose
 * cost is >= the lowest so far is inefficient.
 *
 * Return 0, or -EINVAL when the kernel would refuse the table: no states, khz not
 * ascending or above 32 bits, power 0 or above the limit, performance 0 (the kernel would
 * divide by zero). The message names the state.
 */
int em_v56(struct em_state *states, size_t n, struct err *err);
int em_by_clock(struct em_state *states, size_t n, unsigned int scale, struct err *err);
int em_current(struct em_state *states, size_t n, uint32_t capacity, struct err *err);

/* The line v5.6 prints for state @i, without the log's time stamp; @cpu: the domain's
 * first. */
int em_v56_message(char *out, size_t size, unsigned int cpu, size_t i);

/*
 * em_capacity - capacities 0..1024 as topology_normalize_cpu_scale() computes them
 * @dmips_mhz, @max_khz: per domain; @capacity: out, per domain
 */
void em_capacity(const uint32_t *dmips_mhz, const uint64_t *max_khz, uint32_t *capacity,
		 size_t n);

#endif

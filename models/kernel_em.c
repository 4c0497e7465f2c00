// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's Energy Model arithmetic: power of an OPP, cost and efficiency of a
 * performance state, capacity of a CPU. Integers and their truncation as in the kernel.
 */
#include "models/kernel_em.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define CAPACITY_SHIFT 10

/*
 * dpc * mV^2 * MHz. The kernel wraps at 64 bits; we stop at the end of the type, which is
 * above every limit, so that an absurd coefficient can not look like a small one.
 */
static uint64_t power_product(uint32_t dpc_uw_per_mhz_v2, uint64_t hz, uint32_t volt_uv)
{
	uint64_t mv = volt_uv / 1000;
	uint64_t product;

	if (__builtin_mul_overflow(dpc_uw_per_mhz_v2 * mv, mv, &product) ||
	    __builtin_mul_overflow(product, hz / 1000000, &product))
		return UINT64_MAX;
	return product;
}

uint64_t em_power_uw(uint32_t dpc_uw_per_mhz_v2, uint64_t hz, uint32_t volt_uv)
{
	return power_product(dpc_uw_per_mhz_v2, hz, volt_uv) / 1000000;
}

uint64_t em_power_mw_v56(uint32_t dpc_uw_per_mhz_v2, uint64_t hz, uint32_t volt_uv)
{
	return power_product(dpc_uw_per_mhz_v2, hz, volt_uv) / 1000000000;
}

/* What em_create_pd() (v5.6) and em_create_perf_table() (current) refuse. */
static int check_table(const struct em_state *states, size_t n, uint64_t max_power,
		       const char *unit, struct err *err)
{
	uint64_t prev_khz = 0;
	size_t i;

	if (!n)
		return err_set(err, -EINVAL, "no states");
	for (i = 0; i < n; i++) {
		/* cpufreq keeps a clock in an unsigned int. */
		if (states[i].khz > UINT32_MAX)
			return err_set(err, -EINVAL,
				       "state %zu: %" PRIu64
				       " kHz is more than the kernel's cpufreq can hold",
				       i, states[i].khz);
		if (states[i].khz <= prev_khz)
			return err_set(err, -EINVAL,
				       "state %zu: %" PRIu64
				       " kHz is not above the state before it",
				       i, states[i].khz);
		if (!states[i].power || states[i].power > max_power)
			return err_set(err, -EINVAL,
				       "state %zu (%" PRIu64 " kHz): power %" PRIu64
				       " %s is not in 1..%" PRIu64,
				       i, states[i].khz, states[i].power, unit,
				       max_power);
		prev_khz = states[i].khz;
	}
	return 0;
}

int em_v56(struct em_state *states, size_t n, struct err *err)
{
	uint64_t prev_eff = UINT64_MAX;
	uint64_t fmax_khz;
	size_t i;
	int ret;

	ret = check_table(states, n, EM_MAX_POWER_MW_V56, "mW", err);
	if (ret)
		return ret;
	fmax_khz = states[n - 1].khz;
	for (i = 0; i < n; i++) {
		uint64_t eff = states[i].khz / states[i].power;

		states[i].performance = 0;
		states[i].cost = fmax_khz * states[i].power / states[i].khz;
		states[i].inefficient = eff >= prev_eff;
		prev_eff = eff;
	}
	return 0;
}

/* From the top: a state that costs no less than one above it. */
static void mark_inefficient(struct em_state *states, size_t n)
{
	uint64_t lowest = UINT64_MAX;
	size_t i;

	for (i = n; i-- > 0;) {
		states[i].inefficient = states[i].cost >= lowest;
		if (!states[i].inefficient)
			lowest = states[i].cost;
	}
}

int em_by_clock(struct em_state *states, size_t n, unsigned int scale, struct err *err)
{
	size_t i;
	int ret;

	ret = check_table(states, n, EM_MAX_POWER_UW, "units", err);
	if (ret)
		return ret;
	for (i = 0; i < n; i++) {
		states[i].performance = 0;
		states[i].cost = states[n - 1].khz * states[i].power * scale /
				 states[i].khz;
	}
	mark_inefficient(states, n);
	return 0;
}

int em_current(struct em_state *states, size_t n, uint32_t capacity, struct err *err)
{
	size_t i;
	int ret;

	ret = check_table(states, n, EM_MAX_POWER_UW, "uW", err);
	if (ret)
		return ret;
	for (i = 0; i < n; i++) {
		states[i].performance = capacity * states[i].khz / states[n - 1].khz;
		if (!states[i].performance)
			return err_set(err, -EINVAL,
				       "state %zu (%" PRIu64
				       " kHz): performance is 0 of %" PRIu32
				       ", the kernel would divide by it",
				       i, states[i].khz, capacity);
	}
	for (i = 0; i < n; i++)
		states[i].cost = states[i].power * 10 / states[i].performance;
	mark_inefficient(states, n);
	return 0;
}

int em_v56_message(char *out, size_t size, unsigned int cpu, size_t i)
{
	return snprintf(out, size,
			"energy_model: pd%u: hertz/watts ratio non-monotonically "
			"decreasing: em_cap_state %zu >= em_cap_state%zu",
			cpu, i, i ? i - 1 : 0);
}

/* Stops where a shift by CAPACITY_SHIFT still fits; real machines stay far below. */
static uint64_t raw_capacity(uint32_t dmips_mhz, uint64_t max_khz)
{
	const uint64_t limit = UINT64_MAX >> CAPACITY_SHIFT;
	uint64_t raw;

	if (__builtin_mul_overflow(dmips_mhz, max_khz, &raw) || raw > limit)
		return limit;
	return raw;
}

void em_capacity(const uint32_t *dmips_mhz, const uint64_t *max_khz, uint32_t *capacity,
		 size_t n)
{
	uint64_t scale = 1;
	size_t i;

	for (i = 0; i < n; i++)
		if (raw_capacity(dmips_mhz[i], max_khz[i]) > scale)
			scale = raw_capacity(dmips_mhz[i], max_khz[i]);
	for (i = 0; i < n; i++)
		capacity[i] = (raw_capacity(dmips_mhz[i], max_khz[i]) << CAPACITY_SHIFT) /
			      scale;
}

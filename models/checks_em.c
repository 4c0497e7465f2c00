// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks of one frequency domain's energy model: can the kernel build it, are its states
 * within the kernel's limits, does efficiency fall as the clock rises.
 */
#include "models/checks_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t mhz(const struct dt_opp *opp)
{
	return opp->hz / 1000000;
}

/* dev_pm_opp_of_register_em(): opp-microwatt of the first OPP goes before all else. */
static enum checks_source find_source(const struct dt_domain *dom,
				      const struct checks_domain *out)
{
	if (dom->opp_count && dom->opps[0].has_power && dom->opps[0].power_uw)
		return CHECKS_OPP_MICROWATT;
	if (out->has_dpc && out->dpc_uw_per_mhz_v2)
		return CHECKS_COEFFICIENT;
	return CHECKS_NO_MODEL;
}

/* Two OPPs of one clock: which of them a chip has, opp-supported-hw tells it alone. */
static bool check_choice(const struct dt_domain *dom, unsigned int index,
			 struct checks *out)
{
	unsigned int i;
	bool chosen = false;

	for (i = 0; i < dom->opp_count; i++)
		chosen |= dom->opps[i].supported_hw;
	for (i = 1; i < dom->opp_count && dom->opps[i].hz != dom->opps[i - 1].hz; i++)
		;
	if (i < dom->opp_count) {
		checks_add(out, chosen ? CHECKS_LEFT_OUT : CHECKS_FINDING, "monotonic",
			   index,
			   "two OPPs of %" PRIu64 " MHz in %s%s; the states can not be "
			   "computed",
			   mhz(&dom->opps[i]), dom->opp_path,
			   chosen ? ", each for other chips (opp-supported-hw)" : "");
		return false;
	}
	if (chosen)
		checks_add(out, CHECKS_NOTE, "limits", index,
			   "opp-supported-hw leaves OPPs of %s out on some chips; the "
			   "states are counted with all of them",
			   dom->opp_path);
	return true;
}

/* "speed0 or speed1" */
static void list_bins(const struct dt_domain *dom, char *text, size_t size)
{
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < dom->volt_bin_count; i++)
		checks_append(text, size, "%s%s",
			      !i			     ? ""
			      : i + 1 == dom->volt_bin_count ? " or "
							     : ", ",
			      dom->volt_bins[i]);
}

static void report_voltage(const struct dt_domain *dom, unsigned int index,
			   unsigned int missing, unsigned int first, struct checks *out)
{
	char bins[CHECKS_TEXT / 2];

	list_bins(dom, bins, sizeof(bins));
	if (dom->opps[first].volt_binned)
		checks_add(out, CHECKS_FINDING, "voltage", index,
			   "%s has voltages per speed bin only (%u OPPs, from %" PRIu64
			   " MHz); choose a bin with --bin: %s",
			   dom->opp_path, missing, mhz(&dom->opps[first]), bins);
	else
		checks_add(out, CHECKS_FINDING, "voltage", index,
			   "coefficient without voltage: %u of %u OPPs of %s have no "
			   "opp-microvolt (from %" PRIu64
			   " MHz), so the kernel can not compute power (-22); give each "
			   "OPP opp-microvolt, or opp-microwatt",
			   missing, dom->opp_count, dom->opp_path,
			   mhz(&dom->opps[first]));
}

/* Has the OPP what its power is computed from? */
static bool has_input(const struct dt_opp *opp, enum checks_source source)
{
	if (source == CHECKS_OPP_MICROWATT)
		return opp->has_power && opp->power_uw;
	return opp->has_volt && opp->volt_uv >= 1000; /* below, the kernel sees 0 mV */
}

/* Every OPP has what the model is computed from. Returns NULL, or why the rules can not.
 */
static const char *check_inputs(const struct dt_domain *dom, unsigned int index,
				bool firmware, struct checks *out)
{
	const enum checks_source source = out->domains[index].source;
	unsigned int i, missing = 0, first = 0;

	for (i = dom->opp_count; i-- > 0;) {
		if (has_input(&dom->opps[i], source))
			continue;
		missing++;
		first = i;
	}
	if (!missing)
		return NULL;
	if (source == CHECKS_OPP_MICROWATT) {
		checks_add(out, CHECKS_FINDING, "voltage", index,
			   "the first OPP of %s has opp-microwatt, but %u have none "
			   "(%" PRIu64 " MHz): no energy model (-22)",
			   dom->opp_path, missing, mhz(&dom->opps[first]));
		return "no energy model: an OPP has no opp-microwatt (-22)";
	}
	if (firmware && missing == dom->opp_count && !dom->volt_bin_count) {
		checks_add(out, CHECKS_LEFT_OUT, "monotonic", index,
			   "firmware tells the kernel the voltages (qcom,freq-domain), "
			   "the tree does not; limits are left out too");
		return "left out: voltages come from firmware";
	}
	report_voltage(dom, index, missing, first, out);
	return "no energy model: an OPP has no voltage (-22)";
}

static void compute_v56(const struct dt_domain *dom, unsigned int index,
			struct checks *out)
{
	struct checks_domain *cd = &out->domains[index];
	struct err err = { "" };
	unsigned int i;

	for (i = 0; i < dom->opp_count; i++) {
		cd->v56[i].khz = dom->opps[i].hz / 1000;
		cd->v56[i].power = em_power_mw_v56(cd->dpc_uw_per_mhz_v2, dom->opps[i].hz,
						   dom->opps[i].volt_uv);
	}
	cd->has_v56 = !em_v56(cd->v56, dom->opp_count, &err);
	if (cd->has_v56)
		return;
	snprintf(cd->v56_why, sizeof(cd->v56_why), "no energy model: %.400s", err.msg);
	checks_add(out, CHECKS_FINDING, "limits", index,
		   "v5.6 would refuse the energy model: %s", err.msg);
}

static void compute_current(const struct dt_domain *dom, unsigned int index,
			    struct checks *out)
{
	struct checks_domain *cd = &out->domains[index];
	struct err err = { "" };
	unsigned int i;

	for (i = 0; i < dom->opp_count; i++) {
		const struct dt_opp *opp = &dom->opps[i];

		cd->current[i].khz = opp->hz / 1000;
		cd->current[i].power = cd->source == CHECKS_OPP_MICROWATT
					       ? opp->power_uw
					       : em_power_uw(cd->dpc_uw_per_mhz_v2,
							     opp->hz, opp->volt_uv);
	}
	cd->has_current = !em_current(cd->current, dom->opp_count, cd->capacity, &err);
	if (cd->has_current)
		return;
	snprintf(cd->current_why, sizeof(cd->current_why), "no energy model: %.400s",
		 err.msg);
	checks_add(out, CHECKS_FINDING, "limits", index,
		   "the kernel would refuse the energy model: %s", err.msg);
}

/* OPPs that do not have more mV than the OPP below them, as runs: "400-700 MHz (1000 mV)"
 */
static void list_voltage_runs(const struct dt_domain *dom, char *text, size_t size)
{
	unsigned int start, end;

	for (start = 0; start < dom->opp_count; start = end + 1) {
		uint32_t low;

		for (end = start;
		     end + 1 < dom->opp_count &&
		     dom->opps[end + 1].volt_uv / 1000 <= dom->opps[end].volt_uv / 1000;)
			end++;
		if (end == start)
			continue;
		low = dom->opps[end].volt_uv;
		checks_append(text, size, "%s%" PRIu64 "-%" PRIu64 " MHz (%u",
			      text[0] ? ", " : "", mhz(&dom->opps[start]),
			      mhz(&dom->opps[end]), dom->opps[start].volt_uv / 1000);
		if (low / 1000 != dom->opps[start].volt_uv / 1000)
			checks_append(text, size, "..%u", low / 1000);
		checks_append(text, size, " mV)");
	}
}

static void explain(const struct dt_domain *dom, unsigned int index, struct checks *out)
{
	char runs[CHECKS_TEXT / 2] = "";

	if (out->domains[index].source == CHECKS_OPP_MICROWATT) {
		checks_add(out, CHECKS_NOTE, "monotonic", index,
			   "opp-microwatt gives these OPPs no less power per MHz than "
			   "an OPP above them");
		return;
	}
	list_voltage_runs(dom, runs, sizeof(runs));
	if (runs[0])
		checks_add(out, CHECKS_NOTE, "monotonic", index,
			   "with a single coefficient efficiency depends on V^2 only, "
			   "and these OPPs share a voltage or undercut the one below: "
			   "%s; no other coefficient mends it",
			   runs);
	else
		checks_add(out, CHECKS_NOTE, "monotonic", index,
			   "every OPP has more voltage than the one below; the kernel's "
			   "integer division alone makes these states look alike");
}

static void check_monotonic(const struct dt_domain *dom, unsigned int index,
			    struct checks *out)
{
	const struct checks_domain *cd = &out->domains[index];
	char v56[CHECKS_TEXT / 4] = "", current[CHECKS_TEXT / 4] = "";

	if (cd->has_v56)
		checks_states(cd->v56, cd->state_count, v56, sizeof(v56));
	if (cd->has_current)
		checks_states(cd->current, cd->state_count, current, sizeof(current));
	if (!v56[0] && !current[0])
		return;
	checks_add(out, CHECKS_FINDING, "monotonic", index,
		   "efficiency does not fall as the clock rises: v5.6 rule %s%s; current "
		   "rule %s%s",
		   v56[0] ? "states " : "no state", v56,
		   current[0] ? "states " : "no state", current);
	explain(dom, index, out);
}

/* What keeps the rules from being computed, or NULL. */
static const char *find_obstacle(const struct dtcpus *d, unsigned int index,
				 struct checks *out)
{
	const struct dt_domain *dom = &d->domains[index];

	if (!dom->opp_count) {
		checks_add(out, CHECKS_LEFT_OUT, "monotonic", index,
			   "no OPPs known; limits and voltage are left out too");
		return "left out: no OPPs known";
	}
	if (out->domains[index].source == CHECKS_NO_MODEL)
		return "no energy model: no dynamic-power-coefficient";
	if (!check_choice(dom, index, out))
		return "left out: two OPPs of one clock";
	return check_inputs(dom, index, d->cpus[dom->cpus[0]].firmware_volt, out);
}

static void check_domain(const struct dtcpus *d, unsigned int index, struct checks *out)
{
	const struct dt_domain *dom = &d->domains[index];
	struct checks_domain *cd = &out->domains[index];
	const char *why;

	cd->source = find_source(dom, cd);
	why = find_obstacle(d, index, out);
	if (why) {
		snprintf(cd->v56_why, sizeof(cd->v56_why), "%s", why);
		snprintf(cd->current_why, sizeof(cd->current_why), "%s", why);
		return;
	}
	if (cd->source == CHECKS_COEFFICIENT)
		compute_v56(dom, index, out);
	else
		snprintf(cd->v56_why, sizeof(cd->v56_why),
			 "left out: v5.6 does not read opp-microwatt");
	compute_current(dom, index, out);
	check_monotonic(dom, index, out);
}

void checks_energy(const struct dtcpus *d, struct checks *out)
{
	unsigned int i;

	for (i = 0; i < d->domain_count; i++)
		check_domain(d, i, out);
}

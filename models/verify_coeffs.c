// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A running kernel's energy model against coeffs.json, which says what ought to be there.
 */
#include "models/verify_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void check_coefficient(const struct verify_input *in, struct verify_domain *d)
{
	const uint32_t want = in->coeffs->dpc_uw_per_mhz_v2;
	const struct dt_cpu *cpu = &in->d->cpus[in->cpu];

	if (d->has_dpc && d->dpc_uw_per_mhz_v2 == want)
		return;
	if (d->has_dpc)
		verify_item(d, "coeffs", false,
			    "coeffs.json says coefficient %" PRIu32 ", %s has %" PRIu32
			    "; write it with 'fdtedit apply' and boot that tree",
			    want, cpu->path, d->dpc_uw_per_mhz_v2);
	else
		verify_item(d, "coeffs", false,
			    "coeffs.json says coefficient %" PRIu32
			    ", %s has none; write it with 'fdtedit apply' and boot that "
			    "tree",
			    want, cpu->path);
}

static struct verify_state *find_state(struct verify_domain *d, uint64_t khz)
{
	unsigned int i;

	for (i = 0; i < d->state_count; i++)
		if (d->states[i].khz == khz)
			return &d->states[i];
	return NULL;
}

static void explain(const struct verify_input *in, const struct verify_domain *d,
		    const struct coeffs_opp *o, struct verify_state *s)
{
	const uint32_t dpc = in->coeffs->dpc_uw_per_mhz_v2;
	char *why = s->coeffs_why;
	const size_t size = sizeof(s->coeffs_why);

	if (d->source == VERIFY_OPP_MICROWATT && !o->opp_uw)
		snprintf(why, size,
			 "opp-microwatt in the tree wins over the coefficient");
	else if (d->source == VERIFY_OPP_MICROWATT)
		snprintf(why, size, "the tree's opp-microwatt is another");
	else if (em_power_uw(dpc, o->hz, o->microvolt) != o->kernel_uw)
		snprintf(why, size, "its own coefficient and voltage give %" PRIu64 " uW",
			 em_power_uw(dpc, o->hz, o->microvolt));
	else if (!d->has_dpc || dpc != d->dpc_uw_per_mhz_v2)
		snprintf(why, size, "it is of coefficient %" PRIu32, dpc);
	else if (o->microvolt / 1000 != s->volt_uv / 1000)
		snprintf(why, size, "it reckons with %u mV, the kernel with %u mV",
			 o->microvolt / 1000, s->volt_uv / 1000);
	else
		snprintf(why, size, "it is what the tree asks for, too");
}

static void check_opp(const struct verify_input *in, struct verify_domain *d,
		      const struct coeffs_opp *o, struct verify_state *s)
{
	uint64_t want = d->source == VERIFY_OPP_MICROWATT && o->opp_uw ? o->opp_uw
								       : o->kernel_uw;

	if (!want)
		return;
	s->has_coeffs = true;
	s->coeffs_power = d->unit == EM_MILLIWATT ? want / 1000 : want;
	s->coeffs_differs = s->coeffs_power != s->kernel.power;
	if (s->coeffs_differs)
		explain(in, d, o, s);
}

static void check_opps(const struct verify_input *in, struct verify_domain *d)
{
	unsigned int i, nowhere = 0;
	uint64_t khz = 0;

	for (i = 0; i < in->coeffs->opp_count; i++) {
		const struct coeffs_opp *o = &in->coeffs->opps[i];
		struct verify_state *s = find_state(d, o->hz / 1000);

		if (s && s->in_kernel) {
			check_opp(in, d, o, s);
		} else if (!s) {
			khz = nowhere++ ? khz : o->hz / 1000;
		}
	}
	if (nowhere)
		verify_item(d, "coeffs", true,
			    "coeffs.json has %u OPP%s that neither the tree nor the "
			    "kernel has, from %" PRIu64 " MHz",
			    nowhere, nowhere == 1 ? "" : "s", khz / 1000);
}

void verify_against_coeffs(const struct verify_input *in, struct verify_domain *d)
{
	if (!in->coeffs || in->domain < 0)
		return;
	check_coefficient(in, d);
	if (d->kernel && (d->unit == EM_MICROWATT || d->unit == EM_MILLIWATT))
		check_opps(in, d);
}

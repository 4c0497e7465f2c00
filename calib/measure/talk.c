// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a run tells its user.
 */
#include "calib/measure/talk.h"

#include <inttypes.h>

#include "calib/samples.h"
#include "lib/text.h"

#define NS_PER_S 1000000000u

char *talk_time(uint64_t ns, char *out, size_t size)
{
	uint64_t s = (ns + NS_PER_S - 1) / NS_PER_S;
	unsigned int min = s / 60 % 60, sec = s % 60;

	if (s >= 3600)
		snprintf(out, size, "%" PRIu64 ":%02u:%02u", s / 3600, min, sec);
	else
		snprintf(out, size, "%u:%02u", min, sec);
	return out;
}

static void print_visits(FILE *f, const struct plan *plan)
{
	for (size_t i = 0; i < plan->least_count; i++) {
		const struct plan_window *w = &plan->windows[i];

		if (!i || w->visit != w[-1].visit)
			fprintf(f, "%s  %6g MHz, CPUs:", i ? "\n" : "", w->khz / 1e3);
		fprintf(f, " %u", w->cpu_count);
		if (plan->load_count > 1)
			fprintf(f, " %s", w->load);
	}
	fprintf(f, "\n");
}

void talk_plan(FILE *f, const struct runinfo *info, const struct plan *plan)
{
	const struct runinfo_cluster *cl = &info->clusters[plan->cluster];
	unsigned int rounds = plan->least_visits / plan->opp_count;
	char time[32];

	fprintf(f, "%s: %u operating point%s, %zu window%s", cl->name, plan->opp_count,
		text_s(plan->opp_count), plan->least_count, text_s(plan->least_count));
	if (rounds > 1)
		fprintf(f, " in %u rounds", rounds);
	fprintf(f, ", about %s", talk_time(plan_time_ns(plan), time, sizeof(time)));
	if (plan->count > plan->least_count)
		fprintf(f, "; up to %s until C is precise enough",
			talk_time(plan_most_ns(plan), time, sizeof(time)));
	fprintf(f, "\n");
	fprintf(f, "  meter %s, %s%g ms: windows of %u reading%s, %g ms\n",
		cl->sensor[0] ? cl->sensor : "none",
		cl->sensor_interval_us ? "a new value every "
				       : "interval unknown, taken for ",
		(cl->sensor_interval_us ? cl->sensor_interval_us : PLAN_INTERVAL_US) /
			1e3,
		plan->timing.reads, text_s(plan->timing.reads),
		plan->timing.reads * plan->timing.slot_ns / 1e6);
	print_visits(f, plan);
}

static void print_flags(FILE *f, const struct runner_result *result)
{
	const char *comma = "";
	char name[128];

	fprintf(f, ", %u flagged (", result->flagged);
	for (unsigned int i = 0; i < 32; i++) {
		if (!result->flags[i])
			continue;
		fprintf(f, "%s%u %s", comma, result->flags[i],
			samples_flags_format(1u << i, name, sizeof(name)));
		comma = ", ";
	}
	fprintf(f, ")");
}

void talk_result(FILE *f, const struct runinfo *info, const struct plan *plan,
		 const struct runner_result *result)
{
	char time[32];

	fprintf(f, "%s: %u row%s at %u operating point%s in %s of board time",
		info->clusters[plan->cluster].name, result->rows, text_s(result->rows),
		plan->opp_count, text_s(plan->opp_count),
		talk_time(result->end_ns - result->start_ns, time, sizeof(time)));
	if (result->flagged)
		print_flags(f, result);
	if (result->lost)
		fprintf(f, ", %u window%s lost", result->lost, text_s(result->lost));
	if (result->stolen)
		fprintf(f,
			", %u window%s taken again as settings were changed or calib was "
			"stopped",
			result->stolen, text_s(result->stolen));
	if (result->rows_retaken)
		fprintf(f, ", %u taken again after cooling", result->rows_retaken);
	if (result->cooling_ns)
		fprintf(f, ", %s waited to cool",
			talk_time(result->cooling_ns, time, sizeof(time)));
	if (result->visits_skipped)
		fprintf(f, ", %u visit%s skipped", result->visits_skipped,
			text_s(result->visits_skipped));
	if (result->bad_reads)
		fprintf(f, ", %" PRIu32 " read%s failed", result->bad_reads,
			text_s(result->bad_reads));
	fprintf(f, "\n");
}

void talk_precision(FILE *f, bool virtual_board, const struct precision *p)
{
	fprintf(f, "%s%s: C is known to +-%.2g %% (95 %%) after %u visit%s\n",
		virtual_board ? "VIRTUAL " : "", p->cluster, 100 * p->half, p->visits,
		text_s(p->visits));
}

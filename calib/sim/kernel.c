// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel's energy model on a virtual board.
 */
#include "calib/sim/kernel.h"

#include <errno.h>

#include "models/checks.h"
#include "models/em_built.h"

int sim_kernel_tree(const struct board *board, struct dtcpus *d, struct err *err)
{
	int ret = board_cpus(board, d, err);

	for (unsigned int i = 0; !ret && i < board->cluster_count; i++) {
		const struct board_cluster *cl = &board->clusters[i];

		if (!cl->has_truth)
			ret = err_set(
				err, -EINVAL,
				"board '%s' cannot be played: cluster '%s' has no truth",
				board->name, cl->name);
		for (unsigned int k = 0; !ret && k < cl->cpu_count; k++) {
			struct dt_cpu *cpu = &d->cpus[cl->cpus[k]];

			cpu->has_dpc = true;
			cpu->dpc_uw_per_mhz_v2 = cl->truth.dpc_uw_per_mhz_v2;
		}
	}
	return ret;
}

int sim_kernel_model(const struct board *board, unsigned int release,
		     struct em_shown *shown, unsigned int *count, struct err *err)
{
	struct checks *checks = checks_new();
	struct dtcpus *d = dtcpus_new();
	const struct checks_input in = { .d = d };
	int ret = d && checks ? 0 : err_set(err, -ENOMEM, "out of memory");

	if (!ret)
		ret = sim_kernel_tree(board, d, err);
	if (!ret) {
		checks_run(&in, checks);
		*count = em_built(d, checks, release, shown);
	}
	checks_free(checks);
	dtcpus_free(d);
	return ret;
}

int sim_kernel_parse(const char *text, unsigned int *release, struct err *err)
{
	*release = em_release(text);
	if (*release >= EM_BUILT_OLDEST)
		return 0;
	return err_set(err, -EINVAL,
		       "kernel '%s' is none from 5.6 on, such as 5.10 or 6.12", text);
}

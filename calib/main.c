// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The calib program: the table of its commands.
 */
#include <stddef.h>

#include "calib/commands.h"
#include "lib/cmd.h"

/* A line each, so that two new ones merge. */
/* clang-format off */
static const struct cmd *const cmds[] = {
	&cmd_boards, &cmd_probe, &cmd_freqcheck, &cmd_measure, &cmd_restore, &cmd_import,
	&cmd_fit, &cmd_check, &cmd_plot, &cmd_verify,
	&cmd_ramp,
	&cmd_bench_perf,
	&cmd_bench_energy,
	&cmd_bench_compare,
	&cmd_bench_ab,
	&cmd_sweep,
	NULL,
};
/* clang-format on */

static const struct prog prog = {
	.name = "calib",
	.summary =
		"measure CPU power and fit the device tree's dynamic-power-coefficient",
	.help = "The daily use:\n"
		"  calib probe                       # what is here, and what is "
		"missing\n"
		"  calib measure --cluster a15       # power at every OPP, into "
		"./calib-run\n"
		"  calib fit > coeffs.json           # the coefficient, with its 95 % "
		"interval\n"
		"  calib check coeffs.json           # what the kernel will make of it\n"
		"  fdtedit apply BOARD.dtb coeffs.json\n"
		"  calib verify coeffs.json          # after the reboot: does the kernel "
		"agree?\n"
		"  calib plot                        # efficiency curves\n"
		"  calib bench perf -o before.json   # did it help? see 'bench "
		"compare'\n"
		"\n"
		"No hardware at hand? 'calib measure --board virtual:odroid-xu3'.",
	.cmds = cmds,
};

int main(int argc, char **argv)
{
	return cmd_main(&prog, argc, argv);
}

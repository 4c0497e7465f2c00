// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fdtedit program: the table of its commands.
 */
#include <stddef.h>

#include "fdtedit/commands.h"
#include "lib/cmd.h"

/* A line each, so that two new ones merge. */
/* clang-format off */
static const struct cmd *const cmds[] = {
	&cmd_show,
	&cmd_apply,
	&cmd_diff,
	&cmd_get,
	&cmd_set_property,
	&cmd_delete,
	&cmd_prune,
	NULL,
};
/* clang-format on */

static const struct prog prog = {
	.name = "fdtedit",
	.summary =
		"show and change CPU power properties in device trees, binary or source",
	.help = "The daily use:\n"
		"  fdtedit show BOARD.dtb                      # CPUs, OPPs, predicted "
		"power\n"
		"  fdtedit apply BOARD.dtb coeffs.json         # in place, whole or not "
		"at all\n"
		"  fdtedit apply --patch SOC.dtsi coeffs.json  # the same as a patch\n"
		"  fdtedit diff OLD.dtb NEW.dtb                # property by property",
	.cmds = cmds,
};

int main(int argc, char **argv)
{
	return cmd_main(&prog, argc, argv);
}

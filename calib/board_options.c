// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options that do not go with the kind of machine.
 */
#include "calib/board_options.h"

#include <errno.h>

static const char *const of_machines[] = { "sensor",   "power-from",   "voltages",
					   "sysroot",  "boost",	       "online",
					   "load-cmd", "thermal-mode", NULL };
static const char *const of_boards[] = { "fault",  "rsd",    "boot-rsd",
					 "effect", "kernel", NULL };
static const char *const seed[] = { "seed", NULL };

int board_options_check(const struct cmd_ctx *ctx, const char *board, bool uses_seed,
			struct err *err)
{
	bool is_virtual = board && board_is_virtual(board);
	const char *name = cmd_any_given(ctx, is_virtual ? of_machines : of_boards);

	if (!name && !is_virtual && !uses_seed)
		name = cmd_any_given(ctx, seed);
	if (!name)
		return 0;
	if (is_virtual)
		return err_set(err, -EINVAL,
			       "--%s is for real machines; a virtual board has its own "
			       "sensors, voltages and loads",
			       name);
	return err_set(err, -EINVAL,
		       "--%s is for virtual boards; add '--board virtual:NAME'", name);
}

int board_options_open(const char *spec, struct board *board, struct err *err)
{
	bool is_virtual;
	int ret = board_open(spec, board, &is_virtual, err);

	if (ret || is_virtual)
		return ret;
	return err_set(err, -EINVAL,
		       "--board is for virtual boards here: 'virtual:%s'; this machine "
		       "needs none",
		       spec);
}

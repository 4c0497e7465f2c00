/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options that only a real machine, or only a virtual board, takes.
 */
#ifndef CALIB_BOARD_OPTIONS_H
#define CALIB_BOARD_OPTIONS_H

#include <stdbool.h>

#include "boards/board.h"
#include "lib/cmd.h"
#include "lib/err.h"

/*
 * board_options_check - refuse what was given and would be ignored
 * @board: of --board; NULL: not given
 * @uses_seed: --seed says more than which virtual board it is
 *
 * By their names, which mean the same in all commands. 0; -EINVAL with the first of them.
 */
int board_options_check(const struct cmd_ctx *ctx, const char *board, bool uses_seed,
			struct err *err);
/*
 * board_options_open - the virtual board that --board names, where it may name no other
 *
 * 0; -EINVAL it is not virtual; what board_open() returns.
 */
int board_options_open(const char *spec, struct board *board, struct err *err);

#endif

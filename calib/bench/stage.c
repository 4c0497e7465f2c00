// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From --board to a stage.
 */
#include "calib/bench/stage.h"

#include <errno.h>
#include <stdlib.h>

#include "calib/board_options.h"

int stage_open(const struct stage_options *o, struct stage **s, struct err *err)
{
	struct board *board;
	int ret;

	if (!o->board)
		return stage_linux_open(o, s, err);
	board = calloc(1, sizeof(*board));
	if (!board)
		return err_set(err, -ENOMEM, "out of memory");
	ret = board_options_open(o->board, board, err);
	if (!ret)
		ret = stage_virtual_open(board, o->seed, s, err);
	free(board);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From --board to a stage.
 */
#include "calib/bench/stage.h"

#include <errno.h>
#include <stdlib.h>

static int open_board(const struct stage_options *o, struct board *board,
		      struct stage **s, struct err *err)
{
	bool virtual_board;
	int ret = board_open(o->board, board, &virtual_board, err);

	if (ret)
		return ret;
	if (!virtual_board)
		return err_set(err, -EINVAL,
			       "board '%s' is not virtual: '--board virtual:NAME' plays "
			       "one, and without --board this machine is measured",
			       o->board);
	return stage_virtual_open(board, o->seed, s, err);
}

int stage_open(const struct stage_options *o, struct stage **s, struct err *err)
{
	struct board *board;
	int ret;

	if (!o->board)
		return stage_linux_open(o, s, err);
	board = calloc(1, sizeof(*board));
	if (!board)
		return err_set(err, -ENOMEM, "out of memory");
	ret = open_board(o, board, s, err);
	free(board);
	return ret;
}

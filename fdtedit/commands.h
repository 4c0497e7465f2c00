/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of fdtedit, one cmd_*.c each.
 */
#ifndef FDTEDIT_COMMANDS_H
#define FDTEDIT_COMMANDS_H

#include "lib/cmd.h"

extern const struct cmd cmd_apply;
extern const struct cmd cmd_delete;
extern const struct cmd cmd_diff;
extern const struct cmd cmd_get;
extern const struct cmd cmd_prune;
extern const struct cmd cmd_set_property; /* cmd_set() is lib/cmd.h's */
extern const struct cmd cmd_show;

#endif

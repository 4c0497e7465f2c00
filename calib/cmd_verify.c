// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib verify: is the running kernel's energy model what the tree and the file say?
 */
#include "calib/commands.h"

#include <errno.h>
#include <stdlib.h>

#include "calib/board_options.h"
#include "calib/sim/kernel.h"
#include "calib/verify.h"

struct verify_cmd {
	const char *tree, *sysroot, *board, *kernel;
	bool json;
};

static int run_verify(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
		      struct err *err)
{
	const struct verify_cmd *o = options;
	struct verify_options opts = {
		.sysroot = o->sysroot,
		.tree = o->tree,
		.coeffs = argc ? argv[0] : NULL,
		.kernel = o->kernel ? o->kernel : SIM_KERNEL,
	};
	struct verify *v = calloc(1, sizeof(*v));
	struct board *board = calloc(1, sizeof(*board));
	int ret = v && board ? 0 : err_set(err, -ENOMEM, "out of memory");

	if (!ret)
		ret = board_options_check(ctx, o->board, false, err);
	if (!ret && o->board) {
		ret = board_options_open(o->board, board, err);
		opts.board = board;
	}
	if (!ret)
		ret = verify_run(&opts, v, err);
	if (!ret && o->json)
		ret = verify_print_json(v, stdout, err);
	else if (!ret)
		verify_print(v, stdout);
	if (!ret)
		ret = verify_sum(v).differs;
	if (v)
		verify_free(v);
	free(v);
	free(board);
	return ret;
}

#define OPT(member) offsetof(struct verify_cmd, member)

static const struct opt verify_opts[] = {
	{ "tree", 0, OPT_STRING, OPT(tree), "FILE",
	  "the tree to compare with; default: /sys/firmware/fdt, that the kernel booted "
	  "with" },
	{ "board", 0, OPT_STRING, OPT(board), "virtual:NAME",
	  "a virtual board in place of this machine" },
	{ "kernel", 0, OPT_STRING, OPT(kernel), "RELEASE",
	  "virtual boards: the kernel that is played; default: " SIM_KERNEL },
	{ "sysroot", 0, OPT_STRING, OPT(sysroot), "DIR",
	  "look for /sys and /proc of the machine below DIR" },
	{ "json", 0, OPT_FLAG, OPT(json), NULL, "print JSON" },
	{ NULL },
};

const struct cmd cmd_verify = {
	.name = "verify",
	.args = "[COEFFS]",
	.summary = "is the running kernel's energy model what the tree says?",
	.help = "Reads the energy model that the kernel runs with and the device tree it "
		"booted with, computes each state from the tree as that kernel does, "
		"integer for integer, and compares: power, performance, cost, and the "
		"mark of inefficient states. No tolerance. With COEFFS also the tree's "
		"coefficient, and each kernel-microwatt. Changes nothing.\n"
		"\n"
		"Needs root for the tree, and debugfs for the model (mount -t debugfs "
		"none /sys/kernel/debug); where that is not mounted, netlink "
		"(dev-energymodel) where the kernel has that. All kernels from v5.6 on "
		"are read: "
		"mW before v6.0 and uW since; where no file tells the unit, the release "
		"does, or else the unit in which the powers fit. Voltages are those the "
		"kernel has at run time (debugfs opp/), else the tree's.\n"
		"\n"
		"What differs is explained where a cause gives the kernel's number "
		"exactly:\n"
		"  opp-microwatt  the tree's opp-microwatt, which wins\n"
		"  coefficient    another one fits: another tree was booted\n"
		"  other-cpu      it is that of a CPU which is not the domain's first\n"
		"  voltage        another voltage fits, mostly set by a driver or bin\n"
		"  capacity       the model is of another capacity than the tree gives\n"
		"  follows        cost or mark follow from powers that differ\n"
		"  boost, disabled, missing, not-in-tree, no-power\n"
		"                 a state that only one side has\n"
		"  rounding       cut to whole mW\n"
		"  artificial     a driver made the model up\n"
		"  not-explained  none of these\n"
		"Equal, but worth a note: a mark that was left from the time before "
		"clocks were known (mark-left), an OPP that this chip does not have "
		"(supported-hw).\n"
		"\n"
		"A virtual board runs no kernel: the arithmetic of one is played (mW as "
		"in 5.6 to 5.19, uW since 6.0; costs and marks as each had them), on a "
		"tree that has the board's true coefficients. COEFFS that were measured "
		"there, or a tree that has them, then show by how much they miss.\n"
		"\n"
		"Exit status: 0 all equal, 1 something differs or a CPU has no energy "
		"model, 2 could not run.",
	.example = "sudo calib verify\n"
		   "sudo calib verify coeffs.json\n"
		   "calib verify --tree board.dtb --json coeffs.json\n"
		   "calib verify --board virtual:odroid-xu3 --kernel 5.6 coeffs.json",
	.opts = verify_opts,
	.opts_size = sizeof(struct verify_cmd),
	.max_args = 1,
	.run = run_verify,
};

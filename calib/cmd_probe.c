// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib probe: what a machine offers, and what is missing.
 */
#include "calib/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "calib/board_options.h"
#include "calib/probe.h"
#include "calib/sim/sim.h"

struct probe_options {
	const char *board, *sysroot, *power_from, *voltages;
	struct opt_list sensors;
	bool json;
};

static int read_virtual(const struct board *board, struct facts *f, struct err *err)
{
	const struct sim_options opts = { .board = board, .seed = 1 };
	struct runinfo info;
	struct machine *m;
	int ret;

	ret = sim_open(&opts, &m, err);
	if (ret)
		return ret;
	ret = m->ops->discover(m, &info, err);
	if (!ret)
		facts_of_virtual(&info, f);
	m->ops->close(m);
	return ret ? ret : probe_play_kernel(board, f, err);
}

static int read_real(const struct probe_options *o, const struct board *board,
		     struct facts *f, struct err *err)
{
	const struct linux_options opts = {
		.sysroot = o->sysroot,
		.board = board,
		.sensors = o->sensors.items,
		.sensor_count = o->sensors.n,
		.power_from = o->power_from,
		.voltages = o->voltages,
	};

	return facts_read(&opts, f, err);
}

static int read_facts(const struct cmd_ctx *ctx, const struct probe_options *o,
		      struct facts *f, struct err *err)
{
	struct board *board = calloc(1, sizeof(*board));
	bool virtual_board = false;
	int ret = board_options_check(ctx, o->board, false, err);

	if (!ret && !board)
		ret = err_set(err, -ENOMEM, "out of memory");
	if (!ret && o->board)
		ret = board_open(o->board, board, &virtual_board, err);
	if (!ret)
		ret = virtual_board ? read_virtual(board, f, err)
				    : read_real(o, o->board ? board : NULL, f, err);
	free(board);
	return ret;
}

static int run_probe(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
		     struct err *err)
{
	const struct probe_options *o = options;
	struct facts *f = calloc(1, sizeof(*f));
	struct probe *p = calloc(1, sizeof(*p));
	int ret;

	(void)argc;
	(void)argv;
	ret = f && p ? read_facts(ctx, o, f, err)
		     : err_set(err, -ENOMEM, "out of memory");
	if (ret)
		goto out_free;
	probe_judge(f, p);
	if (o->json)
		ret = probe_print_json(p, stdout, err);
	else
		probe_print(p, stdout);
	if (!ret)
		ret = probe_missing(p, false) > 0;
out_free:
	free(p);
	free(f);
	return ret;
}

#define OPT(member) offsetof(struct probe_options, member)

static const struct opt probe_opts[] = {
	{ "board", 0, OPT_STRING, OPT(board), "BOARD",
	  "a board's name, a .dtb file, or virtual:NAME for its virtual twin" },
	{ "sensor", 0, OPT_LIST, OPT(sensors), "CLUSTER=SENSOR",
	  "which meter measures CLUSTER: 'a15=ina231@0x40', 'a15=label:VDD_ARM'" },
	{ "power-from", 0, OPT_STRING, OPT(power_from), "SOURCE",
	  "an external meter's readings: a command, FIFO, device or growing file; see "
	  "'calib measure --help'" },
	{ "voltages", 0, OPT_STRING, OPT(voltages), "FILE",
	  "voltages that you know: CPU.KHZ=MICROVOLT, blank-separated" },
	{ "sysroot", 0, OPT_STRING, OPT(sysroot), "DIR",
	  "look for /sys and /proc of the machine below DIR" },
	{ "json", 0, OPT_FLAG, OPT(json), NULL, "print JSON" },
	{ NULL },
};

const struct cmd cmd_probe = {
	.name = "probe",
	.args = "",
	.summary = "show what this machine offers, and what is missing",
	.help = "Looks, and changes nothing: clusters and their cpufreq policies, "
		"offline CPUs, "
		"operating points, the voltage of each and who tells it, governors and "
		"limits, power meters with their update interval (IIO: through a buffer "
		"or sysfs), thermal zones and cooling "
		"devices, cycle counters, capacities, and the energy model that the "
		"kernel "
		"runs with.\n"
		"\n"
		"Then what is missing, each with what to do: first for a calibration, "
		"then "
		"for energy-aware scheduling (EAS): schedutil, CPUs of different "
		"capacity, "
		"frequency-invariant load tracking, SMT off, an energy model on every "
		"CPU, "
		"the kernel's configuration. 'unseen' is what has to be there and cannot "
		"be "
		"looked at, mostly for want of root or debugfs.\n"
		"\n"
		"A virtual board is told as a kernel would that has its true "
		"coefficients and all that EAS asks for.\n"
		"\n"
		"With --power-from it waits for two readings and shows how they are "
		"understood: columns, rate and power.\n"
		"\n"
		"Exit status 0 when a calibration is possible, 1 when something is "
		"missing "
		"for it. Next: 'calib freqcheck', 'calib measure'.",
	.example = "sudo calib probe\n"
		   "calib probe --json\n"
		   "calib probe --sensor a15=label:VDD_ARM\n"
		   "calib probe --power-from 'ssh bench meter-log'\n"
		   "calib probe --board virtual:odroid-xu3",
	.opts = probe_opts,
	.opts_size = sizeof(struct probe_options),
	.run = run_probe,
};

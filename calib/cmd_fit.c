// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib fit: from measured rows to coeffs.json.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/commands.h"
#include "calib/fit.h"
#include "calib/fit_curve.h"
#include "calib/fit_diagnose.h"
#include "calib/fit_loads.h"
#include "lib/outfile.h"

struct job {
	const struct cmd_ctx *ctx;
	const struct fit_opts *o;
	struct fit_input in;
	struct coeffs *out;
};

/* Returns 0, 1 (the fit is too poor to ship) or a negative errno. */
static int fit_one(struct job *j, unsigned int i, struct err *err)
{
	struct coeffs_cluster *result = &j->out->clusters[i];
	struct fit_cluster c;
	const char *poor;
	int ret = fit_cluster_run(&c, &j->in, j->o, i, err);

	/* The table may show why nothing can be chosen. */
	if (j->o->compare && *c.load) {
		int cmp = fit_compare(j->o->out ? stdout : stderr, &c, &j->in,
				      ret ? NULL : err);

		ret = ret ? ret : cmp;
	}
	if (ret)
		goto out_free;
	poor = fit_cluster_poor(&c);
	if (poor) {
		cmd_warn(j->ctx,
			 "cluster '%s': fit too poor, nothing written: %s (C = %.4g, "
			 "method "
			 "%s)",
			 c.name, poor, c.fit.c, c.method->name);
		fit_talk_rows(&c, &j->in);
		ret = 1;
		goto out_free;
	}
	ret = fit_result_cluster(result, &c, &j->in, j->o, cmd_line(j->ctx), err);
	if (!ret) {
		fit_talk_cluster(j->ctx, &c, result, &j->in);
		if (j->o->explain)
			fit_explain(j->o->out ? stdout : stderr, fit_loads_main(&c),
				    result, &j->in);
		j->out->cluster_count = i + 1;
	}
out_free:
	fit_cluster_free(&c);
	return ret;
}

static int write_result(const struct job *j, struct err *err)
{
	struct outfile out;
	int ret;

	if (!j->o->out)
		return coeffs_write(j->out, stdout, err);
	ret = outfile_open(&out, j->o->out, err);
	if (ret)
		return ret;
	ret = coeffs_write(j->out, out.f, err);
	if (!ret)
		ret = outfile_prepare(&out, err);
	/* What --explain said of it. */
	if (!ret)
		ret = outfile_flush_stdout(err);
	if (!ret)
		ret = outfile_commit(&out, err);
	outfile_abort(&out);
	return ret;
}

static int check_output(const struct job *j, struct err *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < j->in.samples.file_count && !ret; i++)
		ret = outfile_not_input(j->o->out, j->in.samples.paths[i], err);
	for (i = 0; i < j->in.path_count && !ret; i++)
		ret = outfile_not_input(j->o->out, j->in.paths[i], err);
	return ret;
}

/* Half a result would pass for a whole one; but what can be fitted can be had. */
static int all_or_none(const struct job *j, const char *good, int failed, struct err *err)
{
	struct err why = *err;

	if (failed && good)
		return err_set(
			err, failed,
			"%s; nothing is written, but --cluster %s can be fitted alone",
			why.msg, good);
	if (failed)
		return failed;
	if (good)
		cmd_note(j->ctx,
			 "nothing is written, but --cluster %s can be fitted alone",
			 good);
	return 1;
}

static int fit_all(struct job *j, struct err *err)
{
	const char *good = NULL;
	int ret, failed = 0;
	bool poor = false;
	unsigned int i;

	if ((j->o->compare || j->o->explain) && j->in.first)
		return err_set(err, -EINVAL,
			       "%s is of one board, and there are %u; give one run",
			       j->o->compare ? "--compare" : "--explain",
			       j->in.samples.board_count);
	fit_talk_rejects(j->ctx, &j->in);
	for (i = 0; i < j->in.cluster_count; i++) {
		struct err again = { "" };

		ret = fit_one(j, i, failed ? &again : err);
		if (ret < 0 && !failed)
			failed = ret;
		poor |= ret > 0;
		if (!ret && !good)
			good = j->in.clusters[i];
	}
	if (failed || poor)
		return all_or_none(j, good, failed, err);
	cmd_note(j->ctx, "not in the interval: %s", FIT_NOT_IN_INTERVAL);
	snprintf(j->out->generator, sizeof(j->out->generator), "%s", cmd_version());
	if (j->in.has_info) {
		snprintf(j->out->board, sizeof(j->out->board), "%s",
			 j->in.info.compatible);
		j->out->virtual_board = j->in.info.virtual_board;
	}
	ret = fit_capacities(j->ctx, j->out, &j->in, err);
	if (ret)
		return ret;
	fit_result_join(j->out, &j->in);
	for (i = 0; j->o->curve && i < j->out->cluster_count; i++)
		fit_curve_table(j->o->out ? stdout : stderr, &j->out->clusters[i]);
	ret = fit_checks(j->out, &j->in, err);
	return ret ? ret : write_result(j, err);
}

static int run_fit(struct cmd_ctx *ctx, const void *opts, int argc, char **argv,
		   struct err *err)
{
	struct job *j = calloc(1, sizeof(*j));
	int ret;

	if (!j)
		return err_set(err, -ENOMEM, "out of memory");
	j->ctx = ctx;
	j->o = opts;
	j->out = coeffs_new();
	if (!j->out)
		ret = err_set(err, -ENOMEM, "out of memory");
	else
		ret = fit_input_read(&j->in, j->o, argv, argc, err);
	if (!ret)
		ret = check_output(j, err);
	if (!ret)
		ret = fit_all(j, err);
	fit_input_free(&j->in);
	coeffs_free(j->out);
	free(j);
	return ret;
}

static const struct opt fit_opts[] = {
	{ "run", 'd', OPT_STRING, offsetof(struct fit_opts, dir), "DIR",
	  "the run that is fitted (default: ./" RUN_DEFAULT ")" },
	{ "output", 'o', OPT_STRING, offsetof(struct fit_opts, out), "FILE",
	  "write the result here instead of to stdout" },
	{ "method", 0, OPT_STRING, offsetof(struct fit_opts, method), "NAME",
	  "how to fit (default: auto, by what was measured)",
	  "auto|structured|within-opp|within-opp-plain|pooled|idle-subtracted|intercept|"
	  "through-origin|voltage-linear|exponential-leakage|mean-of-ratios|"
	  "median-of-ratios|delta|two-minus-one|freqbench|tc2|walker" },
	{ "leakage", 0, OPT_STRING, offsetof(struct fit_opts, leakage), "LAW",
	  "how structured and within-opp take leakage to go with voltage and heat "
	  "(default: auto, all of these weighed by the data)",
	  "auto|linear|cubic|exponential" },
	{ "compare", 0, OPT_FLAG, offsetof(struct fit_opts, compare), NULL,
	  "print what every method makes of the rows (on stdout with -o)" },
	{ "explain", 0, OPT_FLAG, offsetof(struct fit_opts, explain), NULL,
	  "print how good the fit is and what makes one doubt it (on stdout with -o)" },
	{ "cluster", 0, OPT_STRING, offsetof(struct fit_opts, cluster), "NAME",
	  "fit this cluster only" },
	{ "load", 0, OPT_STRING, offsetof(struct fit_opts, load), "NAME",
	  "fit the rows of this load (default: the integer load); all: of every load" },
	{ "mix", 0, OPT_STRING, offsetof(struct fit_opts, mix), "LOAD=WEIGHT,...",
	  "ship the mean of these loads' C; the weights add up to 1" },
	{ "curve", 0, OPT_FLAG, offsetof(struct fit_opts, curve), NULL,
	  "print power per operating point, and what the kernel makes of it (on stdout "
	  "with -o)" },
	{ "raw", 0, OPT_FLAG, offsetof(struct fit_opts, raw), NULL,
	  "make the rows anew from single readings, see above" },
	{ "match", 0, OPT_LIST, offsetof(struct fit_opts, match), "KEY=VALUE",
	  "the CPUs: compatible=CORE, reg=N,N or path=/NODE,/NODE" },
	{ "scope", 0, OPT_STRING, offsetof(struct fit_opts, scope), "WHAT",
	  "what was metered, where the file does not say", "rail|device" },
	{ NULL },
};

const struct cmd cmd_fit = {
	.name = "fit",
	.args = "[RUN... | SAMPLES.csv...]",
	.summary = "fit the dynamic-power-coefficient to measured rows",
	.help = "Fits C of P = C f V^2, the dynamic power of one CPU in uW/MHz/V^2, with "
		"its "
		"95 % interval, and prints coeffs.json. Rows come from a run, or from "
		"CSV "
		"files: our own, or any whose columns say their unit (freq_khz or "
		"freq_mhz, voltage_uv or voltage_v, power_uw or power_mw; also policy, "
		"ncpus, baseline_uw, board).\n"
		"\n"
		"A folder is a run, and a run is one board: several folders are several "
		"boards of one kind, which are fitted one by one. C then is their mean "
		"with its interval (random effects), and beside it stand how far boards "
		"differ, where a new board's C is to be expected, and which board is "
		"unlike the others. Several CSV files are rows of one board, unless a "
		"column 'board' says otherwise. '-' is standard input.\n"
		"\n"
		"Rows without end are taken, in bounded memory: beyond some ten "
		"thousand, "
		"means of windows at one operating point, CPU count and temperature are "
		"fitted in their place, and it says so. Of thousands of boards, a "
		"hundred "
		"are fitted in full, all with what these share.\n"
		"\n"
		"A rail draws more than what CPUs switch: shared clock, leakage that "
		"grows with temperature, whatever else the meter sees. What can be told "
		"apart depends on what was measured, and so does the method:\n"
		"  structured       several CPU counts and idle: all terms fitted, a\n"
		"                   random offset per visit to an operating point\n"
		"  within-opp       several CPU counts: power against busy CPUs within\n"
		"                   each operating point; what is constant there drops "
		"out\n"
		"  idle-subtracted  one CPU count and idle: the difference\n"
		"  intercept        one CPU count: a line, static power is its "
		"intercept\n"
		"  through-origin   static power was subtracted before (baseline)\n"
		"The other methods repeat how published numbers were made (freqbench is "
		"another name for mean-of-ratios, tc2 for two-minus-one, walker for "
		"pooled); --compare prints them all, and what is in their C that is not "
		"one CPU's. With one CPU count the shared clock is always inside C.\n"
		"\n"
		"--leakage takes one law for granted: linear is k V (1 + g (T - T0)), "
		"cubic k V^3 exp(g (T - T0)), exponential the same with an exponential "
		"of V. C then has no share of what is not known about it.\n"
		"\n"
		"C differs from load to load. --load all fits every load that was "
		"measured and shows how C spreads; what ships is still the integer "
		"load's. --mix int=0.6,dram=0.2,simd=0.2 ships the mean by the share of "
		"CPU time, with what the loads' errors have in common, and the file "
		"says so.\n"
		"\n"
		"opp-microwatt in the file is the whole curve in place of the one "
		"coefficient: what one busy CPU adds while its cluster runs, per "
		"operating point, measured, drawn towards C f V^2 as far as it is noise, "
		"and never falling as the clock rises. opp-microwatt-full is one CPU's "
		"share of all that is metered with all CPUs busy, where that was "
		"measured. --curve prints both beside what the kernel computes from C "
		"and from the effective coefficient (through the origin, static power "
		"included), and how far C f V^2 is off the measured power.\n"
		"\n"
		"With two clusters and more capacity-dmips-mhz comes from what the "
		"integer "
		"load did per MHz, 1024 for the fastest; it is a finding when that is "
		"not "
		"the same at every clock, as for a load that waits for memory.\n"
		"\n"
		"--raw makes each row anew from its readings: those that 'calib measure "
		"--raw' keeps in RUN/raw.csv, or files with a row for each reading, "
		"where "
		"rows that follow each other with the same clock, cpu_count and load are "
		"one window. Repeats of a gauge that is slower than whoever polls it are "
		"dropped, a window's beginning is cut while it warms up (MSER-5, at most "
		"half), spikes are left out and named, and what is left is worth fewer "
		"readings the more they follow each other (column reads). calib-files(5) "
		"has the details.\n"
		"\n"
		"Rows with flags (throttled, clock, stale ...) and windows that "
		"contradict all others are left out, and named.\n"
		"\n"
		"--explain tells how far to trust the number: errors of several kinds, "
		"what C has in common with other terms, the rows that decide, lack of "
		"fit against repeated windows, drifts, robust cross-checks, C and a "
		"prediction interval per operating point, and warnings with what to do. "
		"All of it is in coeffs.json, too.\n"
		"\n"
		"Exit status: 0 done, 1 the fit is too poor to ship, 2 could not run.",
	.example =
		"calib fit > coeffs.json\n"
		"calib fit -d run --cluster a15 --compare -o coeffs.json\n"
		"calib fit board1/ board2/ board3/ > coeffs.json\n"
		"calib fit --explain -o coeffs.json | less\n"
		"calib fit --raw -d run > coeffs.json\n"
		"calib fit --match compatible=arm,cortex-a53 old-run.csv > coeffs.json",
	.opts = fit_opts,
	.opts_size = sizeof(struct fit_opts),
	.max_args = SAMPLES_MAX_FILES,
	.run = run_fit,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib check: what the kernel will make of the coefficients, and whether that is sound.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/check_facts.h"
#include "calib/check_print.h"
#include "calib/commands.h"
#include "lib/num.h"
#include "models/checks.h"

#define DEFAULT_INPUT "coeffs.json"

struct check_opts {
	const char *board;
	const char *bin;
	const char *ratio;
	struct opt_list ignore;
	bool json;
};

/* "2.5:4.5" */
static int parse_ratio(const char *text, struct checks_band *band, struct err *err)
{
	const char *colon = strchr(text, ':');
	char min[32];

	if (!colon || (size_t)(colon - text) >= sizeof(min))
		goto bad;
	memcpy(min, text, colon - text);
	min[colon - text] = '\0';
	if (num_double(min, &band->min) || num_double(colon + 1, &band->max))
		goto bad;
	if (band->min <= 0 || band->max < band->min)
		goto bad;
	band->known = true;
	band->source = "--ratio";
	return 0;
bad:
	return err_set(err, -EINVAL,
		       "--ratio '%s' is not MIN:MAX with 0 < MIN <= MAX, such as 2.5:4.5",
		       text);
}

static int find_band(const struct check_opts *o, const struct check_facts *facts,
		     struct checks_band *band, struct err *err)
{
	memset(band, 0, sizeof(*band));
	if (o->ratio)
		return parse_ratio(o->ratio, band, err);
	*band = check_facts_band(facts);
	return 0;
}

static int judge(const struct check_opts *o, const struct check_facts *facts,
		 struct checks *c, struct err *err)
{
	struct checks_input in = {
		.d = facts->d,
		.capacity_unknown = facts->capacity_unknown,
		.measured = facts->measured,
	};
	unsigned int i;
	int ret;

	ret = find_band(o, facts, &in.band, err);
	if (ret)
		return ret;
	checks_run(&in, c);
	for (i = 0; i < o->ignore.n; i++) {
		ret = checks_ignore(c, o->ignore.items[i], err);
		if (ret)
			return err_wrap(err, ret, "--ignore");
	}
	return 0;
}

static int check_file(const struct check_opts *o, const char *path,
		      struct check_facts *facts, struct checks *c, struct err *err)
{
	int ret;

	if (!path && access(DEFAULT_INPUT, F_OK))
		return err_set(err, -ENOENT,
			       "no '" DEFAULT_INPUT
			       "' here; make it with 'calib fit > " DEFAULT_INPUT
			       "', or name a coeffs.json or .dtb");
	if (!path)
		path = DEFAULT_INPUT;
	ret = check_facts_load(facts, path, o->board, o->bin, err);
	if (!ret)
		ret = judge(o, facts, c, err);
	if (ret)
		return ret;
	path = buf_file_name(path);
	if (o->json)
		ret = check_print_json(stdout, path, facts, c, err);
	else
		check_print_text(stdout, path, facts, c);
	return ret ? ret : checks_findings(c) != 0;
}

static int run_check(struct cmd_ctx *ctx, const void *opts, int argc, char **argv,
		     struct err *err)
{
	struct check_facts *facts = calloc(1, sizeof(*facts));
	struct checks *c = checks_new();
	int ret = -ENOMEM;

	(void)ctx;
	if (facts && c)
		ret = check_file(opts, argc ? argv[0] : NULL, facts, c, err);
	else
		err_set(err, -ENOMEM, "out of memory");
	if (facts)
		check_facts_free(facts);
	free(facts);
	checks_free(c);
	return ret;
}

static const struct opt check_opts[] = {
	{ "board", 0, OPT_STRING, offsetof(struct check_opts, board), "NAME|FILE",
	  "the machine: its OPPs (for a coeffs.json) and its expected ratio" },
	{ "bin", 0, OPT_STRING, offsetof(struct check_opts, bin), "NAME",
	  "the speed bin whose voltages count (speed1 of opp-microvolt-speed1)" },
	{ "ratio", 0, OPT_STRING, offsetof(struct check_opts, ratio), "MIN:MAX",
	  "the band the big/LITTLE ratio of the coefficients must be in" },
	{ "ignore", 0, OPT_LIST, offsetof(struct check_opts, ignore), "CHECK",
	  "leave a check out of the verdict",
	  "monotonic|limits|voltage|coefficient|energy-model|capacity|ratio|cost|order" },
	{ "json", 0, OPT_FLAG, offsetof(struct check_opts, json), NULL,
	  "print the result as JSON" },
	{ NULL },
};

const struct cmd cmd_check = {
	.name = "check",
	.args = "[COEFFS | BOARD.dtb]",
	.summary = "what the kernel will make of the coefficients",
	.help = "Builds the energy model as the kernel does, integer for integer, and "
		"judges it. The input is a coeffs.json (default: ./coeffs.json) or a "
		"compiled device tree with coefficients in it; source is compiled with "
		"dtc first.\n"
		"\n"
		"A coeffs.json without OPPs takes them from the board it names, or from "
		"--board, which is a built-in name or any .dtb. What can not be checked "
		"for want of facts is said in a note.\n"
		"\n"
		"The checks:\n"
		"  monotonic     efficiency falls as the clock rises. v5.6 rule: MHz "
		"per\n"
		"                mW against the state below; the kernel prints a line "
		"per\n"
		"                state. Current rule: cost against all states above;\n"
		"                schedutil skips the marked states\n"
		"  limits        each state's power is 1 uW..64 W, in v5.6 1..65535 mW\n"
		"  voltage       a coefficient needs opp-microvolt on every OPP\n"
		"  coefficient   one value per frequency domain, on its first CPU\n"
		"  energy-model  every CPU has an energy model, or EAS stays off\n"
		"  capacity      capacity-dmips-mhz on all CPUs, and not all capacities "
		"equal\n"
		"  ratio         big over LITTLE coefficient lies in the board's band\n"
		"  cost          at some OPP the little CPUs cost less at the same\n"
		"                performance, as the kernel reckons\n"
		"  order         by measurement, too, the cluster costs least that the\n"
		"                kernel will choose. Needs a coeffs.json with measured\n"
		"                power and capacities\n"
		"\n"
		"order compares what one more busy CPU draws, the cluster being awake, "
		"at "
		"the lowest OPP of each cluster that delivers a throughput; a difference "
		"within the error, or below 1/16, is none. That waking a cluster costs "
		"its shared clock, which no coefficient can tell the kernel, is a note. "
		"A "
		"cluster whose power is cut in idle costs its leakage, too.\n"
		"\n"
		"A single coefficient makes efficiency depend on V^2 only, so OPPs that "
		"share a voltage are never monotonic; when that is known and accepted, "
		"use --ignore monotonic.\n"
		"\n"
		"Exit status: 0 no finding, 1 findings, 2 could not run.",
	.example = "calib check\n"
		   "calib check exynos5422-odroidxu4.dtb\n"
		   "calib check --board odroid-xu4 --ignore monotonic coeffs.json\n"
		   "calib check --ratio 2.5:4.5 --json coeffs.json",
	.opts = check_opts,
	.opts_size = sizeof(struct check_opts),
	.max_args = 1,
	.run = run_check,
};

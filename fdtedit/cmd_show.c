// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fdtedit show: CPU nodes, OPPs and what the kernel will compute from them.
 */
#include "fdtedit/commands.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "fdtedit/compile.h"
#include "fdtedit/dtb.h"
#include "fdtedit/show.h"
#include "models/kernel_em.h"

struct show_options {
	bool json;
	const char *bin;
	struct opt_list includes;
};

bool show_power_uw(const struct show *s, unsigned int domain, unsigned int opp,
		   uint64_t *power_uw)
{
	const struct checks_domain *cd = &s->checks->domains[domain];
	const struct dt_opp *o = &s->d->domains[domain].opps[opp];

	if (cd->source == CHECKS_OPP_MICROWATT && o->has_power)
		*power_uw = o->power_uw;
	else if (cd->source == CHECKS_COEFFICIENT && o->has_volt)
		*power_uw = em_power_uw(cd->dpc_uw_per_mhz_v2, o->hz, o->volt_uv);
	else
		return false;
	return true;
}

static int show_tree(const char *file, const struct show_options *o,
		     const struct dtb *dtb, struct dtcpus *d, struct checks *checks,
		     struct err *err)
{
	const struct checks_input in = { .d = d };
	const struct show s = { .file = file, .d = d, .checks = checks };
	int ret;

	ret = dtb_read_cpus(dtb, d, err);
	if (!ret && o->bin)
		ret = dtcpus_use_bin(dtb->file.data, d, o->bin, err);
	if (ret)
		return err_wrap(err, ret, "'%s'", file);
	checks_run(&in, checks);
	if (o->json)
		return show_json(&s, stdout, err);
	show_text(&s, stdout);
	return 0;
}

static int run_show(struct cmd_ctx *ctx, const void *opts, int argc, char **argv,
		    struct err *err)
{
	const struct show_options *o = opts;
	struct dtcpus *d = dtcpus_new();
	struct checks *checks = checks_new();
	struct dtb dtb = { 0 };
	int ret;

	(void)argc;
	if (!d || !checks)
		ret = err_errno(err, -ENOMEM, "list of CPU nodes");
	else
		ret = compile_or_load(argv[0], &o->includes, &dtb, err);
	if (!ret && dtb.trailing)
		cmd_warn(ctx, "'%s': %zu bytes after the tree", argv[0], dtb.trailing);
	if (!ret)
		ret = show_tree(argv[0], o, &dtb, d, checks, err);
	dtb_free(&dtb);
	checks_free(checks);
	dtcpus_free(d);
	return ret;
}

static const struct opt show_opts[] = {
	{ "bin", 0, OPT_STRING, offsetof(struct show_options, bin), "BIN",
	  "voltages of this speed bin: 'speed1' for opp-microvolt-speed1" },
	{ "include", 'I', OPT_LIST, offsetof(struct show_options, includes), "DIR",
	  "source only: look for included files here too; may be given more than once" },
	{ "json", 0, OPT_FLAG, offsetof(struct show_options, json), NULL, "as JSON" },
	{ NULL },
};

const struct cmd cmd_show = {
	.name = "show",
	.args = "BOARD",
	.summary = "show CPU nodes, OPPs and the power the kernel will predict",
	.help = "Per frequency domain: its CPU nodes with capacity-dmips-mhz and "
		"dynamic-power-coefficient, then the OPPs. Power is in uW of one busy "
		"CPU "
		"and comes from the kernel's own integer arithmetic; cost is the number "
		"by "
		"which EAS compares; an OPP is marked inefficient when a faster one "
		"costs "
		"no more, and the kernel skips it.\n"
		"\n"
		"A '-' is something the tree does not say. Without a coefficient on a "
		"domain's first CPU there is no energy model: see 'fdtedit apply'. What "
		"is "
		"wrong with a model is the business of 'calib check'.\n"
		"\n"
		"Source (.dts) goes through cpp and dtc first, which must be installed.",
	.example = "fdtedit show exynos5422-odroidxu4.dtb\n"
		   "fdtedit show --json /sys/firmware/fdt",
	.opts = show_opts,
	.opts_size = sizeof(struct show_options),
	.min_args = 1,
	.max_args = 1,
	.run = run_show,
};

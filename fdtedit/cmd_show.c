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
#include "lib/text.h"
#include "models/kernel_em.h"

struct show_options {
	bool json;
	const char *bin;
	struct opt_list includes;
	struct container_pick pick;
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

/* One run: what was found, and the room for what is made of it. */
struct shown {
	const struct show_options *opts;
	const char *file;
	struct dts *source;
	struct dtb dtb; /* empty when source does not compile */
	struct dtcpus *d;
	struct checks *checks;
};

static int read_tree(struct shown *sh, struct err *err)
{
	const struct checks_input in = { .d = sh->d };
	int ret;

	ret = dtb_read_cpus(&sh->dtb, sh->d, err);
	if (!ret && sh->opts->bin)
		ret = dtcpus_use_bin(sh->dtb.file.data, sh->d, sh->opts->bin, err);
	if (ret)
		return err_wrap(err, ret, "'%s'", sh->file);
	checks_run(&in, sh->checks);
	return 0;
}

/* Source tells where the values stand; what they come to, only its tree does. */
static int load_source(struct shown *sh, struct cmd_ctx *ctx, struct err *err)
{
	const struct opt_list *dirs = &sh->opts->includes;
	struct err why = { "" };
	int ret = container_refuse_pick(&sh->opts->pick, sh->file, err);

	if (!ret)
		ret = dts_open(sh->file, dirs->items, dirs->n, false, &sh->source, err);
	if (ret)
		return ret;
	for (size_t i = 0; dts_note(sh->source, i); i++)
		cmd_warn(ctx, "%s", dts_note(sh->source, i));
	if (!compile_dts(sh->source, false, dirs, &sh->dtb, &why))
		return 0;
	dtb_free(&sh->dtb);
	if (sh->opts->bin)
		return err_set(err, -EINVAL, "--bin needs the OPPs: %s", why.msg);
	cmd_note(ctx, "capacity, OPPs and power are not shown: %s", why.msg);
	return 0;
}

/* Several trees, and none was chosen: the list is the answer. */
static void list_trees(struct container *c, const char *file)
{
	printf("%s: %s, %zu trees; --index shows one\n", file, container_kind_name(c),
	       c->count);
	for (size_t i = 0; i < c->count; i++) {
		struct container_item *item = &c->items[i];

		text_clean(item->name);
		printf("%4zu  %8zu bytes  %s%s%s%s\n", i, item->size, item->name,
		       item->name[0] ? "  " : "",
		       item->compatible[0] ? item->compatible : "-",
		       item->why_not[0] ? "  (not readable)" : "");
	}
}

/* 1 when the list was printed instead. */
static int load_tree(struct shown *sh, struct err *err)
{
	const struct container_pick *pick = &sh->opts->pick;
	struct container c = { 0 };
	size_t index;
	int ret = container_open(sh->file, &c, err);

	if (!ret && c.count > 1 && !pick->index && !pick->compatible && !sh->opts->json) {
		list_trees(&c, sh->file);
		ret = 1;
	} else if (!ret) {
		ret = container_choose(&c, pick, &index, err);
		if (!ret)
			ret = container_tree(&c, index, &sh->dtb, err);
		if (ret)
			err_wrap(err, ret, "'%s'", sh->file);
	}
	container_free(&c);
	return ret;
}

static int show(struct shown *sh, struct cmd_ctx *ctx, struct err *err)
{
	struct show s = { .file = sh->file };
	int ret;

	ret = compile_is_source(sh->file) ? load_source(sh, ctx, err)
					  : load_tree(sh, err);
	if (ret > 0)
		return 0;
	if (!ret && sh->dtb.trailing)
		cmd_warn(ctx, "'%s': %zu bytes after the tree", sh->file,
			 sh->dtb.trailing);
	if (!ret && sh->dtb.file.data)
		ret = read_tree(sh, err);
	if (ret)
		return ret;
	s.source = sh->source;
	s.d = sh->dtb.file.data ? sh->d : NULL;
	s.checks = sh->checks;
	if (sh->opts->json)
		return show_json(&s, stdout, err);
	show_text(&s, stdout);
	return 0;
}

static int run_show(struct cmd_ctx *ctx, const void *opts, int argc, char **argv,
		    struct err *err)
{
	struct shown sh = { .opts = opts, .file = argv[0] };
	int ret;

	(void)argc;
	sh.d = dtcpus_new();
	sh.checks = checks_new();
	if (sh.d && sh.checks)
		ret = show(&sh, ctx, err);
	else
		ret = err_errno(err, -ENOMEM, "list of CPU nodes");
	dtb_free(&sh.dtb);
	dts_free(sh.source);
	checks_free(sh.checks);
	dtcpus_free(sh.d);
	return ret;
}

static const struct opt show_opts[] = {
	{ "bin", 0, OPT_STRING, offsetof(struct show_options, bin), "BIN",
	  "voltages of this speed bin: 'speed1' for opp-microvolt-speed1" },
	{ "include", 'I', OPT_LIST, offsetof(struct show_options, includes), "DIR",
	  "source only: look for included files here too" },
	CONTAINER_OPTS(struct show_options, pick),
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
		"no more, and the kernel skips it. OPPs that the tree has disabled are "
		"named below the others.\n"
		"\n"
		"A '-' is something the tree does not say. Without a coefficient on a "
		"domain's first CPU there is no energy model: see 'fdtedit apply'. What "
		"is "
		"wrong with a model is the business of 'calib check'. Where the voltages "
		"are of several regulators, by their number in each OPP and the "
		"supplies that the CPU nodes name, that is said; mV is the first one's, "
		"as in the kernel, and opp-microwatt the sum.\n"
		"\n"
		"A file that holds several trees (see 'fdtedit apply') is listed, unless "
		"--index or --compatible chooses one.\n"
		"\n"
		"Of source (.dts, .dtsi) the file and line of each coefficient is shown, "
		"or of the node that has none. Where cpp and dtc are installed and it "
		"compiles, its domains and OPPs follow; else it is said why not.",
	.example = "fdtedit show exynos5422-odroidxu4.dtb\n"
		   "fdtedit show exynos5422-cpus.dtsi\n"
		   "fdtedit show --json /sys/firmware/fdt",
	.opts = show_opts,
	.opts_size = sizeof(struct show_options),
	.min_args = 1,
	.max_args = 1,
	.run = run_show,
};

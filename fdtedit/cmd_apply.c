// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fdtedit apply: write the coefficients into a board's tree.
 */
#include "fdtedit/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/apply.h"
#include "fdtedit/compile.h"
#include "fdtedit/dtb.h"
#include "fdtedit/edits.h"
#include "fdtedit/extra.h"
#include "fdtedit/target.h"
#include "lib/buf.h"
#include "lib/coeffs.h"
#include "lib/outfile.h"

/*
 * The kernel computes power from the voltages of the OPP table; opp-microwatt of the
 * first OPP goes before both (dev_pm_opp_of_register_em(), drivers/opp/of.c).
 */
static void warn_no_effect(const struct apply *a, const struct dt_domain *dom)
{
	const struct dt_cpu *cpu = &a->cpus->cpus[dom->cpus[0]];
	const char *first = cpu->path;
	unsigned int without = 0;

	for (unsigned int i = 0; i < dom->opp_count; i++)
		without += !dom->opps[i].has_volt && !dom->opps[i].volt_binned;
	if (dom->opp_count && dom->opps[0].has_power)
		cmd_warn(a->ctx,
			 "'%s': the value will have no effect, opp-microwatt in '%s' "
			 "overrides it",
			 first, dom->opp_path);
	else if (without == dom->opp_count && cpu->firmware_volt)
		return; /* firmware has them (drivers/cpufreq/qcom-cpufreq-hw.c) */
	else if (without)
		cmd_warn(a->ctx,
			 "'%s': the value will have no effect, %u OPP(s) of '%s' have no "
			 "opp-microvolt (opp-microwatt would do instead)",
			 first, without, dom->opp_path);
}

/* By path: an edit of source counts CPU nodes in its own way. */
static bool is_edited_cpu(const struct apply *a, const struct dt_cpu *cpu)
{
	for (unsigned int i = 0; i < a->edits.count; i++)
		if (!strcmp(a->edits.list[i].path, cpu->path))
			return true;
	return false;
}

bool apply_is_edited(const struct apply *a, const struct dt_domain *dom)
{
	for (unsigned int k = 0; k < dom->cpu_count; k++)
		if (is_edited_cpu(a, &a->cpus->cpus[dom->cpus[k]]))
			return true;
	return false;
}

/*
 * Who tells the kernel the power of each OPP, so that the driver asks for nothing else:
 * mtk_cpufreq_get_cpu_power() of mediatek-cpufreq-hw.c, scmi_get_cpu_power() of
 * scmi-cpufreq.c. NULL: the tree.
 */
static const char *power_source(const void *blob, const struct dt_cpu *cpu)
{
	if (cpu->firmware_power)
		return "firmware tells the kernel the power of each OPP (SCMI)";
	if (fdt_node_offset_by_compatible(blob, -1, "mediatek,cpufreq-hw") >= 0 &&
	    fdt_getprop(blob, dtb_node(blob, cpu->path, NULL), "performance-domains",
			NULL))
		return "the hardware tells the kernel the power of each OPP "
		       "(mediatek,cpufreq-hw)";
	return NULL;
}

static void warn_hardware(const struct apply *a)
{
	for (unsigned int i = 0; i < a->cpus->cpu_count; i++) {
		const struct dt_cpu *cpu = &a->cpus->cpus[i];
		const char *source = is_edited_cpu(a, cpu)
					     ? power_source(a->before.file.data, cpu)
					     : NULL;

		if (!source)
			continue;
		cmd_warn(a->ctx, "'%s' and others: the value will have no effect, %s",
			 cpu->path, source);
		return;
	}
}

void apply_warn_domains(const struct apply *a)
{
	/* The plan said it already. */
	if (a->opts->opp_power)
		return;
	warn_hardware(a);
	for (unsigned int d = 0; d < a->cpus->domain_count; d++)
		if (apply_is_edited(a, &a->cpus->domains[d]))
			warn_no_effect(a, &a->cpus->domains[d]);
}

static int plan_extra(struct apply *a, struct edits *edits, struct err *err)
{
	const struct extra x = { a->coeffs, &a->before, a->cpus, edits };
	int ret = 0;

	if (a->opts->capacity)
		ret = extra_capacity(&x, &a->extra, err);
	if (!ret && a->opts->opp_power)
		ret = extra_opp_power(&x, &a->extra, err);
	if (!ret && a->opts->sustainable)
		ret = extra_sustainable(&x, &a->extra, err);
	changes_drop_done(&a->extra, &a->before);
	return ret;
}

static int make_tree(struct apply *a, struct err *err)
{
	struct changes all = { 0 };
	int ret = dtb_edits_to_changes(&a->before, &a->edits, &all, err);

	if (!ret)
		ret = changes_append(&all, &a->extra, err);
	if (!ret)
		ret = dtb_change(&a->before, &all, &a->after, err);
	changes_free(&all);
	return ret;
}

int apply_plan_extra(struct apply *a, struct edits *edits, struct err *err)
{
	struct edit_cpu *view;
	int ret;

	a->cpus = dtcpus_new();
	if (!a->cpus)
		return err_errno(err, -ENOMEM, "list of CPU nodes");
	ret = dtb_read_cpus(&a->before, a->cpus, err);
	if (ret)
		return ret;
	ret = coeffs_resolve_labels(a->coeffs, dtb_label_path, a->before.file.data, err);
	if (ret)
		return ret;
	view = calloc(EDITS_MAX, sizeof(*view));
	if (!view)
		return err_errno(err, -ENOMEM, "list of CPU nodes");
	dtb_view(a->cpus, view);
	ret = edits_plan(a->coeffs, view, a->cpus->cpu_count, a->opts->all_cpus, edits,
			 err);
	free(view);
	return ret ? ret : plan_extra(a, edits, err);
}

int apply_plan_tree(struct apply *a, struct err *err)
{
	int ret = apply_plan_extra(a, &a->edits, err);

	return ret ? ret : make_tree(a, err);
}

void apply_print_edits(const struct apply *a, const char *const *old_text)
{
	bool dry = a->opts->dry_run || a->opts->source.patch || a->opts->overlay ||
		   a->opts->fragment;

	for (unsigned int i = 0; i < a->edits.count; i++) {
		const struct edit *e = &a->edits.list[i];
		char number[16] = "none";
		const char *old = old_text && old_text[i] ? old_text[i] : number;

		if (e->has_old)
			snprintf(number, sizeof(number), "%" PRIu32, e->old);
		fprintf(a->talk, "%s: %s: %s -> %" PRIu32 " (%s)\n", e->path, e->property,
			old, e->value, e->cluster);
	}
	changes_print(&a->extra, &a->before, a->talk);
	fprintf(a->talk, "%s: ", a->board);
	if (a->edits.count)
		fprintf(a->talk, "%u CPU node(s) %s, ", a->edits.nodes,
			dry ? "would change" : "changed");
	else if (!a->extra.count)
		fputs("nothing to do, ", a->talk);
	fprintf(a->talk, "%u%s right already", a->edits.right,
		a->edits.count ? "" : " CPU node(s)");
	if (a->extra.count)
		fprintf(a->talk, "; %zu other propert%s %s", a->extra.count,
			a->extra.count == 1 ? "y" : "ies",
			dry ? "would change" : "changed");
	if (a->edits.lost)
		fprintf(a->talk, "; %u will have none once compiled (/delete-property/)",
			a->edits.lost);
	fputc('\n', a->talk);
}

struct target apply_target(const struct apply *a)
{
	return (struct target){ .board = a->board,
				.output = a->opts->output,
				.backup = a->opts->backup,
				.dry_run = a->opts->dry_run,
				.keep_rest = a->opts->keep_trailing,
				.pick = a->opts->pick,
				.source = a->opts->source };
}

static int check_options(const struct apply *a, const char *coeffs, struct err *err)
{
	struct target t = apply_target(a);

	if (a->opts->format && !a->opts->source.patch)
		return err_set(err, -EINVAL,
			       "--format is about --patch; give that as well");
	if (!strcmp(a->board, "-") && !strcmp(coeffs, "-"))
		return err_set(err, -EINVAL, "BOARD and COEFFS cannot both be '-'");
	if (a->opts->source.patch + a->opts->overlay + a->opts->fragment > 1)
		return err_set(err, -EINVAL,
			       "give one of --patch, --overlay and --dtsi-fragment");
	if (a->opts->backup && (a->opts->overlay || a->opts->fragment))
		return err_set(err, -EINVAL,
			       "--backup is for editing in place; %s changes nothing",
			       a->opts->overlay ? "--overlay" : "--dtsi-fragment");
	if (a->opts->sustainable && a->opts->opp_power)
		return err_set(
			err, -EINVAL,
			"--scale-sustainable-power goes by the coefficients, which "
			"the kernel ignores after --opp-microwatt; give one of "
			"them");
	if (outfile_not_input(a->opts->output, coeffs, err))
		return -EINVAL;
	if ((a->opts->overlay || a->opts->fragment) &&
	    outfile_not_input(a->opts->output, a->board, err))
		return -EINVAL;
	t.dry_run |= a->opts->overlay || a->opts->fragment;
	return target_check(&t, err);
}

static int edit_tree(struct apply *a, struct target *t, struct err *err)
{
	int ret = target_load(t, &a->before, err);

	if (ret)
		return ret;
	ret = apply_plan_tree(a, err);
	if (ret)
		return err_wrap(err, ret, "'%s'", a->board);
	for (unsigned int i = 0; i < a->edits.note_count; i++)
		cmd_warn(a->ctx, "%s", a->edits.notes[i]);
	apply_warn_domains(a);
	ret = target_write(t, &a->after, a->edits.count || a->extra.count, err);
	if (ret)
		return ret;
	apply_print_edits(a, NULL);
	return target_finish(t, err);
}

static int apply_dtb(struct apply *a, struct err *err)
{
	struct target t = apply_target(a);
	int ret = edit_tree(a, &t, err);

	target_free(&t);
	return ret;
}

static FILE *choose_talk(const struct apply *a)
{
	struct target t = apply_target(a);

	if ((a->opts->overlay || a->opts->fragment) && !t.output && !t.dry_run)
		t.output = "-";
	return target_talk(&t);
}

static int run_apply(struct cmd_ctx *ctx, const void *opts, int argc, char **argv,
		     struct err *err)
{
	struct apply a = { .ctx = ctx, .opts = opts, .board = argv[0] };
	int ret;

	(void)argc;
	a.talk = choose_talk(&a);
	ret = check_options(&a, argv[1], err);
	if (!ret && compile_is_source(a.board))
		ret = container_refuse_pick(&a.opts->pick, a.board, err);
	if (ret)
		return ret;
	a.coeffs = coeffs_new();
	if (!a.coeffs)
		return err_errno(err, -ENOMEM, "coefficients");
	ret = coeffs_read(argv[1], a.coeffs, err);
	if (!ret && a.coeffs->virtual_board)
		cmd_warn(ctx,
			 "'%s': these coefficients were made by a virtual board, not "
			 "measured",
			 argv[1]);
	if (!ret && (a.opts->overlay || a.opts->fragment))
		ret = apply_overlay(&a, err);
	else if (!ret && compile_is_source(a.board))
		ret = apply_source(&a, err);
	else if (!ret)
		ret = apply_dtb(&a, err);
	outset_free(&a.out);
	dtb_free(&a.before);
	dtb_free(&a.after);
	changes_free(&a.extra);
	dtcpus_free(a.cpus);
	coeffs_free(a.coeffs);
	return ret;
}

static const struct opt apply_opts[] = {
	{ "output", 'o', OPT_STRING, offsetof(struct apply_options, output), "OUT",
	  "write here and leave BOARD alone ('-': standard output)" },
	{ "dry-run", 'n', OPT_FLAG, offsetof(struct apply_options, dry_run), NULL,
	  "say what would change and change nothing" },
	{ "backup", 0, OPT_FLAG, offsetof(struct apply_options, backup), NULL,
	  "keep the old file as BOARD.orig; refused when that is there" },
	TARGET_SOURCE_OPTS(struct apply_options, source),
	TARGET_FORCE_OPT(struct apply_options, source),
	{ "format", 0, OPT_STRING, offsetof(struct apply_options, format), "KIND",
	  "of --patch: 'diff' (default, for 'patch -p1'), or 'git-am', a mail for "
	  "'git am' whose message says where the numbers come from",
	  "diff|git-am" },
	{ "overlay", 0, OPT_FLAG, offsetof(struct apply_options, overlay), NULL,
	  "make an overlay that does it when merged into BOARD, and leave that alone: "
	  "with -o NAME.dtbo compiled, its source beside it as NAME.dtso; with -o "
	  "NAME.dtso, or without -o on standard output, only the source" },
	{ "dtsi-fragment", 0, OPT_FLAG, offsetof(struct apply_options, fragment), NULL,
	  "print '&cpu0 { ... };' blocks, to be included after BOARD's source" },
	{ "capacity", 0, OPT_FLAG, offsetof(struct apply_options, capacity), NULL,
	  "write capacity-dmips-mhz too: on all CPUs, or refuse" },
	{ "opp-microwatt", 0, OPT_FLAG, offsetof(struct apply_options, opp_power), NULL,
	  "write opp-microwatt too: on every OPP of the CPUs' tables, or refuse; the "
	  "kernel then ignores the coefficient" },
	{ "scale-sustainable-power", 0, OPT_FLAG,
	  offsetof(struct apply_options, sustainable), NULL,
	  "rescale sustainable-power of the thermal zones that cool these CPUs by what "
	  "their coefficients change by" },
	{ "all-cpus", 0, OPT_FLAG, offsetof(struct apply_options, all_cpus), NULL,
	  "give every matched CPU node the property, also where the tree has it on a "
	  "domain's first CPU only" },
	CONTAINER_KEEP_OPT(struct apply_options, keep_trailing),
	CONTAINER_OPTS(struct apply_options, pick),
	{ NULL },
};

const struct cmd cmd_apply = {
	.name = "apply",
	.args = "BOARD COEFFS",
	.summary = "write coefficients into a board's device tree",
	.help = "Gives each CPU node that a cluster of COEFFS (coeffs.json, from 'calib "
		"fit') matches its dynamic-power-coefficient. BOARD is edited in place: "
		"whole or not at all, mode and owner kept, a symbolic link stays one. A "
		"second run finds nothing to do and does not touch the file.\n"
		"\n"
		"A compiled tree (.dtb) stays as it is in all else: order, strings, "
		"reserve "
		"map, boot CPU id and spare room. The new property goes after "
		"capacity-dmips-mhz, or last in its node; the file grows by what that "
		"needs. In source (.dts, .dtsi) only the number changes, or one line "
		"comes in. A value is edited where the board gets it: in the CPU node, "
		"or in a '&cpu0 { ... }' that overrides it. A new one goes into the text "
		"that BOARD itself has of the node, be it such a block, else into the "
		"node. When that is in a file that BOARD includes, its name is told; "
		"--all-files edits it there, for all boards, and then what is new goes "
		"into the node in spite of blocks. When the numbers are the SoC's, name "
		"its .dtsi as BOARD. Before anything is "
		"written, source is compiled with cpp and dtc as it was and as it will "
		"be, "
		"and refused when the two trees differ by more than the edits; where "
		"that "
		"cannot be done (no cpp or dtc here, a .dtsi alone) a note says so.\n"
		"\n"
		"--patch prints the change of source as a plain diff, which 'patch -p1' "
		"and 'git apply' take and 'git am' refuses. With --format git-am it is a "
		"mail with a commit message, which 'git am' takes.\n"
		"\n"
		"--overlay names nodes by label where BOARD has __symbols__ (dtc -@), "
		"else by path, and was merged into a copy of BOARD and compared with the "
		"edit before it is written. --dtsi-fragment takes the labels of source.\n"
		"\n"
		"--capacity, --opp-microwatt and --scale-sustainable-power write more "
		"than the coefficient; source must compile for them. Each is done for "
		"all that it concerns or refused: a CPU without a "
		"cluster or a cluster without the value, an OPP without a value or a "
		"value without an OPP, a thermal zone whose CPUs change by other factors "
		"each.\n"
		"\n"
		"The tree may stand in a file with others: an ARM zImage with a tree "
		"after it, joined trees, a FIT image (.itb, its digests are made "
		"anew), an Android DT table (dtbo.img). The rest of the file stays byte "
		"for byte, but for what has to follow when a tree grows. A signed image "
		"is refused. Of several trees --index or --compatible chooses.\n"
		"\n"
		"Refused, with nothing written: a cluster that matches no CPU node, a "
		"CPU "
		"node of two clusters, two values in one frequency domain (the kernel "
		"keeps "
		"one energy model for it), a damaged tree, bytes after the tree.\n"
		"\n"
		"Look at the result with 'fdtedit show' and 'fdtedit diff'.",
	.example = "fdtedit apply -n exynos5422-odroidxu4.dtb coeffs.json\n"
		   "fdtedit apply --backup exynos5422-odroidxu4.dtb coeffs.json\n"
		   "fdtedit apply -o new.dtb exynos5422-odroidxu4.dtb coeffs.json\n"
		   "fdtedit apply --capacity --scale-sustainable-power board.dtb "
		   "coeffs.json\n"
		   "fdtedit apply --overlay -o board-eas.dtbo board.dtb coeffs.json\n"
		   "fdtedit apply --dtsi-fragment board.dts coeffs.json > eas.dtsi\n"
		   "fdtedit apply --patch exynos5422-cpus.dtsi coeffs.json | patch -p1\n"
		   "fdtedit apply --patch --format git-am soc.dtsi coeffs.json | git am",
	.opts = apply_opts,
	.opts_size = sizeof(struct apply_options),
	.min_args = 2,
	.max_args = 2,
	.run = run_apply,
};

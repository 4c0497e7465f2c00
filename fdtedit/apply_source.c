// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fdtedit apply, for device-tree source. The coefficient is edited also where nothing
 * compiles; what else is written needs the tree.
 */
#include "fdtedit/apply.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "fdtedit/compile.h"
#include "fdtedit/patch.h"
#include "fdtedit/source.h"
#include "lib/buf.h"

static int write_mail(void *arg, const struct buf *diff, const char *name,
		      const char *path, struct buf *out, struct err *err)
{
	const struct apply *a = arg;
	char *copy = strdup(path);
	struct patch_mail mail = { .coeffs = a->coeffs,
				   .edits = &a->edits,
				   .extra = &a->extra,
				   .name = name,
				   .command = cmd_line(a->ctx),
				   .version = cmd_version(),
				   .diff = diff->data,
				   .diff_len = diff->len };
	bool known = true;
	int ret;

	if (!copy)
		return err_set(err, -ENOMEM, "out of memory");
	mail.dir = dirname(copy);
	ret = patch_add_mail(out, &mail, &known, err);
	if (!ret && !known)
		cmd_warn(a->ctx,
			 "git knows no author here: set user.name and user.email, "
			 "or edit the From line");
	if (!ret && memmem(diff->data, diff->len, "\r\n", 2))
		cmd_note(a->ctx,
			 "lines end in CR LF: take the patch with 'git am --keep-cr'");
	free(copy);
	return ret;
}

static void print_edits(const struct apply *a, const struct target *t)
{
	const char *old[EDITS_MAX];

	for (unsigned int i = 0; i < a->edits.count; i++)
		old[i] = dts_odd_value(t->dts, a->edits.list[i].cpu);
	apply_print_edits(a, old);
	source_print_files(t, a->talk);
}

static int plan_edits(struct apply *a, const struct dts *d, struct err *err)
{
	size_t count = 0;
	const struct edit_cpu *cpus = dts_cpus(d, &count);
	int ret = coeffs_resolve_labels(a->coeffs, source_label_path, d, err);

	if (!ret)
		ret = edits_plan(a->coeffs, cpus, count, a->opts->all_cpus, &a->edits,
				 err);
	for (unsigned int i = 0; i < a->edits.note_count && !ret; i++)
		cmd_warn(a->ctx, "%s", a->edits.notes[i]);
	return ret ? err_wrap(err, ret, "'%s'", a->board) : 0;
}

static bool is_noted(const struct edits *edits, const char *note)
{
	for (unsigned int i = 0; i < edits->note_count; i++)
		if (!strcmp(edits->notes[i], note))
			return true;
	return false;
}

/* OPPs, capacities and thermal zones are asked of the tree, which counts CPUs its own
 * way. */
static int plan_extra(struct apply *a, const struct target *t, struct err *err)
{
	struct edits *edits;
	int ret = compile_dts(t->dts, false, &t->source.includes, &a->before, err);

	if (ret)
		return err_wrap(err, ret,
				"only the coefficient is edited where source does not "
				"compile");
	edits = calloc(1, sizeof(*edits));
	if (!edits)
		return err_errno(err, -ENOMEM, "list of edits");
	ret = apply_plan_extra(a, edits, err);
	for (unsigned int i = 0; i < edits->note_count && !ret; i++)
		if (!is_noted(&a->edits, edits->notes[i]))
			cmd_warn(a->ctx, "%s", edits->notes[i]);
	free(edits);
	return ret ? err_wrap(err, ret, "'%s'", a->board) : 0;
}

/* The new text, in memory. */
static int make_text(struct apply *a, const struct target *t, struct err *err)
{
	const struct dts_opts opts = { t->source.all_files, t->source.force };
	int ret = dts_change(t->dts, &a->extra, &opts, err);

	return ret ? ret : dts_apply(t->dts, &a->edits, &opts, err);
}

/* Coefficients as changes of the tree, and what else is written. */
static int check_all(const struct apply *a, const struct target *t, struct err *err)
{
	size_t count = a->extra.count + a->edits.count;
	bool *certain = calloc(count, sizeof(*certain));
	struct changes all = { 0 };
	int ret = certain ? changes_append(&all, &a->extra, err)
			  : err_errno(err, -ENOMEM, "list of changes");

	for (size_t i = 0; i < a->extra.count && !ret; i++)
		certain[i] = true;
	for (unsigned int i = 0; i < a->edits.count && !ret; i++) {
		const struct edit *e = &a->edits.list[i];

		certain[all.count] = dts_is_certain(t->dts, e->cpu);
		ret = changes_set_u32(&all, e->path, e->property, e->value, NULL, err);
	}
	if (!ret)
		ret = source_check(t, &a->before, &(struct source_want){ &all, certain },
				   err);
	changes_free(&all);
	free(certain);
	return ret;
}

/* What CPU node @cpu of the tree will say; false: nothing. */
static bool final_value(const struct apply *a, const struct dt_cpu *cpu, uint32_t *value)
{
	*value = cpu->dpc_uw_per_mhz_v2;
	for (unsigned int i = 0; i < a->edits.count; i++) {
		if (strcmp(a->edits.list[i].path, cpu->path) != 0)
			continue;
		*value = a->edits.list[i].value;
		return true;
	}
	return cpu->has_dpc;
}

/* The plan's text cannot always tell which CPUs share a clock (numbers for labels,
 * macros), and the tree can. */
static int check_domain(const struct apply *a, const struct dt_domain *dom,
			struct err *err)
{
	const struct dt_cpu *first = NULL;
	uint32_t value = 0, other;

	for (unsigned int k = 0; k < dom->cpu_count; k++) {
		const struct dt_cpu *cpu = &a->cpus->cpus[dom->cpus[k]];

		if (!final_value(a, cpu, &other))
			continue;
		if (first && other != value)
			return edits_two_values(first->path, value, cpu->path, other,
						err);
		if (!first)
			first = cpu;
		value = other;
	}
	return 0;
}

static int check_domains(const struct apply *a, struct err *err)
{
	int ret = 0;

	for (unsigned int d = 0; d < a->cpus->domain_count && !ret; d++)
		if (apply_is_edited(a, &a->cpus->domains[d]))
			ret = check_domain(a, &a->cpus->domains[d], err);
	return ret ? err_wrap(err, ret, "'%s'", a->board) : 0;
}

/* Where the source does not compile a note says so; warn of what has no effect. */
static int check(struct apply *a, const struct target *t, struct err *err)
{
	struct err why = { "" };
	int ret;

	if (!a->edits.count && !a->extra.count)
		return 0;
	if (!a->before.file.data &&
	    compile_dts(t->dts, false, &t->source.includes, &a->before, &why)) {
		cmd_note(a->ctx, "not compiled before and after to compare: %s", why.msg);
		return 0;
	}
	ret = check_all(a, t, err);
	if (ret)
		return ret;
	if (!a->cpus)
		a->cpus = dtcpus_new();
	/* Only the tree tells whether the kernel will look at the values. */
	if (!a->cpus || dtb_read_cpus(&a->before, a->cpus, &why))
		return 0;
	apply_warn_domains(a);
	return check_domains(a, err);
}

static int edit_source(struct apply *a, struct target *t, struct err *err)
{
	bool mail = a->opts->format && !strcmp(a->opts->format, "git-am");
	const struct opt_list *dirs = &t->source.includes;
	int ret = dts_open(a->board, dirs->items, dirs->n, t->source.all_files, &t->dts,
			   err);

	if (ret)
		return ret;
	for (size_t i = 0; dts_note(t->dts, i); i++)
		cmd_warn(a->ctx, "%s", dts_note(t->dts, i));
	ret = plan_edits(a, t->dts, err);
	if (!ret && (a->opts->capacity || a->opts->opp_power || a->opts->sustainable))
		ret = plan_extra(a, t, err);
	if (!ret)
		ret = make_text(a, t, err);
	if (!ret)
		ret = source_not_included(t->dts, t->output, err);
	if (!ret)
		ret = check(a, t, err);
	if (!ret)
		ret = source_write(t, mail ? write_mail : NULL, a, err);
	if (ret)
		return ret;
	print_edits(a, t);
	return target_finish(t, err);
}

int apply_source(struct apply *a, struct err *err)
{
	struct target t = apply_target(a);
	int ret = edit_source(a, &t, err);

	target_free(&t);
	return ret;
}

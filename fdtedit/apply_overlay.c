// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fdtedit apply --overlay and --dtsi-fragment: the edit beside the board, not in it.
 */
#include "fdtedit/apply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fdtedit/compile.h"
#include "fdtedit/overlay.h"
#include "fdtedit/source.h"
#include "lib/buf.h"
#include "lib/text.h"

#define MADE_BY "made by fdtedit apply"

/* Text from outside, which must not end the comment that it stands in. */
static int add_clean(struct buf *out, const char *text)
{
	char *copy = strdup(text);
	int ret;

	if (!copy)
		return -ENOMEM;
	text_clean(copy);
	for (char *p = strstr(copy, "*/"); p; p = strstr(p, "*/"))
		*p = '+';
	ret = buf_adds(out, copy);
	free(copy);
	return ret;
}

static int add_cluster(struct buf *out, const struct coeffs_cluster *c)
{
	int ret = buf_adds(out, " *   ");

	ret |= add_clean(out, c->name);
	ret |= buf_addf(out, ": %u uW/MHz/V^2", c->dpc_uw_per_mhz_v2);
	if (c->has_model) {
		ret |= buf_adds(out, ", method ");
		ret |= add_clean(out, c->model.name);
	}
	if (c->has_interval)
		ret |= buf_addf(out, ", 95 %% interval %.1f..%.1f", c->ci95[0],
				c->ci95[1]);
	if (c->has_provenance && c->provenance.sensor[0]) {
		ret |= buf_adds(out, ", sensor ");
		ret |= add_clean(out, c->provenance.sensor);
	}
	return ret | buf_adds(out, "\n");
}

/* Board, method and interval of each number, for who finds the file in ten years. */
static int add_comment(const struct apply *a, struct buf *out, struct err *err)
{
	const struct coeffs *c = a->coeffs;
	int ret = buf_adds(out, "/*\n * " EDITS_PROPERTY ", " MADE_BY);

	if (c->board[0]) {
		ret |= buf_adds(out, ", measured on ");
		ret |= add_clean(out, c->board);
	}
	ret |= buf_adds(out, ":\n");
	if (c->virtual_board)
		ret |= buf_adds(out, " * VIRTUAL: not of any hardware, not for use.\n");
	for (unsigned int i = 0; i < c->cluster_count; i++)
		ret |= add_cluster(out, &c->clusters[i]);
	ret |= buf_adds(out, " */\n");
	return ret ? err_errno(err, -ENOMEM, "comment") : 0;
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

/* The source beside a .dtbo was not named by the user, so only our own is replaced. */
static int check_ours(const char *path, struct err *err)
{
	struct buf there = { 0 };
	struct stat st;
	int ret = 0;

	if (stat(path, &st))
		return 0;
	ret = buf_read_regular(&there, path, DTB_MAX_SIZE, err);
	if (!ret && there.len && !memmem(there.data, there.len, MADE_BY, strlen(MADE_BY)))
		ret = err_set(err, -EEXIST,
			      "'%s' is there, and fdtedit did not make it; give another "
			      "name with -o",
			      path);
	buf_free(&there);
	return ret;
}

static int write_compiled(struct outset *set, const char *out, const struct buf *compiled,
			  const struct buf *text, struct err *err)
{
	struct buf beside = { 0 };
	int ret;

	if (!ends_with(out, ".dtbo"))
		return outset_add(set, out, compiled->data, compiled->len, false, err);
	if (buf_addf(&beside, "%.*s.dtso", (int)strlen(out) - 5, out))
		return err_errno(err, -ENOMEM, "name of the source");
	ret = check_ours(beside.data, err);
	if (!ret)
		ret = outset_add(set, beside.data, text->data, text->len, false, err);
	if (!ret)
		ret = outset_add(set, out, compiled->data, compiled->len, false, err);
	buf_free(&beside);
	return ret;
}

static int write_output(struct apply *a, const struct buf *text,
			const struct dtb *compiled, struct err *err)
{
	const char *out = a->opts->output ? a->opts->output : "-";
	bool source = !a->opts->output || a->opts->fragment || ends_with(out, ".dtso") ||
		      ends_with(out, ".dts");

	if (a->opts->dry_run)
		return 0;
	if (source)
		return outset_add(&a->out, out, text->data, text->len, false, err);
	return write_compiled(&a->out, out, &compiled->file, text, err);
}

static int load(struct apply *a, struct err *err)
{
	const struct opt_list *dirs = &a->opts->source.includes;
	int ret;

	/* Whether the board is built with labels only its tree tells. */
	if (a->opts->fragment && compile_is_source(a->board))
		ret = compile_source(a->board, dirs, true, &a->before, err);
	else
		ret = compile_or_load(a->board, dirs, &a->opts->pick, &a->before, err);
	/* Nobody writes BOARD, so nothing is lost of what follows its tree. */
	if (!ret)
		dtb_drop_trailing(&a->before);
	return ret;
}

/* A fragment of an earlier run may be one of BOARD's own files by now, and the new one
 * would be empty: what it says is there already. */
static int check_included(const struct apply *a, struct err *err)
{
	const struct opt_list *dirs = &a->opts->source.includes;
	struct dts *d;
	int ret;

	if (!a->opts->output || !compile_is_source(a->board) ||
	    dts_open(a->board, dirs->items, dirs->n, false, &d, NULL))
		return 0;
	ret = source_not_included(d, a->opts->output, err);
	dts_free(d);
	return ret;
}

static int plan(struct apply *a, struct err *err)
{
	int ret = apply_plan_tree(a, err);

	if (ret)
		return err_wrap(err, ret, "'%s'", a->board);
	for (unsigned int i = 0; i < a->edits.note_count; i++)
		cmd_warn(a->ctx, "%s", a->edits.notes[i]);
	apply_warn_domains(a);
	return 0;
}

/* All of it in memory, and checked, before anything is written. */
static int make(struct apply *a, struct overlay *o, struct buf *text,
		struct dtb *compiled, struct err *err)
{
	int ret = overlay_collect(&a->before, &a->after, a->opts->overlay, o, err);

	if (!ret)
		ret = add_comment(a, text, err);
	if (!ret)
		ret = overlay_source(o, a->opts->overlay, text, err);
	if (ret || a->opts->fragment)
		return ret;
	ret = overlay_build(o, compiled, err);
	return ret ? ret : overlay_check(&a->before, compiled, &a->after, err);
}

int apply_overlay(struct apply *a, struct err *err)
{
	struct overlay o = { 0 };
	struct buf text = { 0 };
	struct dtb compiled = { 0 };
	int ret;

	ret = check_included(a, err);
	if (!ret)
		ret = load(a, err);
	if (!ret)
		ret = plan(a, err);
	if (!ret)
		ret = make(a, &o, &text, &compiled, err);
	if (!ret)
		ret = write_output(a, &text, &compiled, err);
	if (!ret) {
		apply_print_edits(a, NULL);
		ret = outset_commit(&a->out, err);
	}
	overlay_free(&o);
	buf_free(&text);
	dtb_free(&compiled);
	return ret;
}

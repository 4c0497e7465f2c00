// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The commit message around a patch: what a reviewer asks about a coefficient.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fdtedit/patch.h"
#include "lib/spawn.h"

/* "Name <mail>" of whoever git thinks we are. */
static bool git_author(const char *dir, struct buf *out)
{
	const char *const argv[] = { "git", "-C", dir, "var", "GIT_AUTHOR_IDENT", NULL };
	struct buf talk = { 0 };
	bool known = !spawn_run(&(struct spawn){ .argv = argv, .out = out, .err = &talk },
				NULL);
	char *end = known && out->data ? strrchr(out->data, '>') : NULL;

	buf_free(&talk);
	if (!end)
		return false;
	end[1] = '\0';
	out->len = strlen(out->data);
	return true;
}

/* Is it the first change of its property? */
static bool is_first(const struct changes *c, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(c->list[k].property, c->list[i].property))
			return false;
	return true;
}

/* "dynamic-power-coefficient, capacity-dmips-mhz" */
static int add_properties(struct buf *out, const struct patch_mail *m)
{
	const char *sep = m->edits->count ? ", " : "";
	int ret = m->edits->count ? buf_adds(out, EDITS_PROPERTY) : 0;

	for (size_t i = 0; i < m->extra->count; i++) {
		if (!is_first(m->extra, i))
			continue;
		ret |= buf_addf(out, "%s%s", sep, m->extra->list[i].property);
		sep = ", ";
	}
	return ret;
}

/* Below @name's "boot/dts/" or "dts/", without folders' and file's ends. */
static int add_subject(struct buf *out, const struct patch_mail *m)
{
	const char *dts = strstr(m->name, "boot/dts/");
	const char *base = strrchr(m->name, '/');
	unsigned int added = 0;
	const char *arch = "", *verb;
	int len;

	base = base ? base + 1 : m->name;
	if (dts && !strncmp(m->name, "arch/arm64/", 11))
		arch = "arm64: ";
	else if (dts && !strncmp(m->name, "arch/arm/", 9))
		arch = "ARM: ";
	else if (dts && !strncmp(m->name, "arch/riscv/", 11))
		arch = "riscv: ";
	for (unsigned int i = 0; i < m->edits->count; i++)
		added += !m->edits->list[i].has_old;
	verb = added == m->edits->count ? "add" : added ? "set" : "update";
	len = strrchr(base, '.') ? (int)(strrchr(base, '.') - base) : (int)strlen(base);
	if (!m->edits->count)
		verb = "set";
	return buf_addf(out, "Subject: [PATCH] %sdts: %.*s: %s ", arch, len, base, verb) |
	       add_properties(out, m) | buf_adds(out, "\n");
}

static int add_opps(struct buf *out, const struct coeffs_cluster *c)
{
	int ret = buf_adds(out, "\n      MHz    mV  measured mW  model mW  kernel mW\n");

	for (unsigned int i = 0; i < c->opp_count; i++) {
		const struct coeffs_opp *o = &c->opps[i];

		ret |= buf_addf(out, "    %5" PRIu64 " %5u", o->hz / 1000000,
				o->microvolt / 1000);
		if (o->has_measured)
			ret |= buf_addf(out, "  %11.1f", o->measured_uw / 1e3);
		else
			ret |= buf_addf(out, "  %11s", "-");
		if (o->has_model)
			ret |= buf_addf(out, "  %8.1f", o->model_uw / 1e3);
		else
			ret |= buf_addf(out, "  %8s", "-");
		ret |= buf_addf(out, "  %9.1f%s\n", o->kernel_uw / 1e3,
				o->inefficient ? "  inefficient" : "");
	}
	return ret;
}

static int add_field(struct buf *out, const char *name, const char *text)
{
	return *text ? buf_addf(out, "    %s: %s\n", name, text) : 0;
}

static int add_provenance(struct buf *out, const struct coeffs_provenance *p)
{
	int ret = add_field(out, "sensor", p->sensor);

	ret |= add_field(out, "scope", p->scope);
	ret |= add_field(out, "load", p->load);
	ret |= add_field(out, "equation", p->formula);
	ret |= add_field(out, "command", p->command);
	for (unsigned int i = 0; i < p->file_count; i++)
		ret |= buf_addf(out, "    data: %s, sha256 %s\n", p->files[i].path,
				p->files[i].sha256);
	for (unsigned int i = 0; i < p->note_count; i++)
		ret |= add_field(out, "note", p->notes[i]);
	return ret;
}

static int add_cluster(struct buf *out, const struct coeffs_cluster *c)
{
	int ret = buf_addf(out, "\n  %s: %u uW/MHz/V^2", c->name, c->dpc_uw_per_mhz_v2);

	if (c->match.compatible[0])
		ret |= buf_addf(out, " (%s)", c->match.compatible);
	if (c->has_interval)
		ret |= buf_addf(out, ", 95 %% interval %.1f..%.1f", c->ci95[0],
				c->ci95[1]);
	ret |= buf_adds(out, "\n");
	if (c->has_model)
		ret |= buf_addf(out, "    method: %s, %u rows\n", c->model.name,
				c->model.n);
	if (c->has_provenance)
		ret |= add_provenance(out, &c->provenance);
	if (c->opp_count)
		ret |= add_opps(out, c);
	return ret;
}

static bool has_measured(const struct coeffs *c)
{
	for (unsigned int i = 0; i < c->cluster_count; i++)
		for (unsigned int k = 0; k < c->clusters[i].opp_count; k++)
			if (c->clusters[i].opps[k].has_measured)
				return true;
	return false;
}

/* Every line from outside is indented, so that none looks like "---" or a header. */
static int add_body(struct buf *out, const struct patch_mail *m)
{
	const struct coeffs *c = m->coeffs;
	int ret = buf_adds(out,
			   "\nThe energy model needs the dynamic power of each CPU. The "
			   "values are\nin uW/MHz/V^2");

	ret |= buf_addf(out, "%s%s.\n", c->board[0] ? ", measured on " : "", c->board);
	if (c->virtual_board)
		ret |= buf_adds(out,
				"\nThese numbers come from a virtual board: they are not "
				"of any hardware\nand not for merging.\n");
	if (has_measured(c))
		ret |= buf_adds(
			out, "\nThe tables tell what the first busy CPU draws above "
			     "idle, as measured and\nby the model, and what the kernel "
			     "will compute for one busy CPU.\n");
	for (unsigned int i = 0; i < c->cluster_count; i++)
		ret |= add_cluster(out, &c->clusters[i]);
	return ret | buf_addf(out, "\nMade with:\n  %s\n", m->command);
}

int patch_add_mail(struct buf *out, const struct patch_mail *m, bool *author_known,
		   struct err *err)
{
	struct buf author = { 0 };
	time_t now = time(NULL);
	struct tm tm;
	char date[64];
	int ret;

	*author_known = git_author(m->dir, &author);
	localtime_r(&now, &tm);
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S %z", &tm);
	ret = buf_addf(
		out,
		"From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 "
		"2001\nFrom: %s\nDate: %s\n",
		*author_known ? author.data : "Unknown <unknown@localhost>", date);
	ret |= add_subject(out, m);
	ret |= buf_adds(out,
			"MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
			"Content-Transfer-Encoding: 8bit\n");
	ret |= add_body(out, m);
	ret |= buf_adds(out, "---\n\n");
	ret |= buf_add(out, m->diff, m->diff_len);
	ret |= buf_addf(out, "-- \n%s\n", m->version);
	buf_free(&author);
	return ret ? err_set(err, -ENOMEM, "out of memory") : 0;
}

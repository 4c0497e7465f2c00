// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of changes of a compiled tree, and what it says to people.
 */
#include "fdtedit/changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/dtb.h"
#include "fdtedit/grow.h"
#include "lib/text.h"

#define REPORT_MAX 200 /* bytes of a value that are worth a line */

static void change_free(struct change *c)
{
	free(c->path);
	free(c->property);
	free(c->why);
	buf_free(&c->value);
}

static int add(struct changes *c, const struct change *like, const void *data, size_t len,
	       struct err *err)
{
	struct change new = { .kind = like->kind, .type = like->type };
	bool ok;

	new.path = strdup(like->path);
	new.property = like->property ? strdup(like->property) : NULL;
	new.why = like->why ? strdup(like->why) : NULL;
	ok = new.path && (new.property || !like->property) && (new.why || !like->why) &&
	     !buf_add(&new.value, len ? data : "", len) &&
	     !grow(&c->list, &c->cap, c->count, sizeof(new));
	if (!ok) {
		change_free(&new);
		return err_errno(err, -ENOMEM, "list of changes");
	}
	c->list[c->count++] = new;
	return 0;
}

int changes_set(struct changes *c, const char *path, const char *property,
		enum typed_kind type, const void *data, size_t len, const char *why,
		struct err *err)
{
	return add(c,
		   &(struct change){ CHANGE_SET, (char *)path, (char *)property,
				     .type = type, .why = (char *)why },
		   data, len, err);
}

int changes_set_u32(struct changes *c, const char *path, const char *property,
		    uint32_t value, const char *why, struct err *err)
{
	fdt32_t cell = cpu_to_fdt32(value);

	return changes_set(c, path, property, TYPED_U32, &cell, sizeof(cell), why, err);
}

int changes_delete(struct changes *c, const char *path, const char *property,
		   const char *why, struct err *err)
{
	return add(c,
		   &(struct change){ CHANGE_DELETE, (char *)path, (char *)property,
				     .why = (char *)why },
		   NULL, 0, err);
}

int changes_delete_node(struct changes *c, const char *path, const char *why,
			struct err *err)
{
	return add(
		c,
		&(struct change){ CHANGE_DELETE_NODE, (char *)path, .why = (char *)why },
		NULL, 0, err);
}

int changes_append(struct changes *c, const struct changes *more, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < more->count; i++)
		ret = add(c, &more->list[i], more->list[i].value.data,
			  more->list[i].value.len, err);
	return ret;
}

void changes_free(struct changes *c)
{
	for (size_t i = 0; i < c->count; i++)
		change_free(&c->list[i]);
	free(c->list);
	*c = (struct changes){ 0 };
}

static const void *value_now(const struct change *c, const struct dtb *dtb, int *len)
{
	int node = dtb_node(dtb->file.data, c->path, NULL);

	return node < 0 ? NULL : fdt_getprop(dtb->file.data, node, c->property, len);
}

size_t changes_drop_done(struct changes *c, const struct dtb *dtb)
{
	size_t kept = 0, done = 0;

	for (size_t i = 0; i < c->count; i++) {
		struct change *this = &c->list[i];
		const void *now = NULL;
		int len = 0;

		if (this->kind == CHANGE_SET)
			now = value_now(this, dtb, &len);
		if (now && (size_t)len == this->value.len &&
		    (!len || !memcmp(now, this->value.data, len))) {
			change_free(this);
			done++;
			continue;
		}
		c->list[kept++] = *this;
	}
	c->count = kept;
	return done;
}

static void print_value(const char *property, enum typed_kind kind, const void *data,
			size_t len, FILE *f)
{
	struct buf text = { 0 };
	bool unsure;

	if (!len) {
		fputs("(empty)", f);
		return;
	}
	if (typed_format(kind, data, len, " ", &text, NULL)) {
		text.len = 0;
		typed_format(typed_guess(property, data, len, &unsure), data, len, " ",
			     &text, NULL);
	}
	if (text.len > REPORT_MAX)
		fprintf(f, "%.*s... (%zu bytes)", REPORT_MAX, text.data, len);
	else
		fputs(text.len ? text.data : "\"\"", f);
	buf_free(&text);
}

static void print_change(const struct change *c, const struct dtb *before, FILE *f)
{
	const void *now = NULL;
	int len = 0;

	fprintf(f, "%s: ", c->path);
	if (c->kind == CHANGE_DELETE_NODE) {
		fputs("node deleted", f);
	} else {
		now = value_now(c, before, &len);
		fprintf(f, "%s: ", c->property);
		if (now) {
			bool unsure;
			enum typed_kind kind = c->kind == CHANGE_SET
						       ? c->type
						       : typed_guess(c->property, now,
								     len, &unsure);

			print_value(c->property, kind, now, len, f);
		} else {
			fputs("none", f);
		}
		fputs(" -> ", f);
		if (c->kind == CHANGE_SET)
			print_value(c->property, c->type, c->value.data, c->value.len, f);
		else
			fputs("none", f);
	}
	if (c->why)
		fprintf(f, " (%s)", c->why);
}

/* Names of nodes may hold anything. */
static void print_clean(const struct change *c, const struct dtb *before, FILE *f)
{
	char *line = NULL;
	size_t len;
	FILE *memory = open_memstream(&line, &len);

	if (!memory)
		return;
	print_change(c, before, memory);
	if (!fclose(memory)) {
		text_clean(line);
		fprintf(f, "%s\n", line);
	}
	free(line);
}

void changes_print(const struct changes *c, const struct dtb *before, FILE *f)
{
	for (size_t i = 0; i < c->count; i++)
		print_clean(&c->list[i], before, f);
}

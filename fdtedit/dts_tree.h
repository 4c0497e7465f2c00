/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The statements of one source file: nodes, properties, deletions, includes, with their
 * places in the text. Written for source that people wrote by hand: what is not
 * understood (a macro on its own, say) is kept as a statement without meaning; braces
 * that do not balance are an error.
 *
 * The alternatives of "#if" are read one after the other, each from the state at the
 * "#if".
 */
#ifndef FDTEDIT_DTS_TREE_H
#define FDTEDIT_DTS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fdtedit/dts_lex.h"
#include "lib/err.h"

enum dts_item_kind {
	DTS_NODE,     /* name { ... }; also "/" and "&label" */
	DTS_PROP,     /* name = value; or name; */
	DTS_DEL_PROP, /* /delete-property/ name; */
	DTS_DEL_NODE, /* /delete-node/ name; or &label; */
	DTS_INCLUDE,  /* /include/ "name" or #include "name" or <name> */
	DTS_OTHER,    /* anything else that ends in ';' or before '}' */
};

struct dts_span {
	uint32_t start, end; /* byte range */
};

struct dts_item {
	enum dts_item_kind kind;
	int parent;		 /* the node item that it stands in; -1: top level */
	uint32_t line;		 /* of its name */
	unsigned int region;	 /* index into regions */
	size_t first, last;	 /* tokens: its first, and its ';' or '}' */
	size_t open;		 /* DTS_NODE: the token '{' */
	struct dts_span name;	 /* of an include: without quotes */
	size_t value, value_end; /* DTS_PROP: tokens after '='; equal: no value */
	bool split;  /* a directive stands inside the statement, or the node's braces
			stand in alternatives: not to be edited */
	bool angled; /* include: <name> */
};

/* A branch of an "#if". Region 0 is the file outside all of them. */
struct dts_region {
	unsigned int parent;
	unsigned int group; /* branches of one "#if" share it; from 1 */
	uint32_t line;	    /* of the directive that opens the branch */
};

struct dts_tree {
	const char *text; /* borrowed */
	size_t len;
	struct dts_tokens tokens;
	struct dts_item *items; /* in the order in which they start */
	size_t item_count, item_cap;
	struct dts_region *regions;
	size_t region_count, region_cap;
};

/*
 * dts_parse - read @text
 * @name: stands for the file in messages
 *
 * @text must outlive the tree. Returns 0; -EINVAL with "name:line: reason" (braces or
 * conditions that do not balance, a string or comment without end, a missing ';', an
 * odd byte, UTF-16); -ERANGE for more than 64 conditions or 256 nodes inside each other;
 * -ENOMEM. The caller frees with dts_tree_free() in every case.
 */
int dts_parse(const char *text, size_t len, const char *name, struct dts_tree *tree,
	      struct err *err);
/* Takes a zeroed struct. */
void dts_tree_free(struct dts_tree *tree);

/* Is the span's text exactly @word? */
bool dts_span_is(const struct dts_tree *tree, struct dts_span span, const char *word);

/*
 * dts_label - label number @n of a node
 * Returns 0 and the label without its colon, or -ENOENT past the last.
 */
int dts_label(const struct dts_tree *tree, const struct dts_item *node, unsigned int n,
	      struct dts_span *label);

/* The next token at or after @i, before @end, that means something to dtc; else @end. */
size_t dts_next(const struct dts_tree *tree, size_t i, size_t end);
/* Is token @i this single character? */
bool dts_is_punct(const struct dts_tree *tree, size_t i, char c);

#endif

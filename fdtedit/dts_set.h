/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the source editor: a file with all its includes, read in dtc's order.
 */
#ifndef FDTEDIT_DTS_SET_H
#define FDTEDIT_DTS_SET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "fdtedit/dts.h"
#include "fdtedit/dts_tree.h"
#include "fdtedit/typed.h"
#include "lib/buf.h"

#define DTS_MAX_BYTES	  (8u << 20) /* the kernel's longest file has 1/20 of that */
#define DTS_MAX_INSTANCES 1024
#define DTS_MAX_DEPTH	  32

struct dts_file {
	char *path; /* as the user can open it */
	char *real; /* links resolved, to know it again */
	struct buf text;
	struct dts_tree tree;
	struct buf new_text;
	bool changed;
};

/* One reading of a file: a file that is included twice has two. */
struct dts_inst {
	size_t file;
	int parent;	     /* instance that includes it, -1 */
	int item;	     /* of the parent: the include */
	unsigned int region; /* of the parent, around the include */
};

/* Where something stands with respect to "#if". */
struct dts_pos {
	int inst;
	unsigned int region;
};

/* A node's text: { } once. The same node may have several. */
struct dts_def {
	int inst;
	int item;   /* -1: the file's top level outside of braces */
	char *path; /* NULL: not known */
	bool ref;   /* "&label { }" */
	bool open;  /* path not known, but children may be CPU nodes: the top of a
		       fragment, or a label from elsewhere */
	size_t seq; /* place in dtc's order, shared with events */
};

/* A property or its deletion in a node whose path is known; or the deletion of a node. */
struct dts_event {
	int inst;
	int item;
	size_t def; /* in which it stands */
	char *path; /* of the node that it is about; a deletion owns it, else the def's */
	size_t seq;
};

struct dts_label {
	struct dts_span span;
	size_t file;
	size_t def;
};

/* Where a value stands, or where one will be put in. */
struct dts_site {
	size_t def;
	int prop; /* item, DTS_NO_PROP: none yet */
	size_t seq;
};

#define DTS_NO_PROP (-1)

/* Zero it before use; the list is freed with free(). */
struct dts_sites {
	struct dts_site *list;
	size_t count, cap;
};

/* Replace bytes [start, end) of a file. */
struct dts_edit {
	size_t file;
	uint32_t start, end;
	char *text;
	size_t def;	/* that gets a new property; with start == end */
	char *property; /* NULL: nothing is put in */
};

struct dts {
	struct dts_file **files;
	size_t file_count, file_cap;
	struct dts_inst *insts;
	size_t inst_count, inst_cap;
	struct dts_def *defs;
	size_t def_count, def_cap;
	struct dts_event *events;
	size_t event_count, event_cap;
	struct dts_event *deletions; /* of nodes, not among events */
	size_t deletion_count, deletion_cap;
	struct dts_label *labels;
	size_t label_count, label_cap;
	size_t seq;
	const char *const *include_dirs; /* borrowed */
	size_t dir_count;
	char *missing;		/* "'x.dtsi' (line 3)": the first include not found */
	struct dts_edit *edits; /* by dts_apply() and dts_change() */
	size_t edit_count, edit_cap;
	/* made by dts_find_cpus() */
	struct edit_cpu cpus[EDITS_MAX];
	struct dts_site sites[EDITS_MAX];  /* same index */
	const char *odd_values[EDITS_MAX]; /* same index; see dts_odd_value() */
	size_t cpu_count;
	char **strings; /* owned, that cpus point to */
	size_t string_count, string_cap;
	struct edit_cpu **others; /* owned, that cpus point to */
	size_t other_count, other_cap;
	char **notes;
	size_t note_count, note_cap;
};

/* Read the file and its includes: files, instances, definitions, events, labels. */
int dts_set_read(struct dts *d, const char *path, struct err *err);
/*
 * dts_find_include - the file that an include is about
 * @t: the text that @it is of; it may be newer than what was read
 *
 * Beside the file that includes it, beside the first file, then along the include
 * folders: as compile_dts() tells cpp and dtc. 0, or -ENOENT.
 */
int dts_find_include(const struct dts *d, int inst, const struct dts_tree *t,
		     const struct dts_item *it, char out[PATH_MAX]);
/* Fill cpus, sites and notes. @all_files: as dts_find_sites(). 0, -ENOENT, -ERANGE,
 * -ENOMEM. */
int dts_find_cpus(struct dts *d, bool all_files, struct err *err);

const struct dts_tree *dts_tree_of(const struct dts *d, int inst);
const struct dts_item *dts_item_of(const struct dts *d, int inst, int item);
/* Is @inner taken only together with @outer (inside its "#if", or in the same)? */
bool dts_within(const struct dts *d, struct dts_pos outer, struct dts_pos inner);
/* Do they stand in different branches of one "#if"? */
bool dts_exclusive(const struct dts *d, struct dts_pos a, struct dts_pos b);
/* Is it in a text only if some "#if" says so? */
bool dts_in_if(const struct dts *d, struct dts_pos pos);
/* The first def with that path, or NULL. */
const struct dts_def *dts_def_by_path(const struct dts *d, const char *path);
/* The path of a label or of "&{/path}", or NULL when it is not in the text. */
char *dts_ref_path(const struct dts *d, const char *ref, size_t len);

/*
 * dts_find_sites - where the values of property @name of node @path stand, or would stand
 * @all_files: included files may be edited, so that what is new goes to the node itself
 * @out: appended to; several when the alternatives of an "#if" each give it, none when
 *	the text has no such node
 *
 * Of values in a node and in "&label" blocks only the one that counts. Without any, text
 * of the node: in the file that was opened when that has some which counts wherever the
 * node is there, else its own. 0 or -ENOMEM.
 */
int dts_find_sites(const struct dts *d, const char *path, const char *name,
		   bool all_files, struct dts_sites *out, struct err *err);
struct dts_pos dts_site_pos(const struct dts *d, const struct dts_site *s);
/* Of the node's body: what stands right inside of its braces. */
struct dts_pos dts_def_pos(const struct dts *d, const struct dts_def *def);
/* Is it text of the node @path that is not deleted later? */
bool dts_is_live_def(const struct dts *d, const struct dts_def *def, const char *path);
/* A node that stands in the text as a node, not only as "&label". */
bool dts_is_definition(const struct dts_def *def);

/* Where an event stands. */
struct dts_pos dts_event_pos(const struct dts *d, const struct dts_event *e);
/* Is it of that kind, and about the property @name (NULL: any)? */
bool dts_event_is(const struct dts *d, const struct dts_event *e, enum dts_item_kind kind,
		  const char *name);
/* Is what stands at @seq deleted later in dtc's reading, with its node or one above? */
bool dts_is_deleted(const struct dts *d, const char *path, size_t seq,
		    struct dts_pos pos);
/* Does it give property @name to node @path, which is not deleted after that? */
bool dts_is_live_prop(const struct dts *d, const struct dts_event *e, const char *path,
		      const char *name);
/* As of_get_next_cpu_node(): called "cpu", or of device type "cpu". */
bool dts_is_cpu(const struct dts *d, const char *path);
/* Reg, compatible and domain of the CPU node, as seen from @pos. 0 or -ENOMEM. */
int dts_read_facts(struct dts *d, const char *path, struct dts_pos pos,
		   struct edit_cpu *cpu);
/*
 * Value of the property @prop into @cpu; into odd_values[cpu_count] when it is no number.
 * 0 or -ENOMEM.
 */
int dts_read_value(struct dts *d, int inst, int prop, struct edit_cpu *cpu);

/* The next "#define" that holds @text, at token @i or after it, and its name. */
bool dts_macro(const struct dts_tree *tree, const char *text, size_t *i,
	       struct dts_span *name);

/* A value as it stands, on one line and not too long; to be freed. NULL: no memory. */
char *dts_quote_value(const struct dts_tree *t, const struct dts_item *prop);

/* A number of the source, "100" or "0x64" or with a suffix as in "100UL". */
struct dts_number {
	uint64_t value;
	unsigned int base;
	bool upper;	     /* hexadecimal digits in upper case */
	unsigned int digits; /* without prefix */
	const char *suffix;  /* into the text */
	size_t suffix_len;
};
/* 0, or -EINVAL when the text is anything else. */
int dts_number(const char *text, size_t len, struct dts_number *out);
/* The same of token @i; -EINVAL also when that is not before @end. */
int dts_token_number(const struct dts_tree *t, size_t i, size_t end,
		     struct dts_number *out);
/*
 * The number of a property that is "<number>" and nothing else (or /bits/ 32 before it).
 * @token: which token it is. 0, or -EINVAL.
 */
int dts_plain_value(const struct dts_tree *t, const struct dts_item *prop,
		    struct dts_number *out, size_t *token);

/* Is token @i a comma? It is a name's character, so a word. */
bool dts_is_comma(const struct dts_tree *t, size_t i);
/* Is the value made of numbers, strings and bytes as they stand, not of macros? */
bool dts_is_literal(const struct dts_tree *t, const struct dts_item *prop);
/* Append the value as source writes it: "<1 2>". @hex: numbers as 0x1. 0 or -ENOMEM. */
int dts_format_value(enum typed_kind kind, const void *data, size_t len, bool hex,
		     struct buf *out);
/*
 * Append one number in the way the old one was written: decimal stays decimal,
 * hexadecimal keeps prefix, case and leading zeros. @text: of the old one. 0 or -ENOMEM.
 */
int dts_format_number(const struct dts_number *old, const char *text, uint64_t value,
		      struct buf *out);

/* What a property shall be. */
struct dts_want {
	const char *path, *property;
	enum typed_kind type;
	const void *value; /* as in a compiled tree */
	size_t len;
};
/*
 * dts_edit_set - add the edit that puts the value in
 *
 * Returns 0; -EINVAL when the value there is a macro or an expression (and not @force),
 * when it or its node stands half in an "#if", when the same bytes would have to be two
 * texts, or when cpp would take the new property for a directive; -ENOMEM.
 */
int dts_edit_set(struct dts *d, const struct dts_site *site, const struct dts_want *want,
		 bool force, struct err *err);
/*
 * dts_edit_add - keep the edit; what was kept for the same place already is not doubled
 * @new: without text and property, which are copied; @property: NULL: nothing is put in
 *
 * Returns 0; -EINVAL when another text is kept for those bytes; -ENOMEM.
 */
int dts_edit_add(struct dts *d, const struct dts_edit *new, const struct buf *text,
		 const char *property, struct err *err);
/* -EINVAL when the item or a node around it stands half in an "#if"; else 0. */
int dts_check_whole(const struct dts *d, int inst, int item, struct err *err);
/* Where the line of @pos starts. */
uint32_t dts_line_start(const struct dts_tree *t, uint32_t pos);
/* The blanks that the line of @pos starts with. */
struct dts_span dts_indent(const struct dts_tree *t, uint32_t pos);
/* Past the newline that ends the line of token @i; 0 when more than comments follows. */
uint32_t dts_next_line(const struct dts_tree *t, size_t i);
/*
 * dts_edit_remove - add the edit that takes a statement out, with its line and the
 *	comment that ends it
 *
 * Returns 0; -EINVAL when it stands half in an "#if", other things than labels stand
 * before its name, or what follows on the line would become a directive; -ENOMEM.
 */
int dts_edit_remove(struct dts *d, int inst, int item, struct err *err);
/* Make the new texts of all edits so far. 0, -EINVAL when they overlap, -ENOMEM. */
int dts_edit_rewrite(struct dts *d, struct err *err);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A command line and a file from anywhere: fdtedit refuses them with a reason, or edits
 * one tree of the file. Then that tree is sound and differs by what was asked for, all
 * else is as it was, and a second run finds nothing to do.
 *
 * The first line of the input is the command with its options and words, without files:
 * "set --type=u32 --index=1 /cpus/cpu@0 clock-latency 5", "delete &uart", "prune
 * --remove", "apply --capacity FILE", FILE being one of those in coeffs_files. What
 * follows the line is the file, a tree or one with trees in it.
 */
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <libfdt.h>

#include "fdtedit/node.h"
#include "lib/coeffs.h"
#include "tests/fuzz/beside.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/line.h"
#include "tests/fuzz/run.h"

#define SPARE_MAX 7 /* zeros that align the next of joined trees */

/* What the first line may hold; whatever writes elsewhere is left out. */
static const char *const commands[] = { "set", "delete", "prune", "apply", NULL };
static const char *const options[] = { "--type=",
				       "--index=",
				       "--compatible=",
				       "--keep-trailing",
				       "--remove",
				       "--capacity",
				       "--opp-microwatt",
				       "--scale-sustainable-power",
				       "--all-cpus",
				       "--force",
				       NULL };

#define OPP(hz, uw)                                                                      \
	"{\"hz\":" hz ",\"microvolt\":1,\"kernel-microwatt\":1,\"inefficient\":false,"   \
	"\"opp-microwatt\":" uw "}"

static const struct {
	const char *name, *text;
} coeffs_files[] = {
	{ "little",
	  "{\"schema\":\"calib-coeffs/1\",\"clusters\":[{\"name\":\"a7\",\"match\":{"
	  "\"compatible\":\"arm,cortex-a7\"},\"dynamic-power-coefficient\":90,"
	  "\"capacity-dmips-mhz\":378,\"opps\":[" OPP("500000000", "41000") "," OPP(
		  "1000000000", "92000") "]}]}" },
	{ "both",
	  "{\"schema\":\"calib-coeffs/1\",\"clusters\":[{\"name\":\"a7\",\"match\":{"
	  "\"compatible\":\"arm,cortex-a7\"},\"dynamic-power-coefficient\":90,"
	  "\"capacity-dmips-mhz\":378},"
	  "{\"name\":\"a15\",\"match\":{\"compatible\":\"arm,cortex-a15\"},"
	  "\"dynamic-power-coefficient\":310,\"capacity-dmips-mhz\":1024}]}" },
	{ "reg", "{\"schema\":\"calib-coeffs/1\",\"clusters\":[{\"name\":\"x\",\"match\":"
		 "{\"reg\":[0,1]},\"dynamic-power-coefficient\":7,"
		 "\"capacity-dmips-mhz\":1024}]}" },
	{ "path",
	  "{\"schema\":\"calib-coeffs/1\",\"clusters\":[{\"name\":\"x\",\"match\":"
	  "{\"paths\":[\"/cpus/cpu@0\",\"&c1\"]},"
	  "\"dynamic-power-coefficient\":1}]}" },
};

#define N_COEFFS (sizeof(coeffs_files) / sizeof(coeffs_files[0]))

/* Kept for the next input. */
struct files {
	char *in, *out, *overlay, *source, *fragment;
	char *coeffs[N_COEFFS];
};

/* One input. */
struct job {
	struct line line;
	const char *coeffs; /* file of apply */
	struct container before, after;
	struct container_pick pick;
	bool keep_rest;
	size_t item;
	struct dtb tree_before, tree_after;
	struct changes changes; /* that were made */
	char *path;		/* of the node that set and delete are about */
	bool beside, slow; /* run also what makes two edits more, and other programs */
};

static struct files *files(void)
{
	static struct files *f;

	if (f)
		return f;
	f = calloc(1, sizeof(*f));
	fuzz_assert(f);
	f->in = run_file("in.dtb");
	f->out = run_file("out.dtb");
	f->overlay = run_file("out.dtbo");
	f->source = run_file("out.dtso"); /* which --overlay puts beside it */
	f->fragment = run_file("out.dtsi");
	for (size_t i = 0; i < N_COEFFS; i++) {
		f->coeffs[i] = run_file(coeffs_files[i].name);
		run_put(f->coeffs[i], coeffs_files[i].text, strlen(coeffs_files[i].text));
	}
	return f;
}

/* apply's word stands for a file. */
static bool choose_coeffs(struct job *j)
{
	if (strcmp(j->line.command, "apply"))
		return true;
	for (size_t i = 0; i < N_COEFFS && j->line.word_count == 1; i++)
		if (!strcmp(j->line.words[0], coeffs_files[i].name))
			j->coeffs = files()->coeffs[i];
	return j->coeffs;
}

static void add_options(const struct job *j, bool picked, struct run *r)
{
	static const char *const picks[] = { "--index=", "--compatible=", NULL };

	run_arg(r, j->line.command);
	for (unsigned int i = 0; i < j->line.option_count; i++)
		if (!picked || !line_is_listed(j->line.options[i], picks))
			run_arg(r, j->line.options[i]);
}

/* As it was written; or, @again, once more on its own result. */
static void run_command(const struct job *j, bool again, struct run *r)
{
	char index[32];

	/* The edit may have changed what the tree was chosen by. */
	add_options(j, again, r);
	snprintf(index, sizeof(index), "--index=%zu", j->item);
	if (again)
		run_arg(r, index);
	run_arg(r, "-o");
	run_arg(r, files()->out);
	run_arg(r, "--");
	run_arg(r, again ? files()->out : files()->in);
	if (j->coeffs)
		run_arg(r, j->coeffs);
	for (unsigned int i = 0; i < j->line.word_count && !j->coeffs; i++)
		run_arg(r, again && !i && j->path ? j->path : j->line.words[i]);
	run_now(r);
}

static void open_item(struct container *c, bool keep_rest)
{
	struct err err = { "" };

	if (container_parse(c, &err))
		fprintf(stderr, "%s\n", err.msg);
	fuzz_assert(!err.msg[0]);
	if (keep_rest)
		container_keep_rest(c);
}

/* Both files, and the tree in either that the edit was about. */
static void open_both(struct job *j)
{
	struct container_pick pick = { line_option(&j->line, "--index="),
				       line_option(&j->line, "--compatible="), false };

	fuzz_assert(run_get(files()->in, &j->before.file));
	fuzz_assert(run_get(files()->out, &j->after.file));
	open_item(&j->before, line_has(&j->line, "--keep-trailing"));
	open_item(&j->after, line_has(&j->line, "--keep-trailing"));
	fuzz_assert(j->before.kind == j->after.kind && j->before.count == j->after.count);
	fuzz_assert(!container_choose(&j->before, &pick, &j->item, NULL));
	fuzz_assert(!container_tree(&j->before, j->item, &j->tree_before, NULL));
	fuzz_assert(!container_tree(&j->after, j->item, &j->tree_after, NULL));
}

/* One property of one node, of the type and value that were asked for. */
static void check_set(const struct job *j)
{
	const char *type = line_option(&j->line, "--type=");
	const void *blob = j->tree_after.file.data, *value;
	struct buf want = { 0 };
	int len;

	for (size_t i = 0; i < j->changes.count; i++) {
		const struct change *c = &j->changes.list[i];

		fuzz_assert(c->kind == CHANGE_SET && !strcmp(c->path, j->path));
		fuzz_assert(!strcmp(c->property, j->line.words[1]));
	}
	value = fdt_getprop(blob, dtb_node(blob, j->path, NULL), j->line.words[1], &len);
	fuzz_assert(value);
	if (type)
		line_bytes(&j->line, type, 2, &want);
	fuzz_assert(!type || ((size_t)len == want.len &&
			      (!len || !memcmp(value, want.data, want.len))));
	buf_free(&want);
}

/* What tells of nodes by name goes with them. */
static bool is_trace(const char *path)
{
	return !strcmp(path, "/aliases") || !strncmp(path, "/__", 3);
}

static void check_delete(const struct job *j)
{
	enum change_kind kind = j->line.word_count > 1 ? CHANGE_DELETE
						       : CHANGE_DELETE_NODE;
	bool found = false;

	for (size_t i = 0; i < j->changes.count; i++) {
		const struct change *c = &j->changes.list[i];
		bool asked = c->kind == kind && !strcmp(c->path, j->path) &&
			     (!c->property || !strcmp(c->property, j->line.words[1]));

		fuzz_assert(asked || is_trace(c->path));
		found |= asked;
	}
	fuzz_assert(found);
}

/* Nothing of that node names what is gone. */
static void check_traces(const struct job *j, const char *path)
{
	const void *blob = j->tree_after.file.data;
	int node = dtb_node(blob, path, NULL), prop;

	if (node < 0)
		return;
	fdt_for_each_property_offset(prop, blob, node)
	{
		int len;
		const char *name;
		const char *value = fdt_getprop_by_offset(blob, prop, &name, &len);

		if (value && len > 1 && !value[len - 1] && value[0] == '/' &&
		    dtb_node(j->tree_before.file.data, value, NULL) >= 0)
			fuzz_assert(dtb_node(blob, value, NULL) >= 0);
	}
}

/* Status of OPPs; or these OPPs, and the labels and fixups that named them. */
static void check_prune(const struct job *j)
{
	for (size_t i = 0; i < j->changes.count; i++) {
		const struct change *c = &j->changes.list[i];
		int node = dtb_node(j->tree_before.file.data, c->path, NULL);
		bool traces = is_trace(c->path);

		fuzz_assert(traces ||
			    fdt_getprop(j->tree_before.file.data, node, "opp-hz", NULL));
		if (!line_has(&j->line, "--remove"))
			fuzz_assert(c->kind == CHANGE_SET && !traces &&
				    !strcmp(c->property, "status") && c->value.len == 9 &&
				    !memcmp(c->value.data, "disabled", 9));
		else
			fuzz_assert(c->kind == CHANGE_DELETE_NODE || traces);
	}
}

static void check_apply(const struct job *j)
{
	for (size_t i = 0; i < j->changes.count; i++) {
		const struct change *c = &j->changes.list[i];

		fuzz_assert(c->kind == CHANGE_SET && c->value.len == 4);
		if (!strcmp(c->property, "capacity-dmips-mhz"))
			fuzz_assert(line_has(&j->line, "--capacity"));
		else if (!strcmp(c->property, "opp-microwatt"))
			fuzz_assert(line_has(&j->line, "--opp-microwatt"));
		else if (!strcmp(c->property, "sustainable-power"))
			fuzz_assert(line_has(&j->line, "--scale-sustainable-power"));
		else
			fuzz_assert(!strcmp(c->property, "dynamic-power-coefficient") &&
				    !strncmp(c->path, "/cpus/", 6));
	}
}

static void check_tree(struct job *j)
{
	const struct buf *tree = &j->tree_after.file;
	bool joined = j->before.kind == CONTAINER_JOINED ||
		      j->before.kind == CONTAINER_ZIMAGE;

	fuzz_assert(!fdt_check_full(tree->data, tree->len));
	if (!compare_trees(&j->tree_before, &j->tree_after, joined ? SPARE_MAX : 0,
			   &j->changes))
		return;
	if (!strcmp(j->line.command, "set"))
		check_set(j);
	else if (!strcmp(j->line.command, "delete"))
		check_delete(j);
	else if (!strcmp(j->line.command, "prune"))
		check_prune(j);
	else
		check_apply(j);
	check_traces(j, "/aliases");
	check_traces(j, "/__symbols__");
}

/* What is done is done: the file stays as it is. */
static void check_again(const struct job *j)
{
	struct buf now = { 0 };
	struct run r = { 0 };
	bool guessed = !strcmp(j->line.command, "set") &&
		       !line_option(&j->line, "--type=");

	run_command(j, true, &r);
	if (!strcmp(j->line.command, "delete"))
		fuzz_assert(r.status == 2);
	else if (r.status || !strstr(r.out, "nothing to do"))
		/* The value that is there now may be text as well. */
		fuzz_assert(guessed && r.status == 2 && strstr(r.err, "--type"));
	fuzz_assert(run_get(files()->out, &now));
	fuzz_assert(now.len == j->after.file.len &&
		    !memcmp(now.data, j->after.file.data, now.len));
	buf_free(&now);
	run_free(&r);
}

/* The same edit, asked for in another form. Returns false when it was refused. */
static bool run_beside(const struct job *j, const char *how, const char *path,
		       struct buf *out)
{
	struct run r = { 0 };
	bool done;

	add_options(j, false, &r);
	run_arg(&r, how);
	run_arg(&r, "-o");
	run_arg(&r, path);
	run_arg(&r, "--");
	run_arg(&r, files()->in);
	run_arg(&r, j->coeffs);
	unlink(path);
	run_now(&r);
	done = run_get(path, out);
	fuzz_assert(r.status == (done ? 0 : 2));
	run_free(&r);
	return done;
}

static void check_beside(const struct job *j)
{
	struct buf overlay = { 0 }, fragment = { 0 };

	/* --keep-trailing is of edits. */
	if (line_has(&j->line, "--keep-trailing"))
		return;
	if (run_beside(j, "--overlay", files()->overlay, &overlay)) {
		beside_merge(&j->tree_before, &overlay, &j->tree_after);
		if (j->slow)
			beside_overlay_source(files()->source, &overlay);
	}
	if (run_beside(j, "--dtsi-fragment", files()->fragment, &fragment) && j->slow)
		beside_fragment(&j->tree_before, &fragment, &j->changes);
	buf_free(&overlay);
	buf_free(&fragment);
}

static void check_done(struct job *j)
{
	open_both(j);
	if (!strcmp(j->line.command, "set") || !strcmp(j->line.command, "delete"))
		fuzz_assert(node_find(&j->tree_before, j->line.words[0], &j->path,
				      NULL) >= 0);
	check_tree(j);
	compare_outside(&j->before, &j->after, j->item);
	if (j->coeffs && j->beside)
		check_beside(j);
	check_again(j);
}

static void job_free(struct job *j)
{
	container_free(&j->before);
	container_free(&j->after);
	dtb_free(&j->tree_before);
	dtb_free(&j->tree_after);
	changes_free(&j->changes);
	free(j->path);
}

/* -1: not worth keeping. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct job j = { 0 };
	struct run r = { 0 };
	const uint8_t *file = line_read(&j.line, data, size, commands, options);
	struct buf out;

	if (!file || !choose_coeffs(&j))
		return -1;
	j.beside = fuzz_turn(data, size, 4);
	j.slow = fuzz_turn(data, size, 16);
	run_put(files()->in, file, (size_t)(data + size - file));
	unlink(files()->out);
	run_command(&j, false, &r);
	if (!r.status) {
		check_done(&j);
	} else {
		fuzz_assert(r.status == 2);
		fuzz_assert(!run_get(files()->out, &out));
	}
	run_free(&r);
	job_free(&j);
	return 0;
}

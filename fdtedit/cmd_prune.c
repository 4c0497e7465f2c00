// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fdtedit prune: switch off or remove the OPPs that the kernel calls inefficient.
 */
#include "fdtedit/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/cooling.h"
#include "fdtedit/edits.h"
#include "fdtedit/refs.h"
#include "fdtedit/source.h"
#include "fdtedit/target.h"
#include "lib/coeffs.h"
#include "lib/outfile.h"
#include "lib/text.h"
#include "models/checks.h"

struct prune_options {
	const char *output;
	bool backup;
	bool dry_run;
	bool remove;
	bool keep_trailing;
	struct container_pick pick;
	struct target_source source;
};

/* One run. */
struct prune {
	struct cmd_ctx *ctx;
	const struct prune_options *opts;
	struct target target;
	struct dtb tree;
	struct dtcpus *cpus;
	struct checks *checks;
	struct refs refs; /* of the tree */
	struct changes changes;
	unsigned int pruned[DTCPUS_MAX_DOMAINS]; /* OPPs of each domain */
	unsigned int fewer_states;		 /* of all domains */
};

/* One table, and the first domain that uses it. */
struct table {
	struct prune *p;
	const struct dt_domain *dom;
	unsigned int index;
	int node;
};

static bool uses_table(const struct table *t, unsigned int domain)
{
	return !strcmp(t->p->cpus->domains[domain].opp_path, t->dom->opp_path);
}

/* Why nobody can tell which of its OPPs are inefficient, or NULL. */
static const char *find_obstacle(const struct table *t)
{
	for (unsigned int d = 0; d < t->p->cpus->domain_count; d++)
		if (uses_table(t, d) && !t->p->checks->domains[d].has_current)
			return t->p->checks->domains[d].current_why;
	for (unsigned int i = 0; i < t->dom->opp_count; i++)
		if (t->dom->opps[i].supported_hw)
			return "opp-supported-hw: which OPPs a chip has is not known, "
			       "and "
			       "without the better one none is inefficient";
	return NULL;
}

/* In all domains that use the table. */
static bool is_inefficient(const struct table *t, unsigned int opp)
{
	for (unsigned int d = 0; d < t->p->cpus->domain_count; d++)
		if (uses_table(t, d) &&
		    !t->p->checks->domains[d].current[opp].inefficient)
			return false;
	return true;
}

/*
 * The next OPP above that costs no more, or opp_count. One with turbo-mode is there only
 * while boost is on, so it stands in for no other.
 */
static unsigned int find_better(const struct table *t, unsigned int domain,
				unsigned int opp)
{
	const struct em_state *s = t->p->checks->domains[domain].current;
	unsigned int better = opp + 1;

	while (better < t->dom->opp_count &&
	       (s[better].cost > s[opp].cost ||
		(t->dom->opps[better].turbo && !t->dom->opps[opp].turbo)))
		better++;
	return better;
}

static bool needs_turbo(const struct table *t, unsigned int opp)
{
	for (unsigned int d = 0; d < t->p->cpus->domain_count; d++)
		if (uses_table(t, d) && find_better(t, d, opp) == t->dom->opp_count)
			return true;
	return false;
}

/* Does the OPP have to stay? Then @why tells. */
static bool must_stay(const struct table *t, unsigned int opp, int node, char *why,
		      size_t size)
{
	const struct ref *ref;

	*why = '\0';
	if (needs_turbo(t, opp)) {
		snprintf(why, size, "only an OPP with turbo-mode beats it");
	} else if (t->dom->opps[opp].suspend) {
		snprintf(why, size, "opp-suspend");
	} else {
		ref = refs_into(&t->p->refs, t->p->tree.file.data, node);
		if (ref)
			snprintf(why, size, "%s points to it", ref->property);
	}
	return *why;
}

/* The table's enabled OPP of that clock; there is one, else there were no model. */
static int find_opp_node(const struct table *t, uint64_t hz)
{
	const void *blob = t->p->tree.file.data;
	int node, len;

	fdt_for_each_subnode(node, blob, t->node)
	{
		const char *status = fdt_getprop(blob, node, "status", NULL);
		const void *clock = fdt_getprop(blob, node, "opp-hz", &len);

		if (clock && len >= 8 && fdt64_ld(clock) == hz &&
		    (!status || !strcmp(status, "okay") || !strcmp(status, "ok")))
			return node;
	}
	return -1;
}

static int add_change(struct table *t, int node, const char *why, struct err *err)
{
	const void *blob = t->p->tree.file.data;
	struct prune *p = t->p;
	char path[256];
	int ret = fdt_get_path(blob, node, path, sizeof(path));

	if (ret)
		return err_set(err, -EINVAL, "'%s': %s", t->dom->opp_path,
			       fdt_strerror(ret));
	for (unsigned int d = 0; d < p->cpus->domain_count; d++) {
		p->pruned[d] += uses_table(t, d);
		p->fewer_states += uses_table(t, d);
	}
	if (!p->opts->remove)
		return changes_set(&p->changes, path, "status", TYPED_STRING, "disabled",
				   sizeof("disabled"), why, err);
	return changes_delete_node(&p->changes, path, why, err);
}

static int prune_opp(struct table *t, unsigned int opp, struct err *err)
{
	uint64_t hz = t->dom->opps[opp].hz;
	int node = find_opp_node(t, hz);
	char why[160];

	if (node < 0)
		return err_set(err, -EINVAL, "'%s': OPP of %" PRIu64 " Hz not found",
			       t->dom->opp_path, hz);
	if (must_stay(t, opp, node, why, sizeof(why))) {
		cmd_note(t->p->ctx, "'%s': %" PRIu64 " MHz is inefficient but stays: %s",
			 t->dom->opp_path, hz / 1000000, why);
		return 0;
	}
	snprintf(why, sizeof(why), "%" PRIu64 " MHz costs no more",
		 t->dom->opps[find_better(t, t->index, opp)].hz / 1000000);
	return add_change(t, node, why, err);
}

static int prune_table(struct table *t, struct err *err)
{
	const char *why = find_obstacle(t);
	int ret = 0;

	if (why) {
		cmd_note(t->p->ctx, "'%s' is left alone: %s", t->dom->opp_path, why);
		return 0;
	}
	t->node = dtb_node(t->p->tree.file.data, t->dom->opp_path, err);
	if (t->node < 0)
		return t->node;
	for (unsigned int i = 0; !ret && i < t->dom->opp_count; i++)
		if (is_inefficient(t, i))
			ret = prune_opp(t, i, err);
	return ret;
}

/* The table of domain @d, if no domain before has the same. */
static bool first_use(struct prune *p, unsigned int d, struct table *t)
{
	unsigned int first = 0;

	*t = (struct table){ p, &p->cpus->domains[d], d, -1 };
	while (!uses_table(t, first))
		first++;
	return first == d && t->dom->opp_path[0];
}

/* Can any table be judged? */
static int check_tables(struct prune *p, struct err *err)
{
	const char *why = "no CPU has one";
	const char *path = "OPP table";
	struct table t;

	for (unsigned int d = 0; d < p->cpus->domain_count; d++) {
		if (!first_use(p, d, &t))
			continue;
		path = t.dom->opp_path;
		why = find_obstacle(&t);
		if (!why)
			return 0;
	}
	return err_set(err, -EINVAL,
		       "nothing tells which OPPs are inefficient, '%s': %s; where "
		       "coefficients are missing, give COEFFS or write them first",
		       path, why);
}

static int plan(struct prune *p, struct err *err)
{
	int ret = check_tables(p, err);
	struct table t;

	if (!ret)
		ret = refs_read(p->tree.file.data, &p->refs, err);
	for (unsigned int d = 0; !ret && d < p->cpus->domain_count; d++)
		if (first_use(p, d, &t))
			ret = prune_table(&t, err);
	return ret ? ret : refs_delete_traces(p->tree.file.data, &p->changes, err);
}

/*
 * A CPU cooled to more states than there are left is not bound at all
 * (thermal_bind_cdev_to_trip()). @told: the domains that @map was warned of.
 */
static void warn_device(const struct prune *p, int map, const struct cooling *dev,
			bool *told)
{
	const void *blob = p->tree.file.data;
	char path[256];

	for (unsigned int i = 0; dev->has_max && i < p->cpus->cpu_count; i++) {
		const struct dt_cpu *cpu = &p->cpus->cpus[i];
		unsigned int left;

		if (cpu->domain < 0 || !p->pruned[cpu->domain] || told[cpu->domain] ||
		    dtb_node(blob, cpu->path, NULL) != dev->node)
			continue;
		left = p->cpus->domains[cpu->domain].opp_count - p->pruned[cpu->domain];
		if (dev->max == COOLING_NO_LIMIT || dev->max < left ||
		    fdt_get_path(blob, map, path, sizeof(path)))
			continue;
		told[cpu->domain] = true;
		cmd_warn(p->ctx,
			 "'%s': cooling-device names state %" PRIu32
			 " of '%s', and 0..%u are left: the kernel will not bind it; "
			 "write THERMAL_NO_LIMIT (%u) or a state that is there",
			 path, dev->max, cpu->path, left - 1, COOLING_NO_LIMIT);
	}
}

static void warn_cooling(const struct prune *p)
{
	const void *blob = p->tree.file.data;
	int node, len;

	for (node = 0; node >= 0; node = fdt_next_node(blob, node, NULL)) {
		const char *list = fdt_getprop(blob, node, "cooling-device", &len);
		bool told[DTCPUS_MAX_DOMAINS] = { false };
		struct cooling dev;
		int at = 0;

		while (cooling_next(blob, list, len, &at, &dev) > 0)
			warn_device(p, node, &dev, told);
	}
}

/* Coefficients that are not in the tree yet. */
static int take_coeffs(struct prune *p, const char *path, struct err *err)
{
	struct edit_cpu *view = calloc(EDITS_MAX, sizeof(*view));
	struct edits *edits = calloc(1, sizeof(*edits));
	struct coeffs *c = coeffs_new();
	int ret = view && edits && c ? 0 : err_errno(err, -ENOMEM, "coefficients");

	if (!ret)
		ret = coeffs_read(path, c, err);
	if (!ret && p->target.dts)
		ret = coeffs_resolve_labels(c, source_label_path, p->target.dts, err);
	else if (!ret)
		ret = coeffs_resolve_labels(c, dtb_label_path, p->tree.file.data, err);
	if (!ret) {
		dtb_view(p->cpus, view);
		ret = edits_plan(c, view, p->cpus->cpu_count, true, edits, err);
	}
	for (unsigned int i = 0; !ret && i < edits->note_count; i++)
		cmd_warn(p->ctx, "%s", edits->notes[i]);
	for (unsigned int i = 0; !ret && i < p->cpus->cpu_count; i++) {
		if (edits->cluster[i] < 0)
			continue;
		p->cpus->cpus[i].has_dpc = true;
		p->cpus->cpus[i].dpc_uw_per_mhz_v2 =
			c->clusters[edits->cluster[i]].dpc_uw_per_mhz_v2;
	}
	coeffs_free(c);
	free(edits);
	free(view);
	return ret;
}

static int load(struct prune *p, int argc, char **argv, struct err *err)
{
	int ret;

	if (!strcmp(argv[0], "-") && argc > 1 && !strcmp(argv[1], "-"))
		return err_set(err, -EINVAL, "BOARD and COEFFS cannot both be '-'");
	ret = target_load(&p->target, &p->tree, err);
	if (ret)
		return ret;
	ret = dtb_read_cpus(&p->tree, p->cpus, err);
	if (!ret && argc > 1)
		ret = take_coeffs(p, argv[1], err);
	if (ret)
		return err_wrap(err, ret, "'%s'", argv[0]);
	checks_run(&(struct checks_input){ .d = p->cpus }, p->checks);
	return 0;
}

static void print_complexity(const struct prune *p)
{
	unsigned int domains = p->cpus->domain_count;
	unsigned int before = p->checks->complexity_v56 / domains;

	fprintf(target_talk(&p->target),
		"%s: energy model complexity %u x %u = %u -> %u x %u = %u (domains x "
		"(CPUs "
		"+ states))\n",
		p->target.board, domains, before, domains * before, domains,
		before - p->fewer_states, domains * (before - p->fewer_states));
}

static int prune(struct prune *p, int argc, char **argv, struct err *err)
{
	int ret = target_check(&p->target, err);

	if (!ret && argc > 1)
		ret = outfile_not_input(p->opts->output, argv[1], err);
	if (!ret)
		ret = load(p, argc, argv, err);
	if (ret)
		return ret;
	ret = plan(p, err);
	if (ret)
		return err_wrap(err, ret, "'%s'", argv[0]);
	warn_cooling(p);
	ret = target_change(&p->target, &p->tree, &p->changes, err);
	if (ret)
		return ret;
	print_complexity(p);
	return target_finish(&p->target, err);
}

static int run_prune(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
		     struct err *err)
{
	const struct prune_options *opts = options;
	struct prune p = { .ctx = ctx,
			   .opts = opts,
			   .target = { .board = argv[0],
				       .output = opts->output,
				       .backup = opts->backup,
				       .dry_run = opts->dry_run,
				       .keep_rest = opts->keep_trailing,
				       .pick = opts->pick,
				       .source = opts->source } };
	int ret;

	p.cpus = dtcpus_new();
	p.checks = checks_new();
	if (p.cpus && p.checks)
		ret = prune(&p, argc, argv, err);
	else
		ret = err_errno(err, -ENOMEM, "list of CPU nodes");
	target_free(&p.target);
	changes_free(&p.changes);
	refs_free(&p.refs);
	checks_free(p.checks);
	dtcpus_free(p.cpus);
	dtb_free(&p.tree);
	return ret;
}

static const struct opt prune_opts[] = {
	{ "remove", 0, OPT_FLAG, offsetof(struct prune_options, remove), NULL,
	  "delete the nodes (with their labels in __symbols__); without it they get "
	  "status \"disabled\", which can be taken back" },
	{ "output", 'o', OPT_STRING, offsetof(struct prune_options, output), "OUT",
	  "write here and leave BOARD alone ('-': standard output)" },
	{ "dry-run", 'n', OPT_FLAG, offsetof(struct prune_options, dry_run), NULL,
	  "say what would change and change nothing" },
	{ "backup", 0, OPT_FLAG, offsetof(struct prune_options, backup), NULL,
	  "keep the old file as BOARD.orig; refused when that is there" },
	CONTAINER_KEEP_OPT(struct prune_options, keep_trailing),
	CONTAINER_OPTS(struct prune_options, pick),
	TARGET_SOURCE_OPTS(struct prune_options, source),
	TARGET_FORCE_OPT(struct prune_options, source),
	{ NULL },
};

const struct cmd cmd_prune = {
	.name = "prune",
	.args = "BOARD [COEFFS]",
	.summary =
		"switch off OPPs that a faster one beats, in a compiled tree or source",
	.help = "An OPP is inefficient when one above it costs no more energy for the "
		"same work, by the rule of the current kernel, with the tree's own "
		"coefficients, its opp-microwatt, or the coefficients of COEFFS (which "
		"are not written). Energy Aware Scheduling looks at every state of every "
		"domain at each wake-up; the energy model's complexity, domains x (CPUs "
		"+ "
		"states), is printed before and after.\n"
		"\n"
		"The highest OPP stays, and so does one that only OPPs with turbo-mode "
		"beat, one with opp-suspend or that a property points to, as "
		"required-opps. A "
		"table without a complete energy model, and one with opp-supported-hw, "
		"is "
		"left alone: nobody can tell there. BOARD is edited in place, whole or "
		"not at all, and nothing else in it changes. Source (.dts) is compiled "
		"with cpp and dtc as it was and as it will be, and refused when the two "
		"trees differ by more; --all-files allows edits of files that it "
		"includes.\n"
		"\n"
		"The kernel passes over inefficient states by itself where a policy "
		"allows it; pruning is for fewer states and for kernels that do not.",
	.example = "fdtedit prune -n board.dtb\n"
		   "fdtedit prune --backup board.dtb\n"
		   "fdtedit prune --patch --all-files -I include board.dts\n"
		   "fdtedit prune --remove -o small.dtb board.dtb coeffs.json",
	.opts = prune_opts,
	.opts_size = sizeof(struct prune_options),
	.min_args = 1,
	.max_args = 2,
	.run = run_prune,
};

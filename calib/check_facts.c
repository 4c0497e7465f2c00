// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Put together what 'calib check' judges. The machine comes from a compiled tree, a board
 * description, or, when neither is known, from coeffs.json alone.
 */
#include "calib/check_facts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/coeffs_dt.h"

#define MAX_INPUT (16u << 20)

__attribute__((format(printf, 2, 3))) static void note(struct check_facts *facts,
						       const char *fmt, ...)
{
	va_list ap;

	if (facts->note_count == CHECK_FACTS_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(facts->notes[facts->note_count++], sizeof(facts->notes[0]), fmt, ap);
	va_end(ap);
}

static int read_tree(struct check_facts *facts, const char *path, struct err *err)
{
	struct dtcpus *d = facts->d;
	struct err why;
	int ret = dtcpus_check_blob(facts->blob.data, facts->blob.len, &why);

	/* What follows the tree does not change what the kernel reads. */
	if (ret == -E2BIG)
		note(facts, "'%s': %s", path, why.msg);
	else if (ret)
		return err_set(err, ret, "'%s': %s", path, why.msg);
	ret = dtcpus_read(facts->blob.data, d, err);
	if (!ret && facts->bin)
		ret = dtcpus_use_bin(facts->blob.data, d, facts->bin, err);
	if (ret)
		return err_wrap(err, ret, "'%s'", path);
	if (d->root_compatible_count)
		snprintf(facts->title, sizeof(facts->title), "%s (%s)",
			 d->root_compatibles[0], d->model ? d->model : "no model");
	return 0;
}

/* A new domain of CPU @cpu, without OPPs. */
static struct dt_domain *add_domain(struct dtcpus *d, unsigned int cpu)
{
	struct dt_domain *dom = &d->domains[d->domain_count];

	if (d->domain_count == DTCPUS_MAX_DOMAINS)
		return NULL;
	memset(dom, 0, sizeof(*dom));
	dom->cpus[dom->cpu_count++] = cpu;
	d->cpus[cpu].domain = d->domain_count++;
	return dom;
}

static const char *core(const struct dt_cpu *cpu)
{
	return cpu->compatible_count ? cpu->compatibles[0] : "";
}

/*
 * CPUs without an OPP table (firmware or the clock driver knows their OPPs) are taken as
 * one domain per core type, so that all else can be checked.
 */
static int group_tableless(struct check_facts *facts, struct err *err)
{
	struct dtcpus *d = facts->d;
	unsigned int i, j, from_tree = d->domain_count;

	for (i = 0; i < d->cpu_count; i++) {
		struct dt_cpu *cpu = &d->cpus[i];

		if (cpu->domain >= 0)
			continue;
		for (j = from_tree; j < d->domain_count; j++)
			if (!strcmp(core(&d->cpus[d->domains[j].cpus[0]]), core(cpu)))
				break;
		if (j == d->domain_count) {
			if (!add_domain(d, i))
				return err_set(err, -ERANGE,
					       "more than %d frequency domains",
					       DTCPUS_MAX_DOMAINS);
			continue;
		}
		cpu->domain = j;
		d->domains[j].cpus[d->domains[j].cpu_count++] = i;
	}
	return 0;
}

/* OPPs for the domains whose tree has none, from the board's cluster of that core. */
static void complete_opps(struct check_facts *facts)
{
	struct dtcpus *d = facts->d;
	unsigned int i, j;

	for (i = 0; i < d->domain_count; i++) {
		struct dt_domain *dom = &d->domains[i];
		const char *type = core(&d->cpus[dom->cpus[0]]);

		if (dom->opp_count || !facts->has_board)
			continue;
		for (j = 0; j < facts->board.cluster_count; j++) {
			if (strcmp(facts->board.clusters[j].compatible, type))
				continue;
			board_cluster_opps(&facts->board.clusters[j], dom);
			note(facts, "the tree has no OPPs for %s: taken from board '%s'",
			     type, facts->board.name);
			break;
		}
	}
}

static int match_board(struct check_facts *facts, const char *const compatibles[],
		       size_t n, struct err *err)
{
	int ret = board_match(compatibles, n, &facts->board, err);

	facts->has_board = ret > 0;
	return ret < 0 ? ret : 0;
}

static int load_board(struct check_facts *facts, const char *spec, struct err *err)
{
	bool virtual_board;
	int ret = board_open(spec, &facts->board, &virtual_board, err);

	facts->has_board = !ret;
	return ret;
}

/*
 * The board of a tree: the tree itself when it is a description (boards/README.md), else
 * the built-in board of its compatible.
 */
static int board_of_tree(struct check_facts *facts, struct err *err)
{
	const struct dtcpus *d = facts->d;

	if (!board_from_blob(facts->blob.data, facts->blob.len, "tree", &facts->board,
			     NULL) &&
	    facts->board.has_ratio) {
		facts->has_board = true;
		return 0;
	}
	return match_board(facts, d->root_compatibles, d->root_compatible_count, err);
}

static int load_tree(struct check_facts *facts, const char *path, const char *board_spec,
		     struct err *err)
{
	int ret;

	ret = read_tree(facts, path, err);
	if (!ret)
		ret = board_spec ? load_board(facts, board_spec, err)
				 : board_of_tree(facts, err);
	if (!ret)
		ret = group_tableless(facts, err);
	if (!ret)
		complete_opps(facts);
	return ret;
}

/* The board's clusters as domains, its CPUs under their Linux numbers. */
static int machine_of_board(struct check_facts *facts, struct err *err)
{
	const struct board *b = &facts->board;

	snprintf(facts->title, sizeof(facts->title), "%s (%s)", b->compatible, b->model);
	return board_cpus(b, facts->d, err);
}

static void cpu_of_coeffs(struct dtcpus *d, const struct coeffs_cluster *cl)
{
	struct dt_cpu *cpu = &d->cpus[d->cpu_count++];

	cpu->compatibles[0] = cl->match.compatible[0] ? cl->match.compatible : cl->name;
	cpu->compatible_count = 1;
	cpu->enabled = true;
}

/* Nothing but coeffs.json: cluster i is domain i, of as many CPUs as it names. */
static int machine_of_coeffs(struct check_facts *facts, struct err *err)
{
	const struct coeffs *c = facts->coeffs;
	struct dtcpus *d = facts->d;
	unsigned int i, n;

	for (i = 0; i < c->cluster_count; i++) {
		const struct coeffs_match *m = &c->clusters[i].match;
		struct dt_domain *dom;

		n = m->path_count > m->reg_count ? m->path_count : m->reg_count;
		if (!n)
			n = 1;
		if (d->cpu_count + n > DTCPUS_MAX_CPUS)
			return err_set(err, -ERANGE, "more than %d CPUs",
				       DTCPUS_MAX_CPUS);
		/* COEFFS_MAX_CLUSTERS domains always fit. */
		dom = add_domain(d, d->cpu_count);
		dom->cpu_count = 0;
		while (n--) {
			dom->cpus[dom->cpu_count++] = d->cpu_count;
			d->cpus[d->cpu_count].domain = i;
			cpu_of_coeffs(d, &c->clusters[i]);
		}
	}
	note(facts, "the board is not known: CPU numbers count the clusters of the file");
	return 0;
}

static void set_opps(struct dt_domain *dom, const struct coeffs_cluster *cl)
{
	unsigned int i;

	for (i = 0; i < cl->opp_count; i++) {
		struct dt_opp *opp = &dom->opps[i];

		memset(opp, 0, sizeof(*opp));
		opp->hz = cl->opps[i].hz;
		opp->has_volt = cl->opps[i].microvolt != 0;
		opp->volt_uv = cl->opps[i].microvolt;
	}
	dom->opp_count = cl->opp_count;
	snprintf(dom->opp_path, sizeof(dom->opp_path), "coeffs.json");
}

static int set_cpu(struct check_facts *facts, unsigned int cpu, unsigned int cluster,
		   int *owner, bool keep_opps, struct err *err)
{
	const struct coeffs_cluster *cl = &facts->coeffs->clusters[cluster];
	struct dt_cpu *node = &facts->d->cpus[cpu];

	if (owner[cpu] >= 0)
		return err_set(err, -EINVAL, "clusters '%s' and '%s' both match %s",
			       facts->coeffs->clusters[owner[cpu]].name, cl->name,
			       node->path);
	owner[cpu] = cluster;
	facts->cluster_of[node->domain] = cluster + 1;
	node->has_dpc = true;
	node->dpc_uw_per_mhz_v2 = cl->dpc_uw_per_mhz_v2;
	if (!node->has_capacity && cl->has_capacity) {
		node->has_capacity = true;
		node->capacity_dmips_mhz = cl->capacity_dmips_mhz;
	}
	if (cl->opp_count && !(keep_opps && facts->d->domains[node->domain].opp_count))
		set_opps(&facts->d->domains[node->domain], cl);
	return 0;
}

/*
 * Give the machine's CPUs their coefficients.
 * @by_order: the machine was made from the file, so cluster i is domain i
 * @keep_opps: the machine's OPPs go before those of the file
 */
static int apply_coeffs(struct check_facts *facts, bool by_order, bool keep_opps,
			struct err *err)
{
	const struct coeffs *c = facts->coeffs;
	struct dtcpus *d = facts->d;
	int owner[DTCPUS_MAX_CPUS];
	unsigned int i, j;
	int ret;

	memset(owner, -1, sizeof(owner));
	ret = by_order ? 0 : coeffs_dt_labels(facts->coeffs, facts->blob.data, err);
	if (ret)
		return ret;
	for (i = 0; i < c->cluster_count; i++) {
		unsigned int matched = 0;

		for (j = 0; j < d->cpu_count; j++) {
			const struct dt_cpu *cpu = &d->cpus[j];
			bool match;

			if (cpu->domain < 0 || !cpu->compatible_count)
				continue;
			match = by_order ? cpu->domain == (int)i
					 : coeffs_dt_match(&c->clusters[i].match, d, cpu);
			if (!match)
				continue;
			ret = set_cpu(facts, j, i, owner, keep_opps, err);
			if (ret)
				return ret;
			matched++;
		}
		if (!matched)
			return err_set(
				err, -ENOENT,
				"cluster '%s' matches no CPU of %s; name the right "
				"board with --board",
				c->clusters[i].name, facts->title);
	}
	return 0;
}

static void find_capacity(struct check_facts *facts)
{
	const struct dtcpus *d = facts->d;
	unsigned int i;

	for (i = 0; i < d->cpu_count; i++)
		if (d->cpus[i].domain >= 0 && !d->cpus[i].has_capacity)
			facts->capacity_unknown = true;
}

static bool is_tree_file(const char *spec)
{
	size_t len = strlen(spec);

	return strchr(spec, '/') || (len > 4 && !strcmp(spec + len - 4, ".dtb"));
}

/* The machine that coeffs.json is about. Returns 1 when only the file itself tells. */
static int find_machine(struct check_facts *facts, const char *board_spec,
			struct err *err)
{
	const char *compatible = facts->coeffs->board;
	int ret;

	if (board_spec && is_tree_file(board_spec)) {
		ret = buf_read_file(&facts->blob, board_spec, MAX_INPUT, err);
		return ret ? ret : load_tree(facts, board_spec, NULL, err);
	}
	ret = board_spec      ? load_board(facts, board_spec, err)
	      : compatible[0] ? match_board(facts, &compatible, 1, err)
			      : 0;
	if (ret)
		return ret;
	if (facts->bin)
		return err_set(err, -EINVAL,
			       "--bin: there is no tree to take it from; name one with "
			       "--board FILE.dtb");
	if (facts->has_board)
		return machine_of_board(facts, err);
	if (compatible[0])
		note(facts, "no board description for '%s'", compatible);
	ret = machine_of_coeffs(facts, err);
	return ret ? ret : 1;
}

static void note_missing_opps(struct check_facts *facts)
{
	unsigned int i;

	for (i = 0; i < facts->d->domain_count; i++)
		if (!facts->d->domains[i].opp_count)
			break;
	if (i < facts->d->domain_count)
		note(facts, "no OPPs: name the board with --board NAME or --board "
			    "FILE.dtb to have efficiency and limits checked");
}

static int load_coeffs(struct check_facts *facts, const struct buf *text,
		       const char *path, const char *board_spec, struct err *err)
{
	int ret;

	facts->coeffs = coeffs_new();
	if (!facts->coeffs)
		return err_set(err, -ENOMEM, "out of memory");
	ret = coeffs_parse(text->data, text->len, path, facts->coeffs, err);
	if (ret)
		return ret;
	ret = find_machine(facts, board_spec, err);
	if (ret < 0)
		return ret;
	ret = apply_coeffs(facts, ret == 1, board_spec != NULL, err);
	if (ret)
		return err_wrap(err, ret, "'%s'", path);
	if (!facts->has_board && !facts->blob.len)
		find_capacity(facts);
	note_missing_opps(facts);
	return check_facts_measured(facts, err);
}

int check_facts_of_clusters(struct check_facts *facts, const struct coeffs *c,
			    struct err *err)
{
	const char *compatible;
	int ret = 0;

	memset(facts, 0, sizeof(*facts));
	facts->d = dtcpus_new();
	facts->coeffs = coeffs_new();
	if (!facts->d || !facts->coeffs)
		return err_set(err, -ENOMEM, "out of memory");
	*facts->coeffs = *c;
	compatible = facts->coeffs->board;
	if (*compatible)
		ret = match_board(facts, &compatible, 1, err);
	if (!ret)
		ret = machine_of_coeffs(facts, err);
	if (!ret)
		ret = apply_coeffs(facts, true, false, err);
	if (!ret)
		find_capacity(facts);
	return ret ? ret : check_facts_measured(facts, err);
}

/* Anything that does not start like JSON is judged, and refused, as a tree. */
static bool is_json(const struct buf *buf)
{
	const char *text = buf->data;

	if (buf->len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	text += strspn(text, " \t\r\n");
	return *text == '{' || *text == '[';
}

int check_facts_load(struct check_facts *facts, const char *path, const char *board_spec,
		     const char *bin, struct err *err)
{
	struct buf input = { 0 };
	int ret;

	memset(facts, 0, sizeof(*facts));
	facts->bin = bin;
	facts->d = dtcpus_new();
	if (!facts->d)
		return err_set(err, -ENOMEM, "out of memory");
	/* Once: what is read may be a pipe. */
	ret = buf_read_file(&input, path, MAX_INPUT, err);
	if (ret)
		return ret;
	path = buf_file_name(path);
	if (!input.len) {
		buf_free(&input);
		return err_set(
			err, -EINVAL,
			"'%s': empty, neither a coeffs.json nor a device tree; did "
			"the program that wrote it fail?",
			path);
	}
	if (is_json(&input)) {
		ret = load_coeffs(facts, &input, path, board_spec, err);
		buf_free(&input);
		return ret;
	}
	facts->blob = input;
	return load_tree(facts, path, board_spec, err);
}

struct checks_band check_facts_band(const struct check_facts *facts)
{
	struct checks_band band = { 0 };

	if (!facts->has_board || !facts->board.has_ratio)
		return band;
	band.known = true;
	band.min = facts->board.ratio_min;
	band.max = facts->board.ratio_max;
	band.source = facts->board.ratio_source;
	return band;
}

bool check_facts_virtual(const struct check_facts *facts)
{
	return facts->coeffs && facts->coeffs->virtual_board;
}

void check_facts_free(struct check_facts *facts)
{
	dtcpus_free(facts->d);
	coeffs_free(facts->coeffs);
	free(facts->measured);
	buf_free(&facts->blob);
	memset(facts, 0, sizeof(*facts));
}

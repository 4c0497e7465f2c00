// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From coefficients to edits: match clusters to CPU nodes, refuse what cannot be meant.
 */
#include "fdtedit/edits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NO_CLUSTER (-1)

struct plan {
	const struct coeffs *c;
	const struct edit_cpu *cpus;
	size_t cpu_count;
	int cluster[EDITS_MAX]; /* per CPU node: who claims it, or NO_CLUSTER */
	bool skip[EDITS_MAX];	/* claimed, but stays without by the tree's custom */
};

void edits_note(struct edits *out, const char *fmt, ...)
{
	va_list ap;

	if (out->note_count == EDITS_MAX_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(out->notes[out->note_count++], sizeof(out->notes[0]), fmt, ap);
	va_end(ap);
}

static const char *first_compatible(const struct edit_cpu *cpu)
{
	return cpu->compatible_count ? cpu->compatibles[0] : "CPUs without compatible";
}

/* "reg 0x100 0x101" of the CPU nodes from @first on that have its compatible. */
static void describe_group(const struct plan *p, size_t first, FILE *f)
{
	const char *name = first_compatible(&p->cpus[first]);
	bool said_reg = false;

	for (size_t i = first; i < p->cpu_count; i++) {
		const struct edit_cpu *cpu = &p->cpus[i];

		if (strcmp(first_compatible(cpu), name))
			continue;
		if (i != first)
			fputc(' ', f);
		if (cpu->has_reg)
			fprintf(f, "%s0x%" PRIx64, said_reg ? "" : "reg ", cpu->reg);
		else
			fputs(cpu->path, f);
		said_reg |= cpu->has_reg;
	}
}

/* "arm,cortex-a7 (reg 0x100 0x101), arm,cortex-a15 (reg 0x0 0x1)", cut to @size. */
static void describe_cpus(const struct plan *p, char *out, size_t size)
{
	FILE *f = fmemopen(out, size, "w");
	const char *sep = "";

	out[0] = '\0';
	if (!f)
		return;
	for (size_t i = 0; i < p->cpu_count; i++) {
		const char *name = first_compatible(&p->cpus[i]);
		bool seen = false;

		for (size_t k = 0; k < i; k++)
			seen |= !strcmp(first_compatible(&p->cpus[k]), name);
		if (seen)
			continue;
		fprintf(f, "%s%s (", sep, name);
		describe_group(p, i, f);
		fputc(')', f);
		sep = ", ";
	}
	fclose(f);
	out[size - 1] = '\0';
}

static struct coeffs_cpu as_matched(const struct edit_cpu *cpu)
{
	return (struct coeffs_cpu){
		.path = cpu->path,
		.opp_path = cpu->opp_path,
		.map_path = cpu->map_path,
		.compatibles = cpu->compatibles,
		.compatible_count = cpu->compatible_count,
		.has_reg = cpu->has_reg,
		.reg = cpu->reg,
	};
}

static bool cpu_matches(const struct coeffs_match *m, const struct edit_cpu *cpu)
{
	const struct coeffs_cpu facts = as_matched(cpu);

	return coeffs_match_cpu(m, &facts);
}

/* Whatever an "#if" makes of the node, the cluster must have it or must not. */
static int check_others(const struct coeffs_cluster *cl, const struct edit_cpu *cpu,
			struct err *err)
{
	bool matches = cpu_matches(&cl->match, cpu);

	for (const struct edit_cpu *o = cpu->other; o; o = o->other) {
		if (cpu_matches(&cl->match, o) != matches)
			return err_set(err, -EINVAL,
				       "cluster '%s' matches '%s' in one branch of an "
				       "#if and not in another, by compatible or reg: "
				       "match it by paths, or edit it by hand",
				       cl->name, cpu->path);
	}
	return 0;
}

/* Whatever an "#if" makes of the node. */
static bool has_reg(const struct edit_cpu *cpu, uint64_t reg)
{
	for (; cpu; cpu = cpu->other)
		if (cpu->has_reg && cpu->reg == reg)
			return true;
	return false;
}

/*
 * Numbers and paths that no CPU node has: the tree is of a variant with fewer CPUs, or
 * another board's.
 */
static void note_unused_keys(const struct plan *p, const struct coeffs_cluster *cl,
			     struct edits *out)
{
	static const char advice[] = "; is this the board that was measured?";

	for (unsigned int r = 0; r < cl->match.reg_count; r++) {
		bool used = false;

		for (size_t i = 0; i < p->cpu_count; i++)
			used |= has_reg(&p->cpus[i], cl->match.reg[r]);
		if (!used)
			edits_note(out,
				   "cluster '%s': no CPU node has reg 0x%" PRIx64 "%s",
				   cl->name, cl->match.reg[r], advice);
	}
	for (unsigned int r = 0; r < cl->match.path_count; r++) {
		bool used = false;

		for (size_t i = 0; i < p->cpu_count; i++) {
			const struct coeffs_cpu facts = as_matched(&p->cpus[i]);

			used |= coeffs_is_path_of(cl->match.paths[r], &facts);
		}
		if (!used)
			edits_note(out, "cluster '%s': no CPU node '%s'%s", cl->name,
				   cl->match.paths[r], advice);
	}
}

static int claim_for_cluster(struct plan *p, int index, struct edits *out,
			     struct err *err)
{
	const struct coeffs_cluster *cl = &p->c->clusters[index];
	const struct coeffs_match *m = &cl->match;
	size_t matched = 0;
	char there[640];

	if (!m->compatible[0] && !m->reg_count && !m->path_count)
		return err_set(
			err, -EINVAL,
			"cluster '%s': match has no key; give compatible, reg or paths",
			cl->name);
	for (size_t i = 0; i < p->cpu_count; i++) {
		int ret = check_others(cl, &p->cpus[i], err);

		if (ret)
			return ret;
		if (!cpu_matches(m, &p->cpus[i]))
			continue;
		if (p->cluster[i] != NO_CLUSTER)
			return err_set(err, -EINVAL,
				       "clusters '%s' and '%s' both match CPU node '%s'; "
				       "narrow their match with reg or paths",
				       p->c->clusters[p->cluster[i]].name, cl->name,
				       p->cpus[i].path);
		p->cluster[i] = index;
		matched++;
	}
	if (!matched) {
		describe_cpus(p, there, sizeof(there));
		return err_set(err, -ENOENT,
			       "cluster '%s'%s%s%s matches no CPU node; there %s %s",
			       cl->name, m->compatible[0] ? " (compatible '" : "",
			       m->compatible, m->compatible[0] ? "')" : "",
			       p->cpu_count ? "are" : "is",
			       p->cpu_count ? there : "none");
	}
	note_unused_keys(p, cl, out);
	return 0;
}

/* What CPU node @i will say, or what it is asked to say if custom leaves it out. */
static bool wanted_value(const struct plan *p, size_t i, uint32_t *value)
{
	if (p->cluster[i] != NO_CLUSTER) {
		*value = p->c->clusters[p->cluster[i]].dpc_uw_per_mhz_v2;
		return true;
	}
	*value = p->cpus[i].value;
	return p->cpus[i].has_value;
}

int edits_two_values(const char *path, uint32_t value, const char *other_path,
		     uint32_t other, struct err *err)
{
	return err_set(err, -EINVAL,
		       "one frequency domain would get two values: '%s' %" PRIu32
		       ", '%s' %" PRIu32 "; the kernel keeps one energy model per domain",
		       path, value, other_path, other);
}

/* @first: the first CPU node of its domain. */
static int check_domain(const struct plan *p, size_t first, struct err *err)
{
	bool claimed = false, have = false;
	uint32_t value = 0, other;
	size_t who = first;

	for (size_t i = first; i < p->cpu_count; i++)
		if (p->cpus[i].domain == p->cpus[first].domain)
			claimed |= p->cluster[i] != NO_CLUSTER;
	for (size_t i = first; claimed && i < p->cpu_count; i++) {
		if (p->cpus[i].domain != p->cpus[first].domain)
			continue;
		if (!wanted_value(p, i, &other))
			continue;
		if (have && other != value)
			return edits_two_values(p->cpus[who].path, value, p->cpus[i].path,
						other, err);
		if (!have)
			who = i;
		have = true;
		value = other;
	}
	return 0;
}

/*
 * The kernel reads the property of the policy's own CPU alone
 * (dev_pm_opp_of_register_em(), drivers/opp/of.c), so many trees give it to each domain's
 * first CPU and no other.
 */
static void keep_custom(struct plan *p, size_t first, struct edits *out)
{
	unsigned int skipped = 0;

	if (!p->cpus[first].has_value || p->cluster[first] == NO_CLUSTER)
		return;
	for (size_t i = first + 1; i < p->cpu_count; i++) {
		if (p->cpus[i].domain != p->cpus[first].domain)
			continue;
		if (p->cluster[i] == NO_CLUSTER || p->cpus[i].has_value)
			continue;
		p->skip[i] = true;
		skipped++;
	}
	if (skipped)
		edits_note(out,
			   "%u CPU node(s) in the domain of '%s' stay without the "
			   "property, as "
			   "in "
			   "this tree so far; --all-cpus writes them too",
			   skipped, p->cpus[first].path);
}

static void note_first_without(const struct plan *p, size_t first, struct edits *out)
{
	if (p->cpus[first].has_value || p->cluster[first] != NO_CLUSTER)
		return;
	for (size_t i = first + 1; i < p->cpu_count; i++) {
		if (p->cpus[i].domain != p->cpus[first].domain)
			continue;
		if (p->cluster[i] == NO_CLUSTER)
			continue;
		edits_note(
			out,
			"'%s' will have no effect: the kernel reads the property of the "
			"domain's "
			"first CPU, '%s', which has none",
			p->cpus[i].path, p->cpus[first].path);
		return;
	}
}

static int plan_domains(struct plan *p, bool all_cpus, struct edits *out, struct err *err)
{
	for (size_t i = 0; i < p->cpu_count; i++) {
		bool first = p->cpus[i].domain >= 0;
		int ret;

		for (size_t k = 0; k < i; k++)
			first &= p->cpus[k].domain != p->cpus[i].domain;
		if (!first)
			continue;
		ret = check_domain(p, i, err);
		if (ret)
			return ret;
		if (!all_cpus)
			keep_custom(p, i, out);
		note_first_without(p, i, out);
	}
	return 0;
}

static bool is_right(const struct plan *p, size_t i)
{
	const struct edit_cpu *cpu = &p->cpus[i];

	return p->cluster[i] != NO_CLUSTER && !p->skip[i] && cpu->has_value &&
	       cpu->value == p->c->clusters[p->cluster[i]].dpc_uw_per_mhz_v2;
}

/* Among the first @count edits. */
static bool has_edit(const struct edits *edits, unsigned int count, const char *path)
{
	while (count-- > 0)
		if (!strcmp(edits->list[count].path, path))
			return true;
	return false;
}

/* The alternatives of an #if are entries of one node. */
static void count_nodes(const struct plan *p, struct edits *out)
{
	for (unsigned int i = 0; i < out->count; i++)
		out->nodes += !has_edit(out, i, out->list[i].path);
	for (size_t i = 0; i < p->cpu_count; i++) {
		bool counted = !is_right(p, i) || p->cpus[i].deleted ||
			       has_edit(out, out->count, p->cpus[i].path);

		for (size_t k = 0; k < i && !counted; k++)
			counted = is_right(p, k) && !p->cpus[k].deleted &&
				  !strcmp(p->cpus[k].path, p->cpus[i].path);
		out->right += !counted;
	}
}

static void list_edits(const struct plan *p, struct edits *out)
{
	for (size_t i = 0; i < p->cpu_count; i++) {
		const struct edit_cpu *cpu = &p->cpus[i];
		const struct coeffs_cluster *cl;

		if (p->cluster[i] == NO_CLUSTER || p->skip[i])
			continue;
		cl = &p->c->clusters[p->cluster[i]];
		out->lost += cpu->deleted;
		if (is_right(p, i))
			continue;
		out->list[out->count++] = (struct edit){
			.cpu = i,
			.path = cpu->path,
			.property = EDITS_PROPERTY,
			.value = cl->dpc_uw_per_mhz_v2,
			.cluster = cl->name,
			.has_old = cpu->has_value,
			.old = cpu->has_value ? cpu->value : 0,
		};
	}
	count_nodes(p, out);
}

int edits_plan(const struct coeffs *c, const struct edit_cpu *cpus, size_t cpu_count,
	       bool all_cpus, struct edits *out, struct err *err)
{
	struct plan p = { .c = c, .cpus = cpus, .cpu_count = cpu_count };
	int ret;

	memset(out, 0, sizeof(*out));
	if (cpu_count > EDITS_MAX)
		return err_set(err, -ERANGE,
			       "%zu CPU nodes are more than the %d handled here",
			       cpu_count, EDITS_MAX);
	for (size_t i = 0; i < EDITS_MAX; i++)
		p.cluster[i] = NO_CLUSTER;
	for (unsigned int i = 0; i < c->cluster_count; i++) {
		ret = claim_for_cluster(&p, (int)i, out, err);
		if (ret)
			return ret;
	}
	memcpy(out->cluster, p.cluster, sizeof(out->cluster));
	ret = plan_domains(&p, all_cpus, out, err);
	if (ret)
		return ret;
	list_edits(&p, out);
	return 0;
}

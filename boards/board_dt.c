// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Board descriptions out of a compiled tree: the standard CPU bindings through dtcpus,
 * our own /calib node (boards/README.md) here.
 */
#include "boards/board.h"

#include <ctype.h>
#include <errno.h>
#include <libfdt.h>
#include <stdio.h>
#include <string.h>

#include "boards/board_props.h"
#include "boards/board_reader.h"

/* Linux counts CPUs in node order, after the one that booted (smp_init_cpus()). */
static unsigned int cpu_number(const struct reader *r, int index)
{
	if (index == r->boot_cpu)
		return 0;
	return index < r->boot_cpu ? index + 1 : index;
}

int reader_find_cpu(const struct reader *r, int owner, const char *prop, uint32_t phandle,
		    struct err *err)
{
	int node = fdt_node_offset_by_phandle(r->blob, phandle);
	char path[PROPS_PATH];
	unsigned int i;

	if (node >= 0) {
		props_path(r->blob, node, path);
		for (i = 0; i < r->cpus->cpu_count; i++)
			if (!strcmp(r->cpus->cpus[i].path, path))
				return i;
	}
	return props_err(err, -EINVAL, r->blob, owner, prop,
			 "phandle 0x%x is no CPU node", phandle);
}

static int copy_text(char *out, size_t size, const char *text)
{
	return snprintf(out, size, "%s", text) < (int)size ? 0 : -ERANGE;
}

/* What a tree says goes to terminals, CSV and JSON: printable ASCII only. */
static void copy_printable(char *out, size_t size, const char *text)
{
	snprintf(out, size, "%s", text);
	for (; *out; out++)
		if (*out < ' ' || *out > '~')
			*out = '?';
}

bool reader_is_name(char c)
{
	return isalnum((unsigned char)c) || strchr("._+-", c);
}

const char *reader_opp_path(const struct dtcpus *cpus, const struct dt_cpu *cpu)
{
	return cpu->domain < 0 ? "" : cpus->domains[cpu->domain].opp_path;
}

const char *reader_core(const struct dt_cpu *cpu)
{
	return cpu->compatible_count ? cpu->compatibles[0] : "";
}

static int take_opps(struct board_cluster *cl, const struct dtcpus *cpus,
		     const struct dt_cpu *cpu, struct err *err)
{
	const struct dt_domain *d;
	unsigned int i;

	if (cpu->domain < 0)
		return 0;
	d = &cpus->domains[cpu->domain];
	if (d->opp_count > BOARD_MAX_OPPS)
		return err_set(err, -ERANGE, "'%s' has %u operating points, more than %u",
			       d->opp_path, d->opp_count, BOARD_MAX_OPPS);
	for (i = 0; i < d->opp_count; i++) {
		if (d->opps[i].hz / 1000 > UINT32_MAX || d->opps[i].hz < 1000)
			return err_set(err, -ERANGE, "'%s': opp-hz %llu is out of range",
				       d->opp_path, (unsigned long long)d->opps[i].hz);
		cl->opps[i].khz = d->opps[i].hz / 1000;
		cl->opps[i].volt_uv = d->opps[i].has_volt ? d->opps[i].volt_uv : 0;
	}
	cl->opp_count = d->opp_count;
	return 0;
}

int reader_add_cpu(struct reader *r, struct board_cluster *cl, int index, struct err *err)
{
	const struct dt_cpu *cpu = &r->cpus->cpus[index];
	unsigned int n = cl->cpu_count;
	int ret;

	if (n == BOARD_MAX_CPUS)
		return err_set(err, -ERANGE, "cluster '%s' has more than %u CPUs",
			       cl->name, BOARD_MAX_CPUS);
	if (copy_text(cl->paths[n], sizeof(cl->paths[n]), cpu->path))
		return err_set(err, -ERANGE, "CPU node path '%s' is too long", cpu->path);
	if (!n) {
		if (strlen(reader_core(cpu)) >= sizeof(cl->compatible))
			return err_set(err, -ERANGE, "'%s': compatible is too long",
				       cpu->path);
		copy_printable(cl->compatible, sizeof(cl->compatible), reader_core(cpu));
		cl->capacity_dmips_mhz = cpu->has_capacity ? cpu->capacity_dmips_mhz : 0;
		ret = take_opps(cl, r->cpus, cpu, err);
		if (ret)
			return ret;
	}
	cl->cpus[n] = cpu_number(r, index);
	cl->reg[n] = cpu->reg;
	cl->cpu_count++;
	return 0;
}

/* A tree without /calib */

/* "arm,cortex-a15" is called "a15", "apple,icestorm" "icestorm". */
static void name_cluster(struct board *b, struct board_cluster *cl,
			 const char *compatible)
{
	const char *core = strchr(compatible, ',');
	char base[sizeof(cl->name) - 4];
	unsigned int i;

	core = core ? core + 1 : compatible;
	if (!strncmp(core, "cortex-", 7))
		core += 7;
	snprintf(base, sizeof(base), "%s", *core ? core : "cpu");
	for (i = 0; base[i]; i++)
		base[i] = reader_is_name(base[i]) ? base[i] : '-';
	snprintf(cl->name, sizeof(cl->name), "%s", base);
	for (i = 2; board_cluster(b, cl->name); i++)
		snprintf(cl->name, sizeof(cl->name), "%s-%u", base, i);
}

static bool same_cluster(const struct dtcpus *cpus, const struct dt_cpu *a,
			 const struct dt_cpu *b)
{
	const struct dt_domain *d = a->domain < 0 ? NULL : &cpus->domains[a->domain];

	/* Tables of their own, though alike, are clocks of their own. */
	if (d && !d->shared)
		return a == b;
	return !strcmp(reader_opp_path(cpus, a), reader_opp_path(cpus, b)) &&
	       !strcmp(reader_core(a), reader_core(b));
}

static int clusters_of_tree(struct reader *r, struct err *err)
{
	const struct dtcpus *cpus = r->cpus;
	struct board *b = r->board;
	int first[BOARD_MAX_CLUSTERS]; /* CPU that began the cluster */
	struct board_cluster *cl;
	unsigned int i, c;
	int ret;

	for (i = 0; i < cpus->cpu_count; i++) {
		if (!cpus->cpus[i].enabled)
			continue;
		for (c = 0; c < b->cluster_count; c++)
			if (same_cluster(cpus, &cpus->cpus[first[c]], &cpus->cpus[i]))
				break;
		if (c == BOARD_MAX_CLUSTERS)
			return err_set(err, -ERANGE, "more than %u clusters",
				       BOARD_MAX_CLUSTERS);
		cl = &b->clusters[c];
		if (c == b->cluster_count) {
			name_cluster(b, cl, reader_core(&cpus->cpus[i]));
			first[c] = i;
			b->cluster_count++;
		}
		ret = reader_add_cpu(r, cl, i, err);
		if (ret)
			return ret;
	}
	if (!b->cluster_count)
		return err_set(err, -ENOENT, "no CPU node is enabled");
	return 0;
}

static uint64_t strength(const struct board_cluster *cl)
{
	uint64_t khz = cl->opp_count ? cl->opps[cl->opp_count - 1].khz : 0;

	return cl->capacity_dmips_mhz * khz;
}

void reader_sort(struct board *b)
{
	struct board_cluster tmp;
	unsigned int i, j;

	for (i = 1; i < b->cluster_count; i++) {
		for (j = i; j; j--) {
			if (strength(&b->clusters[j - 1]) <= strength(&b->clusters[j]))
				break;
			tmp = b->clusters[j];
			b->clusters[j] = b->clusters[j - 1];
			b->clusters[j - 1] = tmp;
		}
	}
}

static int read_board(struct reader *r, const char *name, struct err *err)
{
	struct board *b = r->board;
	int calib, ret;

	copy_printable(b->name, sizeof(b->name), name);
	if (r->cpus->model)
		copy_printable(b->model, sizeof(b->model), r->cpus->model);
	if (r->cpus->root_compatible_count)
		copy_printable(b->compatible, sizeof(b->compatible),
			       r->cpus->root_compatibles[0]);

	calib = fdt_path_offset(r->blob, "/calib");
	if (calib >= 0)
		return reader_calib(r, calib, err);
	ret = clusters_of_tree(r, err);
	if (!ret)
		reader_sort(b);
	return ret;
}

int board_from_blob(const void *blob, size_t size, const char *name, struct board *board,
		    struct err *err)
{
	struct reader r = { .blob = blob, .board = board };
	int ret;

	memset(board, 0, sizeof(*board));
	ret = dtcpus_check_blob(blob, size, err);
	if (ret)
		return ret;
	r.cpus = dtcpus_new();
	if (!r.cpus)
		return err_set(err, -ENOMEM, "out of memory");
	ret = dtcpus_read(blob, r.cpus, err);
	if (!ret)
		ret = read_board(&r, name, err);
	dtcpus_free(r.cpus);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read what 'calib verify' compares, and bring perf domains and the tree's together.
 */
#include "calib/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/em_netlink.h"
#include "calib/linux/energy_model.h"
#include "calib/linux/topology.h"
#include "calib/sim/kernel.h"
#include "lib/coeffs_dt.h"
#include "lib/text.h"

#define BOOT_TREE  "/sys/firmware/fdt"
#define BOARD_TREE "the board's description"
#define MAX_TREE   (16u << 20)

static int read_tree(const char *path, struct verify *v, struct err *err)
{
	char boot[1024];
	int ret;

	if (v->board && !path) {
		v->tree = BOARD_TREE;
		return sim_kernel_tree(v->board, v->d, err);
	}
	v->tree = path ? path : BOOT_TREE;
	ret = path ? 0 : sysfs_real(&v->sys, BOOT_TREE, boot, sizeof(boot), err);
	if (!ret)
		ret = buf_read_file(&v->blob, path ? path : boot, MAX_TREE, err);
	if (ret && !path)
		return err_wrap(err, ret,
				"no tree to compare with (%s takes root); name it with "
				"--tree FILE",
				BOOT_TREE);
	if (ret)
		return ret;
	ret = dtcpus_check_blob(v->blob.data, v->blob.len, err);
	if (!ret || ret == -E2BIG)
		ret = dtcpus_read(v->blob.data, v->d, err);
	return ret ? err_wrap(err, ret, "'%s'", buf_file_name(v->tree)) : 0;
}

/* Every cluster is one of this tree, or the file is of another board. */
static int check_clusters(const struct verify *v, struct err *err)
{
	unsigned int i, k;

	for (i = 0; i < v->coeffs->cluster_count; i++) {
		const struct coeffs_cluster *c = &v->coeffs->clusters[i];

		for (k = 0; k < v->d->cpu_count; k++)
			if (coeffs_dt_match(&c->match, v->d, &v->d->cpus[k]))
				break;
		if (k == v->d->cpu_count)
			return err_set(err, -ENOENT,
				       "'%s': cluster '%s' matches no CPU of '%s'",
				       v->coeffs_name, c->name, v->tree);
	}
	return 0;
}

static int read_coeffs(const char *path, struct verify *v, struct err *err)
{
	if (!path)
		return 0;
	v->coeffs_name = buf_file_name(path);
	v->coeffs = coeffs_new();
	if (!v->coeffs)
		return err_set(err, -ENOMEM, "out of memory");
	return coeffs_read(path, v->coeffs, err);
}

static int match_coeffs(struct verify *v, struct err *err)
{
	int ret;

	if (!v->coeffs)
		return 0;
	ret = coeffs_dt_labels(v->coeffs, v->blob.data, err);
	if (ret)
		return err_wrap(err, ret, "'%s'", v->coeffs_name);
	return check_clusters(v, err);
}

static int play_model(struct verify *v, const char *kernel, struct err *err)
{
	unsigned int release;
	int ret = sim_kernel_parse(kernel, &release, err);

	if (ret)
		return ret;
	snprintf(v->release, sizeof(v->release), "%s", kernel);
	ret = sim_kernel_model(v->board, release, v->shown, &v->shown_count, err);
	if (!ret && !v->shown_count)
		strcpy(v->no_model, "the kernel would build no energy model of any CPU");
	return ret;
}

/*
 * debugfs where it is mounted; else netlink, which is of this machine alone. Where
 * neither shows a model, @v says so; -ENODEV: neither can be seen.
 */
static int read_model(const struct verify_options *o, struct verify *v, struct err *err)
{
	const enum energy_model_seen seen = energy_model_seen(&v->sys);
	int ret = -ENODEV;

	if (v->board) {
		v->source = "arithmetic";
		return play_model(v, o->kernel, err);
	}
	v->source = "debugfs";
	if (seen == ENERGY_MODEL_SHOWN) {
		ret = energy_model_read(&v->sys, v->shown, &v->shown_count, err);
	} else if (!o->sysroot && !em_netlink_read(v->shown, &v->shown_count, NULL)) {
		v->source = "netlink";
		ret = 0;
	} else if (seen == ENERGY_MODEL_NONE) {
		strcpy(v->no_model, "the kernel shows no energy model: "
				    "/sys/kernel/debug/energy_model is not there; it "
				    "takes CONFIG_ENERGY_MODEL=y");
		return 0;
	} else {
		return err_set(err, ret,
			       "the kernel's energy model cannot be seen: debugfs is not "
			       "mounted, or not ours to read; as root: mount -t debugfs "
			       "none /sys/kernel/debug");
	}
	if (!ret && !v->shown_count)
		strcpy(v->no_model, "the kernel has no energy model of any CPU");
	return ret;
}

static bool board_reg(const struct board *b, unsigned int cpu, uint64_t *reg)
{
	for (unsigned int i = 0; i < b->cluster_count; i++)
		for (unsigned int k = 0; k < b->clusters[i].cpu_count; k++)
			if (b->clusters[i].cpus[k] == cpu) {
				*reg = b->clusters[i].reg[k];
				return true;
			}
	return false;
}

static bool cpu_reg(const struct verify *v, unsigned int cpu, uint64_t *reg)
{
	return v->board ? board_reg(v->board, cpu, reg)
			: topology_cpu_reg(&v->sys, cpu, reg);
}

/* The node of a Linux CPU; -1: the tree has none. */
static int node_of(const struct verify *v, unsigned int cpu)
{
	unsigned int i;
	uint64_t reg;

	if (!cpu_reg(v, cpu, &reg))
		return cpu < v->d->cpu_count ? (int)cpu : -1;
	for (i = 0; i < v->d->cpu_count; i++)
		if (v->d->cpus[i].has_reg && v->d->cpus[i].reg == reg)
			return i;
	return -1;
}

/* The kernel's folder of a domain's OPPs, named after the CPU that came first. */
static int find_opps(const struct verify *v, const struct verify_pair *p, char *dir,
		     unsigned int *hz)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i < p->cpu_count && n <= 0; i++) {
		snprintf(dir, SYSFS_PATH, "/sys/kernel/debug/opp/cpu%u", p->cpus[i]);
		n = sysfs_indices(&v->sys, dir, "opp:", hz, DTCPUS_MAX_OPPS, NULL);
	}
	return n;
}

static bool is_disabled(const struct verify *v, const char *dir, unsigned int hz)
{
	char path[SYSFS_PATH], text[16];

	snprintf(path, sizeof(path), "%.200s/opp:%u/available", dir, hz);
	return !sysfs_read(&v->sys, path, text, sizeof(text), NULL) && text[0] == 'N';
}

static void read_opps(const struct verify *v, struct verify_pair *p)
{
	char dir[SYSFS_PATH], path[SYSFS_PATH];
	unsigned int hz[DTCPUS_MAX_OPPS];
	int i, n = find_opps(v, p, dir, hz);

	for (i = 0; i < n; i++) {
		struct verify_opp *opp = &p->in.opps[p->in.opp_count++];

		opp->hz = hz[i];
		opp->disabled = is_disabled(v, dir, hz[i]);
		snprintf(path, sizeof(path), "%.200s/opp:%u/supply-0/u_volt_target", dir,
			 hz[i]);
		if (sysfs_read_u32(&v->sys, path, &opp->volt_uv, NULL))
			opp->volt_uv = 0;
	}
}

static bool has_capacities(const struct dtcpus *d)
{
	unsigned int i;

	for (i = 0; i < d->cpu_count; i++)
		if (d->cpus[i].domain >= 0 && !d->cpus[i].has_capacity)
			return false;
	return true;
}

/* Where the tree has no OPPs, firmware has them, and the model's top is the highest. */
static uint64_t top_khz(const struct verify *v, unsigned int domain)
{
	const struct dt_domain *dom = &v->d->domains[domain];
	unsigned int i;

	if (dom->opp_count)
		return checks_top_khz(dom);
	for (i = 0; i < v->pair_count; i++) {
		const struct em_shown *k = v->pairs[i].in.kernel;

		if (k && v->pairs[i].in.domain == (int)domain)
			return k->states[k->state_count - 1].khz;
	}
	return 0;
}

/* Of each domain by the tree, and before clocks are known. Zeroes: it cannot be told. */
static void tree_capacities(const struct verify *v, uint32_t *now, uint32_t *first)
{
	const struct dtcpus *d = v->d;
	uint32_t dmips[DTCPUS_MAX_DOMAINS];
	uint64_t khz[DTCPUS_MAX_DOMAINS], one[DTCPUS_MAX_DOMAINS];
	bool known = has_capacities(d);
	unsigned int i;

	for (i = 0; i < d->domain_count; i++) {
		dmips[i] = d->cpus[d->domains[i].cpus[0]].capacity_dmips_mhz;
		khz[i] = top_khz(v, i);
		one[i] = 1;
		known &= khz[i] != 0;
	}
	memset(now, 0, d->domain_count * sizeof(*now));
	memset(first, 0, d->domain_count * sizeof(*first));
	if (!known)
		return;
	em_capacity(dmips, khz, now, d->domain_count);
	em_capacity(dmips, one, first, d->domain_count);
}

static void read_capacities(struct verify *v)
{
	uint32_t now[DTCPUS_MAX_DOMAINS], first[DTCPUS_MAX_DOMAINS];
	char path[SYSFS_PATH];
	unsigned int i;

	tree_capacities(v, now, first);
	for (i = 0; i < v->pair_count; i++) {
		struct verify_input *in = &v->pairs[i].in;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpu_capacity",
			 v->pairs[i].cpus[0]);
		if (v->board || sysfs_read_u32(&v->sys, path, &in->capacity_now, NULL))
			in->capacity_now = 0;
		if (in->domain < 0)
			continue;
		in->capacity = now[in->domain];
		in->capacity_first = first[in->domain];
	}
}

static const struct coeffs_cluster *find_cluster(const struct verify *v,
						 const struct dt_cpu *cpu)
{
	unsigned int i;

	for (i = 0; v->coeffs && i < v->coeffs->cluster_count; i++)
		if (coeffs_dt_match(&v->coeffs->clusters[i].match, v->d, cpu))
			return &v->coeffs->clusters[i];
	return NULL;
}

/* All that is known of the pair's CPUs; @node: the first one's, -1 none. */
static void fill(const struct verify *v, struct verify_pair *p, int node)
{
	struct verify_input *in = &p->in;

	in->d = v->d;
	in->domain = node < 0 ? -1 : v->d->cpus[node].domain;
	in->release = em_release(v->release);
	in->no_model = "";
	if (in->domain >= 0) {
		in->cpu = node;
		in->no_model = v->checks->domains[in->domain].current_why;
		in->coeffs = find_cluster(v, &v->d->cpus[node]);
		if (!v->board)
			read_opps(v, p);
	}
}

/* The Linux numbers of a tree's domain, as far as they can be told. */
static void number_cpus(const struct verify *v, unsigned int domain,
			struct verify_pair *p)
{
	unsigned int cpu;
	int node;

	for (cpu = 0; cpu < v->d->cpu_count; cpu++) {
		node = node_of(v, cpu);
		if (node >= 0 && v->d->cpus[node].domain == (int)domain)
			p->cpus[p->cpu_count++] = cpu;
	}
}

static void pair_up(struct verify *v)
{
	bool seen[DTCPUS_MAX_DOMAINS] = { false };
	struct verify_pair *p;
	unsigned int i;

	for (i = 0; i < v->shown_count; i++) {
		p = &v->pairs[v->pair_count++];
		memcpy(p->cpus, v->shown[i].cpus, sizeof(p->cpus));
		p->cpu_count = v->shown[i].cpu_count;
		p->in.kernel = &v->shown[i];
		fill(v, p, node_of(v, p->cpus[0]));
		if (p->in.domain >= 0)
			seen[p->in.domain] = true;
	}
	for (i = 0; i < v->d->domain_count; i++) {
		p = &v->pairs[v->pair_count];
		memset(p, 0, sizeof(*p));
		number_cpus(v, i, p);
		if (seen[i] || !p->cpu_count)
			continue;
		v->pair_count++;
		fill(v, p, node_of(v, p->cpus[0]));
	}
}

static int allocate(struct verify *v, struct err *err)
{
	v->shown = calloc(EM_SHOWN_MAX_DOMAINS, sizeof(*v->shown));
	v->pairs = calloc(VERIFY_MAX_PAIRS, sizeof(*v->pairs));
	v->d = dtcpus_new();
	v->checks = checks_new();
	if (!v->shown || !v->pairs || !v->d || !v->checks)
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

static int compare(struct verify *v, struct err *err)
{
	const struct checks_input in = { .d = v->d };
	unsigned int i;

	checks_run(&in, v->checks);
	pair_up(v);
	read_capacities(v);
	for (i = 0; i < v->pair_count; i++) {
		v->pairs[i].out = calloc(1, sizeof(*v->pairs[i].out));
		if (!v->pairs[i].out)
			return err_set(err, -ENOMEM, "out of memory");
		verify_domain_run(&v->pairs[i].in, v->pairs[i].out);
	}
	return 0;
}

int verify_run(const struct verify_options *o, struct verify *v, struct err *err)
{
	int ret;

	memset(v, 0, sizeof(*v));
	v->board = o->board;
	ret = sysfs_init(&v->sys, o->sysroot, err);
	if (!ret)
		ret = allocate(v, err);
	/* What is wrong with the user's files does not wait for root and debugfs. */
	if (!ret)
		ret = read_coeffs(o->coeffs, v, err);
	if (!ret)
		ret = read_tree(o->tree, v, err);
	if (!ret)
		ret = match_coeffs(v, err);
	if (!ret)
		ret = read_model(o, v, err);
	if (ret)
		return ret;
	if (!v->board && sysfs_read(&v->sys, "/proc/sys/kernel/osrelease", v->release,
				    sizeof(v->release), NULL))
		v->release[0] = '\0';
	text_clean(v->release);
	return compare(v, err);
}

void verify_free(struct verify *v)
{
	unsigned int i;

	for (i = 0; v->pairs && i < v->pair_count; i++)
		free(v->pairs[i].out);
	free(v->pairs);
	free(v->shown);
	dtcpus_free(v->d);
	checks_free(v->checks);
	coeffs_free(v->coeffs);
	buf_free(&v->blob);
	memset(v, 0, sizeof(*v));
}

struct verify_sum verify_sum(const struct verify *v)
{
	struct verify_sum sum = { .differs = v->no_model[0] || !v->pair_count };
	unsigned int i, k;

	for (i = 0; i < v->pair_count; i++) {
		const struct verify_domain *d = v->pairs[i].out;

		sum.domains += d->kernel != NULL;
		sum.differs |= verify_domain_differs(d);
		for (k = 0; k < d->state_count; k++) {
			sum.states += d->states[k].in_kernel || d->states[k].differs;
			sum.differing += d->states[k].differs ||
					 d->states[k].coeffs_differs;
		}
	}
	return sum;
}

/* The first thing that differs, for a line. */
static const char *first_reason(const struct verify *v, char *text, size_t size)
{
	unsigned int i, k;

	for (i = 0; i < v->pair_count; i++) {
		const struct verify_domain *d = v->pairs[i].out;

		for (k = 0; k < d->item_count; k++) {
			if (d->items[k].note)
				continue;
			snprintf(text, size, "CPU %u: %s", v->pairs[i].cpus[0],
				 d->items[k].text);
			return text;
		}
		for (k = 0; k < d->state_count; k++) {
			const struct verify_state *s = &d->states[k];

			if (!s->differs && !s->coeffs_differs)
				continue;
			snprintf(text, size, "%s %llu MHz: %s%s", d->kernel->name,
				 (unsigned long long)s->khz / 1000,
				 s->differs ? "" : "coeffs.json: ",
				 s->differs ? s->why : s->coeffs_why);
			return text;
		}
	}
	return "the tree has no CPU with operating points";
}

void verify_verdict(const struct verify *v, char *text, size_t size)
{
	const struct verify_sum sum = verify_sum(v);
	char buf[VERIFY_TEXT + 64];
	const char *why = first_reason(v, buf, sizeof(buf));

	if (!sum.differs)
		snprintf(text, size,
			 "equal: all %u states of %u domain%s are what the tree %s for",
			 sum.states, sum.domains, text_s(sum.domains),
			 v->coeffs ? "and coeffs.json ask" : "asks");
	else if (v->no_model[0])
		snprintf(text, size, "differs: %s; %s", v->no_model, why);
	else if (sum.differing)
		snprintf(text, size, "differs: %u of %u states; %s", sum.differing,
			 sum.states, why);
	else
		snprintf(text, size, "differs: %s", why);
}

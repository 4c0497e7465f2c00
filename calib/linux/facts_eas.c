// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What energy-aware scheduling asks of a kernel, as far as it tells.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/linux/energy_model.h"
#include "calib/linux/facts_internal.h"
#include "lib/buf.h"
#include "lib/spawn.h"

#define MAX_CONFIG (4u << 20)

void facts_sum_up(const struct em_shown *m, unsigned int release, struct facts_domain *d)
{
	const struct em_shown_state *top;
	const char *why;
	bool sure;
	unsigned int i;

	memset(d, 0, sizeof(*d));
	memcpy(d->name, m->name, sizeof(d->name));
	for (i = 0; i < m->cpu_count && i < BOARD_MAX_CPUS; i++)
		d->cpus[d->cpu_count++] = m->cpus[i];
	d->unit = em_shown_unit(m, release, &sure, &why);
	d->state_count = m->state_count;
	d->inefficient = em_shown_inefficient(m);
	if (!m->state_count)
		return;
	top = &m->states[m->state_count - 1];
	d->top_khz = top->khz;
	d->top_power = top->power;
}

static void read_model(const struct sysfs *sys, struct facts *f)
{
	static const enum facts_answer answers[] = {
		[ENERGY_MODEL_UNSEEN] = FACTS_UNKNOWN,
		[ENERGY_MODEL_NONE] = FACTS_NO,
		[ENERGY_MODEL_SHOWN] = FACTS_YES,
	};
	struct em_shown *models = calloc(EM_SHOWN_MAX_DOMAINS, sizeof(*models));
	unsigned int i, n = 0;

	f->em_shown = answers[energy_model_seen(sys)];
	if (models)
		energy_model_read(sys, models, &n, NULL);
	f->em_release = energy_model_release(sys);
	for (i = 0; i < n; i++)
		facts_sum_up(&models[i], f->em_release, &f->domains[i]);
	f->domain_count = n;
	free(models);
}

static bool read_config_file(const struct sysfs *sys, struct facts *f, struct buf *text)
{
	char path[SYSFS_PATH], real[PATH_MAX], release[128];

	if (sysfs_read(sys, "/proc/sys/kernel/osrelease", release, sizeof(release),
		       NULL) ||
	    strchr(release, '/'))
		return false;
	snprintf(path, sizeof(path), "/boot/config-%s", release);
	if (sysfs_real(sys, path, real, sizeof(real), NULL) ||
	    buf_read_file(text, real, MAX_CONFIG, NULL))
		return false;
	snprintf(f->config_source, sizeof(f->config_source), "%.120s", path);
	return true;
}

static bool read_config_gz(const struct sysfs *sys, struct facts *f, struct buf *text)
{
	char real[PATH_MAX];
	const char *const argv[] = { "gzip", "-dc", real, NULL };
	struct buf noise = { 0 };
	const struct spawn sp = { .argv = argv, .out = text, .err = &noise };
	int ret;

	if (sysfs_real(sys, "/proc/config.gz", real, sizeof(real), NULL) ||
	    access(real, R_OK))
		return false;
	ret = spawn_run(&sp, NULL);
	buf_free(&noise);
	if (ret || !text->len)
		return false;
	snprintf(f->config_source, sizeof(f->config_source), "/proc/config.gz");
	return true;
}

/* "CONFIG_X=y", or "# CONFIG_X is not set"; options that do not exist are not told. */
static void find_config(const char *text, struct facts_config *c)
{
	char key[64];
	size_t len = snprintf(key, sizeof(key), "CONFIG_%s=", c->name);
	const char *line;

	c->set = FACTS_NO;
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) != 0)
			continue;
		c->value = line[len];
		if (c->value == 'y' || c->value == 'm')
			c->set = FACTS_YES;
		return;
	}
}

const char *facts_config_name(unsigned int i)
{
	static const char *const names[FACTS_CONFIGS] = { "ENERGY_MODEL", "SCHED_MC",
							  "CPU_FREQ_GOV_SCHEDUTIL",
							  "CPU_FREQ_GOV_USERSPACE" };

	return names[i];
}

static void read_config(const struct sysfs *sys, struct facts *f)
{
	struct buf text = { 0 };
	unsigned int i;

	for (i = 0; i < FACTS_CONFIGS; i++)
		f->configs[i].name = facts_config_name(i);
	if (read_config_file(sys, f, &text) || read_config_gz(sys, f, &text)) {
		for (i = 0; text.data && i < FACTS_CONFIGS; i++)
			find_config(text.data, &f->configs[i]);
	}
	buf_free(&text);
}

static enum facts_answer read_answer(const struct sysfs *sys, const char *path)
{
	uint32_t yes;

	if (sysfs_read_u32(sys, path, &yes, NULL))
		return FACTS_UNKNOWN;
	return yes ? FACTS_YES : FACTS_NO;
}

static bool has_flag(const struct sysfs *sys, const char *flag)
{
	char real[PATH_MAX], word[32];
	struct buf text = { 0 };
	bool found;

	if (sysfs_real(sys, "/proc/cpuinfo", real, sizeof(real), NULL) ||
	    buf_read_file(&text, real, MAX_CONFIG, NULL))
		return false;
	snprintf(word, sizeof(word), " %s ", flag);
	found = text.data && strstr(text.data, word);
	buf_free(&text);
	return found;
}

/*
 * No file tells it. On x86 it comes from APERF/MPERF; elsewhere the cpufreq core tells
 * the scheduler each clock that it sets, since v5.10 for every driver with a table.
 */
static void read_invariance(const struct sysfs *sys, struct facts *f)
{
	const struct facts_cluster *c = &f->clusters[0];

	f->x86 = has_flag(sys, "tsc");
	if (has_flag(sys, "aperfmperf")) {
		f->invariant = FACTS_YES;
		strcpy(f->invariant_why, "APERF/MPERF counters");
	} else if (f->x86) {
		f->invariant = FACTS_NO;
		strcpy(f->invariant_why, "no APERF/MPERF counters");
	} else if (f->cluster_count && !strncmp(c->opp_source, "list", 4)) {
		f->invariant = FACTS_YES;
		snprintf(f->invariant_why, sizeof(f->invariant_why),
			 "driver %s has a table: since v5.10 cpufreq tells each clock it "
			 "sets",
			 c->driver);
	} else {
		strcpy(f->invariant_why, "the kernel does not tell");
	}
}

void facts_read_eas(const struct sysfs *sys, struct facts *f)
{
	read_model(sys, f);
	f->energy_aware = read_answer(sys, "/proc/sys/kernel/sched_energy_aware");
	f->smt = read_answer(sys, "/sys/devices/system/cpu/smt/active");
	read_invariance(sys, f);
	read_config(sys, f);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What energy-aware scheduling asks of a kernel, as far as it tells.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "calib/linux/facts_internal.h"
#include "lib/buf.h"
#include "lib/cpulist.h"
#include "lib/num.h"
#include "lib/spawn.h"

#define EM_DIR	   "/sys/kernel/debug/energy_model"
#define MAX_STATES 256
#define MAX_CONFIG (4u << 20)

/* Flag of a domain whose power is in uW; older kernels have none, and mW. */
#define EM_MICROWATTS 1

static bool read_u32(const struct sysfs *sys, const char *dir, const char *name,
		     uint32_t *out)
{
	char path[SYSFS_PATH];

	return (size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) < sizeof(path) &&
	       !sysfs_read_u32(sys, path, out, NULL);
}

static bool read_text(const struct sysfs *sys, const char *dir, const char *name,
		      char *out, size_t size)
{
	char path[SYSFS_PATH];

	return (size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) < sizeof(path) &&
	       !sysfs_read(sys, path, out, size, NULL);
}

/* States are folders "ps:KHZ" ("cs:KHZ" in v5.8 and before). */
static void read_states(const struct sysfs *sys, const char *dir, struct facts_domain *d)
{
	unsigned int khz[MAX_STATES];
	char state[SYSFS_PATH];
	const char *prefix = "ps:";
	uint32_t yes;
	int i, n;

	n = sysfs_indices(sys, dir, prefix, khz, MAX_STATES, NULL);
	if (n <= 0) {
		prefix = "cs:";
		n = sysfs_indices(sys, dir, prefix, khz, MAX_STATES, NULL);
	}
	if (n <= 0)
		return;
	d->state_count = n;
	d->top_khz = khz[n - 1];
	for (i = 0; i < n; i++) {
		snprintf(state, sizeof(state), "%.200s/%s%u", dir, prefix, khz[i]);
		if (read_u32(sys, state, "inefficient", &yes) && yes)
			d->inefficient++;
	}
	if (!read_u32(sys, state, "power", &d->top_power))
		d->top_power = 0;
}

static void read_domain(const struct sysfs *sys, const char *prefix, unsigned int id,
			struct facts *f)
{
	struct facts_domain *d = &f->domains[f->domain_count];
	char dir[SYSFS_PATH], text[SYSFS_TEXT];
	uint64_t flags;
	int n;

	if (f->domain_count == FACTS_MAX_DOMAINS)
		return;
	memset(d, 0, sizeof(*d));
	snprintf(d->name, sizeof(d->name), "%s%u", prefix, id);
	snprintf(dir, sizeof(dir), EM_DIR "/%s", d->name);
	if (!read_text(sys, dir, "cpus", text, sizeof(text)))
		return;
	n = cpulist_parse(text, d->cpus, BOARD_MAX_CPUS);
	if (n <= 0)
		return;
	d->cpu_count = n;
	d->microwatt = read_text(sys, dir, "flags", text, sizeof(text)) &&
		       !num_u64_hex(text, &flags) && (flags & EM_MICROWATTS);
	read_states(sys, dir, d);
	f->domain_count++;
}

/* Not told where debugfs is not mounted, or not ours to read. */
static enum facts_answer see_model(const struct sysfs *sys)
{
	char real[PATH_MAX];
	unsigned int entries = 0;
	DIR *d;

	if (!sysfs_real(sys, EM_DIR, real, sizeof(real), NULL) && !access(real, R_OK))
		return FACTS_YES;
	if (sysfs_real(sys, "/sys/kernel/debug", real, sizeof(real), NULL))
		return FACTS_UNKNOWN;
	d = opendir(real);
	while (d && readdir(d))
		entries++;
	if (d)
		closedir(d);
	return entries > 2 ? FACTS_NO : FACTS_UNKNOWN;
}

/* Folders are named after the first CPU, "cpu4"; "pd4" in v5.8 and before. */
static void read_model(const struct sysfs *sys, struct facts *f)
{
	static const char *const prefixes[] = { "cpu", "pd" };
	unsigned int ids[FACTS_MAX_DOMAINS], i;
	int k, n;

	f->em_shown = see_model(sys);
	for (i = 0; i < 2; i++) {
		n = sysfs_indices(sys, EM_DIR, prefixes[i], ids, FACTS_MAX_DOMAINS, NULL);
		for (k = 0; k < n; k++)
			read_domain(sys, prefixes[i], ids[k], f);
	}
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

static void read_config(const struct sysfs *sys, struct facts *f)
{
	static const char *const names[FACTS_CONFIGS] = { "ENERGY_MODEL", "SCHED_MC",
							  "CPU_FREQ_GOV_SCHEDUTIL",
							  "CPU_FREQ_GOV_USERSPACE" };
	struct buf text = { 0 };
	unsigned int i;

	for (i = 0; i < FACTS_CONFIGS; i++)
		f->configs[i].name = names[i];
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

	if (has_flag(sys, "aperfmperf")) {
		f->invariant = FACTS_YES;
		strcpy(f->invariant_why, "APERF/MPERF counters");
	} else if (has_flag(sys, "tsc")) {
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Governor and EPP of cpufreq policies: checked against what is offered, saved, set, read
 * back, restored.
 */
#include "calib/bench/knobs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/cpulist.h"
#include "lib/num.h"

#define GOVERNOR "scaling_governor"
#define EPP	 "energy_performance_preference"
/* Drivers with modes have their switch in one of these. */
static const char *const mode_files[] = {
	"/sys/devices/system/cpu/intel_pstate/status",
	"/sys/devices/system/cpu/amd_pstate/status",
};
#define MODES "active passive guided"
/* What intel_pstate forgets when its mode changes. */
#define INTEL_PSTATE "/sys/devices/system/cpu/intel_pstate/"
static const char *const of_intel_pstate[] = { "no_turbo", "max_perf_pct",
					       "min_perf_pct" };

static const char *policy_file(unsigned int id, const char *name, char path[SYSFS_PATH])
{
	snprintf(path, SYSFS_PATH, CPUFREQ_DIR "/policy%u/%s", id, name);
	return path;
}

/* Text of an attribute, or "" for one that is not there or not told. */
static void read_text(const struct sysfs *sys, unsigned int id, const char *name,
		      char *out, size_t size)
{
	char path[SYSFS_PATH];

	if (sysfs_read(sys, policy_file(id, name, path), out, size, NULL))
		out[0] = '\0';
}

static void read_khz(const struct sysfs *sys, unsigned int id, const char *name,
		     uint32_t *khz)
{
	char path[SYSFS_PATH];

	if (sysfs_read_u32(sys, policy_file(id, name, path), khz, NULL))
		*khz = 0;
}

static void read_policy(const struct sysfs *sys, unsigned int id, struct knobs_policy *p)
{
	char cpus[SYSFS_TEXT];
	int n;

	*p = (struct knobs_policy){ .id = id };
	read_text(sys, id, "affected_cpus", cpus, sizeof(cpus));
	n = cpulist_parse(cpus, p->cpus, BOARD_MAX_CPUS);
	p->cpu_count = n > 0 ? n : 0;
	read_text(sys, id, "scaling_driver", p->driver, sizeof(p->driver));
	read_text(sys, id, GOVERNOR, p->governor, sizeof(p->governor));
	read_text(sys, id, EPP, p->epp, sizeof(p->epp));
	read_khz(sys, id, "scaling_min_freq", &p->min_khz);
	read_khz(sys, id, "scaling_max_freq", &p->max_khz);
}

int knobs_open(struct knobs *k, struct settings *settings, struct err *err)
{
	const struct sysfs *sys = settings->sys;
	unsigned int ids[CPUFREQ_MAX_POLICIES];
	int n;

	memset(k, 0, sizeof(*k));
	k->sys = sys;
	k->settings = settings;
	n = cpufreq_list(sys, ids, err);
	if (n < 0)
		return n == -ENODEV ? 0 : n;
	for (int i = 0; i < n; i++)
		read_policy(sys, ids[i], &k->policies[i]);
	k->policy_count = n;
	return 0;
}

int knobs_describe(const struct knobs *k, unsigned int i, struct knobs_policy *now,
		   struct err *err)
{
	if (i >= k->policy_count)
		return err_set(err, -ENOENT, "there are %u cpufreq policies",
			       k->policy_count);
	read_policy(k->sys, k->policies[i].id, now);
	return 0;
}

/* Is it one that @c means? One without an online CPU takes no settings, and needs none.
 */
static bool is_meant(const struct knobs_policy *p, const struct knobs_combo *c)
{
	if (!p->cpu_count)
		return false;
	for (unsigned int i = 0; i < c->policy_count; i++)
		if (c->policies[i] == p->id)
			return true;
	return !c->policy_count;
}

static int check_named(const struct knobs *k, const struct knobs_combo *c,
		       struct err *err)
{
	for (unsigned int i = 0; i < c->policy_count; i++) {
		unsigned int j = 0;

		while (j < k->policy_count && k->policies[j].id != c->policies[i])
			j++;
		if (j == k->policy_count)
			return err_set(err, -ENODEV, "there is no cpufreq policy%u here",
				       c->policies[i]);
		if (!k->policies[j].cpu_count)
			return err_set(err, -ENODEV, "policy%u: all its CPUs are offline",
				       c->policies[i]);
	}
	return 0;
}

static int check_writable(const struct knobs *k, const char *path, struct err *err)
{
	int ret = sysfs_may_write(k->sys, path, err);

	if (ret == -EACCES)
		return err_set(err, ret, "%s is not writable for this user; run as root",
			       path);
	return ret;
}

/* @word must be offered by the attribute @list, and @name must be writable. "": any
 * word is. */
static int check_word(const struct knobs *k, unsigned int id, const char *what,
		      const char *name, const char *list, const char *word,
		      struct err *err)
{
	char offered[SYSFS_TEXT], path[SYSFS_PATH];
	int ret;

	ret = sysfs_read(k->sys, policy_file(id, list, path), offered, sizeof(offered),
			 err);
	if (ret == -ENOENT)
		return err_set(err, -ENOTSUP,
			       "policy%u: the driver has no %s to set (there is no %s)",
			       id, what, list);
	if (ret)
		return ret;
	if (word[0] && !sysfs_has_word(offered, word))
		return err_set(err, -EINVAL,
			       "policy%u: %s '%s' is not offered; there are %s", id, what,
			       word, offered);
	return check_writable(k, policy_file(id, name, path), err);
}

/* The switch of the driver's mode, and what it says now; NULL: it has none. */
static const char *find_mode(const struct knobs *k, char now[16])
{
	for (size_t i = 0; i < sizeof(mode_files) / sizeof(mode_files[0]); i++)
		if (!sysfs_read(k->sys, mode_files[i], now, 16, NULL))
			return mode_files[i];
	return NULL;
}

/* 0; 1: it is another than now, so that nobody knows what there will be. */
static int check_mode(const struct knobs *k, const struct knobs_combo *c, struct err *err)
{
	char now[16];
	const char *path = find_mode(k, now);
	int ret;

	if (!c->mode[0])
		return 0;
	if (!path)
		return err_set(err, -ENOTSUP,
			       "the driver '%s' has no modes to set (there is no "
			       "intel_pstate/status and no amd_pstate/status)",
			       k->policies[0].driver);
	if (!sysfs_has_word(MODES, c->mode))
		return err_set(err, -EINVAL, "mode '%s' of a driver is not one of %s",
			       c->mode, MODES);
	if (!strcmp(now, c->mode))
		return 0;
	ret = check_writable(k, path, err);
	return ret ? ret : 1;
}

/* Drivers take 0..255, too. */
static bool is_raw_epp(const char *epp, uint32_t *value)
{
	return !num_u32(epp, value);
}

/* A raw one may read back as the name of that value. */
static bool same_epp(const char *asked, const char *now)
{
	uint32_t value, other;

	if (is_raw_epp(asked, &value))
		return !is_raw_epp(now, &other) || other == value;
	/* "default" reads back as what it stands for. */
	return !strcmp(asked, now) || !strcmp(asked, "default");
}

bool knobs_same(const struct knobs_combo *asked, const struct knobs_combo *now)
{
	return !strcmp(asked->governor, now->governor) && same_epp(asked->epp, now->epp);
}

static int check_epp(const struct knobs *k, unsigned int id, const char *epp,
		     struct err *err)
{
	uint32_t value;
	bool raw = is_raw_epp(epp, &value);

	if (raw && value > 255)
		return err_set(err, -EINVAL, "policy%u: EPP %u is not in 0..255", id,
			       value);
	return check_word(k, id, "EPP", EPP, "energy_performance_available_preferences",
			  raw ? "" : epp, err);
}

/*
 * Active drivers have one EPP of their own for performance, and refuse any other. Another
 * mode than at knobs_open() has another driver.
 */
static int check_pair(const struct knobs *k, const struct knobs_policy *found,
		      const struct knobs_combo *c, struct err *err)
{
	const char *governor = c->governor;
	struct knobs_policy now;
	const struct knobs_policy *p = found;
	uint32_t raw;

	if (c->mode[0]) {
		read_policy(k->sys, found->id, &now);
		p = &now;
	}
	governor = governor[0] ? governor : p->governor;
	if (!c->epp[0] || !strcmp(c->epp, "performance") ||
	    (is_raw_epp(c->epp, &raw) && !raw) || strcmp(governor, "performance") != 0 ||
	    (strcmp(p->driver, "intel_pstate") != 0 &&
	     strcmp(p->driver, "amd-pstate-epp") != 0))
		return 0;
	return err_set(err, -EINVAL,
		       "policy%u: driver %s takes no EPP '%s' under the governor "
		       "performance; powersave does",
		       p->id, p->driver, c->epp);
}

static int check_words(const struct knobs *k, const struct knobs_combo *c,
		       struct err *err)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < k->policy_count; i++) {
		unsigned int id = k->policies[i].id;

		if (!is_meant(&k->policies[i], c))
			continue;
		if (c->governor[0])
			ret = check_word(k, id, "governor", GOVERNOR,
					 "scaling_available_governors", c->governor, err);
		if (!ret && c->epp[0])
			ret = check_epp(k, id, c->epp, err);
		if (!ret)
			ret = check_pair(k, &k->policies[i], c, err);
	}
	return ret;
}

int knobs_check(const struct knobs *k, const struct knobs_combo *c, struct err *err)
{
	int ret;

	if (knobs_empty(c))
		return 0;
	if (!k->policy_count)
		return err_set(err, -ENODEV,
			       "no cpufreq here (a virtual machine, or no driver is "
			       "loaded): governor and EPP cannot be set; leave them out");
	ret = check_named(k, c, err);
	if (!ret)
		ret = check_mode(k, c, err);
	if (ret)
		return ret < 0 ? ret : 0;
	return check_words(k, c, err);
}

/*
 * A governor forgets its tunables when the last policy leaves it, so they are settings
 * too. What cannot be read and written is none, and what is longer than any number is
 * left alone.
 */
static void save_tunables(struct state *st, const char *dir)
{
	char real[PATH_MAX], path[SYSFS_PATH];
	struct dirent *d;
	DIR *entries;

	if (sysfs_real(st->sys, dir, real, sizeof(real), NULL))
		return;
	entries = opendir(real);
	while (entries && (d = readdir(entries))) {
		struct stat sb;
		int n = snprintf(path, sizeof(path), "%s/%s", dir, d->d_name);

		if (n < 0 || (size_t)n >= sizeof(path) ||
		    fstatat(dirfd(entries), d->d_name, &sb, 0) || !S_ISREG(sb.st_mode) ||
		    (sb.st_mode & 0600) != 0600)
			continue;
		state_save(st, path, NULL);
	}
	if (entries)
		closedir(entries);
}

static int save_policy(struct knobs *k, const struct knobs_policy *p, bool with_limits,
		       struct err *err)
{
	char path[SYSFS_PATH];
	uint32_t khz;
	int ret;

	ret = state_save(&k->settings->state, policy_file(p->id, GOVERNOR, path), err);
	/* The kernel has its own idea of the EPP for each governor: save it after that.
	 */
	if (!ret && p->epp[0])
		ret = state_save(&k->settings->state, policy_file(p->id, EPP, path), err);
	/* Another mode makes the policies anew. */
	if (!ret && with_limits)
		ret = state_save(&k->settings->state,
				 policy_file(p->id, "scaling_min_freq", path), err);
	if (!ret && with_limits)
		ret = state_save(&k->settings->state,
				 policy_file(p->id, "scaling_max_freq", path), err);
	if (ret)
		return ret;
	policy_file(p->id, "scaling_setspeed", path);
	if (!sysfs_read_u32(k->sys, path, &khz, NULL))
		ret = state_save(&k->settings->state, path, err);
	if (p->governor[0])
		save_tunables(&k->settings->state, policy_file(p->id, p->governor, path));
	return ret;
}

/* The mode comes first, and all policies' governors before the tunables that they share.
 */
static int save(struct knobs *k, const struct knobs_combo *c, struct err *err)
{
	char path[SYSFS_PATH], now[16];
	const char *mode = c->mode[0] ? find_mode(k, now) : NULL;
	int ret = mode ? state_save(&k->settings->state, mode, err) : 0;
	unsigned int i;

	for (i = 0; mode && i < 3; i++) {
		snprintf(path, sizeof(path), INTEL_PSTATE "%s", of_intel_pstate[i]);
		state_save(&k->settings->state, path, NULL);
	}
	for (i = 0; !ret && i < k->policy_count; i++)
		if (mode ? k->policies[i].cpu_count > 0 : is_meant(&k->policies[i], c))
			ret = save_policy(k, &k->policies[i], mode, err);
	for (i = 0; !ret && i < k->policy_count; i++) {
		if (!k->policies[i].governor[0])
			continue;
		snprintf(path, sizeof(path), CPUFREQ_DIR "/%s", k->policies[i].governor);
		save_tunables(&k->settings->state, path);
	}
	return ret ? ret : settings_commit(k->settings, err);
}

static int hold(struct knobs *k, struct err *err)
{
	int ret = knobs_restore(k, err);

	if (!ret)
		ret = settings_hold(k->settings, err);
	if (ret)
		return ret;
	k->first = k->settings->state.count;
	k->applied = true;
	/* What a dead run had left behind may be what knobs_open() saw. */
	for (unsigned int i = 0; k->settings->recovered && i < k->policy_count; i++)
		read_policy(k->sys, k->policies[i].id, &k->policies[i]);
	return 0;
}

static int set_epp(const struct knobs *k, unsigned int id, const char *epp,
		   struct err *err)
{
	char path[SYSFS_PATH], now[SYSFS_TEXT], line[40];
	int ret;

	policy_file(id, EPP, path);
	snprintf(line, sizeof(line), "%s\n", epp);
	ret = sysfs_write(k->sys, path, line, err);
	if (!ret)
		ret = sysfs_read(k->sys, path, now, sizeof(now), err);
	if (!ret && !same_epp(epp, now))
		ret = err_set(err, -EIO, "%s: wrote '%s', it reads '%s'", path, epp, now);
	return ret;
}

static bool is_forgotten(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	return !strcmp(name, "scaling_min_freq") || !strcmp(name, "scaling_max_freq") ||
	       (!strncmp(path, INTEL_PSTATE, strlen(INTEL_PSTATE)) &&
		strcmp(name, "status") != 0);
}

/* Limits and turbo are as they were before the mode was another. */
static int set_forgotten(const struct knobs *k, struct err *err)
{
	const struct state *st = &k->settings->state;
	char now[SYSFS_TEXT];
	int ret = 0;

	for (unsigned int i = k->first; !ret && i < st->count; i++)
		if (is_forgotten(st->items[i].path) && state_compare(st, i, now, NULL))
			ret = sysfs_set(k->sys, st->items[i].path, st->items[i].text,
					err);
	return ret;
}

static int set_mode(const struct knobs *k, const struct knobs_combo *c, struct err *err)
{
	char now[16];
	const char *path = find_mode(k, now);
	int ret;

	if (!c->mode[0] || !path || !strcmp(now, c->mode))
		return 0;
	ret = sysfs_set(k->sys, path, c->mode, err);
	if (!ret)
		ret = set_forgotten(k, err);
	return ret ? ret : check_words(k, c, err);
}

/* The governor first: under performance, intel_pstate refuses EPPs (EBUSY). */
static int set(const struct knobs *k, const struct knobs_combo *c, struct err *err)
{
	char path[SYSFS_PATH];
	int ret = set_mode(k, c, err);

	for (unsigned int i = 0; !ret && i < k->policy_count; i++) {
		unsigned int id = k->policies[i].id;

		if (!is_meant(&k->policies[i], c))
			continue;
		if (c->governor[0])
			ret = sysfs_set(k->sys, policy_file(id, GOVERNOR, path),
					c->governor, err);
		if (!ret && c->epp[0])
			ret = set_epp(k, id, c->epp, err);
	}
	return ret;
}

int knobs_apply(struct knobs *k, const struct knobs_combo *c, struct err *err)
{
	struct err first, besides;
	int ret;

	if (knobs_empty(c))
		return knobs_restore(k, err);
	ret = knobs_check(k, c, err);
	if (!ret)
		ret = hold(k, err);
	if (ret)
		return ret;
	ret = save(k, c, err);
	if (!ret)
		ret = set(k, c, err);
	if (ret && knobs_restore(k, &besides) && err) {
		first = *err;
		err_set(err, ret, "%.400s; besides, %.500s", first.msg, besides.msg);
	}
	return ret;
}

int knobs_restore(struct knobs *k, struct err *err)
{
	int ret = k->applied ? settings_restore(k->settings, k->first, err) : 0;

	if (!ret)
		k->applied = false;
	return ret;
}

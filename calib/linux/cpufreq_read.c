// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading what a cpufreq policy offers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/cpufreq.h"
#include "calib/linux/hotplug.h"
#include "lib/cpulist.h"
#include "lib/num.h"

/* How many points we ask for between the limits where there is no list, and how they are
 * spaced: drivers without a list (intel_cpufreq, CPPC) step by 100 MHz or finer. */
#define POINTS_MAX	16
#define POINTS_STEP_KHZ 100000
#define CPU_DIR		"/sys/devices/system/cpu"

int cpufreq_list(const struct sysfs *sys, unsigned int ids[CPUFREQ_MAX_POLICIES],
		 struct err *err)
{
	int n = sysfs_indices(sys, CPUFREQ_DIR, "policy", ids, CPUFREQ_MAX_POLICIES, err);

	if (n == 0 || n == -ENOENT)
		return err_set(err, -ENODEV,
			       "no cpufreq: there is no policy in " CPUFREQ_DIR
			       " (a virtual machine, or no cpufreq driver is loaded), so "
			       "no clock can "
			       "be set; try --board virtual:odroid-xu3");
	return n;
}

/* An attribute of the policy as text; @missing_ok leaves "" for one that is not there. */
static int read_text(const struct sysfs *sys, unsigned int id, const char *name,
		     bool missing_ok, char *out, size_t size, struct err *err)
{
	char path[SYSFS_PATH];
	int ret;

	snprintf(path, sizeof(path), CPUFREQ_DIR "/policy%u/%s", id, name);
	ret = sysfs_read(sys, path, out, size, err);
	if (ret == -ENOENT && missing_ok) {
		out[0] = '\0';
		return 0;
	}
	return ret;
}

static int read_number(const struct sysfs *sys, unsigned int id, const char *name,
		       uint32_t *out, struct err *err)
{
	char path[SYSFS_PATH];

	snprintf(path, sizeof(path), CPUFREQ_DIR "/policy%u/%s", id, name);
	return sysfs_read_u32(sys, path, out, err);
}

static int read_cpus(const struct sysfs *sys, unsigned int id, const char *name,
		     unsigned int *cpus, unsigned int *count, struct err *err)
{
	char text[SYSFS_TEXT];
	int n;

	n = read_text(sys, id, name, false, text, sizeof(text), err);
	if (n)
		return n;
	n = cpulist_parse(text, cpus, BOARD_MAX_CPUS);
	if (n < 0)
		return err_set(err, n,
			       "policy%u: %s '%s' is not a list of at most %d CPUs", id,
			       name, text, BOARD_MAX_CPUS);
	*count = n;
	return 0;
}

static bool has_cpu(const unsigned int *cpus, unsigned int n, unsigned int cpu)
{
	for (unsigned int i = 0; i < n; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

int cpufreq_verify_online(const struct sysfs *sys, const struct cpufreq_policy *p,
			  struct err *err)
{
	unsigned int now[BOARD_MAX_CPUS], count = 0, i = 0;
	int ret = read_cpus(sys, p->id, "affected_cpus", now, &count, err);

	if (ret == -EBUSY || ret == -ENOENT || ret == -ENODEV)
		return err_set(
			err, -ENODEV,
			"policy%u: all its CPUs went offline, or its driver is gone",
			p->id);
	if (ret)
		return ret;
	while (i < count && i < p->online_count && now[i] == p->online[i])
		i++;
	if (i < p->online_count && (i == count || now[i] > p->online[i]))
		return err_set(err, -ENODEV, "policy%u: CPU %u went offline", p->id,
			       p->online[i]);
	if (i < count)
		return err_set(err, -ENODEV, "policy%u: CPU %u came online", p->id,
			       now[i]);
	return 0;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static unsigned int sort_unique(uint32_t *khz, unsigned int n)
{
	unsigned int i, kept = 0;

	qsort(khz, n, sizeof(*khz), compare_u32);
	for (i = 0; i < n; i++)
		if (!kept || khz[kept - 1] != khz[i])
			khz[kept++] = khz[i];
	return kept;
}

/* Clocks in any order, blanks anywhere, into ascending order without repeats. */
static int parse_khz(unsigned int id, const char *name, char *text, uint32_t *out,
		     unsigned int max, unsigned int *count, struct err *err)
{
	unsigned int n = 0;
	char *save, *word;
	int ret;

	for (word = strtok_r(text, " \t\n", &save); word;
	     word = strtok_r(NULL, " \t\n", &save)) {
		if (n == max)
			return err_set(err, -ERANGE,
				       "policy%u: more than %u clocks in %s", id, max,
				       name);
		ret = num_u32(word, &out[n]);
		if (ret || !out[n])
			return err_set(err, -EINVAL,
				       "policy%u: '%s' in %s is not a clock in kHz", id,
				       word, name);
		n++;
	}
	*count = sort_unique(out, n);
	return 0;
}

static int read_list(const struct sysfs *sys, unsigned int id, const char *name,
		     uint32_t *out, unsigned int max, unsigned int *count,
		     struct err *err)
{
	char text[SYSFS_TEXT];
	int ret;

	ret = read_text(sys, id, name, true, text, sizeof(text), err);
	if (ret)
		return ret;
	if (text[0] == '<')
		text[0] = '\0';
	return parse_khz(id, name, text, out, max, count, err);
}

static void points_between(struct cpufreq_policy *p)
{
	uint32_t span = p->max_khz - p->min_khz, step = POINTS_STEP_KHZ, khz;

	while (span / step > POINTS_MAX - 2)
		step += POINTS_STEP_KHZ;
	for (khz = p->min_khz; khz < p->max_khz && p->khz_count < POINTS_MAX - 1;
	     khz += step)
		p->khz[p->khz_count++] = khz;
	p->khz[p->khz_count++] = p->max_khz;
	p->points_from = "limits";
}

/* Boost clocks are operating points like others while boost is on. */
static int merge_boost(struct cpufreq_policy *p, struct err *err)
{
	if (!(p->boost_on || p->boost_wanted) || !p->has_list)
		return 0;
	if (p->khz_count + p->boost_count > BOARD_MAX_OPPS)
		return err_set(err, -ERANGE, "policy%u: more than %d clocks", p->id,
			       BOARD_MAX_OPPS);
	memcpy(p->khz + p->khz_count, p->boost_khz,
	       p->boost_count * sizeof(*p->boost_khz));
	p->khz_count = sort_unique(p->khz, p->khz_count + p->boost_count);
	return 0;
}

int cpufreq_boost_path(const struct sysfs *sys, const struct cpufreq_policy *p,
		       char path[SYSFS_PATH], struct err *err)
{
	char text[16];

	snprintf(path, SYSFS_PATH, CPUFREQ_DIR "/policy%u/boost", p->id);
	if (!sysfs_read(sys, path, text, sizeof(text), NULL))
		return 0;
	snprintf(path, SYSFS_PATH, CPUFREQ_DIR "/boost");
	if (!sysfs_read(sys, path, text, sizeof(text), NULL))
		return 0;
	return err_set(err, -ENOENT, "policy%u: the kernel has no switch for boost",
		       p->id);
}

int cpufreq_want_boost(const struct sysfs *sys, struct cpufreq_policy *p, struct err *err)
{
	char path[SYSFS_PATH];
	int ret;

	if (p->boost_on || !p->boost_count)
		return 0;
	ret = cpufreq_boost_path(sys, p, path, err);
	if (ret)
		return ret;
	p->boost_wanted = true;
	/* cpuinfo_max_freq follows when the kernel switches. */
	if (p->max_khz < p->boost_khz[p->boost_count - 1])
		p->max_khz = p->boost_khz[p->boost_count - 1];
	return merge_boost(p, err);
}

static int read_frequencies(const struct sysfs *sys, struct cpufreq_policy *p,
			    struct err *err)
{
	int ret;

	ret = read_number(sys, p->id, "cpuinfo_min_freq", &p->min_khz, err);
	if (!ret)
		ret = read_number(sys, p->id, "cpuinfo_max_freq", &p->max_khz, err);
	if (ret)
		return ret;
	if (!p->min_khz || p->max_khz < p->min_khz)
		return err_set(
			err, -EINVAL,
			"policy%u: cpuinfo_min_freq %u and cpuinfo_max_freq %u make no "
			"range",
			p->id, p->min_khz, p->max_khz);
	ret = read_list(sys, p->id, "scaling_available_frequencies", p->khz,
			BOARD_MAX_OPPS, &p->khz_count, err);
	if (ret)
		return ret;
	p->has_list = p->khz_count > 0;
	if (!p->has_list)
		points_between(p);
	ret = read_list(sys, p->id, "scaling_boost_frequencies", p->boost_khz,
			CPUFREQ_MAX_BOOST, &p->boost_count, err);
	return ret ? ret : merge_boost(p, err);
}

/* Per policy since 6.11, one switch for all before. */
static bool boost_is_on(const struct sysfs *sys, unsigned int id)
{
	uint32_t on = 0;

	if (read_number(sys, id, "boost", &on, NULL))
		sysfs_read_u32(sys, CPUFREQ_DIR "/boost", &on, NULL);
	return on;
}

/* The CPUs whose links lead to the policy. */
static void members_by_links(const struct sysfs *sys, struct cpufreq_policy *p)
{
	char path[SYSFS_PATH], name[32], target[64];
	unsigned int cpus[CPULIST_MAX];
	int n = sysfs_indices(sys, CPU_DIR, "cpu", cpus, CPULIST_MAX, NULL);

	snprintf(name, sizeof(name), "policy%u", p->id);
	for (int i = 0; i < n && p->related_count < BOARD_MAX_CPUS; i++) {
		snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cpufreq", cpus[i]);
		if (!sysfs_link_name(sys, path, target, sizeof(target)) &&
		    !strcmp(target, name))
			p->related[p->related_count++] = cpus[i];
	}
}

static int read_members(const struct sysfs *sys, struct cpufreq_policy *p,
			struct err *err)
{
	int ret = read_cpus(sys, p->id, "related_cpus", p->related, &p->related_count,
			    err);

	if (!ret)
		ret = read_cpus(sys, p->id, "affected_cpus", p->online, &p->online_count,
				err);
	if (ret != -EBUSY)
		return ret;
	/* What kernels since 5.19 say to all questions about a policy without an online
	 * CPU. */
	members_by_links(sys, p);
	return 0;
}

unsigned int cpufreq_not_online(const struct sysfs *sys, const struct cpufreq_policy *p,
				unsigned int cpus[BOARD_MAX_CPUS])
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < p->related_count; i++)
		if (!has_cpu(p->online, p->online_count, p->related[i]) ||
		    hotplug_is_offline(sys, p->related[i]))
			cpus[n++] = p->related[i];
	return n;
}

void cpufreq_count_offline(const struct sysfs *sys, struct cpufreq_policy *p)
{
	unsigned int cpus[BOARD_MAX_CPUS], n = 0;

	for (unsigned int i = 0; i < p->related_count; i++)
		if (has_cpu(p->online, p->online_count, p->related[i]) ||
		    hotplug_is_offline(sys, p->related[i]))
			cpus[n++] = p->related[i];
	memcpy(p->online, cpus, sizeof(cpus));
	p->online_count = n;
}

int cpufreq_read(const struct sysfs *sys, unsigned int id, struct cpufreq_policy *p,
		 struct err *err)
{
	char governors[SYSFS_TEXT];
	int ret;

	memset(p, 0, sizeof(*p));
	p->id = id;
	ret = read_members(sys, p, err);
	if (ret || !p->online_count)
		return ret;
	ret = read_text(sys, id, "scaling_driver", true, p->driver, sizeof(p->driver),
			err);
	if (!ret)
		ret = read_text(sys, id, "scaling_governor", false, p->governor,
				sizeof(p->governor), err);
	if (!ret)
		ret = read_text(sys, id, "scaling_available_governors", true, governors,
				sizeof(governors), err);
	if (ret)
		return ret;
	p->way = sysfs_has_word(governors, "userspace") ? CPUFREQ_SETSPEED
							: CPUFREQ_CLAMP;
	p->boost_on = boost_is_on(sys, id);
	return read_frequencies(sys, p, err);
}

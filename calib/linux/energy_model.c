// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read /sys/kernel/debug/energy_model.
 */
#include "calib/linux/energy_model.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/cpulist.h"
#include "lib/num.h"

#define DEBUGFS "/sys/kernel/debug"
#define EM_DIR	DEBUGFS "/energy_model"

enum energy_model_seen energy_model_seen(const struct sysfs *sys)
{
	char real[PATH_MAX];
	unsigned int entries = 0;
	DIR *d;

	if (!sysfs_real(sys, EM_DIR, real, sizeof(real), NULL) && !access(real, R_OK))
		return ENERGY_MODEL_SHOWN;
	if (sysfs_real(sys, DEBUGFS, real, sizeof(real), NULL))
		return ENERGY_MODEL_UNSEEN;
	d = opendir(real);
	while (d && readdir(d))
		entries++;
	if (d)
		closedir(d);
	return entries > 2 ? ENERGY_MODEL_NONE : ENERGY_MODEL_UNSEEN;
}

unsigned int energy_model_release(const struct sysfs *sys)
{
	char text[128];

	if (sysfs_read(sys, "/proc/sys/kernel/osrelease", text, sizeof(text), NULL))
		return 0;
	return em_release(text);
}

/* A file of a folder that is there: 1 when it is not, 0 when it was read. */
static int read_text(const struct sysfs *sys, const char *dir, const char *name,
		     char *out, size_t size, struct err *err)
{
	char path[SYSFS_PATH];
	int ret;

	snprintf(path, sizeof(path), "%.220s/%s", dir, name);
	ret = sysfs_read(sys, path, out, size, err);
	return ret == -ENOENT ? 1 : ret;
}

/* An unsigned long of the kernel. */
static int read_number(const struct sysfs *sys, const char *dir, const char *name,
		       uint64_t *out, struct err *err)
{
	char text[64];
	int ret = read_text(sys, dir, name, text, sizeof(text), err);

	if (ret)
		return ret;
	ret = num_u64(text, out);
	if (ret)
		return err_set(err, ret, "%.220s/%s: '%s' is not a whole number", dir,
			       name, text);
	return 0;
}

/* The same for a file that some kernels do not have. */
static int read_optional(const struct sysfs *sys, const char *dir, const char *name,
			 bool *has, uint64_t *out, struct err *err)
{
	int ret = read_number(sys, dir, name, out, err);

	*has = !ret;
	return ret > 0 ? 0 : ret;
}

static int read_state(const struct sysfs *sys, const char *dir, unsigned int khz,
		      struct em_shown_state *s, struct err *err)
{
	uint64_t frequency = khz, mark = 0;
	int ret;

	s->khz = khz;
	ret = read_number(sys, dir, "frequency", &frequency, err);
	if (ret < 0)
		return ret;
	if (frequency != khz)
		return err_set(err, -EINVAL,
			       "%.220s/frequency: %" PRIu64
			       " kHz is not what the folder says",
			       dir, frequency);
	ret = read_number(sys, dir, "power", &s->power, err);
	if (ret)
		return ret < 0 ? ret : -ENOENT;
	ret = read_optional(sys, dir, "cost", &s->has_cost, &s->cost, err);
	if (!ret)
		ret = read_optional(sys, dir, "performance", &s->has_performance,
				    &s->performance, err);
	if (!ret)
		ret = read_optional(sys, dir, "inefficient", &s->has_inefficient, &mark,
				    err);
	s->inefficient = mark != 0;
	return ret;
}

/* States are folders "ps:KHZ" ("cs:KHZ" in v5.8 and before). */
static int read_states(const struct sysfs *sys, const char *dir, struct em_shown *d,
		       struct err *err)
{
	unsigned int khz[EM_SHOWN_MAX_STATES];
	const char *prefix = "ps:";
	char state[SYSFS_PATH];
	int i, n, ret = 0, one;

	n = sysfs_indices(sys, dir, prefix, khz, EM_SHOWN_MAX_STATES, err);
	if (!n) {
		prefix = "cs:";
		n = sysfs_indices(sys, dir, prefix, khz, EM_SHOWN_MAX_STATES, err);
		d->cap_states = n > 0;
	}
	if (n < 0)
		return n;
	if (!n)
		return err_set(err, -ENOENT, "%s: no state (ps:KHZ) in it", dir);
	d->state_count = n;
	for (i = 0; i < n; i++) {
		snprintf(state, sizeof(state), "%.200s/%s%u", dir, prefix, khz[i]);
		one = read_state(sys, state, khz[i], &d->states[i], ret ? NULL : err);
		ret = ret ? ret : one;
	}
	return ret;
}

static int read_flags(const struct sysfs *sys, const char *dir, struct em_shown *d,
		      struct err *err)
{
	char text[SYSFS_TEXT];
	int ret = read_text(sys, dir, "flags", text, sizeof(text), err);

	if (!ret && num_u64_hex(text, &d->flags))
		return err_set(err, -EINVAL, "%s/flags: '%s' is not a number", dir, text);
	d->has_flags = !ret;
	if (ret < 0)
		return ret;
	ret = read_text(sys, dir, "units", text, sizeof(text), err);
	if (!ret)
		snprintf(d->units, sizeof(d->units), "%.15s", text);
	return ret < 0 ? ret : 0;
}

/* Leaves @d without CPUs when it is no domain of CPUs. */
static int read_domain(const struct sysfs *sys, struct em_shown *d, struct err *err)
{
	char dir[SYSFS_PATH], text[SYSFS_TEXT];
	int n, ret, flags;

	snprintf(dir, sizeof(dir), EM_DIR "/%s", d->name);
	ret = read_text(sys, dir, "cpus", text, sizeof(text), err);
	if (ret)
		return ret < 0 ? ret : -ENOENT;
	n = cpulist_parse(text, d->cpus, DTCPUS_MAX_CPUS);
	if (n <= 0)
		return err_set(err, n ? n : -EINVAL, "%s/cpus: '%s' is no list of CPUs",
			       dir, text);
	d->cpu_count = n;
	flags = read_flags(sys, dir, d, err);
	ret = read_states(sys, dir, d, flags ? NULL : err);
	return flags ? flags : ret;
}

int energy_model_read(const struct sysfs *sys, struct em_shown *out, unsigned int *count,
		      struct err *err)
{
	/* The folder is named after the first CPU, "cpu4"; "pd4" in v5.8 and before. */
	static const char *const prefixes[] = { "cpu", "pd" };
	unsigned int ids[EM_SHOWN_MAX_DOMAINS], i;
	int k, n, one, ret = 0;

	*count = 0;
	for (i = 0; i < 2; i++) {
		n = sysfs_indices(sys, EM_DIR, prefixes[i], ids, EM_SHOWN_MAX_DOMAINS,
				  ret ? NULL : err);
		if (n < 0)
			ret = ret ? ret : n;
		for (k = 0; k < n && *count < EM_SHOWN_MAX_DOMAINS; k++) {
			struct em_shown *d = &out[*count];

			memset(d, 0, sizeof(*d));
			snprintf(d->name, sizeof(d->name), "%s%u", prefixes[i], ids[k]);
			one = read_domain(sys, d, ret ? NULL : err);
			ret = ret ? ret : one;
			*count += d->cpu_count != 0;
		}
	}
	return ret;
}

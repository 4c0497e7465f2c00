// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of power meters, which one a SPEC means, and one way to use them all.
 */
#include "calib/linux/meters.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calib/linux/meters_internal.h"
#include "lib/num.h"

#define SHOW_PAUSE_NS 20000000

/* In the order they are listed. */
static const struct meter_kind *const kinds[] = {
	&meter_kind_hwmon, &meter_kind_odroid,	&meter_kind_iio,    &meter_kind_rapl,
	&meter_kind_perf,  &meter_kind_battery, &meter_kind_stream,
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* What a SPEC asks for. */
struct wanted {
	const struct meter_kind *kind; /* NULL: any that needs no naming */
	const char *label;
	char device[96]; /* as written, and ... */
	char driver[32]; /* ... the part before '@' */
	bool has_address, bad_address;
	int bus, addr; /* -1: any */
	char channel[32];
};

struct meter_info *meters_add(struct meters *all, const struct meter_kind *kind)
{
	struct meter_info *m;

	if (all->count == METERS_MAX)
		return NULL;
	m = &all->list[all->count++];
	*m = (struct meter_info){ .kind = kind, .bus = -1, .addr = -1, .unit = "" };
	return m;
}

void meters_each(struct meters *all, const char *dir,
		 void (*add)(struct meters *all, const char *entry))
{
	struct dirent **found;
	char real[PATH_MAX];
	int i, n;

	if (sysfs_real(all->sys, dir, real, sizeof(real), NULL))
		return;
	n = scandir(real, &found, NULL, alphasort);
	for (i = 0; i < n; i++) {
		if (found[i]->d_name[0] != '.')
			add(all, found[i]->d_name);
		free(found[i]);
	}
	if (n >= 0)
		free(found);
}

void meter_info_name(struct meter_info *m, const char *prefix)
{
	const char *label = "";
	int i;

	for (i = 0; i < METERS_LABELS && !label[0]; i++)
		label = m->labels[i];
	snprintf(m->name, sizeof(m->name), "%s%s%s%s%s%s", prefix, m->device,
		 m->channel[0] ? "/" : "", m->channel, label[0] ? " " : "", label);
}

static int by_name(const void *a, const void *b)
{
	const struct meter_info *x = a, *y = b;

	return strverscmp(x->name, y->name);
}

/* The meters of one kind by name: folders are listed in any order. */
static void list_sorted(struct meters *all, const struct meter_kind *kind)
{
	unsigned int first = all->count;

	kind->list(all);
	qsort(&all->list[first], all->count - first, sizeof(*all->list), by_name);
}

int meters_open(struct meters *all, const struct sysfs *sys, const char *stream,
		struct err *err)
{
	size_t i;

	*all = (struct meters){ .sys = sys, .stream = stream };
	all->list = calloc(METERS_MAX, sizeof(*all->list));
	if (!all->list)
		return err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < KINDS; i++)
		list_sorted(all, kinds[i]);
	return 0;
}

void meters_close(struct meters *all)
{
	size_t i;

	for (i = 0; all->list && i < KINDS; i++)
		if (kinds[i]->end)
			kinds[i]->end(all);
	free(all->list);
	*all = (struct meters){ .list = NULL };
}

const char *meter_kind_name(const struct meter_info *info)
{
	return info->kind->name;
}

const char *meter_describe(const struct meter_info *info, char *out, size_t size)
{
	char interval[48] = "";

	if (info->buffered && info->interval_us)
		snprintf(interval, sizeof(interval), ", buffer, %.4g Hz",
			 1e6 / info->interval_us);
	else if (info->buffered)
		strcpy(interval, ", buffer");
	else if (info->interval_us)
		snprintf(interval, sizeof(interval), ", %s %g ms",
			 info->averages ? "mean over" : "every", info->interval_us / 1e3);
	snprintf(out, size, "%s%s%s%s", info->unit, interval, info->note[0] ? "; " : "",
		 info->note);
	return out;
}

/* "3-0040", "0x40", or "40" as i2cdetect prints it. */
static int parse_address(const char *text, int *bus, int *addr)
{
	const char *dash = strchr(text, '-');
	char hex[24], number[12];
	uint64_t value;
	uint32_t n;

	*bus = -1;
	if (dash) {
		if (dash - text >= (int)sizeof(number))
			return -EINVAL;
		snprintf(number, sizeof(number), "%.*s", (int)(dash - text), text);
		if (num_u32(number, &n) || n > INT_MAX)
			return -EINVAL;
		*bus = n;
		text = dash + 1;
	}
	if (strncmp(text, "0x", 2) != 0) {
		snprintf(hex, sizeof(hex), "0x%.16s", text);
		text = hex;
	}
	if (num_u64_hex(text, &value) || value > INT_MAX)
		return -EINVAL;
	*addr = value;
	return 0;
}

bool meter_i2c_address(const char *text, int *bus, int *addr)
{
	return strchr(text, '-') && !parse_address(text, bus, addr);
}

static int bad_spec(const char *spec, struct err *err)
{
	return err_set(err, -EINVAL,
		       "sensor '%s' is not CHIP@ADDRESS, a chip as 'sensors' names it "
		       "(ina231-i2c-*-40), KIND:NAME (rapl:core) or label:TEXT, with "
		       "/power1 or /in1 behind it",
		       spec);
}

static const struct meter_kind *kind_of(const char *spec, size_t len)
{
	size_t i;

	for (i = 0; i < KINDS; i++)
		if (strlen(kinds[i]->name) == len && !strncmp(kinds[i]->name, spec, len))
			return kinds[i];
	return NULL;
}

/* Into @out, or false when it does not fit or there is nothing. */
static bool take(char *out, size_t size, const char *text, size_t len)
{
	if (!len || len >= size)
		return false;
	memcpy(out, text, len);
	out[len] = '\0';
	return true;
}

static int parse_device(struct wanted *w)
{
	const char *at = strchr(w->device, '@');
	size_t len = at ? (size_t)(at - w->device) : strlen(w->device);

	if (!take(w->driver, sizeof(w->driver), w->device, len))
		return at ? -EINVAL : 0;
	if (!at)
		return 0;
	w->has_address = true;
	w->bad_address = parse_address(at + 1, &w->bus, &w->addr);
	return 0;
}

static int parse_spec(const char *spec, struct wanted *w, struct err *err)
{
	const char *rest = spec, *slash;
	size_t len;

	*w = (struct wanted){ .bus = -1, .addr = -1 };
	if (!strncmp(spec, "label:", 6)) {
		w->label = spec + 6;
		return w->label[0] ? 0 : bad_spec(spec, err);
	}
	w->kind = kind_of(spec, strcspn(spec, ":"));
	if (w->kind && spec[strlen(w->kind->name)] == ':')
		rest = spec + strlen(w->kind->name) + 1;
	if ((!strncmp(rest, "hwmon", 5) && rest[5] != ':') || strstr(rest, "/hwmon"))
		return err_set(
			err, -EINVAL,
			"sensor '%s': hwmon numbers change from boot to boot; name chip "
			"and address, or a label",
			spec);
	slash = strchr(rest, '/');
	len = slash ? (size_t)(slash - rest) : strlen(rest);
	if (slash && !take(w->channel, sizeof(w->channel), slash + 1, strlen(slash + 1)))
		return bad_spec(spec, err);
	if (!take(w->device, sizeof(w->device), rest, len) || parse_device(w))
		return bad_spec(spec, err);
	return 0;
}

static bool label_matches(const struct meter_info *m, const char *label)
{
	int i;

	for (i = 0; i < METERS_LABELS; i++)
		if (!strcmp(m->labels[i], label))
			return true;
	return false;
}

/* "curr2" is the other half of "in2". */
static bool channel_matches(const struct meter_info *m, const char *channel)
{
	if (!channel[0])
		return !m->by_name;
	if (!strcmp(m->channel, channel))
		return true;
	return m->part[2] && !strncmp(channel, "curr", 4) &&
	       !strncmp(m->channel, "in", 2) && !strcmp(channel + 4, m->channel + 2);
}

static bool device_matches(const struct meter_info *m, const struct wanted *w)
{
	if (!fnmatch(w->device, m->device, 0))
		return true;
	if (strcmp(w->driver, m->driver) != 0 || w->bad_address)
		return false;
	return !w->has_address ||
	       (m->addr == w->addr && (w->bus < 0 || m->bus == w->bus));
}

static bool meter_matches(const struct meter_info *m, const struct wanted *w)
{
	if (w->label)
		return label_matches(m, w->label);
	if (w->kind ? m->kind != w->kind : m->kind->needs_kind)
		return false;
	if (m->alias[0] && !w->channel[0] && !strcmp(m->alias, w->device))
		return true;
	return device_matches(m, w) && channel_matches(m, w->channel);
}

static unsigned int join_names(const struct meters *all, const bool *only, char *out,
			       size_t size)
{
	unsigned int i, n = 0;
	size_t len = 0;

	out[0] = '\0';
	for (i = 0; i < all->count; i++) {
		if (only && !only[i])
			continue;
		len += snprintf(out + len, size - len, "%s%s", n++ ? ", " : "",
				all->list[i].name);
		if (len >= size)
			len = size - 1;
	}
	return n;
}

unsigned int meters_names(const struct meters *all, char *out, unsigned int size)
{
	return join_names(all, NULL, out, size);
}

static int none_there(const struct meters *all, const char *spec, struct err *err)
{
	char names[512];

	if (!all->count)
		return err_set(
			err, -ENODEV,
			"no power sensor found: no hwmon chip with power, or with "
			"voltage and current, no IIO, RAPL or battery; load its driver "
			"(ina2xx, ina3221 ...) and check with 'sensors', give an "
			"external "
			"meter's readings with --power-from, or import its readings");
	join_names(all, NULL, names, sizeof(names));
	return err_set(err, -ENODEV, "no power sensor matches '%s'; there are %s", spec,
		       names);
}

static int several(const struct meters *all, const char *spec, const bool *hit,
		   struct err *err)
{
	unsigned int i, k, n, chips = 0;
	char names[512];

	for (i = 0; i < all->count; i++) {
		for (k = 0; k < i; k++)
			if (hit[k] && !strcmp(all->list[k].device, all->list[i].device))
				break;
		chips += hit[i] && k == i;
	}
	n = join_names(all, hit, names, sizeof(names));
	if (chips > 1)
		return err_set(err, -EEXIST, "%u chips match '%s': %s; name one of them",
			       chips, spec, names);
	return err_set(err, -EEXIST,
		       "%u meters of one chip match '%s': %s; name one of them", n, spec,
		       names);
}

int meters_find(const struct meters *all, const char *spec, const struct meter_info **out,
		struct err *err)
{
	bool hit[METERS_MAX] = { false };
	unsigned int i, n = 0;
	struct wanted w;
	int ret;

	ret = parse_spec(spec, &w, err);
	if (ret)
		return ret;
	for (i = 0; i < all->count; i++) {
		hit[i] = meter_matches(&all->list[i], &w);
		if (!hit[i])
			continue;
		*out = &all->list[i];
		n++;
	}
	if (n == 1)
		return 0;
	if (n)
		return several(all, spec, hit, err);
	return w.bad_address ? bad_spec(spec, err) : none_there(all, spec, err);
}

int power_meter_open(const struct meters *all, const struct meter_info *info,
		     struct power_meter *pm, struct err *err)
{
	int ret;

	*pm = (struct power_meter){ .info = *info };
	ret = info->kind->open(all, pm, err);
	if (ret)
		power_meter_close(pm);
	return ret ? err_wrap(err, ret, "sensor %s", info->name) : 0;
}

int power_meter_ready(const struct power_meter *pm, struct err *err)
{
	int ret = pm->info.kind->ready ? pm->info.kind->ready(pm, err) : 0;

	return ret ? err_wrap(err, ret, "sensor %s", pm->info.name) : 0;
}

static bool is_off(const struct power_meter *pm, const struct sysfs *sys)
{
	char now[SYSFS_TEXT];

	return pm->info.enable[0] &&
	       (sysfs_read(sys, pm->info.enable, now, sizeof(now), NULL) ||
		strcmp(now, "1") != 0);
}

int power_meter_may_start(const struct power_meter *pm, const struct sysfs *sys,
			  struct err *err)
{
	int ret = power_meter_ready(pm, err);

	if (ret || !is_off(pm, sys))
		return ret;
	ret = sysfs_may_write(sys, pm->info.enable, err);
	if (ret != -EACCES)
		return ret;
	return err_set(err, ret,
		       "sensor %s is switched off, and %s is not writable for this user; "
		       "run as root",
		       pm->info.name, pm->info.enable);
}

bool power_meter_changes(const struct power_meter *pm, const struct sysfs *sys)
{
	return pm->info.buffered || is_off(pm, sys);
}

int power_meter_save(struct power_meter *pm, struct state *st, struct err *err)
{
	const struct meter_kind *kind = pm->info.kind;

	if (kind && kind->save)
		kind->save(pm, st);
	return is_off(pm, st->sys) ? state_save(st, pm->info.enable, err) : 0;
}

int power_meter_start(struct power_meter *pm, const struct sysfs *sys,
		      void (*note)(void *arg, const char *text), void *note_arg,
		      struct err *err)
{
	const struct meter_kind *kind = pm->info.kind;
	struct err why = { "" }, text;

	if (is_off(pm, sys))
		return sysfs_set(sys, pm->info.enable, "1", err);
	if (!kind || !kind->start || !kind->start(pm, &why))
		return 0;
	pm->info.buffered = false;
	err_set(&text, 0, "meter %s is not read through its buffer: %s", pm->info.name,
		why.msg);
	if (note)
		note(note_arg, text.msg);
	return 0;
}

void power_meter_each(struct power_meter *pm, const struct meter_told *told)
{
	const struct meter_kind *kind = pm->info.kind;

	if (kind->mean)
		kind->mean(pm)->told = told;
}

bool power_meter_timed(const struct power_meter *pm)
{
	const struct meter_kind *kind = pm->info.kind;

	return kind && kind->mean && kind->mean(pm)->timed;
}

void power_meter_stop(struct power_meter *pm)
{
	const struct meter_kind *kind = pm->info.kind;

	if (kind && kind->stop)
		kind->stop(pm);
}

int power_meter_read(struct power_meter *pm, uint64_t now_ns, struct reading *r,
		     struct err *err)
{
	int ret;

	*r = (struct reading){ .time_ns = now_ns };
	ret = pm->info.kind->read(pm, now_ns, r, err);
	if (!ret && r->power_uw > METERS_MAX_UW)
		ret = err_set(err, -EIO, "%lld uW is more than anything draws",
			      (long long)r->power_uw);
	return ret ? err_wrap(err, ret, "sensor %s", pm->info.name) : 0;
}

bool power_meter_counted(const struct power_meter *pm, double *uj, unsigned int *lost)
{
	const struct meter_kind *kind = pm->info.kind;
	const struct meter_counter *c = kind && kind->counter ? kind->counter(pm) : NULL;

	if (!c)
		return false;
	*uj = c->total_uj;
	*lost = c->lost;
	return true;
}

static uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

int power_meter_show(const struct meters *all, const struct meter_info *info,
		     struct reading *r, struct err *err)
{
	const struct timespec pause = { .tv_nsec = SHOW_PAUSE_NS };
	struct power_meter pm;
	int ret;

	ret = power_meter_open(all, info, &pm, err);
	if (ret)
		return ret;
	ret = power_meter_ready(&pm, err);
	if (!ret)
		ret = power_meter_read(&pm, clock_ns(), r, err);
	if (ret == -EAGAIN) {
		nanosleep(&pause, NULL);
		ret = power_meter_read(&pm, clock_ns(), r, err);
	}
	power_meter_close(&pm);
	return ret;
}

void power_meter_close(struct power_meter *pm)
{
	if (pm->info.kind)
		pm->info.kind->close(pm);
	*pm = (struct power_meter){ .own = NULL };
}

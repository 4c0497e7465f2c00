// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Power meters through libsensors: which there are, which one is meant, opening it.
 * Reading is in sensors_read.c.
 */
#include "calib/linux/sensors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sensors/sensors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/linux/sensors_internal.h"
#include "lib/num.h"

#define MAX_METERS 64

/* What libsensors shows of one meter. */
struct meter {
	const sensors_chip_name *chip;
	const sensors_subfeature *power, *volt, *curr; /* power, or volt and curr */
	bool averages;
	char channel[16];   /* "power1", "in2" */
	unsigned int index; /* the N of it */
	char chip_text[64];
	char labels[3][48]; /* of power, volt, curr; "" where it has none of its own */
};

struct meters {
	struct meter list[MAX_METERS];
	unsigned int count;
};

/* What a SPEC asks for. */
struct wanted {
	const char *label; /* label:TEXT, or NULL */
	sensors_chip_name pattern;
	bool has_pattern;
	char prefix[32]; /* CHIP@...: "" when a pattern was given */
	int bus, addr;	 /* bus -1: any */
	char channel[16];
};

int sensor_begin(struct err *err)
{
	int ret = sensors_init(NULL);

	if (ret)
		return err_set(err, -EIO,
			       "libsensors does not start: %s; see if "
			       "'sensors' works",
			       sensors_strerror(ret));
	return 0;
}

void sensor_end(void)
{
	sensors_cleanup();
}

/* The feature "in2" of a chip, for type and number. */
static const sensors_feature *feature(const sensors_chip_name *chip,
				      sensors_feature_type type, unsigned int index)
{
	const sensors_feature *f;
	uint32_t number;
	int nr = 0;

	while ((f = sensors_get_features(chip, &nr))) {
		size_t digits = strcspn(f->name, "0123456789");

		if (f->type == type && !num_u32(f->name + digits, &number) &&
		    number == index)
			return f;
	}
	return NULL;
}

static const sensors_subfeature *input(const sensors_chip_name *chip,
				       sensors_feature_type type, unsigned int index)
{
	static const sensors_subfeature_type inputs[] = {
		[SENSORS_FEATURE_IN] = SENSORS_SUBFEATURE_IN_INPUT,
		[SENSORS_FEATURE_POWER] = SENSORS_SUBFEATURE_POWER_INPUT,
		[SENSORS_FEATURE_CURR] = SENSORS_SUBFEATURE_CURR_INPUT,
	};
	const sensors_feature *f = feature(chip, type, index);

	return f ? sensors_get_subfeature(chip, f, inputs[type]) : NULL;
}

static void label_of(const sensors_chip_name *chip, sensors_feature_type type,
		     unsigned int index, char *out, size_t size)
{
	const sensors_feature *f = feature(chip, type, index);
	char *label = f ? sensors_get_label(chip, f) : NULL;

	/* Without a label libsensors answers with the feature's own name. */
	out[0] = '\0';
	if (label && strcmp(label, f->name) != 0)
		snprintf(out, size, "%s", label);
	free(label);
}

static void add_meter(struct meters *all, const struct meter *m)
{
	struct meter *to;

	if (all->count == MAX_METERS)
		return;
	to = &all->list[all->count++];
	*to = *m;
	if (sensors_snprintf_chip_name(to->chip_text, sizeof(to->chip_text), m->chip) < 0)
		snprintf(to->chip_text, sizeof(to->chip_text), "%s", m->chip->prefix);
	label_of(m->chip, SENSORS_FEATURE_POWER, m->index, to->labels[0],
		 sizeof(to->labels[0]));
	label_of(m->chip, SENSORS_FEATURE_IN, m->index, to->labels[1],
		 sizeof(to->labels[1]));
	label_of(m->chip, SENSORS_FEATURE_CURR, m->index, to->labels[2],
		 sizeof(to->labels[2]));
}

static void add_power(struct meters *all, const sensors_chip_name *chip,
		      const sensors_feature *f, unsigned int index)
{
	struct meter m = { .chip = chip, .index = index };

	snprintf(m.channel, sizeof(m.channel), "power%u", index);
	m.power = sensors_get_subfeature(chip, f, SENSORS_SUBFEATURE_POWER_INPUT);
	if (!m.power) {
		m.power = sensors_get_subfeature(chip, f,
						 SENSORS_SUBFEATURE_POWER_AVERAGE);
		m.averages = true;
	}
	if (index)
		m.volt = input(chip, SENSORS_FEATURE_IN, index);
	if (m.power)
		add_meter(all, &m);
}

static void add_product(struct meters *all, const sensors_chip_name *chip,
			unsigned int index)
{
	struct meter m = { .chip = chip, .index = index };

	snprintf(m.channel, sizeof(m.channel), "in%u", index);
	m.volt = input(chip, SENSORS_FEATURE_IN, index);
	m.curr = input(chip, SENSORS_FEATURE_CURR, index);
	if (m.volt && m.curr && !input(chip, SENSORS_FEATURE_POWER, index))
		add_meter(all, &m);
}

static void list_chip(struct meters *all, const sensors_chip_name *chip)
{
	const sensors_feature *f;
	uint32_t index;
	int nr = 0;

	while ((f = sensors_get_features(chip, &nr))) {
		if (num_u32(f->name + strcspn(f->name, "0123456789"), &index))
			continue;
		if (f->type == SENSORS_FEATURE_POWER)
			add_power(all, chip, f, index);
		else if (f->type == SENSORS_FEATURE_IN && index)
			add_product(all, chip, index);
	}
}

static void list_meters(struct meters *all)
{
	const sensors_chip_name *chip;
	int nr = 0;

	all->count = 0;
	while ((chip = sensors_get_detected_chips(NULL, &nr)))
		list_chip(all, chip);
}

/* "ina231-i2c-3-40/power1 VDD_ARM" */
static void meter_name(const struct meter *m, char *out, size_t size)
{
	const char *label = "";
	int i;

	for (i = 0; i < 3 && !label[0]; i++)
		label = m->labels[i];
	snprintf(out, size, "%s/%s%s%s", m->chip_text, m->channel, label[0] ? " " : "",
		 label);
}

static unsigned int name_meters(const struct meters *all, const bool *only, char *out,
				size_t size)
{
	unsigned int i, n = 0;
	char name[128];
	size_t len = 0;

	out[0] = '\0';
	for (i = 0; i < all->count; i++) {
		if (only && !only[i])
			continue;
		meter_name(&all->list[i], name, sizeof(name));
		len += snprintf(out + len, size - len, "%s%s", n++ ? ", " : "", name);
		if (len >= size)
			len = size - 1;
	}
	return n;
}

unsigned int sensor_list(char *out, unsigned int size)
{
	struct meters *all = malloc(sizeof(*all));
	unsigned int n;

	out[0] = '\0';
	if (!all)
		return 0;
	list_meters(all);
	n = name_meters(all, NULL, out, size);
	free(all);
	return n;
}

/* "0x40", "40" (as i2cdetect prints it) or "3-0040". */
static int parse_address(const char *text, struct wanted *w)
{
	const char *dash = strchr(text, '-');
	char hex[16], number[8];
	uint64_t addr;
	uint32_t bus;

	if (dash) {
		snprintf(number, sizeof(number), "%.*s", (int)(dash - text), text);
		if (dash - text >= (int)sizeof(number) || num_u32(number, &bus) ||
		    bus > SHRT_MAX)
			return -EINVAL;
		w->bus = bus;
		text = dash + 1;
	}
	if (strncmp(text, "0x", 2) != 0) {
		snprintf(hex, sizeof(hex), "0x%.12s", text);
		text = hex;
	}
	if (num_u64_hex(text, &addr) || addr > INT_MAX)
		return -EINVAL;
	w->addr = addr;
	return 0;
}

static int bad_spec(const char *spec, struct err *err)
{
	return err_set(err, -EINVAL,
		       "sensor '%s' is not CHIP@ADDRESS, a libsensors chip name "
		       "(ina231-i2c-*-40) or label:TEXT, with /power1 or /in1 behind it",
		       spec);
}

static int parse_channel(char *spec, struct wanted *w)
{
	char *slash = strchr(spec, '/');

	if (!slash)
		return 0;
	*slash++ = '\0';
	if (!slash[0] || strlen(slash) >= sizeof(w->channel))
		return -EINVAL;
	strcpy(w->channel, slash);
	return 0;
}

static int parse_chip(char *spec, struct wanted *w)
{
	char *at = strchr(spec, '@');

	/* A libsensors pattern; a bare driver name has no '-': any chip of that driver.
	 */
	if (!at && strchr(spec, '-')) {
		w->has_pattern = !sensors_parse_chip_name(spec, &w->pattern);
		return w->has_pattern ? 0 : -EINVAL;
	}
	if (at)
		*at++ = '\0';
	if (!spec[0] || strlen(spec) >= sizeof(w->prefix))
		return -EINVAL;
	strcpy(w->prefix, spec);
	w->bus = -1;
	w->addr = SENSORS_CHIP_NAME_ADDR_ANY;
	return at ? parse_address(at, w) : 0;
}

/* @copy holds the text that @w points into. */
static int parse_spec(const char *spec, char *copy, size_t size, struct wanted *w,
		      struct err *err)
{
	memset(w, 0, sizeof(*w));
	if (!spec[0] || strlen(spec) >= size)
		return bad_spec(spec, err);
	strcpy(copy, spec);
	if (!strncmp(copy, "label:", 6)) {
		w->label = copy + 6;
		return w->label[0] ? 0 : bad_spec(spec, err);
	}
	if (!strncmp(copy, "hwmon", 5) || strstr(copy, "/hwmon"))
		return err_set(
			err, -EINVAL,
			"sensor '%s': hwmon numbers change from boot to boot; name chip "
			"and address, or a label",
			spec);
	if (parse_channel(copy, w) || parse_chip(copy, w))
		return bad_spec(spec, err);
	return 0;
}

static bool chip_matches(const sensors_chip_name *chip, const sensors_chip_name *pat)
{
	const sensors_chip_name *found;
	int nr = 0;

	while ((found = sensors_get_detected_chips(pat, &nr)))
		if (found == chip)
			return true;
	return false;
}

static bool channel_matches(const struct meter *m, const char *channel)
{
	char curr[16];

	if (!channel[0] || !strcmp(m->channel, channel))
		return true;
	snprintf(curr, sizeof(curr), "curr%u", m->index);
	return m->curr && !strcmp(curr, channel);
}

static bool meter_matches(const struct meter *m, const struct wanted *w)
{
	int i;

	if (w->label) {
		for (i = 0; i < 3; i++)
			if (!strcmp(m->labels[i], w->label))
				return true;
		return false;
	}
	if (!channel_matches(m, w->channel))
		return false;
	if (w->has_pattern)
		return chip_matches(m->chip, &w->pattern);
	return !strcmp(m->chip->prefix, w->prefix) &&
	       (w->addr == SENSORS_CHIP_NAME_ADDR_ANY || m->chip->addr == w->addr) &&
	       (w->bus < 0 || m->chip->bus.nr == w->bus);
}

static int none_there(const char *spec, const struct meters *all, struct err *err)
{
	char names[512];

	if (!all->count)
		return err_set(
			err, -ENODEV,
			"no power sensor found: no hwmon chip with power, or with "
			"voltage and current; load its driver (ina2xx, ina3221 ...) and "
			"check with 'sensors', or measure with an external meter and "
			"import its readings");
	name_meters(all, NULL, names, sizeof(names));
	return err_set(err, -ENODEV, "no power sensor matches '%s'; there are %s", spec,
		       names);
}

static int several(const char *spec, const struct meters *all, const bool *hit,
		   struct err *err)
{
	char names[512];
	unsigned int n = name_meters(all, hit, names, sizeof(names));

	return err_set(err, -EEXIST, "%u power sensors match '%s': %s; name one of them",
		       n, spec, names);
}

/* The update interval of the chip, or the window of an averaging meter; 0: unknown. */
static uint32_t interval_us(const struct meter *m)
{
	const sensors_feature *f;
	const sensors_subfeature *sub;
	char path[PATH_MAX], text[32] = "";
	uint32_t ms;
	double s;
	int fd;

	if (m->averages) {
		f = feature(m->chip, SENSORS_FEATURE_POWER, m->index);
		sub = sensors_get_subfeature(m->chip, f,
					     SENSORS_SUBFEATURE_POWER_AVERAGE_INTERVAL);
		if (sub && !sensors_get_value(m->chip, sub->number, &s) && s > 0 &&
		    s < 4000)
			return lround(s * 1e6);
	}
	snprintf(path, sizeof(path), "%s/update_interval", m->chip->path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	text[strcspn(text, "\n")] = '\0';
	return num_u32(text, &ms) || ms > UINT32_MAX / 1000 ? 0 : ms * 1000;
}

static int open_meter(const struct meter *m, struct sensor *s, struct err *err)
{
	int ret;

	memset(s, 0, sizeof(*s));
	meter_name(m, s->name, sizeof(s->name));
	snprintf(s->driver, sizeof(s->driver), "%s", m->chip->prefix);
	s->averages = m->averages;
	s->interval_us = interval_us(m);
	sensor_value_open(&s->power, m->chip, m->power, 1e6);
	sensor_value_open(&s->volt, m->chip, m->volt, 1e3);
	sensor_value_open(&s->curr, m->chip, m->curr, 1e3);
	ret = sensor_value_usable(m->power ? &s->power : &s->volt, err);
	if (!ret && m->curr)
		ret = sensor_value_usable(&s->curr, err);
	if (ret)
		sensor_close(s);
	return ret ? err_wrap(err, ret, "sensor %s", s->name) : 0;
}

int sensor_find(const char *spec, struct sensor *s, struct err *err)
{
	bool hit[MAX_METERS] = { false };
	unsigned int i, n = 0, at = 0;
	struct meters *all;
	struct wanted w;
	char copy[128];
	int ret;

	ret = parse_spec(spec, copy, sizeof(copy), &w, err);
	if (ret)
		return ret;
	all = malloc(sizeof(*all));
	if (!all) {
		ret = err_set(err, -ENOMEM, "out of memory");
		goto out_free_pattern;
	}
	list_meters(all);
	for (i = 0; i < all->count; i++) {
		hit[i] = meter_matches(&all->list[i], &w);
		if (hit[i]) {
			at = i;
			n++;
		}
	}
	if (!n)
		ret = none_there(spec, all, err);
	else if (n > 1)
		ret = several(spec, all, hit, err);
	else
		ret = open_meter(&all->list[at], s, err);
	free(all);
out_free_pattern:
	if (w.has_pattern)
		sensors_free_chip_name(&w.pattern);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Power meters of hwmon drivers, found and named through libsensors; with
 * meters_hwmon_read.c the only file that knows it.
 *
 * A meter is a powerN of a chip (instantaneous, else averaged by the chip), an energyN,
 * or the product of inN and currN. in0 is never one half of a product: on the INA2xx it
 * is the drop over the shunt.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/linux/meters_hwmon.h"
#include "lib/num.h"

/* part[] of a meter */
enum { POWER, VOLT, CURR };

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
		[SENSORS_FEATURE_ENERGY] = SENSORS_SUBFEATURE_ENERGY_INPUT,
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

/* The driver's update interval; 0: unknown. */
static uint32_t update_interval_us(const sensors_chip_name *chip)
{
	char path[PATH_MAX], text[32] = "";
	uint32_t ms;
	int fd;

	snprintf(path, sizeof(path), "%s/update_interval", chip->path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	text[strcspn(text, "\n")] = '\0';
	return num_u32(text, &ms) || ms > UINT32_MAX / 1000 ? 0 : ms * 1000;
}

static struct meter_info *add_meter(struct meters *all, const sensors_chip_name *chip,
				    const char *what, unsigned int index)
{
	struct meter_info *m = meters_add(all, &meter_kind_hwmon);

	if (!m)
		return NULL;
	m->chip = chip;
	m->bus = chip->bus.nr;
	m->addr = chip->addr;
	snprintf(m->driver, sizeof(m->driver), "%s", chip->prefix);
	if (sensors_snprintf_chip_name(m->device, sizeof(m->device), chip) < 0)
		snprintf(m->device, sizeof(m->device), "%s", chip->prefix);
	snprintf(m->channel, sizeof(m->channel), "%s%u", what, index);
	m->interval_us = update_interval_us(chip);
	return m;
}

static void label_meter(struct meter_info *m, sensors_feature_type type,
			unsigned int index)
{
	label_of(m->chip, type, index, m->labels[0], sizeof(m->labels[0]));
	if (type != SENSORS_FEATURE_ENERGY) {
		label_of(m->chip, SENSORS_FEATURE_IN, index, m->labels[1],
			 sizeof(m->labels[1]));
		label_of(m->chip, SENSORS_FEATURE_CURR, index, m->labels[2],
			 sizeof(m->labels[2]));
	}
	meter_info_name(m, "");
}

/* A mean that the chip makes, and over which time. */
static const sensors_subfeature *average(struct meter_info *m, const sensors_feature *f)
{
	const sensors_subfeature *sub;
	double s;

	sub = sensors_get_subfeature(m->chip, f,
				     SENSORS_SUBFEATURE_POWER_AVERAGE_INTERVAL);
	if (sub && !sensors_get_value(m->chip, sub->number, &s) && s > 0 && s < 4000)
		m->interval_us = lround(s * 1e6);
	m->averages = true;
	return sensors_get_subfeature(m->chip, f, SENSORS_SUBFEATURE_POWER_AVERAGE);
}

static void add_power(struct meters *all, const sensors_chip_name *chip,
		      const sensors_feature *f, unsigned int index)
{
	struct meter_info *m = add_meter(all, chip, "power", index);

	if (!m)
		return;
	m->unit = "uW";
	m->part[POWER] = sensors_get_subfeature(chip, f, SENSORS_SUBFEATURE_POWER_INPUT);
	if (!m->part[POWER])
		m->part[POWER] = average(m, f);
	if (!m->part[POWER]) {
		all->count--;
		return;
	}
	if (index)
		m->part[VOLT] = input(chip, SENSORS_FEATURE_IN, index);
	label_meter(m, SENSORS_FEATURE_POWER, index);
}

static void add_energy(struct meters *all, const sensors_chip_name *chip,
		       unsigned int index)
{
	const sensors_subfeature *sub = input(chip, SENSORS_FEATURE_ENERGY, index);
	struct meter_info *m = sub ? add_meter(all, chip, "energy", index) : NULL;

	if (!m)
		return;
	m->unit = "uJ, counted";
	m->part[POWER] = sub;
	/* The same rail's power needs no two reads. */
	m->by_name = input(chip, SENSORS_FEATURE_POWER, index);
	label_meter(m, SENSORS_FEATURE_ENERGY, index);
	if (m->by_name)
		memset(m->labels, 0, sizeof(m->labels));
}

static void add_product(struct meters *all, const sensors_chip_name *chip,
			unsigned int index)
{
	const sensors_subfeature *volt = input(chip, SENSORS_FEATURE_IN, index);
	const sensors_subfeature *curr = input(chip, SENSORS_FEATURE_CURR, index);
	struct meter_info *m;

	if (!volt || !curr || input(chip, SENSORS_FEATURE_POWER, index))
		return;
	m = add_meter(all, chip, "in", index);
	if (!m)
		return;
	m->unit = "mV x mA";
	m->part[VOLT] = volt;
	m->part[CURR] = curr;
	label_meter(m, SENSORS_FEATURE_POWER, index);
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
		else if (f->type == SENSORS_FEATURE_ENERGY)
			add_energy(all, chip, index);
		else if (f->type == SENSORS_FEATURE_IN && index)
			add_product(all, chip, index);
	}
}

static void hwmon_list(struct meters *all)
{
	const sensors_chip_name *chip;
	int nr = 0;

	all->hwmon = !sensors_init(NULL);
	if (!all->hwmon)
		return;
	while ((chip = sensors_get_detected_chips(NULL, &nr)))
		list_chip(all, chip);
}

static void hwmon_end(struct meters *all)
{
	if (all->hwmon)
		sensors_cleanup();
	all->hwmon = false;
}

static int hwmon_open(const struct meters *all, struct power_meter *pm, struct err *err)
{
	const struct meter_info *m = &pm->info;
	struct hwmon_meter *h = calloc(1, sizeof(*h));
	int ret;

	(void)all;
	if (!h)
		return err_set(err, -ENOMEM, "out of memory");
	pm->own = h;
	h->counts = !strncmp(m->channel, "energy", 6);
	h->counter.uj = 1;
	hwmon_value_open(&h->power, m->chip, m->part[POWER],
			 h->counts ? "energy" : "power", 1e6);
	hwmon_value_open(&h->volt, m->chip, m->part[VOLT], "voltage", 1e3);
	hwmon_value_open(&h->curr, m->chip, m->part[CURR], "current", 1e3);
	pm->tells_volts = h->volt.chip;
	ret = hwmon_value_usable(m->part[POWER] ? &h->power : &h->volt, err);
	if (!ret && m->part[CURR])
		ret = hwmon_value_usable(&h->curr, err);
	return ret;
}

const struct meter_kind meter_kind_hwmon = {
	.name = "hwmon",
	.list = hwmon_list,
	.end = hwmon_end,
	.open = hwmon_open,
	.read = hwmon_read,
	.counter = hwmon_counter,
	.close = hwmon_close,
};

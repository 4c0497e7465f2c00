// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Meters that are not hwmon's, on trees below a root; and what all kinds share.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "calib/linux/meters_internal.h"
#include "files.h"
#include "lib/csv.h"
#include "lib/num.h"

#include "fake.h"
#include "meters.h"

#define S 1000000000ull

static char *dir;

static int begin(void **state)
{
	(void)state;
	dir = files_folder();
	return 0;
}

static int end(void **state)
{
	(void)state;
	meters_close(&all);
	files_remove(dir);
	return 0;
}

static void put(const char *name, const char *text)
{
	fake_put(files_path(dir, name), text);
}

static void look(const char *kinds)
{
	fake_meters(dir, kinds);
	meters_look(dir);
}

static void expect_bad(const char *spec, int code, const char *text)
{
	struct err err = { "" };
	struct power_meter pm;
	struct reading r;

	open_meter(spec, &pm);
	assert_int_equal(power_meter_read(&pm, 7, &r, &err), code);
	if (!strstr(err.msg, text))
		fail_msg("'%s' does not say '%s'", err.msg, text);
	power_meter_close(&pm);
}

static void iio_channels_are_scaled_to_microwatts(void **state)
{
	(void)state;
	look("iio");
	expect_reading("iio:ina226/power2", 1250000, 0);
	expect_reading("ina226", 1250000, 0);
	expect_reading("ina226@0x41", 1250000, 0);
	expect_reading("iio:ina226@2-0041", 1250000, 0);
	/* The product says the same, but has to be asked for: voltage0 is the shunt's. */
	expect_reading("ina226/voltage1*current3", 1250000, 5000000);
	assert_int_equal(find("ina226")->interval_us, 3521);
	assert_string_equal(find("ina226")->name, "iio:ina226@2-0041/power2");
	expect_refused("rapl:ina226", -ENODEV, "no power sensor matches 'rapl:ina226'");
	put("sys/bus/iio/devices/iio:device0/in_power2_raw", "-4\n");
	expect_bad("ina226", -EIO, "IIO channel: -100 is not in 0..");
	put("sys/bus/iio/devices/iio:device0/in_power2_raw", "50 mW\n");
	expect_bad("ina226", -EIO, "reading fails");
	put("sys/bus/iio/devices/iio:device0/in_power2_raw", "51\n");
	put("sys/bus/iio/devices/iio:device0/in_power2_offset", "-1\n");
	expect_reading("ina226", 1250000, 0);
}

static void an_iio_device_without_power_multiplies(void **state)
{
	char command[512];

	(void)state;
	look("iio");
	meters_close(&all);
	snprintf(command, sizeof(command),
		 "cd '%s/sys/bus/iio/devices/iio:device0' && rm in_power2_raw && "
		 "cp in_current3_raw in_current1_raw && cp in_current3_scale "
		 "in_current1_scale && rm in_current3_raw",
		 dir);
	assert_int_equal(system(command), 0);
	look("");
	expect_reading("ina226", 1250000, 5000000);
	assert_string_equal(find("ina226")->name, "iio:ina226@2-0041/voltage1*current1");
}

static void hardkernels_driver_is_found_by_the_boards_address(void **state)
{
	(void)state;
	look("odroid");
	expect_reading("ina231@0x40", 1406250, 912500);
	expect_reading("label:sensor_kfc", 187500, 900000);
	expect_reading("odroid:4-0045", 187500, 900000);
	assert_string_equal(find("ina231@0x40")->name, "odroid:4-0040 sensor_arm");
	/* To be switched on, and off again after. */
	assert_string_equal(find("ina231@0x40")->enable,
			    "/sys/bus/i2c/drivers/INA231/4-0040/enable");
	expect_refused("ina231", -EEXIST,
		       "2 chips match 'ina231': odroid:4-0040 sensor_arm, odroid:4-0045 "
		       "sensor_kfc; name one of them");
	put("sys/bus/i2c/drivers/INA231/4-0040/sensor_W", "4294.967295\n");
	expect_bad("ina231@0x40", -EIO, "power: 4294967295 is not in 0..");
	put("sys/bus/i2c/drivers/INA231/4-0040/sensor_W", "\n");
	expect_bad("ina231@0x40", -EIO, "power: reading fails");
}

/* @add is what the zones counted in the meantime, in uJ. */
static void later(const char *entry, uint64_t uj)
{
	char path[96], text[32];

	snprintf(path, sizeof(path), "sys/class/powercap/%s/energy_uj", entry);
	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)uj);
	put(path, text);
}

static void expect_zone(const char *spec, const char *entry, uint64_t then, uint64_t now,
			int64_t uw)
{
	struct err err = { "" };
	struct power_meter pm;
	struct reading r;

	later(entry, then);
	open_meter(spec, &pm);
	assert_int_equal(power_meter_read(&pm, 5 * S, &r, NULL), -EAGAIN);
	later(entry, now);
	if (power_meter_read(&pm, 15 * S, &r, &err))
		fail_msg("%s: %s", spec, err.msg);
	assert_int_equal(r.power_uw, uw);
	/* Standing still is no new reading. */
	assert_int_equal(power_meter_read(&pm, 16 * S, &r, NULL), 0);
	assert_int_equal(r.power_uw, uw);
	power_meter_close(&pm);
}

static void a_rapl_zone_is_chosen_by_name_and_never_added(void **state)
{
	(void)state;
	look("rapl mmio");
	expect_zone("rapl:package-0", "intel-rapl:0", 5000000000, 5150000000, 15000000);
	expect_zone("rapl:package", "intel-rapl:0", 5000000000, 5150000000, 15000000);
	expect_zone("rapl:core", "intel-rapl:0:0", 2000000000, 2090000000, 9000000);
	expect_zone("rapl:package-0/core", "intel-rapl:0:0", 2000000000, 2090000000,
		    9000000);
	expect_zone("rapl:psys", "intel-rapl:1", 7000000000, 7280000000, 28000000);
	assert_int_equal(find("rapl:core")->scope, METER_RAIL);
	assert_int_equal(find("rapl:package")->scope, METER_PACKAGE);
	assert_int_equal(find("rapl:psys")->scope, METER_DEVICE);
	assert_string_equal(find("rapl:psys")->note,
			    "board power: holds the package, never added to it");
	assert_string_equal(find("rapl:core")->name, "rapl:package-0/core");
	/* By its kind only, and the second view of the package by its own name. */
	expect_refused("core", -ENODEV, "no power sensor matches 'core'");
	assert_string_equal(find("rapl:intel-rapl-mmio:0")->note,
			    "package-0 over MMIO, the same energy again");
}

static void a_counter_that_wraps_goes_on_and_one_that_was_reset_is_dropped(void **state)
{
	struct power_meter pm;
	struct reading r;
	struct err err;

	(void)state;
	look("rapl");
	/* 30 J to the end of the range, and 60 J more. */
	expect_zone("rapl:core", "intel-rapl:0:0", 262143328850 - 30000000, 60000000,
		    9000000);
	later("intel-rapl:0:0", 2000000000);
	open_meter("rapl:core", &pm);
	assert_int_equal(power_meter_read(&pm, 1 * S, &r, NULL), -EAGAIN);
	later("intel-rapl:0:0", 0);
	assert_int_equal(power_meter_read(&pm, 2 * S, &r, &err), -EAGAIN);
	assert_non_null(strstr(err.msg, "it jumped (reset)"));
	later("intel-rapl:0:0", 7000000);
	assert_int_equal(power_meter_read(&pm, 3 * S, &r, NULL), 0);
	assert_int_equal(r.power_uw, 7000000);
	/* An hour unread: it may have wrapped more than once. */
	later("intel-rapl:0:0", 9000000);
	assert_int_equal(power_meter_read(&pm, 3603 * S, &r, &err), -EAGAIN);
	assert_non_null(strstr(err.msg, "not read for too long"));
	power_meter_close(&pm);
}

static void two_packages_are_told_apart(void **state)
{
	(void)state;
	look("rapl");
	meters_close(&all);
	assert_int_equal(mkdir(files_path(dir, "sys/class/powercap/intel-rapl:2"), 0755),
			 0);
	put("sys/class/powercap/intel-rapl:2/name", "package-1\n");
	put("sys/class/powercap/intel-rapl:2/energy_uj", "1\n");
	look("");
	expect_refused("rapl:package", -EEXIST,
		       "2 chips match 'rapl:package': rapl:package-0, rapl:package-1; ");
	assert_string_equal(find("rapl:package-1")->name, "rapl:package-1");
}

static void a_rapl_zone_that_only_root_may_read_says_why(void **state)
{
	const struct meter_info *info;
	struct power_meter pm;
	struct err err;

	(void)state;
	look("rapl");
	info = find("rapl:package");
	chmod(files_path(dir, "sys/class/powercap/intel-rapl:0/energy_uj"), 0);
	if (!access(files_path(dir, "sys/class/powercap/intel-rapl:0/energy_uj"), R_OK)) {
		/* Root reads it all the same; somebody else does not. */
		if (seteuid(65534)) {
			print_message("cannot be somebody else: not tested\n");
			skip();
		}
		chmod(dir, 0755);
	}
	assert_int_equal(power_meter_open(&all, info, &pm, &err), -EACCES);
	if (!geteuid() || geteuid() == 65534)
		assert_int_equal(seteuid(getuid()), 0);
	assert_string_equal(err.msg,
			    "sensor rapl:package-0: permission denied: energy_uj "
			    "is root-only since CVE-2020-8694; run as root");
	assert_null(pm.own);
}

static void perf_events_are_listed_with_their_domain(void **state)
{
	struct power_meter pm;
	struct err err;
	int ret;

	(void)state;
	look("perf");
	assert_string_equal(find("perf:energy-pkg")->name, "perf:energy-pkg/cpu0");
	assert_int_equal(find("perf:energy-pkg")->scope, METER_PACKAGE);
	assert_int_equal(find("perf:energy-cores")->scope, METER_RAIL);
	expect_refused("perf:energy-psys", -ENODEV, "no power sensor matches");
	/* There is no PMU of this number: the kernel refuses, and that is said. */
	put("sys/bus/event_source/devices/power/type", "4000000000\n");
	ret = power_meter_open(&all, find("perf:energy-pkg"), &pm, &err);
	assert_true(ret < 0);
	assert_non_null(strstr(err.msg, "sensor perf:energy-pkg/cpu0: "));
	put("sys/bus/event_source/devices/power/events/energy-pkg.scale", "0\n");
	assert_int_equal(power_meter_open(&all, find("perf:energy-pkg"), &pm, &err),
			 -EIO);
	assert_non_null(strstr(err.msg, "energy-pkg.scale is no scale"));
}

static void a_battery_is_the_whole_device_and_has_no_sign(void **state)
{
	(void)state;
	look("battery");
	expect_reading("battery:BAT0", 1540000, 0);
	expect_reading("battery:BAT1", 6500000, 0);
	assert_int_equal(find("battery:BAT0")->scope, METER_DEVICE);
	put("sys/class/power_supply/BAT0/current_now", "400000\n");
	expect_reading("battery:BAT0", 1540000, 0);
	/* A mouse does not feed the machine. */
	expect_refused("battery:hid-mouse", -ENODEV, "no power sensor matches");
	expect_refused("battery:BAT*", -EEXIST, "2 chips match 'battery:BAT*'");
}

static void put_new(const char *name, const char *text)
{
	char *command = NULL;

	assert_true(asprintf(&command, "mkdir -p \"$(dirname '%s/%s')\"", dir, name) > 0);
	assert_int_equal(system(command), 0);
	free(command);
	put(name, text);
}

static void a_gauge_that_is_rarely_polled_says_where_to_change_that(void **state)
{
#define POLL "sys/module/bq27xxx_battery/parameters/poll_interval"
	(void)state;
	put_new("sys/class/power_supply/bq27441-0/type", "Battery\n");
	put_new("sys/class/power_supply/bq27441-0/power_now", "6500000\n");
	put_new(POLL, "360\n");
	look("battery");
	assert_string_equal(find("battery:bq27441-0")->note,
			    "the whole device; only while it discharges; polled every "
			    "360 s, write less to /" POLL);
	assert_string_equal(find("battery:BAT1")->note,
			    "the whole device; only while it discharges");
	meters_close(&all);
	put(POLL, "1\n");
	look("battery");
	assert_string_equal(find("battery:bq27441-0")->note,
			    "the whole device; only while it discharges");
}

static void a_battery_that_charges_is_refused(void **state)
{
	static const char *const others[] = { "Charging\n", "Full\n", "Not charging\n",
					      "Unknown\n" };
	struct power_meter pm;
	struct reading r;
	struct err err;
	size_t i;

	(void)state;
	look("battery");
	open_meter("battery:BAT0", &pm);
	assert_int_equal(power_meter_ready(&pm, &err), 0);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		put("sys/class/power_supply/BAT0/status", others[i]);
		assert_int_equal(power_meter_ready(&pm, &err), -EBUSY);
		assert_non_null(strstr(err.msg, "unplug the charger"));
		/* Plugged in meanwhile: no reading rather than a wrong one. */
		assert_int_equal(power_meter_read(&pm, 7, &r, &err), -EBUSY);
	}
	power_meter_close(&pm);
}

static void a_battery_that_counts_in_other_units_gives_no_reading(void **state)
{
	static const char *const files[][2] = { { "BAT0/voltage_now", "3850\n" },
						{ "BAT0/current_now", "-400\n" },
						{ "BAT1/power_now", "6500\n" } };
	struct power_meter pm;
	struct reading r;
	struct err err;
	char path[64];
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		look("battery");
		open_meter(i < 2 ? "battery:BAT0" : "battery:BAT1", &pm);
		assert_int_equal(power_meter_read(&pm, 7, &r, NULL), 0);
		snprintf(path, sizeof(path), "sys/class/power_supply/%s", files[i][0]);
		put(path, files[i][1]);
		assert_int_equal(power_meter_read(&pm, 8, &r, &err), -EIO);
		assert_non_null(
			strstr(err.msg, "does its driver count in mV, mA or mW?"));
		power_meter_close(&pm);
		meters_close(&all);
	}
	look("battery");
}

static void a_reading_is_judged_the_same_wherever_it_comes_from(void **state)
{
	/* The stream of a real report: four good, four bad, the mean of the good. */
	static const struct {
		int64_t raw;
		int error;
	} reads[] = {
		{ 812500, 0 }, { 813750, 0 },  { 4294967295000, 0 }, { 0, -ENODATA },
		{ 811250, 0 }, { 0, -EAGAIN }, { 812500, 0 },	     { -1, 0 },
	};
	unsigned int good = 0, bad = 0;
	double sum = 0;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
		if (meter_judge("power", reads[i].error, reads[i].raw, METERS_MAX_UW,
				NULL)) {
			bad++;
			continue;
		}
		sum += reads[i].raw;
		good++;
	}
	assert_int_equal(good, 4);
	assert_int_equal(bad, 4);
	assert_true(sum / good == 812500.0);
}

/* CASE/SUB/sys of the real reports takes the place of ours; false where there is none. */
static bool real_tree(const char *name, const char *sub)
{
	const char *shared = getenv("SHARED");
	char command[1024];

	if (!shared || access(files_path(shared, "cases"), R_OK)) {
		print_message("no real listings here: not tested\n");
		return false;
	}
	snprintf(command, sizeof(command),
		 "rm -rf '%s'/* && cp -r '%s'/cases/%s/%s/sys '%s' && chmod -R u+w '%s'",
		 dir, shared, name, sub, dir, dir);
	assert_int_equal(system(command), 0);
	return true;
}

static void the_real_listing_of_rapl_gives_the_package_or_the_cores(void **state)
{
	(void)state;
	if (!real_tree("d06*", "t0"))
		skip();
	look("");
	expect_zone("rapl:package", "intel-rapl:0", 5000000000, 5150000000, 15000000);
	expect_zone("rapl:core", "intel-rapl:0:0", 2000000000, 2090000000, 9000000);
	expect_zone("rapl:psys", "intel-rapl:1", 7000000000, 7280000000, 28000000);
	expect_refused("rapl:*", -EEXIST, "2 chips match");
}

static void the_real_listing_of_iio_gives_its_power(void **state)
{
	(void)state;
	if (!real_tree("d04*", "root"))
		skip();
	look("");
	expect_reading("iio:ina226", 1250000, 0);
	expect_reading("iio:ina226/voltage1*current3", 1250000, 5000000);
}

static int error_number(const char *name)
{
	return !*name			  ? 0
	       : !strcmp(name, "ENODATA") ? -ENODATA
	       : !strcmp(name, "EAGAIN")  ? -EAGAIN
					  : -EIO;
}

static void the_real_stream_has_four_good_readings(void **state)
{
	const char *shared = getenv("SHARED");
	unsigned int good = 0, bad = 0;
	char *command = NULL, path[512];
	struct csv csv = { 0 };
	double sum = 0;
	int64_t raw;
	int ret;

	(void)state;
	if (!shared || access(files_path(shared, "cases"), R_OK))
		skip();
	assert_true(asprintf(&command, "cp '%s'/cases/d05*/reads.csv '%s'", shared, dir) >
		    0);
	assert_int_equal(system(command), 0);
	free(command);
	snprintf(path, sizeof(path), "%s/reads.csv", dir);
	assert_int_equal(csv_open(&csv, path, NULL), 0);
	while (csv_next(&csv, NULL) == 1) {
		raw = 0;
		ret = error_number(csv.fields[2]);
		if (!ret)
			assert_int_equal(num_i64(csv.fields[1], &raw), 0);
		if (meter_judge("power", ret, raw, METERS_MAX_UW, NULL)) {
			bad++;
			continue;
		}
		sum += raw;
		good++;
	}
	csv_close(&csv);
	assert_int_equal(good, 4);
	assert_int_equal(bad, 4);
	assert_true(sum / good == 812500.0);
}

static void a_list_shows_each_meter_with_its_present_value(void **state)
{
	struct reading r;
	char text[256];
	struct err err;

	(void)state;
	look("rapl battery");
	assert_int_equal(all.count, 7);
	assert_int_equal(meters_names(&all, text, sizeof(text)), 7);
	assert_string_equal(text, "rapl:package-0, rapl:package-0/core, "
				  "rapl:package-0/dram, rapl:package-0/uncore, "
				  "rapl:psys, battery:BAT0, battery:BAT1");
	assert_string_equal(meter_kind_name(find("rapl:core")), "rapl");
	assert_string_equal(meter_describe(find("rapl:psys"), text, sizeof(text)),
			    "uJ, counted, every 1 ms; board power: holds the package, "
			    "never added to it");
	assert_int_equal(power_meter_show(&all, find("battery:BAT1"), &r, &err), 0);
	assert_int_equal(r.power_uw, 6500000);
	/* A counter that stands still has no power, and no 0 W either. */
	assert_int_equal(power_meter_show(&all, find("rapl:core"), &r, &err), -EAGAIN);
	/* Nothing here takes an empty SPEC. */
	expect_refused("", -EINVAL, "is not CHIP@ADDRESS");
	expect_refused("rapl:", -EINVAL, "is not CHIP@ADDRESS");
	expect_refused("battery:BAT0/", -EINVAL, "is not CHIP@ADDRESS");
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(iio_channels_are_scaled_to_microwatts),
		T(an_iio_device_without_power_multiplies),
		T(hardkernels_driver_is_found_by_the_boards_address),
		T(a_rapl_zone_is_chosen_by_name_and_never_added),
		T(a_counter_that_wraps_goes_on_and_one_that_was_reset_is_dropped),
		T(two_packages_are_told_apart),
		T(a_rapl_zone_that_only_root_may_read_says_why),
		T(perf_events_are_listed_with_their_domain),
		T(a_battery_is_the_whole_device_and_has_no_sign),
		T(a_gauge_that_is_rarely_polled_says_where_to_change_that),
		T(a_battery_that_charges_is_refused),
		T(a_battery_that_counts_in_other_units_gives_no_reading),
		T(a_reading_is_judged_the_same_wherever_it_comes_from),
		T(the_real_listing_of_rapl_gives_the_package_or_the_cores),
		T(the_real_listing_of_iio_gives_its_power),
		T(the_real_stream_has_four_good_readings),
		T(a_list_shows_each_meter_with_its_present_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

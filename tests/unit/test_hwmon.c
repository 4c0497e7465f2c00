// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Meters through the real libsensors, which in a mount namespace of our own takes a fake
 * tree for the machine's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/meters_hwmon.h"
#include "files.h"

#include "fake.h"
#include "meters.h"

static bool possible;
static char *dir;

static void put(const char *name, const char *text)
{
	fake_put(files_path(dir, name), text);
}

/* A chip of no bus: DIR/sys/class/hwmon/hwmonN with name and, after that, files. */
static void chip(unsigned int n, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "sys/class/hwmon/hwmon%u", n);
	assert_int_equal(mkdir(files_path(dir, path), 0755), 0);
	snprintf(path, sizeof(path), "sys/class/hwmon/hwmon%u/name", n);
	put(path, name);
}

static int begin(void **state)
{
	(void)state;
	dir = fake_xu3("");
	if (possible && !fake_bind(dir))
		possible = false;
	return 0;
}

static int end(void **state)
{
	(void)state;
	if (possible)
		fake_unbind();
	files_remove(dir);
	return 0;
}

static void look_away(void)
{
	meters_close(&all);
}

static const struct hwmon_meter *inside(const struct power_meter *pm)
{
	return pm->own;
}

static void skip_if_impossible(void)
{
	if (!possible) {
		print_message("no mount namespace here: not tested\n");
		skip();
	}
}

static void a_meter_is_found_by_chip_and_address(void **state)
{
	(void)state;
	skip_if_impossible();
	meters_look(dir);
	expect_reading("ina231@0x40", 1125000, 900000);
	expect_reading("ina231@45", 225000, 900000);
	expect_reading("ina231@3-0045", 225000, 900000);
	expect_reading("ina231-i2c-*-40", 1125000, 900000);
	expect_reading("ina231-i2c-3-40/power1", 1125000, 900000);
	look_away();
}

static void names_and_intervals_are_the_drivers(void **state)
{
	struct power_meter pm;

	(void)state;
	skip_if_impossible();
	meters_look(dir);
	open_meter("ina231@0x40", &pm);
	assert_string_equal(pm.info.name, "ina231-i2c-3-40/power1");
	assert_string_equal(pm.info.driver, "ina231");
	assert_int_equal(pm.info.interval_us, 264000);
	assert_false(pm.info.averages);
	/* Proven equal to libsensors: read straight. */
	assert_true(inside(&pm)->power.file.fd >= 0);
	power_meter_close(&pm);
	look_away();
}

static void the_same_meter_is_found_after_the_numbers_moved(void **state)
{
	char *command = NULL;

	(void)state;
	skip_if_impossible();
	assert_true(
		asprintf(&command,
			 "cd '%s/sys/class/hwmon' && mv hwmon0 x && mv hwmon3 hwmon0 && "
			 "mv x hwmon3",
			 dir) > 0);
	assert_int_equal(system(command), 0);
	free(command);
	meters_look(dir);
	expect_reading("ina231@0x40", 1125000, 900000);
	expect_reading("ina231@0x45", 225000, 900000);
	look_away();
}

static void a_name_that_fits_several_meters_is_refused_with_them(void **state)
{
	(void)state;
	skip_if_impossible();
	meters_look(dir);
	expect_refused("ina231", -EEXIST,
		       "4 chips match 'ina231': ina231-i2c-3-40/power1, "
		       "ina231-i2c-3-41/power1, ");
	expect_refused("ina226@0x40", -ENODEV,
		       "no power sensor matches 'ina226@0x40'; there are "
		       "ina231-i2c-3-40/power1, ");
	expect_refused("ina231@0x40/power2", -ENODEV, "no power sensor matches");
	expect_refused("hwmon0", -EINVAL, "hwmon numbers change from boot to boot");
	expect_refused("ina231@VDD", -EINVAL, "is not CHIP@ADDRESS");
	expect_refused("ina231-foo-1-2-3", -ENODEV, "no power sensor matches");
	expect_refused("", -EINVAL, "is not CHIP@ADDRESS");
	expect_refused("label:", -EINVAL, "is not CHIP@ADDRESS");
	look_away();
}

static void products_pair_equal_numbers_and_labels_choose(void **state)
{
	(void)state;
	skip_if_impossible();
	chip(7, "ina3221\n");
	put("sys/class/hwmon/hwmon7/in1_label", "VDD_CPU_BIG\n");
	put("sys/class/hwmon/hwmon7/in1_input", "1000\n");
	put("sys/class/hwmon/hwmon7/curr1_input", "640\n");
	put("sys/class/hwmon/hwmon7/in2_input", "5000\n");
	put("sys/class/hwmon/hwmon7/curr2_input", "212\n");
	meters_look(dir);
	expect_reading("label:VDD_CPU_BIG", 640000, 1000000);
	expect_reading("ina3221/in2", 1060000, 5000000);
	expect_reading("ina3221/curr2", 1060000, 5000000);
	expect_refused("ina3221", -EEXIST,
		       "2 meters of one chip match 'ina3221': ina3221-virtual-0/in1 "
		       "VDD_CPU_BIG, ina3221-virtual-0/in2; name one of them");
	expect_refused("label:VDD_GPU", -ENODEV, "no power sensor matches");
	look_away();
}

static void the_shunt_drop_is_never_half_of_a_product(void **state)
{
	(void)state;
	skip_if_impossible();
	chip(7, "shuntonly\n");
	put("sys/class/hwmon/hwmon7/in0_input", "3\n");
	put("sys/class/hwmon/hwmon7/curr1_input", "250\n");
	chip(8, "zeroes\n");
	put("sys/class/hwmon/hwmon8/in0_input", "3\n");
	put("sys/class/hwmon/hwmon8/curr0_input", "250\n");
	meters_look(dir);
	expect_refused("shuntonly", -ENODEV, "no power sensor matches 'shuntonly'");
	expect_refused("zeroes", -ENODEV, "no power sensor matches 'zeroes'");
	look_away();
}

static void an_averaging_meter_tells_its_window(void **state)
{
	struct power_meter pm;

	(void)state;
	skip_if_impossible();
	chip(7, "avgmeter\n");
	put("sys/class/hwmon/hwmon7/power1_average", "2500000\n");
	put("sys/class/hwmon/hwmon7/power1_average_interval", "1000\n");
	meters_look(dir);
	expect_reading("avgmeter", 2500000, 0);
	open_meter("avgmeter", &pm);
	assert_true(pm.info.averages);
	assert_int_equal(pm.info.interval_us, 1000000);
	power_meter_close(&pm);
	look_away();
}

static void an_energy_counter_is_a_difference_over_time(void **state)
{
	struct power_meter pm;
	struct reading r;
	struct err err;

	(void)state;
	skip_if_impossible();
	chip(7, "energymeter\n");
	put("sys/class/hwmon/hwmon7/energy1_input", "123456789\n");
	put("sys/class/hwmon/hwmon7/energy1_label", "VDD_SYS\n");
	meters_look(dir);
	open_meter("label:VDD_SYS", &pm);
	assert_string_equal(pm.info.name, "energymeter-virtual-0/energy1 VDD_SYS");
	/* Never the counter as a power. */
	assert_int_equal(power_meter_read(&pm, 1000000000, &r, &err), -EAGAIN);
	put("sys/class/hwmon/hwmon7/energy1_input", "125456789\n");
	assert_int_equal(power_meter_read(&pm, 2000000000, &r, &err), 0);
	assert_int_equal(r.power_uw, 2000000);
	/* Back: wrapped or reset, nobody knows; that interval is dropped. */
	put("sys/class/hwmon/hwmon7/energy1_input", "1000\n");
	assert_int_equal(power_meter_read(&pm, 3000000000, &r, &err), -EAGAIN);
	assert_non_null(strstr(err.msg, "it went back (wrap or reset)"));
	put("sys/class/hwmon/hwmon7/energy1_input", "501000\n");
	assert_int_equal(power_meter_read(&pm, 3500000000, &r, &err), 0);
	assert_int_equal(r.power_uw, 1000000);
	power_meter_close(&pm);
	look_away();
}

static void a_power_is_preferred_to_the_same_rails_counter(void **state)
{
	(void)state;
	skip_if_impossible();
	chip(7, "both\n");
	put("sys/class/hwmon/hwmon7/power1_input", "1000000\n");
	put("sys/class/hwmon/hwmon7/power1_label", "CPU\n");
	put("sys/class/hwmon/hwmon7/energy1_input", "77000000\n");
	put("sys/class/hwmon/hwmon7/energy1_label", "CPU\n");
	meters_look(dir);
	expect_reading("both", 1000000, 0);
	expect_reading("label:CPU", 1000000, 0);
	look_away();
}

static void without_any_meter_the_message_says_what_next(void **state)
{
	char *command = NULL;

	(void)state;
	skip_if_impossible();
	assert_true(asprintf(&command, "rm -rf '%s'/sys/class/hwmon/*", dir) > 0);
	assert_int_equal(system(command), 0);
	free(command);
	meters_look(dir);
	expect_refused("ina231@0x40", -ENODEV, "no power sensor found");
	expect_refused("ina231@0x40", -ENODEV, "import its readings");
	look_away();
}

static void bad_readings_are_never_a_value(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "4294967295000\n", "4294967295000 is not in 0.." },
		{ "4294967295\n", "4294967295 is not in 0.." },
		{ "-1\n", "-1 is not in 0.." },
		{ "\n", "power: reading fails" },
		{ "812500uW\n", "power: reading fails" },
		{ "99999999999999999999\n", "power: reading fails" },
	};
	struct power_meter pm;
	struct err err;
	struct reading r;
	size_t i;

	(void)state;
	skip_if_impossible();
	meters_look(dir);
	open_meter("ina231@0x40", &pm);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put("sys/class/hwmon/hwmon0/power1_input", bad[i].text);
		assert_int_equal(power_meter_read(&pm, 1, &r, &err), -EIO);
		if (!strstr(err.msg, bad[i].message))
			fail_msg("'%s' does not say '%s'", err.msg, bad[i].message);
	}
	/* 0 is a reading, and so is the next good one. */
	put("sys/class/hwmon/hwmon0/power1_input", "0\n");
	assert_int_equal(power_meter_read(&pm, 1, &r, &err), 0);
	assert_int_equal(r.power_uw, 0);
	put("sys/class/hwmon/hwmon0/power1_input", "812500\n");
	assert_int_equal(power_meter_read(&pm, 1, &r, &err), 0);
	assert_int_equal(r.power_uw, 812500);
	put("sys/class/hwmon/hwmon0/in1_input", "4294967295\n");
	assert_int_equal(power_meter_read(&pm, 1, &r, &err), -EIO);
	power_meter_close(&pm);
	look_away();
}

static void a_compute_statement_is_obeyed(void **state)
{
	struct power_meter pm;

	(void)state;
	skip_if_impossible();
	assert_int_equal(mkdir(files_path(dir, "etc"), 0755), 0);
	put("etc/sensors3.conf", "chip \"ina231-i2c-*-40\"\n"
				 "    label power1 \"VDD_ARM\"\n"
				 "    compute power1 @*2, @/2\n");
	if (mount(files_path(dir, "etc/sensors3.conf"), "/etc/sensors3.conf", NULL,
		  MS_BIND, NULL)) {
		print_message("no /etc/sensors3.conf here: not tested\n");
		skip();
	}
	meters_look(dir);
	expect_reading("label:VDD_ARM", 2250000, 900000);
	open_meter("label:VDD_ARM", &pm);
	assert_string_equal(pm.info.name, "ina231-i2c-3-40/power1 VDD_ARM");
	assert_int_equal(inside(&pm)->power.file.fd, -1);
	assert_true(inside(&pm)->volt.file.fd >= 0);
	power_meter_close(&pm);
	look_away();
	umount2("/etc/sensors3.conf", MNT_DETACH);
}

/* 0 x 2 is 0, and 2 x 1.2 cut to an integer is 2: that proves nothing. */
static void a_compute_statement_is_seen_from_any_value(void **state)
{
	struct power_meter pm;
	struct reading r;

	(void)state;
	skip_if_impossible();
	assert_int_equal(mkdir(files_path(dir, "etc"), 0755), 0);
	put("etc/sensors3.conf", "chip \"ina231-i2c-*-40\"\n"
				 "    compute power1 @*2, @/2\n"
				 "    compute in1 @*1.2, @/1.2\n");
	if (mount(files_path(dir, "etc/sensors3.conf"), "/etc/sensors3.conf", NULL,
		  MS_BIND, NULL)) {
		print_message("no /etc/sensors3.conf here: not tested\n");
		skip();
	}
	put("sys/class/hwmon/hwmon0/power1_input", "0\n");
	put("sys/class/hwmon/hwmon0/in1_input", "2\n");
	meters_look(dir);
	open_meter("ina231@0x40", &pm);
	put("sys/class/hwmon/hwmon0/power1_input", "500000\n");
	put("sys/class/hwmon/hwmon0/in1_input", "1000\n");
	assert_int_equal(power_meter_read(&pm, 7, &r, NULL), 0);
	assert_int_equal(r.power_uw, 1000000);
	assert_int_equal(r.volt_uv, 1200000);
	power_meter_close(&pm);
	look_away();
	umount2("/etc/sensors3.conf", MNT_DETACH);
}

static void a_chip_that_sensors_conf_ignores_is_no_meter(void **state)
{
	(void)state;
	skip_if_impossible();
	assert_int_equal(mkdir(files_path(dir, "etc"), 0755), 0);
	put("etc/sensors3.conf", "chip \"ina231-i2c-*-40\"\n"
				 "    ignore power1\n"
				 "    ignore in1\n");
	if (mount(files_path(dir, "etc/sensors3.conf"), "/etc/sensors3.conf", NULL,
		  MS_BIND, NULL)) {
		print_message("no /etc/sensors3.conf here: not tested\n");
		skip();
	}
	meters_look(dir);
	expect_refused("ina231@0x40", -ENODEV, "no power sensor matches");
	expect_reading("ina231@0x45", 225000, 900000);
	look_away();
	umount2("/etc/sensors3.conf", MNT_DETACH);
}

/* Two of one driver on the bus "i2c-1", as boot number @boot counts them. */
static void fake_two_ina226(int boot)
{
	static const char *const order[2][3] = { { "1-0040", "1-0045", "" },
						 { "", "1-0045", "1-0040" } };
	char command[600];
	int i;

	snprintf(command, sizeof(command), "rm -rf '%s'/sys/class/hwmon/*", dir);
	assert_int_equal(system(command), 0);
	for (i = 0; i < 3; i++) {
		const char *dev = order[boot][i];

		snprintf(command, sizeof(command),
			 "cd '%s/sys' && h=class/hwmon/hwmon%d "
			 "d=devices/platform/i2c-1/%s "
			 "&& mkdir -p $h $d && echo %s > $h/name && "
			 "ln -s ../../../$d $h/device && %s > $h/%s",
			 dir, i, *dev ? dev : "thermal", *dev ? "ina226" : "cpu_thermal",
			 !*dev		     ? "echo 41250"
			 : strstr(dev, "40") ? "echo 812500"
					     : "echo 187500",
			 *dev ? "power1_input" : "temp1_input");
		assert_int_equal(system(command), 0);
	}
}

static void a_meter_is_found_after_a_reboot_that_swapped_the_numbers(void **state)
{
	int boot;

	(void)state;
	skip_if_impossible();
	for (boot = 0; boot < 2; boot++) {
		fake_two_ina226(boot);
		meters_look(dir);
		expect_reading("ina226@1-0040", 812500, 0);
		expect_reading("ina226@0x45", 187500, 0);
		expect_refused("ina226", -EEXIST,
			       "2 chips match 'ina226': ina226-i2c-1-4");
		look_away();
	}
}

/* hwmon of CASE/SUB of the real reports takes the place of ours; false where there is
 * none. Its "device" files are links on a machine. */
static bool real_tree(const char *name, const char *sub)
{
	const char *shared = getenv("SHARED");
	char command[1024];

	if (!shared || access(files_path(shared, "cases"), R_OK)) {
		print_message("no real listings here: not tested\n");
		return false;
	}
	snprintf(
		command, sizeof(command),
		"cd '%s/sys' && rm -rf class/hwmon/* && cp -r '%s'/cases/%s/%s/sys . "
		"&& cp -r sys/* . && chmod -R u+w . && for d in class/hwmon/*/device; do "
		"[ ! -f $d ] || ln -sfn $(cat $d) $d; done",
		dir, shared, name, sub);
	assert_int_equal(system(command), 0);
	return true;
}

static void the_real_listing_of_units_gives_microwatts(void **state)
{
	(void)state;
	skip_if_impossible();
	if (!real_tree("d04*", "root"))
		skip();
	meters_look(dir);
	expect_reading("label:VDD_CPU_BIG", 640000, 1000000);
	expect_reading("ina3221/in2", 1060000, 5000000);
	expect_reading("ina3221/curr2", 1060000, 5000000);
	expect_reading("hwmon:ina226", 1250000, 5000000);
	expect_reading("avgmeter", 2500000, 0);
	look_away();
}

static void both_boots_of_the_real_report_give_the_same_meters(void **state)
{
	static const char *const boots[] = { "boot1", "boot2" };
	int i;

	(void)state;
	skip_if_impossible();
	for (i = 0; i < 2; i++) {
		if (!real_tree("d05*", boots[i]))
			skip();
		meters_look(dir);
		expect_reading("ina226@0x40", 812500, 0);
		expect_reading("ina226@1-0045", 187500, 0);
		expect_refused("ina226", -EEXIST, "2 chips match 'ina226'");
		look_away();
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_meter_is_found_by_chip_and_address),
		T(names_and_intervals_are_the_drivers),
		T(the_same_meter_is_found_after_the_numbers_moved),
		T(a_name_that_fits_several_meters_is_refused_with_them),
		T(products_pair_equal_numbers_and_labels_choose),
		T(the_shunt_drop_is_never_half_of_a_product),
		T(an_averaging_meter_tells_its_window),
		T(an_energy_counter_is_a_difference_over_time),
		T(a_power_is_preferred_to_the_same_rails_counter),
		T(a_chip_that_sensors_conf_ignores_is_no_meter),
		T(a_meter_is_found_after_a_reboot_that_swapped_the_numbers),
		T(without_any_meter_the_message_says_what_next),
		T(bad_readings_are_never_a_value),
		T(a_compute_statement_is_obeyed),
		T(a_compute_statement_is_seen_from_any_value),
		T(the_real_listing_of_units_gives_microwatts),
		T(both_boots_of_the_real_report_give_the_same_meters),
	};

	possible = fake_namespace();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IIO meters through the device's buffer. The device is a tree of files below a root, and
 * a FIFO in place of /dev/iio:device0 that the test writes scans to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "calib/linux/iio_scan.h"
#include "calib/linux/meters.h"
#include "calib/measure/stop.h"
#include "files.h"

#include "fake.h"
#include "meters.h"

#define DEVICE "sys/bus/iio/devices/iio:device0"
#define MS     1000000ull
#define LENGTH 4096

static char *dir;
static struct power_meter pm, other;
static struct state st;
static int feed; /* the device's side of the FIFO */
static char note[1024];

static int begin(void **state)
{
	(void)state;
	dir = files_folder();
	feed = -1;
	note[0] = '\0';
	return 0;
}

static int end(void **state)
{
	(void)state;
	power_meter_close(&pm);
	power_meter_close(&other);
	meters_close(&all);
	state_close(&st);
	if (feed >= 0)
		close(feed);
	files_remove(dir);
	return 0;
}

static const char *path(const char *name)
{
	char text[256];

	snprintf(text, sizeof(text), DEVICE "/%s", name);
	return files_path(dir, text);
}

static void put(const char *name, const char *text)
{
	fake_put(path(name), text);
}

static void make_device(void)
{
	fake_meters(dir, "buffer");
	assert_int_equal(mkdir(files_path(dir, "run"), 0755), 0);
	feed = open(files_path(dir, "dev/iio:device0"), O_RDWR | O_NONBLOCK);
	assert_true(feed >= 0);
	assert_int_equal(sysfs_init(&sys, dir, NULL), 0);
}

static void save(struct power_meter *meter)
{
	bool recovered;
	struct err err = { "" };

	if ((!st.sys && state_open(&st, &sys, &recovered, &err)) ||
	    power_meter_save(meter, &st, &err))
		fail_msg("%s", err.msg);
}

static void keep_note(void *arg, const char *text)
{
	(void)arg;
	snprintf(note, sizeof(note), "%s", text);
}

static void start(struct power_meter *meter)
{
	struct err err = { "" };

	if (power_meter_start(meter, &sys, keep_note, NULL, &err) || note[0])
		fail_msg("%s%s", err.msg, note);
}

static void expect_slow_start(struct power_meter *meter, const char *why)
{
	struct err err = { "" };

	assert_int_equal(power_meter_start(meter, &sys, keep_note, NULL, &err), 0);
	assert_non_null(strstr(note, "is not read through its buffer: "));
	assert_string_equal(strstr(note, ": ") + 2, why);
}

static void begin_capture(const char *spec)
{
	make_device();
	meters_look(dir);
	open_meter(spec, &pm);
	save(&pm);
	start(&pm);
}

static void send(const void *scan, size_t size)
{
	assert_int_equal(write(feed, scan, size), size);
}

/* voltage1, power2, current3 and the time, of which the enabled ones. */
static void send_power(uint16_t power, uint64_t time_ns)
{
	struct {
		uint16_t power, hole[3];
		uint64_t time_ns;
	} scan = { .power = power, .time_ns = time_ns };

	send(&scan, sizeof(scan));
}

static struct reading expect_read(struct power_meter *meter, int64_t uw, uint32_t uv)
{
	struct err err = { "" };
	struct reading r;

	if (power_meter_read(meter, stop_now_ns(), &r, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(r.power_uw, uw);
	assert_int_equal(r.volt_uv, uv);
	return r;
}

static void expect_bad(struct power_meter *meter, int code, const char *text)
{
	struct err err = { "" };
	struct reading r;

	assert_int_equal(power_meter_read(meter, stop_now_ns(), &r, &err), code);
	if (!strstr(err.msg, text))
		fail_msg("'%s' does not say '%s'", err.msg, text);
	assert_null(strchr(err.msg, '\n'));
}

static void expect_about(const char *spec, const char *text)
{
	char about[256];

	meter_describe(find(spec), about, sizeof(about));
	assert_string_equal(about, text);
}

static void a_channels_type_is_understood_or_quoted(void **state)
{
	static const char *const odd[] = {
		"",
		"le:s16",
		"le:s16/",
		"le:s17/16>>0",
		"xe:s16/16>>0",
		"le:f32/32>>0",
		"le:s16/16>>1",
		"le:s0/16>>0",
		"le:s24/24>>0",
		"le:s16/16X0>>0",
		"le:s16/16>0",
		"le:s16/16>>0 ",
		"le:s-1/16>>0",
		"le:s16/16>>",
		"le:s16/16X>>0",
		"le:s8/128>>0",
		"LE:s16/16>>0",
		"le:s16 /16>>0",
		"le:u16/16>>0\n",
		"le:s12/16>>5",
		"le:s16/16>>4294967296",
	};
	struct iio_element e;
	struct err err;

	(void)state;
	assert_int_equal(iio_element_parse("be:u24/32X2>>8", &e, &err), 0);
	assert_true(e.big_endian && !e.is_signed);
	assert_int_equal(e.bits, 24);
	assert_int_equal(e.bytes, 4);
	assert_int_equal(e.repeat, 2);
	assert_int_equal(e.shift, 8);
	assert_int_equal(iio_element_parse("le:s64/64>>0", &e, &err), 0);
	assert_int_equal(iio_element_parse("le:s8/8", &e, &err), 0);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		if (iio_element_parse(odd[i], &e, &err) != -EINVAL)
			fail_msg("'%s' was taken", odd[i]);
		assert_non_null(strstr(err.msg, "is not one as 'le:s12/16>>4'"));
	}
	assert_int_equal(iio_element_parse("le:f32/32>>0", &e, &err), -EINVAL);
	assert_string_equal(err.msg, "type 'le:f32/32>>0' is not one as 'le:s12/16>>4'");
}

static void expect_number(const char *type, const char *bytes, int64_t value)
{
	struct iio_element e;

	assert_int_equal(iio_element_parse(type, &e, NULL), 0);
	if (iio_element_value(&e, (const unsigned char *)bytes) != value)
		fail_msg("%s: %lld, not %lld", type,
			 (long long)iio_element_value(&e, (const unsigned char *)bytes),
			 (long long)value);
}

static void a_value_is_taken_out_of_its_bytes(void **state)
{
	(void)state;
	expect_number("le:s16/16>>0", "\xfe\xff", -2);
	expect_number("be:s16/16>>0", "\xff\xfe", -2);
	expect_number("be:u16/16>>0", "\xff\xfe", 0xfffe);
	/* What is beside the value is noise. */
	expect_number("be:u24/32>>8", "\x12\x34\x56\xff", 0x123456);
	expect_number("le:u24/32>>8", "\xff\x56\x34\x12", 0x123456);
	expect_number("be:s24/32>>8", "\xff\xff\xfe\x77", -2);
	expect_number("le:s12/16>>4", "\xef\xff", -2);
	expect_number("le:u12/16>>0", "\x34\xf2", 0x234);
	expect_number("le:s8/8>>0", "\x80", -128);
	expect_number("le:s64/64>>0", "\xff\xff\xff\xff\xff\xff\xff\x7f", INT64_MAX);
	expect_number("le:s64/64>>0", "\xff\xff\xff\xff\xff\xff\xff\xff", -1);
	expect_number("be:u64/64>>0", "\x80\0\0\0\0\0\0\0", INT64_MIN);
}

static void values_are_aligned_to_their_own_size(void **state)
{
	static const char *const types[] = { "le:s16/16>>0", "le:u24/32>>8", "le:u8/8>>0",
					     "le:s16/16X2>>0", "le:s64/64>>0" };
	static const size_t at[] = { 0, 4, 8, 12, 16 };
	struct iio_element e[5], *order[5];

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(iio_element_parse(types[i], &e[i], NULL), 0);
		order[i] = &e[i];
	}
	assert_int_equal(iio_scan_layout(order, 5), 24);
	for (int i = 0; i < 5; i++)
		assert_int_equal(e[i].at, at[i]);
	/* The end is padded too, to the largest. */
	assert_int_equal(iio_scan_layout(order, 3), 12);
	assert_int_equal(iio_scan_layout(order, 1), 2);
}

static void a_read_shows_the_mean_of_all_scans_that_came(void **state)
{
	uint64_t now;
	struct reading r;

	(void)state;
	begin_capture("ina226");
	expect_about("ina226", "mW x scale, buffer, 1000 Hz");
	expect_bad(&pm, -EAGAIN, "no reading yet");
	now = stop_now_ns();
	send_power(40, now - 3 * MS);
	send_power(50, now - 2 * MS);
	send_power(75, now - 1 * MS);
	r = expect_read(&pm, 1375000, 0);
	assert_int_equal(r.time_ns, now - 3 * MS);
	/* Nothing new: what was shown. */
	r = expect_read(&pm, 1375000, 0);
	assert_int_equal(r.time_ns, now - 3 * MS);
	send_power(80, now);
	r = expect_read(&pm, 2000000, 0);
	assert_int_equal(r.time_ns, now);
	/* Before and after it is read from its file. */
	power_meter_stop(&pm);
	expect_read(&pm, 1250000, 0);
}

static void half_a_scan_waits_for_its_other_half(void **state)
{
	struct {
		uint16_t power, hole[3];
		uint64_t time_ns;
	} scan = { .power = 40 };

	(void)state;
	begin_capture("ina226");
	scan.time_ns = stop_now_ns();
	send(&scan, 5);
	expect_bad(&pm, -EAGAIN, "no reading yet");
	send((char *)&scan + 5, sizeof(scan) - 5);
	expect_read(&pm, 1000000, 0);
}

static void voltage_and_current_are_of_one_scan(void **state)
{
	struct {
		uint8_t volt[4]; /* u24 in 32 bits, 8 to the right */
		int16_t curr;
		uint8_t hole[2];
		uint64_t time_ns;
	} scan[2] = { { { 0, 0x0f, 0xa0, 0xee }, 250, { 0 }, 0 },
		      { { 0, 0x07, 0xd0, 0x11 }, 500, { 0 }, 0 } };

	(void)state;
	make_device();
	put("scan_elements/in_voltage1_type", "be:u24/32>>8\n");
	meters_look(dir);
	open_meter("ina226/voltage1*current3", &pm);
	save(&pm);
	start(&pm);
	scan[0].time_ns = stop_now_ns();
	scan[1].time_ns = scan[0].time_ns + 1;
	send(scan, sizeof(scan));
	/* 5 V x 250 mA and 2.5 V x 500 mA; the product of the means would be more. */
	expect_read(&pm, 1250000, 3750000);
}

static void meters_of_a_device_share_its_buffer(void **state)
{
	struct {
		uint16_t volt, power;
		int16_t curr;
		uint16_t hole;
		uint64_t time_ns;
	} scan = { 4000, 60, 250, 0, 0 };

	(void)state;
	make_device();
	meters_look(dir);
	open_meter("ina226", &pm);
	open_meter("ina226/voltage1*current3", &other);
	save(&pm);
	save(&other);
	start(&pm);
	start(&other);
	scan.time_ns = stop_now_ns();
	send(&scan, sizeof(scan));
	expect_read(&other, 1250000, 5000000);
	expect_read(&pm, 1500000, 0);
	/* Whoever ends first leaves it to the other. */
	power_meter_stop(&pm);
	fake_expect(path("buffer/enable"), "1\n");
	scan.time_ns++;
	scan.curr = 500;
	send(&scan, sizeof(scan));
	expect_read(&other, 2500000, 5000000);
	power_meter_stop(&other);
	fake_expect(path("buffer/enable"), "0\n");
}

static void one_meters_bad_scan_is_not_the_others(void **state)
{
	struct {
		uint16_t volt, power;
		int16_t curr;
		uint16_t hole;
		uint64_t time_ns;
	} scan = { 4000, 60, -250, 0, 0 };

	(void)state;
	make_device();
	meters_look(dir);
	open_meter("ina226", &pm);
	open_meter("ina226/voltage1*current3", &other);
	save(&pm);
	save(&other);
	start(&pm);
	start(&other);
	scan.time_ns = stop_now_ns();
	send(&scan, sizeof(scan));
	expect_read(&pm, 1500000, 0);
	expect_bad(&other, -EIO, "IIO channel: -250 is not in 0..1e+06");
	expect_bad(&other, -EAGAIN, "no reading yet");
}

static void what_was_enabled_is_put_back(void **state)
{
	char *before, *after;

	(void)state;
	make_device();
	before = fake_dump(dir, "none");
	meters_look(dir);
	open_meter("ina226", &pm);
	save(&pm);
	assert_int_equal(state_commit(&st, NULL), 0);
	start(&pm);
	fake_expect(path("scan_elements/in_voltage0_en"), "0\n");
	fake_expect(path("scan_elements/in_power2_en"), "1\n");
	fake_expect(path("scan_elements/in_current3_en"), "0\n");
	fake_expect(path("scan_elements/in_timestamp_en"), "1\n");
	fake_expect(path("current_timestamp_clock"), "monotonic\n");
	fake_expect(path("buffer/length"), "4096\n");
	fake_expect(path("buffer/watermark"), "4\n");
	fake_expect(path("buffer/enable"), "1\n");
	/* The switch is the first to be put back: the kernel refuses the rest before. */
	assert_string_equal(st.items[0].path, "/" DEVICE "/buffer/enable");
	power_meter_close(&pm);
	assert_int_equal(state_restore(&st, NULL), 0);
	after = fake_dump(dir, "none");
	assert_string_equal(after, before);
	free(after);
	free(before);
}

static void another_calib_puts_back_what_a_killed_one_left(void **state)
{
	struct state heir;
	struct err err = { "" };
	char *before, *after;

	(void)state;
	make_device();
	before = fake_dump(dir, "none");
	meters_look(dir);
	open_meter("ina226", &pm);
	save(&pm);
	assert_int_equal(state_commit(&st, NULL), 0);
	start(&pm);
	state_close(&st);
	if (state_attach(&heir, &sys, &err) || state_restore(&heir, &err))
		fail_msg("%s", err.msg);
	state_close(&heir);
	after = fake_dump(dir, "none");
	assert_string_equal(after, before);
	free(after);
	free(before);
}

static void a_device_that_is_gone_needs_no_restoring(void **state)
{
	char command[512];
	struct err err = { "" };

	(void)state;
	begin_capture("ina226");
	send_power(40, stop_now_ns());
	expect_read(&pm, 1000000, 0);
	close(feed);
	feed = -1;
	expect_bad(&pm, -EIO, "IIO buffer: it has ended");
	expect_bad(&pm, -EIO, "IIO buffer: it has ended");
	snprintf(command, sizeof(command), "rm -r '%s/sys/devices' '%s/dev'", dir, dir);
	assert_int_equal(system(command), 0);
	power_meter_stop(&pm);
	if (state_restore(&st, &err))
		fail_msg("%s", err.msg);
}

static void a_buffer_that_ran_over_gives_no_mean(void **state)
{
	uint64_t now;

	(void)state;
	begin_capture("ina226");
	fcntl(feed, F_SETPIPE_SZ, 1 << 20);
	now = stop_now_ns();
	send_power(80, now - LENGTH - 1);
	expect_read(&pm, 2000000, 0);
	for (int i = 0; i < LENGTH; i++)
		send_power(40, now - LENGTH + i);
	expect_bad(&pm, -EIO, "IIO buffer: it ran over, as nobody read for long");
	/* Nor does what was shown before count any more. */
	expect_bad(&pm, -EAGAIN, "no reading yet");
	send_power(50, now);
	expect_read(&pm, 1250000, 0);
	for (int i = 1; i < LENGTH; i++)
		send_power(40, now + i);
	expect_read(&pm, 1000000, 0);
}

static void silence_is_no_reading(void **state)
{
	struct err err = { "" };
	struct reading r;
	uint64_t now;

	(void)state;
	begin_capture("ina226");
	now = stop_now_ns();
	send_power(40, now);
	expect_read(&pm, 1000000, 0);
	assert_int_equal(power_meter_read(&pm, now + 9000 * MS, &r, &err), 0);
	assert_int_equal(power_meter_read(&pm, now + 11000 * MS, &r, &err), -EIO);
	assert_non_null(strstr(err.msg, "no reading came for 11 s"));
}

static void a_scan_that_lies_elsewhere_than_thought_shows_by_its_time(void **state)
{
	(void)state;
	begin_capture("ina226");
	send_power(40, stop_now_ns() + 3600000 * MS);
	expect_bad(&pm, -EIO, "IIO buffer: a scan's time is 3.6e+03 s off");
	expect_bad(&pm, -EAGAIN, "no reading yet");
}

static void times_of_another_clock_are_converted(void **state)
{
	struct timespec ts;
	struct reading r;
	uint64_t now;

	(void)state;
	make_device();
	/* Of a kernel before 4.8. */
	assert_int_equal(unlink(path("current_timestamp_clock")), 0);
	meters_look(dir);
	open_meter("ina226", &pm);
	save(&pm);
	start(&pm);
	clock_gettime(CLOCK_REALTIME, &ts);
	now = stop_now_ns();
	send_power(40, ts.tv_sec * 1000 * MS + ts.tv_nsec);
	r = expect_read(&pm, 1000000, 0);
	assert_true(llabs((int64_t)(r.time_ns - now)) < 1000 * (int64_t)MS);
}

static void without_times_a_scan_is_as_old_as_its_read(void **state)
{
	uint16_t power[2] = { 40, 60 };
	struct reading r;
	uint64_t now;

	(void)state;
	make_device();
	assert_int_equal(unlink(path("scan_elements/in_timestamp_index")), 0);
	meters_look(dir);
	open_meter("ina226", &pm);
	save(&pm);
	start(&pm);
	send(power, sizeof(power));
	now = stop_now_ns();
	r = expect_read(&pm, 1250000, 0);
	assert_true(r.time_ns >= now);
}

static void kernels_since_5_11_have_all_in_one_folder(void **state)
{
	char command[512];

	(void)state;
	make_device();
	snprintf(command, sizeof(command),
		 "cd '%s/" DEVICE "' && mv scan_elements buffer0 && mv buffer/* buffer0 "
		 "&& rmdir buffer",
		 dir);
	assert_int_equal(system(command), 0);
	meters_look(dir);
	open_meter("ina226", &pm);
	save(&pm);
	start(&pm);
	fake_expect(path("buffer0/enable"), "1\n");
	fake_expect(path("buffer0/in_power2_en"), "1\n");
	send_power(40, stop_now_ns());
	expect_read(&pm, 1000000, 0);
}

static void a_buffer_that_another_program_uses_is_left_alone(void **state)
{

	(void)state;
	make_device();
	put("buffer/enable", "1\n");
	meters_look(dir);
	expect_about("ina226", "mW x scale, sysfs, every 1 ms; not through its buffer: "
			       "another program has switched it on");
	expect_about("ina226/voltage1*current3",
		     "mV x mA, sysfs, every 1 ms; not through its buffer: another "
		     "program has switched it on");
	meters_close(&all);
	put("buffer/enable", "0\n");
	meters_look(dir);
	open_meter("ina226", &pm);
	save(&pm);
	/* Between the look and the start. */
	put("buffer/enable", "1\n");
	expect_slow_start(&pm, "another program has switched it on");
	expect_read(&pm, 1250000, 0);
	power_meter_stop(&pm);
	fake_expect(path("buffer/enable"), "1\n");
	fake_expect(path("scan_elements/in_voltage0_en"), "1\n");
	fake_expect(path("buffer/length"), "2\n");
	/* And before the settings are saved. */
	save(&pm);
	expect_slow_start(&pm, "another program has switched it on");
}

static void a_buffer_needs_its_trigger(void **state)
{
	(void)state;
	make_device();
	assert_int_equal(mkdir(path("trigger"), 0755), 0);
	put("trigger/current_trigger", "\n");
	meters_look(dir);
	expect_about("ina226",
		     "mW x scale, sysfs, every 1 ms; not through its buffer: no trigger "
		     "is chosen in trigger/current_trigger");
	meters_close(&all);
	put("trigger/current_trigger", "timer1\n");
	assert_int_equal(unlink(path("in_sampling_frequency")), 0);
	assert_int_equal(mkdir(files_path(dir, "sys/bus/iio/devices/trigger3"), 0755), 0);
	fake_put(files_path(dir, "sys/bus/iio/devices/trigger3/name"), "timer1\n");
	fake_put(files_path(dir, "sys/bus/iio/devices/trigger3/sampling_frequency"),
		 "500.000000\n");
	meters_look(dir);
	expect_about("ina226", "mW x scale, buffer, 500 Hz");
	meters_close(&all);
	put("trigger/current_trigger", "timer2\n");
	meters_look(dir);
	expect_about("ina226", "mW x scale, buffer");
}

static void what_is_in_the_way_of_a_buffer_is_said(void **state)
{
	(void)state;
	make_device();
	put("scan_elements/in_power2_type", "le:f32/32>>0\n");
	meters_look(dir);
	expect_about("ina226",
		     "mW x scale, sysfs, every 1 ms; not through its buffer: in_power2: "
		     "type 'le:f32/32>>0' is not one as 'le:s12/16>>4'");
	open_meter("ina226", &pm);
	expect_read(&pm, 1250000, 0);
	power_meter_close(&pm);
	meters_close(&all);
	put("scan_elements/in_power2_type", "le:u16/16X2>>0\n");
	meters_look(dir);
	expect_about("ina226",
		     "mW x scale, sysfs, every 1 ms; not through its buffer: in_power2: "
		     "type 'le:u16/16X2>>0' is of several values");
	meters_close(&all);
	assert_int_equal(unlink(path("scan_elements/in_power2_index")), 0);
	meters_look(dir);
	expect_about("ina226", "mW x scale, sysfs, every 1 ms; not through its buffer: "
			       "in_power2 is not in it");
	meters_close(&all);
	assert_int_equal(unlink(files_path(dir, "dev/iio:device0")), 0);
	meters_look(dir);
	expect_about("ina226/voltage1*current3",
		     "mV x mA, sysfs, every 1 ms; not through its buffer: "
		     "/dev/iio:device0: No such file or directory");
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_channels_type_is_understood_or_quoted),
		T(a_value_is_taken_out_of_its_bytes),
		T(values_are_aligned_to_their_own_size),
		T(a_read_shows_the_mean_of_all_scans_that_came),
		T(half_a_scan_waits_for_its_other_half),
		T(voltage_and_current_are_of_one_scan),
		T(meters_of_a_device_share_its_buffer),
		T(one_meters_bad_scan_is_not_the_others),
		T(what_was_enabled_is_put_back),
		T(another_calib_puts_back_what_a_killed_one_left),
		T(a_device_that_is_gone_needs_no_restoring),
		T(a_buffer_that_ran_over_gives_no_mean),
		T(silence_is_no_reading),
		T(a_scan_that_lies_elsewhere_than_thought_shows_by_its_time),
		T(times_of_another_clock_are_converted),
		T(without_times_a_scan_is_as_old_as_its_read),
		T(kernels_since_5_11_have_all_in_one_folder),
		T(a_buffer_that_another_program_uses_is_left_alone),
		T(a_buffer_needs_its_trigger),
		T(what_is_in_the_way_of_a_buffer_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

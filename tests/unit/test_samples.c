// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samples.csv: our own strictly, other people's by their columns.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calib/samples.h"
#include "tests/unit/files.h"

#define HEADER                                                                           \
	"time_ns,cluster,opp_khz,freq_khz,volt_uv,cpu_count,load,util_pct,power_uw,"     \
	"power_sd_uw,reads,temp_mc,work,cycles,flags,load_ns\n"
/* Of before load_ns. */
#define OLD                                                                              \
	"time_ns,cluster,opp_khz,freq_khz,volt_uv,cpu_count,load,util_pct,power_uw,"     \
	"power_sd_uw,reads,temp_mc,work,cycles,flags\n"
#define ROW	"5,a15,1400000,1399000,1100000,2,int,200.125,1500000,12,30,51000,7,8,-,9\n"
#define OLD_ROW "5,a15,1400000,1399000,1100000,2,int,200.125,1500000,12,30,51000,7,8,-\n"

static int read_text(struct samples *s, const char *text, struct err *err)
{
	return samples_read(s, files_puts(files_dir, "s.csv", text), err);
}

/* @msg is what follows the path. */
static void assert_refused(const char *text, const char *msg)
{
	struct samples s = { 0 };
	struct err err = { "" };
	const char *got;

	assert_int_equal(read_text(&s, text, &err), -EINVAL);
	got = strstr(err.msg, "/s.csv:");
	assert_non_null(got);
	assert_string_equal(got + strlen("/s.csv:"), msg);
	samples_free(&s);
}

static void own_header_is_the_version(void **state)
{
	(void)state;
	assert_memory_equal(HEADER, samples_header, strlen(samples_header));
	assert_int_equal(strlen(HEADER), strlen(samples_header) + 1);
}

static void own_row_is_read_field_by_field(void **state)
{
	struct samples s = { 0 };
	struct err err = { "" };
	const struct sample *r;

	(void)state;
	assert_int_equal(read_text(&s, HEADER ROW, &err), 0);
	assert_int_equal(s.count, 1);
	r = &s.rows[0];
	assert_int_equal(r->time_ns, 5);
	assert_string_equal(r->cluster, "a15");
	assert_int_equal(r->opp_khz, 1400000);
	assert_int_equal(r->freq_khz, 1399000);
	assert_int_equal(r->volt_uv, 1100000);
	assert_int_equal(r->cpu_count, 2);
	assert_string_equal(r->load, "int");
	assert_true(r->util_pct == 200.125);
	assert_int_equal(r->power_uw, 1500000);
	assert_int_equal(r->power_sd_uw, 12);
	assert_int_equal(r->reads, 30);
	assert_int_equal(r->temp_mc, 51000);
	assert_int_equal(r->work, 7);
	assert_int_equal(r->cycles, 8);
	assert_int_equal(r->load_ns, 9);
	assert_int_equal(r->flags, 0);
	assert_int_equal(r->line, 2);
	assert_int_equal(r->file, 0);
	samples_free(&s);
}

static void rows_of_before_the_last_column_are_ours(void **state)
{
	struct samples s = { 0 };
	struct err err = { "" };

	(void)state;
	assert_int_equal(read_text(&s, OLD OLD_ROW, &err), 0);
	assert_int_equal(s.rows[0].cycles, 8);
	assert_int_equal(s.rows[0].load_ns, 0);
	samples_free(&s);
	/* As strict as the others. */
	assert_refused(OLD "1,a15,1,1,1,1,int,100,1,0,0,,,0,-\n",
		       "2: work '' is not a whole number in 0..9223372036854775807");
	assert_refused(HEADER "1,a15,1,1,1,1,int,100,1,0,0,,0,0,-,\n",
		       "2: load_ns '' is not a whole number in 0..9223372036854775807");
}

static void bad_field_of_our_own_is_an_error_with_its_line(void **state)
{
	static const struct {
		const char *row, *msg;
	} cases[] = {
		{ "x,a15,1,1,1,1,int,100,1,0,0,,0,0,-",
		  "time_ns 'x' is not a whole number in 0..9223372036854775807" },
		{ "1,,1,1,1,1,int,100,1,0,0,,0,0,-",
		  "cluster '' is not a plain name of up to 31 characters" },
		{ "1,a b,1,1,1,1,int,100,1,0,0,,0,0,-",
		  "cluster 'a b' is not a plain name of up to 31 characters" },
		{ "1,a15,0,1,1,1,int,100,1,0,0,,0,0,-",
		  "opp_khz '0' is not a whole number in 1..4294967295" },
		{ "1,a15,1,,1,1,int,100,1,0,0,,0,0,-",
		  "freq_khz '' is not a whole number in 1..4294967295" },
		{ "1,a15,1,1,4294967297,1,int,100,1,0,0,,0,0,-",
		  "volt_uv '4294967297' is not a whole number in 0..4294967295" },
		{ "1,a15,1,1,1,-1,int,100,1,0,0,,0,0,-",
		  "cpu_count '-1' is not a whole number in 0..1024" },
		{ "1,a15,1,1,1,1,,100,1,0,0,,0,0,-",
		  "load '' is not a plain name of up to 31 characters" },
		{ "1,a15,1,1,1,1,int,-1,1,0,0,,0,0,-",
		  "util_pct '-1' is less than 0, which only rounding can make of idle "
		  "rows" },
		{ "1,a15,1,1,1,0,idle,-101,1,0,0,,0,0,-",
		  "util_pct '-101' is not a decimal number in -100..102400" },
		{ "1,a15,1,1,1,1,int,100,12uW,0,0,,0,0,-",
		  "power_uw '12uW' is not a whole number in -4294967295..4294967295" },
		{ "1,a15,1,1,1,1,int,100,1.5,0,0,,0,0,-",
		  "power_uw '1.5' is not a whole number in -4294967295..4294967295" },
		{ "1,a15,1,1,1,1,int,100,nan,0,0,,0,0,-",
		  "power_uw 'nan' is not a whole number in -4294967295..4294967295" },
		{ "1,a15,1,1,1,1,int,100,,0,0,,0,0,-",
		  "power_uw '' is not a whole number in -4294967295..4294967295" },
		{ "1,a15,1,1,1,1,int,100,1,-1,0,,0,0,-",
		  "power_sd_uw '-1' is not a whole number in 0..4294967295" },
		{ "1,a15,1,1,1,1,int,100,1,0,x,,0,0,-",
		  "reads 'x' is not a whole number in 0..4294967295" },
		{ "1,a15,1,1,1,1,int,100,1,0,0,51 C,0,0,-",
		  "temp_mc '51 C' is not a whole number in -1000000..1000000" },
		{ "1,a15,1,1,1,1,int,100,1,0,0,,1e3,0,-",
		  "work '1e3' is not a whole number in 0..9223372036854775807" },
		{ "1,a15,1,1,1,1,int,100,1,0,0,,0,99999999999999999999,-",
		  "cycles '99999999999999999999' is not a whole number in "
		  "0..9223372036854775807" },
		{ "1,a15,1,1,1,1,int,100,1,0,0,,0,0,",
		  "flags '' is not '-' or known flags joined by '|'" },
		{ "1,a15,1,1,1,1,int,100,1,0,0,,0,0,clock|hot",
		  "flags 'clock|hot' is not '-' or known flags joined by '|'" },
		{ "1,a15,1,1,1,1,int,100,1,0,0,,0,0", "14 fields, the header has 15" },
	};
	char text[512], msg[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), OLD OLD_ROW "%s\n", cases[i].row);
		snprintf(msg, sizeof(msg), "3: %s", cases[i].msg);
		assert_refused(text, msg);
	}
}

static void endless_field_is_cut_in_the_message(void **state)
{
	char *text = malloc(20000);
	struct samples s = { 0 };
	struct err err = { "" };

	(void)state;
	assert_non_null(text);
	strcpy(text, "freq_khz,volt_uv,power_uw\n1,1,");
	memset(text + strlen(text), '9', 10000);
	strcpy(text + 10030, "\n");
	assert_int_equal(read_text(&s, text, &err), -EINVAL);
	assert_non_null(
		strstr(err.msg, "is not a decimal number in -4294967295..4294967295"));
	samples_free(&s);
	free(text);
}

static void assert_row(const struct sample *r, const char *expected)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(samples_write_row(f, r), 0);
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
}

static void written_row_reads_back(void **state)
{
	static const char *const rows[] = {
		ROW,
		"0,a7,200000,200000,0,0,idle,0,-700,0,0,,0,0,negative,0\n",
		"0,a7,200000,200000,0,0,idle,-0.592,700,0,0,,0,0,-,0\n",
		"9223372036854775807,p_0.x+1,4294967295,1,4294967295,1024,int,102400,"
		"4294967295,4294967295,4294967295,-1000000,9223372036854775807,"
		"9223372036854775807,"
		"throttled|clock|stale|unsettled|few-reads|negative|bad-reads,"
		"9223372036854775807\n",
		"1,a7,1,1,1,1,int,99.5,1,0,0,0,0,0,stale,0\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct samples s = { 0 };
		struct err err = { "" };
		char text[1024];

		snprintf(text, sizeof(text), HEADER "%s", rows[i]);
		assert_int_equal(read_text(&s, text, &err), 0);
		assert_int_equal(s.count, 1);
		assert_row(&s.rows[0], rows[i]);
		samples_free(&s);
	}
}

static void row_that_could_not_be_read_back_is_not_written(void **state)
{
	struct sample r = { .cluster = "a,b", .load = "int" };
	FILE *f = fopen("/dev/null", "w");

	(void)state;
	assert_non_null(f);
	assert_int_equal(samples_write_row(f, &r), -EINVAL);
	strcpy(r.cluster, "a");
	assert_int_equal(samples_write_row(f, &r), 0);
	strcpy(r.load, "");
	assert_int_equal(samples_write_row(f, &r), -EINVAL);
	strcpy(r.load, "int");
	r.util_pct = 0.0 / 0.0;
	assert_int_equal(samples_write_row(f, &r), -EINVAL);
	r.util_pct = -0.5;
	assert_int_equal(samples_write_row(f, &r), 0);
	r.cpu_count = 1;
	assert_int_equal(samples_write_row(f, &r), -EINVAL);
	fclose(f);
}

static void foreign_units_give_the_same_rows(void **state)
{
	static const char *const texts[] = {
		"policy,freq_khz,voltage_uv,power_uw\n0,600000,800000,104460\n",
		"\xef\xbb\xbfpolicy,freq_khz,voltage_uv,power_uw\r\n0,600000,800000,"
		"104460\r\n",
		"policy,freq_mhz,voltage_v,power_mw\n0,600.0,0.800,104.460",
		"power_w,volt_mv,frequency_hz,cluster\n0.10446,800,600000000,policy0\n",
		"policy,opp_mhz,volt_uv,power_uw,ncpus,workload,util_pct,temp_mc\n"
		"0,600,800000,104460,1.0,,,\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct samples s = { 0 };
		struct err err = { "" };

		assert_int_equal(read_text(&s, texts[i], &err), 0);
		assert_int_equal(s.count, 1);
		assert_row(&s.rows[0],
			   "0,policy0,600000,600000,800000,1,unknown,100,104460,0,"
			   "0,,0,0,-,0\n");
		assert_int_equal(s.rows[0].baseline_uw, 0);
		samples_free(&s);
	}
}

static void foreign_row_without_power_is_put_aside(void **state)
{
	struct samples s = { 0 };
	struct err err = { "" };

	(void)state;
	assert_int_equal(read_text(&s,
				   "freq_khz,volt_uv,power_uw\n1,1,1\n1,1,nan\n1,1,\n"
				   "1,1,-Inf\n1,1,2\n",
				   &err),
			 0);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.rows[1].line, 6);
	assert_int_equal(s.reject_count, 3);
	assert_int_equal(s.rejects[0].line, 3);
	assert_string_equal(s.rejects[0].why, "power_uw 'nan' is not a reading");
	assert_string_equal(s.rejects[1].why, "power_uw '' is not a reading");
	assert_int_equal(s.rejects[2].line, 5);
	samples_free(&s);
}

static void foreign_idle_rows_and_baseline_are_kept(void **state)
{
	struct samples s = { 0 };
	struct err err = { "" };

	(void)state;
	assert_int_equal(
		read_text(&s,
			  "cluster,ncpus,freq_mhz,voltage_v,power_mw,baseline_mw\n"
			  "big,0,600,0.8,917.3,918\n"
			  "big,3,600,0.8,-0.7,\n",
			  &err),
		0);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.rows[0].cpu_count, 0);
	assert_true(s.rows[0].util_pct == 0);
	assert_int_equal(s.rows[0].baseline_uw, 918000);
	assert_int_equal(s.rows[1].power_uw, -700);
	assert_true(s.rows[1].util_pct == 300);
	assert_int_equal(s.rows[1].baseline_uw, 0);
	samples_free(&s);
}

static void wrong_foreign_files_are_refused(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{ "freq_khz,volt_uv\n1,1\n",
		  "1: no column for power (power_uw, power_mw, power_w)" },
		{ "freq_khz,power_uw\n1,1\n", "1: no column for voltage (volt_uv, "
					      "voltage_uv, voltage_mv, voltage_v)" },
		{ "volt_uv,power_uw\n1,1\n",
		  "1: no column for frequency (freq_khz, freq_mhz, freq_hz, opp_khz)" },
		{ "freq_khz,freq_mhz,volt_uv,power_uw\n1,1,1,1\n",
		  "1: columns 'freq_khz' and 'freq_mhz' say the same" },
		{ "freq_khz,volt_uv,power_uw,baselin_uw\n1,1,1,1\n",
		  "1: column 'baselin_uw' is not known; rename or remove it (names end "
		  "in the "
		  "unit: freq_mhz, voltage_v, power_mw)" },
		{ "policy;freq_mhz;power_mw\n0;600,0;104,460\n",
		  "1: 'policy;freq_mhz;power_mw' is separated by ';'; save it with ',' "
		  "between "
		  "fields and '.' as decimal point" },
		{ "freq_mhz,volt_uv,power_uw\nfast,1,1\n",
		  "2: freq_mhz 'fast' is not a decimal number in 0.001..4294967.295" },
		{ "freq_mhz,volt_uv,power_uw\n,1,1\n", "2: the frequency is empty" },
		{ "freq_mhz,volt_uv,power_uw\n1,,1\n", "2: volt_uv '' is not a voltage" },
		{ "freq_mhz,voltage_v,power_uw\n1,0.0,1\n",
		  "2: voltage_v '0.0' is not a voltage" },
		{ "freq_mhz,volt_uv,power_uw\n1,1,none\n",
		  "2: power_uw 'none' is not a decimal number in "
		  "-4294967295..4294967295" },
		{ "freq_mhz,volt_uv,power_w\n1,1,5000\n",
		  "2: power_w '5000' is not a decimal number in "
		  "-4294.967295..4294.967295" },
		{ "freq_mhz,volt_uv,power_uw,ncpus\n1,1,1,1.5\n",
		  "2: ncpus '1.5' is not a decimal number in 0..1024" },
		{ "freq_mhz,volt_uv,power_uw,cluster\n1,1,1,a`b\n",
		  "2: cluster 'a`b' is not a plain name of up to 31 characters" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i].text, cases[i].msg);
}

static void many_files_are_told_apart(void **state)
{
	struct samples s = { 0 };
	struct err err = { "" };
	const char *path = files_puts(files_dir, "one.csv", HEADER ROW ROW);

	(void)state;
	assert_int_equal(samples_read(&s, path, &err), 0);
	assert_int_equal(samples_read(&s, path, &err), 0);
	assert_int_equal(s.count, 4);
	assert_int_equal(s.rows[3].file, 1);
	assert_int_equal(s.rows[3].line, 3);
	assert_string_equal(s.paths[1], path);
	for (int i = 2; i < SAMPLES_MAX_FILES; i++)
		assert_int_equal(samples_read(&s, path, &err), 0);
	assert_int_equal(samples_read(&s, path, &err), -E2BIG);
	assert_non_null(
		strstr(err.msg, "/one.csv' is one file too many (16384 are taken)"));
	samples_free(&s);
	samples_free(NULL);
}

static void boards_have_numbers_in_the_order_of_their_first_row(void **state)
{
	struct samples s = { 0 };
	struct err err = { "" };

	(void)state;
	assert_int_equal(read_text(&s,
				   "board,freq_khz,volt_uv,power_uw\n"
				   "b,1,1,1\na,1,1,1\nb,1,1,1\nc-3,1,1,1\n",
				   &err),
			 0);
	assert_int_equal(s.board_count, 3);
	assert_string_equal(s.boards[0], "b");
	assert_string_equal(s.boards[1], "a");
	assert_string_equal(s.boards[2], "c-3");
	assert_int_equal(s.rows[1].board, 1);
	assert_int_equal(s.rows[2].board, 0);
	assert_int_equal(s.rows[3].board, 2);
	assert_int_equal(read_text(&s, "freq_khz,volt_uv,power_uw\n1,1,1\n", &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "/s.csv:1: no column 'board', and the file "
					"before has one; all files or none"));
	samples_free(&s);
	assert_int_equal(read_text(&s, "board,freq_khz,volt_uv,power_uw\n,1,1,1\n", &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "/s.csv:2: board '' is not a plain name"));
	samples_free(&s);
}

static void only_so_many_rows_are_put_aside(void **state)
{
	struct samples s = { 0 };
	struct err err = { "" };
	char text[2048];
	size_t len = sprintf(text, "freq_khz,volt_uv,power_uw\n");

	(void)state;
	for (int i = 0; i < SAMPLES_MAX_REJECTS + 3; i++)
		len += sprintf(text + len, "1,1,nan\n");
	assert_int_equal(read_text(&s, text, &err), 0);
	assert_int_equal(s.reject_count, SAMPLES_MAX_REJECTS);
	assert_int_equal(s.rejects_more, 3);
	samples_free(&s);
}

static void flags_have_names(void **state)
{
	uint32_t flags = 77;
	char text[16];

	(void)state;
	assert_int_equal(samples_flags_parse("stale|clock", &flags), 0);
	assert_int_equal(flags, SAMPLE_STALE | SAMPLE_CLOCK);
	assert_int_equal(samples_flags_parse("-", &flags), 0);
	assert_int_equal(flags, 0);
	assert_int_equal(samples_flags_parse("|", &flags), -EINVAL);
	assert_int_equal(samples_flags_parse("stale|", &flags), -EINVAL);
	assert_string_equal(samples_flags_format(SAMPLE_NEGATIVE, text, sizeof(text)),
			    "negative");
}

static void unreadable_file_is_named(void **state)
{
	struct samples s = { 0 };
	struct err err = { "" };

	(void)state;
	assert_int_equal(samples_read(&s, "/nonexistent/s.csv", &err), -ENOENT);
	assert_string_equal(
		err.msg, "cannot open '/nonexistent/s.csv': No such file or directory");
	samples_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_header_is_the_version),
		cmocka_unit_test(own_row_is_read_field_by_field),
		cmocka_unit_test(rows_of_before_the_last_column_are_ours),
		cmocka_unit_test(bad_field_of_our_own_is_an_error_with_its_line),
		cmocka_unit_test(endless_field_is_cut_in_the_message),
		cmocka_unit_test(written_row_reads_back),
		cmocka_unit_test(row_that_could_not_be_read_back_is_not_written),
		cmocka_unit_test(foreign_units_give_the_same_rows),
		cmocka_unit_test(foreign_row_without_power_is_put_aside),
		cmocka_unit_test(foreign_idle_rows_and_baseline_are_kept),
		cmocka_unit_test(wrong_foreign_files_are_refused),
		cmocka_unit_test(many_files_are_told_apart),
		cmocka_unit_test(boards_have_numbers_in_the_order_of_their_first_row),
		cmocka_unit_test(only_so_many_rows_are_put_aside),
		cmocka_unit_test(flags_have_names),
		cmocka_unit_test(unreadable_file_is_named),
	};

	return cmocka_run_group_tests(tests, files_set_up, files_tear_down);
}

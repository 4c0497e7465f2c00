// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The progress line, on a terminal of our own.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/progress.h"

#define SECOND 1000000000ull

struct terminal {
	int main, line, old_stderr;
};

/* stderr becomes a terminal of @columns. */
static void terminal_open(struct terminal *t, unsigned short columns)
{
	struct winsize size = { .ws_row = 24, .ws_col = columns };

	t->main = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(t->main >= 0);
	assert_int_equal(grantpt(t->main), 0);
	assert_int_equal(unlockpt(t->main), 0);
	t->line = open(ptsname(t->main), O_RDWR | O_NOCTTY);
	assert_true(t->line >= 0);
	assert_int_equal(ioctl(t->line, TIOCSWINSZ, &size), 0);
	fflush(stderr);
	t->old_stderr = dup(STDERR_FILENO);
	assert_true(dup2(t->line, STDERR_FILENO) >= 0);
}

/* What was drawn so far; a mark is written behind it to know where it ends. */
static void terminal_take(struct terminal *t, char *out, size_t size)
{
	size_t len = 0;

	fflush(stderr);
	assert_int_equal(write(t->line, "#", 1), 1);
	while (len < size - 1 && read(t->main, out + len, 1) == 1 && out[len] != '#')
		len++;
	out[len] = '\0';
}

static void terminal_close(struct terminal *t)
{
	fflush(stderr);
	dup2(t->old_stderr, STDERR_FILENO);
	close(t->old_stderr);
	close(t->line);
	close(t->main);
}

static void line_is_drawn_and_wiped(void **state)
{
	struct terminal t;
	struct progress p;
	char drawn[2][512];

	(void)state;
	terminal_open(&t, 50);
	progress_start(&p, 5);
	progress_update(&p, SECOND, 37, 100, 64 * SECOND + 1, "a15 1400 MHz 4 CPUs");
	terminal_take(&t, drawn[0], sizeof(drawn[0]));
	progress_end(&p);
	terminal_take(&t, drawn[1], sizeof(drawn[1]));
	terminal_close(&t);
	assert_string_equal(drawn[0],
			    "\ra15 1400 MHz 4 CPUs                 37 % ETA 1:05");
	assert_int_equal(strlen(drawn[1]), 51);
	assert_int_equal(strspn(drawn[1] + 1, " "), 49);
}

static void long_text_and_time_fit_the_line(void **state)
{
	struct terminal t;
	struct progress p;
	char drawn[512];

	(void)state;
	terminal_open(&t, 30);
	progress_start(&p, 0);
	progress_update(&p, SECOND, 100, 100, 3723 * SECOND,
			"a name that is far too long");
	terminal_take(&t, drawn, sizeof(drawn));
	terminal_close(&t);
	assert_string_equal(drawn, "\ra name that 100 % ETA 1:02:03");
	assert_true(strlen(drawn) <= 30);
}

static void it_draws_ten_times_a_second_and_at_the_end(void **state)
{
	struct terminal t;
	struct progress p;
	char drawn[3][512];

	(void)state;
	terminal_open(&t, 40);
	progress_start(&p, 0);
	progress_update(&p, SECOND, 1, 100, SECOND, "x");
	terminal_take(&t, drawn[0], sizeof(drawn[0]));
	progress_update(&p, SECOND + SECOND / 20, 2, 100, SECOND, "x");
	terminal_take(&t, drawn[1], sizeof(drawn[1]));
	progress_update(&p, SECOND + SECOND / 20, 100, 100, 0, "x");
	terminal_take(&t, drawn[2], sizeof(drawn[2]));
	terminal_close(&t);
	assert_non_null(strstr(drawn[0], "  1 % ETA 0:01"));
	assert_string_equal(drawn[1], "");
	assert_non_null(strstr(drawn[2], "100 % ETA 0:00"));
}

static void nothing_is_drawn_into_a_file(void **state)
{
	struct progress p;
	FILE *f = tmpfile();
	int old = dup(STDERR_FILENO);
	off_t size;

	(void)state;
	assert_non_null(f);
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	progress_start(&p, 0);
	progress_update(&p, SECOND, 100, 100, 0, "x");
	progress_end(&p);
	fflush(stderr);
	size = lseek(STDERR_FILENO, 0, SEEK_END);
	dup2(old, STDERR_FILENO);
	close(old);
	fclose(f);
	assert_int_equal(size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_is_drawn_and_wiped),
		cmocka_unit_test(long_text_and_time_fit_the_line),
		cmocka_unit_test(it_draws_ten_times_a_second_and_at_the_end),
		cmocka_unit_test(nothing_is_drawn_into_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

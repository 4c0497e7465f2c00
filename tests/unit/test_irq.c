// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "calib/linux/irq.h"
#include "tests/unit/files.h"

/* The CPUs that are measured. */
static const unsigned int cpus[] = { 0, 1, 2, 3 };
#define NCPUS (sizeof(cpus) / sizeof(cpus[0]))

struct box {
	char *dir;
	struct sysfs sys;
	struct state st;
};

static void put(const struct box *b, const char *path, const char *text)
{
	char *command = NULL;

	assert_true(asprintf(&command, "mkdir -p \"$(dirname '%s%s')\"", b->dir, path) >
		    0);
	assert_int_equal(system(command), 0);
	free(command);
	files_puts(b->dir, path + 1, text);
}

static void expect(const struct box *b, const char *irq, const char *text)
{
	char path[128], got[SYSFS_TEXT];

	snprintf(path, sizeof(path), "/proc/irq/%s/smp_affinity_list", irq);
	assert_int_equal(sysfs_read(&b->sys, path, got, sizeof(got), NULL), 0);
	assert_string_equal(got, text);
}

static void open_state(struct box *b, bool expected)
{
	bool recovered;

	assert_int_equal(state_open(&b->st, &b->sys, &recovered, NULL), 0);
	assert_int_equal(recovered, expected);
}

static int setup(void **state)
{
	struct box *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->dir = files_folder();
	assert_int_equal(sysfs_init(&b->sys, b->dir, NULL), 0);
	put(b, "/run/x", "");
	put(b, "/sys/devices/system/cpu/online", "0-7\n");
	put(b, "/proc/irq/default_smp_affinity", "ff\n");
	put(b, "/proc/irq/1/smp_affinity_list", "5-6\n");
	put(b, "/proc/irq/7/smp_affinity_list", "2\n");
	put(b, "/proc/irq/45/smp_affinity_list", "0-7\n");
	open_state(b, false);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct box *b = *state;

	state_close(&b->st);
	files_remove(b->dir);
	free(b);
	return 0;
}

static unsigned int stayed[4];

static unsigned int move(struct box *b)
{
	irq_save(&b->st, cpus, NCPUS);
	assert_int_equal(state_commit(&b->st, NULL), 0);
	return irq_move(&b->st, cpus, NCPUS, stayed, 1);
}

static void interrupts_leave_the_measured_cpus_and_come_back(void **state)
{
	struct box *b = *state;

	assert_int_equal(move(b), 0);
	expect(b, "1", "5-6");
	expect(b, "7", "4-7");
	expect(b, "45", "4-7");
	assert_int_equal(b->st.count, 2);
	assert_int_equal(state_restore(&b->st, NULL), 0);
	expect(b, "1", "5-6");
	expect(b, "7", "2");
	expect(b, "45", "0-7");
}

static void the_next_run_puts_them_back_after_a_kill(void **state)
{
	struct box *b = *state;

	move(b);
	state_close(&b->st);
	expect(b, "7", "4-7");
	open_state(b, true);
	expect(b, "7", "2");
	expect(b, "45", "0-7");
}

static void one_that_the_kernel_keeps_stays_and_disturbs_nothing(void **state)
{
	struct box *b = *state;

	/* Reads as a list with CPU 0 in it, and takes no write, whoever asks. */
	put(b, "/proc/irq/9/x", "");
	assert_int_equal(symlink("/sys/devices/system/cpu/online",
				 files_path(b->dir, "proc/irq/9/smp_affinity_list")),
			 0);
	assert_int_equal(move(b), 1);
	assert_int_equal(stayed[0], 9);
	expect(b, "45", "4-7");
	assert_int_equal(state_restore(&b->st, NULL), 0);
	expect(b, "45", "0-7");
}

static void keep(const struct box *b, const char *irq, const char *effective)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/irq/%s/effective_affinity_list", irq);
	put(b, path, effective);
	snprintf(path, sizeof(path), "proc/irq/%s/smp_affinity_list", irq);
	assert_int_equal(
		symlink("/sys/devices/system/cpu/online", files_path(b->dir, path)), 0);
}

static void one_that_the_kernel_keeps_elsewhere_does_not_count(void **state)
{
	struct box *b = *state;

	keep(b, "11", "6\n");
	keep(b, "12", "2\n");
	keep(b, "13", "\n");
	assert_int_equal(move(b), 2);
	assert_int_equal(stayed[0], 12);
	/* More than there is room for. */
	assert_int_equal(stayed[1], 0);
}

static void one_that_is_gone_needs_no_restoring(void **state)
{
	struct box *b = *state;

	move(b);
	assert_int_equal(unlink(files_path(b->dir, "proc/irq/7/smp_affinity_list")), 0);
	assert_int_equal(state_restore(&b->st, NULL), 0);
	expect(b, "45", "0-7");
}

static void there_must_be_another_cpu(void **state)
{
	struct box *b = *state;

	put(b, "/sys/devices/system/cpu/online", "0-3\n");
	assert_int_equal(move(b), 0);
	assert_int_equal(b->st.count, 0);
	expect(b, "7", "2");
	/* Nor is anything done where the kernel tells nothing. */
	assert_int_equal(unlink(files_path(b->dir, "sys/devices/system/cpu/online")), 0);
	assert_int_equal(move(b), 0);
	assert_int_equal(b->st.count, 0);
}

static void what_is_no_list_is_left_alone(void **state)
{
	struct box *b = *state;

	put(b, "/proc/irq/45/smp_affinity_list", "banana\n");
	put(b, "/proc/irq/7/smp_affinity_list", "\n");
	assert_int_equal(move(b), 0);
	assert_int_equal(b->st.count, 0);
	expect(b, "45", "banana");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			interrupts_leave_the_measured_cpus_and_come_back, setup,
			teardown),
		cmocka_unit_test_setup_teardown(the_next_run_puts_them_back_after_a_kill,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			one_that_the_kernel_keeps_stays_and_disturbs_nothing, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			one_that_the_kernel_keeps_elsewhere_does_not_count, setup,
			teardown),
		cmocka_unit_test_setup_teardown(one_that_is_gone_needs_no_restoring,
						setup, teardown),
		cmocka_unit_test_setup_teardown(there_must_be_another_cpu, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_is_no_list_is_left_alone, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

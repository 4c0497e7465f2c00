// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The real machine's code on a fake Odroid-XU3: other clusters parked, our own thread out
 * of the way, settings that somebody changes taken back, trip points, throttle counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "calib/linux/linux.h"
#include "calib/linux/thermal.h"
#include "files.h"
#include "fake.h"

#define A7  0
#define A15 1

struct fixture {
	char *dir;
	struct linux_options opts;
	struct machine *m;
	struct runinfo info;
	char notes[2048];
};

static void on_note(void *arg, const char *text)
{
	struct fixture *f = arg;
	size_t used = strlen(f->notes);

	snprintf(f->notes + used, sizeof(f->notes) - used, "%s\n", text);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->dir = fake_xu3("");
	f->opts = (struct linux_options){
		.sysroot = f->dir,
		.clock_only = true,
		.note = on_note,
		.note_arg = f,
	};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->m)
		f->m->ops->close(f->m);
	files_remove(f->dir);
	free(f);
	return 0;
}

static void begin_on(struct fixture *f, unsigned int cluster)
{
	struct err err = { "" };

	if (linux_open(&f->opts, &f->m, &err) ||
	    f->m->ops->discover(f->m, &f->info, &err) ||
	    f->m->ops->prepare(f->m, cluster, &err))
		fail_msg("%s", err.msg);
}

static void begin(struct fixture *f)
{
	begin_on(f, A15);
}

static void put(struct fixture *f, const char *name, const char *text)
{
	fake_put(fake_cpufreq(f->dir, name), text);
}

static void expect(struct fixture *f, const char *name, const char *text)
{
	fake_expect(fake_cpufreq(f->dir, name), text);
}

static void other_clusters_stand_at_their_lowest_clock(void **state)
{
	struct fixture *f = *state;
	char *before = fake_dump(f->dir, "scaling_setspeed"), *after;

	begin(f);
	expect(f, "policy0/scaling_governor", "userspace\n");
	expect(f, "policy0/scaling_setspeed", "200000\n");
	assert_int_equal(f->m->ops->set_opp(f->m, A15, 1400000, NULL), 0);
	expect(f, "policy4/scaling_setspeed", "1400000\n");
	expect(f, "policy0/scaling_setspeed", "200000\n");
	assert_int_equal(f->m->ops->restore(f->m, NULL), 0);
	after = fake_dump(f->dir, "scaling_setspeed");
	assert_string_equal(before, after);
	assert_string_equal(f->notes, "");
	free(before);
	free(after);
}

static void a_cluster_that_cannot_be_parked_is_told_and_left_alone(void **state)
{
	struct fixture *f = *state;

	put(f, "policy0/scaling_driver", "intel_pstate\n");
	put(f, "policy0/scaling_available_governors", "performance powersave\n");
	begin(f);
	assert_non_null(strstr(f->notes,
			       "cluster 'a7' stays as it is meanwhile: policy0: "
			       "driver intel_pstate"));
	expect(f, "policy0/scaling_governor", "ondemand\n");
}

static void our_own_thread_leaves_the_measured_cpus(void **state)
{
	struct fixture *f = *state;
	cpu_set_t before, now;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	if (!CPU_ISSET(0, &before))
		skip();
	begin(f);
	assert_true(f->info.clusters[A15].has_housekeeper);
	assert_int_equal(f->info.clusters[A15].housekeeper, 0);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_int_equal(CPU_COUNT(&now), 1);
	assert_true(CPU_ISSET(0, &now));
	assert_int_equal(f->m->ops->restore(f->m, NULL), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&before, &now));
}

static void where_all_cpus_are_measured_our_own_thread_takes_the_last_loaded(void **state)
{
	struct fixture *f = *state;
	cpu_set_t before, some, now;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	some = before;
	for (int cpu = 4; cpu < CPU_SETSIZE; cpu++)
		CPU_CLR(cpu, &some);
	if (!CPU_ISSET(0, &some))
		skip();
	assert_int_equal(sched_setaffinity(0, sizeof(some), &some), 0);
	begin_on(f, A7);
	assert_true(f->info.clusters[A7].has_housekeeper);
	assert_int_equal(f->info.clusters[A7].housekeeper, 0);
	assert_non_null(strstr(f->notes,
			       "there is no CPU outside of cluster 'a7' for calib "
			       "itself: it runs on CPU 0, which is loaded last"));
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_int_equal(CPU_COUNT(&now), 1);
	assert_true(CPU_ISSET(0, &now));
	assert_int_equal(f->m->ops->restore(f->m, NULL), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&some, &now));
	sched_setaffinity(0, sizeof(before), &before);
}

static void put_irq(struct fixture *f, const char *irq, const char *text)
{
	char *command = NULL, name[64];

	snprintf(name, sizeof(name), "proc/irq/%s", irq);
	assert_true(asprintf(&command, "mkdir -p '%s'", files_path(f->dir, name)) > 0);
	assert_int_equal(system(command), 0);
	free(command);
	strcat(name, "/smp_affinity_list");
	files_puts(f->dir, name, text);
}

static void expect_irq(struct fixture *f, const char *irq, const char *text)
{
	char name[64];

	snprintf(name, sizeof(name), "proc/irq/%s/smp_affinity_list", irq);
	fake_expect(files_path(f->dir, name), text);
}

static void where_all_cpus_are_measured_interrupts_go_to_the_last_loaded(void **state)
{
	struct fixture *f = *state;

	files_puts(f->dir, "sys/devices/system/cpu/online", "4-7\n");
	put_irq(f, "7", "4-7\n");
	put_irq(f, "45", "5\n");
	put_irq(f, "46", "7\n");
	begin(f);
	assert_non_null(strstr(f->notes, "there is no CPU outside of cluster 'a15': "
					 "interrupts and calib itself keep to CPU 7, "
					 "which is loaded last\n"));
	expect_irq(f, "7", "7");
	expect_irq(f, "45", "7");
	expect_irq(f, "46", "7\n");
	assert_int_equal(f->m->ops->restore(f->m, NULL), 0);
	expect_irq(f, "7", "4-7\n");
	expect_irq(f, "45", "5\n");
}

static void settings_that_are_stolen_are_told_and_taken_back(void **state)
{
	struct fixture *f = *state;
	struct err err = { "" };

	begin(f);
	assert_int_equal(f->m->ops->set_opp(f->m, A15, 800000, NULL), 0);
	assert_int_equal(f->m->ops->verify(f->m, A15, NULL), 0);
	put(f, "policy4/scaling_governor", "schedutil\n");
	put(f, "policy4/scaling_max_freq", "600000\n");
	assert_int_equal(f->m->ops->verify(f->m, A15, &err), -EBUSY);
	assert_non_null(strstr(err.msg, "policy4: somebody changed scaling_governor"));
	assert_int_equal(f->m->ops->set_opp(f->m, A15, 800000, &err), 0);
	assert_int_equal(f->m->ops->verify(f->m, A15, NULL), 0);
	expect(f, "policy4/scaling_governor", "userspace\n");
	expect(f, "policy4/scaling_max_freq", "2000000\n");
	/* A thermal limit is not somebody. */
	files_puts(f->dir, "sys/class/thermal/cooling_device1/cur_state", "2\n");
	put(f, "policy4/scaling_max_freq", "600000\n");
	assert_int_equal(f->m->ops->verify(f->m, A15, NULL), 0);
}

static void trip(struct fixture *f, unsigned int zone, unsigned int n, const char *type,
		 const char *temp)
{
	char name[128];

	snprintf(name, sizeof(name),
		 "sys/class/thermal/thermal_zone%u/trip_point_%u_type", zone, n);
	files_puts(f->dir, name, type);
	snprintf(name, sizeof(name),
		 "sys/class/thermal/thermal_zone%u/trip_point_%u_temp", zone, n);
	files_puts(f->dir, name, temp);
}

static void the_lowest_trip_that_cuts_the_clock_counts(void **state)
{
	struct fixture *f = *state;
	int32_t mc;

	begin(f);
	assert_int_equal(f->m->ops->read_trip(f->m, A15, &mc, NULL), -ENOENT);
	trip(f, 0, 0, "active\n", "50000\n");
	trip(f, 0, 1, "critical\n", "120000\n");
	assert_int_equal(f->m->ops->read_trip(f->m, A15, &mc, NULL), 0);
	assert_int_equal(mc, 120000);
	trip(f, 2, 3, "passive\n", "85000\n");
	trip(f, 3, 0, "passive\n", "0\n");
	trip(f, 3, 1, "hot\n", "-274000\n");
	assert_int_equal(f->m->ops->read_trip(f->m, A15, &mc, NULL), 0);
	assert_int_equal(mc, 85000);
}

static void count_throttles(struct fixture *f, const char *which, const char *count)
{
	char name[] = "sys/devices/system/cpu/cpu5/thermal_throttle", file[128];
	char *command = NULL;

	assert_true(asprintf(&command, "mkdir -p '%s'", files_path(f->dir, name)) > 0);
	assert_int_equal(system(command), 0);
	free(command);
	snprintf(file, sizeof(file), "%s/%s_throttle_count", name, which);
	files_puts(f->dir, file, count);
}

static uint64_t throttles(struct fixture *f, unsigned int cluster)
{
	struct usage u;

	assert_int_equal(f->m->ops->load_start(f->m, cluster, 0, "idle", NULL), 0);
	assert_int_equal(f->m->ops->read_usage(f->m, cluster, &u, NULL), 0);
	return u.throttles;
}

static void the_hardwares_own_throttling_counts_for_its_cluster(void **state)
{
	struct fixture *f = *state;
	bool yes;

	begin(f);
	assert_int_equal(throttles(f, A15), 0);
	count_throttles(f, "core", "41\n");
	assert_int_equal(throttles(f, A15), 41);
	count_throttles(f, "package", "1\n");
	assert_int_equal(throttles(f, A15), 42);
	assert_int_equal(throttles(f, A7), 0);
	/* What has been is no limit now. */
	assert_int_equal(f->m->ops->throttled(f->m, A15, &yes, NULL), 0);
	assert_false(yes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(other_clusters_stand_at_their_lowest_clock),
		TEST(a_cluster_that_cannot_be_parked_is_told_and_left_alone),
		TEST(our_own_thread_leaves_the_measured_cpus),
		TEST(where_all_cpus_are_measured_our_own_thread_takes_the_last_loaded),
		TEST(where_all_cpus_are_measured_interrupts_go_to_the_last_loaded),
		TEST(settings_that_are_stolen_are_told_and_taken_back),
		TEST(the_lowest_trip_that_cuts_the_clock_counts),
		TEST(the_hardwares_own_throttling_counts_for_its_cluster),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

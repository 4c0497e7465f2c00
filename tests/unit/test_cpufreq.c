// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpufreq policies and clusters, on trees where a write changes the file written to
 * alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calib/linux/cpufreq.h"
#include "calib/linux/topology.h"
#include "files.h"

#include "fake.h"

struct fixture {
	char *dir;
	struct sysfs sys;
	struct cpufreq_policy p;
	struct state st;
	struct topology topo;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->dir = fake_xu3("");
	assert_int_equal(sysfs_init(&f->sys, f->dir, NULL), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	state_close(&f->st);
	files_remove(f->dir);
	free(f);
	return 0;
}

static void put(struct fixture *f, const char *name, const char *text)
{
	fake_put(fake_cpufreq(f->dir, name), text);
}

static void expect(struct fixture *f, const char *name, const char *text)
{
	fake_expect(fake_cpufreq(f->dir, name), text);
}

static void without(struct fixture *f, const char *name)
{
	assert_int_equal(unlink(fake_cpufreq(f->dir, name)), 0);
}

static void read_policy(struct fixture *f, unsigned int id)
{
	struct err err = { "" };

	if (cpufreq_read(&f->sys, id, &f->p, &err))
		fail_msg("%s", err.msg);
}

static void take(struct fixture *f, uint32_t *max_khz)
{
	bool recovered;

	assert_int_equal(state_open(&f->st, &f->sys, &recovered, NULL), 0);
	assert_int_equal(cpufreq_save(&f->st, &f->p, NULL), 0);
	assert_int_equal(state_commit(&f->st, NULL), 0);
	assert_int_equal(cpufreq_take(&f->sys, &f->p, max_khz, NULL), 0);
}

static void lists_parse_in_any_order(void **state)
{
	struct fixture *f = *state;

	put(f, "policy4/scaling_available_frequencies",
	    "2000000 1807000 1402000 897000 1402000 \n");
	put(f, "policy4/related_cpus", "4-7\n");
	read_policy(f, 4);
	assert_int_equal(f->p.khz_count, 4);
	assert_int_equal(f->p.khz[0], 897000);
	assert_int_equal(f->p.khz[3], 2000000);
	assert_int_equal(f->p.related_count, 4);
	assert_int_equal(f->p.related[3], 7);
	assert_true(f->p.has_list);
	assert_int_equal(f->p.way, CPUFREQ_SETSPEED);
}

static void boost_clocks_count_only_while_boost_is_on(void **state)
{
	struct fixture *f = *state;

	put(f, "policy0/scaling_boost_frequencies", "1512000 \n");
	put(f, "boost", "0\n");
	read_policy(f, 0);
	assert_int_equal(f->p.khz_count, 13);
	assert_int_equal(f->p.boost_count, 1);
	assert_int_equal(f->p.boost_khz[0], 1512000);
	assert_false(f->p.boost_on);
	put(f, "boost", "1\n");
	read_policy(f, 0);
	assert_true(f->p.boost_on);
	assert_int_equal(f->p.khz_count, 14);
	assert_int_equal(f->p.khz[13], 1512000);
	/* The policy's own switch wins. */
	put(f, "policy0/boost", "0\n");
	read_policy(f, 0);
	assert_false(f->p.boost_on);
}

static void without_a_list_points_are_spread_between_the_limits(void **state)
{
	struct fixture *f = *state;
	unsigned int i;

	without(f, "policy0/scaling_available_frequencies");
	put(f, "policy0/cpuinfo_min_freq", "800000\n");
	put(f, "policy0/cpuinfo_max_freq", "4200000\n");
	read_policy(f, 0);
	assert_false(f->p.has_list);
	assert_in_range(f->p.khz_count, 8, 16);
	assert_int_equal(f->p.khz[0], 800000);
	assert_int_equal(f->p.khz[f->p.khz_count - 1], 4200000);
	for (i = 1; i < f->p.khz_count; i++) {
		assert_true(f->p.khz[i] > f->p.khz[i - 1]);
		assert_int_equal(f->p.khz[i] % 100000, 0);
	}
	put(f, "policy0/cpuinfo_max_freq", "800000\n");
	read_policy(f, 0);
	assert_int_equal(f->p.khz_count, 1);
}

static void limits_that_make_no_range_are_refused(void **state)
{
	struct fixture *f = *state;
	struct err err;

	put(f, "policy0/cpuinfo_max_freq", "100000\n");
	assert_int_equal(cpufreq_read(&f->sys, 0, &f->p, &err), -EINVAL);
	assert_string_equal(err.msg, "policy0: cpuinfo_min_freq 200000 and "
				     "cpuinfo_max_freq 100000 make no range");
	put(f, "policy0/cpuinfo_max_freq", "<unknown>\n");
	assert_int_equal(cpufreq_read(&f->sys, 0, &f->p, &err), -ENOTSUP);
	put(f, "policy0/cpuinfo_max_freq", "1400000\n");
	put(f, "policy0/scaling_available_frequencies", "200000 300MHz\n");
	assert_int_equal(cpufreq_read(&f->sys, 0, &f->p, &err), -EINVAL);
	assert_string_equal(err.msg, "policy0: '300MHz' in scaling_available_frequencies "
				     "is not a clock in kHz");
	put(f, "policy0/affected_cpus", "0 1 x\n");
	assert_int_equal(cpufreq_read(&f->sys, 0, &f->p, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "affected_cpus '0 1 x'"));
}

static void intel_pstate_in_active_mode_says_what_to_do(void **state)
{
	struct fixture *f = *state;
	struct err err;

	put(f, "policy0/scaling_driver", "intel_pstate\n");
	put(f, "policy0/scaling_available_governors", "performance powersave \n");
	read_policy(f, 0);
	assert_int_equal(f->p.way, CPUFREQ_CLAMP);
	assert_int_equal(cpufreq_can_pin(&f->p, &err), -ENOTSUP);
	assert_string_equal(
		err.msg,
		"policy0: driver intel_pstate has no userspace governor (active mode); "
		"write 'passive' to /sys/devices/system/cpu/intel_pstate/status or boot "
		"with intel_pstate=passive");
	/* A governor whose name only holds the word is another one. */
	put(f, "policy0/scaling_available_governors", "notuserspace userspace2 \n");
	read_policy(f, 0);
	assert_int_equal(f->p.way, CPUFREQ_CLAMP);
}

static void pinning_writes_governor_and_clock_and_restores_bytes(void **state)
{
	struct fixture *f = *state;
	char *before, *after;
	uint32_t max_khz, khz;

	before = fake_dump(f->dir, "scaling_setspeed");
	read_policy(f, 4);
	take(f, &max_khz);
	assert_int_equal(max_khz, 2000000);
	expect(f, "policy4/scaling_governor", "userspace\n");
	assert_int_equal(cpufreq_pin(&f->sys, &f->p, 1400000, NULL, NULL), 0);
	expect(f, "policy4/scaling_setspeed", "1400000\n");
	assert_int_equal(cpufreq_cur_khz(&f->sys, &f->p, true, &khz, NULL), 0);
	assert_int_equal(khz, 1400000);
	assert_int_equal(state_restore(&f->st, NULL), 0);
	after = fake_dump(f->dir, "scaling_setspeed");
	assert_string_equal(before, after);
	/* Under another governor setspeed reads "<unsupported>": that is never written.
	 */
	expect(f, "policy4/scaling_setspeed", "1400000\n");
	free(before);
	free(after);
}

static void a_clock_that_was_set_before_comes_back(void **state)
{
	struct fixture *f = *state;
	char *before, *after;
	uint32_t max_khz;

	put(f, "policy4/scaling_governor", "userspace\n");
	put(f, "policy4/scaling_setspeed", "700000\n");
	before = fake_dump(f->dir, "");
	read_policy(f, 4);
	take(f, &max_khz);
	assert_int_equal(cpufreq_pin(&f->sys, &f->p, 1400000, NULL, NULL), 0);
	assert_int_equal(state_restore(&f->st, NULL), 0);
	after = fake_dump(f->dir, "");
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void a_clamped_maximum_is_raised_and_put_back(void **state)
{
	struct fixture *f = *state;
	uint32_t max_khz;

	put(f, "policy4/scaling_max_freq", "800000\n");
	read_policy(f, 4);
	take(f, &max_khz);
	assert_int_equal(max_khz, 2000000);
	expect(f, "policy4/scaling_max_freq", "2000000\n");
	assert_int_equal(cpufreq_pin(&f->sys, &f->p, 2000000, NULL, NULL), 0);
	assert_int_equal(state_restore(&f->st, NULL), 0);
	expect(f, "policy4/scaling_max_freq", "800000\n");
}

static void a_maximum_that_stays_down_puts_clocks_out_of_reach(void **state)
{
	struct fixture *f = *state;
	uint32_t max_khz;
	struct err err;

	read_policy(f, 4);
	take(f, &max_khz);
	/* What a thermal limit does: the kernel folds it into this file. */
	put(f, "policy4/scaling_max_freq", "900000\n");
	assert_int_equal(cpufreq_pin(&f->sys, &f->p, 2000000, NULL, &err), -EIO);
	assert_non_null(strstr(err.msg,
			       "policy4: 2000000 kHz is out of reach: the kernel "
			       "keeps scaling_max_freq at 900000"));
	expect(f, "policy4/scaling_setspeed", "<unsupported>\n");
	assert_int_equal(cpufreq_pin(&f->sys, &f->p, 900000, NULL, &err), 0);
}

/* A file of this process that keeps some bits of what is written stands in. */
static void a_driver_that_makes_another_clock_says_which(void **state)
{
	struct fixture *f = *state;
	uint32_t max_khz;
	struct err err;

	without(f, "policy4/scaling_available_frequencies");
	read_policy(f, 4);
	take(f, &max_khz);
	without(f, "policy4/scaling_setspeed");
	assert_int_equal(symlink("/proc/self/coredump_filter",
				 fake_cpufreq(f->dir, "policy4/scaling_setspeed")),
			 0);
	assert_int_equal(cpufreq_pin(&f->sys, &f->p, 800000, NULL, &err), -EIO);
	assert_non_null(strstr(err.msg, "policy4: asked for 800000 kHz, driver "
					"cpufreq-dt makes it "));
}

static void a_stolen_governor_is_an_error(void **state)
{
	struct fixture *f = *state;
	uint32_t max_khz;
	struct err err;

	read_policy(f, 4);
	take(f, &max_khz);
	put(f, "policy4/scaling_governor", "schedutil\n");
	assert_int_equal(cpufreq_pin(&f->sys, &f->p, 800000, NULL, &err), -EIO);
	assert_non_null(strstr(err.msg, "policy4: governor is 'schedutil', no longer "
					"userspace"));
}

static void assert_differs(struct fixture *f, uint32_t khz, int ret, const char *text)
{
	struct err err = { "" };

	assert_int_equal(cpufreq_verify(&f->sys, &f->p, khz, false, &err), ret);
	assert_string_equal(err.msg, text);
}

static void assert_changed(struct fixture *f, uint32_t khz, const char *text)
{
	assert_differs(f, khz, -EBUSY, text);
}

static void assert_plugged(struct fixture *f, const char *text)
{
	assert_differs(f, 0, -ENODEV, text);
}

static void what_somebody_changed_is_named(void **state)
{
	struct fixture *f = *state;
	uint32_t max_khz;

	read_policy(f, 4);
	take(f, &max_khz);
	assert_int_equal(cpufreq_verify(&f->sys, &f->p, 0, false, NULL), 0);
	assert_int_equal(cpufreq_pin(&f->sys, &f->p, 800000, NULL, NULL), 0);
	assert_int_equal(cpufreq_verify(&f->sys, &f->p, 800000, false, NULL), 0);
	put(f, "policy4/scaling_governor", "schedutil\n");
	assert_changed(f, 800000,
		       "policy4: somebody changed scaling_governor from userspace to "
		       "schedutil");
	put(f, "policy4/scaling_governor", "userspace\n");
	put(f, "policy4/scaling_setspeed", "900000\n");
	assert_changed(f, 800000,
		       "policy4: somebody changed scaling_setspeed from 800000 to "
		       "900000");
	put(f, "policy4/scaling_setspeed", "800000\n");
	put(f, "policy4/scaling_min_freq", "1000000\n");
	assert_changed(f, 800000,
		       "policy4: somebody changed scaling_min_freq from 800000 to "
		       "1000000");
	put(f, "policy4/scaling_min_freq", "200000\n");
	put(f, "policy4/scaling_max_freq", "600000\n");
	assert_changed(f, 800000,
		       "policy4: somebody changed scaling_max_freq from 800000 to "
		       "600000");
	/* A thermal limit lowers the clock and what these files say. */
	put(f, "policy4/scaling_setspeed", "600000\n");
	assert_int_equal(cpufreq_verify(&f->sys, &f->p, 800000, true, NULL), 0);
}

/* In place of libc's: what the kernel does meanwhile. */
static struct fixture *resyncs;

int usleep(useconds_t us)
{
	assert_true(us >= 1000);
	if (resyncs)
		put(resyncs, "policy4/scaling_setspeed", "800000\n");
	return 0;
}

static void a_clock_that_the_kernel_sets_again_is_not_stolen(void **state)
{
	struct fixture *f = *state;
	uint32_t max_khz;

	read_policy(f, 4);
	take(f, &max_khz);
	assert_int_equal(cpufreq_pin(&f->sys, &f->p, 800000, NULL, NULL), 0);
	put(f, "policy4/scaling_setspeed", "560000\n");
	resyncs = f;
	assert_int_equal(cpufreq_verify(&f->sys, &f->p, 800000, false, NULL), 0);
	resyncs = NULL;
	put(f, "policy4/scaling_setspeed", "560000\n");
	assert_changed(f, 800000,
		       "policy4: somebody changed scaling_setspeed from 800000 to "
		       "560000");
}

static void the_hardware_is_asked_for_its_clock_under_load_only(void **state)
{
	struct fixture *f = *state;
	uint32_t khz;

	read_policy(f, 4);
	put(f, "policy4/scaling_setspeed", "800000\n");
	put(f, "policy4/cpuinfo_cur_freq", "560000\n");
	assert_int_equal(cpufreq_cur_khz(&f->sys, &f->p, true, &khz, NULL), 0);
	assert_int_equal(khz, 560000);
	assert_int_equal(cpufreq_cur_khz(&f->sys, &f->p, false, &khz, NULL), 0);
	assert_int_equal(khz, 800000);
	put(f, "policy4/cpuinfo_cur_freq", "<unknown>\n");
	assert_int_equal(cpufreq_cur_khz(&f->sys, &f->p, true, &khz, NULL), 0);
	assert_int_equal(khz, 800000);
}

static void cpus_that_went_or_came_are_named(void **state)
{
	struct fixture *f = *state;
	uint32_t max_khz;

	put(f, "policy4/affected_cpus", "4 5 6\n");
	read_policy(f, 4);
	take(f, &max_khz);
	assert_int_equal(cpufreq_verify(&f->sys, &f->p, 0, false, NULL), 0);
	put(f, "policy4/affected_cpus", "4 6\n");
	assert_plugged(f, "policy4: CPU 5 went offline");
	put(f, "policy4/affected_cpus", "4 5\n");
	assert_plugged(f, "policy4: CPU 6 went offline");
	put(f, "policy4/affected_cpus", "\n");
	assert_plugged(f, "policy4: CPU 4 went offline");
	put(f, "policy4/affected_cpus", "4 5 6 7\n");
	assert_plugged(f, "policy4: CPU 7 came online");
}

static void limits_that_somebody_changed_are_named(void **state)
{
	struct fixture *f = *state;
	uint32_t max_khz;

	put(f, "policy4/scaling_available_governors", "performance schedutil\n");
	read_policy(f, 4);
	take(f, &max_khz);
	assert_int_equal(cpufreq_pin(&f->sys, &f->p, 600000, NULL, NULL), 0);
	assert_int_equal(cpufreq_verify(&f->sys, &f->p, 600000, false, NULL), 0);
	put(f, "policy4/scaling_max_freq", "2000000\n");
	assert_changed(f, 600000,
		       "policy4: somebody changed scaling_max_freq from 600000 to "
		       "2000000");
}

static void a_governor_that_does_not_change_is_an_error(void **state)
{
	struct fixture *f = *state;
	uint32_t max_khz;
	struct err err;

	read_policy(f, 4);
	without(f, "policy4/scaling_governor");
	assert_int_equal(
		symlink("/dev/null", fake_cpufreq(f->dir, "policy4/scaling_governor")),
		0);
	assert_int_equal(cpufreq_take(&f->sys, &f->p, &max_khz, &err), -EIO);
	assert_non_null(
		strstr(err.msg, "scaling_governor: wrote 'userspace', it reads ''"));
}

static void without_userspace_both_limits_are_moved(void **state)
{
	struct fixture *f = *state;
	char *before, *after;
	uint32_t max_khz;

	put(f, "policy4/scaling_available_governors", "performance schedutil\n");
	before = fake_dump(f->dir, "");
	read_policy(f, 4);
	take(f, &max_khz);
	assert_int_equal(cpufreq_pin(&f->sys, &f->p, 600000, NULL, NULL), 0);
	expect(f, "policy4/scaling_min_freq", "600000\n");
	expect(f, "policy4/scaling_max_freq", "600000\n");
	assert_int_equal(cpufreq_pin(&f->sys, &f->p, 1800000, NULL, NULL), 0);
	expect(f, "policy4/scaling_min_freq", "1800000\n");
	expect(f, "policy4/scaling_max_freq", "1800000\n");
	expect(f, "policy4/scaling_governor", "ondemand\n");
	assert_int_equal(state_restore(&f->st, NULL), 0);
	after = fake_dump(f->dir, "");
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void two_policies_get_their_own_governors_back(void **state)
{
	struct fixture *f = *state;
	uint32_t max_khz;

	put(f, "policy0/scaling_governor", "schedutil\n");
	read_policy(f, 4);
	take(f, &max_khz);
	read_policy(f, 0);
	assert_int_equal(cpufreq_save(&f->st, &f->p, NULL), 0);
	assert_int_equal(cpufreq_take(&f->sys, &f->p, &max_khz, NULL), 0);
	expect(f, "policy0/scaling_governor", "userspace\n");
	assert_int_equal(state_restore(&f->st, NULL), 0);
	expect(f, "policy0/scaling_governor", "schedutil\n");
	expect(f, "policy4/scaling_governor", "ondemand\n");
}

static void clusters_are_named_after_their_cores(void **state)
{
	struct fixture *f = *state;
	const struct topology_cluster *c;

	assert_int_equal(topology_read(&f->sys, NULL, false, &f->topo, NULL), 0);
	assert_int_equal(f->topo.cluster_count, 2);
	c = &f->topo.clusters[0];
	assert_string_equal(c->name, "a7");
	assert_string_equal(c->compatible, "arm,cortex-a7");
	assert_int_equal(c->capacity_dmips_mhz, 539);
	assert_int_equal(c->cpu_count, 4);
	assert_int_equal(c->reg[3], 0x103);
	c = &f->topo.clusters[1];
	assert_string_equal(c->name, "a15");
	assert_int_equal(c->cpus[0], 4);
	assert_int_equal(c->reg[0], 0);
	assert_int_equal(c->reg_count, 4);
}

static void offline_cpus_are_not_of_the_cluster(void **state)
{
	struct fixture *f = *state;
	struct err err;

	put(f, "policy0/affected_cpus", "0 1\n");
	put(f, "policy4/affected_cpus", "\n");
	without(f, "policy4/scaling_governor");
	assert_int_equal(topology_read(&f->sys, NULL, false, &f->topo, NULL), 0);
	assert_int_equal(f->topo.cluster_count, 1);
	assert_int_equal(f->topo.clusters[0].cpu_count, 2);
	assert_int_equal(f->topo.offline_count, 1);
	assert_int_equal(f->topo.offline[0], 4);
	put(f, "policy0/affected_cpus", "\n");
	assert_int_equal(topology_read(&f->sys, NULL, false, &f->topo, &err), -ENODEV);
	assert_non_null(
		strstr(err.msg, "all CPUs of all 2 cpufreq policies are offline"));
}

static void clusters_of_one_core_are_told_apart_by_policy(void **state)
{
	struct fixture *f = *state;

	fake_put(files_path(f->dir, "sys/firmware/devicetree/base/cpus/cpu@0/compatible"),
		 "arm,cortex-a7");
	assert_int_equal(topology_read(&f->sys, NULL, false, &f->topo, NULL), 0);
	assert_string_equal(f->topo.clusters[0].name, "a7-policy0");
	assert_string_equal(f->topo.clusters[1].name, "a7-policy4");
}

static void without_a_tree_clusters_are_policies_or_kinds_of_core(void **state)
{
	struct fixture *f = *state;
	char *command = NULL;

	assert_true(asprintf(&command, "rm -rf '%s/sys/firmware'", f->dir) > 0);
	assert_int_equal(system(command), 0);
	free(command);
	assert_int_equal(topology_read(&f->sys, NULL, false, &f->topo, NULL), 0);
	assert_string_equal(f->topo.clusters[0].name, "policy0");
	assert_string_equal(f->topo.clusters[1].name, "policy4");
	assert_int_equal(f->topo.clusters[0].reg_count, 0);
	mkdir(files_path(f->dir, "sys/devices/cpu_core"), 0755);
	mkdir(files_path(f->dir, "sys/devices/cpu_atom"), 0755);
	fake_put(files_path(f->dir, "sys/devices/cpu_core/cpus"), "0-3\n");
	fake_put(files_path(f->dir, "sys/devices/cpu_atom/cpus"), "4-7\n");
	assert_int_equal(topology_read(&f->sys, NULL, false, &f->topo, NULL), 0);
	assert_string_equal(f->topo.clusters[0].name, "p");
	assert_string_equal(f->topo.clusters[1].name, "e");
}

static void no_policy_says_what_to_try(void **state)
{
	unsigned int ids[CPUFREQ_MAX_POLICIES];
	struct fixture *f = *state;
	struct sysfs none;
	struct err err;

	assert_int_equal(mkdir(files_path(f->dir, "none"), 0700), 0);
	assert_int_equal(sysfs_init(&none, files_path(f->dir, "none"), NULL), 0);
	assert_int_equal(cpufreq_list(&none, ids, &err), -ENODEV);
	assert_non_null(strstr(err.msg, "no cpufreq: "));
	assert_non_null(strstr(err.msg, "try --board virtual:odroid-xu3"));
	assert_null(strchr(err.msg, '\n'));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(lists_parse_in_any_order),
		T(boost_clocks_count_only_while_boost_is_on),
		T(without_a_list_points_are_spread_between_the_limits),
		T(limits_that_make_no_range_are_refused),
		T(intel_pstate_in_active_mode_says_what_to_do),
		T(pinning_writes_governor_and_clock_and_restores_bytes),
		T(a_clock_that_was_set_before_comes_back),
		T(a_clamped_maximum_is_raised_and_put_back),
		T(a_maximum_that_stays_down_puts_clocks_out_of_reach),
		T(a_driver_that_makes_another_clock_says_which),
		T(a_stolen_governor_is_an_error),
		T(what_somebody_changed_is_named),
		T(a_clock_that_the_kernel_sets_again_is_not_stolen),
		T(the_hardware_is_asked_for_its_clock_under_load_only),
		T(cpus_that_went_or_came_are_named),
		T(limits_that_somebody_changed_are_named),
		T(a_governor_that_does_not_change_is_an_error),
		T(without_userspace_both_limits_are_moved),
		T(two_policies_get_their_own_governors_back),
		T(clusters_are_named_after_their_cores),
		T(offline_cpus_are_not_of_the_cluster),
		T(clusters_of_one_core_are_told_apart_by_policy),
		T(without_a_tree_clusters_are_policies_or_kinds_of_core),
		T(no_policy_says_what_to_try),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

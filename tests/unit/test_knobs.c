// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Governor and EPP: parsed, checked, set and put back, on a fake Odroid-XU3 that has been
 * given EPPs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "calib/bench/knobs.h"
#include "files.h"

#include "fake.h"

struct fixture {
	char *dir, *before;
	struct sysfs sys;
	struct settings settings;
	struct knobs k;
};

static void put(struct fixture *f, const char *name, const char *text)
{
	fake_put(fake_cpufreq(f->dir, name), text);
}

static void expect(struct fixture *f, const char *name, const char *text)
{
	fake_expect(fake_cpufreq(f->dir, name), text);
}

static void give_epp(struct fixture *f, const char *policy)
{
	char name[128];

	snprintf(name, sizeof(name), "%s/energy_performance_available_preferences",
		 policy);
	put(f, name, "default performance balance_performance power \n");
	snprintf(name, sizeof(name), "%s/energy_performance_preference", policy);
	put(f, name, "balance_performance\n");
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->dir = fake_xu3("");
	give_epp(f, "policy0");
	give_epp(f, "policy4");
	assert_int_equal(mkdir(fake_cpufreq(f->dir, "ondemand"), 0755), 0);
	put(f, "ondemand/up_threshold", "80\n");
	assert_int_equal(sysfs_init(&f->sys, f->dir, NULL), 0);
	settings_init(&f->settings, &f->sys, NULL, NULL);
	assert_int_equal(knobs_open(&f->k, &f->settings, NULL), 0);
	f->before = fake_dump(f->dir, "");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	settings_close(&f->settings);
	files_remove(f->dir);
	free(f->before);
	free(f);
	return 0;
}

static void apply(struct fixture *f, const char *text)
{
	struct knobs_combo c;
	struct err err = { "" };

	if (knobs_parse(text, &c, &err) || knobs_apply(&f->k, &c, &err))
		fail_msg("%s", err.msg);
}

static void expect_as_before(struct fixture *f)
{
	char *now = fake_dump(f->dir, "");

	assert_string_equal(now, f->before);
	free(now);
}

static void refused(struct fixture *f, const char *text, int code, const char *why)
{
	struct knobs_combo c;
	struct err err = { "" };

	assert_int_equal(knobs_parse(text, &c, &err), 0);
	assert_int_equal(knobs_apply(&f->k, &c, &err), code);
	assert_string_equal(err.msg, why);
	expect_as_before(f);
}

static void combinations_parse_and_print_the_same(void **state)
{
	static const struct {
		const char *text, *name;
	} each[] = {
		{ "", "as set" },
		{ "mode=passive", "passive" },
		{ "mode=active,epp=power", "active power" },
		{ "governor=schedutil", "schedutil" },
		{ "epp=power", "power" },
		{ "governor=powersave,epp=balance_power,policy=0,policy=4",
		  "powersave/balance_power" },
	};
	struct knobs_combo c;
	char out[128];

	(void)state;
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		assert_int_equal(knobs_parse(each[i].text, &c, NULL), 0);
		assert_string_equal(knobs_name(&c, out, sizeof(out)), each[i].name);
	}
	assert_int_equal(c.policy_count, 2);
	assert_int_equal(c.policies[0], 0);
	assert_int_equal(c.policies[1], 4);
}

static void options_make_a_combination_whole_or_not_at_all(void **state)
{
	char many[2048] = "powersave", out[128];
	struct knobs_combo c;
	struct err err;

	(void)state;
	assert_int_equal(knobs_of(NULL, NULL, &c, NULL), 0);
	assert_true(knobs_empty(&c));
	assert_int_equal(knobs_of("powersave,policy=4", "power", &c, NULL), 0);
	assert_string_equal(knobs_name(&c, out, sizeof(out)), "powersave/power");
	assert_int_equal(c.policy_count, 1);
	assert_int_equal(c.policies[0], 4);
	/* 30 are more than 128 letters. */
	for (unsigned int i = 10; i < 40; i++)
		sprintf(many + strlen(many), ",policy=%u", i);
	assert_int_equal(knobs_of(many, NULL, &c, NULL), 0);
	assert_int_equal(c.policies[29], 39);
	while (strlen(many) < 1200)
		strcat(many, ",policy=1");
	assert_int_equal(knobs_of(many, NULL, &c, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "' is too long"));
}

static void what_is_no_combination_is_quoted(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "schedutil", "setting 'schedutil' is not governor=NAME, epp=NAME, "
			       "mode=NAME or policy=N" },
		{ "governor=", "governor '' is not a name" },
		{ "governor=../x", "governor '../x' is not a name" },
		{ "governor=a,governor=b", "'governor=' is given twice" },
		{ "epp=power,",
		  "setting '' is not governor=NAME, epp=NAME, mode=NAME or policy=N" },
		{ "policy=-1", "policy '-1' is not the N of a cpufreq policyN" },
		{ "governor=abcdefghijklmnopqrstuvwxyzabcdef",
		  "governor 'abcdefghijklmnopqrstuvwxyzabcdef' is not a name" },
	};
	struct knobs_combo c;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(knobs_parse(bad[i].text, &c, &err), -EINVAL);
		assert_string_equal(err.msg, bad[i].why);
	}
}

static void governors_and_epps_are_multiplied(void **state)
{
	struct knobs_combo c[4];
	struct err err;
	char name[80];

	(void)state;
	assert_int_equal(knobs_product(NULL, NULL, NULL, c, 4, NULL), 1);
	assert_string_equal(knobs_name(&c[0], name, sizeof(name)), "as set");
	assert_int_equal(knobs_product(NULL, "a,b", "x,y", c, 4, NULL), 4);
	assert_string_equal(knobs_name(&c[1], name, sizeof(name)), "a/y");
	assert_string_equal(knobs_name(&c[2], name, sizeof(name)), "b/x");
	assert_int_equal(knobs_product(NULL, "a,b,c,d,e", NULL, c, 4, &err), -ERANGE);
	assert_string_equal(err.msg, "more than 4 combinations of settings");
	assert_int_equal(knobs_product(NULL, "a,,b", NULL, c, 4, &err), -EINVAL);
	assert_string_equal(err.msg, "governor '' is not a name");
	assert_int_equal(knobs_product(NULL, "a,", NULL, c, 4, &err), -EINVAL);
	assert_int_equal(knobs_product(NULL, "a,b,a", NULL, c, 4, &err), -EINVAL);
	assert_string_equal(err.msg, "governor 'a' is given twice");
	assert_int_equal(knobs_product(NULL, "a", "x,x", c, 4, &err), -EINVAL);
	assert_string_equal(err.msg, "EPP 'x' is given twice");
	assert_int_equal(knobs_product("active,active", NULL, NULL, c, 4, &err), -EINVAL);
	assert_string_equal(err.msg, "mode 'active' is given twice");
}

static void settings_are_made_and_put_back(void **state)
{
	struct fixture *f = *state;

	apply(f, "governor=schedutil,epp=power");
	expect(f, "policy0/scaling_governor", "schedutil\n");
	expect(f, "policy4/scaling_governor", "schedutil\n");
	expect(f, "policy4/energy_performance_preference", "power\n");
	put(f, "ondemand/up_threshold", "95\n"); /* as a governor that starts anew */
	assert_int_equal(knobs_restore(&f->k, NULL), 0);
	expect(f, "policy0/scaling_governor", "ondemand\n");
	expect(f, "policy4/energy_performance_preference", "balance_performance\n");
	expect(f, "ondemand/up_threshold", "80\n");
	assert_int_equal(access(files_path(f->dir, "run/calib/state.json"), F_OK), -1);
}

static void named_policies_alone_are_set(void **state)
{
	struct fixture *f = *state;
	struct knobs_policy now;

	apply(f, "governor=powersave,policy=4");
	expect(f, "policy0/scaling_governor", "ondemand\n");
	assert_int_equal(knobs_describe(&f->k, 1, &now, NULL), 0);
	assert_int_equal(now.id, 4);
	assert_int_equal(now.cpu_count, 4);
	assert_string_equal(now.governor, "powersave");
	assert_string_equal(now.epp, "balance_performance");
	assert_string_equal(now.driver, "cpufreq-dt");
	assert_int_equal(now.max_khz, 2000000);
	assert_int_equal(knobs_describe(&f->k, 2, &now, NULL), -ENOENT);
}

static void what_a_combination_leaves_is_as_it_was_found(void **state)
{
	struct fixture *f = *state;

	apply(f, "governor=schedutil");
	apply(f, "epp=power");
	expect(f, "policy0/scaling_governor", "ondemand\n");
	expect(f, "policy0/energy_performance_preference", "power\n");
	apply(f, "");
	expect(f, "policy0/energy_performance_preference", "balance_performance\n");
}

static void what_is_not_offered_is_refused_with_what_is(void **state)
{
	struct fixture *f = *state;

	refused(f, "governor=performance", -EINVAL,
		"policy0: governor 'performance' is not offered; there are conservative "
		"userspace powersave ondemand schedutil ");
	refused(f, "governor=schedutil,epp=fast", -EINVAL,
		"policy0: EPP 'fast' is not offered; there are default performance "
		"balance_performance power ");
	refused(f, "governor=schedutil,policy=2", -ENODEV,
		"there is no cpufreq policy2 here");
}

static void a_driver_without_epp_says_so(void **state)
{
	struct fixture *f = *state;

	unlink(fake_cpufreq(f->dir, "policy4/energy_performance_available_preferences"));
	free(f->before);
	f->before = fake_dump(f->dir, "");
	refused(f, "epp=power", -ENOTSUP,
		"policy4: the driver has no EPP to set (there is no "
		"energy_performance_available_preferences)");
}

static void active_drivers_have_one_epp_for_performance(void **state)
{
	struct fixture *f = *state;

	put(f, "policy0/scaling_driver", "intel_pstate\n");
	put(f, "policy0/scaling_available_governors", "performance powersave\n");
	assert_int_equal(knobs_open(&f->k, &f->settings, NULL), 0);
	free(f->before);
	f->before = fake_dump(f->dir, "");
	refused(f, "governor=performance,epp=power,policy=0", -EINVAL,
		"policy0: driver intel_pstate takes no EPP 'power' under the governor "
		"performance; powersave does");
	apply(f, "governor=performance,epp=performance,policy=0");
	apply(f, "governor=powersave,epp=power,policy=0");
}

static void another_mode_comes_first_and_goes_back_first(void **state)
{
	struct fixture *f = *state;
	char *saved;

	refused(f, "mode=passive", -ENOTSUP,
		"the driver 'cpufreq-dt' has no modes to set (there is no "
		"intel_pstate/status and no amd_pstate/status)");
	assert_int_equal(
		mkdir(files_path(f->dir, "sys/devices/system/cpu/intel_pstate"), 0755),
		0);
	put(f, "../intel_pstate/status", "active\n");
	free(f->before);
	f->before = fake_dump(f->dir, "");
	refused(f, "mode=off", -EINVAL,
		"mode 'off' of a driver is not one of active passive guided");
	/* What the other mode offers is known only then. */
	refused(f, "mode=passive,governor=unheard", -EINVAL,
		"policy0: governor 'unheard' is not offered; there are conservative "
		"userspace powersave ondemand schedutil ");
	apply(f, "mode=passive,governor=schedutil,policy=4");
	expect(f, "../intel_pstate/status", "passive\n");
	expect(f, "policy4/scaling_governor", "schedutil\n");
	saved = files_get(files_path(f->dir, "run/calib/state.json"));
	assert_true(strstr(saved, "intel_pstate/status") <
		    strstr(saved, "policy0/scaling_governor"));
	assert_true(strstr(saved, "policy0/scaling_governor") <
		    strstr(saved, "policy0/scaling_max_freq"));
	free(saved);
	assert_int_equal(knobs_restore(&f->k, NULL), 0);
	expect_as_before(f);
}

static void without_cpufreq_nothing_can_be_set(void **state)
{
	struct fixture *f = *state;
	struct settings none;
	struct sysfs bare;
	struct knobs k;
	struct knobs_combo c;
	struct err err;
	char *dir = files_folder();

	(void)f;
	assert_int_equal(sysfs_init(&bare, dir, NULL), 0);
	settings_init(&none, &bare, NULL, NULL);
	assert_int_equal(knobs_open(&k, &none, NULL), 0);
	assert_int_equal(k.policy_count, 0);
	assert_int_equal(knobs_parse("", &c, NULL), 0);
	assert_int_equal(knobs_apply(&k, &c, NULL), 0);
	assert_int_equal(knobs_parse("governor=schedutil", &c, NULL), 0);
	assert_int_equal(knobs_apply(&k, &c, &err), -ENODEV);
	assert_non_null(strstr(err.msg, "no cpufreq here"));
	settings_close(&none);
	files_remove(dir);
}

/* The guardian needs a moment; a machine that is busy, several. */
static bool comes_back(struct fixture *f)
{
	const struct timespec wait = { .tv_nsec = 10000000 };

	for (int i = 0; i < 3000; i++) {
		if (access(files_path(f->dir, "run/calib/state.json"), F_OK))
			return true;
		nanosleep(&wait, NULL);
	}
	return false;
}

static void settings_come_back_when_we_are_killed(void **state)
{
	struct fixture *f = *state;
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct knobs_combo c;

		if (knobs_parse("governor=schedutil", &c, NULL) ||
		    knobs_apply(&f->k, &c, NULL))
			_exit(1);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_true(comes_back(f));
	expect(f, "policy0/scaling_governor", "ondemand\n");
	expect(f, "policy4/scaling_governor", "ondemand\n");
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(combinations_parse_and_print_the_same),
		cmocka_unit_test(options_make_a_combination_whole_or_not_at_all),
		cmocka_unit_test(what_is_no_combination_is_quoted),
		cmocka_unit_test(governors_and_epps_are_multiplied),
		T(settings_are_made_and_put_back),
		T(named_policies_alone_are_set),
		T(what_a_combination_leaves_is_as_it_was_found),
		T(what_is_not_offered_is_refused_with_what_is),
		T(a_driver_without_epp_says_so),
		T(active_drivers_have_one_epp_for_performance),
		T(another_mode_comes_first_and_goes_back_first),
		T(without_cpufreq_nothing_can_be_set),
		T(settings_come_back_when_we_are_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

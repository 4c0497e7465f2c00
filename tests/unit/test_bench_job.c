// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Iterations of workloads in processes of their own, and how they end.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "calib/bench/workload.h"
#include "calib/measure/stop.h"
#include "tests/unit/files.h"

static void parse(const char *spec, struct workload_run *w)
{
	struct err err = { "" };

	if (workload_parse(spec, w, &err))
		fail_msg("%s", err.msg);
}

static void refuse(const char *spec, const char *why)
{
	struct workload_run w;
	struct err err = { "" };

	assert_int_equal(workload_parse(spec, &w, &err), -EINVAL);
	assert_string_equal(err.msg, why);
}

static void parameters_are_told_as_they_were_given(void **state)
{
	struct workload_run w;
	char text[512];

	(void)state;
	parse("messages", &w);
	assert_string_equal(workload_describe(&w, text, sizeof(text)),
			    "groups=10 senders=20 receivers=20 loops=1000 size=100 "
			    "via=socket as=processes");
	parse("messages:via=pipe,groups=3,as=threads", &w);
	assert_string_equal(workload_describe(&w, text, sizeof(text)),
			    "groups=3 senders=20 receivers=20 loops=1000 size=100 "
			    "via=pipe as=threads");
	assert_int_equal(w.type->units(&w), 3 * 20 * 20 * 1000);
	parse("rt-app:file=a=b.json", &w);
	assert_string_equal(workload_describe(&w, text, sizeof(text)), "file=a=b.json");
}

static void what_is_no_workload_is_refused_with_what_there_is(void **state)
{
	(void)state;
	refuse("",
	       "workload '' is not one of messages, pipe, periodic, rt-app; a command "
	       "goes behind '--'");
	refuse("message", "workload 'message' is not one of messages, pipe, periodic, "
			  "rt-app; a command goes behind '--'");
	refuse("pipe:", "workload 'pipe': '' is no PARAMETER=VALUE");
	refuse("pipe:loops", "workload 'pipe': 'loops' is no PARAMETER=VALUE");
	refuse("pipe:loop=1",
	       "workload 'pipe': no parameter 'loop'; its parameters are loops");
	refuse("pipe:loops=0", "workload 'pipe': loops '0' is not in 1..1000000000");
	refuse("pipe:loops=-1", "workload 'pipe': loops '-1' is not in 1..1000000000");
	refuse("pipe:loops=1,loops=2", "workload 'pipe': loops is given twice");
	refuse("messages:via=tcp",
	       "workload 'messages': via 'tcp' is not one of socket|pipe");
	refuse("messages:via=sock",
	       "workload 'messages': via 'sock' is not one of socket|pipe");
	refuse("rt-app",
	       "workload 'rt-app': file is missing: the JSON that describes its "
	       "tasks; write 'rt-app:file=...'");
}

/* Run once. */
static int go(struct workload_run *w, struct job_times *times, struct err *err)
{
	const struct job_task task = workload_task(w);
	struct job job = { 0 };
	int ret = job_start(&job, &task, err);

	*times = (struct job_times){ 0 };
	if (!ret)
		ret = job_go(&job, times, err);
	assert_int_equal(job.guard, 0);
	return ret;
}

static void run_spec(const char *spec, struct job_times *times)
{
	struct err err = { "" };
	struct workload_run w;

	parse(spec, &w);
	if (go(&w, times, &err))
		fail_msg("%s", err.msg);
	assert_true(times->time_ns > 0);
	assert_true(times->start_ns + times->time_ns <= stop_now_ns());
}

static void
messages_arrive_through_sockets_and_pipes_between_processes_and_threads(void **state)
{
	struct job_times times;

	(void)state;
	run_spec("messages:groups=2,senders=2,receivers=3,loops=5", &times);
	assert_false(times.counts_late);
	run_spec("messages:groups=2,senders=3,receivers=2,loops=5,via=pipe", &times);
	run_spec("messages:groups=2,senders=2,receivers=3,loops=5,as=threads", &times);
	run_spec("messages:groups=1,senders=1,receivers=1,loops=9,size=65536,via=pipe,"
		 "as=threads",
		 &times);
}

static void a_token_goes_there_and_back(void **state)
{
	struct job_times times;

	(void)state;
	run_spec("pipe:loops=10", &times);
}

static void periodic_tasks_wake_up_in_time_or_late(void **state)
{
	struct job_times times;

	(void)state;
	/* Each of 5 wake-ups of 2 tasks; the last one begins after 4 periods. */
	run_spec("periodic:tasks=2,period-us=2000,duration-ms=10,units=1", &times);
	assert_true(times.counts_late);
	assert_true(times.late <= 10);
	assert_true(times.time_ns >= 8000000);
	/* Work that takes many periods: but for the first wake-up, all are late. */
	run_spec("periodic:tasks=1,period-us=100,duration-ms=1,units=2000", &times);
	assert_true(times.late >= 9 && times.late <= 10);
}

static void busy_loops_are_calibrated_once_and_kept(void **state)
{
	struct err err = { "" };
	struct workload_run w;

	(void)state;
	parse("periodic:units=7", &w);
	assert_int_equal(w.type->prepare(&w, &err), 0);
	assert_int_equal(w.value[4], 7);
	parse("periodic:period-us=1000,duty=50", &w);
	assert_int_equal(w.type->prepare(&w, &err), 0);
	/* A unit is 512 dependent steps: 0.2 to 200 us on anything that runs Linux. */
	assert_in_range(w.value[4], 2, 2500);
	parse("periodic:period-us=2000,duration-ms=1", &w);
	assert_int_equal(w.type->prepare(&w, &err), -EINVAL);
	assert_string_equal(err.msg, "duration-ms is less than one period; nothing would "
				     "run");
}

static int run_script(const char *script, struct job_times *times, struct err *err)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct workload_run w;

	workload_of_command(argv, &w);
	return go(&w, times, err);
}

static void a_command_must_end_with_status_0(void **state)
{
	const char *const nowhere[] = { "/nowhere/x", NULL };
	struct err err = { "" };
	struct job_times times;
	struct workload_run w;

	(void)state;
	assert_int_equal(run_script("sleep 0.02", &times, &err), 0);
	assert_true(times.time_ns >= 20000000);
	assert_int_equal(run_script("exit 3", &times, &err), -ECHILD);
	assert_string_equal(err.msg, "'sh' ended with status 3; what it took is worth "
				     "nothing then");
	assert_int_equal(run_script("kill -9 $$", &times, &err), -ECHILD);
	assert_string_equal(err.msg, "'sh' was killed by signal 9 (Killed)");
	workload_of_command(nowhere, &w);
	assert_int_equal(go(&w, &times, &err), -ENOENT);
	assert_string_equal(err.msg,
			    "cannot run '/nowhere/x': No such file or directory");
}

static void a_job_that_is_killed_is_told(void **state)
{
	struct err err = { "" };
	struct job_times times;

	(void)state;
	/* Its parent is the process that measures. */
	assert_int_equal(run_script("kill -9 $PPID; sleep 60", &times, &err), -ECHILD);
	assert_string_equal(err.msg, "the workload's process died (killed, or out of "
				     "memory)");
}

static long read_pid(const char *path)
{
	char *text = files_get(path);
	long pid = strtol(text, NULL, 10);

	free(text);
	assert_true(pid > 0);
	return pid;
}

static void a_signal_ends_the_job_and_all_that_it_started(void **state)
{
	char *dir = files_folder(), *script;
	struct err err = { "" };
	struct job_times times;
	struct stop stop;

	(void)state;
	stop_begin(&stop);
	/* One that left its group, and the signal once that runs. */
	assert_true(asprintf(&script,
			     "setsid sh -c 'echo $$ > %s/left; kill -INT %d; sleep 60' & "
			     "sleep 60",
			     dir, (int)getpid()) > 0);
	assert_int_equal(run_script(script, &times, &err), -EINTR);
	assert_string_equal(err.msg, "interrupted");
	assert_int_equal(kill(read_pid(files_path(dir, "left")), 0), -1);
	assert_int_equal(errno, ESRCH);
	stop_drop();
	stop_end(&stop);
	free(script);
	files_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_are_told_as_they_were_given),
		cmocka_unit_test(what_is_no_workload_is_refused_with_what_there_is),
		cmocka_unit_test(
			messages_arrive_through_sockets_and_pipes_between_processes_and_threads),
		cmocka_unit_test(a_token_goes_there_and_back),
		cmocka_unit_test(periodic_tasks_wake_up_in_time_or_late),
		cmocka_unit_test(busy_loops_are_calibrated_once_and_kept),
		cmocka_unit_test(a_command_must_end_with_status_0),
		cmocka_unit_test(a_job_that_is_killed_is_told),
		cmocka_unit_test(a_signal_ends_the_job_and_all_that_it_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

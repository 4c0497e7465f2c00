// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SIGKILL at 200 random moments of a run on a fake Odroid-XU3, with the real code for the
 * machine, the runner and the run folder: the guardian puts everything back each time,
 * and what is resumed becomes what an uninterrupted run would be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "boards/rng.h"
#include "calib/linux/linux.h"
#include "calib/measure/resume.h"
#include "calib/measure/runner.h"
#include "calib/measure/stop.h"
#include "calib/samples.h"
#include "tests/unit/files.h"
#include "tests/unit/fake.h"

#define KILLS	200
#define SEED	20
#define CLUSTER 1	/* the A15, on CPU 1 */
#define LATEST	120000u /* us into a run that a kill comes, at most */
#define WARP	20	/* the machine's clock runs so many times faster */
#define FAST_US                                                                          \
	20000 /* the meter's interval by that clock: windows are short                   \
	       */

struct fixture {
	char *disk, *dir, *before;
	char run[PATH_MAX];
	uint32_t run_us; /* what an uninterrupted run takes */
	unsigned int runs, kills, done, resumed, in_control;
};

/* What one process does. */
struct job {
	struct machine *machine;
	struct machine_ops ops; /* of the machine, in a hurry */
	const struct machine_ops *real;
	struct runinfo info;
	struct plan plan;
	struct session session;
	struct resume resume;
	struct runner runner;
	struct err err;
};

static struct job job;

static const struct plan_options options = {
	.opps = "200,800,1400,2000", .cpus = "0,1", .rounds = 2, .seed = SEED
};

/* Windows of 5 ms, by ours. */
static void hurry(struct plan *plan)
{
	plan->timing.slot_ns = plan->timing.lead_ns = FAST_US * 1000;
	plan->timing.reads = 4;
}

static int begin(void *arg, struct err *err)
{
	int ret = session_begin(&job.session, err);

	(void)arg;
	if (ret || job.resume.cluster_count)
		return ret;
	job.resume.first_row = job.session.rows;
	resume_add_cluster(&job.resume, "a15", SEED, &job.plan);
	return resume_write(job.session.run, &job.resume, err);
}

static int append(void *arg, const struct sample *row, struct err *err)
{
	(void)arg;
	return session_append(&job.session, row, err);
}

/* What this machine does without cycle counters, a long look at the load, is not meant.
 */
static int read_usage(struct machine *m, unsigned int cluster, struct usage *u,
		      struct err *err)
{
	int ret = job.real->read_usage(m, cluster, u, err);

	u->counts_cycles = true;
	u->time_ns *= WARP;
	return ret;
}

static uint64_t now_ns(struct machine *m)
{
	return job.real->now_ns(m) * WARP;
}

static int sleep_until(struct machine *m, uint64_t ns, struct err *err)
{
	return job.real->sleep_until(m, ns / WARP, err);
}

static int read_power(struct machine *m, unsigned int cluster, struct reading *r,
		      struct err *err)
{
	int ret = job.real->read_power(m, cluster, r, err);

	r->time_ns *= WARP;
	return ret;
}

static int open_job(const struct fixture *f)
{
	struct linux_options opt = { .sysroot = f->dir, .online = true };
	int ret = linux_open(&opt, &job.machine, &job.err);

	if (ret)
		return ret;
	job.real = job.machine->ops;
	job.ops = *job.real;
	job.ops.read_usage = read_usage;
	job.ops.read_power = read_power;
	job.ops.now_ns = now_ns;
	job.ops.sleep_until = sleep_until;
	job.machine->ops = &job.ops;
	ret = job.machine->ops->discover(job.machine, &job.info, &job.err);
	job.info.clusters[CLUSTER].sensor_interval_us = FAST_US / 2;
	/* CPU 2 is not really there. */
	job.info.clusters[CLUSTER].cpu_count = 1;
	if (!ret)
		ret = session_open(&job.session, f->run, &job.info, true, &job.err);
	if (!ret)
		ret = plan_make(&options, &job.info, CLUSTER, &job.plan, &job.err);
	hurry(&job.plan);
	if (!ret)
		ret = resume_read(f->run, &job.resume, &job.err);
	if (ret == -ENOENT)
		return 0; /* nothing was begun yet */
	if (!ret)
		ret = resume_drop_done(&job.resume, 0, &job.session, &job.plan, &job.err);
	return ret;
}

static int carry_out(void)
{
	if (!job.plan.count)
		return 0;
	job.runner = (struct runner){
		.machine = job.machine,
		.info = &job.info,
		.plan = &job.plan,
		.hooks = { .arg = &job, .begin = begin, .row = append },
	};
	return runner_run(&job.runner, &job.err);
}

/* In a child: what 'calib measure --resume' does. Never returns. */
static void measure(const struct fixture *f)
{
	int ret = open_job(f);

	if (!ret)
		ret = carry_out();
	if (!ret)
		ret = session_close(&job.session, &job.err);
	if (ret)
		fprintf(stderr, "%s\n", job.err.msg);
	if (job.machine)
		job.machine->ops->close(job.machine);
	_exit(ret ? 1 : 0);
}

static void new_run(struct fixture *f)
{
	snprintf(f->run, sizeof(f->run), "%s/run%u", f->disk, f->runs++);
}

static char *settings(const struct fixture *f)
{
	static const char *const names[] = {
		"policy0/scaling_governor", "policy0/scaling_min_freq",
		"policy0/scaling_max_freq", "policy1/scaling_governor",
		"policy1/scaling_min_freq", "policy1/scaling_max_freq",
		"policy1/scaling_setspeed", "../cpu2/online",
	};
	char *all = calloc(1, 4096), *one;

	assert_non_null(all);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		one = files_get(fake_cpufreq(f->dir, names[i]));
		strcat(all, one);
		free(one);
	}
	return all;
}

static bool state_is_saved(const struct fixture *f)
{
	return !access(files_path(f->dir, "run/calib/state.json"), F_OK);
}

static void assert_restored(const struct fixture *f)
{
	char *now = settings(f);

	if (strcmp(now, f->before) != 0)
		fail_msg("after kill %u: '%s' is not '%s'", f->kills, now, f->before);
	free(now);
	assert_false(state_is_saved(f));
}

/* The guardian is ours once its parent is dead; it ends when all is back. */
static void wait_for_guardian(void)
{
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	assert_int_equal(errno, ECHILD);
}

/* One process that is killed @us into its work, or at its end where that comes first. */
static void measure_and_kill(struct fixture *f, uint32_t us)
{
	const struct timespec wait = { .tv_nsec = us * 1000l };
	pid_t pid = fork();
	int status;

	if (!pid)
		measure(f);
	assert_true(pid > 0);
	nanosleep(&wait, NULL);
	f->in_control += state_is_saved(f);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	wait_for_guardian();
	if (WIFSIGNALED(status))
		f->kills++;
	else
		assert_int_equal(WEXITSTATUS(status), 0);
	assert_restored(f);
}

static void measure_to_the_end(struct fixture *f)
{
	uint64_t begin_ns = stop_now_ns();
	pid_t pid = fork();
	int status;

	if (!pid)
		measure(f);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	f->run_us = (stop_now_ns() - begin_ns) / 1000;
	wait_for_guardian();
	assert_restored(f);
}

/* How many windows of the plan have a row; all of them in the plan's order, or fail. */
static size_t count_windows(const struct fixture *f, const struct plan *whole)
{
	struct samples s = { 0 };
	char path[PATH_MAX + 16];
	size_t count;

	snprintf(path, sizeof(path), "%s/samples.csv", f->run);
	if (access(path, F_OK) || samples_read(&s, path, NULL))
		return 0;
	count = s.count;
	assert_true(count <= whole->count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(s.rows[i].opp_khz, whole->windows[i].khz);
		assert_int_equal(s.rows[i].cpu_count, whole->windows[i].cpu_count);
		assert_string_equal(s.rows[i].load, whole->windows[i].load);
	}
	samples_free(&s);
	return count;
}

static void make_whole(const struct fixture *f, struct plan *whole)
{
	static struct runinfo info;
	struct linux_options opt = { .sysroot = f->dir };
	struct machine *m;
	struct err err;

	assert_int_equal(linux_open(&opt, &m, &err), 0);
	assert_int_equal(m->ops->discover(m, &info, &err), 0);
	assert_int_equal(plan_make(&options, &info, CLUSTER, whole, &err), 0);
	m->ops->close(m);
}

static void killed_at_200_moments_it_is_restored_and_resumes(void **state)
{
	struct fixture *f = *state;
	struct plan whole = { 0 };
	uint32_t latest_us;
	struct rng rng;

	if (!f)
		skip();
	make_whole(f, &whole);
	new_run(f);
	measure_to_the_end(f);
	assert_int_equal(count_windows(f, &whole), whole.count);
	new_run(f);
	rng_seed(&rng, SEED, 0);
	latest_us = f->run_us < LATEST ? f->run_us : LATEST;
	while (f->kills < KILLS) {
		size_t count;

		measure_and_kill(f, rng_uniform(&rng) * latest_us);
		count = count_windows(f, &whole);
		f->resumed += count && count < whole.count;
		if (count < whole.count)
			continue;
		f->done++;
		new_run(f);
	}
	measure_to_the_end(f);
	assert_int_equal(count_windows(f, &whole), whole.count);
	assert_int_equal(files_count(f->run), 3); /* samples.csv, board.json, plan.json */
	assert_int_equal(files_count(files_path(f->dir, "run/calib")), 1); /* the lock */
	print_message("# %u kills, %u with settings changed, %u with part of the rows; "
		      "%u runs completed in %u us each\n",
		      f->kills, f->in_control, f->resumed, f->done + 1, latest_us);
	/* Else the moments were none of a run's. */
	assert_true(f->in_control > KILLS / 4);
	assert_true(f->resumed > KILLS / 4);
	plan_free(&whole);
}

/* A disk of its own, in memory: what is synced there costs nothing. */
static int setup(void **state)
{
	char command[600];
	struct fixture *f;

	*state = NULL;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || !fake_namespace())
		return 0;
	f = calloc(1, sizeof(*f));
	assert_non_null(f);
	f->disk = files_folder();
	if (mount("none", f->disk, "tmpfs", 0, NULL)) {
		files_remove(f->disk);
		free(f);
		return 0;
	}
	setenv("TMPDIR", f->disk, 1);
	f->dir = fake_xu3("0 1");
	/* Without a thermometer nothing is warmed up first. */
	snprintf(command, sizeof(command), "rm -r '%s'",
		 files_path(f->dir, "sys/class/thermal"));
	assert_int_equal(system(command), 0);
	fake_put(fake_cpufreq(f->dir, "policy0/scaling_governor"), "conservative\n");
	fake_put(fake_cpufreq(f->dir, "policy1/scaling_governor"), "userspace\n");
	fake_put(fake_cpufreq(f->dir, "policy1/scaling_setspeed"), "800000\n");
	/* An A15 that is offline, and brought online for each run. */
	fake_put(fake_cpufreq(f->dir, "policy1/related_cpus"), "1 2\n");
	fake_put(fake_cpufreq(f->dir, "policy1/affected_cpus"), "1 2\n");
	assert_int_equal(mkdir(fake_cpufreq(f->dir, "../cpu2"), 0755), 0);
	fake_put(fake_cpufreq(f->dir, "../cpu2/online"), "0\n");
	f->before = settings(f);
	assert_true(fake_bind(f->dir));
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (!f)
		return 0;
	fake_unbind();
	umount2(f->disk, MNT_DETACH);
	rmdir(f->disk);
	free(f->disk);
	free(f->dir);
	free(f->before);
	free(f);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			killed_at_200_moments_it_is_restored_and_resumes, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

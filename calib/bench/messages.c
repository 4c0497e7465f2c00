// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Message passing as in hackbench: in each group every sender sends to every receiver,
 * each of which has a socket pair or a pipe of its own. Time runs from the moment at
 * which all tasks are let go until the last has ended, as 'perf bench sched messaging'
 * counts it, whose figures the defaults are but for the loops: with its 100, much of the
 * time is the end of 400 processes, which no scheduler's change touches, and an
 * iteration is over before a slow power meter has read twice.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calib/bench/workload.h"
#include "calib/measure/stop.h"

#define SIZE_MAX_BYTES 65536
#define STACK_BYTES    (256 * 1024)
#define SPARE_FILES    64

enum { GROUPS, SENDERS, RECEIVERS, LOOPS, SIZE, VIA, AS };
enum { VIA_SOCKET, VIA_PIPE };
enum { AS_PROCESSES, AS_THREADS };

struct messages;

struct task {
	const struct messages *all;
	int (*body)(const struct task *task, char *data);
	unsigned int group;
	int in_fd; /* a receiver's */
	pid_t pid;
	pthread_t thread;
	int ret; /* of a thread */
};

struct messages {
	uint64_t loops, size, senders, receivers;
	bool threads;
	int *out_fds; /* the receivers', all groups */
	int ready[2], go[2];
	struct task *tasks;
	unsigned int count, started;
};

static int transfer(ssize_t (*op)(int fd, char *data, size_t len), int fd, char *data,
		    size_t len)
{
	while (len) {
		ssize_t n = op(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EPIPE;
		data += n;
		len -= n;
	}
	return 0;
}

static ssize_t op_write(int fd, char *data, size_t len)
{
	return write(fd, data, len);
}

static ssize_t op_read(int fd, char *data, size_t len)
{
	return read(fd, data, len);
}

static int send_all(const struct task *t, char *data)
{
	const struct messages *m = t->all;
	const int *out = &m->out_fds[t->group * m->receivers];
	int ret = 0;

	for (uint64_t i = 0; i < m->loops; i++)
		for (uint64_t to = 0; to < m->receivers && !ret; to++)
			ret = transfer(op_write, out[to], data, m->size);
	return ret;
}

static int receive_all(const struct task *t, char *data)
{
	const struct messages *m = t->all;
	int ret = 0;

	for (uint64_t i = 0; i < m->loops * m->senders && !ret; i++)
		ret = transfer(op_read, t->in_fd, data, m->size);
	return ret;
}

/* All wait for the same byte, which nobody takes. */
static void wait_for_go(const struct messages *m)
{
	struct pollfd go = { .fd = m->go[0], .events = POLLIN };

	if (write(m->ready[1], "", 1) != 1)
		return;
	while (poll(&go, 1, -1) < 0 && errno == EINTR)
		;
}

static int run_task(const struct task *t)
{
	char *data = calloc(1, t->all->size);
	int ret = -ENOMEM;

	wait_for_go(t->all);
	if (data)
		ret = t->body(t, data);
	free(data);
	return ret;
}

static void *run_thread(void *arg)
{
	struct task *t = arg;

	t->ret = run_task(t);
	return NULL;
}

static int start_thread(struct task *t)
{
	pthread_attr_t attr;
	int ret;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	ret = -pthread_create(&t->thread, &attr, run_thread, t);
	pthread_attr_destroy(&attr);
	return ret;
}

static int start_process(struct task *t)
{
	t->pid = fork();
	if (!t->pid)
		_exit(-run_task(t));
	return t->pid < 0 ? -errno : 0;
}

static int start(struct messages *m, unsigned int group, int in_fd,
		 int (*body)(const struct task *t, char *data), struct err *err)
{
	struct task *t = &m->tasks[m->started];
	int ret;

	*t = (struct task){ .all = m, .body = body, .group = group, .in_fd = in_fd };
	ret = m->threads ? start_thread(t) : start_process(t);
	if (ret)
		return err_errno(err, ret, "cannot start %s %u of %u",
				 m->threads ? "thread" : "process", m->started + 1,
				 m->count);
	m->started++;
	return 0;
}

static int open_channel(uint64_t via, int fds[2], struct err *err)
{
	int ret = via == VIA_PIPE ? pipe(fds) : socketpair(AF_UNIX, SOCK_STREAM, 0, fds);

	return ret ? err_errno(err, -errno, "cannot make a channel for messages") : 0;
}

static int start_group(struct messages *m, unsigned int group, uint64_t via,
		       struct err *err)
{
	int *out = &m->out_fds[group * m->receivers], fds[2], ret = 0;

	for (uint64_t i = 0; i < m->receivers && !ret; i++) {
		ret = open_channel(via, fds, err);
		if (ret)
			return ret;
		out[i] = fds[1];
		ret = start(m, group, fds[0], receive_all, err);
		if (!m->threads)
			close(fds[0]);
	}
	for (uint64_t i = 0; i < m->senders && !ret; i++)
		ret = start(m, group, -1, send_all, err);
	for (uint64_t i = 0; i < m->receivers && !ret && !m->threads; i++)
		close(out[i]);
	return ret;
}

/* Threads have the channels of all groups open in one process. */
static int allow_files(uint64_t need, struct err *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return err_errno(err, -errno, "cannot read the limit of open files");
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < need)
		return err_set(err, -EMFILE,
			       "it needs %ju open files in one process and %ju are "
			       "allowed; take fewer groups, or raise 'ulimit -Hn'",
			       (uintmax_t)need, (uintmax_t)limit.rlim_max);
	if (limit.rlim_cur >= need)
		return 0;
	limit.rlim_cur = need;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return err_errno(err, -errno, "cannot raise the limit of open files");
	return 0;
}

static int wait_until_ready(const struct messages *m, struct err *err)
{
	char *bytes = malloc(m->count);
	int ret = bytes ? transfer(op_read, m->ready[0], bytes, m->count) : -ENOMEM;

	free(bytes);
	return ret ? err_errno(err, ret, "the tasks do not get ready") : 0;
}

static int messages_setup(struct workload_run *w, struct err *err)
{
	const uint64_t *v = w->value;
	uint64_t files = 2 * v[RECEIVERS] * (v[AS] == AS_THREADS ? v[GROUPS] : 1);
	struct messages *m = calloc(1, sizeof(*m));
	int ret;

	if (!m)
		return err_set(err, -ENOMEM, "out of memory");
	w->own = m;
	m->loops = v[LOOPS];
	m->size = v[SIZE];
	m->senders = v[SENDERS];
	m->receivers = v[RECEIVERS];
	m->threads = v[AS] == AS_THREADS;
	m->count = v[GROUPS] * (v[SENDERS] + v[RECEIVERS]);
	m->tasks = calloc(m->count, sizeof(*m->tasks));
	m->out_fds = calloc(v[GROUPS] * v[RECEIVERS], sizeof(*m->out_fds));
	if (!m->tasks || !m->out_fds)
		return err_set(err, -ENOMEM, "out of memory");
	ret = allow_files(files + SPARE_FILES, err);
	if (!ret && (pipe(m->ready) || pipe(m->go)))
		ret = err_errno(err, -errno, "cannot make a pipe");
	for (uint64_t g = 0; g < v[GROUPS] && !ret; g++)
		ret = start_group(m, g, v[VIA], err);
	return ret ? ret : wait_until_ready(m, err);
}

static int wait_for_task(struct task *t)
{
	int status;

	if (t->all->threads) {
		pthread_join(t->thread, NULL);
		return t->ret;
	}
	while (waitpid(t->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFSIGNALED(status))
		return -ECHILD;
	return -WEXITSTATUS(status);
}

static int messages_run(struct workload_run *w, struct job_times *times, struct err *err)
{
	struct messages *m = w->own;
	uint64_t start_ns = stop_now_ns();
	int ret = 0, one;

	if (write(m->go[1], "", 1) != 1)
		return err_errno(err, -errno, "cannot let the tasks go");
	for (unsigned int i = 0; i < m->count; i++) {
		one = wait_for_task(&m->tasks[i]);
		if (one && !ret)
			ret = err_errno(err, one, "task %u of %u failed", i + 1,
					m->count);
	}
	job_time(times, start_ns);
	return ret;
}

static uint64_t messages_units(const struct workload_run *w)
{
	const uint64_t *v = w->value;

	return v[GROUPS] * v[SENDERS] * v[RECEIVERS] * v[LOOPS];
}

/* A message sent and received costs a few microseconds of a fast core. */
#define MESSAGE_CPU_S 3e-6

static void messages_cost(const struct workload_run *w, double *cpu_s, double *cpus,
			  double *least_s)
{
	*cpu_s = messages_units(w) * MESSAGE_CPU_S;
	*cpus = 0;
	*least_s = 0;
}

static const struct workload_param messages_params[] = {
	{ "groups", "groups of senders and receivers", 10, 1, 1000 },
	{ "senders", "senders in each group", 20, 1, 1000 },
	{ "receivers", "receivers in each group", 20, 1, 1000 },
	{ "loops", "messages from each sender to each receiver", 1000, 1, 1000000000 },
	{ "size", "bytes of a message", 100, 1, SIZE_MAX_BYTES },
	{ "via", "what they go through", .choices = "socket|pipe" },
	{ "as", "what sends and receives", .choices = "processes|threads" },
	{ NULL },
};

const struct workload workload_messages = {
	.name = "messages",
	.help = "groups of tasks that send messages to each other, as hackbench",
	.unit = "message",
	.params = messages_params,
	.setup = messages_setup,
	.run = messages_run,
	.cost = messages_cost,
	.units = messages_units,
};

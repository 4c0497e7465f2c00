/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time for the threads of a test, which is theirs however busy the machine is:
 * one of them runs at a time, the others wait, and the clock goes on only when all do, to
 * when the first has waited long enough. Include it in the test's one source file: what
 * is here stands for libc's functions in the whole program. A thread is not to wait in
 * any other way, nor for a process.
 */
#ifndef TESTS_UNIT_CLOCK_H
#define TESTS_UNIT_CLOCK_H

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define CLOCK_NEVER   UINT64_MAX
#define CLOCK_THREADS 8

/* A thread that waits, on its stack. */
struct clock_wait {
	struct clock_wait *next;
	uint64_t until_ns;
	bool for_event; /* of any kind: it looks again what it was */
	bool runs;
};

struct clock_thread {
	pthread_t id;
	void *(*run)(void *arg);
	void *arg;
	bool over;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t turn;
	uint64_t now_ns;
	unsigned int running;
	struct clock_wait *waits; /* who came first is first */
	struct clock_thread threads[CLOCK_THREADS];
} vtime = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.turn = PTHREAD_COND_INITIALIZER,
	.now_ns = 1000000000000,
	.running = 1,
};

/* Whoever is due first is next. */
static inline void clock_next_turn(void)
{
	struct clock_wait *first = vtime.waits;

	if (vtime.running || !first)
		return;
	for (struct clock_wait *w = first; w; w = w->next)
		if (w->until_ns < first->until_ns)
			first = w;
	if (first->until_ns == CLOCK_NEVER)
		abort(); /* all wait for each other */
	if (vtime.now_ns < first->until_ns)
		vtime.now_ns = first->until_ns;
	first->runs = true;
	vtime.running++;
	pthread_cond_broadcast(&vtime.turn);
}

static inline void clock_wait_locked(uint64_t until_ns, bool for_event)
{
	struct clock_wait wait = { .until_ns = until_ns, .for_event = for_event };
	struct clock_wait **at = &vtime.waits;

	while (*at)
		at = &(*at)->next;
	*at = &wait;
	vtime.running--;
	clock_next_turn();
	while (!wait.runs)
		pthread_cond_wait(&vtime.turn, &vtime.lock);
	for (at = &vtime.waits; *at != &wait;)
		at = &(*at)->next;
	*at = wait.next;
}

static inline void clock_wait(uint64_t until_ns, bool for_event)
{
	pthread_mutex_lock(&vtime.lock);
	clock_wait_locked(until_ns, for_event);
	pthread_mutex_unlock(&vtime.lock);
}

/* Something happened. */
static inline void clock_event_locked(void)
{
	for (struct clock_wait *w = vtime.waits; w; w = w->next)
		if (w->for_event)
			w->until_ns = vtime.now_ns;
}

static inline void clock_event(void)
{
	pthread_mutex_lock(&vtime.lock);
	clock_event_locked();
	pthread_mutex_unlock(&vtime.lock);
}

static inline uint64_t clock_ns_of(const struct timespec *ts)
{
	return ts->tv_sec * UINT64_C(1000000000) + ts->tv_nsec;
}

static inline uint64_t clock_now(void)
{
	uint64_t now_ns;

	pthread_mutex_lock(&vtime.lock);
	now_ns = vtime.now_ns;
	pthread_mutex_unlock(&vtime.lock);
	return now_ns;
}

/* All clocks: CPU time, too, is only what passes between waits. */
int clock_gettime(clockid_t id, struct timespec *ts)
{
	uint64_t now_ns = clock_now();

	(void)id;
	*ts = (struct timespec){ .tv_sec = now_ns / 1000000000u,
				 .tv_nsec = now_ns % 1000000000u };
	return 0;
}

/* Signals are not what these tests are about. */
int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	(void)set;
	(void)info;
	clock_wait(clock_now() + clock_ns_of(timeout), false);
	errno = EAGAIN;
	return -1;
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
	  const sigset_t *mask)
{
	uint64_t until_ns = clock_now() + clock_ns_of(timeout);
	int ret;

	(void)mask;
	while (!(ret = poll(fds, n, 0)) && clock_now() < until_ns)
		clock_wait(until_ns, true);
	return ret;
}

int eventfd_write(int fd, eventfd_t value)
{
	int ret = write(fd, &value, sizeof(value)) == sizeof(value) ? 0 : -1;

	clock_event();
	return ret;
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
			   const struct timespec *at)
{
	(void)cond;
	pthread_mutex_unlock(mutex);
	clock_wait(clock_ns_of(at), true);
	pthread_mutex_lock(mutex);
	return clock_now() < clock_ns_of(at) ? 0 : ETIMEDOUT;
}

int pthread_cond_signal(pthread_cond_t *cond)
{
	(void)cond;
	clock_event();
	return 0;
}

static inline void *clock_thread_main(void *arg)
{
	struct clock_thread *t = arg;
	void *ret;

	/* Not before the one that made it waits. */
	clock_wait(0, false);
	ret = t->run(t->arg);
	pthread_mutex_lock(&vtime.lock);
	t->over = true;
	clock_event_locked();
	vtime.running--;
	clock_next_turn();
	pthread_mutex_unlock(&vtime.lock);
	return ret;
}

static inline struct clock_thread *clock_thread_of(pthread_t id)
{
	for (unsigned int i = 0; i < CLOCK_THREADS; i++) {
		struct clock_thread *t = &vtime.threads[i];

		if (t->run && pthread_equal(t->id, id))
			return t;
	}
	abort();
}

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*run)(void *),
		   void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		    void *) = dlsym(RTLD_NEXT, "pthread_create");
	struct clock_thread *t = vtime.threads;
	int ret;

	pthread_mutex_lock(&vtime.lock);
	while (t->run)
		if (++t == vtime.threads + CLOCK_THREADS)
			abort();
	*t = (struct clock_thread){ .run = run, .arg = arg };
	ret = real(&t->id, attr, clock_thread_main, t);
	if (ret)
		t->run = NULL;
	else
		vtime.running++;
	*id = t->id;
	pthread_mutex_unlock(&vtime.lock);
	return ret;
}

int pthread_join(pthread_t id, void **result)
{
	int (*real)(pthread_t, void **) = dlsym(RTLD_NEXT, "pthread_join");
	struct clock_thread *t = clock_thread_of(id);

	pthread_mutex_lock(&vtime.lock);
	while (!t->over)
		clock_wait_locked(CLOCK_NEVER, true);
	t->run = NULL;
	pthread_mutex_unlock(&vtime.lock);
	return real(id, result);
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signals that ask the program to end, kept pending until somebody looks.
 */
#include "calib/measure/stop.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

#define NSIGNALS (sizeof(stop_signals) / sizeof(stop_signals[0]))

static bool is_ignored(int sig)
{
	struct sigaction now;

	return !sigaction(sig, NULL, &now) && now.sa_handler == SIG_IGN;
}

/* Those of our signals that are blocked: the others are not ours to wait for. */
static void stop_set(sigset_t *set)
{
	sigset_t mask;

	sigemptyset(set);
	if (pthread_sigmask(SIG_SETMASK, NULL, &mask))
		return;
	for (size_t i = 0; i < NSIGNALS; i++) {
		if (sigismember(&mask, stop_signals[i]) == 1)
			sigaddset(set, stop_signals[i]);
	}
}

void stop_begin(struct stop *stop)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < NSIGNALS; i++) {
		if (!is_ignored(stop_signals[i]))
			sigaddset(&set, stop_signals[i]);
	}
	/* Stays pending for stop_stood_still(); it lets us go on all the same. */
	sigaddset(&set, SIGCONT);
	pthread_sigmask(SIG_BLOCK, &set, &stop->old);
}

void stop_end(struct stop *stop)
{
	pthread_sigmask(SIG_SETMASK, &stop->old, NULL);
}

int stop_pending(void)
{
	sigset_t pending, ours;

	stop_set(&ours);
	if (sigpending(&pending))
		return 0;
	for (size_t i = 0; i < NSIGNALS; i++) {
		if (sigismember(&pending, stop_signals[i]) == 1 &&
		    sigismember(&ours, stop_signals[i]) == 1)
			return stop_signals[i];
	}
	return 0;
}

void stop_drop(void)
{
	const struct timespec now = { 0 };
	sigset_t ours;

	stop_set(&ours);
	while (sigtimedwait(&ours, NULL, &now) > 0)
		;
}

bool stop_stood_still(void)
{
	const struct timespec now = { 0 };
	sigset_t cont, mask;

	sigemptyset(&cont);
	sigaddset(&cont, SIGCONT);
	if (pthread_sigmask(SIG_SETMASK, NULL, &mask) || sigismember(&mask, SIGCONT) != 1)
		return false;
	return sigtimedwait(&cont, NULL, &now) == SIGCONT;
}

uint64_t stop_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + ts.tv_nsec;
}

int stop_sleep_until(uint64_t ns)
{
	sigset_t ours;

	stop_set(&ours);
	for (;;) {
		uint64_t now = stop_now_ns();
		uint64_t left = now < ns ? ns - now : 0;
		const struct timespec ts = { .tv_sec = left / 1000000000u,
					     .tv_nsec = left % 1000000000u };
		int sig = sigtimedwait(&ours, NULL, &ts);

		if (sig > 0) {
			/* sigtimedwait() took it: put it back for stop_pending(). */
			raise(sig);
			return -EINTR;
		}
		if (errno == EAGAIN)
			return 0;
		/* EINTR: a handler of somebody else ran. */
	}
}

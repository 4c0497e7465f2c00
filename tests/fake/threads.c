// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into calib by tests: when its threads begin and end, a line each in the file
 * that $CALIB_THREADS names, "NS 1" and "NS -1". Who reads it later knows how much load
 * there was at any time, however late it is.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct start {
	void *(*run)(void *arg);
	void *arg;
};

static void tell(int change)
{
	int fd = open(getenv("CALIB_THREADS"), O_WRONLY | O_CREAT | O_APPEND, 0644);
	struct timespec t;
	char text[64];
	int len;

	clock_gettime(CLOCK_MONOTONIC, &t);
	len = snprintf(text, sizeof(text), "%" PRIu64 " %d\n",
		       t.tv_sec * UINT64_C(1000000000) + t.tv_nsec, change);
	if (fd < 0 || write(fd, text, len) != len)
		abort();
	close(fd);
}

static void *run(void *arg)
{
	struct start start = *(struct start *)arg;
	void *ret;

	free(arg);
	ret = start.run(start.arg);
	tell(-1);
	return ret;
}

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*what)(void *),
		   void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		    void *) = dlsym(RTLD_NEXT, "pthread_create");
	struct start *start = malloc(sizeof(*start));

	if (!start)
		abort();
	*start = (struct start){ what, arg };
	tell(1);
	return real(id, attr, run, start);
}

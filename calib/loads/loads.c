// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of loads, and the pinned threads that run them.
 */
#include "calib/loads/loads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calib/loads/kernels.h"

#define CACHE_LINE 128 /* two lines: neighbours are prefetched in pairs */

static const struct load_kernel kernels[] = {
	{ "int",
	  "integer mix in the L1 cache: hashing, lists, strings, branches, small "
	  "matrices",
	  load_int_unit },
};

#define KERNELS (sizeof(kernels) / sizeof(kernels[0]))

struct load_thread {
	/* Written by the thread alone, in lines of their own. */
	_Alignas(CACHE_LINE) _Atomic uint64_t work;
	_Atomic uint64_t result; /* consumes the kernel's numbers */
	_Atomic int cpu;	 /* where it last saw itself; -1 before */
	_Alignas(CACHE_LINE) struct loads *loads;
	pthread_t thread;
	unsigned int pin_cpu;
	int pin_ret; /* read after it posted "ready" */
	unsigned char mem[LOAD_MEM];
};

struct loads {
	const struct load_kernel *kernel;
	_Atomic int stop;
	sem_t ready;
	unsigned int count;
	struct load_thread *threads;
};

const struct load_kernel *load_at(size_t i)
{
	return i < KERNELS ? &kernels[i] : NULL;
}

const struct load_kernel *load_find(const char *name, struct err *err)
{
	char known[256] = "";
	size_t i, len = 0;

	for (i = 0; i < KERNELS; i++) {
		if (!strcmp(kernels[i].name, name))
			return &kernels[i];
		len += snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
				kernels[i].name);
	}
	err_set(err, -EINVAL, "there is no load '%s'; known are %s", name, known);
	return NULL;
}

static int pin_self(unsigned int cpu)
{
	cpu_set_t set;

	if (cpu >= CPU_SETSIZE)
		return -EINVAL;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

static void *run_thread(void *arg)
{
	struct load_thread *t = arg;
	struct loads *l = t->loads;
	uint64_t seed = 1, work = 0;

	t->pin_ret = pin_self(t->pin_cpu);
	atomic_store(&t->cpu, sched_getcpu());
	sem_post(&l->ready);
	if (t->pin_ret)
		return NULL;
	while (!atomic_load_explicit(&l->stop, memory_order_relaxed)) {
		seed = l->kernel->unit(t->mem, seed);
		atomic_store_explicit(&t->work, ++work, memory_order_relaxed);
	}
	atomic_store(&t->result, seed);
	atomic_store(&t->cpu, sched_getcpu());
	return NULL;
}

/* Create the thread and wait until it sits on its CPU. */
static int add_thread(struct loads *l, unsigned int cpu, struct err *err)
{
	struct load_thread *t = &l->threads[l->count];
	int ret;

	t->loads = l;
	t->pin_cpu = cpu;
	load_mem_init(t->mem);
	ret = pthread_create(&t->thread, NULL, run_thread, t);
	if (ret)
		return err_errno(err, -ret, "cannot start a load thread for CPU %u", cpu);
	l->count++;
	while (sem_wait(&l->ready) && errno == EINTR)
		;
	if (t->pin_ret)
		return err_set(
			err, t->pin_ret,
			"cannot run on CPU %u: it is offline, or a cpuset keeps us "
			"from it",
			cpu);
	return 0;
}

int loads_start(const struct load_kernel *kernel, const unsigned int *cpus,
		unsigned int ncpus, struct loads **out, struct err *err)
{
	struct loads *l = calloc(1, sizeof(*l));
	size_t size = ncpus * sizeof(*l->threads);
	unsigned int i;
	int ret = 0;

	if (!l)
		return err_set(err, -ENOMEM, "out of memory");
	if (ncpus)
		l->threads = aligned_alloc(CACHE_LINE, size);
	if (ncpus && !l->threads) {
		free(l);
		return err_set(err, -ENOMEM, "out of memory");
	}
	if (ncpus)
		memset(l->threads, 0, size);
	l->kernel = kernel;
	sem_init(&l->ready, 0, 0);
	for (i = 0; !ret && i < ncpus; i++)
		ret = add_thread(l, cpus[i], err);
	if (ret) {
		loads_stop(l);
		return ret;
	}
	*out = l;
	return 0;
}

uint64_t loads_thread_work(const struct loads *loads, unsigned int i, int *cpu)
{
	const struct load_thread *t = &loads->threads[i];

	*cpu = atomic_load(&t->cpu);
	return atomic_load_explicit(&t->work, memory_order_relaxed);
}

uint64_t loads_work(const struct loads *loads)
{
	uint64_t work = 0;
	unsigned int i;
	int cpu;

	for (i = 0; i < loads->count; i++)
		work += loads_thread_work(loads, i, &cpu);
	return work;
}

uint64_t loads_time_ns(const struct loads *loads)
{
	struct timespec ts;
	uint64_t ns = 0;
	clockid_t clock;
	unsigned int i;

	for (i = 0; i < loads->count; i++)
		if (!pthread_getcpuclockid(loads->threads[i].thread, &clock) &&
		    !clock_gettime(clock, &ts))
			ns += ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
	return ns;
}

void loads_stop(struct loads *loads)
{
	unsigned int i;

	if (!loads)
		return;
	atomic_store(&loads->stop, 1);
	for (i = 0; i < loads->count; i++)
		pthread_join(loads->threads[i].thread, NULL);
	sem_destroy(&loads->ready);
	free(loads->threads);
	free(loads);
}

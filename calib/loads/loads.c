// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pinned threads that run a load.
 */
#include "calib/loads/loads.h"
#include "lib/text.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define CACHE_LINE 128 /* two lines: neighbours are prefetched in pairs */

struct load_thread {
	/* Written by the thread alone, in lines of their own. */
	_Alignas(CACHE_LINE) _Atomic uint64_t work;
	_Atomic uint64_t result; /* consumes the kernel's numbers */
	_Atomic int cpu;	 /* where it last saw itself; -1 before */
	_Alignas(CACHE_LINE) struct loads *loads;
	pthread_t thread;
	unsigned int pin_cpu;
	int pin_ret, mem_ret; /* read after it posted "ready" */
	void *mem;
};

struct loads {
	const struct load_kernel *kernel;
	size_t size; /* of each thread's memory */
	_Atomic int stop;
	sem_t ready, end; /* posted once per thread */
	unsigned int count;
	struct load_thread *threads;
};

static int pin_self(unsigned int cpu)
{
	cpu_set_t set;

	if (cpu >= CPU_SETSIZE)
		return -EINVAL;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) && errno == EINTR)
		;
}

/* On its own CPU: the kernel takes pages from that CPU's node, and caches are warm. */
static void set_up(struct load_thread *t)
{
	const struct loads *l = t->loads;

	t->pin_ret = pin_self(t->pin_cpu);
	if (t->pin_ret)
		return;
	t->mem = mmap(NULL, l->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (t->mem == MAP_FAILED) {
		t->mem_ret = -errno;
		t->mem = NULL;
		return;
	}
	l->kernel->init(t->mem, l->size);
	atomic_store(&t->cpu, sched_getcpu());
}

static void work(struct load_thread *t)
{
	struct loads *l = t->loads;
	uint64_t seed = 1, units = 0;

	if (!l->kernel->unit)
		wait_for(&l->end);
	while (!atomic_load_explicit(&l->stop, memory_order_relaxed)) {
		seed = l->kernel->unit(t->mem, l->size, seed);
		atomic_store_explicit(&t->work, ++units, memory_order_relaxed);
	}
	atomic_store(&t->result, seed);
	atomic_store(&t->cpu, sched_getcpu());
}

static void *run_thread(void *arg)
{
	struct load_thread *t = arg;

	set_up(t);
	sem_post(&t->loads->ready);
	if (!t->mem)
		return NULL;
	work(t);
	munmap(t->mem, t->loads->size);
	return NULL;
}

/* Create the thread and wait until it sits on its CPU. */
static int add_thread(struct loads *l, unsigned int cpu, struct err *err)
{
	struct load_thread *t = &l->threads[l->count];
	int ret;

	t->loads = l;
	t->pin_cpu = cpu;
	atomic_store(&t->cpu, -1);
	ret = pthread_create(&t->thread, NULL, run_thread, t);
	if (ret)
		return err_errno(err, -ret, "cannot start a load thread for CPU %u", cpu);
	l->count++;
	wait_for(&l->ready);
	if (t->pin_ret)
		return err_set(
			err, t->pin_ret,
			"cannot run on CPU %u: it is offline, or a cpuset keeps us "
			"from it",
			cpu);
	if (t->mem_ret)
		return err_errno(err, t->mem_ret, "load '%s': %zu KiB of memory",
				 l->kernel->name, l->size / 1024);
	return 0;
}

/* Better told now than by the OOM killer. */
static int check_memory(const struct load_kernel *kernel, size_t size, unsigned int ncpus,
			struct err *err)
{
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	if ((uint64_t)size * ncpus <= all / 2)
		return 0;
	return err_set(
		err, -ENOMEM,
		"load '%s' takes %zu MiB on each of %u CPU%s, to be larger than the "
		"caches, and this machine has %ju MiB; load fewer CPUs",
		kernel->name, size >> 20, ncpus, text_s(ncpus), (uintmax_t)all >> 20);
}

int loads_start(const struct load_kernel *kernel, const struct load_caches *caches,
		const unsigned int *cpus, unsigned int ncpus, struct loads **out,
		struct err *err)
{
	const struct load_caches usual = load_usual_caches();
	size_t mem = kernel->size(caches ? caches : &usual);
	size_t size = ncpus * sizeof(struct load_thread);
	struct loads *l;
	unsigned int i;
	int ret;

	if (kernel->usable && !kernel->usable())
		return err_set(err, -ENOTSUP,
			       "load '%s' needs %s, which this CPU does not have; choose "
			       "another with --loads",
			       kernel->name, kernel->needs);
	ret = check_memory(kernel, mem, ncpus, err);
	if (ret)
		return ret;
	l = calloc(1, sizeof(*l));
	if (l && ncpus)
		l->threads = aligned_alloc(CACHE_LINE, size);
	if (!l || (ncpus && !l->threads)) {
		free(l);
		return err_set(err, -ENOMEM, "out of memory");
	}
	if (ncpus)
		memset(l->threads, 0, size);
	l->kernel = kernel;
	l->size = mem;
	sem_init(&l->ready, 0, 0);
	sem_init(&l->end, 0, 0);
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

bool loads_lost_cpu(const struct loads *loads, unsigned int i)
{
	const struct load_thread *t = &loads->threads[i];
	cpu_set_t set;

	return !pthread_getaffinity_np(t->thread, sizeof(set), &set) &&
	       (CPU_COUNT(&set) != 1 || !CPU_ISSET(t->pin_cpu, &set));
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
		sem_post(&loads->end);
	for (i = 0; i < loads->count; i++)
		pthread_join(loads->threads[i].thread, NULL);
	sem_destroy(&loads->ready);
	sem_destroy(&loads->end);
	free(loads->threads);
	free(loads);
}

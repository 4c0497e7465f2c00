// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-meter DIR CPU C LOG - a bench meter on the rail of CPU's policy, see rail.h, that
 * the threads load of which LOG tells (see threads.c): a reading each 20 ms.
 *
 * Its clock began at 1970 when the machine had been up for -1000 s, and each line comes
 * 200 ms late. What was drawn at a time is reckoned afterwards, so that on a busy
 * machine, too, no reading is missed and each is right; only more of them come at once.
 */
#include "rail.h"

#include <stdlib.h>

#define STEP_NS	 UINT64_C(20000000)
#define LATE	 10 /* steps */
#define EPOCH_NS (1000 * UINT64_C(1000000000))

struct log {
	const char *path;
	FILE *f;
	uint64_t next_ns; /* of the line that was read ahead; 0: none */
	int change;
	int threads;
};

/* How many there were at @ns, which only grows. */
static int threads_at(struct log *log, uint64_t ns)
{
	if (!log->f)
		log->f = fopen(log->path, "r");
	while (log->f) {
		if (!log->next_ns) {
			clearerr(log->f);
			if (fscanf(log->f, "%" SCNu64 " %d\n", &log->next_ns,
				   &log->change) != 2)
				log->next_ns = 0;
		}
		if (!log->next_ns || log->next_ns > ns)
			break;
		log->threads += log->change;
		log->next_ns = 0;
	}
	return log->threads;
}

/* The reading of now, and then that of a while ago. */
static void step(char **argv, struct log *log, uint64_t ns, unsigned int i)
{
	static uint64_t thread_uw[LATE + 1];
	uint64_t then = ns - LATE * STEP_NS, mv;
	uint64_t c = strtoull(argv[3], NULL, 10);

	thread_uw[i % (LATE + 1)] = rail_uw(argv[1], argv[2], c, 1, &mv) - IDLE_UW;
	if (i >= LATE)
		printf("%.6f,%" PRIu64 "\n", (then + EPOCH_NS) / 1e9,
		       IDLE_UW + noise_uw() +
			       thread_uw[(i - LATE) % (LATE + 1)] *
				       threads_at(log, then));
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = STEP_NS };
	struct log log = { .path = argv[argc - 1] };
	uint64_t ns = now_ns();

	if (argc != 5) {
		fprintf(stderr, "usage: bench-meter DIR CPU C LOG\n");
		return 2;
	}
	printf("time_s,power_uw\n");
	for (unsigned int i = 0; !fflush(stdout); nanosleep(&pause, NULL))
		for (; ns <= now_ns(); ns += STEP_NS)
			step(argv, &log, ns, i++);
	return 1;
}

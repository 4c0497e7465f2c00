/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between rails.c and what chooses the meters.
 */
#ifndef CALIB_BENCH_RAILS_INTERNAL_H
#define CALIB_BENCH_RAILS_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "calib/bench/rail_sum.h"
#include "calib/bench/rails.h"
#include "calib/linux/meters.h"

struct rail {
	struct rail_info info;
	struct power_meter pm; /* of a real one */
	unsigned int sensor;   /* of a virtual one: index into the board's */
	uint64_t mean_ns;      /* its readings are means over so long */
	uint64_t after_ns;     /* so long after it readings still tell of a moment */
	struct rail_sum sum;
	struct meter_told told;
	bool timed;	    /* its readings have times of their own */
	bool failed;	    /* the last read did */
	unsigned int fails; /* since the begin */
	struct err why; /* of the last that did, a counter's jump, or no reading yet */
	bool noted;
	/* of a counter, at the begin */
	bool begin_failed;
	double begin_uj;
	unsigned int begin_lost;
};

struct rails {
	struct rail rails[RAILS_MAX];
	unsigned int count;
	struct virtual *virt; /* NULL: real meters */
	struct settings *settings;
	struct meters meters;
	bool started;
	uint64_t period_ns; /* between reads */
	/* the window */
	uint64_t from_ns;
	_Atomic uint64_t to_ns; /* 0: it goes on */
	bool running;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
};

/* rails_choose.c: open the meters of @opt into @r, whose ->meters is open. As
 * rails_open(). */
int rails_choose(struct rails *r, const struct rails_options *opt, struct err *err);
/* rails.c */
void rails_note(const struct rails *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* rails_clock.c: that of an external meter, by a marker load; 0 where there is none. */
int rails_find_clock(struct rails *r, struct err *err);
/* Which see what others see: fills in ->info.summed. */
void rails_find_overlaps(struct rails *r);

#endif

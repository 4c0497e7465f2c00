/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between meters.c and the kinds of meters.
 */
#ifndef CALIB_LINUX_METERS_INTERNAL_H
#define CALIB_LINUX_METERS_INTERNAL_H

#include <stddef.h>

#include "calib/linux/meters.h"

/* One kind; all but name, list, open, read and close may be NULL. */
struct meter_kind {
	const char *name;
	bool needs_kind; /* found by "KIND:..." or a label only */
	/* Add what there is by meters_add(). A kind that is not there adds nothing. */
	void (*list)(struct meters *all);
	void (*end)(struct meters *all); /* undoes it */
	int (*open)(const struct meters *all, struct power_meter *pm, struct err *err);
	int (*ready)(const struct power_meter *pm, struct err *err);
	/* As power_meter_save(), _start() and _stop(); all three or none. */
	void (*save)(struct power_meter *pm, struct state *st);
	int (*start)(struct power_meter *pm, struct err *why);
	void (*stop)(struct power_meter *pm);
	/* @r is zeroed; fills all but time_ns, which is @now_ns unless it knows better.
	 */
	int (*read)(struct power_meter *pm, uint64_t now_ns, struct reading *r,
		    struct err *err);
	/* Where readings come several at a time. */
	struct meter_mean *(*mean)(const struct power_meter *pm);
	/* Where it counts energy: its counter, or NULL. */
	const struct meter_counter *(*counter)(const struct power_meter *pm);
	/* Frees pm->own, half-filled too. */
	void (*close)(struct power_meter *pm);
};

extern const struct meter_kind meter_kind_hwmon;
extern const struct meter_kind meter_kind_odroid;
extern const struct meter_kind meter_kind_iio;
extern const struct meter_kind meter_kind_rapl;
extern const struct meter_kind meter_kind_perf;
extern const struct meter_kind meter_kind_battery;
extern const struct meter_kind meter_kind_stream;

/* A new entry with bus and addr -1, or NULL when the list is full. */
struct meter_info *meters_add(struct meters *all, const struct meter_kind *kind);
/* Call @add for each entry of the folder @dir, sorted; a missing folder has none. */
void meters_each(struct meters *all, const char *dir,
		 void (*add)(struct meters *all, const char *entry));
/* Fill in ->name from the others: "[PREFIX:]DEVICE[/CHANNEL] [LABEL]". */
void meter_info_name(struct meter_info *m, const char *prefix);

/* "3-0040" into bus and address; false when it is none. */
bool meter_i2c_address(const char *text, int *bus, int *addr);

/*
 * An attribute file that is kept open and read again.
 */
struct meter_file {
	int fd;		  /* -1: none */
	const char *what; /* in messages: "power" */
};

/* 0, -errno with the path. */
int meter_file_open(struct meter_file *f, const struct sysfs *sys, const char *what,
		    const char *path, struct err *err);
void meter_file_close(struct meter_file *f);
/* Text without its newline; -EAGAIN, or -EIO with a message. */
int meter_file_text(const struct meter_file *f, char *text, size_t size, struct err *err);
/* A whole number in 0..@max, likewise. */
int meter_file_value(const struct meter_file *f, int64_t max, int64_t *out,
		     struct err *err);
/*
 * What a read gave, judged: @ret 0 or -errno of it, @value its number. Returns 0,
 * -EAGAIN, -EIO.
 */
int meter_judge(const char *what, int ret, int64_t value, int64_t max, struct err *err);

/*
 * Readings that come several at a time, with times of their own: shown is the mean of
 * those since it was shown last.
 */
struct meter_mean {
	/* From the meter's clock to ours, where that is known. */
	bool timed;
	int64_t offset_ns;
	const struct meter_told *told; /* borrowed; NULL: nobody */
	uint64_t count;		       /* of all readings */
	uint64_t arrived_ns;	       /* the last one, by our clock; 0: none */
	uint64_t interval_ns;	       /* between the last two, by the meter's clock */
	int64_t last_time_ns;	       /* of the last one, likewise */
	int64_t first_time_ns;	       /* of those not shown yet */
	unsigned int fresh;	       /* how many those are */
	double sum_uw, sum_uv;	       /* of those */
	struct reading now;	       /* what is shown */
};

/* @time_ns: by the meter's clock; 0, or -EIO when it did not go on. */
int meter_mean_add(struct meter_mean *mean, int64_t time_ns, double power_uw,
		   double volt_uv, uint64_t now_ns, struct err *err);
/*
 * The mean of what has come since the last call; what was shown, when nothing has. Where
 * it is not timed @now_ns is its time.
 * 0; -EAGAIN nothing has come yet; -EIO nothing has come for long.
 */
int meter_mean_take(struct meter_mean *mean, uint64_t now_ns, struct reading *r,
		    struct err *err);
/* Forget what was shown and what was not yet: the next is the first. */
void meter_mean_drop(struct meter_mean *mean);

/*
 * An energy counter: its power is the difference between two values over the time between
 * them.
 */
struct meter_counter {
	double uj;	/* one count */
	uint64_t range; /* it wraps after this; 0: unknown, then what spans a wrap or a
			   reset is dropped */
	bool primed, has_power;
	uint64_t raw, time_ns; /* when it was last seen to move */
	int64_t power_uw;      /* up to then */
	double total_uj;       /* counted since it was opened, but for ... */
	unsigned int lost;     /* ... the intervals that were dropped */
};

/* 0; -EAGAIN: nothing to divide yet, or the interval is dropped. While the counter stands
 * still its last power stays. */
int meter_counter_take(struct meter_counter *c, uint64_t raw, uint64_t now_ns,
		       int64_t *power_uw, struct err *err);

#endif

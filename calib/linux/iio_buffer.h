/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The buffer of an IIO device: the kernel collects scans of all enabled channels, at the
 * device's own rate and with the time of each, and one read() takes all that have come.
 * The meters of a device share its buffer: each says which channels it wants and is
 * handed every scan, whoever reads.
 */
#ifndef CALIB_LINUX_IIO_BUFFER_H
#define CALIB_LINUX_IIO_BUFFER_H

#include "calib/linux/iio_scan.h"
#include "calib/linux/state.h"
#include "calib/linux/sysfs.h"

struct iio_buffer;

/* Who is handed the scans; first member of the meter's own struct. */
struct iio_sink {
	struct iio_sink *next;
	/* @time_ns: by CLOCK_MONOTONIC when the buffer tells times, else a count. */
	void (*scan)(struct iio_sink *sink, const unsigned char *scan, int64_t time_ns,
		     uint64_t now_ns);
	/* Scans were lost: what has come since the last read does not span the time. */
	void (*lost)(struct iio_sink *sink);
};

/*
 * iio_buffer_check - can these channels of @device be captured? Changes nothing.
 * @device: "/sys/bus/iio/devices/iio:device0"
 * @channels: "power2", NULL-ended
 *
 * 0; -ENOENT the device has no buffer; -EBUSY another program has enabled it; -ENODATA
 * its trigger is not chosen; -EINVAL a type that we do not know; -EACCES, -errno.
 */
int iio_buffer_check(const struct sysfs *sys, const char *device,
		     const char *const *channels, struct err *err);

/* The buffer of @device in the list @all, or a new one there. NULL: out of memory. */
struct iio_buffer *iio_buffer_get(struct iio_buffer **all, const struct sysfs *sys,
				  const char *device);
/* The whole list; stops what still runs. */
void iio_buffers_free(struct iio_buffer *all);

/* Capture @channel too, once started. The element lives as long as the buffer does. 0,
 * -errno. */
int iio_buffer_want(struct iio_buffer *b, const char *channel,
		    const struct iio_element **e, struct err *err);

/* Remember all settings that iio_buffer_start() may change; the buffer's switch first, as
 * the others can only be put back while it is off. */
int iio_buffer_save(struct iio_buffer *b, struct state *st, struct err *err);
/*
 * iio_buffer_start - capture, for one more sink
 *
 * Channels that are wanted after the first start are not in it. Returns 0; -EBUSY and
 * what else iio_buffer_check() does: then nothing is captured, and what was changed is
 * what was saved.
 */
int iio_buffer_start(struct iio_buffer *b, struct iio_sink *sink, struct err *err);
/* The last sink's stop ends the capture. The settings are not put back. */
void iio_buffer_stop(struct iio_buffer *b, struct iio_sink *sink);

/* Hand all scans that have come to the sinks. Allocates nothing. 0; -EIO. */
int iio_buffer_drain(struct iio_buffer *b, uint64_t now_ns, struct err *err);
/* Does it tell the time of a scan? */
bool iio_buffer_has_time(const struct iio_buffer *b);

#endif

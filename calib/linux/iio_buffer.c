// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Capture through an IIO device's buffer, by the kernel's own files: what a scan holds is
 * chosen in scan_elements/, size and switch are in buffer/ (since 5.11 all in buffer0/
 * too), the scans come from /dev/iio:deviceN.
 */
#include "calib/linux/iio_buffer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calib/measure/stop.h"
#include "lib/num.h"

#define MAX_ELEMENTS 33
#define MAX_SCAN     1024
#define DATA_BYTES   16384
#define PATH_SIZE    (SYSFS_PATH + 64)
#define KEEP_SCANS   4096 /* a power of two, as the kernel would make it one */
#define READ_SCANS   4	  /* a device that holds scans back gives this many */
#define TIME_OFF_NS  10000000000ll

struct iio_buffer {
	struct iio_buffer *next;
	const struct sysfs *sys;
	char device[SYSFS_PATH];
	struct wanted {
		char channel[16];
		struct iio_element element;
	} wanted[MAX_ELEMENTS]; /* of all meters; "timestamp" as well */
	unsigned int count;
	const struct iio_element *time; /* NULL: none is told */
	struct iio_sink *sinks;
	/* while it captures */
	int fd;		 /* -1: it does not */
	clockid_t clock; /* of @time */
	int64_t start_ns;
	uint64_t scans; /* so far */
	uint32_t length;
	size_t scan_bytes, have;
	unsigned char data[DATA_BYTES];
};

/* DEVICE/buffer/NAME, or where it is now. */
static void buffer_path(const struct sysfs *sys, const char *device, const char *name,
			char *out)
{
	snprintf(out, PATH_SIZE, "%s/buffer/%s", device, name);
	if (sysfs_may_read(sys, out, NULL) == -ENOENT)
		snprintf(out, PATH_SIZE, "%s/buffer0/%s", device, name);
}

/* The folder of in_CHANNEL_en, _index and _type; -ENOENT. */
static int scan_dir(const struct sysfs *sys, const char *device, char *out)
{
	snprintf(out, PATH_SIZE, "%s/scan_elements", device);
	if (!sysfs_may_read(sys, out, NULL))
		return 0;
	snprintf(out, PATH_SIZE, "%s/buffer0", device);
	return sysfs_may_read(sys, out, NULL);
}

static int read_element(const struct sysfs *sys, const char *device, const char *channel,
			struct iio_element *e, struct err *err)
{
	char dir[PATH_SIZE], path[PATH_SIZE + 64], text[64];
	uint32_t index;
	int ret = scan_dir(sys, device, dir);

	if (ret)
		return err_set(err, ret, "it has none");
	snprintf(path, sizeof(path), "%s/in_%s_index", dir, channel);
	if (sysfs_read_u32(sys, path, &index, NULL))
		return err_set(err, -ENODATA, "in_%s is not in it", channel);
	snprintf(path, sizeof(path), "%s/in_%s_type", dir, channel);
	ret = sysfs_read(sys, path, text, sizeof(text), NULL);
	ret = iio_element_parse(ret ? "" : text, e, err);
	if (ret)
		return err_wrap(err, ret, "in_%s", channel);
	if (e->repeat != 1)
		return err_set(err, -EINVAL, "in_%s: type '%.40s' is of several values",
			       channel, text);
	e->index = index;
	return 0;
}

/* Is it free, and does something make it go? */
static int check_idle(const struct sysfs *sys, const char *device, struct err *err)
{
	char path[PATH_SIZE], text[64];
	int ret;

	buffer_path(sys, device, "enable", path);
	ret = sysfs_read(sys, path, text, sizeof(text), NULL);
	if (ret)
		return err_errno(err, ret, "its switch");
	if (strcmp(text, "0") != 0)
		return err_set(err, -EBUSY, "another program has switched it on");
	snprintf(path, sizeof(path), "%s/trigger/current_trigger", device);
	if (!sysfs_read(sys, path, text, sizeof(text), NULL) && !text[0])
		return err_set(err, -ENODATA,
			       "no trigger is chosen in trigger/current_trigger");
	return 0;
}

static void node_path(const char *device, char *out)
{
	snprintf(out, PATH_SIZE, "/dev%s", strrchr(device, '/'));
}

int iio_buffer_check(const struct sysfs *sys, const char *device,
		     const char *const *channels, struct err *err)
{
	struct iio_element e;
	char path[PATH_SIZE];
	int ret = 0;

	for (; *channels && !ret; channels++)
		ret = read_element(sys, device, *channels, &e, err);
	if (!ret)
		ret = check_idle(sys, device, err);
	if (ret)
		return ret;
	buffer_path(sys, device, "enable", path);
	ret = sysfs_may_write(sys, path, NULL);
	if (ret)
		return err_errno(err, ret, "switching it on");
	node_path(device, path);
	ret = sysfs_may_read(sys, path, NULL);
	if (ret)
		err_errno(err, ret, "%s", path);
	/* There is a buffer, only not its device file. */
	return ret == -ENOENT ? -ENODEV : ret;
}

void iio_buffers_free(struct iio_buffer *all)
{
	struct iio_buffer *b;

	while ((b = all)) {
		all = b->next;
		if (b->fd >= 0)
			close(b->fd);
		free(b);
	}
}

static struct wanted *find_wanted(struct iio_buffer *b, const char *channel)
{
	for (unsigned int i = 0; i < b->count; i++)
		if (!strcmp(b->wanted[i].channel, channel))
			return &b->wanted[i];
	return NULL;
}

int iio_buffer_want(struct iio_buffer *b, const char *channel,
		    const struct iio_element **e, struct err *err)
{
	struct wanted *w = find_wanted(b, channel);
	int ret;

	if (!w) {
		if (b->fd >= 0)
			return err_set(err, -EBUSY, "it captures without in_%s", channel);
		if (b->count == MAX_ELEMENTS)
			return err_set(err, -ENOSPC, "more than %d channels",
				       MAX_ELEMENTS);
		w = &b->wanted[b->count];
		snprintf(w->channel, sizeof(w->channel), "%s", channel);
		ret = read_element(b->sys, b->device, channel, &w->element, err);
		if (ret)
			return ret;
		b->count++;
	}
	*e = &w->element;
	return 0;
}

struct iio_buffer *iio_buffer_get(struct iio_buffer **all, const struct sysfs *sys,
				  const char *device)
{
	struct iio_buffer *b;

	for (b = *all; b; b = b->next)
		if (!strcmp(b->device, device))
			return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->sys = sys;
	b->fd = -1;
	snprintf(b->device, sizeof(b->device), "%s", device);
	/* Without times, a scan was taken when it is read. */
	iio_buffer_want(b, "timestamp", &b->time, NULL);
	b->next = *all;
	*all = b;
	return b;
}

/* Call @one with the path of every in_CHANNEL_en, until it fails. */
static int each_switch(struct iio_buffer *b,
		       int (*one)(struct iio_buffer *b, const char *path,
				  const char *channel, void *arg, struct err *err),
		       void *arg, struct err *err)
{
	char dir[PATH_SIZE], real[PATH_MAX], path[PATH_SIZE + 64], channel[64];
	struct dirent *entry;
	size_t len;
	int ret = scan_dir(b->sys, b->device, dir);
	DIR *d;

	if (!ret)
		ret = sysfs_real(b->sys, dir, real, sizeof(real), NULL);
	d = ret ? NULL : opendir(real);
	if (!d)
		return err_set(err, ret ? ret : -errno, "its channels are gone");
	while (!ret && (entry = readdir(d))) {
		len = strlen(entry->d_name);
		if (len < 7 || len >= sizeof(channel) ||
		    strncmp(entry->d_name, "in_", 3) != 0 ||
		    strcmp(entry->d_name + len - 3, "_en") != 0)
			continue;
		snprintf(channel, sizeof(channel), "%.*s", (int)len - 6,
			 entry->d_name + 3);
		snprintf(path, sizeof(path), "%s/%.63s", dir, entry->d_name);
		ret = one(b, path, channel, arg, err);
	}
	closedir(d);
	return ret;
}

static int save_switch(struct iio_buffer *b, const char *path, const char *channel,
		       void *st, struct err *err)
{
	(void)b;
	(void)channel;
	return state_save(st, path, err);
}

/* What not every kernel has. */
static int save_optional(struct state *st, const char *path, struct err *err)
{
	int ret = state_save(st, path, err);

	return ret == -ENOENT ? 0 : ret;
}

int iio_buffer_save(struct iio_buffer *b, struct state *st, struct err *err)
{
	char path[PATH_SIZE];
	int ret;

	ret = check_idle(b->sys, b->device, err);
	if (ret)
		return ret;
	buffer_path(b->sys, b->device, "enable", path);
	ret = state_save(st, path, err);
	if (!ret)
		ret = each_switch(b, save_switch, st, err);
	snprintf(path, sizeof(path), "%s/current_timestamp_clock", b->device);
	if (!ret)
		ret = save_optional(st, path, err);
	buffer_path(b->sys, b->device, "length", path);
	if (!ret)
		ret = save_optional(st, path, err);
	buffer_path(b->sys, b->device, "watermark", path);
	if (!ret)
		ret = save_optional(st, path, err);
	return ret;
}

/* @only: "0" switches the channels off that nobody wants, "1" the wanted ones on. Some
 * devices can do only so many at once. */
static int set_switch(struct iio_buffer *b, const char *path, const char *channel,
		      void *only, struct err *err)
{
	const char *text = find_wanted(b, channel) ? "1" : "0";
	char now[8];

	if (strcmp(text, only) != 0 ||
	    (!sysfs_read(b->sys, path, now, sizeof(now), NULL) && !strcmp(now, text)))
		return 0;
	return sysfs_set(b->sys, path, text, err);
}

/* The clock of the scans' times: ours if it can be chosen, else one to convert from. */
static int choose_clock(struct iio_buffer *b, struct err *err)
{
	static const struct {
		const char *name;
		clockid_t id;
	} clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC },
		{ "realtime", CLOCK_REALTIME },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "realtime_coarse", CLOCK_REALTIME },
		{ "monotonic_coarse", CLOCK_MONOTONIC },
		{ "boottime", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
	};
	char path[PATH_SIZE], text[32];

	snprintf(path, sizeof(path), "%s/current_timestamp_clock", b->device);
	/* Before Linux 4.8 there was no choice. */
	b->clock = CLOCK_REALTIME;
	if (!sysfs_set(b->sys, path, "monotonic", NULL))
		b->clock = CLOCK_MONOTONIC;
	if (sysfs_read(b->sys, path, text, sizeof(text), NULL))
		return 0;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (strcmp(clocks[i].name, text) != 0)
			continue;
		b->clock = clocks[i].id;
		return 0;
	}
	return err_set(err, -EINVAL, "its clock '%s' is unknown", text);
}

static void choose_size(struct iio_buffer *b)
{
	char path[PATH_SIZE], text[16];

	/* What is refused stays as it is: it only says how much is kept while nobody
	 * reads. */
	snprintf(text, sizeof(text), "%d", KEEP_SCANS);
	buffer_path(b->sys, b->device, "length", path);
	sysfs_set(b->sys, path, text, NULL);
	if (sysfs_read_u32(b->sys, path, &b->length, NULL) || !b->length)
		b->length = UINT32_MAX;
	snprintf(text, sizeof(text), "%d", READ_SCANS);
	buffer_path(b->sys, b->device, "watermark", path);
	sysfs_set(b->sys, path, text, NULL);
}

static int compare_index(const void *a, const void *b)
{
	uint32_t x = (*(struct iio_element *const *)a)->index;
	uint32_t y = (*(struct iio_element *const *)b)->index;

	return (x > y) - (x < y);
}

static int lay_out(struct iio_buffer *b, struct err *err)
{
	struct iio_element *order[MAX_ELEMENTS];

	for (unsigned int i = 0; i < b->count; i++)
		order[i] = &b->wanted[i].element;
	qsort(order, b->count, sizeof(order[0]), compare_index);
	b->scan_bytes = iio_scan_layout(order, b->count);
	if (b->scan_bytes > MAX_SCAN)
		return err_set(err, -E2BIG, "a scan of %zu bytes", b->scan_bytes);
	return 0;
}

static int switch_on(struct iio_buffer *b, struct err *err)
{
	char path[PATH_SIZE];
	int ret = check_idle(b->sys, b->device, err);

	if (!ret)
		ret = lay_out(b, err);
	if (!ret)
		ret = each_switch(b, set_switch, "0", err);
	if (!ret)
		ret = each_switch(b, set_switch, "1", err);
	if (!ret)
		ret = choose_clock(b, err);
	if (ret)
		return ret;
	choose_size(b);
	b->start_ns = stop_now_ns();
	b->scans = 0;
	b->have = 0;
	buffer_path(b->sys, b->device, "enable", path);
	return sysfs_set(b->sys, path, "1", err);
}

static int start(struct iio_buffer *b, struct err *err)
{
	char path[PATH_SIZE], real[PATH_MAX];
	int ret;

	node_path(b->device, path);
	ret = sysfs_real(b->sys, path, real, sizeof(real), err);
	if (ret)
		return ret;
	b->fd = open(real, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (b->fd < 0)
		return err_errno(err, -errno, "%s", path);
	ret = switch_on(b, err);
	if (ret) {
		close(b->fd);
		b->fd = -1;
	}
	return ret;
}

int iio_buffer_start(struct iio_buffer *b, struct iio_sink *sink, struct err *err)
{
	int ret = b->fd < 0 ? start(b, err) : 0;

	if (ret)
		return ret;
	sink->next = b->sinks;
	b->sinks = sink;
	return 0;
}

void iio_buffer_stop(struct iio_buffer *b, struct iio_sink *sink)
{
	char path[PATH_SIZE];
	struct iio_sink **p;

	for (p = &b->sinks; *p && *p != sink; p = &(*p)->next)
		;
	if (!*p)
		return;
	*p = sink->next;
	if (b->sinks)
		return;
	buffer_path(b->sys, b->device, "enable", path);
	sysfs_write(b->sys, path, "0\n", NULL);
	close(b->fd);
	b->fd = -1;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* From the scans' clock to ours. */
static int64_t clock_offset(const struct iio_buffer *b)
{
	if (b->clock == CLOCK_MONOTONIC)
		return 0;
	return clock_ns(CLOCK_MONOTONIC) - clock_ns(b->clock);
}

static int hand_on(struct iio_buffer *b, const unsigned char *scan, int64_t offset_ns,
		   uint64_t now_ns, struct err *err)
{
	int64_t time_ns = ++b->scans;

	if (b->time) {
		time_ns = iio_element_value(b->time, scan) + offset_ns;
		/* The time stands last: were the scan not laid out as we think, it would
		 * show here. */
		if (time_ns < b->start_ns - TIME_OFF_NS ||
		    time_ns > (int64_t)now_ns + TIME_OFF_NS)
			return err_set(err, -EIO,
				       "IIO buffer: a scan's time is %.3g s off",
				       (time_ns - (int64_t)now_ns) / 1e9);
	}
	for (struct iio_sink *s = b->sinks; s; s = s->next)
		s->scan(s, scan, time_ns, now_ns);
	return 0;
}

/* The whole scans in data[]; the first that is bad is told, the others count. */
static int take_scans(struct iio_buffer *b, int64_t offset_ns, uint64_t now_ns,
		      struct err *err)
{
	size_t at, whole = b->have / b->scan_bytes * b->scan_bytes;
	int ret = 0, one;

	for (at = 0; at < whole; at += b->scan_bytes) {
		one = hand_on(b, b->data + at, offset_ns, now_ns, ret ? NULL : err);
		if (!ret)
			ret = one;
	}
	b->have -= whole;
	memmove(b->data, b->data + whole, b->have);
	return ret;
}

int iio_buffer_drain(struct iio_buffer *b, uint64_t now_ns, struct err *err)
{
	size_t room = sizeof(b->data) / b->scan_bytes * b->scan_bytes, asked;
	int64_t offset_ns = b->time ? clock_offset(b) : 0;
	uint64_t before = b->scans;
	int ret = 0, one;
	ssize_t n;

	do {
		asked = room - b->have;
		n = read(b->fd, b->data + b->have, asked);
		if (n <= 0)
			break;
		b->have += n;
		one = take_scans(b, offset_ns, now_ns, ret ? NULL : err);
		if (!ret)
			ret = one;
	} while ((size_t)n == asked);
	/* Full: the kernel drops what comes then. */
	for (struct iio_sink *s = b->sinks; s && b->scans - before >= b->length;
	     s = s->next)
		s->lost(s);
	if (!n)
		return err_set(err, -EIO, "IIO buffer: it has ended");
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return err_set(err, -EIO, "IIO buffer: reading fails: %s",
			       strerror(errno));
	return ret;
}

bool iio_buffer_has_time(const struct iio_buffer *b)
{
	return b->time;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RUN/raw.csv in and out.
 */
#include "calib/raw.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/csv.h"
#include "lib/num.h"
#include "models/sample.h"

#define MAX_UW 10000000000ll /* as much as a meter may say */
#define MAX_MC 1000000

enum column {
	C_TIME,
	C_CLUSTER,
	C_WINDOW,
	C_POWER,
	C_VOLT,
	C_TEMP,
	C_MAX,
};

static const char *const names[C_MAX] = {
	"time_ns", "cluster", "window_ns", "power_uw", "volt_uv", "temp_mc",
};

const char raw_header[] = "time_ns,cluster,window_ns,power_uw,volt_uv,temp_mc";

int raw_format(char *out, size_t size, const char *cluster, uint64_t window_ns,
	       const struct raw_reading *r)
{
	char temp[16] = "";
	int len;

	if (r->temp_mc != SAMPLE_TEMP_UNKNOWN)
		snprintf(temp, sizeof(temp), "%" PRId32, r->temp_mc);
	len = snprintf(out, size,
		       "%" PRIu64 ",%s,%" PRIu64 ",%" PRId64 ",%" PRIu32 ",%s\n",
		       r->time_ns, cluster, window_ns, r->power_uw, r->volt_uv, temp);
	return len < (int)size ? len : -EINVAL;
}

static int check_header(const struct csv *csv, struct err *err)
{
	bool same = csv->nnames == C_MAX;

	for (int i = 0; i < csv->nnames && same; i++)
		same = !strcmp(csv->names[i], names[i]);
	if (same)
		return 0;
	return err_set(err, -EINVAL,
		       "%s:1: this is not the header of this calib's raw readings, '%s'",
		       csv->path, raw_header);
}

static int number(const struct csv *csv, enum column c, int64_t min, int64_t max,
		  int64_t *v, struct err *err)
{
	if (!num_i64(csv->fields[c], v) && *v >= min && *v <= max)
		return 0;
	return err_set(err, -EINVAL,
		       "%s:%u: %s '%.60s' is not a whole number in %" PRId64 "..%" PRId64,
		       csv->path, csv->line_no, names[c], csv->fields[c], min, max);
}

static int read_reading(const struct csv *csv, struct raw_reading *r, int64_t *window_ns,
			struct err *err)
{
	int64_t time = 0, power = 0, volt = 0, temp = SAMPLE_TEMP_UNKNOWN;
	int ret = number(csv, C_TIME, 0, INT64_MAX, &time, err);

	if (!ret)
		ret = number(csv, C_WINDOW, 0, INT64_MAX, window_ns, err);
	if (!ret)
		ret = number(csv, C_POWER, -MAX_UW, MAX_UW, &power, err);
	if (!ret)
		ret = number(csv, C_VOLT, 0, UINT32_MAX, &volt, err);
	if (!ret && *csv->fields[C_TEMP])
		ret = number(csv, C_TEMP, -MAX_MC, MAX_MC, &temp, err);
	*r = (struct raw_reading){ time, power, volt, temp };
	return ret;
}

static int add_reading(struct raw *raw, const struct raw_reading *r)
{
	if (raw->reading_count == raw->reading_cap) {
		size_t cap = raw->reading_cap ? 2 * raw->reading_cap : 1024;
		void *p = reallocarray(raw->readings, cap, sizeof(*raw->readings));

		if (!p)
			return -ENOMEM;
		raw->readings = p;
		raw->reading_cap = cap;
	}
	raw->readings[raw->reading_count++] = *r;
	return 0;
}

/* Begin a window, unless it is the one of the reading before. */
static int add_window(struct raw *raw, const char *cluster, uint64_t time_ns,
		      unsigned int line)
{
	struct raw_window *w;

	w = raw->window_count ? &raw->windows[raw->window_count - 1] : NULL;
	if (w && w->time_ns == time_ns && !strcmp(w->cluster, cluster))
		return 0;
	if (raw->window_count == raw->window_cap) {
		size_t cap = raw->window_cap ? 2 * raw->window_cap : 64;
		void *p = reallocarray(raw->windows, cap, sizeof(*raw->windows));

		if (!p)
			return -ENOMEM;
		raw->windows = p;
		raw->window_cap = cap;
	}
	w = &raw->windows[raw->window_count++];
	*w = (struct raw_window){
		.time_ns = time_ns,
		.first = raw->reading_count,
		.line = line,
	};
	strcpy(w->cluster, cluster);
	return 0;
}

int raw_add(struct raw *raw, const char *cluster, uint64_t window_ns,
	    const struct raw_reading *r, unsigned int line)
{
	int ret;

	if (!*cluster || strlen(cluster) >= sizeof(raw->windows->cluster))
		return -EINVAL;
	ret = add_window(raw, cluster, window_ns, line);
	if (!ret)
		ret = add_reading(raw, r);
	if (!ret)
		raw->windows[raw->window_count - 1].count++;
	return ret;
}

static int read_line(struct raw *raw, const struct csv *csv, struct err *err)
{
	const char *cluster = csv->fields[C_CLUSTER];
	struct raw_reading r;
	int64_t window_ns = 0;
	int ret = read_reading(csv, &r, &window_ns, err);

	if (ret)
		return ret;
	ret = raw_add(raw, cluster, window_ns, &r, csv->line_no);
	if (ret == -EINVAL)
		return err_set(err, ret, "%s:%u: cluster '%.60s' is not a name of ours",
			       csv->path, csv->line_no, cluster);
	return ret ? err_errno(err, ret, "%s:%u", csv->path, csv->line_no) : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct raw_window *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns > y->time_ns ? 1 : -1;
	return strcmp(x->cluster, y->cluster);
}

static int sort_windows(struct raw *raw, const char *path, struct err *err)
{
	if (raw->window_count)
		qsort(raw->windows, raw->window_count, sizeof(*raw->windows), by_time);
	for (size_t i = 1; i < raw->window_count; i++) {
		const struct raw_window *w = &raw->windows[i];

		if (!by_time(w - 1, w))
			return err_set(err, -EINVAL,
				       "%s:%u: window %" PRIu64 " of cluster '%s' is at "
				       "line %u, too",
				       path, w->line, w->time_ns, w->cluster, w[-1].line);
	}
	return 0;
}

int raw_read(struct raw *raw, const char *path, struct err *err)
{
	struct csv csv;
	int ret;

	*raw = (struct raw){ 0 };
	ret = csv_open(&csv, path, err);
	if (ret)
		return ret;
	ret = check_header(&csv, err);
	while (!ret && (ret = csv_next(&csv, err)) == 1)
		ret = read_line(raw, &csv, err);
	if (!ret)
		ret = sort_windows(raw, path, err);
	csv_close(&csv);
	return ret;
}

int raw_write(const struct raw *raw, FILE *f)
{
	char line[RAW_LINE_MAX];

	fprintf(f, "%s\n", raw_header);
	for (size_t k = 0; k < raw->window_count; k++) {
		const struct raw_window *w = &raw->windows[k];

		for (size_t i = 0; i < w->count; i++) {
			if (raw_format(line, sizeof(line), w->cluster, w->time_ns,
				       &raw->readings[w->first + i]) < 0)
				return -EINVAL;
			fputs(line, f);
		}
	}
	return ferror(f) ? -EIO : 0;
}

const struct raw_window *raw_find(const struct raw *raw, const char *cluster,
				  uint64_t time_ns)
{
	struct raw_window key = { .time_ns = time_ns };

	snprintf(key.cluster, sizeof(key.cluster), "%s", cluster);
	return raw->window_count ? bsearch(&key, raw->windows, raw->window_count,
					   sizeof(key), by_time)
				 : NULL;
}

void raw_free(struct raw *raw)
{
	free(raw->readings);
	free(raw->windows);
	*raw = (struct raw){ 0 };
}

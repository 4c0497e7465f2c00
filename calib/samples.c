// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of samples.csv: the growing list, the flags, and our own format out.
 */
#include "calib/samples.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "calib/samples_pool.h"

const char samples_header[] =
	"time_ns,cluster,opp_khz,freq_khz,volt_uv,cpu_count,load,util_pct,power_uw,"
	"power_sd_uw,reads,temp_mc,work,cycles,flags,load_ns";

static const struct {
	uint32_t flag;
	const char *name;
} flag_names[] = {
	{ SAMPLE_THROTTLED, "throttled" }, { SAMPLE_CLOCK, "clock" },
	{ SAMPLE_STALE, "stale" },	   { SAMPLE_UNSETTLED, "unsettled" },
	{ SAMPLE_FEW_READS, "few-reads" }, { SAMPLE_NEGATIVE, "negative" },
	{ SAMPLE_BAD_READS, "bad-reads" }, { SAMPLE_ERRATIC, "erratic" },
};

#define FLAG_COUNT (sizeof(flag_names) / sizeof(flag_names[0]))

char *samples_flags_format(uint32_t flags, char *out, size_t size)
{
	size_t used = 0;

	snprintf(out, size, "-");
	for (size_t i = 0; i < FLAG_COUNT && used < size; i++)
		if (flags & flag_names[i].flag)
			used += snprintf(out + used, size - used, "%s%s", used ? "|" : "",
					 flag_names[i].name);
	return out;
}

static uint32_t flag_of(const char *name, size_t len)
{
	for (size_t i = 0; i < FLAG_COUNT; i++)
		if (strlen(flag_names[i].name) == len &&
		    !memcmp(flag_names[i].name, name, len))
			return flag_names[i].flag;
	return 0;
}

int samples_flags_parse(const char *text, uint32_t *flags)
{
	uint32_t sum = 0;

	if (!strcmp(text, "-")) {
		*flags = 0;
		return 0;
	}
	for (;;) {
		size_t len = strcspn(text, "|");
		uint32_t flag = flag_of(text, len);

		if (!flag)
			return -EINVAL;
		sum |= flag;
		if (!text[len])
			break;
		text += len + 1;
	}
	*flags = sum;
	return 0;
}

int samples_append(struct samples *s, const struct sample *row)
{
	int ret = samples_pool_wanted(s) ? samples_pool_start(s) : 0;

	if (ret || s->pool)
		return ret ? ret : samples_pool_add(s, row);
	if (s->count == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		struct sample *rows = reallocarray(s->rows, cap, sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		s->rows = rows;
		s->cap = cap;
	}
	s->rows[s->count++] = *row;
	return 0;
}

struct board_entry {
	uint32_t number;
	char name[];
};

static int by_name(const void *a, const void *b)
{
	const struct board_entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int add_board(struct samples *s, struct board_entry *e)
{
	char **boards = s->boards;
	struct board_entry **found;

	if (!(s->board_count & (s->board_count - 1))) {
		boards = reallocarray(boards, 2 * s->board_count + 1, sizeof(*boards));
		if (!boards)
			return -ENOMEM;
		s->boards = boards;
	}
	found = tsearch(e, &s->board_index, by_name);
	if (!found)
		return -ENOMEM;
	e->number = s->board_count;
	boards[s->board_count++] = e->name;
	return 0;
}

int samples_board(struct samples *s, const char *name, uint32_t *number)
{
	struct board_entry *e, **found;
	int ret;

	/* Mostly the one of the row before. */
	*number = s->last_board;
	if (*number < s->board_count && !strcmp(s->boards[*number], name))
		return 0;
	e = calloc(1, sizeof(*e) + strlen(name) + 1);
	if (!e)
		return -ENOMEM;
	strcpy(e->name, name);
	found = tfind(e, &s->board_index, by_name);
	ret = found ? 0 : add_board(s, e);
	*number = s->last_board = found ? (*found)->number : e->number;
	if (found || ret)
		free(e);
	return ret;
}

void samples_free(struct samples *s)
{
	if (!s)
		return;
	free(s->rows);
	free(s->paths);
	free(s->boards);
	samples_pool_free(s);
	tdestroy(s->board_index, free);
	*s = (struct samples){ 0 };
}

bool samples_name_is_plain(const char *name)
{
	size_t n = 0;

	for (; name[n]; n++)
		if ((unsigned char)name[n] <= ' ' || (unsigned char)name[n] >= 0x7f ||
		    strchr(",;\"'`", name[n]))
			return false;
	return n > 0;
}

/* "150", "99.5", "0.125": at most three decimals, no idle zeros. */
static void format_util(double util_pct, char *out, size_t size)
{
	/* No "-0". */
	size_t len = snprintf(out, size, "%.3f", round(util_pct * 1e3) / 1e3 + 0.0);

	while (len > 1 && out[len - 1] == '0')
		len--;
	if (out[len - 1] == '.')
		len--;
	out[len] = '\0';
}

int samples_write_row(FILE *f, const struct sample *row)
{
	char util[32], temp[16] = "", flags[128];

	if (!samples_name_is_plain(row->cluster) || !samples_name_is_plain(row->load))
		return -EINVAL;
	if (!(row->util_pct >= (row->cpu_count ? 0 : SAMPLES_MIN_UTIL_PCT) &&
	      row->util_pct <= SAMPLES_MAX_UTIL_PCT))
		return -EINVAL;
	format_util(row->util_pct, util, sizeof(util));
	if (row->temp_mc != SAMPLE_TEMP_UNKNOWN)
		snprintf(temp, sizeof(temp), "%" PRId32, row->temp_mc);
	samples_flags_format(row->flags, flags, sizeof(flags));
	errno = 0;
	if (fprintf(f,
		    "%" PRIu64 ",%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32
		    ",%s,%s,"
		    "%" PRId64 ",%" PRIu32 ",%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64
		    ",%s,%" PRIu64 "\n",
		    row->time_ns, row->cluster, row->opp_khz, row->freq_khz, row->volt_uv,
		    row->cpu_count, row->load, util, row->power_uw, row->power_sd_uw,
		    row->reads, temp, row->work, row->cycles, flags, row->load_ns) < 0)
		return errno ? -errno : -EIO;
	return 0;
}

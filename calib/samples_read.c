// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samples.csv in: our own format strictly, other people's by the names of their columns.
 */
#include "calib/samples.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/csv.h"
#include "lib/num.h"

enum field {
	F_TIME,
	F_CLUSTER,
	F_OPP,
	F_FREQ,
	F_VOLT,
	F_COUNT,
	F_LOAD,
	F_UTIL,
	F_POWER,
	F_SD,
	F_READS,
	F_TEMP,
	F_WORK,
	F_CYCLES,
	F_FLAGS,
	F_LOAD_NS,
	F_BASELINE,
	F_BOARD,
	F_MAX,
};

/* Above 4 kW or 1000 degrees nobody measures a CPU: the unit is wrong. */
#define MAX_UW UINT32_MAX
#define MAX_MC 1000000

/* What a number may be, in the unit of struct sample (utilisation: 0.001 %). */
static const struct range {
	int64_t min, max;
} ranges[F_MAX] = {
	[F_TIME] = { 0, INT64_MAX },
	[F_OPP] = { 1, UINT32_MAX },
	[F_FREQ] = { 1, UINT32_MAX },
	[F_VOLT] = { 0, UINT32_MAX },
	[F_COUNT] = { 0, SAMPLES_MAX_CPUS },
	[F_UTIL] = { 1000 * SAMPLES_MIN_UTIL_PCT, 1000 * SAMPLES_MAX_UTIL_PCT },
	[F_POWER] = { -(int64_t)MAX_UW, MAX_UW },
	[F_SD] = { 0, UINT32_MAX },
	[F_READS] = { 0, UINT32_MAX },
	[F_TEMP] = { -MAX_MC, MAX_MC },
	[F_WORK] = { 0, INT64_MAX },
	[F_CYCLES] = { 0, INT64_MAX },
	[F_LOAD_NS] = { 0, INT64_MAX },
	[F_BASELINE] = { -(int64_t)MAX_UW, MAX_UW },
};

/* Every column name that is understood; 10^exp10 brings its unit to ours. */
static const struct column {
	const char *name;
	enum field field;
	int exp10;
} columns[] = {
	{ "time_ns", F_TIME, 0 },	  { "time_us", F_TIME, 3 },
	{ "time_ms", F_TIME, 6 },	  { "time_s", F_TIME, 9 },
	{ "cluster", F_CLUSTER, 0 },	  { "policy", F_CLUSTER, 0 },
	{ "opp_khz", F_OPP, 0 },	  { "opp_mhz", F_OPP, 3 },
	{ "opp_hz", F_OPP, -3 },	  { "freq_khz", F_FREQ, 0 },
	{ "freq_mhz", F_FREQ, 3 },	  { "freq_hz", F_FREQ, -3 },
	{ "frequency_khz", F_FREQ, 0 },	  { "frequency_mhz", F_FREQ, 3 },
	{ "frequency_hz", F_FREQ, -3 },	  { "volt_uv", F_VOLT, 0 },
	{ "volt_mv", F_VOLT, 3 },	  { "volt_v", F_VOLT, 6 },
	{ "voltage_uv", F_VOLT, 0 },	  { "voltage_mv", F_VOLT, 3 },
	{ "voltage_v", F_VOLT, 6 },	  { "cpu_count", F_COUNT, 0 },
	{ "ncpus", F_COUNT, 0 },	  { "load", F_LOAD, 0 },
	{ "workload", F_LOAD, 0 },	  { "util_pct", F_UTIL, 3 },
	{ "power_uw", F_POWER, 0 },	  { "power_mw", F_POWER, 3 },
	{ "power_w", F_POWER, 6 },	  { "power_sd_uw", F_SD, 0 },
	{ "power_sd_mw", F_SD, 3 },	  { "power_sd_w", F_SD, 6 },
	{ "reads", F_READS, 0 },	  { "temp_mc", F_TEMP, 0 },
	{ "temp_c", F_TEMP, 3 },	  { "work", F_WORK, 0 },
	{ "cycles", F_CYCLES, 0 },	  { "flags", F_FLAGS, 0 },
	{ "baseline_uw", F_BASELINE, 0 }, { "baseline_mw", F_BASELINE, 3 },
	{ "baseline_w", F_BASELINE, 6 },  { "load_ns", F_LOAD_NS, 0 },
	{ "board", F_BOARD, 0 },
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(columns[0]))

struct reader {
	struct csv csv;
	bool own;			    /* our own format: strict */
	const struct column *column[F_MAX]; /* NULL: not in this file */
	int index[F_MAX];		    /* of the CSV's fields */
	uint16_t file;
};

/* The last column is younger than the others. */
#define LAST_COLUMN "load_ns"

static bool is_own(const struct csv *csv)
{
	const char *name = samples_header;

	for (int i = 0; i < csv->nnames; i++) {
		size_t len = strcspn(name, ",");

		if (strlen(csv->names[i]) != len || memcmp(csv->names[i], name, len))
			return false;
		name += len;
		if (!*name)
			return i == csv->nnames - 1;
		name++;
	}
	return !strcmp(name, LAST_COLUMN);
}

static const struct column *find_column(const char *name)
{
	for (size_t i = 0; i < COLUMN_COUNT; i++)
		if (!strcmp(columns[i].name, name))
			return &columns[i];
	return NULL;
}

static int map_column(struct reader *r, int i, struct err *err)
{
	const char *name = r->csv.names[i];
	const struct column *c = find_column(name);

	if (!c)
		return err_set(
			err, -EINVAL,
			"%s:1: column '%.60s' is not known; rename or remove it (names "
			"end in the unit: freq_mhz, voltage_v, power_mw)",
			r->csv.path, name);
	if (r->column[c->field])
		return err_set(err, -EINVAL, "%s:1: columns '%s' and '%s' say the same",
			       r->csv.path, r->column[c->field]->name, name);
	r->column[c->field] = c;
	r->index[c->field] = i;
	return 0;
}

static int map_columns(struct reader *r, struct err *err)
{
	const char *missing = NULL;

	for (int i = 0; i < r->csv.nnames; i++) {
		int ret = map_column(r, i, err);

		if (ret)
			return ret;
	}
	if (!r->column[F_FREQ] && !r->column[F_OPP])
		missing = "frequency (freq_khz, freq_mhz, freq_hz, opp_khz)";
	else if (!r->column[F_VOLT])
		missing = "voltage (volt_uv, voltage_uv, voltage_mv, voltage_v)";
	else if (!r->column[F_POWER])
		missing = "power (power_uw, power_mw, power_w)";
	if (missing)
		return err_set(err, -EINVAL, "%s:1: no column for %s", r->csv.path,
			       missing);
	r->own = is_own(&r->csv);
	return 0;
}

/* The text of a field; NULL when there is no such column. */
static const char *text_of(const struct reader *r, enum field f)
{
	return r->column[f] ? r->csv.fields[r->index[f]] : NULL;
}

/* A limit in the column's own unit. */
static void format_limit(int64_t limit, int exp10, char out[32])
{
	if (exp10)
		snprintf(out, 32, "%.15g", limit / pow(10, exp10));
	else
		snprintf(out, 32, "%" PRId64, limit);
}

static int bad_number(const struct reader *r, enum field f, struct err *err)
{
	const struct column *c = r->column[f];
	char min[32], max[32];

	format_limit(ranges[f].min, c->exp10, min);
	format_limit(ranges[f].max, c->exp10, max);
	return err_set(err, -EINVAL, "%s:%u: %s '%.60s' is not a %s number in %s..%s",
		       r->csv.path, r->csv.line_no, c->name, text_of(r, f),
		       r->own && !c->exp10 ? "whole" : "decimal", min, max);
}

/*
 * A numeric field into @v. Returns 1, 0 when it is absent (no column, or empty where that
 * is allowed), or -EINVAL.
 */
static int number(const struct reader *r, enum field f, int64_t *v, struct err *err)
{
	const char *text = text_of(r, f);
	int ret;

	if (!text || (!*text && (!r->own || f == F_TEMP)))
		return 0;
	if (r->own && !r->column[f]->exp10)
		ret = num_i64(text, v);
	else
		ret = num_scaled(text, r->column[f]->exp10, v);
	if (ret || *v < ranges[f].min || *v > ranges[f].max)
		return bad_number(r, f, err);
	return 1;
}

/* For fields where absence is 0. */
static int number_or_0(const struct reader *r, enum field f, int64_t *v, struct err *err)
{
	int ret = number(r, f, v, err);

	if (ret == 0)
		*v = 0;
	return ret < 0 ? ret : 0;
}

static bool is_number(const char *text)
{
	uint32_t v;

	return !num_u32(text, &v);
}

static int read_name(const struct reader *r, enum field f, const char *absent, char *out,
		     size_t size, struct err *err)
{
	const char *text = text_of(r, f);
	const char *prefix = "";

	if (!text || (!*text && !r->own))
		text = absent;
	else if (!strcmp(r->column[f]->name, "policy") && is_number(text))
		prefix = "policy";
	if (snprintf(out, size, "%s%s", prefix, text) >= (int)size ||
	    !samples_name_is_plain(out))
		return err_set(
			err, -EINVAL,
			"%s:%u: %s '%.60s' is not a plain name of up to %zu characters",
			r->csv.path, r->csv.line_no, r->column[f]->name, text, size - 1);
	return 0;
}

static int read_flags(const struct reader *r, uint32_t *flags, struct err *err)
{
	const char *text = text_of(r, F_FLAGS);

	*flags = 0;
	if (!text || (!*text && !r->own) || !samples_flags_parse(text, flags))
		return 0;
	return err_set(err, -EINVAL,
		       "%s:%u: flags '%.60s' is not '-' or known flags joined by '|'",
		       r->csv.path, r->csv.line_no, text);
}

/* What was asked for and what was delivered; one stands for the other. */
static int read_clock(const struct reader *r, struct sample *s, struct err *err)
{
	int64_t opp, freq;
	int has_opp = number(r, F_OPP, &opp, err);
	int has_freq = has_opp < 0 ? has_opp : number(r, F_FREQ, &freq, err);

	if (has_freq < 0)
		return has_freq;
	if (!has_opp && !has_freq)
		return err_set(err, -EINVAL, "%s:%u: the frequency is empty", r->csv.path,
			       r->csv.line_no);
	s->opp_khz = has_opp ? opp : freq;
	s->freq_khz = has_freq ? freq : opp;
	return 0;
}

static int read_volt(const struct reader *r, struct sample *s, struct err *err)
{
	int64_t v;
	int ret = number_or_0(r, F_VOLT, &v, err);

	if (ret)
		return ret;
	/* In our own files 0 says "unknown"; elsewhere it is a mistake. */
	if (!v && !r->own)
		return err_set(err, -EINVAL, "%s:%u: %s '%s' is not a voltage",
			       r->csv.path, r->csv.line_no, r->column[F_VOLT]->name,
			       text_of(r, F_VOLT));
	s->volt_uv = v;
	return 0;
}

static int read_cpus(const struct reader *r, struct sample *s, struct err *err)
{
	int64_t count, util;
	int ret = number(r, F_COUNT, &count, err);

	if (ret < 0)
		return ret;
	s->cpu_count = ret ? count : 1;
	ret = number(r, F_UTIL, &util, err);
	if (ret < 0)
		return ret;
	s->util_pct = ret ? util / 1000.0 : 100.0 * s->cpu_count;
	if (s->util_pct < 0 && s->cpu_count)
		return err_set(err, -EINVAL,
			       "%s:%u: util_pct '%.60s' is less than 0, which only "
			       "rounding can make of idle rows",
			       r->csv.path, r->csv.line_no, text_of(r, F_UTIL));
	return 0;
}

static int read_sensors(const struct reader *r, struct sample *s, struct err *err)
{
	int64_t sd, reads, temp, baseline;
	int ret = number(r, F_TEMP, &temp, err);

	if (ret < 0)
		return ret;
	s->temp_mc = ret ? temp : SAMPLE_TEMP_UNKNOWN;
	ret = number_or_0(r, F_SD, &sd, err);
	if (!ret)
		ret = number_or_0(r, F_READS, &reads, err);
	if (!ret)
		ret = number_or_0(r, F_BASELINE, &baseline, err);
	if (ret)
		return ret;
	s->power_sd_uw = sd;
	s->reads = reads;
	s->baseline_uw = baseline;
	return 0;
}

static int read_counters(const struct reader *r, struct sample *s, struct err *err)
{
	int64_t time, work, cycles, load_ns;
	int ret = number_or_0(r, F_TIME, &time, err);

	if (!ret)
		ret = number_or_0(r, F_WORK, &work, err);
	if (!ret)
		ret = number_or_0(r, F_CYCLES, &cycles, err);
	if (!ret)
		ret = number_or_0(r, F_LOAD_NS, &load_ns, err);
	if (ret)
		return ret;
	s->time_ns = time;
	s->work = work;
	s->cycles = cycles;
	s->load_ns = load_ns;
	return 0;
}

static int read_board(struct samples *s, const struct reader *r, struct sample *row,
		      struct err *err)
{
	char name[SAMPLES_MAX_BOARD];
	int ret;

	if (!r->column[F_BOARD])
		return 0;
	ret = read_name(r, F_BOARD, "", name, sizeof(name), err);
	if (!ret && samples_board(s, name, &row->board))
		ret = err_errno(err, -ENOMEM, "%s:%u", r->csv.path, r->csv.line_no);
	return ret;
}

/* A fraction of a CPU is a mistake, not something to round ("2.0" is none). */
static int check_count(const struct reader *r, struct err *err)
{
	const char *text = text_of(r, F_COUNT);
	const char *point = text ? strchr(text, '.') : NULL;

	if (!point || !point[1 + strspn(point + 1, "0")])
		return 0;
	return bad_number(r, F_COUNT, err);
}

static int read_rest(const struct reader *r, struct sample *s, struct err *err)
{
	int ret = read_name(r, F_CLUSTER, "cluster0", s->cluster, sizeof(s->cluster),
			    err);

	if (!ret)
		ret = read_clock(r, s, err);
	if (!ret)
		ret = read_volt(r, s, err);
	if (!ret)
		ret = check_count(r, err);
	if (!ret)
		ret = read_cpus(r, s, err);
	if (!ret)
		ret = read_name(r, F_LOAD, "unknown", s->load, sizeof(s->load), err);
	if (!ret)
		ret = read_sensors(r, s, err);
	if (!ret)
		ret = read_counters(r, s, err);
	if (!ret)
		ret = read_flags(r, &s->flags, err);
	return ret;
}

/* What logging tools print where a reading failed. */
static bool is_no_reading(const char *text)
{
	text += *text == '-' || *text == '+';
	return !*text || !strcasecmp(text, "nan") || !strcasecmp(text, "inf") ||
	       !strcasecmp(text, "infinity");
}

static void reject(struct samples *s, const struct reader *r)
{
	struct samples_reject *j;

	if (s->reject_count == SAMPLES_MAX_REJECTS) {
		s->rejects_more++;
		return;
	}
	j = &s->rejects[s->reject_count++];
	j->line = r->csv.line_no;
	j->file = r->file;
	snprintf(j->why, sizeof(j->why), "%s '%.20s' is not a reading",
		 r->column[F_POWER]->name, text_of(r, F_POWER));
}

static int read_row(struct samples *s, const struct reader *r, struct err *err)
{
	struct sample row = { .line = r->csv.line_no, .file = r->file };
	int64_t power;
	int ret;

	if (!r->own && is_no_reading(text_of(r, F_POWER))) {
		reject(s, r);
		return 0;
	}
	ret = number(r, F_POWER, &power, err);
	if (ret < 0)
		return ret;
	row.power_uw = power;
	ret = read_rest(r, &row, err);
	if (!ret)
		ret = read_board(s, r, &row, err);
	if (ret)
		return ret;
	ret = samples_append(s, &row);
	if (ret == -E2BIG)
		return err_set(
			err, ret,
			"%s:%u: too many rows, and of too many kinds to take means "
			"(operating point, CPU count, load, flags); choose some",
			r->csv.path, r->csv.line_no);
	return ret ? err_errno(err, ret, "%s:%u", r->csv.path, r->csv.line_no) : 0;
}

static int add_path(struct samples *s, const char *path, struct err *err)
{
	const char **paths = s->paths;
	unsigned int n = s->file_count;

	if (n == SAMPLES_MAX_FILES)
		return err_set(err, -E2BIG, "'%s' is one file too many (%d are taken)",
			       path, SAMPLES_MAX_FILES);
	if (!(n & (n - 1)))
		paths = reallocarray(paths, 2 * n + 1, sizeof(*paths));
	if (!paths)
		return err_errno(err, -ENOMEM, "%u files", n);
	s->paths = paths;
	s->paths[s->file_count++] = path;
	return 0;
}

/* Rows without a board are of none, so that all have one, or none. */
static int check_boards(const struct samples *s, const struct reader *r, struct err *err)
{
	if (!s->count || !s->board_count == !r->column[F_BOARD])
		return 0;
	return err_set(
		err, -EINVAL,
		"%s:1: %s column 'board', and the file before has %s; all files or "
		"none",
		r->csv.path, r->column[F_BOARD] ? "a" : "no",
		r->column[F_BOARD] ? "none" : "one");
}

int samples_read(struct samples *s, const char *path, struct err *err)
{
	struct reader r = { .file = s->file_count };
	int ret;

	if (s->file_count == SAMPLES_MAX_FILES)
		return add_path(s, path, err);
	ret = csv_open(&r.csv, path, err);
	if (ret)
		return ret;
	ret = map_columns(&r, err);
	if (!ret)
		ret = check_boards(s, &r, err);
	if (!ret)
		ret = add_path(s, path, err);
	if (ret)
		goto out_close;
	while ((ret = csv_next(&r.csv, err)) == 1) {
		ret = read_row(s, &r, err);
		if (ret)
			break;
	}
out_close:
	csv_close(&r.csv);
	return ret;
}

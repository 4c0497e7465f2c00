// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Readings that somebody else takes: lines of CSV from a command, a FIFO or a file.
 */
#include "calib/linux/meters_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calib/linux/meters_internal.h"
#include "calib/measure/stop.h"
#include "lib/num.h"
#include "lib/text.h"

#define MAX_LINE      4096
#define MAX_FIELDS    64
#define PIPE_BYTES    (1 << 20)
#define FIRST_WAIT_NS 10000000000ull /* for the header and two readings */
#define POLL_NS	      10000000ull
#define END_POLLS     100

struct column {
	const char *name;
	int exp10; /* to ns or uW */
};

static const struct column time_columns[] = {
	{ "time_s", 9 }, { "time_ms", 6 }, { "time_us", 3 }, { "time_ns", 0 }, { NULL }
};
static const struct column power_columns[] = {
	{ "power_w", 6 }, { "power_mw", 3 }, { "power_uw", 0 }, { NULL }
};

struct stream {
	const char *source;
	int fd;
	pid_t pid;   /* of the command; 0: none, -1: it ended */
	pid_t group; /* of all that the command started */
	char line[MAX_LINE];
	size_t have;
	bool header, skip_half; /* a header came; the next line is not whole */
	unsigned int line_no;
	int time_field, power_field;
	const struct column *time_column, *power_column;
	/* the readings */
	struct meter_mean mean;
	bool ended;
	/* the recording */
	struct marker_sample *record;
	size_t recorded, record_max;
	int64_t least_late_ns, most_late_ns; /* arrival minus the meter's time */
};

static int find_column(char *const *fields, unsigned int n, const struct column *known,
		       int *field, const struct column **column)
{
	for (unsigned int i = 0; i < n; i++) {
		for (const struct column *c = known; c->name; c++) {
			if (strcmp(fields[i], c->name) != 0)
				continue;
			*field = i;
			*column = c;
			return 0;
		}
	}
	return -EINVAL;
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	len = strlen(text);
	while (len && strchr(" \t\r", text[len - 1]))
		text[--len] = '\0';
	return text;
}

static unsigned int split(char *line, char **fields)
{
	unsigned int n = 0;
	char *comma;

	for (;; line = comma + 1) {
		comma = strchr(line, ',');
		if (comma)
			*comma = '\0';
		fields[n++] = trim(line);
		if (!comma || n == MAX_FIELDS)
			return n;
	}
}

static int take_header(struct stream *st, char *const *fields, unsigned int n,
		       struct err *err)
{
	if (find_column(fields, n, time_columns, &st->time_field, &st->time_column))
		return err_set(
			err, -EINVAL,
			"the header line '%.80s...' has no column time_s, time_ms, "
			"time_us or time_ns",
			fields[0]);
	if (find_column(fields, n, power_columns, &st->power_field, &st->power_column))
		return err_set(
			err, -EINVAL,
			"the header line '%.80s...' has no column power_w, power_mw "
			"or power_uw",
			fields[0]);
	st->header = true;
	return 0;
}

static void keep(struct stream *st, int64_t time_ns, int64_t power_uw, uint64_t now_ns)
{
	int64_t late = (int64_t)now_ns - time_ns;

	if (!st->record || st->recorded == st->record_max)
		return;
	if (!st->recorded || late < st->least_late_ns)
		st->least_late_ns = late;
	if (!st->recorded || late > st->most_late_ns)
		st->most_late_ns = late;
	st->record[st->recorded++] = (struct marker_sample){ time_ns, power_uw };
}

static int take_reading(struct stream *st, char *const *fields, unsigned int n,
			uint64_t now_ns, struct err *err)
{
	int64_t time_ns, power_uw;
	struct err why;

	if ((int)n <= st->time_field || (int)n <= st->power_field)
		return err_set(err, -EIO, "line %u has %u field%s", st->line_no, n,
			       text_s(n));
	if (num_scaled(fields[st->time_field], st->time_column->exp10, &time_ns) ||
	    llabs(time_ns) > INT64_MAX / 2)
		return err_set(err, -EIO, "line %u: '%.40s' is no time", st->line_no,
			       fields[st->time_field]);
	if (num_scaled(fields[st->power_field], st->power_column->exp10, &power_uw) ||
	    llabs(power_uw) > METERS_MAX_UW)
		return err_set(err, -EIO, "line %u: '%.40s' is no power", st->line_no,
			       fields[st->power_field]);
	if (meter_mean_add(&st->mean, time_ns, power_uw, 0, now_ns, &why))
		return err_set(err, -EIO, "line %u: %s", st->line_no, why.msg);
	keep(st, time_ns, power_uw, now_ns);
	return 0;
}

static int take_line(struct stream *st, char *line, uint64_t now_ns, struct err *err)
{
	char *fields[MAX_FIELDS];
	unsigned int n;

	st->line_no++;
	if (st->skip_half) {
		st->skip_half = false;
		return 0;
	}
	if (!line[strspn(line, " \t\r")] || line[0] == '#')
		return 0;
	n = split(line, fields);
	return st->header ? take_reading(st, fields, n, now_ns, err)
			  : take_header(st, fields, n, err);
}

/* The whole lines of what has come; the first that is bad is told, the others count. */
static int take_lines(struct stream *st, uint64_t now_ns, struct err *err)
{
	char *line = st->line, *end;
	int ret = 0, one;

	while ((end = memchr(line, '\n', st->line + st->have - line))) {
		*end = '\0';
		one = take_line(st, line, now_ns, ret ? NULL : err);
		if (!ret)
			ret = one;
		line = end + 1;
	}
	st->have -= line - st->line;
	memmove(st->line, line, st->have);
	if (st->have < sizeof(st->line))
		return ret;
	st->have = 0;
	st->skip_half = true;
	return ret ? ret : err_set(err, -EIO, "a line of more than %d bytes", MAX_LINE);
}

/*
 * All that has come. 0, or the first error. Something may write faster than we read
 * (yes(1), /dev/zero): so much and no more, or nobody could interrupt us.
 */
static int drain(struct stream *st, uint64_t now_ns, struct err *err)
{
	size_t taken = 0;
	int ret = 0, one;
	ssize_t n;

	do {
		n = read(st->fd, st->line + st->have, sizeof(st->line) - st->have);
		if (n <= 0)
			break;
		taken += n;
		st->have += n;
		one = take_lines(st, now_ns, ret ? NULL : err);
		if (!ret)
			ret = one;
	} while (taken < PIPE_BYTES);
	/* A FIFO without a writer, or a file's end: more may come. */
	if (!n && st->pid)
		st->ended = true;
	if (n < 0 && errno != EAGAIN && errno != EINTR && !ret)
		ret = err_set(err, -EIO, "reading fails: %s", strerror(errno));
	return ret;
}

static void run_command(const char *command, int out)
{
	int null = open("/dev/null", O_RDONLY);
	sigset_t none;

	/* A Ctrl-C is for us: we end it when the run is over. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* We ignore it, and exec would keep that: 'meter | awk' has to end with us. */
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static int start_command(struct stream *st, struct err *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return err_errno(err, -errno, "pipe");
	/* Room for what comes while nobody reads; refused is no harm. */
	fcntl(fds[0], F_SETPIPE_SZ, PIPE_BYTES);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	st->pid = fork();
	if (!st->pid)
		run_command(st->source, fds[1]);
	close(fds[1]);
	st->fd = fds[0];
	if (st->pid > 0) {
		setpgid(st->pid, st->pid);
		st->group = st->pid;
		return 0;
	}
	st->pid = 0;
	return err_errno(err, -errno, "fork");
}

/* The header is at the beginning, what is measured now at the end. */
static int skip_the_past(struct stream *st, struct err *err)
{
	size_t len;
	ssize_t n;
	int ret = 0;
	off_t end;
	char last = '\n';

	n = read(st->fd, st->line, sizeof(st->line));
	if (n <= 0)
		return n ? err_errno(err, -errno, "reading") : 0;
	while (!st->header && !ret && n) {
		char *nl = memchr(st->line, '\n', n);

		if (!nl)
			return err_set(err, -EINVAL, "no header line");
		*nl = '\0';
		len = nl + 1 - st->line;
		ret = take_line(st, st->line, 0, err);
		n -= len;
		memmove(st->line, nl + 1, n);
	}
	end = lseek(st->fd, 0, SEEK_END);
	if (!ret && end > 0 && pread(st->fd, &last, 1, end - 1) == 1 && last != '\n')
		st->skip_half = true;
	return ret;
}

static int start(struct stream *st, struct err *err)
{
	struct stat sb;

	/* A program without arguments is a command, and no readings. */
	if (stat(st->source, &sb) || (S_ISREG(sb.st_mode) && !access(st->source, X_OK)))
		return start_command(st, err);
	if (S_ISDIR(sb.st_mode))
		return err_set(err, -EISDIR, "'%s' is a folder", st->source);
	st->fd = open(st->source, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (st->fd < 0)
		return err_errno(err, -errno, "%s", st->source);
	return S_ISREG(sb.st_mode) ? skip_the_past(st, err) : 0;
}

static int ended(struct stream *st, struct err *err)
{
	int status;

	if (st->pid > 0 && waitpid(st->pid, &status, WNOHANG) == st->pid) {
		st->pid = -1;
		if (WIFEXITED(status))
			return err_set(
				err, -ENODATA,
				"the command '%s' ended with status %d after %" PRIu64
				" reading%s",
				st->source, WEXITSTATUS(status), st->mean.count,
				text_s(st->mean.count));
	}
	return err_set(err, -ENODATA,
		       "the command '%s' ended after %" PRIu64 " reading%s", st->source,
		       st->mean.count, text_s(st->mean.count));
}

static int stream_ready(const struct power_meter *pm, struct err *err)
{
	struct stream *st = pm->own;
	uint64_t end = stop_now_ns() + FIRST_WAIT_NS, now;
	int ret = 0;

	if (st->fd < 0)
		ret = start(st, err);
	while (!ret && st->mean.count < 2) {
		now = stop_now_ns();
		ret = drain(st, now, err);
		if (!ret && st->mean.count < 2 && st->ended)
			return ended(st, err);
		if (!ret && st->mean.count < 2 && now > end)
			return err_set(err, -ENODATA,
				       "no two readings came from '%s' in %llu s",
				       st->source, FIRST_WAIT_NS / 1000000000);
		if (!ret && stop_sleep_until(now + POLL_NS))
			ret = err_set(err, -EINTR, "interrupted");
	}
	return ret;
}

static void stream_list(struct meters *all)
{
	struct stream *st;
	struct meter_info *m;

	m = all->stream ? meters_add(all, &meter_kind_stream) : NULL;
	if (!m)
		return;
	m->unit = "text";
	m->scope = METER_DEVICE;
	strcpy(m->driver, METERS_STREAM_SPEC);
	strcpy(m->device, METERS_STREAM_SPEC);
	strcpy(m->note, "what it measures is taken for the whole device");
	snprintf(m->labels[0], sizeof(m->labels[0]), "%.47s", all->stream);
	meter_info_name(m, "");
	st = calloc(1, sizeof(*st));
	if (st) {
		st->fd = -1;
		st->source = all->stream;
	}
	all->stream_own = st;
}

/* Opened by stream_ready() only: nothing runs for a plan. */
static int stream_open(const struct meters *all, struct power_meter *pm, struct err *err)
{
	pm->own = all->stream_own;
	return pm->own ? 0 : err_set(err, -ENOMEM, "out of memory");
}

static int stream_read(struct power_meter *pm, uint64_t now_ns, struct reading *r,
		       struct err *err)
{
	struct stream *st = pm->own;
	int ret;

	if (st->fd < 0)
		return err_set(err, -EAGAIN, "not started");
	ret = drain(st, now_ns, err);
	if (ret)
		return ret;
	if (st->ended && st->mean.count && !st->mean.fresh)
		return ended(st, err);
	return meter_mean_take(&st->mean, now_ns, r, err);
}

static struct meter_mean *stream_mean(const struct power_meter *pm)
{
	struct stream *st = pm->own;

	return &st->mean;
}

/* The command may have ended, and left others that still write, or heed no SIGTERM. */
static void end_command(struct stream *st)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };

	kill(-st->group, SIGTERM);
	for (int i = 0; i < END_POLLS; i++) {
		if (st->pid > 0 && waitpid(st->pid, NULL, WNOHANG))
			st->pid = -1;
		if (st->pid < 0 && kill(-st->group, 0))
			return;
		nanosleep(&pause, NULL);
	}
	kill(-st->group, SIGKILL);
	if (st->pid > 0)
		waitpid(st->pid, NULL, 0);
}

/* The other clusters' meter reads the same stream: meters_close() ends it. */
static void stream_close(struct power_meter *pm)
{
	pm->own = NULL;
}

static void stream_end(struct meters *all)
{
	struct stream *st = all->stream_own;

	if (!st)
		return;
	if (st->fd >= 0)
		close(st->fd);
	if (st->group)
		end_command(st);
	free(st->record);
	free(st);
}

const struct meter_kind meter_kind_stream = {
	.name = "stream",
	.list = stream_list,
	.end = stream_end,
	.open = stream_open,
	.ready = stream_ready,
	.read = stream_read,
	.mean = stream_mean,
	.close = stream_close,
};

static struct stream *stream_of(const struct power_meter *pm)
{
	return pm->info.kind == &meter_kind_stream ? pm->own : NULL;
}

bool stream_needs_marker(const struct power_meter *pm)
{
	const struct stream *st = stream_of(pm);

	return st && !st->mean.timed;
}

bool stream_is_aligned(const struct power_meter *pm)
{
	const struct stream *st = stream_of(pm);

	return st && st->mean.timed;
}

uint64_t stream_interval_ns(const struct power_meter *pm)
{
	return stream_of(pm)->mean.interval_ns;
}

bool stream_describe(const struct meters *all, char *columns, size_t size,
		     uint32_t *interval_us)
{
	const struct stream *st = all->stream_own;
	uint64_t us;

	if (!st || !st->header || !st->mean.interval_ns)
		return false;
	us = st->mean.interval_ns / 1000;
	snprintf(columns, size, "%s by %s", st->power_column->name,
		 st->time_column->name);
	*interval_us = us < UINT32_MAX ? us : UINT32_MAX;
	return true;
}

int stream_record(struct power_meter *pm, size_t max, struct err *err)
{
	struct stream *st = stream_of(pm);

	st->record = calloc(max, sizeof(*st->record));
	if (!st->record)
		return err_set(err, -ENOMEM, "out of memory");
	st->recorded = 0;
	st->record_max = max;
	return 0;
}

int stream_align(struct power_meter *pm, const struct marker *m, double *step_uw,
		 struct err *err)
{
	struct stream *st = stream_of(pm);
	int ret;

	/* No reading comes before it was taken: the one that was least late bounds it. */
	if (!st->recorded)
		ret = err_set(err, -ENODATA, "no reading came while the marker load ran");
	else
		ret = marker_find(m, st->record, st->recorded,
				  st->least_late_ns - STREAM_MAX_LAG_NS,
				  st->least_late_ns, &st->mean.offset_ns, step_uw, err);
	free(st->record);
	st->record = NULL;
	st->mean.timed = !ret;
	return ret ? err_wrap(err, ret, "sensor %s", pm->info.name) : 0;
}

uint64_t stream_lag_ns(const struct power_meter *pm)
{
	const struct stream *st = stream_of(pm);
	int64_t lag = st->most_late_ns - st->mean.offset_ns;

	return lag > 0 ? lag : 0;
}

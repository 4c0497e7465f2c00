// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RUN folder while it is being written.
 */
#include "calib/measure/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calib/samples.h"
#include "lib/buf.h"
#include "lib/num.h"
#include "lib/outfile.h"

#define SAMPLES_NAME "samples.csv"
#define SAMPLES_MAX  (256u << 20)

static int differs(const struct session *s, const char *what, const char *there,
		   const char *here, struct err *err)
{
	return err_set(err, -EEXIST,
		       "'%s' was measured on another machine (%s '%s', here '%s'); give "
		       "another folder with -d",
		       s->run, what, there, here);
}

static int compare_opps(const struct session *s, const struct runinfo_cluster *there,
			const struct runinfo_cluster *here, struct err *err)
{
	bool same = there->opp_count == here->opp_count;

	for (unsigned int i = 0; i < here->opp_count && same; i++)
		same = there->opps[i].khz == here->opps[i].khz;
	if (same)
		return 0;
	return err_set(err, -EEXIST,
		       "'%s' was measured with other operating points of cluster '%s'; "
		       "give another folder with -d",
		       s->run, here->name);
}

/* Clusters come and go with their CPUs, but not all at once. */
static int compare_clusters(const struct session *s, const struct runinfo *there,
			    const struct runinfo *here, struct err *err)
{
	unsigned int common = 0;

	for (unsigned int i = 0; i < here->cluster_count; i++) {
		const struct runinfo_cluster *c = runinfo_cluster(there,
								  here->clusters[i].name);
		int ret = c ? compare_opps(s, c, &here->clusters[i], err) : 0;

		if (ret)
			return ret;
		common += c != NULL;
	}
	if (!common && here->cluster_count)
		return differs(s, "clusters without", here->clusters[0].name, "with it",
			       err);
	return 0;
}

/* May rows of the machine @here be added to those of @there? */
static int compare(const struct session *s, const struct runinfo *there,
		   const struct runinfo *here, struct err *err)
{
	if (there->virtual_board != here->virtual_board)
		return err_set(
			err, -EEXIST,
			"'%s' holds %s and this is %s; give another folder with -d",
			s->run,
			there->virtual_board ? "a VIRTUAL run" : "a real machine's run",
			here->virtual_board ? "a VIRTUAL board" : "a real machine");
	if (strcmp(there->board, here->board))
		return differs(s, "board", there->board, here->board, err);
	if (strcmp(there->compatible, here->compatible))
		return differs(s, "compatible", there->compatible, here->compatible, err);
	if (here->virtual_board && there->seed != here->seed)
		return err_set(err, -EEXIST,
			       "'%s' is a virtual board with seed %" PRIu64
			       ", which is another one than with seed %" PRIu64
			       "; use its seed, or give another folder with -d",
			       s->run, there->seed, here->seed);
	if (there->has_baseline || strcmp(there->power_scope, here->power_scope))
		return err_set(err, -EEXIST,
			       "'%s' holds power of another kind (%s%s); give another "
			       "folder with -d",
			       s->run, there->power_scope,
			       there->has_baseline ? ", baseline subtracted" : "");
	return compare_clusters(s, there, here, err);
}

/* What was typed, all of it: "calib measure --cluster a15; calib measure --cluster a7".
 */
static void add_command(struct runinfo *info, const char *before)
{
	char now[sizeof(info->command)];
	const size_t size = sizeof(info->command);

	if (!before[0] || !strcmp(before, info->command))
		return;
	memcpy(now, info->command, size);
	if (snprintf(info->command, size, "%s; %s", before, now) >= (int)size)
		memcpy(info->command + size - 4, "...", 4);
}

/* What earlier runs found out; the next one of the same cluster says it anew. */
static void keep_findings(struct session *s, const struct runinfo *there)
{
	for (unsigned int i = 0; i < s->info.cluster_count; i++) {
		struct runinfo_cluster *c = &s->info.clusters[i];
		const struct runinfo_cluster *old = runinfo_cluster(there, c->name);

		if (!old)
			continue;
		memcpy(c->sensor_note, old->sensor_note, sizeof(c->sensor_note));
		memcpy(c->irqs_stayed, old->irqs_stayed, sizeof(c->irqs_stayed));
		memcpy(c->precision_load, old->precision_load, sizeof(c->precision_load));
		c->precision_asked = old->precision_asked;
		c->precision_predicted = old->precision_predicted;
	}
}

/* Clusters with rows that are offline now. */
static void keep_clusters(struct session *s, const struct runinfo *there)
{
	for (unsigned int i = 0; i < there->cluster_count; i++)
		if (!runinfo_cluster(&s->info, there->clusters[i].name) &&
		    s->info.cluster_count < BOARD_MAX_CLUSTERS)
			s->info.clusters[s->info.cluster_count++] = there->clusters[i];
}

static int read_board(struct session *s, struct err *err)
{
	struct runinfo *there = malloc(sizeof(*there));
	int ret;

	if (!there)
		return err_set(err, -ENOMEM, "out of memory");
	ret = runinfo_read(s->run, there, err);
	if (ret == -ENOENT) {
		free(there);
		return 0;
	}
	if (!ret)
		ret = compare(s, there, &s->info, err);
	if (!ret) {
		s->exists = true;
		add_command(&s->info, there->command);
		memcpy(s->info.date, there->date, sizeof(s->info.date));
		keep_findings(s, there);
		keep_clusters(s, there);
		if (strcmp(there->kernel, s->info.kernel))
			memcpy(s->kernel, there->kernel, sizeof(s->kernel));
	}
	free(there);
	return ret;
}

/* Count a whole row: @line up to and without its newline. */
static int count_row(struct session *s, const char *line, size_t len, uint64_t line_no,
		     struct err *err)
{
	char text[256], *name, *end;
	uint64_t time_ns;

	snprintf(text, sizeof(text), "%.*s", (int)len, line);
	name = strchr(text, ',');
	end = name ? strchr(name + 1, ',') : NULL;
	if (!end)
		return err_set(err, -EINVAL, "%s:%" PRIu64 ": '%s' is not a row of ours",
			       s->samples, line_no, text);
	*name++ = '\0';
	*end = '\0';
	if (num_u64(text, &time_ns))
		return err_set(err, -EINVAL, "%s:%" PRIu64 ": time_ns '%s' is not a time",
			       s->samples, line_no, text);
	s->rows++;
	if (time_ns > s->last_time_ns)
		s->last_time_ns = time_ns;
	for (unsigned int i = 0; i < s->info.cluster_count; i++)
		if (!strcmp(s->info.clusters[i].name, name))
			s->cluster_rows[i]++;
	return 0;
}

/*
 * Which bytes are whole rows. A power cut leaves half a row at the end, or, where the
 * file grew but the data never came, zeros.
 */
static void find_torn(struct session *s, const struct buf *text)
{
	const char *zero = text->len ? memchr(text->data, '\0', text->len) : NULL;
	size_t good = zero ? (size_t)(zero - text->data) : text->len;

	while (good && text->data[good - 1] != '\n')
		good--;
	s->good = good;
	s->torn = text->len - good;
}

static int scan_rows(struct session *s, const char *text, struct err *err)
{
	size_t header = strlen(samples_header), good = s->good;
	uint64_t line_no = 1;
	int ret = 0;

	if (!good)
		return 0;
	if (good <= header || memcmp(text, samples_header, header) ||
	    text[header] != '\n')
		return err_set(
			err, -EEXIST,
			"%s:1: this is not the header of this calib's samples; give "
			"another folder with -d",
			s->samples);
	for (size_t at = header + 1; at < good && !ret;) {
		size_t len = (const char *)memchr(text + at, '\n', good - at) -
			     (text + at);

		ret = count_row(s, text + at, len, ++line_no, err);
		at += len + 1;
	}
	return ret;
}

static int read_samples(struct session *s, struct err *err)
{
	struct buf text = { 0 };
	int ret = buf_read_regular(&text, s->samples, SAMPLES_MAX, err);

	if (ret == -ENOENT)
		return 0;
	if (!ret) {
		find_torn(s, &text);
		/* The beginning of a header and no more: begin again. */
		if (!s->good && s->torn &&
		    strncmp(samples_header, text.data, strlen(text.data)))
			s->good = s->torn;
		ret = scan_rows(s, text.data, err);
	}
	/* The header alone is there when a run was killed as it began. */
	if (!ret && s->rows && !s->exists)
		ret = err_set(err, -EEXIST,
			      "'%s' has samples but no board.json, so whose they are is "
			      "unknown; give another folder with -d",
			      s->run);
	buf_free(&text);
	return ret;
}

/* Know before an hour of measuring that nothing can be kept. */
static int check_writable(const struct session *s, struct err *err)
{
	char parent[PATH_MAX];
	struct stat st;
	char *slash;

	if (!stat(s->run, &st)) {
		if (!S_ISDIR(st.st_mode))
			return err_set(
				err, -ENOTDIR,
				"'%s' is not a folder; say with -d where to keep the run",
				s->run);
		if (access(s->run, W_OK | X_OK))
			return err_errno(err, -errno, "cannot write to '%s'", s->run);
		return 0;
	}
	if (errno != ENOENT)
		return err_errno(err, -errno, "cannot use '%s'", s->run);
	snprintf(parent, sizeof(parent), "%s", s->run);
	for (size_t n = strlen(parent); n > 1 && parent[n - 1] == '/'; n--)
		parent[n - 1] = '\0';
	slash = strrchr(parent, '/');
	if (!slash)
		strcpy(parent, ".");
	else
		slash[slash == parent] = '\0';
	if (access(parent, W_OK | X_OK))
		return err_errno(err, -errno, "cannot make '%s' in '%s'", s->run, parent);
	return 0;
}

int session_open(struct session *s, const char *run, const struct runinfo *info,
		 bool durable, struct err *err)
{
	int ret;

	*s = (struct session){ .info = *info, .durable = durable };
	if (snprintf(s->run, sizeof(s->run), "%s", run) >= (int)sizeof(s->run))
		return err_errno(err, -ENAMETOOLONG, "'%.100s...'", run);
	ret = runinfo_path(run, SAMPLES_NAME, s->samples, sizeof(s->samples), err);
	if (!ret)
		ret = check_writable(s, err);
	if (!ret)
		ret = read_board(s, err);
	if (!ret)
		ret = read_samples(s, err);
	return ret;
}

static int write_errno(const struct session *s, struct err *err)
{
	return err_errno(err, errno ? -errno : -EIO, "cannot write '%s'", s->samples);
}

/*
 * Whole or not at all: what was written of a text that does not fit on the disk is taken
 * back. If even that fails, the next run cuts it off.
 */
static int append_text(struct session *s, const char *text, size_t len, struct err *err)
{
	ssize_t n = write(s->fd, text, len);
	int ret;

	if (n == (ssize_t)len && (!s->durable || !fdatasync(s->fd))) {
		s->good += len;
		return 0;
	}
	if (n >= 0 && n < (ssize_t)len)
		errno = ENOSPC;
	ret = write_errno(s, err);
	while (ftruncate(s->fd, s->good) && errno == EINTR)
		;
	return ret;
}

static int open_samples(struct session *s, struct err *err)
{
	char first[512];
	struct stat st;

	s->fd = open(s->samples, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (s->fd < 0)
		return write_errno(s, err);
	s->begun = true;
	if (fstat(s->fd, &st))
		return write_errno(s, err);
	if (flock(s->fd, LOCK_EX | LOCK_NB) || st.st_size != s->good + s->torn)
		return err_set(err, -EBUSY, "'%s' is being written by another calib",
			       s->samples);
	if (s->torn && ftruncate(s->fd, s->good))
		return write_errno(s, err);
	if (s->good)
		return 0;
	snprintf(first, sizeof(first), "%s\n", samples_header);
	return append_text(s, first, strlen(first), err);
}

/* What a run that was killed left half written. */
static void sweep(const struct session *s)
{
	static const char *const names[] = { "board.json", "plan.json" };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!runinfo_path(s->run, names[i], path, sizeof(path), NULL))
			outfile_sweep(path);
}

int session_begin(struct session *s, struct err *err)
{
	int ret;

	if (s->begun)
		return 0;
	if (mkdir(s->run, 0755) && errno != EEXIST)
		return err_errno(err, -errno, "cannot make '%s'", s->run);
	ret = open_samples(s, err);
	if (!ret)
		sweep(s);
	if (!ret)
		ret = runinfo_write(s->run, &s->info, err);
	return ret;
}

int session_update(struct session *s, struct err *err)
{
	return s->begun ? runinfo_write(s->run, &s->info, err) : 0;
}

int session_append(struct session *s, const struct sample *row, struct err *err)
{
	char line[1024];
	FILE *f = fmemopen(line, sizeof(line), "w");
	int ret;

	if (!f)
		return err_errno(err, -errno, "cannot format a row");
	ret = samples_write_row(f, row);
	if (fclose(f) && !ret)
		ret = -EIO;
	if (ret)
		return err_errno(err, ret, "a row of cluster '%s' cannot be written",
				 row->cluster);
	return append_text(s, line, strlen(line), err);
}

int session_close(struct session *s, struct err *err)
{
	int ret = 0;

	if (!s->begun)
		return 0;
	/* Rows of a virtual board can be made again; one sync is enough for them. */
	if (fdatasync(s->fd) && errno != EINVAL)
		ret = write_errno(s, err);
	if (close(s->fd) && !ret)
		ret = write_errno(s, err);
	s->begun = false;
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several output files, all or none, after the report of them.
 */
#include "lib/outset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/outfile.h"

#define OLD_MAX (256u << 20)

struct outset_file {
	char *path; /* as it was given: the backup is beside this name */
	struct outfile out;
	struct buf want, was, old;
	bool replaces;	/* what it is to find is @old */
	bool beside;	/* waits in a file of its own for the commit */
	bool was_there; /* and @was has what it held */
	bool placed;
	bool saved; /* has a backup of ours */
};

static void free_file(struct outset_file *f)
{
	outfile_abort(&f->out);
	if (f->saved && !f->placed)
		outfile_drop_backup(f->path);
	buf_free(&f->want);
	buf_free(&f->was);
	buf_free(&f->old);
	free(f->path);
}

static int write_beside(struct outset_file *f, const char *path, const void *data,
			size_t len, bool backup, struct err *err)
{
	int ret = 0;

	f->path = strdup(path);
	if (!f->path || (len && buf_add(&f->want, data, len)))
		return err_errno(err, -ENOMEM, "'%s'", path);
	if (backup) {
		ret = outfile_backup(path, err);
		f->saved = !ret;
	}
	if (!ret)
		ret = outfile_open(&f->out, path, err);
	if (ret)
		return ret;
	f->beside = f->out.tmp[0];
	/* A short write shows in ferror(), which is asked next. */
	if (len)
		fwrite(data, 1, len, f->out.f);
	return outfile_prepare(&f->out, err);
}

int outset_add(struct outset *set, const char *path, const void *data, size_t len,
	       bool backup, struct err *err)
{
	struct outset_file *files, f = { 0 };
	int ret;

	files = realloc(set->files, (set->count + 1) * sizeof(*files));
	if (!files)
		return err_errno(err, -ENOMEM, "'%s'", path);
	set->files = files;
	ret = write_beside(&f, path, data, len, backup, err);
	if (ret)
		free_file(&f);
	else
		files[set->count++] = f;
	return ret;
}

int outset_replaces(struct outset *set, const void *data, size_t len, struct err *err)
{
	struct outset_file *f = &set->files[set->count - 1];

	if (len && buf_add(&f->old, data, len))
		return err_errno(err, -ENOMEM, "'%s'", f->path);
	f->replaces = true;
	return 0;
}

static int flush_report(const struct outset *set, struct err *err)
{
	int ret = outfile_flush_stdout(err);

	if (!ret || !set->files[0].beside)
		return ret;
	return err_wrap(err, ret, "'%s' is %s, since the report of it is not written",
			set->files[0].path,
			access(set->files[0].path, F_OK) ? "not made" : "as before");
}

/* What there is to put back when a later file cannot take its place. */
static int remember(struct outset_file *f, struct err *err)
{
	if (!f->beside || access(f->out.path, F_OK))
		return 0;
	f->was_there = true;
	return buf_read_regular(&f->was, f->out.path, OLD_MAX, err);
}

static int put_back(struct outset_file *f)
{
	if (f->was_there)
		return outfile_write(f->out.path, f->was.data, f->was.len, NULL);
	return unlink(f->out.path) ? -errno : 0;
}

static int check_old(const struct outset_file *f, struct err *err)
{
	struct buf got = { 0 };
	int ret;

	if (!f->beside || !f->replaces)
		return 0;
	ret = buf_read_regular(&got, f->out.path, OLD_MAX, err);
	if (!ret && (got.len != f->old.len || memcmp(got.data, f->old.data, got.len)))
		ret = err_set(err, -EBUSY,
			      "'%s' was changed since it was read; run the command again",
			      f->path);
	buf_free(&got);
	return ret;
}

/* Nobody who does the same comes between the look and the rename. */
static int place_one(struct outset_file *f, struct err *err)
{
	int lock = f->replaces ? outfile_lock_folder(&f->out) : -1;
	int ret = check_old(f, err);

	if (!ret)
		ret = outfile_commit(&f->out, err);
	if (lock >= 0)
		close(lock);
	return ret;
}

static int place(struct outset *set, struct err *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < set->count && !ret; i++) {
		ret = place_one(&set->files[i], err);
		set->files[i].placed = !ret;
	}
	for (i = 0; i < set->count && ret; i++) {
		struct outset_file *f = &set->files[i];

		if (!f->placed || !f->beside)
			continue;
		if (put_back(f))
			err_wrap(err, ret, "'%s' is changed and could not be put back",
				 f->path);
		else
			f->placed = false;
	}
	return ret;
}

/* What arrived is what was meant; only a file can be asked. */
static int read_back(const struct outset_file *f, struct err *err)
{
	struct buf got = { 0 };
	int ret;

	if (!f->beside)
		return 0;
	ret = buf_read_regular(&got, f->out.path, OLD_MAX, err);
	if (!ret && (got.len != f->want.len || memcmp(got.data, f->want.data, got.len)))
		ret = err_set(err, -EIO, "'%s': reads back other than it was written",
			      f->path);
	buf_free(&got);
	return ret;
}

int outset_commit(struct outset *set, struct err *err)
{
	int ret = set->count ? flush_report(set, err) : 0;

	for (size_t i = 0; set->count > 1 && i < set->count && !ret; i++)
		ret = remember(&set->files[i], err);
	if (!ret)
		ret = place(set, err);
	for (size_t i = 0; i < set->count && !ret; i++)
		ret = read_back(&set->files[i], err);
	return ret;
}

void outset_tell_links(const struct outset *set, FILE *f)
{
	struct stat st;

	for (size_t i = 0; i < set->count; i++)
		if (set->files[i].beside && !stat(set->files[i].path, &st) &&
		    st.st_nlink > 1)
			fprintf(f,
				"%s: has another name (hard link), which keeps what was "
				"there\n",
				set->files[i].path);
}

void outset_free(struct outset *set)
{
	for (size_t i = 0; i < set->count; i++)
		free_file(&set->files[i]);
	free(set->files);
	*set = (struct outset){ 0 };
}

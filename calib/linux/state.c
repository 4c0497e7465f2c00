// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Saved settings: in memory, in a state file, and back.
 */
#include "calib/linux/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/json.h"
#include "lib/outfile.h"

#define STATE_SCHEMA   "calib-state/1"
#define RESTORE_PASSES 3
#define LOCK_TRIES     50 /* 10 ms each */

static int set_paths(struct state *st, const char *dir, struct err *err)
{
	const int size = sizeof(st->file);

	if (snprintf(st->file, size, "%s/state.json", dir) >= size ||
	    snprintf(st->lock, size, "%s/lock", dir) >= size)
		return err_set(err, -ENAMETOOLONG, "path '%s' is too long", dir);
	return 0;
}

/* Where a user keeps it who may not write to /run. */
static int user_dir(const struct state *st, char *out, size_t size)
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");
	int n;

	if (st->sys->root[0] || !xdg || xdg[0] != '/')
		return -ENOENT;
	n = snprintf(out, size, "%s/calib", xdg);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* Make the folder for state and lock. */
static int make_dir(struct state *st, struct err *err)
{
	char dir[PATH_MAX];
	int ret;

	ret = sysfs_real(st->sys, "/run/calib", dir, sizeof(dir), err);
	if (ret)
		return ret;
	if (!mkdir(dir, 0755) || errno == EEXIST)
		return set_paths(st, dir, err);
	ret = -errno;
	if ((ret != -EACCES && ret != -EROFS) || user_dir(st, dir, sizeof(dir)))
		return err_errno(err, ret, "cannot make %s, where settings are saved",
				 dir);
	if (mkdir(dir, 0700) && errno != EEXIST)
		return err_errno(err, -errno, "cannot make %s, where settings are saved",
				 dir);
	return set_paths(st, dir, err);
}

/* The folder that has a state file. */
static int find_dir(struct state *st, struct err *err)
{
	char dir[PATH_MAX];
	int ret;

	ret = sysfs_real(st->sys, "/run/calib", dir, sizeof(dir), err);
	if (!ret)
		ret = set_paths(st, dir, err);
	if (ret || !access(st->file, F_OK))
		return ret;
	ret = user_dir(st, dir, sizeof(dir));
	if (!ret)
		ret = set_paths(st, dir, err);
	if (ret || access(st->file, F_OK))
		return err_set(err, -ENOENT, "no settings are saved");
	return 0;
}

/* A guardian or 'calib restore' is soon done; a run that measures is not. */
static int wait_for_lock(int fd)
{
	const struct timespec wait = { .tv_nsec = 10000000 };
	int tries = LOCK_TRIES;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return -errno;
		if (!--tries)
			return -EBUSY;
		nanosleep(&wait, NULL);
	}
	return 0;
}

static int take_lock(struct state *st, struct err *err)
{
	int ret;

	st->lock_fd = open(st->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (st->lock_fd < 0)
		return err_errno(err, -errno, "%s%s", st->lock,
				 errno == EACCES ? " (are you not root?)" : "");
	ret = wait_for_lock(st->lock_fd);
	if (ret == -EBUSY)
		return err_set(
			err, ret,
			"another calib is measuring on this machine (it holds %s); wait "
			"for it or stop it",
			st->lock);
	if (ret)
		return err_errno(err, ret, "%s", st->lock);
	outfile_sweep(st->file);
	return 0;
}

/* Whoever wrote the state file, nothing but settings is written because of it. */
static bool is_setting(const char *path)
{
	static const char *const below[] = {
		"/sys/devices/",     STATE_I2C, "/sys/class/thermal/",
		"/sys/class/hwmon/", STATE_IIO, STATE_IRQS,
	};

	if (strstr(path, "/../"))
		return false;
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++)
		if (!strncmp(path, below[i], strlen(below[i])))
			return true;
	return false;
}

static int load_item(struct state *st, const struct json *obj, struct err *err)
{
	static const char *const known[] = { "path", "text", NULL };
	struct state_item *item = &st->items[st->count];
	int ret;

	ret = json_only_keys(obj, known, err);
	if (!ret)
		ret = json_get_text(obj, "path", item->path, sizeof(item->path), err);
	if (!ret)
		ret = json_get_text(obj, "text", item->text, sizeof(item->text), err);
	if (ret)
		return ret;
	if (!is_setting(item->path))
		return err_set(err, -EINVAL, "path '%s' is not a setting of this machine",
			       item->path);
	st->count++;
	return 0;
}

static int load_file(struct state *st, struct err *err)
{
	const struct json *items;
	const char *schema;
	struct json *root;
	size_t i;
	int ret;

	ret = json_read(st->file, &root, err);
	if (ret)
		return ret;
	ret = json_get_str(root, "schema", &schema, err);
	if (!ret && strcmp(schema, STATE_SCHEMA) != 0)
		ret = err_set(err, -EINVAL, "schema '%s' is not '%s'", schema,
			      STATE_SCHEMA);
	if (!ret)
		ret = json_get_array(root, "saved", &items, err);
	if (!ret && json_len(items) > STATE_MAX)
		ret = err_set(err, -EINVAL, "more than %d saved settings", STATE_MAX);
	for (i = 0; !ret && i < json_len(items); i++)
		ret = load_item(st, json_at(items, i), err);
	json_free(root);
	/* A key that is missing is no missing file: there is something to put back. */
	if (ret == -ENOENT)
		ret = -EINVAL;
	return ret ? err_wrap(err, ret, "%s", st->file) : 0;
}

static int recover(struct state *st, bool *recovered, struct err *err)
{
	bool any;
	int ret;

	if (access(st->file, F_OK))
		return 0;
	ret = load_file(st, err);
	any = st->count;
	if (!ret)
		ret = state_restore(st, err);
	if (ret)
		return err_wrap(
			err, ret,
			"settings of a run that died are still saved in %s; put them "
			"back by hand and remove that file",
			st->file);
	*recovered = any;
	return 0;
}

static int init(struct state *st, const struct sysfs *sys, struct err *err)
{
	memset(st, 0, sizeof(*st));
	st->sys = sys;
	st->lock_fd = -1;
	st->items = calloc(STATE_MAX, sizeof(*st->items));
	return st->items ? 0 : err_set(err, -ENOMEM, "out of memory");
}

int state_open(struct state *st, const struct sysfs *sys, bool *recovered,
	       struct err *err)
{
	int ret;

	*recovered = false;
	ret = init(st, sys, err);
	if (!ret)
		ret = make_dir(st, err);
	if (!ret)
		ret = take_lock(st, err);
	if (!ret)
		ret = recover(st, recovered, err);
	if (ret)
		state_close(st);
	return ret;
}

int state_attach(struct state *st, const struct sysfs *sys, struct err *err)
{
	int ret;

	ret = init(st, sys, err);
	if (!ret)
		ret = find_dir(st, err);
	if (!ret)
		ret = take_lock(st, err);
	/* While we waited for the lock, a guardian may have put everything back. */
	if (!ret)
		ret = find_dir(st, err);
	if (!ret)
		ret = load_file(st, err);
	if (ret)
		state_close(st);
	return ret;
}

int state_inherit(struct state *st, struct err *err)
{
	struct state now;
	int ret;

	ret = take_lock(st, err);
	if (ret)
		return ret;
	now = *st;
	now.count = 0;
	now.items = calloc(STATE_MAX, sizeof(*now.items));
	if (!now.items || load_file(&now, NULL)) {
		free(now.items);
		return 0;
	}
	free(st->items);
	*st = now;
	return 0;
}

int state_save(struct state *st, const char *path, struct err *err)
{
	struct state_item *item;
	unsigned int i;
	int ret;

	for (i = 0; i < st->count; i++)
		if (!strcmp(st->items[i].path, path))
			return 0;
	if (st->count == STATE_MAX)
		return err_set(err, -ENOSPC, "more than %d settings to save", STATE_MAX);
	item = &st->items[st->count];
	if (strlen(path) >= sizeof(item->path))
		return err_set(err, -ENAMETOOLONG, "path '%s' is too long", path);
	strcpy(item->path, path);
	ret = sysfs_read(st->sys, path, item->text, sizeof(item->text), err);
	if (ret)
		return ret;
	st->count++;
	return 0;
}

static int build_json(const struct state *st, struct json *root)
{
	struct json *items = json_new_array(), *item;
	unsigned int i;
	int ret;

	ret = json_put_str(root, "schema", STATE_SCHEMA);
	for (i = 0; i < st->count; i++) {
		item = json_new_object();
		ret |= json_put_str(item, "path", st->items[i].path);
		ret |= json_put_str(item, "text", st->items[i].text);
		ret |= json_add(items, item);
	}
	ret |= json_put(root, "saved", items);
	return ret ? -ENOMEM : 0;
}

int state_commit(struct state *st, struct err *err)
{
	struct json *root = json_new_object();
	struct outfile out;
	int ret;

	if (!root || build_json(st, root)) {
		json_free(root);
		return err_set(err, -ENOMEM, "out of memory");
	}
	ret = outfile_open(&out, st->file, err);
	if (ret)
		goto out_free;
	ret = json_write(root, out.f, err);
	if (!ret)
		ret = outfile_commit(&out, err);
	outfile_abort(&out);
out_free:
	json_free(root);
	return ret;
}

int state_compare(const struct state *st, unsigned int i, char now[SYSFS_TEXT],
		  struct err *err)
{
	int ret;

	ret = sysfs_read(st->sys, st->items[i].path, now, SYSFS_TEXT, err);
	return ret ? ret : strcmp(now, st->items[i].text) != 0;
}

static bool may_be_gone(const char *path)
{
	return !strncmp(path, STATE_IRQS, strlen(STATE_IRQS)) ||
	       !strncmp(path, STATE_IIO, strlen(STATE_IIO)) ||
	       !strncmp(path, STATE_I2C, strlen(STATE_I2C));
}

/* In which order settings go back. */
enum step {
	STEP_ONLINE, /* CPUs that were online */
	STEP_SETTINGS,
	STEP_OFFLINE, /* CPUs that were offline */
	STEPS,
};

static enum step step_of(const struct state_item *item)
{
	const char *end = strrchr(item->path, '/');

	if (strncmp(item->path, STATE_CPUS, strlen(STATE_CPUS)) != 0 || !end ||
	    strcmp(end, "/online") != 0)
		return STEP_SETTINGS;
	return strcmp(item->text, "0") != 0 ? STEP_ONLINE : STEP_OFFLINE;
}

static int restore_item(const struct state *st, unsigned int i, struct err *err)
{
	const struct state_item *item = &st->items[i];
	char was[SYSFS_TEXT];
	int ret;

	ret = state_compare(st, i, was, err);
	if (!ret || (ret == -ENOENT && may_be_gone(item->path)))
		return 0;
	if (ret < 0)
		strcpy(was, "?");
	ret = sysfs_set(st->sys, item->path, item->text, err);
	if (!ret && st->told)
		st->told(st->told_arg, item, was);
	return ret;
}

/* What could not be put back. */
struct failures {
	unsigned int count;
	int ret; /* of the first */
	struct err err;
};

static void restore_step(const struct state *st, unsigned int first, enum step step,
			 struct failures *f)
{
	struct err one;

	*f = (struct failures){ 0 };
	for (unsigned int i = first; i < st->count; i++) {
		int ret = step_of(&st->items[i]) == step ? restore_item(st, i, &one) : 0;

		if (ret && !f->count++) {
			f->ret = ret;
			f->err = one;
		}
	}
}

/*
 * A policy takes settings only while one of its CPUs is online. Those that were offline
 * may be so again: somebody was quicker than we, or was killed before the file was gone.
 */
static void wake_policies(const struct state *st, unsigned int first)
{
	char now[SYSFS_TEXT];

	for (unsigned int i = first; i < st->count; i++)
		if (step_of(&st->items[i]) == STEP_OFFLINE &&
		    !state_compare(st, i, now, NULL))
			sysfs_set(st->sys, st->items[i].path, "1", NULL);
}

int state_restore(struct state *st, struct err *err)
{
	return state_restore_from(st, 0, err);
}

/* What is left is the first @keep. */
static int forget(struct state *st, unsigned int keep, struct err *err)
{
	if (!keep && unlink(st->file) && errno != ENOENT)
		return err_errno(err, -errno, "%s: removing it", st->file);
	if (st->count > keep)
		st->count = keep;
	return keep ? state_commit(st, err) : 0;
}

int state_restore_from(struct state *st, unsigned int keep, struct err *err)
{
	struct failures first = { 0 }, now;
	unsigned int bad = 0;

	for (enum step step = 0; step < STEPS; step++) {
		restore_step(st, keep, step, &now);
		if (now.count && step == STEP_SETTINGS)
			wake_policies(st, keep);
		for (int pass = 1; now.count && pass < RESTORE_PASSES; pass++)
			restore_step(st, keep, step, &now);
		if (now.count && !bad)
			first = now;
		bad += now.count;
	}
	/* A policy without an online CPU, which the kernel wakes with the same governor.
	 */
	if (bad && first.ret == -EBUSY)
		return err_set(
			err, first.ret,
			"%u setting(s) could not be put back: %s (saved in %s); "
			"is its CPU offline? once it is back, 'calib restore' does it",
			bad, first.err.msg, st->file);
	if (bad)
		return err_set(err, first.ret,
			       "%u setting(s) could not be put back: %s (saved in %s)",
			       bad, first.err.msg, st->file);
	return forget(st, keep, err);
}

void state_close(struct state *st)
{
	free(st->items);
	st->items = NULL;
	/* Zeroed structs hold no lock: state_open() is what sets the descriptor. */
	if (st->sys && st->lock_fd >= 0)
		close(st->lock_fd);
	st->sys = NULL;
}

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
#include <unistd.h>

#include "lib/buf.h"
#include "lib/json.h"
#include "lib/outfile.h"

#define STATE_SCHEMA   "calib-state/1"
#define RESTORE_PASSES 3

/* The folder for state and lock into @out. */
static int state_dir(const struct sysfs *sys, char *out, size_t size, struct err *err)
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");
	int ret, n;

	ret = sysfs_real(sys, "/run/calib", out, size, err);
	if (ret)
		return ret;
	if (!mkdir(out, 0755) || errno == EEXIST)
		return 0;
	ret = -errno;
	if ((ret != -EACCES && ret != -EROFS) || sys->root[0] || !xdg || xdg[0] != '/')
		return err_errno(err, ret, "cannot make %s, where settings are saved",
				 out);
	n = snprintf(out, size, "%s/calib", xdg);
	if (n < 0 || (size_t)n >= size)
		return err_set(err, -ENAMETOOLONG, "XDG_RUNTIME_DIR is too long");
	if (mkdir(out, 0700) && errno != EEXIST)
		return err_errno(err, -errno, "cannot make %s, where settings are saved",
				 out);
	return 0;
}

static int take_lock(struct state *st, const char *dir, struct err *err)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/lock", dir) >= sizeof(path))
		return err_set(err, -ENAMETOOLONG, "path '%s' is too long", dir);
	st->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (st->lock_fd < 0)
		return err_errno(err, -errno, "%s", path);
	if (!flock(st->lock_fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno == EWOULDBLOCK)
		return err_set(
			err, -EBUSY,
			"another calib is measuring on this machine (it holds %s); wait "
			"for it or stop it",
			path);
	return err_errno(err, -errno, "%s", path);
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
	/* Whoever wrote this file, nothing outside sysfs is written because of it. */
	if (strncmp(item->path, "/sys/devices/system/cpu/", 24) != 0 ||
	    strstr(item->path, "/../"))
		return err_set(err, -EINVAL, "path '%s' is not a CPU setting",
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
	return ret ? err_wrap(err, ret, "%s", st->file) : 0;
}

static int recover(struct state *st, bool *recovered, struct err *err)
{
	int ret;

	if (access(st->file, F_OK))
		return 0;
	ret = load_file(st, err);
	if (!ret)
		ret = state_restore(st, err);
	if (ret)
		return err_wrap(
			err, ret,
			"settings of a run that died are still saved in %s; put them "
			"back by hand and remove that file",
			st->file);
	*recovered = true;
	return 0;
}

int state_open(struct state *st, const struct sysfs *sys, bool *recovered,
	       struct err *err)
{
	char dir[PATH_MAX - 16];
	int ret;

	memset(st, 0, sizeof(*st));
	st->sys = sys;
	st->lock_fd = -1;
	*recovered = false;
	st->items = calloc(STATE_MAX, sizeof(*st->items));
	if (!st->items)
		return err_set(err, -ENOMEM, "out of memory");
	ret = state_dir(sys, dir, sizeof(dir), err);
	if (!ret)
		ret = take_lock(st, dir, err);
	if (ret)
		goto out_close;
	snprintf(st->file, sizeof(st->file), "%s/state.json", dir);
	ret = recover(st, recovered, err);
	if (ret)
		goto out_close;
	return 0;

out_close:
	state_close(st);
	return ret;
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

/* 0: it reads as saved. */
static int restore_item(const struct state *st, const struct state_item *item,
			struct err *err)
{
	char now[SYSFS_TEXT];
	int ret;

	ret = sysfs_read(st->sys, item->path, now, sizeof(now), err);
	if (!ret && !strcmp(now, item->text))
		return 0;
	return sysfs_set(st->sys, item->path, item->text, err);
}

int state_restore(struct state *st, struct err *err)
{
	unsigned int i, pass, bad = 0;
	struct err first = { "" }, one;
	int ret = 0, r;

	for (pass = 0; pass < RESTORE_PASSES; pass++) {
		for (i = 0, bad = 0, ret = 0; i < st->count; i++) {
			r = restore_item(st, &st->items[i], &one);
			if (r && !bad++) {
				first = one;
				ret = r;
			}
		}
		if (!bad)
			break;
	}
	if (bad)
		return err_set(err, ret,
			       "%u setting(s) could not be put back: %s (saved in %s)",
			       bad, first.msg, st->file);
	if (st->count && unlink(st->file) && errno != ENOENT)
		return err_errno(err, -errno, "%s: removing it", st->file);
	st->count = 0;
	return 0;
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The built-in boards: finding one by name, by compatible, or by what this machine is.
 */
#include "boards/board.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/buf.h"

#define BOARD_MAX_DTB	(16u << 20)
#define BOARD_MAX_COMPS 16
#define VIRTUAL_PREFIX	"virtual:"

struct board_blob {
	const char *name;
	const void *data;
	size_t size;
};

/* Made by scripts/embed-boards; ended by name NULL. */
extern const struct board_blob board_blobs[];

const char *board_name(size_t i)
{
	size_t n;

	for (n = 0; board_blobs[n].name && n < i; n++)
		;
	return board_blobs[n].name;
}

static int unknown_board(const char *name, struct err *err)
{
	char known[256];
	size_t i, len = 0;

	known[0] = '\0';
	for (i = 0; board_blobs[i].name && len < sizeof(known); i++)
		len += snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
				board_blobs[i].name);
	return err_set(err, -ENOENT,
		       "no board is called '%s'; known are %s (a file ends in .dtb)",
		       name, known);
}

int board_load(const char *name, struct board *board, struct err *err)
{
	size_t i;
	int ret;

	for (i = 0; board_blobs[i].name; i++)
		if (!strcmp(board_blobs[i].name, name))
			break;
	if (!board_blobs[i].name)
		return unknown_board(name, err);

	ret = board_from_blob(board_blobs[i].data, board_blobs[i].size, name, board, err);
	if (ret)
		return err_wrap(err, ret, "board '%s'", name);
	return 0;
}

/* "boards/my-board.dtb" is called "my-board". */
static void name_of_file(const char *path, char *out, size_t size)
{
	const char *base = strrchr(path, '/');
	const char *dot;
	size_t len;

	base = base ? base + 1 : path;
	dot = strrchr(base, '.');
	len = dot && dot != base ? (size_t)(dot - base) : strlen(base);
	snprintf(out, size, "%.*s", (int)len, base);
}

int board_from_file(const char *path, struct board *board, struct err *err)
{
	char name[sizeof(board->name)];
	struct buf buf = { 0 };
	int ret;

	ret = buf_read_file(&buf, path, BOARD_MAX_DTB, err);
	if (ret)
		goto out;
	name_of_file(path, name, sizeof(name));
	ret = board_from_blob(buf.data, buf.len, name, board, err);
	if (ret)
		err_wrap(err, ret, "'%s'", path);
out:
	buf_free(&buf);
	return ret;
}

bool board_is_virtual(const char *spec)
{
	return !strncmp(spec, VIRTUAL_PREFIX, strlen(VIRTUAL_PREFIX));
}

int board_open(const char *spec, struct board *board, bool *virtual_board,
	       struct err *err)
{
	size_t len;

	*virtual_board = board_is_virtual(spec);
	if (*virtual_board)
		spec += strlen(VIRTUAL_PREFIX);
	len = strlen(spec);
	if (strchr(spec, '/') || (len > 4 && !strcmp(spec + len - 4, ".dtb")))
		return board_from_file(spec, board, err);
	return board_load(spec, board, err);
}

int board_match(const char *const compatibles[], size_t n, struct board *board,
		struct err *err)
{
	size_t i, b;
	int ret;

	for (i = 0; i < n; i++) {
		for (b = 0; board_blobs[b].name; b++) {
			ret = board_load(board_blobs[b].name, board, err);
			if (ret)
				return ret;
			if (!strcmp(board->compatible, compatibles[i]))
				return 1;
		}
	}
	return 0;
}

/* The string list at @path below @root. 0 or -errno (-ENOENT: there is none). */
static int read_compatible(const char *root, const char *path, struct buf *buf)
{
	char full[PATH_MAX];

	if (snprintf(full, sizeof(full), "%s/%s", root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	return buf_read_file(buf, full, 4096, NULL);
}

static size_t split_compatible(const struct buf *buf, const char *list[], size_t max)
{
	const char *p = buf->data, *end = buf->data + buf->len;
	size_t n = 0;

	/* struct buf ends with a NUL of its own, so the last one is always terminated. */
	for (; p < end && n < max; p += strlen(p) + 1)
		if (*p)
			list[n++] = p;
	return n;
}

static bool is_hybrid(const char *root)
{
	static const char *const pmus[] = { "cpu_core", "cpu_atom" };
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/sys/devices/%s/cpus", root, pmus[i]);
		if (access(path, F_OK))
			return false;
	}
	return true;
}

static int match_hybrid(struct board *board, struct err *err)
{
	size_t i;
	int ret;

	for (i = 0; board_blobs[i].name; i++) {
		ret = board_load(board_blobs[i].name, board, err);
		if (ret)
			return ret;
		if (board->hybrid)
			return 1;
	}
	return 0;
}

int board_match_root(const char *root, struct board *board, char *compatible, size_t size,
		     struct err *err)
{
	const char *list[BOARD_MAX_COMPS];
	struct buf buf = { 0 };
	size_t n;
	int ret;

	snprintf(compatible, size, "%s", "");
	ret = read_compatible(root, "sys/firmware/devicetree/base/compatible", &buf);
	if (ret)
		ret = read_compatible(root, "proc/device-tree/compatible", &buf);
	if (ret) {
		buf_free(&buf);
		return is_hybrid(root) ? match_hybrid(board, err) : 0;
	}
	n = split_compatible(&buf, list, BOARD_MAX_COMPS);
	if (n)
		snprintf(compatible, size, "%s", list[0]);
	ret = board_match(list, n, board, err);
	buf_free(&buf);
	return ret;
}

const struct board_cluster *board_cluster(const struct board *board, const char *name)
{
	unsigned int i;

	for (i = 0; i < board->cluster_count; i++)
		if (!strcmp(board->clusters[i].name, name))
			return &board->clusters[i];
	return NULL;
}

const struct board_sensor *board_sensor(const struct board *board, unsigned int cluster)
{
	unsigned int i;

	for (i = 0; i < board->sensor_count; i++)
		if (board->sensors[i].clusters & (1u << cluster))
			return &board->sensors[i];
	return NULL;
}

char *board_sensor_format(const struct board_sensor *sensor, char *out, size_t size)
{
	char address[16] = "";

	if (sensor->has_address)
		snprintf(address, sizeof(address), "@0x%x", sensor->address);
	snprintf(out, size, "%s%s%s%s%s",
		 sensor->kind == BOARD_SENSOR_RAPL ? "rapl:" : "", sensor->chip, address,
		 sensor->label[0] ? " " : "", sensor->label);
	return out;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The user's voltages.
 */
#include "calib/voltages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/num.h"

#define MAX_FILE (16u << 20)

uint32_t voltages_find(const struct voltages *v, uint32_t cpu, uint32_t khz)
{
	for (unsigned int i = 0; i < v->count; i++)
		if (v->list[i].cpu == cpu && v->list[i].khz == khz)
			return v->list[i].uv;
	return 0;
}

/* One "cpu.kHz=uV". */
static int parse(char *text, struct voltage *one)
{
	char *dot = strchr(text, '.'), *equal = strchr(text, '=');

	if (!dot || !equal || dot > equal)
		return -EINVAL;
	*dot = *equal = '\0';
	if (num_u32(text, &one->cpu) || num_u32(dot + 1, &one->khz) ||
	    num_u32(equal + 1, &one->uv) || !one->uv)
		return -EINVAL;
	return 0;
}

static int add(struct voltages *v, char *word, struct err *err)
{
	struct voltage one;
	char text[64];
	uint32_t known;

	snprintf(text, sizeof(text), "%s", word);
	if (parse(word, &one))
		return err_set(err, -EINVAL, "'%s' is not CPU.KHZ=MICROVOLT", text);
	known = voltages_find(v, one.cpu, one.khz);
	if (known && known != one.uv)
		return err_set(err, -EINVAL, "'%s', but before it was %u uV", text,
			       known);
	if (v->count == VOLTAGES_MAX)
		return err_set(err, -ERANGE, "more than %d voltages", VOLTAGES_MAX);
	if (!known)
		v->list[v->count++] = one;
	return 0;
}

int voltages_read(const char *path, struct voltages *v, struct err *err)
{
	struct buf text = { 0 };
	char *save = NULL, *word;
	int ret;

	v->count = 0;
	ret = buf_read_file(&text, path, MAX_FILE, err);
	if (ret)
		return ret;
	if (text.data && strlen(text.data) != text.len)
		ret = err_set(err, -EINVAL, "it holds a NUL byte");
	for (word = text.data ? strtok_r(text.data, " \t\r\n", &save) : NULL;
	     word && !ret; word = strtok_r(NULL, " \t\r\n", &save))
		ret = add(v, word, err);
	buf_free(&text);
	return ret ? err_wrap(err, ret, "%s", buf_file_name(path)) : 0;
}

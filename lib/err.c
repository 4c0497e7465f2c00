// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One error message on its way up.
 */
#include "lib/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Length of the UTF-8 sequence at @p, 0 when it is none. Overlong forms pass: harmless
 * here. */
static size_t utf8_len(const unsigned char *p)
{
	size_t len = *p < 0x80	 ? 1
		     : *p < 0xc2 ? 0
		     : *p < 0xe0 ? 2
		     : *p < 0xf0 ? 3
		     : *p < 0xf5 ? 4
				 : 0;

	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

/* Text from files and arguments may hold anything; a message stays one printable line. */
static void one_line(char *msg)
{
	unsigned char *p = (unsigned char *)msg;

	while (*p) {
		size_t len = utf8_len(p);

		if (!len || *p < 0x20 || *p == 0x7f)
			*p = '?';
		p += len ? len : 1;
	}
}

/* @len is what the whole message needed. */
static void store(struct err *err, const char *text, size_t len)
{
	size_t room = sizeof(err->msg) - 1;

	memcpy(err->msg, text, len < room ? len : room);
	err->msg[len < room ? len : room] = '\0';
	if (len > room)
		memcpy(err->msg + room - 3, "...", 3);
	one_line(err->msg);
}

static void format(struct err *err, const char *tail, const char *fmt, va_list ap)
{
	char text[2 * sizeof(err->msg) + 2];
	int n = vsnprintf(text, sizeof(err->msg), fmt, ap);
	size_t len = n < 0 ? 0 : n;
	size_t used = len < sizeof(err->msg) ? len : sizeof(err->msg) - 1;

	if (!tail)
		tail = "";
	else if (used == len)
		len = used += sprintf(text + used, ": ");
	snprintf(text + used, sizeof(text) - used, "%s", tail);
	store(err, text, len + strlen(tail));
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	format(err, NULL, fmt, ap);
	va_end(ap);
	return code;
}

int err_wrap(struct err *err, int code, const char *fmt, ...)
{
	struct err old;
	va_list ap;

	if (!err)
		return code;
	old = *err;
	va_start(ap, fmt);
	format(err, old.msg, fmt, ap);
	va_end(ap);
	return code;
}

int err_errno(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	format(err, strerror(-code), fmt, ap);
	va_end(ap);
	return code;
}

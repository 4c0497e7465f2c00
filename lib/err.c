// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One error message on its way up.
 */
#include "lib/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/text.h"

/* @len is what the whole message needed. */
static void store(struct err *err, const char *text, size_t len)
{
	size_t room = sizeof(err->msg) - 1;

	memcpy(err->msg, text, len < room ? len : room);
	err->msg[len < room ? len : room] = '\0';
	if (len > room)
		memcpy(err->msg + room - 3, "...", 3);
	text_clean(err->msg);
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
	format(err, old.msg[0] ? old.msg : strerror(-code), fmt, ap);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One error message on its way up: the leaf says what failed, each caller may add where,
 * and only the program's main side prints it.
 */
#ifndef LIB_ERR_H
#define LIB_ERR_H

struct err {
	/* One line of UTF-8, no full stop; cut with "..." when longer. What was quoted
	 * and is not printable shows as '?'. */
	char msg[1024];
};

/*
 * err_set - store a message
 * @err: may be NULL (then nothing is stored)
 * @code: negative errno that the caller wants to return
 *
 * Returns @code, so that "return err_set(err, -EINVAL, ...)" is one line.
 */
int err_set(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * err_wrap - put "where: " in front of the message that is there
 *
 * Where none is (an empty @err, which is how it should start), strerror(-code) stands for
 * it. Returns @code.
 */
int err_wrap(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* err_errno - store "fmt...: strerror(-code)"; returns @code. */
int err_errno(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif

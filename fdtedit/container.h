/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that hold device trees but are none: named, so that nobody mangles them.
 */
#ifndef FDTEDIT_CONTAINER_H
#define FDTEDIT_CONTAINER_H

#include <stddef.h>

/* "a gzip file; gunzip it first" by the file's magic, or NULL when it is not known. */
const char *container_describe(const void *data, size_t size);

#endif

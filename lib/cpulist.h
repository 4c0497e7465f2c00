/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of CPU numbers as sysfs prints them: "0-3,5", and blank-separated as in
 * related_cpus.
 */
#ifndef LIB_CPULIST_H
#define LIB_CPULIST_H

#include <stddef.h>

#define CPULIST_MAX 1024 /* highest CPU number + 1 that we take */

/*
 * cpulist_parse - numbers in ascending order, without repeats
 * @cpus: room for @max numbers
 *
 * Returns how many (0 for an empty text), -EINVAL on anything else in the text, -ERANGE
 * for a CPU number of CPULIST_MAX or more, or when there are more than @max.
 */
int cpulist_parse(const char *text, unsigned int *cpus, size_t max);
/* "0-3,5" into @out; returns @out. Cut when @size is too small. */
char *cpulist_format(const unsigned int *cpus, size_t n, char *out, size_t size);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of CPU numbers as sysfs prints them.
 */
#include "lib/cpulist.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define BLANKS " \t\n"

/* Digits at *@p as a number; CPULIST_MAX stands for anything too high. */
static int take_number(const char **p, unsigned int *out)
{
	unsigned int v = 0;

	if (**p < '0' || **p > '9')
		return -EINVAL;
	for (; **p >= '0' && **p <= '9'; ++*p)
		if (v < CPULIST_MAX)
			v = v * 10 + (**p - '0');
	*out = v < CPULIST_MAX ? v : CPULIST_MAX;
	return 0;
}

/* "3" or "0-3" at *@p. */
static int take_range(const char **p, bool *seen)
{
	unsigned int first, last;
	int ret = take_number(p, &first);

	last = first;
	if (!ret && **p == '-') {
		++*p;
		ret = take_number(p, &last);
	}
	if (ret || last < first)
		return -EINVAL;
	if (last == CPULIST_MAX)
		return -ERANGE;
	for (; first <= last; first++)
		seen[first] = true;
	return 0;
}

/* Blanks, or one comma with blanks around it, or the end. Was there a comma? */
static int take_separator(const char **p, bool *comma)
{
	size_t blanks = strspn(*p, BLANKS);

	*p += blanks;
	*comma = **p == ',';
	if (*comma) {
		++*p;
		*p += strspn(*p, BLANKS);
	}
	return **p && !blanks && !*comma ? -EINVAL : 0;
}

int cpulist_parse(const char *text, unsigned int *cpus, size_t max)
{
	bool seen[CPULIST_MAX] = { false };
	bool comma = false;
	size_t n = 0;
	int ret;

	text += strspn(text, BLANKS);
	while (*text || comma) {
		ret = take_range(&text, seen);
		if (!ret)
			ret = take_separator(&text, &comma);
		if (ret)
			return ret;
	}
	for (unsigned int i = 0; i < CPULIST_MAX; i++) {
		if (!seen[i])
			continue;
		if (n == max)
			return -ERANGE;
		cpus[n++] = i;
	}
	return n;
}

char *cpulist_format(const unsigned int *cpus, size_t n, char *out, size_t size)
{
	size_t used = 0;

	if (size)
		out[0] = '\0';
	for (size_t i = 0; i < n && used < size;) {
		size_t last = i;

		while (last + 1 < n && cpus[last + 1] == cpus[last] + 1)
			last++;
		used += snprintf(out + used, size - used, "%s%u", i ? "," : "", cpus[i]);
		if (last > i && used < size)
			used += snprintf(out + used, size - used, "-%u", cpus[last]);
		i = last + 1;
	}
	return out;
}

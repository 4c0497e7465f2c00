// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into calib by tests: reads and writes of chosen files fail. The file that
 * $CALIB_FAULTS names, which may come and go while calib runs, has a rule a line:
 *
 *	read  power1_input EIO 3	   every third read of such a file
 *	write scaling_setspeed=800000 EINVAL 1  every write of that text
 *	round scaling_setspeed - 78741	   a number becomes the next multiple
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	int code;
} errors[] = {
	{ "EIO", EIO },		{ "EAGAIN", EAGAIN }, { "ENODEV", ENODEV },
	{ "EINVAL", EINVAL },	{ "EBUSY", EBUSY },   { "ENOSPC", ENOSPC },
	{ "ENODATA", ENODATA },
};

static int code_of(const char *name)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (!strcmp(errors[i].name, name))
			return errors[i].code;
	abort(); /* a test's mistake */
}

static int ends_in(const char *path, const char *name)
{
	size_t len = strlen(path), n = strlen(name);

	return len > n && path[len - n - 1] == '/' && !strcmp(path + len - n, name);
}

/*
 * The error for this call, or 0; for "round" the step. A rule of another verb is none.
 */
static int fault(const char *call, int fd, const char *text, size_t len)
{
	static unsigned long calls;
	const char *file = getenv("CALIB_FAULTS");
	char verb[16], name[64], error[16], link[64], path[4096], *want;
	unsigned int every;
	int code = 0;
	ssize_t n;
	FILE *f;

	if (!file || access(file, F_OK))
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return 0;
	path[n] = '\0';
	f = fopen(file, "r");
	while (f && !code &&
	       fscanf(f, "%15s %63s %15s %u", verb, name, error, &every) == 4) {
		want = strchr(name, '=');
		if (want)
			*want++ = '\0';
		if (strcmp(verb, call) || !ends_in(path, name) ||
		    (want && (len < strlen(want) || memcmp(text, want, strlen(want)))))
			continue;
		if (!strcmp(verb, "round"))
			code = every;
		else if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % every == 0)
			code = code_of(error);
	}
	if (f)
		fclose(f);
	return code;
}

ssize_t pread(int fd, void *buf, size_t size, off_t at)
{
	ssize_t (*real)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, "pread");
	int code = fault("read", fd, NULL, 0);

	if (!code)
		return real(fd, buf, size, at);
	errno = code;
	return -1;
}

/* The same where programs are built for 64-bit offsets. */
ssize_t pread64(int fd, void *buf, size_t size, off64_t at)
{
	ssize_t (*real)(int, void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pread64");
	int code = fault("read", fd, NULL, 0);

	if (!code)
		return real(fd, buf, size, at);
	errno = code;
	return -1;
}

ssize_t read(int fd, void *buf, size_t size)
{
	ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
	int code = fault("read", fd, NULL, 0);

	if (!code)
		return real(fd, buf, size);
	errno = code;
	return -1;
}

ssize_t write(int fd, const void *buf, size_t size)
{
	ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
	int code = fault("write", fd, buf, size), step = fault("round", fd, buf, size);
	char text[32];
	unsigned int n;

	if (!code && step && sscanf(buf, "%u", &n) == 1) {
		n = snprintf(text, sizeof(text), "%u\n", (n + step - 1) / step * step);
		return real(fd, text, n) == (ssize_t)n ? (ssize_t)size : -1;
	}
	if (!code)
		return real(fd, buf, size);
	errno = code;
	return -1;
}

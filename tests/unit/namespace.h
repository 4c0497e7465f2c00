/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A private mount namespace in which libsensors takes a fake tree for the machine.
 */
#ifndef TESTS_UNIT_NAMESPACE_H
#define TESTS_UNIT_NAMESPACE_H

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static inline bool fake_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/*
 * A mount namespace of this process's own; once per process. False where the kernel or a
 * container does not let us: the test then skips.
 */
static inline bool fake_namespace(void)
{
	char map[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (unshare(CLONE_NEWNS)) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
			return false;
		snprintf(map, sizeof(map), "0 %u 1", uid);
		if (!fake_write("/proc/self/setgroups", "deny") ||
		    !fake_write("/proc/self/uid_map", map))
			return false;
		snprintf(map, sizeof(map), "0 %u 1", gid);
		if (!fake_write("/proc/self/gid_map", map))
			return false;
	}
	return !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

/* Show DIR/sys/class and DIR/sys/devices as the machine's. */
static inline bool fake_bind(const char *dir)
{
	char class[512], devices[512];

	snprintf(class, sizeof(class), "%s/sys/class", dir);
	snprintf(devices, sizeof(devices), "%s/sys/devices", dir);
	return !mount(class, "/sys/class", NULL, MS_BIND, NULL) &&
	       !mount(devices, "/sys/devices", NULL, MS_BIND, NULL);
}

static inline void fake_unbind(void)
{
	umount2("/sys/devices", MNT_DETACH);
	umount2("/sys/class", MNT_DETACH);
}

#endif

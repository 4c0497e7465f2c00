/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running kernel's energy model by generic netlink, family "dev-energymodel" (kernel:
 * include/uapi/linux/dev_energymodel.h, Documentation/netlink/specs).
 */
#ifndef CALIB_LINUX_EM_NETLINK_H
#define CALIB_LINUX_EM_NETLINK_H

#include <stddef.h>

#include "lib/err.h"
#include "models/em_shown.h"

/*
 * em_netlink_read - every perf domain of CPUs, by its first CPU
 * @out: room for EM_SHOWN_MAX_DOMAINS
 *
 * Returns 0; -ENOENT: this kernel has no such family; -errno of the socket, or what the
 * kernel answered; -EPROTO for a message that is not as it has to be; -ERANGE for more of
 * anything than fits.
 */
int em_netlink_read(struct em_shown *out, unsigned int *count, struct err *err);

/*
 * What is in the messages, after their headers: attributes of a domain, and of its table.
 * em_netlink_domain() leaves @d without CPUs for a device. 0, -EPROTO, -ERANGE.
 */
int em_netlink_domain(const void *attrs, size_t len, struct em_shown *d, uint32_t *id,
		      struct err *err);
int em_netlink_table(const void *attrs, size_t len, struct em_shown *d, struct err *err);

#endif

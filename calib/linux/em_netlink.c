// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ask the kernel for its energy model by generic netlink.
 */
#include "calib/linux/em_netlink.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define FAMILY	   "dev-energymodel"
#define VERSION	   1
#define REPLY	   65536 /* the kernel sends no more at a time; a table is one message */
#define PATIENCE_S 5

/* include/uapi/linux/dev_energymodel.h; older headers do not have it. */
enum { CMD_GET_PERF_DOMAINS = 1, CMD_GET_PERF_TABLE };
enum { DOMAIN_ID = 2, DOMAIN_FLAGS, DOMAIN_CPUS };
enum { TABLE_ID = 1, TABLE_STATE };
enum { STATE_PERFORMANCE = 2, STATE_FREQUENCY, STATE_POWER, STATE_COST, STATE_FLAGS };
#define STATE_INEFFICIENT 1

/* One attribute. */
struct attr {
	unsigned int type;
	const void *data;
	size_t len;
};

/* The next one at @at: 1, 0 at the end, -EPROTO when it is cut short. */
static int next_attr(const char *attrs, size_t len, size_t *at, struct attr *a,
		     struct err *err)
{
	struct nlattr head;

	memset(a, 0, sizeof(*a));
	if (*at >= len)
		return 0;
	if (len - *at < sizeof(head))
		return err_set(err, -EPROTO, FAMILY ": an attribute is cut short");
	memcpy(&head, attrs + *at, sizeof(head));
	if (head.nla_len < NLA_HDRLEN || head.nla_len > len - *at)
		return err_set(err, -EPROTO, FAMILY ": an attribute of %u bytes in %zu",
			       head.nla_len, len - *at);
	a->type = head.nla_type & NLA_TYPE_MASK;
	a->data = attrs + *at + NLA_HDRLEN;
	a->len = head.nla_len - NLA_HDRLEN;
	*at += NLA_ALIGN(head.nla_len);
	return 1;
}

/* A number of @size bytes, which may lie at any address. */
static int get_number(const struct attr *a, void *out, size_t size, struct err *err)
{
	if (a->len != size)
		return err_set(err, -EPROTO,
			       FAMILY ": attribute %u has %zu bytes, not %zu", a->type,
			       a->len, size);
	memcpy(out, a->data, size);
	return 0;
}

static int add_cpu(struct em_shown *d, uint64_t cpu, struct err *err)
{
	if (d->cpu_count == DTCPUS_MAX_CPUS || cpu > UINT16_MAX)
		return err_set(err, -ERANGE, FAMILY ": more than %d CPUs",
			       DTCPUS_MAX_CPUS);
	d->cpus[d->cpu_count++] = cpu;
	return 0;
}

int em_netlink_domain(const void *attrs, size_t len, struct em_shown *d, uint32_t *id,
		      struct err *err)
{
	bool has_id = false;
	struct attr a;
	size_t at = 0;
	uint64_t cpu = 0;
	int ret;

	memset(d, 0, sizeof(*d));
	while ((ret = next_attr(attrs, len, &at, &a, err)) > 0) {
		if (a.type == DOMAIN_ID) {
			ret = get_number(&a, id, sizeof(*id), err);
			has_id = true;
		} else if (a.type == DOMAIN_FLAGS) {
			ret = get_number(&a, &d->flags, sizeof(d->flags), err);
			d->has_flags = true;
		} else if (a.type == DOMAIN_CPUS) {
			ret = get_number(&a, &cpu, sizeof(cpu), err);
			if (!ret)
				ret = add_cpu(d, cpu, err);
		}
		if (ret < 0)
			return ret;
	}
	if (!ret && (!has_id || !d->has_flags))
		return err_set(err, -EPROTO, FAMILY ": a domain without id or flags");
	if (!ret && d->cpu_count)
		snprintf(d->name, sizeof(d->name), "cpu%u", d->cpus[0]);
	return ret;
}

static int read_state(const struct attr *nest, struct em_shown_state *s, struct err *err)
{
	uint64_t value = 0, flags = 0;
	unsigned int found = 0;
	struct attr a;
	size_t at = 0;
	int ret;

	while ((ret = next_attr(nest->data, nest->len, &at, &a, err)) > 0) {
		if (a.type < STATE_PERFORMANCE || a.type > STATE_FLAGS)
			continue;
		ret = get_number(&a, &value, sizeof(value), err);
		if (ret)
			return ret;
		found |= 1u << a.type;
		if (a.type == STATE_PERFORMANCE)
			s->performance = value;
		else if (a.type == STATE_FREQUENCY)
			s->khz = value;
		else if (a.type == STATE_POWER)
			s->power = value;
		else if (a.type == STATE_COST)
			s->cost = value;
		else
			flags = value;
	}
	if (ret)
		return ret;
	if (!(found & 1u << STATE_FREQUENCY) || !(found & 1u << STATE_POWER))
		return err_set(err, -EPROTO,
			       FAMILY ": a state without frequency or power");
	s->has_performance = found & 1u << STATE_PERFORMANCE;
	s->has_cost = found & 1u << STATE_COST;
	s->has_inefficient = found & 1u << STATE_FLAGS;
	s->inefficient = flags & STATE_INEFFICIENT;
	return 0;
}

static int compare_khz(const void *a, const void *b)
{
	const struct em_shown_state *x = a, *y = b;

	return (x->khz > y->khz) - (x->khz < y->khz);
}

int em_netlink_table(const void *attrs, size_t len, struct em_shown *d, struct err *err)
{
	struct attr a;
	size_t at = 0;
	int ret;

	d->state_count = 0;
	while ((ret = next_attr(attrs, len, &at, &a, err)) > 0) {
		if (a.type != TABLE_STATE)
			continue;
		if (d->state_count == EM_SHOWN_MAX_STATES)
			return err_set(err, -ERANGE, FAMILY ": more than %d states",
				       EM_SHOWN_MAX_STATES);
		memset(&d->states[d->state_count], 0, sizeof(d->states[0]));
		ret = read_state(&a, &d->states[d->state_count++], err);
		if (ret)
			return ret;
	}
	if (!ret && !d->state_count)
		return err_set(err, -EPROTO, FAMILY ": a table without states");
	qsort(d->states, d->state_count, sizeof(d->states[0]), compare_khz);
	return ret;
}

struct request {
	struct nlmsghdr head;
	struct genlmsghdr genl;
	char attrs[64];
};

static void begin(struct request *r, uint16_t family, uint16_t flags, uint8_t cmd)
{
	memset(r, 0, sizeof(*r));
	r->head.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	r->head.nlmsg_type = family;
	r->head.nlmsg_flags = NLM_F_REQUEST | flags;
	r->genl.cmd = cmd;
	r->genl.version = VERSION;
}

static void put_attr(struct request *r, uint16_t type, const void *data, size_t len)
{
	const struct nlattr head = { .nla_len = NLA_HDRLEN + len, .nla_type = type };
	char *at = (char *)r + r->head.nlmsg_len;

	memcpy(at, &head, sizeof(head));
	memcpy(at + NLA_HDRLEN, data, len);
	r->head.nlmsg_len += NLA_ALIGN(head.nla_len);
}

static int send_request(int fd, const struct request *r, struct err *err)
{
	ssize_t n = send(fd, r, r->head.nlmsg_len, 0);

	return n < 0 ? err_errno(err, -errno, "netlink") : 0;
}

/* What is done with the attributes of each message. */
typedef int reader(void *arg, const char *attrs, size_t len, struct err *err);

/* 1: go on; 0: that was all. */
static int take_message(const struct nlmsghdr *m, reader *read, void *arg,
			struct err *err)
{
	const size_t head = NLMSG_LENGTH(GENL_HDRLEN);
	int code = 0, ret;

	if (m->nlmsg_type == NLMSG_DONE || m->nlmsg_type == NLMSG_ERROR) {
		if (m->nlmsg_len >= NLMSG_LENGTH(sizeof(code)))
			memcpy(&code, NLMSG_DATA(m), sizeof(code));
		return code < 0 ? err_errno(err, code, "netlink") : 0;
	}
	if (m->nlmsg_len < head)
		return err_set(err, -EPROTO, "netlink: a message without its head");
	ret = read(arg, (const char *)m + head, m->nlmsg_len - head, err);
	return ret ? ret : (m->nlmsg_flags & NLM_F_MULTI) != 0;
}

static int receive(int fd, char *reply, reader *read, void *arg, struct err *err)
{
	const struct nlmsghdr *m;
	ssize_t n;
	int ret = 1;

	while (ret > 0) {
		n = recv(fd, reply, REPLY, MSG_TRUNC);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, -errno, "netlink");
		if (!n || n > REPLY)
			return err_set(err, -ERANGE, "netlink: an answer of %zd bytes",
				       n);
		for (m = (const void *)reply; ret > 0 && NLMSG_OK(m, (size_t)n);
		     m = NLMSG_NEXT(m, n))
			ret = take_message(m, read, arg, err);
	}
	return ret;
}

static int read_family(void *arg, const char *attrs, size_t len, struct err *err)
{
	uint16_t *family = arg;
	struct attr a;
	size_t at = 0;
	int ret;

	while ((ret = next_attr(attrs, len, &at, &a, err)) > 0) {
		if (a.type != CTRL_ATTR_FAMILY_ID)
			continue;
		ret = get_number(&a, family, sizeof(*family), err);
		if (ret)
			return ret;
	}
	return ret;
}

struct domains {
	struct em_shown *out;
	uint32_t ids[EM_SHOWN_MAX_DOMAINS];
	unsigned int count;
};

static int read_domain(void *arg, const char *attrs, size_t len, struct err *err)
{
	struct domains *d = arg;
	int ret;

	if (d->count == EM_SHOWN_MAX_DOMAINS)
		return err_set(err, -ERANGE, FAMILY ": more than %d domains",
			       EM_SHOWN_MAX_DOMAINS);
	ret = em_netlink_domain(attrs, len, &d->out[d->count], &d->ids[d->count], err);
	d->count += !ret && d->out[d->count].cpu_count;
	return ret;
}

static int read_table(void *arg, const char *attrs, size_t len, struct err *err)
{
	return em_netlink_table(attrs, len, arg, err);
}

static int compare_first(const void *a, const void *b)
{
	const struct em_shown *x = a, *y = b;

	return (x->cpus[0] > y->cpus[0]) - (x->cpus[0] < y->cpus[0]);
}

static int ask(int fd, char *reply, struct em_shown *out, unsigned int *count,
	       struct err *err)
{
	struct domains d = { .out = out };
	uint16_t family = 0;
	struct request r;
	unsigned int i;
	int ret;

	begin(&r, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY);
	put_attr(&r, CTRL_ATTR_FAMILY_NAME, FAMILY, sizeof(FAMILY));
	ret = send_request(fd, &r, err);
	if (!ret)
		ret = receive(fd, reply, read_family, &family, err);
	if (ret)
		return ret;
	begin(&r, family, NLM_F_DUMP, CMD_GET_PERF_DOMAINS);
	ret = send_request(fd, &r, err);
	if (!ret)
		ret = receive(fd, reply, read_domain, &d, err);
	for (i = 0; !ret && i < d.count; i++) {
		begin(&r, family, 0, CMD_GET_PERF_TABLE);
		put_attr(&r, TABLE_ID, &d.ids[i], sizeof(d.ids[i]));
		ret = send_request(fd, &r, err);
		if (!ret)
			ret = receive(fd, reply, read_table, &out[i], err);
	}
	qsort(out, d.count, sizeof(*out), compare_first);
	*count = ret ? 0 : d.count;
	return ret;
}

int em_netlink_read(struct em_shown *out, unsigned int *count, struct err *err)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	char *reply = malloc(REPLY);
	int fd, ret;

	*count = 0;
	if (!reply)
		return err_set(err, -ENOMEM, "out of memory");
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (fd < 0) {
		ret = err_errno(err, -errno, "netlink");
		free(reply);
		return ret;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	ret = ask(fd, reply, out, count, err);
	close(fd);
	free(reply);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Energy models as running kernels show them: units, netlink messages.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calib/linux/em_netlink.h"
#include "models/em_shown.h"
#include "models/kernel_em.h"

static void em_release_takes_numbers_at_the_start_alone(void **state)
{
	(void)state;
	assert_int_equal(em_release("6.1.0-50-armmp"), EM_RELEASE(6, 1));
	assert_int_equal(em_release("5.19"), EM_RELEASE(5, 19));
	assert_int_equal(em_release("6.0-rc1"), EM_RELEASE(6, 0));
	assert_int_equal(em_release(""), 0);
	assert_int_equal(em_release("v6.1"), 0);
	assert_int_equal(em_release("6"), 0);
	assert_int_equal(em_release("6."), 0);
	assert_int_equal(em_release("6.-1"), 0);
	assert_int_equal(em_release("99999999999999999999.1"), 0);
	assert_true(EM_RELEASE(6, 0) > EM_RELEASE(5, 19));
}

static enum em_unit unit_of(struct em_shown *d, unsigned int release, bool *sure)
{
	const char *why = NULL;
	enum em_unit unit = em_shown_unit(d, release, sure, &why);

	assert_non_null(why);
	assert_true(strlen(why) > 5);
	return unit;
}

static void em_shown_unit_is_that_of_the_files_before_the_release(void **state)
{
	struct em_shown *d = calloc(1, sizeof(*d));
	bool sure;

	(void)state;
	assert_non_null(d);
	d->state_count = 1;
	d->states[0].power = 65535;
	assert_int_equal(unit_of(d, EM_RELEASE(6, 1), &sure), EM_MILLIWATT);
	assert_true(sure);
	d->has_flags = true;
	d->flags = EM_FLAG_WATTS;
	assert_int_equal(unit_of(d, EM_RELEASE(5, 19), &sure), EM_MILLIWATT);
	assert_false(sure);
	assert_int_equal(unit_of(d, EM_RELEASE(6, 0), &sure), EM_MICROWATT);
	assert_int_equal(unit_of(d, 0, &sure), EM_UNIT_UNKNOWN);
	d->states[0].power = 65536;
	assert_int_equal(unit_of(d, EM_RELEASE(5, 19), &sure), EM_MICROWATT);
	assert_true(sure);
	d->states[0].power = 1;
	d->states[0].has_performance = true;
	assert_int_equal(unit_of(d, 0, &sure), EM_MICROWATT);
	d->flags = EM_FLAG_WATTS | EM_FLAG_ARTIFICIAL;
	assert_int_equal(unit_of(d, 0, &sure), EM_ABSTRACT);
	d->flags = EM_FLAG_SKIP;
	assert_int_equal(unit_of(d, 0, &sure), EM_ABSTRACT);
	free(d);
}

static void em_by_clock_has_costs_of_both_scales_and_marks_from_the_top(void **state)
{
	struct em_state s[3] = { { .khz = 500000, .power = 30 },
				 { .khz = 1000000, .power = 60 },
				 { .khz = 1500000, .power = 120 } };
	struct err err = { "" };

	(void)state;
	assert_int_equal(em_by_clock(s, 3, 1, &err), 0);
	assert_int_equal(s[0].cost, 90);
	assert_int_equal(s[1].cost, 90);
	assert_int_equal(s[2].cost, 120);
	assert_true(s[0].inefficient);
	assert_false(s[1].inefficient);
	assert_false(s[2].inefficient);
	assert_int_equal(em_by_clock(s, 3, 1000, &err), 0);
	assert_int_equal(s[0].cost, 90000);
	s[1].power = 0;
	assert_int_equal(em_by_clock(s, 3, 1, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "state 1"));
}

/* A netlink message in the making, as a kernel lays it out. */
struct message {
	unsigned char data[1024];
	size_t len;
};

static void put16(struct message *m, uint16_t value)
{
	memcpy(m->data + m->len, &value, 2);
	m->len += 2;
}

static void put_attr(struct message *m, uint16_t type, const void *data, size_t len)
{
	put16(m, 4 + len);
	put16(m, type);
	memcpy(m->data + m->len, data, len);
	m->len += (len + 3) & ~(size_t)3;
}

static void put_u64(struct message *m, uint16_t type, uint64_t value)
{
	put_attr(m, type, &value, 8);
}

static void put_domain(struct message *m)
{
	const uint32_t id = 7;

	m->len = 0;
	put_attr(m, 2, &id, 4);
	put_attr(m, 1, "", 0); /* padding, as on machines that want it */
	put_u64(m, 3, 3);
	put_u64(m, 4, 2);
	put_u64(m, 4, 3);
}

static void put_state(struct message *m, uint64_t khz, uint64_t flags)
{
	struct message nest = { .len = 0 };

	put_u64(&nest, 2, 512);
	put_u64(&nest, 3, khz);
	put_u64(&nest, 4, 36450);
	put_u64(&nest, 5, 711);
	put_u64(&nest, 6, flags);
	put_attr(m, 2 | 0x8000, nest.data, nest.len);
}

static void em_netlink_domain_takes_cpus_flags_and_id(void **state)
{
	struct em_shown *d = calloc(1, sizeof(*d));
	struct err err = { "" };
	struct message m;
	uint32_t id = 0;

	(void)state;
	put_domain(&m);
	assert_int_equal(em_netlink_domain(m.data, m.len, d, &id, &err), 0);
	assert_int_equal(id, 7);
	assert_int_equal(d->cpu_count, 2);
	assert_int_equal(d->cpus[1], 3);
	assert_true(d->has_flags);
	assert_int_equal(d->flags, 3);
	assert_string_equal(d->name, "cpu2");
	free(d);
}

static void em_netlink_table_takes_states_in_order(void **state)
{
	struct em_shown *d = calloc(1, sizeof(*d));
	struct message m = { .len = 0 };
	struct err err = { "" };
	const uint32_t id = 7;

	(void)state;
	put_attr(&m, 1, &id, 4);
	put_state(&m, 1000000, 0);
	put_state(&m, 500000, 1);
	assert_int_equal(em_netlink_table(m.data, m.len, d, &err), 0);
	assert_int_equal(d->state_count, 2);
	assert_int_equal(d->states[0].khz, 500000);
	assert_true(d->states[0].inefficient);
	assert_false(d->states[1].inefficient);
	assert_int_equal(d->states[1].performance, 512);
	assert_int_equal(d->states[1].power, 36450);
	assert_int_equal(d->states[1].cost, 711);
	assert_true(d->states[1].has_cost && d->states[1].has_performance);
	free(d);
}

/* Every cut of a message is refused or is a shorter whole one; none is read beyond. */
static void em_netlink_messages_cut_short_are_refused(void **state)
{
	struct em_shown *d = calloc(1, sizeof(*d));
	struct err err = { "" };
	struct message m;
	uint32_t id;
	size_t len;

	(void)state;
	put_domain(&m);
	for (len = 0; len < 24; len++) {
		unsigned char *copy = malloc(len + 1);

		memcpy(copy, m.data, len);
		assert_int_equal(em_netlink_domain(copy, len, d, &id, &err), -EPROTO);
		free(copy);
	}
	m.len = 0;
	put_state(&m, 500000, 0);
	for (len = 0; len < m.len; len++) {
		unsigned char *copy = malloc(len + 1);

		memcpy(copy, m.data, len);
		assert_int_equal(em_netlink_table(copy, len, d, &err), -EPROTO);
		free(copy);
	}
	m.data[4] = 3; /* an attribute in the state shorter than its head */
	assert_int_equal(em_netlink_table(m.data, m.len, d, &err), -EPROTO);
	assert_non_null(strstr(err.msg, "dev-energymodel"));
	free(d);
}

static void em_netlink_read_is_done_with_this_kernel(void **state)
{
	struct em_shown *d = calloc(EM_SHOWN_MAX_DOMAINS, sizeof(*d));
	struct err err = { "" };
	unsigned int n = 1;
	int ret;

	(void)state;
	ret = em_netlink_read(d, &n, &err);
	if (ret)
		assert_int_equal(n, 0);
	if (ret)
		assert_true(err.msg[0]);
	free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(em_release_takes_numbers_at_the_start_alone),
		cmocka_unit_test(em_shown_unit_is_that_of_the_files_before_the_release),
		cmocka_unit_test(
			em_by_clock_has_costs_of_both_scales_and_marks_from_the_top),
		cmocka_unit_test(em_netlink_domain_takes_cpus_flags_and_id),
		cmocka_unit_test(em_netlink_table_takes_states_in_order),
		cmocka_unit_test(em_netlink_messages_cut_short_are_refused),
		cmocka_unit_test(em_netlink_read_is_done_with_this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

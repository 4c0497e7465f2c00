/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers that are nearly what they should be; include after <cmocka.h>.
 */
#ifndef TESTS_UNIT_NEAR_H
#define TESTS_UNIT_NEAR_H

#include <math.h>

#define assert_near(is, want, tolerance) near_or_fail(is, want, tolerance, __LINE__)
#define assert_digits(is, want, digits)	 digits_or_fail(is, want, digits, __LINE__)

static inline void near_or_fail(double is, double want, double tolerance, int line)
{
	if (fabs(is - want) <= tolerance)
		return;
	print_error("line %d: %.9g is not within %g of %.9g\n", line, is, tolerance,
		    want);
	fail();
}

/* Digits that agree, as NIST counts them: -log10 of the relative error. */
static inline void digits_or_fail(double is, double want, double digits, int line)
{
	double agree = is == want ? 15 : -log10(fabs(is - want) / fabs(want));

	if (agree >= digits)
		return;
	print_error("line %d: %.15g is %.15g to %.1f digits, not %g\n", line, is, want,
		    agree, digits);
	fail();
}

#endif

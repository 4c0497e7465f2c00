/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers from outside: taken whole or refused. The decimal point is '.', whatever the
 * locale.
 *
 * All return 0, -EINVAL (not a number: empty, sign, blank or unit in it, trailing text)
 * or -ERANGE (a number, but outside the type or the given limits). On failure the result
 * is not written.
 */
#ifndef LIB_NUM_H
#define LIB_NUM_H

#include <stdint.h>

/* Decimal digits only. */
int num_u32(const char *text, uint32_t *out);
int num_u64(const char *text, uint64_t *out);
/* Decimal digits with an optional leading '-'. */
int num_i64(const char *text, int64_t *out);
/* Decimal, or hexadecimal with 0x. */
int num_u64_hex(const char *text, uint64_t *out);
/* A finite decimal number, exponent allowed; never nan, inf, hex float or "1,5". */
int num_double(const char *text, double *out);

/*
 * num_scaled - a decimal number times 10^@exp10, as an integer, exactly
 * @exp10: e.g. 3 turns "600.5" MHz into 600500 kHz, 6 turns "0.8" V into 800000 uV
 *
 * Digits beyond the last whole unit are rounded half away from zero. No exponent in
 * @text.
 */
int num_scaled(const char *text, int exp10, int64_t *out);

/* "1%" or "0.5%" as a fraction (0.01, 0.005); also without the percent sign ("1" is 1 %).
 * Negative is -ERANGE. */
int num_percent(const char *text, double *fraction);
/* "250ms", "10s", "10m", "2h" (or plain seconds; also us, ns, min) in nanoseconds; 0 is
 * refused (-ERANGE). */
int num_duration_ns(const char *text, uint64_t *ns);
/* "1400MHz", "1.4GHz", "200000kHz", "200000000Hz" or plain kHz, in kHz; upper or lower
 * case.
 */
int num_khz(const char *text, uint32_t *khz);

#endif

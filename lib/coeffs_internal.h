/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files of coeffs.json.
 */
#ifndef LIB_COEFFS_INTERNAL_H
#define LIB_COEFFS_INTERNAL_H

#include "lib/coeffs.h"
#include "lib/json.h"

#define COEFFS_DIGITS 6 /* significant, of a real */

/* [low, high] */
int coeffs_get_interval(const struct json *obj, const char *key, double out[2],
			struct err *err);
int coeffs_put_interval(struct json *obj, const char *key, const double interval[2],
			struct err *err);

/* A name or the like, which must say something; and one that is left out when it says
 * nothing. */
int coeffs_get_needed(const struct json *obj, const char *key, char *out, size_t size,
		      struct err *err);
int coeffs_put_some(struct json *obj, const char *key, const char *text);
/* A list of 1..@max items. */
int coeffs_get_list(const struct json *obj, const char *key, size_t max,
		    const struct json **out, struct err *err);

/* coeffs_provenance.c: the member "provenance" of a cluster */
int coeffs_get_provenance(const struct json *cluster, struct coeffs_provenance *p,
			  struct err *err);
int coeffs_put_provenance(struct json *cluster, const struct coeffs_provenance *p);

/* coeffs_boards.c: the member "boards" of a cluster */
int coeffs_get_boards(const struct json *cluster, struct coeffs_boards *b,
		      struct err *err);
int coeffs_put_boards(struct json *cluster, const struct coeffs_boards *b,
		      struct err *err);

/* coeffs_loads.c: the member "loads" of a cluster */
int coeffs_get_loads(const struct json *cluster, struct coeffs_cluster *c,
		     struct err *err);
int coeffs_put_loads(struct json *cluster, const struct coeffs_cluster *c,
		     struct err *err);

/* coeffs_diagnostics.c: the member "diagnostics" of a cluster */
int coeffs_get_diagnostics(const struct json *cluster, struct coeffs_diagnostics *g,
			   struct err *err);
int coeffs_put_diagnostics(struct json *cluster, const struct coeffs_diagnostics *g,
			   struct err *err);

#endif

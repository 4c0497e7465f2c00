/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What 'calib check' judges: CPUs, domains, OPPs and coefficients, put together from a
 * compiled tree, or from coeffs.json and the board it belongs to.
 */
#ifndef CALIB_CHECK_FACTS_H
#define CALIB_CHECK_FACTS_H

#include <stdbool.h>

#include "boards/board.h"
#include "lib/buf.h"
#include "lib/coeffs.h"
#include "lib/dtcpus.h"
#include "lib/err.h"
#include "models/checks.h"

#define CHECK_FACTS_NOTES   8
#define CHECK_FACTS_VIRTUAL "made by a virtual board: not a measurement"

struct check_facts {
	const char *bin;  /* speed bin, or NULL; borrowed */
	struct dtcpus *d; /* its strings point into the members below */
	char title[256];  /* "hardkernel,odroid-xu4 (Hardkernel Odroid XU4)" or "" */
	bool capacity_unknown;
	bool has_board; /* @board was found or given */
	struct board board;
	unsigned int cluster_of[DTCPUS_MAX_DOMAINS]; /* of @coeffs, from 1; 0: none */
	struct checks_measured *measured;   /* per domain; NULL without @coeffs */
	struct coeffs *coeffs;		    /* NULL when the input is a tree */
	struct buf blob;		    /* the tree, of the input or of --board */
	char notes[CHECK_FACTS_NOTES][256]; /* where facts came from, what is missing */
	unsigned int note_count;
};

/*
 * check_facts_load - read @path and what it refers to
 * @path: a .dtb or a coeffs.json, told apart by content; "-" is stdin
 * @board_spec: as board_open() takes it, or NULL: the board is the one that the input
 *	names, if it is built in
 * @bin: speed bin whose voltages count in a tree, or NULL
 *
 * Returns 0; -errno of reading; -EINVAL; -ENOENT when a cluster of coeffs.json matches no
 * CPU. The caller frees with check_facts_free() in every case; @facts is large.
 */
int check_facts_load(struct check_facts *facts, const char *path, const char *board_spec,
		     const char *bin, struct err *err);
/*
 * check_facts_of_clusters - a machine of just the clusters of @c, which is copied
 *
 * Cluster i is domain i. The board that @c names, if built in, gives the ratio band.
 * Returns 0, -ERANGE, -ENOMEM, or what reading the board returns; free as above.
 */
int check_facts_of_clusters(struct check_facts *facts, const struct coeffs *c,
			    struct err *err);
/* check_facts_measured - fill @facts->measured when domains and OPPs stand. 0, -ENOMEM */
int check_facts_measured(struct check_facts *facts, struct err *err);
/* The board's band of the ratio, if it has one; text borrowed from @facts. */
struct checks_band check_facts_band(const struct check_facts *facts);
/* Do the coefficients come from a virtual board, by what their file says? */
bool check_facts_virtual(const struct check_facts *facts);
/* Frees the content; takes a zeroed struct. */
void check_facts_free(struct check_facts *facts);

#endif

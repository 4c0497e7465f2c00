/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The energy model that a kernel builds from a tree, as it would show it: for virtual
 * boards, which run none.
 */
#ifndef MODELS_EM_BUILT_H
#define MODELS_EM_BUILT_H

#include "lib/dtcpus.h"
#include "models/checks.h"
#include "models/em_shown.h"

/* Kernels before have no energy model that a tree gives. */
#define EM_BUILT_OLDEST EM_RELEASE(5, 6)

/*
 * em_built - by the arithmetic and with the files of @release
 * @c: of @d, see checks_run()
 * @shown: EM_SHOWN_MAX_DOMAINS
 *
 * Returns how many domains have a model.
 */
unsigned int em_built(const struct dtcpus *d, const struct checks *c,
		      unsigned int release, struct em_shown *shown);

#endif

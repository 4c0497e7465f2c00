/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernels, one file each; see struct load_kernel for what a unit is.
 */
#ifndef CALIB_LOADS_KERNELS_H
#define CALIB_LOADS_KERNELS_H

#include <stdint.h>

uint64_t load_int_unit(void *mem, uint64_t seed);

#endif

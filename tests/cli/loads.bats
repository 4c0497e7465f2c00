#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The load kernels: what they run on, and that no compiler shortens them.

bats_require_minimum_version 1.5.0

load fake

setup() {
	fake_setup
}

@test "every compiler at every level computes the same numbers" {
	cat > sums.c <<- 'EOF'
		#include <stdio.h>
		#include "tests/unit/load_sums.h"

		int main(void)
		{
			int bad = 0;

			for (size_t i = 0; i < sizeof(load_sums) / sizeof(load_sums[0]); i++) {
				uint64_t sum = load_sum(load_at(i));

				bad += sum != load_sums[i].sum;
				printf("%s %016jx\n", load_sums[i].name, (uintmax_t)sum);
			}
			return bad;
		}
	EOF
	tried=0
	for compiler in gcc clang; do
		command -v $compiler > /dev/null || continue
		for level in -O0 -O2 -O3; do
			$compiler $level -std=gnu11 -ffp-contract=off -D_GNU_SOURCE "-I$TOP" \
				-o sums sums.c "$TOP"/calib/loads/kernels.c \
				"$TOP"/calib/loads/{int,float,simd,branchy,stream,chase,spin}.c \
				"$TOP"/lib/err.c "$TOP"/lib/text.c
			echo "$compiler $level"
			./sums
			tried=$((tried + 1))
		done
	done
	[ $tried -gt 0 ] || skip "no compiler here"
}

@test "several loads in one run: each at each operating point" {
	"$CALIB" measure --board virtual:odroid-xu3 --cluster a7 --opps 400,1000 --cpus 0,2 \
		--loads int,simd,dram,idle --repeats 1 -d run 2> err
	awk -F, 'NR > 1 { n[$2 "," $3 "," $6 "," $7]++; power[$7] += $9; rows++
			if ($7 == "idle" && $6 == 2) { slept += $9; if ($13 || $8 > 30) exit 1 }
		}
		END {
			for (k in n) if (n[k] != 1) exit 1
			exit rows != 10 || power["simd"] < power["int"] ||
				power["dram"] > power["int"] || slept > power["dram"]
		}' run/samples.csv
}

@test "a load that is not there is named before anything is written" {
	run --separate-stderr "$CALIB" measure --board virtual:odroid-xu3 --loads int,brew -d run
	[ "$status" -eq 2 ]
	[[ $stderr == *"no load 'brew'; known are int, float, simd, branchy, l1, l2, dram, chase, spin, idle"* ]]
	[ ! -e run/samples.csv ]
}

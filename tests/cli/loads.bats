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
	for compiler in "gcc -O0" "gcc -O2" "gcc -O3" "clang -O0" "clang -O3"; do
		command -v "${compiler% *}" > /dev/null || continue
		echo "$compiler"
		$compiler -std=gnu11 -ffp-contract=off -D_GNU_SOURCE "-I$TOP" -o sums sums.c \
			"$TOP"/calib/loads/kernels.c \
			"$TOP"/calib/loads/{int,float,simd,branchy,stream,chase,spin}.c \
			"$TOP"/lib/err.c "$TOP"/lib/text.c
		./sums
		tried=$((tried + 1))
	done
	[ $tried -gt 0 ] || skip "no compiler here"
}

@test "the SIMD load multiplies and adds vectors, on every architecture" {
	tried=0
	for compiler in gcc arm-linux-gnueabihf-gcc aarch64-linux-gnu-gcc; do
		command -v $compiler > /dev/null || continue
		command -v "${compiler%gcc}objdump" > /dev/null || continue
		case $($compiler -dumpmachine) in
		x86_64-*) multiply='mulps .*%xmm' add='addps .*%xmm' ;;
		arm-*) multiply='vmla\.f32[[:space:]]q' add=$multiply ;;
		aarch64-*) multiply='fmul[[:space:]]v.*\.4s' add='fadd[[:space:]]v.*\.4s' ;;
		*) continue ;;
		esac
		$compiler -std=gnu11 -O2 -ffp-contract=off -D_GNU_SOURCE "-I$TOP" \
			-c -o simd.o "$TOP/calib/loads/simd.c"
		"${compiler%gcc}objdump" -d simd.o > code
		echo "$compiler: $multiply, $add"
		[ "$(grep -c "$multiply" code)" -ge 8 ]
		[ "$(grep -c "$add" code)" -ge 8 ]
		tried=$((tried + 1))
	done
	[ $tried -gt 0 ] || skip "no compiler with objdump for x86-64, armhf or arm64 here"
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

@test "all loads there are in one run" {
	all=int,float,simd,branchy,l1,l2,dram,chase,spin,idle
	run --separate-stderr "$CALIB" measure --board virtual:odroid-xu3 --cluster a7 \
		--opps 400 --cpus 1 --loads $all --repeats 1 -d run
	[ "$status" -eq 0 ]
	[ "$(tail -n +2 run/samples.csv | cut -d, -f7 | sort | paste -sd,)" = \
		"$(tr , '\n' <<< $all | sort | paste -sd,)" ]
}

@test "a load that is not there is named before anything is written" {
	run --separate-stderr "$CALIB" measure --board virtual:odroid-xu3 --loads int,brew -d run
	[ "$status" -eq 2 ]
	[[ $stderr == *"no load 'brew'; known are int, float, simd, branchy, l1, l2, dram, chase, spin, idle"* ]]
	[ ! -e run/samples.csv ]
}

@test "--load-cmd runs a command on the CPUs asked for, and nothing of it is left" {
	needs_namespace
	needs_two_cpus
	fake 0 1
	before=$(settings)
	begin --cluster a15 --opps 400,600 --cpus 0,1 --loads int \
		--load-cmd "sh -c 'echo \$\$ >> $PWD/pids; while :; do :; done'" -d run
	wait $pid
	[ "$(settings)" = "$before" ]
	awk -F, '$6 == 1 { n[$7]++; if ($7 == "cmd" ? $13 : !$13) bad = 1 }
		END { exit bad || n["int"] < 2 || n["cmd"] != n["int"] }' run/samples.csv
	# One process per window, and one when it was tried.
	[ "$(wc -l < pids)" -gt "$(grep -c ,cmd, run/samples.csv)" ]
	while read -r process; do
		until_gone "$process"
	done < pids
	grep -q 'load-cmd' run/board.json
}

@test "a kill of calib leaves no load command behind" {
	needs_namespace
	needs_two_cpus
	fake 0 1
	begin --cluster a15 --cpus 0,1 -d run \
		--load-cmd "sh -c 'sleep 50 & echo \$! >> $PWD/pids; while :; do :; done'"
	until_true test -s pids
	kill -KILL $pid
	wait $pid || true
	while read -r process; do
		until_gone "$process"
	done < pids
}

@test "a load command that cannot run or ends at once: one line, nothing written" {
	needs_namespace
	needs_two_cpus
	fake 0 1
	before=$(settings)
	measure --cluster a15 --load-cmd 'no-such-load -x' -d run
	[ "$status" -eq 2 ]
	[[ $stderr == *"cannot run the load command 'no-such-load': No such file"* ]]
	measure --cluster a15 --load-cmd false -d run
	[ "$status" -eq 2 ]
	[[ $stderr == *"load command 'false' ended with status 1 after "* ]]
	measure --cluster a15 --load-cmd true -d run
	[ "$status" -eq 2 ]
	[[ $stderr == *"load command 'true' ends after "*" ms; as a load it has to run for 20 ms or more"* ]]
	measure --cluster a15 --loads cmd -d run
	[ "$status" -eq 2 ]
	[[ $stderr == *"load 'cmd' needs --load-cmd 'COMMAND ARG...'"* ]]
	measure --cluster a15 --load-cmd "sh -c 'x" -d run
	[ "$status" -eq 2 ]
	[[ $stderr == *"--load-cmd: 'sh -c 'x' ends within a quote"* ]]
	[ "$(settings)" = "$before" ]
	[ ! -e run/samples.csv ]
}

@test "a virtual board runs no commands" {
	run --separate-stderr "$CALIB" measure --board virtual:odroid-xu3 --load-cmd yes -d run
	[ "$status" -eq 2 ]
	[[ $stderr == *"--load-cmd is for real machines"* ]]
	[ ! -e run ]
}

@test "interrupts leave the measured CPUs, and come back also after a kill" {
	needs_namespace
	needs_two_cpus
	fake 0 1
	echo 0-1 > root/sys/devices/system/cpu/online
	mkdir -p root/proc/irq/{7,45}
	echo 0-1 > root/proc/irq/7/smp_affinity_list
	echo 1 > root/proc/irq/45/smp_affinity_list
	for signal in TERM KILL; do
		rm -rf run
		begin --cluster a15 --cpus 0,1 -d run
		until_rows 1
		during=$(cat root/proc/irq/7/*) && during+=" $(cat root/proc/irq/45/*)"
		kill -$signal $pid
		wait $pid || true
		until [ ! -e root/run/calib/state.json ]; do
			sleep 0.01
		done
		[ "$during" = "0 0" ]
		[ "$(cat root/proc/irq/7/*) $(cat root/proc/irq/45/*)" = "0-1 1" ]
	done
}

@test "a CPU that cannot be loaded is named before anything is written" {
	needs_namespace
	needs_two_cpus
	fake 0 "1 1022"
	before=$(settings)
	measure --cluster a15 --opps 400 --cpus 0,1,2 -d run
	[ "$status" -eq 2 ]
	[[ $stderr == *"cannot run on CPU 1022: it is offline, or a cpuset keeps us from it; no row was written" ]]
	[ "$(settings)" = "$before" ]
	[ ! -e run/samples.csv ]
}

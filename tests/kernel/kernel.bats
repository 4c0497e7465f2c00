#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A real Linux under QEMU, with real cpufreq, ina2xx and Energy Model: what calib measures and
# fdtedit writes is what the kernel then computes with. $KERNEL is 6.1 or 6.12.
#
# Serial logs and all that the guests left stay in $B/kernel-$KERNEL.

bats_require_minimum_version 1.5.0

setup_file() {
	export DIR="$B/kernel-${KERNEL:=6.1}" KERNEL
	rm -rf "$DIR"
	mkdir -p "$DIR"
	local status=0
	"$TOP/tests/kernel/guest-files" "$KERNEL" "$DIR" > "$DIR/made.txt" 2>&1 || status=$?
	if [ $status -eq 3 ]; then
		NO_GUEST="no guest here: $(tail -n 1 "$DIR/made.txt")"
		export NO_GUEST
		return
	fi
	[ $status -eq 0 ] || {
		cat "$DIR/made.txt"
		return 1
	}
	GUEST_KERNEL=$(tail -n 1 "$DIR/made.txt")
	export GUEST_KERNEL
}

setup() {
	[ -z "${NO_GUEST:-}" ] || skip "$NO_GUEST"
}

# A guest that fails has shown its log already.
teardown() {
	[ -z "${BATS_TEST_COMPLETED:-}" ] && [ -n "${guest_ended:-}" ] || return 0
	echo "the last 40 lines of $OUT.log:"
	sed 's/\r*$//; s/.*\r//' "$OUT.log" | tail -n 40
}

# guest NAME [-n CPUS] [-s SEED] [-w MODULE] RUN TREE [FILE...] - its files are in $DIR/NAME
guest() {
	export OUT="$DIR/$1"
	shift
	local opts=()
	guest_ended=
	while [[ $1 == -* ]]; do
		opts+=("$1" "$2")
		shift 2
	done
	"$TOP/tests/kernel/boot" "${opts[@]}" "$GUEST_KERNEL" "$DIR/initrd" "$@"
	guest_ended=1
}

# fits NAME CLUSTER - its coefficient from that guest is the board's, to 1 %, and the interval holds
# it; else 1, and the table says so
fits() {
	"$TOP/tests/kernel/fitted" "$DIR/cpus2.dtb" "$DIR/$1/coeffs.json" "$2" >> "$DIR/table.txt"
}

# verified NAME TREE COEFFS [-n CPUS] - booted with TREE, all states are as we say
verified() {
	local name=$1 tree=$2 coeffs=$3
	shift 3
	guest "$name" "$@" verify "$tree" "$coeffs"
	{
		echo "== Linux $KERNEL, $name: the kernel's energy model"
		cat "$DIR/$name/verify.txt"
	} >> "$DIR/table.txt"
}

# needs NAME - that test's guest came to its end
needs() {
	[ -e "$DIR/$1" ] || skip "needs what '$1' leaves"
}

# edit NAME ARG... - fdtedit, from the tree without coefficients to $DIR/NAME.dtb
edit() {
	local name=$1
	shift
	"$FDTEDIT" apply "$@" -o "$DIR/$name.dtb" "$DIR/cpus2.dtb" "$DIR/measure/coeffs.json"
}

says() {
	tr -s ' \n' '  ' < "$1" | grep -q -- "$2" || {
		echo "not in $1: $2"
		cat "$1"
		return 1
	}
}

# measured NAME TREE [-n CPUS] - a 95 % interval misses one in twenty: each cluster's has to hold
# in one of three tries, each with other noise, and what missed is kept
measured() {
	local name=$1 tree=$2 try cluster held=
	shift 2
	for try in 1 2 3; do
		guest "$name" -s $try "$@" measure "$tree"
		echo "== Linux $KERNEL, $name: fitted" >> "$DIR/table.txt"
		for cluster in little big; do
			if fits "$name" $cluster; then
				held+=" $cluster"
			else
				tail -n 1 "$DIR/table.txt"
			fi
		done
		[[ $held != *little* || $held != *big* ]] || return 0
		mv "$DIR/$name" "$DIR/$name.missed$try"
		mv "$DIR/$name.log" "$DIR/$name.missed$try.log"
		OUT="$DIR/$name.missed$try"
	done
	return 1
}

@test "measure, fit, check, apply: the coefficients are those of the board" {
	measured measure "$DIR/cpus2.dtb"
	says "$DIR/measure/probe.txt" "MISSING energy model: the kernel has none for any CPU"
}

@test "boot with the patched tree: all states are exactly as fdtedit says" {
	needs measure/patched.dtb
	verified verify "$DIR/measure/patched.dtb" "$DIR/measure/coeffs.json"
	[ "$(ls -d "$DIR"/verify/sysroot/sys/kernel/debug/energy_model/*/ps:* | wc -l)" -eq 12 ]
}

@test "test of the test: a coefficient off by one, or another rounding, is found" {
	needs verify/sysroot
	run "$CALIB" verify --sysroot "$DIR/verify/sysroot" "$DIR/measure/coeffs.json"
	[ "$status" -eq 0 ]
	perl -pe 's/("dynamic-power-coefficient": )(\d+)/$1 . ($2 + 1)/e and $done++ unless $done' \
		"$DIR/measure/coeffs.json" > "$DIR/wrong.json"
	run "$CALIB" verify --sysroot "$DIR/verify/sysroot" "$DIR/wrong.json"
	[ "$status" -eq 1 ]
	mutants=0
	while read -r change; do
		sed "$change" "$TOP/models/kernel_em.c" > "$DIR/kernel_em.c"
		run ! cmp -s "$TOP/models/kernel_em.c" "$DIR/kernel_em.c"
		# Its object comes before the archive that has the right one.
		gcc -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -O1 -pthread \
			"-I$TOP" -o "$DIR/mutant" "$DIR/kernel_em.c" "$B/calib/main.o" \
			"$B/calib.a" "$B/boards.a" "$B/models.a" "$B/lib.a" \
			-lsensors -lgsl -lgslcblas -lfdt -ljansson -lm
		run "$DIR/mutant" verify --sysroot "$DIR/verify/sysroot" "$DIR/measure/coeffs.json"
		[ "$status" -eq 1 ] || {
			echo "not found: $change"
			false
		}
		mutants=$((mutants + 1))
	done <<- 'END'
		s,mv = volt_uv / 1000,mv = (volt_uv + 500) / 1000,
		s,hz / 1000000,(hz + 500000) / 1000000,
		s,return power_product(\(.*\)) / 1000000;,return (power_product(\1) + 500000) / 1000000;,
		/cost =/ s,states.i..power,(states[i].power + 999),
		s,>= lowest,> lowest,
	END
	[ $mutants -eq 5 ]
}

@test "opp-microwatt wins over the coefficient, and is what the kernel has" {
	needs measure/patched.dtb
	edit microwatt --opp-microwatt
	verified microwatt "$DIR/microwatt.dtb" "$DIR/measure/coeffs.json"
}

@test "an overlay, merged by libfdt's own tool, does the same" {
	needs measure/patched.dtb
	"$FDTEDIT" apply --overlay -o "$DIR/coeffs.dtbo" "$DIR/cpus2.dtb" "$DIR/measure/coeffs.json"
	fdtoverlay -i "$DIR/cpus2.dtb" -o "$DIR/merged.dtb" "$DIR/coeffs.dtbo"
	verified merged "$DIR/merged.dtb" "$DIR/measure/coeffs.json"
}

@test "without one cluster's coefficient probe says why EAS is off" {
	needs measure/patched.dtb
	cp "$DIR/measure/patched.dtb" "$DIR/missing.dtb"
	"$FDTEDIT" delete "$DIR/missing.dtb" /cpus/cpu@1 dynamic-power-coefficient
	guest missing probe "$DIR/missing.dtb"
	says "$DIR/missing/probe.txt" "MISSING energy model: CPUs 1 have none"
}

@test "4 CPUs: measure with none, one and all busy, apply, boot, verify" {
	measured measure4 "$DIR/cpus4.dtb" -n 4
	verified verify4 "$DIR/measure4/patched.dtb" "$DIR/measure4/coeffs.json" -n 4
}

@test "4 CPUs, a coefficient on the first of each domain only: the kernel looks there" {
	needs measure4/patched.dtb
	cp "$DIR/measure4/patched.dtb" "$DIR/first.dtb"
	"$FDTEDIT" delete "$DIR/first.dtb" /cpus/cpu@1 dynamic-power-coefficient
	"$FDTEDIT" delete "$DIR/first.dtb" /cpus/cpu@2 dynamic-power-coefficient
	verified first "$DIR/first.dtb" "$DIR/measure4/coeffs.json" -n 4
}

# as_before NAME FAULT - all settings are as they were
as_before() {
	[ ! -s "$DIR/$1/$2.diff" ] || {
		cat "$DIR/$1/$2.diff"
		return 1
	}
}

@test "faults: the run of them" {
	guest faults faults "$DIR/cpus2.dtb"
}

@test "killed while the clock is pinned: governor and limits are back" {
	needs faults/killed.status
	[ "$(cat "$DIR/faults/killed.status")" -eq 137 ]
	says "$DIR/faults/killed.txt" "its guardian put the settings back"
	as_before faults killed
	[ "$(cat "$DIR/faults/interrupted.status")" -eq 2 ]
	says "$DIR/faults/interrupted.txt" "error: interrupted"
	as_before faults interrupted
}

@test "another process takes the governor, or cuts the clock: told, and the window taken again" {
	needs faults/stolen.status
	[ "$(cat "$DIR/faults/stolen.status")" -eq 0 ]
	says "$DIR/faults/stolen.txt" "somebody changed scaling_governor from userspace to performance; set again"
	as_before faults stolen
	[ "$(cat "$DIR/faults/limited.status")" -eq 0 ]
	says "$DIR/faults/limited.txt" "policy1: somebody changed scaling_"
}

@test "the meter's driver is unbound: the run ends and says so" {
	needs faults/unbound.status
	[ "$(cat "$DIR/faults/unbound.status")" -eq 2 ]
	says "$DIR/faults/unbound.txt" "error: cluster 'big': the meter gave no reading in 3 windows: .*No such device"
	as_before faults unbound
}

@test "garbage in the meter's registers: no coefficient comes of it" {
	needs faults/garbage.status
	as_before faults garbage
	rm -f "$DIR/garbage.json"
	run "$CALIB" fit -d "$DIR/faults/garbage.run" -o "$DIR/garbage.json"
	[ "$status" -ne 0 ]
	[[ $output == *erratic* ]]
	[ ! -e "$DIR/garbage.json" ]
}

@test "the cluster's only CPU goes: the run ends, and its settings come back with it" {
	needs faults/unplugged.status
	[ "$(cat "$DIR/faults/unplugged.status")" -eq 2 ]
	[ ! -s "$DIR/faults/unplugged.again" ]
}

@test "one of two CPUs goes: the run ends, all is as before; --online brings one up and puts it back" {
	needs cpus4.dtb
	guest unplug -n 4 unplug "$DIR/cpus4.dtb"
	[ "$(cat "$DIR/unplug/unplugged.status")" -eq 2 ]
	[ ! -s "$DIR/unplug/unplugged.again" ]
	[ "$(cat "$DIR/unplug/woken.status")" -eq 0 ]
	as_before unplug woken
	[ "$(awk -F, '$6 == 2' "$DIR/unplug/woken.run/samples.csv" | wc -l)" -eq 2 ]
}

@test "no governor userspace: the clock is pinned by its limits, and they come back" {
	guest clamp -w cpufreq_userspace clamp "$DIR/cpus2.dtb"
	says "$DIR/clamp/probe.txt" "pinned by .*limits"
	[ "$(cat "$DIR/clamp/clamped.status")" -eq 0 ]
	as_before clamp clamped
	[ "$(awk -F, 'NR > 1 && $4 == $3' "$DIR/clamp/clamped.run/samples.csv" | wc -l)" -eq 4 ]
	[ "$(cat "$DIR/clamp/clampkill.status")" -eq 137 ]
	as_before clamp clampkill
}

@test "experiments: power is what measure sees; governors come back, also when killed" {
	guest bench bench "$DIR/cpus2.dtb"
	[ "$(cat "$DIR/bench/killed.status")" -eq 137 ]
	says "$DIR/bench/killed.txt" "its guardian put the settings back"
	as_before bench killed
	says "$DIR/bench/ab.txt" "governor: A performance, B schedutil"
	python3 - "$DIR/bench" <<- 'END'
		import csv, json, sys
		folder = sys.argv[1]
		rows = lambda name: {r["governor"]: r["watt"] for r in json.load(open(f"{folder}/{name}.json"))["rows"]}
		busy = [float(r["power_uw"]) * 1e-6 for r in csv.DictReader(open(f"{folder}/run/samples.csv")) if r["cpu_count"] == "1"]
		measured, ramp, sweep = sum(busy) / len(busy), rows("ramp"), rows("sweep")
		print(measured, ramp, sweep)
		# A task that never sleeps is at the highest clock under both; one that mostly sleeps is not.
		assert abs(ramp["performance"]["mean"] / measured - 1) < 0.03
		assert abs(ramp["schedutil"]["mean"] / measured - 1) < 0.03
		assert sweep["schedutil"]["average"] < 0.5 * sweep["performance"]["average"]
	END
}

@test "a series of boots: another tree and energy model are told" {
	needs bench/series.json
	needs measure/patched.dtb
	guest reboot reboot "$DIR/measure/patched.dtb" "$DIR/bench/series.json"
	says "$DIR/reboot/compare.txt" "A: before, 1 boot of 2 iterations, Linux $KERNEL"
	says "$DIR/reboot/compare.txt" "device tree: A [0-9a-f]\{16\}, B [0-9a-f]\{16\} energy model: A none, B [0-9a-f]\{16\}"
	says "$DIR/reboot/compare.txt" "order of boots: A B"
}

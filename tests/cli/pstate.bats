#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Settings of a hybrid processor under intel_pstate with HWP, which tests/fake/pstate.c plays: one
# P-core and one E-core.

bats_require_minimum_version 1.5.0
load fake

setup() {
	fake_setup
	cpus=$root/sys/devices/system/cpu
	mkdir -p "$root/run"
	put "$cpus/online" 0-1
	put "$root/sys/devices/cpu_core/cpus" 0
	put "$root/sys/devices/cpu_atom/cpus" 1
	put "$cpus/intel_pstate/status" active
	put "$cpus/intel_pstate/no_turbo" 1
	put "$cpus/intel_pstate/max_perf_pct" 90
	for cpu in 0 1; do
		put "$policy$cpu/affected_cpus" $cpu
		put "$policy$cpu/related_cpus" $cpu
		put "$policy$cpu/scaling_driver" intel_pstate
		put "$policy$cpu/scaling_governor" powersave
		put "$policy$cpu/scaling_available_governors" "performance powersave"
		put "$policy$cpu/cpuinfo_min_freq" 800000
		put "$policy$cpu/cpuinfo_max_freq" $((5000000 - cpu * 1000000))
		put "$policy$cpu/scaling_min_freq" 800000
		put "$policy$cpu/scaling_max_freq" 3000000
		put "$policy$cpu/energy_performance_available_preferences" \
			"default performance balance_performance balance_power power "
		put "$policy$cpu/energy_performance_preference" 115
	done
	settings > before
}

put() {
	mkdir -p "${1%/*}"
	echo "$2" > "$1"
}

# play COMMAND... - calib on that machine; what it wrote is in ./log
play() {
	rm -f log
	# shellcheck disable=SC2086 # two words
	run --separate-stderr env LD_PRELOAD="$B/tests/fake/pstate.so" \
		CALIB_PSTATE_LOG="$PWD/log" ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" \
		timeout 60 "$CALIB" $1 --sysroot "$root" "${@:2}"
	settings | diff before - >&2
}

# settings_under OPTIONS... - what governor and EPP of both CPUs are while a workload runs
settings_under() {
	play 'bench perf' --iterations 1 --warmup 0 "$@" -- \
		sh -c "cat ${policy}[01]/scaling_governor ${policy}[01]/energy_performance_preference > $PWD/seen"
	[ "$status" -eq 0 ] || { echo "$stderr" >&2; return 1; }
	paste -sd' ' seen
}

# refused WHY OPTIONS... - with nothing run and nothing written
refused() {
	local why=$1
	play 'bench perf' --iterations 1 --warmup 0 "${@:2}" -- touch "$PWD/ran"
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"$why"* ]] || { echo "$stderr"; return 1; }
	[ ! -e ran ]
	[ ! -e log ]
}

@test "an EPP is set and put back, a raw one too" {
	[ "$(settings_under --epp power)" = "powersave powersave power power" ]
	[ "$(settings_under --epp 77)" = "powersave powersave 77 77" ]
	# Those that have a name read back as that.
	[ "$(settings_under --epp 192)" = "powersave powersave balance_power balance_power" ]
	[ "$(settings_under --epp default)" = "powersave powersave balance_performance balance_performance" ]
	refused "error: policy0: EPP 256 is not in 0..255" --epp 256
	refused "error: policy0: EPP 'fast' is not offered; there are default performance " --epp fast
	refused "error: policy0: EPP '7x' is not offered; " --epp 7x
}

@test "under performance the driver takes no other EPP: the governor is set first, or nothing is" {
	refused "error: policy0: driver intel_pstate takes no EPP '77' under the governor performance; " \
		--governor performance --epp 77
	[ "$(settings_under --governor performance)" = "performance performance performance performance" ]
	[ "$(settings_under --governor performance --epp 0)" = "performance performance performance performance" ]
	echo performance | tee "$policy"?/scaling_governor "$policy"?/energy_performance_preference
	echo 115 | tee "$policy"0/.epp "$policy"1/.epp
	settings > before
	refused "error: policy0: driver intel_pstate takes no EPP 'power' under the governor performance; " --epp power
	[ "$(settings_under --governor powersave --epp power)" = "powersave powersave power power" ]
	run ! grep refused log
}

@test "another mode forgets neither turbo nor limits, and is put back" {
	needs_two_cpus
	play ramp --repeats 1 --idle 1ms --modes passive --governors schedutil
	[ "$status" -eq 0 ]
	[[ "$output" == *"p       0  passive schedutil/115 "* ]]
	[[ "$output" == *"e       1  passive schedutil/115 "* ]]
	[[ "$stderr" != *"something else sets it"* ]]
	head -n 6 log | cut -d' ' -f1,2 > first
	diff first - <<-'END'
	intel_pstate/status passive
	intel_pstate/no_turbo 1
	intel_pstate/max_perf_pct 90
	cpufreq/policy0/scaling_max_freq 3000000
	cpufreq/policy1/scaling_max_freq 3000000
	cpufreq/policy0/scaling_governor schedutil
	END
}

@test "a pair that only the other mode refuses is refused once it is known, and all is put back" {
	needs_two_cpus
	put "$cpus/intel_pstate/status" passive
	for cpu in 0 1; do
		put "$policy$cpu/scaling_driver" intel_cpufreq
		put "$policy$cpu/scaling_governor" schedutil
		put "$policy$cpu/scaling_available_governors" "performance powersave schedutil ondemand"
	done
	settings > before
	play ramp --repeats 1 --idle 1ms --modes active --governors performance --epp power
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"error: policy0: driver intel_pstate takes no EPP 'power' under the governor performance; "* ]]
	[ "$(sed 's/.*status //' log | grep -c active)" -eq 1 ]
	run ! grep refused log
}

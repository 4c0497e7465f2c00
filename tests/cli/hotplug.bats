#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# CPUs that are offline when calib comes, on a fake Odroid-XU3 whose policies follow their CPUs:
# left alone, or brought online for the run and put offline again however it ends.

bats_require_minimum_version 1.5.0
load fake

setup() {
	fake_setup
	needs_namespace
	needs_two_cpus
	hotplug=yes
	cpus=root/sys/devices/system/cpu
}

# two_of_a15 - CPUs 0 and 1 are A15s, of which CPU 1 is offline
two_of_a15() {
	big=0
	fake "2 3" "0 1"
	rm -r root/sys/class/thermal
	offline 1
	echo 0 > "${policy}0/affected_cpus"
	settings > before
}

# no_a15 - CPU 1 is the only A15, and offline
no_a15() {
	big=1
	fake 0 1
	rm -r root/sys/class/thermal
	offline 1
	echo > "${policy}1/affected_cpus"
	echo conservative > "${policy}1/scaling_governor"
	settings > before
}

# offline CPU - as the kernel shows it
offline() {
	echo 0 > "$cpus/cpu$1/online"
	for n in 0 1; do
		ln -s ../cpufreq/policy$big "$cpus/cpu$n/cpufreq"
	done
}

# all_back - settings and CPUs are as before, and calib knows it
all_back() {
	[ "$(cat $cpus/cpu1/online)" = 0 ]
	settings | diff before -
	[ ! -e root/run/calib/state.json ]
}

# restore ARGS... - in the machine of the test
restore() {
	run --separate-stderr env LD_PRELOAD="$B/tests/fake/hotplug.so" \
		ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" \
		"$CALIB" restore --sysroot "$root" "$@"
}

# plan ARGS... - what would be measured
plan() {
	run --separate-stderr inside env LD_PRELOAD="$B/tests/fake/hotplug.so" \
		ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" \
		timeout 60 "$CALIB" measure --sysroot "$root" -n "$@"
}

@test "offline CPUs stay offline: the others are measured, and it is said" {
	two_of_a15
	begin --cluster a15 --opps 200 -d run
	ended 0
	grep -q "cluster 'a15': CPU 1 is offline, the others are measured; 'calib measure --online'" err
	cut -d, -f6 run/samples.csv | sort -u | paste -sd ' ' > counts
	[ "$(cat counts)" = "0 1 cpu_count" ]
	all_back
}

@test "--online -n: a plan with all CPUs, and nothing is written" {
	two_of_a15
	plan --cluster a15 --opps 200 --online --cpus 2
	[ "$status" -eq 0 ]
	[[ $stderr == *"cluster 'a15': CPU 1 is offline, and online only while the cluster is measured"* ]]
	plan --cluster a15 --opps 200 --cpus 2
	[ "$status" -eq 2 ]
	all_back
	[ ! -e root/run/calib ]
}

@test "--online: offline CPUs are loaded too, and offline again after" {
	two_of_a15
	begin --cluster a15 --online --opps 200,800 --cpus 0-2 -d run
	until_pinned
	[ "$(cat $cpus/cpu1/online)" = 1 ]
	[ "$(cat "${policy}0/affected_cpus")" = "0 1" ]
	ended 0
	[ "$(grep -c ',a15,.00000,[0-9]*,[0-9]*,2,' run/samples.csv)" -eq 2 ]
	all_back
}

@test "--online and Ctrl-C: offline again" {
	two_of_a15
	begin --cluster a15 --online -d run
	until_pinned
	kill -INT $pid
	ended 2
	all_back
}

@test "--online and SIGKILL: the guardian puts the CPUs offline again" {
	two_of_a15
	begin --cluster a15 --online -d run
	until_pinned
	guardian=$(guardian)
	kill -KILL $pid
	wait $pid || true
	until_gone "$guardian"
	all_back
}

@test "--online, SIGKILL of calib and guardian: calib restore sets the governor, then puts offline" {
	two_of_a15
	begin --cluster a15 --online -d run
	until_rows 1
	kill -KILL "$(guardian)"
	kill -KILL $pid
	wait $pid || true
	[ "$(cat $cpus/cpu1/online)" = 1 ]
	restore
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor: 'userspace' -> 'ondemand'" ]
	[ "${lines[-1]}" = "/sys/devices/system/cpu/cpu1/online: '1' -> '0'" ]
	all_back
}

@test "--online: a CPU that does not come up is named, nothing is changed" {
	two_of_a15
	rule write online=1 EBUSY 1
	begin --cluster a15 --online -d run
	ended 2
	grep -q "CPU 1 does not come online; leave --online out: .*cpu1/online: writing '1': Device or resource busy" err
	all_back
	[ ! -e run ]
}

@test "a cluster that is wholly offline: what to do" {
	no_a15
	plan
	[[ $stderr == *"policy1: all CPUs are offline, skipped; 'calib measure --online' brings them up for it"* ]]
	plan --cluster a15
	[ "$status" -eq 2 ]
	[[ $stderr == *"no cluster 'a15' here; known are a7"* ]]
	plan --cluster a15 --online
	[ "$status" -eq 2 ]
	[[ $stderr == *"offline, without a clock that could be planned for: CPU 1; this plan is without"* ]]
	all_back
	[ ! -e root/run/calib ]
}

@test "--online measures a cluster that is wholly offline, which keeps its own governor" {
	no_a15
	begin --cluster a15 --online --opps 200,800 --cpus 0,1 -d run
	until_pinned
	[ "$(cat $cpus/cpu1/online)" = 1 ]
	ended 0
	[ "$(wc -l < run/samples.csv)" -eq 5 ]
	[ "$(cat "${policy}1/scaling_governor")" = conservative ]
	[ "$(cat "${policy}0/scaling_governor")" = ondemand ]
	all_back
	! grep -q "stays as it is" err
}

@test "--online with both clusters: the one that is wholly offline sleeps while the other is measured" {
	no_a15
	# The one meter that physics drives stands for both.
	begin --online --sensor a7=ina231@0x40 --opps 200,600 --cpus 0,1 -d run
	until_rows 1
	[ "$(cat "$cpus/cpu1/online")" = 0 ]
	ended 0
	[ "$(cut -d, -f2,6 run/samples.csv | tail -n +2 | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd ' ')" = \
		"2 a15,0 2 a15,1 2 a7,0 2 a7,1" ]
	all_back
	! grep -q "stays as it is" err
}

@test "--resume brings the CPUs online again; a run without them keeps what board.json says of them" {
	no_a15
	begin --cluster a15 --online --opps 200,800 --cpus 0,1 -d run
	until_rows 1
	guardian=$(guardian)
	kill -KILL $pid
	wait $pid || true
	until_gone "$guardian"
	all_back
	begin --resume -d run
	ended 0
	[ "$(wc -l < run/samples.csv)" -eq 5 ]
	all_back
	begin --cluster a7 --sensor a7=ina231@0x40 --opps 200 --cpus 0 -d run
	ended 0
	[ "$(grep -c '"name": "a15"' run/board.json)" -eq 1 ]
	[ "$(grep -c '"name": "a7"' run/board.json)" -eq 1 ]
}

@test "SIGKILL while a cluster is brought online: offline again" {
	no_a15
	export CALIB_HOTPLUG_MS=300
	begin --cluster a15 --online -d run
	until_true grep -q 1 $cpus/cpu1/online
	[ -e root/run/calib/state.json ]
	guardian=$(guardian)
	kill -KILL $pid
	wait $pid || true
	until_gone "$guardian"
	all_back
}

@test "put offline by somebody before calib restore: both get their own governor all the same" {
	no_a15
	export CALIB_HOTPLUG_GOVERNOR=conservative
	begin --cluster a15 --online -d run
	until_rows 1
	[ "$(cat "${policy}1/scaling_governor")" = userspace ]
	[ "$(cat "${policy}0/scaling_governor")" = userspace ]
	kill -KILL "$(guardian)"
	kill -KILL $pid
	wait $pid || true
	echo 0 > $cpus/cpu1/online
	echo > "${policy}1/affected_cpus"
	unset CALIB_HOTPLUG_GOVERNOR
	restore
	[ "$status" -eq 0 ]
	all_back
	[ "$(cat "${policy}1/scaling_governor")" = conservative ]
	[ "$(cat "${policy}0/scaling_governor")" = ondemand ]
}

@test "a policy that vanishes on the way: the run ends with its rows, to be restored when it is back" {
	big=1
	fake 0 1
	rm -r root/sys/class/thermal
	settings > before
	begin --cluster a15 --opps 200,800 --cpus 0,1 -d run
	until_rows 1
	echo 0 > $cpus/cpu1/online
	echo > "${policy}1/affected_cpus"
	ended 2
	grep -q "policy1: all its CPUs went offline" err
	[ "$(wc -l < run/samples.csv)" -ge 2 ]
	[ "$(cat $cpus/cpu1/online)" = 0 ]
	[ -e root/run/calib/state.json ]
	echo 1 > $cpus/cpu1/online
	echo 1 > "${policy}1/affected_cpus"
	# A governor that the kernel has chosen.
	echo performance > "${policy}1/scaling_governor"
	restore
	[ "$status" -eq 0 ]
	settings | diff before -
	[ ! -e root/run/calib/state.json ]
}

@test "a CPU that goes offline and comes back: the window is taken again, with the governor" {
	big=1
	fake 0 1
	rm -r root/sys/class/thermal
	settings > before
	begin --cluster a15 --opps 200,800 --cpus 0,1 -d run
	until_rows 1
	echo performance > "${policy}1/scaling_governor"
	echo > "${policy}1/affected_cpus"
	sleep 0.05
	echo 1 > "${policy}1/affected_cpus"
	ended 0
	grep -q "policy1: .*; set again, window taken again" err
	[ "$(wc -l < run/samples.csv)" -eq 5 ]
	settings | diff before -
}

@test "a load that is moved off its CPU, as by hotplug between two looks: the window is taken again" {
	big=1
	fake 0 1
	rm -r root/sys/class/thermal
	settings > before
	begin --cluster a15 --opps 200,800 --cpus 1 --repeats 2 -d run
	until_rows 1
	until grep -q "the load is no longer pinned to CPU 1" err; do
		kill -0 $pid
		for task in /proc/$pid/task/*; do
			[ "${task##*/}" = $pid ] || taskset -pc 0,1 "${task##*/}" > tasks.log 2>&1 || true
		done
	done
	ended 0
	grep -q "the load is no longer pinned to CPU 1: .*; set again, window taken again" err
	[ "$(wc -l < run/samples.csv)" -eq 5 ]
	settings | diff before -
}

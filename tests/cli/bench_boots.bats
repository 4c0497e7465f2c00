#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib bench perf --boot and bench compare: boots of two states, on a virtual board and on a
# machine that plays being booted.

bats_require_minimum_version 1.5.0

load fake

setup() {
	fake_setup
}

# virtual STATE OPTIONS... - a boot of a virtual board
virtual() {
	run --separate-stderr timeout 60 "$CALIB" bench perf --board virtual:odroid-xu3 -o s.json \
		--boot "$@"
}

# booted ID CMDLINE [KERNEL] - what the fake was booted with
booted() {
	[ -d "$root/sys" ] || fake
	mkdir -p "$root/proc/sys/kernel/random"
	echo "$1" > "$root/proc/sys/kernel/random/boot_id"
	echo "$2" > "$root/proc/cmdline"
	echo "${3:-6.1.0}" > "$root/proc/sys/kernel/osrelease"
}

# here STATE OPTIONS... - a run on the fake
here() {
	run --separate-stderr timeout 60 "$CALIB" bench perf --sysroot "$root" -o s.json \
		--iterations 2 --warmup 0 --boot "$@"
}

compare() {
	run --separate-stderr "$CALIB" bench compare "$@"
}

@test "twelve boots in turns show an effect, by boots" {
	state=base
	for at in 1 2 3 4 5 6 7 8 9 10 11 12; do
		effect=()
		[ $state = base ] || effect=(--effect 4%)
		virtual $state "${effect[@]}" -w messages:loops=5000
		[ "$status" -eq 0 ]
		[[ $output == "VIRTUAL board"* ]]
		[ "$(grep -c 'time, s *10 ' <<< "$output")" -eq 1 ]
		if [ $at -eq 1 ]; then
			[[ $stderr == *"note: boot 1 of the series is of 'base'; next: boot the other state, and run this again there with --boot and its name" ]]
			state=new
		elif [ $at -lt 12 ]; then
			[[ $stderr == *"note: $at of 12 boots (6 of each state) are done; next: boot '"*"', and run this again there with --boot '"*"'" ]]
			state=${stderr%\'}
			state=${state##*\'}
		fi
	done
	[[ $stderr == *"note: 6 boots of each state are done; next: calib bench compare s.json; "* ]]
	[ "$(jq -r '[.boots[].state] | join(" ")' s.json)" = \
		"base new new base base new new base base new new base" ]
	[ "$(jq -c '[.workloads[0].iterations[].order] == [range(120)]' s.json)" = true ]
	compare s.json
	[ "$status" -eq 0 ]
	[[ $output == "VIRTUAL: "* ]]
	[[ $output == *"  A: base, 6 boots of 10 iterations, VIRTUAL, odroid-xu3"* ]]
	grep -qE '^time +-[4-6]\.[0-9]+ % \.\. -[1-3]\.[0-9]+ % +0\.00[0-9]+ .* lower$' <<< "$output"
	grep -qE '^boots +drift +p +A: within +between +alike p +B: within +between +alike p +B by iterations +p$' <<< "$output"
	[[ $output == *"order of boots: A B B A A B B A A B B A"$'\n'* ]]
	[[ $output == *"time: by the 6 pairs of turns -"* ]]
	compare s.json --metric time --format json
	[ "$(jq -c '[."by-boots", .workloads[0].metrics[0].files[1].n, .workloads[0].metrics[0].files[1].iterations]' <<< "$output")" = "[true,6,60]" ]
	compare s.json --format markdown
	[[ $output == *"| boots "* ]]
}

@test "boots of one virtual board differ by themselves, and the same again from its seed" {
	for i in 1 2 3; do virtual base -w pipe; done
	mv s.json t.json
	for i in 1 2 3; do virtual base -w pipe; done
	cmp <(jq .workloads s.json) <(jq .workloads t.json)
	[ "$(jq '[.workloads[0].iterations[]."time-ns"] | unique | length' s.json)" -eq 30 ]
	spread='[.workloads[0].iterations[]."time-ns"] | (max - min) / min'
	rm s.json
	for i in 1 2 3; do virtual base -w pipe --boot-rsd 5% --rsd 0.01%; done
	[ "$(jq "$spread > 0.02" s.json)" = true ]
	rm s.json
	for i in 1 2 3; do virtual base -w pipe --boot-rsd 0.01% --rsd 0.01%; done
	[ "$(jq "$spread < 0.001" s.json)" = true ]
}

@test "one boot of each gives no p of the difference, and says why" {
	virtual base -w pipe
	compare s.json
	[ "$status" -eq 2 ]
	[ "$stderr" = "calib bench compare: error: 's.json': all boots are of 'base'; boot another state, and run with --boot and its name" ]
	virtual new
	[ "$status" -eq 0 ]
	compare s.json --metric time
	[ "$status" -eq 0 ]
	grep -qE '^time +- +- +- +- +cannot be told$' <<< "$output"
	[[ $output == *"  one boot of A: what a boot does by itself cannot be told from what changed; two of each at least"* ]]
	grep -qE '^time +- +- +[0-9.]+ % +- +- +[0-9.]+ % +- +- +[-+][0-9.]+ % +[<0-9.]+$' <<< "$output"
	[[ $output == *"By iterations: of just these boots,"* ]]
	compare s.json --metric time --format json
	[ "$(jq '.workloads[0].metrics[0].files[1] | has("welch-p") or has("mann-whitney-p") or has("ci95-pct")' <<< "$output")" = false ]
}

@test "one boot is of one state, and nothing runs for another" {
	booted id-1 quiet
	here old -- sh -c 'echo >> ran'
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	[ "$(jq -r '.boots[0] | "\(.state) \(.context."boot-id") \(.context."command-line") \(.context.kernel) \(.context."device-tree" | length)"' s.json)" = \
		"old id-1 quiet 6.1.0 16" ]
	cp s.json before.json
	settings > before
	here new --governor conservative -- sh -c 'echo >> ran'
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *"error: --boot: this is still the boot that was 'old' (boot id id-1): reboot into 'new' first" ]]
	[ "$(wc -l < ran)" -eq 2 ]
	cmp s.json before.json
	settings | diff before -
	rm "$root/proc/sys/kernel/random/boot_id"
	here new -- sh -c 'echo >> ran'
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: --boot: /proc/sys/kernel/random/boot_id cannot be read: boots cannot be told apart" ]]
}

@test "the same boot again is one boot with more iterations" {
	booted id-1 quiet
	here old -- true
	here old -- true
	[ "$status" -eq 0 ]
	# The table is of the boot.
	[[ $output =~ command\ +time,\ s\ +4\  ]]
	booted id-2 quiet
	here new -- true
	[[ $output =~ command\ +time,\ s\ +2\  ]]
	[ "$(jq -c '[.boots | length, [$root.workloads[0].iterations[] | [.order, .boot]]]' --argjson root "$(cat s.json)" s.json)" = "[2,[[0,0],[1,0],[2,0],[3,0],[4,1],[5,1]]]" ]
	here new --governor conservative -- true
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: --boot: the governor is not what it was when this boot's first iterations ran" ]]
}

@test "a state that is not what it was, or not another one, is told" {
	booted id-1 quiet
	here old -- true
	booted id-2 quiet
	here new -- true
	compare s.json
	[[ $output == *"  kernel, command line, device tree and energy model, as far as they could be read, are the same: was another state booted?"* ]]
	booted id-3 "quiet isolcpus=3" 6.1.1
	here new -- true
	[ "$status" -eq 0 ]
	[[ $stderr == *"warning: this is not the 'new' of the series' boots before: kernel: boot 2 6.1.0, boot 3 6.1.1"* ]]
	[[ $stderr == *"warning: this is not the 'new' of the series' boots before: kernel command line: boot 2 quiet, boot 3 quiet isolcpus=3"* ]]
	booted id-4 quiet
	here old -- true
	[[ $stderr != *warning* ]]
	compare s.json
	[ "$status" -eq 0 ]
	[[ $output == *"  B is not the same at each boot: kernel: boot 2 6.1.0, boot 3 6.1.1"* ]]
	[[ $output != *"A is not"* ]]
	[[ $output != *VIRTUAL* ]]
}

@test "what only one boot tells is no difference" {
	booted id-1 quiet
	here old -- true
	booted id-2 loud
	rm "$root/proc/cmdline"
	here new -- true
	booted id-3 louder
	here new -- true
	[[ $stderr != *warning* ]]
	compare s.json
	[[ $output != *"command line: "* ]]
	[[ $output != *"not the same at each boot"* ]]
}

@test "periodic tasks do the same work at each boot" {
	booted id-1 quiet
	energy() {
		run --separate-stderr timeout 60 "$CALIB" bench energy --sysroot "$root" -o s.json \
			--iterations 1 --warmup 0 --boot "$@"
	}
	energy old -w periodic:tasks=1,period-us=5000,duration-ms=20
	[ "$status" -eq 0 ]
	units=$(jq -r '.workloads[0].parameters.units' s.json)
	[ "$units" -gt 0 ]
	booted id-2 quiet
	energy new
	[ "$status" -eq 0 ]
	[[ $stderr == *"units=$units"* ]]
	energy new -w periodic:tasks=1,period-us=5000,duration-ms=20
	[ "$status" -eq 0 ]
	[[ $stderr == *"units=$units"* ]]
	energy new -w periodic:tasks=1,period-us=5000,duration-ms=20,duty=30
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: 's.json': periodic: duty is '10' in the series, and '30' now: not the same work" ]]
	[ "$(jq '.workloads[0].iterations | length' s.json)" = 3 ]
}

@test "states that do not take turns are told" {
	for i in 1 2; do virtual base -w pipe; done
	for i in 1 2; do virtual new; done
	[[ $stderr == *"next: boot 'new', "* ]]
	compare s.json --metric time
	[[ $output == *"order of boots: A A B B; the states did not take turns, and what changed meanwhile looks like a difference"* ]]
	[[ $output != *"pairs of turns"* ]]
}

@test "what the series is run with is run again, and nothing else" {
	virtual base -w pipe:loops=500
	virtual new
	[ "$(jq -r '.workloads[].parameters.loops' s.json)" = 500 ]
	cp s.json before.json
	virtual new -w pipe
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: 's.json': pipe: loops is '500' in the series, and '100000' now: not the same work" ]]
	virtual new -w messages
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: 's.json': workload 1 of the series is 'pipe', and not 'messages'; "* ]]
	virtual new -w pipe -w messages
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: 's.json': the series is of 1 workload, and not of 2; "* ]]
	cmp s.json before.json
}

@test "a series is not lost to a run without --boot, nor another file to one with it" {
	virtual base -w pipe
	cp s.json before.json
	run --separate-stderr "$CALIB" bench perf --board virtual:odroid-xu3 -o s.json
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: 's.json' holds a series of 1 boot, which would be lost: add to it with --boot NAME, or give another file" ]]
	cmp s.json before.json
	"$CALIB" bench perf --board virtual:odroid-xu3 -w pipe -o r.json > out
	run --separate-stderr "$CALIB" bench perf --board virtual:odroid-xu3 -o r.json --boot base
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: 'r.json' is there, and is no series of boots: add to another file" ]]
	compare r.json
	[ "$status" -eq 2 ]
	[ "$stderr" = "calib bench compare: error: 'r.json' is no series of boots: give a second file to compare it with" ]
	compare r.json s.json
	[ "$status" -eq 2 ]
	[ "$stderr" = "calib bench compare: error: 's.json' is a series of boots, which is compared by itself" ]
	run --separate-stderr "$CALIB" bench perf --boot base -- true
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: --boot adds to a file: give -o FILE, the same at each boot" ]]
	run --separate-stderr "$CALIB" bench perf --board virtual:odroid-xu3 --boot-rsd 2%
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: --boot-rsd is of --boot NAME" ]]
	run --separate-stderr "$CALIB" bench perf --boot-rsd 2% --boot base -o n.json -- true
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: --boot-rsd is for virtual boards; "* ]]
}

@test "two files of two boots are told to be one boot each" {
	booted id-1 quiet
	for i in 1 2; do
		booted id-$i quiet
		"$CALIB" bench perf --sysroot "$root" --iterations 3 -o r$i.json -- true > out
	done
	compare r1.json r2.json
	[ "$status" -eq 0 ]
	[[ $output == *"  order: one boot each, and one boot differs from the next with nothing changed; several that take turns tell that from an effect: 'calib bench perf --boot'"* ]]
}

@test "interrupted, a boot keeps its iterations, and goes on" {
	booted id-1 quiet
	here old -- sh -c 'exit 0'
	booted id-2 quiet
	"$CALIB" bench perf --sysroot "$root" -o s.json --iterations 1000 --warmup 0 --boot new \
		-- sh -c 'exit 0' > out 2> err 3>&- &
	pid=$!
	until [ "$(jq '.workloads[0].iterations | length' s.json)" -ge 4 ]; do
		kill -0 $pid
		sleep 0.01
	done
	kill -TERM $pid
	ended 2
	grep -qE "error: interrupted; the [0-9]+ iterations? done before (is|are) in s.json" err
	[ "$(jq -c '[.interrupted, .boots[].interrupted]' s.json)" = '[true,null,true]' ]
	cp s.json left.json
	had=$(jq '.workloads[0].iterations | length' s.json)
	here new -- sh -c 'exit 0'
	[ "$status" -eq 0 ]
	[ "$(jq -c '[(.boots | length), (.workloads[0].iterations | length), .interrupted]' s.json)" = "[2,$((had + 2)),false]" ]
	compare s.json
	[ "$status" -eq 0 ]
	[[ $output != *INTERRUPTED* ]]
	# One that did not go on stays one, whatever comes after.
	mv left.json s.json
	for boot in old new new; do
		booted id-$((++n + 2)) quiet
		here $boot -- sh -c 'exit 0'
		[ "$status" -eq 0 ]
	done
	[ "$(jq -c '[.interrupted, .boots[].interrupted]' s.json)" = '[true,null,true,null,null,null]' ]
	compare s.json
	[ "$status" -eq 0 ]
	grep -qE "^  A: old, 2 boots of 2 iterations, " <<< "$output"
	grep -qE "^  B: new, 3 boots of 2( to [0-9]+)? iterations \(INTERRUPTED: more were planned of boot 2\), " <<< "$output"
	compare s.json --format json
	[ "$(jq -c '[.files[].interrupted]' <<< "$output")" = '[false,true]' ]
}

@test "as many states as there may be are compared in one table" {
	for state in s1 s2 s3 s4 s5 s6 s7 s8; do virtual $state -w pipe --iterations 2; done
	[ "$status" -eq 0 ]
	for format in text markdown json; do
		compare s.json --metric time --format $format
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		[ -n "$output" ]
	done
	cp s.json before.json
	virtual s9
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: --boot: more than 8 states" ]]
	cmp s.json before.json
}

@test "a series edited by hand is refused where it would count wrongly, or could not go on" {
	for state in old new; do virtual $state -w pipe --iterations 2; done
	mv s.json good.json
	jq '.boots[1].context["boot-id"] = .boots[0].context["boot-id"]' good.json > s.json
	compare s.json
	[ "$status" -eq 2 ]
	[ "$stderr" = "calib bench compare: error: 's.json': boots[1]: context: key 'boot-id': 'virtual-1' is that of boots[0]" ]
	jq '.workloads += .workloads' good.json > s.json
	compare s.json
	[ "$status" -eq 2 ]
	[ "$stderr" = "calib bench compare: error: 's.json': workloads[1]: it is the work of workloads[0]" ]
	jq '.workloads[0].iterations[-1].order = 2147483646' good.json > s.json
	cp s.json before.json
	virtual new --iterations 2
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: the last iteration's 'order' is 2147483646, and up to 2147483647 fit; begin another file" ]]
	cmp s.json before.json
	virtual new --iterations 1
	[ "$status" -eq 0 ]
	compare s.json
	[ "$status" -eq 0 ]
}

@test "iterations without energy are counted as iterations, not as boots" {
	for state in old new; do virtual $state -w pipe --iterations 4; done
	jq '.workloads[0].iterations[0]["energy-uj"] = {}' s.json > some.json
	compare some.json --metric energy
	[ "$status" -eq 0 ]
	[[ $output == *"energy of A: not known of 1 of 4 iterations"* ]]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib bench perf and energy: workloads run N times, here and on virtual boards.

bats_require_minimum_version 1.5.0

load fake

setup() {
	fake_setup
	small=messages:groups=1,senders=2,receivers=2,loops=10
}

bench() {
	run --separate-stderr timeout 60 "$CALIB" bench "$@"
}

@test "a table of each workload's times, and all iterations in the file" {
	bench perf -w "$small" -w pipe:loops=100 --iterations 3 -o r.json
	[ $status -eq 0 ]
	[[ $output == *"Workload   Metric "*"RSD %"* ]]
	[[ $output =~ messages\ +time,\ s\ +3\ +[0-9.]+ ]]
	[[ $output =~ messages\ +us\ per\ message\ +3\ +[0-9.]+ ]]
	[[ $output =~ pipe\ +us\ per\ round\ +3\ +[0-9.]+ ]]
	[ "$(jq -r '.workloads[] | "\(.workload) \(.iterations | length)"' r.json)" = "messages 3
pipe 3" ]
	# They take turns.
	[ "$(jq -c '[.workloads[].iterations[].order]' r.json)" = "[0,2,4,1,3,5]" ]
	[ "$(jq .interrupted r.json)" = false ]
	[ "$(jq -r '.workloads[0].parameters.senders' r.json)" = 2 ]
	[ "$(jq .context.warmup r.json)" = 1 ]
}

@test "any command, whose output is thrown away and whose failure is told" {
	bench perf --iterations 2 --warmup 0 -o r.json -- sh -c 'echo noise; sleep 0.01'
	[ $status -eq 0 ]
	[[ $output != *noise* ]]
	[[ $output =~ command\ +time,\ s\ +2\ +0\.0[0-9]+ ]]
	[ "$(jq -r '.workloads[0].parameters.command' r.json)" = "sh -c 'echo noise; sleep 0.01'" ]
	bench perf --iterations 5 --warmup 0 -o s.json -- \
		sh -c 'echo >> n; [ $(wc -l < n) -lt 3 ]'
	[ $status -eq 2 ]
	[[ $stderr == *"error: workload 'command': 'sh' ended with status 1; what it took is worth nothing then; the 2 iterations done before are in s.json" ]]
	[ "$(jq .interrupted s.json)" = true ]
	[ "$(jq '.workloads[0].iterations | length' s.json)" = 2 ]
	bench perf -- /nowhere/program
	[ $status -eq 2 ]
	[[ $stderr == *"error: workload 'command': cannot run '/nowhere/program': No such file or directory" ]]
}

@test "a description for rt-app is given to rt-app, whose failure is told" {
	mkdir bin
	printf '#!/bin/sh\ncat "$1" >> seen\ngrep -q good "$1"\n' > bin/rt-app
	chmod +x bin/rt-app
	PATH=$PWD/bin:$PATH
	echo good > good.json
	bench energy -w rt-app:file=good.json --iterations 2 --warmup 0
	[ $status -eq 0 ]
	[[ $output =~ rt-app\ +time,\ s\ +2 ]]
	[ "$(cat seen)" = "good
good" ]
	echo bad > bad.json
	bench energy -w rt-app:file=bad.json
	[ $status -eq 2 ]
	[[ $stderr == *"error: workload 'rt-app': 'rt-app' ended with status 1; "* ]]
	bench energy -w rt-app:file=none.json
	[ $status -eq 2 ]
	[[ $stderr == *"error: none.json: No such file or directory" ]]
}

@test "Ctrl-C ends all processes and keeps the iterations done so far" {
	for sig in INT TERM; do
		rm -f r.json left
		env --default-signal=INT "$CALIB" bench perf --iterations 1000 --warmup 0 -o r.json -- \
			sh -c '[ -e r.json ] || exit 0; echo $$ > left; sleep 60' > out 2> err 3>&- &
		pid=$!
		until_true test -s left
		kill -$sig $pid
		ended 2
		grep -q "error: interrupted; the 1 iteration done before is in r.json" err
		grep -q "^command  *time, s  *1 " out
		[ "$(jq .interrupted r.json)" = true ]
		[ "$(jq '.workloads[0].iterations | length' r.json)" = 1 ]
		! kill -0 "$(cat left)" 2> /dev/null
	done
}

@test "killed by SIGKILL, nothing it started runs on" {
	"$CALIB" bench perf --warmup 0 -- \
		sh -c 'setsid sleep 61 & echo $! > left; sleep 60' > out 2> err 3>&- &
	pid=$!
	until_true test -s left
	kill -KILL $pid
	ended 137
	for ((i = 0; i < 500; i++)); do
		kill -0 "$(cat left)" 2> /dev/null || break
		sleep 0.01
	done
	! kill -0 "$(cat left)" 2> /dev/null
}

@test "what cannot be run is refused before anything runs" {
	bench perf -w nothing
	[ $status -eq 2 ]
	[[ $stderr == *"error: workload 'nothing' is not one of messages, pipe, periodic, rt-app; a command goes behind '--'" ]]
	bench perf -w pipe -- true
	[ $status -eq 2 ]
	[[ $stderr == *"error: a command, --workload and --like do not go together; run one after the other" ]]
	bench perf --board virtual:odroid-xu3 -- true
	[ $status -eq 2 ]
	[[ $stderr == *"error: a virtual board runs no programs: 'command' is for real machines; take 'messages', 'pipe' or 'periodic'" ]]
	bench perf --board odroid-xu3
	[ $status -eq 2 ]
	[[ $stderr == *"error: --board is for virtual boards here: 'virtual:odroid-xu3'; this machine needs none" ]]
	bench energy --board virtual:odroid-xu3 --sensor ina231@0x40
	[ $status -eq 2 ]
	[[ $stderr == *"error: --sensor is for real machines; a virtual board has its own sensors, voltages and loads" ]]
	for option in seed=2 rsd=5% effect=5%; do
		bench perf --$option -- touch ran
		[ $status -eq 2 ]
		[[ $stderr == *"error: --${option%=*} is for virtual boards; add '--board virtual:NAME'" ]]
	done
	bench energy --board virtual:odroid-xu3 --governor fast
	[ $status -eq 2 ]
	[[ $stderr == *"error: governor 'fast' is not offered by a virtual board; there are performance powersave userspace schedutil ondemand" ]]
	bench energy --board virtual:odroid-xu3 --epp power
	[ $status -eq 2 ]
	[[ $stderr == *"error: this virtual board has no EPP to set; virtual:intel-hybrid has" ]]
	bench energy --board virtual:intel-hybrid --governor performance --epp power
	[ $status -eq 2 ]
	[[ $stderr == *"error: the governor performance takes no EPP 'power', as with intel_pstate; "* ]]
	bench energy --board virtual:intel-hybrid --governor powersave,policy=1
	[ $status -eq 2 ]
	[[ $stderr == *"error: there is no cpufreq policy1 here" ]]
	bench perf -o none/r.json -- touch ran
	[ $status -eq 2 ]
	[[ $stderr == *"error: cannot write 'none/r.json': "*"No such file or directory" ]]
	[ ! -e ran ]
	run --separate-stderr env PATH=/nowhere "$CALIB" bench energy -w rt-app:file=x.json
	[ $status -eq 2 ]
	[[ $stderr == *"error: no program 'rt-app' here; install it (Debian package 'rt-app'), or use the workload 'periodic'" ]]
}

@test "what cannot be rewritten is no output file" {
	mkfifo fifo
	for out in - fifo /dev/null; do
		bench perf -o $out -- touch ran
		[ $status -eq 2 ]
		[[ $stderr == *"error: '$out' is no regular file, and a result is written anew after each iteration; give a file, "* ]]
	done
	bench ab --a 'touch ran' --b 'touch ran too' -o -
	[ $status -eq 2 ]
	[[ $stderr == *"error: -o '-': the sides are kept in two files, NAME-a.json and NAME-b.json; give a NAME" ]]
	mkfifo ab-b.json
	bench ab --a 'touch ran' --b 'touch ran too' -o ab
	[ $status -eq 2 ]
	[[ $stderr == *"error: 'ab-b.json' is no regular file, "* ]]
	[ ! -e ran ]
	[ ! -e ab-a.json ]
	bench perf -o . -- touch ran
	[ $status -eq 2 ]
	[[ $stderr == *"error: "*"'.'"* ]]
}

@test "a disk that gets full keeps the iterations that it is told to" {
	run --separate-stderr bash -c "trap '' XFSZ; ulimit -f 8; exec \"\$@\"" - "$CALIB" bench perf \
		--board virtual:odroid-xu3 --iterations 200 -o r.json
	[ $status -eq 2 ]
	local kept
	kept=$(jq '[.workloads[].iterations | length] | add' r.json)
	[ "$kept" -gt 0 ]
	[[ $stderr == *"error: cannot write 'r.json' "*"; the $kept iterations done before are in r.json" ]]
}

@test "tasks that are late all the time are told of, once" {
	bench energy -w periodic:tasks=100,duty=100,duration-ms=17 --iterations 2 --warmup 0
	[ $status -eq 0 ]
	[[ $stderr == *"note: "*" of 100 wake-ups were late: this is more work than the CPUs here can do; take fewer tasks= or less duty=" ]]
	[ "$(grep -c 'wake-ups were late' <<< "$stderr")" -eq 1 ]
	bench energy --board virtual:odroid-xu3 --iterations 1 --warmup 0
	[[ $stderr != *"wake-ups were late"* ]]
}

@test "--like runs what a result was of, calibrated work included" {
	bench energy -w periodic:tasks=2,period-us=2000,duration-ms=4 --iterations 1 --warmup 0 -o a.json
	[ $status -eq 0 ]
	units=$(jq -r '.workloads[0].parameters.units' a.json)
	[ "$units" -gt 0 ]
	bench perf --like a.json --iterations 1 --warmup 0 -o b.json
	[ $status -eq 0 ]
	[ "$(jq -S '.workloads[0].parameters' a.json)" = "$(jq -S '.workloads[0].parameters' b.json)" ]
	bench perf --iterations 1 --warmup 0 -o c.json -- true
	bench perf --like c.json
	[ $status -eq 2 ]
	[[ $stderr == *"error: --like 'c.json': it is of a command; give the same command again: -- true" ]]
	bench perf --like nowhere.json
	[ $status -eq 2 ]
	[[ $stderr == *nowhere.json* ]]
	bench perf --like a.json -w pipe
	[ $status -eq 2 ]
	[[ $stderr == *"do not go together"* ]]
}

@test "a virtual board: marked so, in virtual time, the same again from its seed" {
	bench energy --board virtual:odroid-xu3 -o a.json
	[ $status -eq 0 ]
	[[ $output == "VIRTUAL board 'odroid-xu3', seed 1: virtual time, and no scheduler is modelled"* ]]
	[[ $output =~ periodic\ +time,\ s\ +10\ +10\ +0\.00 ]]
	[[ $output =~ periodic\ +ina231@0x40\ VDD_ARM,\ J\ +10\ +[0-9.]+ ]]
	[[ $output =~ periodic\ +energy,\ J\ +10\ +[0-9.]+ ]]
	first=$output
	bench energy --board virtual:odroid-xu3
	[ "$output" = "$first" ]
	bench energy --board virtual:odroid-xu3 --seed 2
	[ "$output" != "$first" ]
	[ "$(jq '[.context.virtual, .context.seed]' -c a.json)" = "[true,1]" ]
	[ "$(jq -r '.context.rails[] | "\(.name) \(.method)"' a.json)" = "ina231@0x40 VDD_ARM trapezoid
ina231@0x45 VDD_KFC trapezoid" ]
}

# mean FILE: of the times, in ns
mean() {
	jq '[.workloads[0].iterations[]["time-ns"]] | add / length | floor' "$1"
}

@test "a virtual board without meters: times only, and it says so" {
	bench energy --board virtual:odroid-xu4 --iterations 2 -o a.json
	[ $status -eq 0 ]
	[[ $stderr == *"note: this board has no power meter: only times are measured"* ]]
	[[ $output == *"periodic   time, s "* ]]
	[[ $output != *", J"* ]]
	[ "$(jq -c .context.rails a.json)" = "[]" ]
	[ "$(jq -r .context.cpus a.json)" = 0-7 ]
}

@test "on a virtual board the spread and the effect are those asked for" {
	bench perf --board virtual:odroid-xu3 -w messages --rsd 0.001% --iterations 2 -o a.json
	[[ $output =~ messages\ +time,\ s\ +2\ +[0-9.]+\ +0\.00 ]]
	bench perf --board virtual:odroid-xu3 -w messages --rsd 0.001% --effect 10% --iterations 2 -o b.json
	permille=$(($(mean b.json) * 1000 / $(mean a.json)))
	[ $permille -ge 899 ] && [ $permille -le 901 ]
	bench perf --board virtual:odroid-xu3 -w messages --rsd 5% --iterations 400 -o c.json
	[ "$(jq '[.workloads[0].iterations[]["time-ns"]] | (add / length) as $m |
		(map((. / $m - 1) * (. / $m - 1)) | add / (length - 1)) | sqrt * 1000 | round' c.json)" -ge 45 ]
	[ $(($(mean c.json) * 100 / $(mean a.json))) -ge 99 ]
}

@test "a setting of one policy is of that policy alone, and help tells how" {
	bench perf --help
	[[ $(tr -s '\n' ' ' <<< "$output") == *"--governor powersave,policy=4."* ]]
	bench perf --board virtual:odroid-xu3 -w pipe --iterations 2 --governor powersave,policy=4 --format json
	[ "$(jq -c '[.context.policies[] | .policy, .governor]' <<< "$output")" = '[0,"schedutil",4,"powersave"]' ]
	bench ab --board virtual:odroid-xu3 -w pipe --iterations 2 -o r \
		--a-governor powersave,policy=0,policy=4 --b-governor powersave,policy=4
	[ "$(jq -c '[.context.policies[].governor]' r-a.json r-b.json)" = '["powersave","powersave"]
["schedutil","powersave"]' ]
	run --separate-stderr "$CALIB" ramp --board virtual:odroid-xu3 --governors powersave,policy=4
	[ $status -eq 2 ]
}

@test "a spread or an effect that no work would be left of is refused" {
	for option in effect=100% effect=99.9% effect=0 effect=-5% effect=nan; do
		bench perf --board virtual:odroid-xu3 --$option
		[ $status -eq 2 ]
		[ -z "$output" ]
		[[ $stderr == *"error: --effect '${option#*=}' is not a percentage above 0, up to 99 (like 1%); see"* ]]
	done
	bench perf --board virtual:odroid-xu3 --effect 99% -w pipe --iterations 2 -o r.json
	[ "$(jq '.workloads[0].iterations[0]["time-ns"] > 1000' r.json)" = true ]
	for option in rsd=100% boot-rsd=31%; do
		bench energy --board virtual:odroid-xu3 --boot base -o s.json --$option
		[ $status -eq 2 ]
		[[ $stderr == *"error: --${option%=*} '${option#*=}' is not a percentage above 0, up to 30 (like 1%); see"* ]]
	done
	bench ab --board virtual:odroid-xu3 --a messages --b pipe --rsd 50%
	[ $status -eq 2 ]
	[[ $stderr == *"error: --rsd '50%' is not a percentage above 0, up to 30 (like 1%); see"* ]]
}

@test "governors of a virtual board: what is fast takes more power" {
	for g in powersave schedutil performance; do
		bench energy --board virtual:juno-r2 -w periodic:tasks=14 --governor $g --format json
		[ $status -eq 0 ]
		[ "$(jq -r '.context.policies[0].governor' <<< "$output")" = $g ]
		jq '[.workloads[0].iterations[] | (.["energy-uj"] | add) / .["time-ns"]] | add * 1e6 | floor' \
			<<< "$output" >> watts
	done
	sort -n watts | cmp - watts
	[ "$(sort -u watts | wc -l)" -eq 3 ]
}

@test "EPPs of a virtual hybrid: what saves takes less power, by policy too" {
	for o in power power,policy=0 performance; do
		bench energy --board virtual:intel-hybrid -w periodic:tasks=50 --epp $o --format json
		[ $status -eq 0 ]
		jq -c '[.context.policies[] | [.policy, .governor, .["energy-performance-preference"]]]' \
			<<< "$output" >> settings
		jq '[.workloads[0].iterations[] | (.["energy-uj"] | add) / .["time-ns"]] | add * 1e6 | floor' \
			<<< "$output" >> watts
	done
	[ "$(sed -n 2p settings)" = '[[4,"powersave","balance_performance"],[0,"powersave","power"]]' ]
	[ "$(sed -n 3p settings)" = '[[4,"powersave","performance"],[0,"powersave","performance"]]' ]
	sort -n watts | cmp - watts
	[ "$(sort -u watts | wc -l)" -eq 3 ]
	bench perf --board virtual:intel-hybrid -w pipe --governor userspace --iterations 2
	[ $status -eq 0 ]
	[[ "$output" == *"settings: all policies userspace"* ]]
}

@test "a counter that stands still is no energy, and not 0 W" {
	"$TOP/tests/fake/meters" root rapl
	bench perf --sysroot root -w pipe:loops=100 --iterations 2 -o r.json
	[ "$status" -eq 0 ]
	[[ $stderr == *"note: no energy is known: sensor rapl:package-0: its energy counter has not moved yet"* ]]
	[[ $output != *" J "* && $output != *" W "* ]]
	[ "$(jq -c '[.workloads[0].iterations[]["energy-uj"] | length]' r.json)" = "[0,0]" ]
}

@test "RAPL counters are subtracted, and the package is not counted twice" {
	"$TOP/tests/fake/meters" root rapl
	zone=root/sys/class/powercap/intel-rapl:0/energy_uj
	echo 1000000 > $zone
	bench perf --sysroot root --iterations 2 --warmup 0 -o r.json -- \
		sh -c "read -r e < $zone; echo \$((e + 250000)) > $zone"
	[ $status -eq 0 ]
	[[ $output =~ command\ +rapl:package-0,\ J\ +2\ +0\.25\ +0\.00\ +0\.25\ +0\.25 ]]
	[ "$(jq -c '.context.rails[0]' r.json)" = '{"name":"rapl:package-0","method":"counter","summed":true}' ]
	[ "$(jq -c '[.workloads[0].iterations[]["energy-uj"]["rapl:package-0"]]' r.json)" = "[250000,250000]" ]
}

@test "an iteration during which a meter fails has no energy, and it is said" {
	"$TOP/tests/fake/meters" root rapl
	zone=root/sys/class/powercap/intel-rapl:0/energy_uj
	echo 1000000 > $zone
	bench perf --sysroot root --iterations 3 --warmup 0 -o r.json -- \
		sh -c "echo >> n; if [ \$(wc -l < n) -eq 2 ]; then echo x > $zone; else echo 2000000 > $zone; fi"
	[ $status -eq 0 ]
	[[ $stderr == *"note: no energy is known: sensor rapl:package-0: energy_uj: reading fails: "* ]]
	# Of the third, too, nobody knows where it began.
	[[ $output =~ rapl:package-0,\ J\ +1\ +1\ +-\ +1\ +1 ]]
	[[ $output =~ command\ +time,\ s\ +3 ]]
}

@test "the governor is set for the runs and put back" {
	fake
	mkdir -p root/run
	cp "${policy}0/scaling_governor" before
	bench perf --sysroot root --governor conservative -w "$small" --iterations 2 -o r.json
	[ $status -eq 0 ] || { echo "$stderr"; false; }
	[[ $output == "settings: all policies conservative"* ]]
	[ "$(jq -r '.context.policies[0].governor' r.json)" = conservative ]
	cmp before "${policy}0/scaling_governor"
	bench perf --sysroot root --governor warp -w "$small"
	[ $status -eq 2 ]
	[[ $stderr == *"warp"* ]]
	cmp before "${policy}0/scaling_governor"
}

@test "Ctrl-C in the middle of runs puts the governor back" {
	fake
	mkdir -p root/run
	cp "${policy}0/scaling_governor" before
	env --default-signal=INT "$CALIB" bench perf --sysroot root --governor conservative \
		--warmup 0 -o r.json -- sh -c '[ -e r.json ] || exit 0; echo > runs; sleep 60' \
		> out 2> err 3>&- &
	pid=$!
	until_true test -e runs
	[ "$(cat "${policy}0/scaling_governor")" = conservative ]
	kill -INT $pid
	ended 2
	cmp before "${policy}0/scaling_governor"
	[ "$(jq '.workloads[0].iterations | length' r.json)" = 1 ]
}

@test "an external meter: its clock is found, and what comes late counts" {
	fake 0 1
	metered bench perf --sysroot "$root" --iterations 2 --warmup 0 -o r.json \
		--power-from "$bench_meter" -- sleep 1
	ended 0
	grep -q "note: the marker load shows by [0-9.]* mW in 'stream .*'; readings come up to [0-9.]* ms after they were taken" err
	# 100 mW, and the thread that samples at 200 MHz and 0.9 V: 50 mW. On a busy machine the window
	# is longer than the time.
	for mw in $(jq '.workloads[0].iterations[] | (.["energy-uj"] | add) * 1e6 / .["time-ns"] | floor' r.json); do
		[ "$mw" -ge 145 ] && [ "$mw" -le 300 ] || { echo "$mw"; false; }
	done
	[ "$(jq -r '.context.rails[0].method' r.json)" = trapezoid ]
	# Nothing of it runs on.
	! pgrep -f "bench-meter.*$root"
}

# cpu_ms COMMAND... - the least CPU time of three times, whole; a busy machine changes it little
cpu_ms() {
	local TIMEFORMAT='%U %S'
	for _ in 1 2 3; do
		{ time "$@" > /dev/null 2>&1; } 2>&1
	done | awk '{ print int(($1 + $2) * 1000) }' | sort -n | head -n 1
}

# same_work COMMAND... - does it do ours? Twice as much or half as much would be found.
same_work() {
	local ours theirs

	ours=$(cpu_ms "$CALIB" bench perf -w messages:groups=1 --iterations 1 --warmup 0)
	theirs=$(cpu_ms "$@")
	echo "ours $ours, $1 $theirs ms"
	[ "$ours" -gt 0 ]
	[ "$theirs" -gt 0 ]
	[ "$ours" -lt $((theirs * 2 + 50)) ]
	[ "$theirs" -lt $((ours * 2 + 50)) ]
}

@test "message passing does what perf bench does" {
	command -v perf > /dev/null || skip "no perf here"
	perf bench sched messaging -g 1 > /dev/null 2>&1 || skip "perf bench does not run here"
	same_work perf bench sched messaging -g 1 -l 1000
}

@test "message passing does what hackbench does" {
	command -v hackbench > /dev/null || skip "no hackbench here (Debian package 'rt-tests')"
	same_work hackbench -g 1 -l 1000
}

@test "a workload that is given twice is refused, one with other parameters is not" {
	bench perf --board virtual:odroid-xu3 -w pipe -w messages -w pipe:loops=100000
	[ $status -eq 2 ]
	[ -z "$output" ]
	[ "$stderr" = "calib bench perf: error: workload 'pipe' is given twice (loops=100000); --iterations runs it more often" ]
	bench perf --board virtual:odroid-xu3 -w pipe -w pipe:loops=5000 --iterations 2
	[ $status -eq 0 ]
}

@test "what is much shorter than a meter's reading has no energy, and a note says why" {
	bench perf --board virtual:odroid-xu3 -w pipe:loops=1000 --iterations 2 -o r.json
	[ $status -eq 0 ]
	[ "$(grep -c energ <<< "$stderr")" -eq 2 ]
	[[ $stderr == *"note: no energy is known: sensor ina231@0x40 VDD_ARM: 0.005 s is less than a tenth of what its readings are of (0.26 s); let each run last longer"* ]]
	[ "$(grep -cE 'energy, J|power, W' <<< "$output")" -eq 0 ]
	[ "$(jq -c '[.workloads[].iterations[]."energy-uj"] | unique' r.json)" = "[{}]" ]
	bench compare r.json r.json
	[ $status -eq 0 ]
	[[ $output != *energy* ]]
	bench perf --board virtual:odroid-xu3 -w pipe:loops=6000 --iterations 2
	[ "$(grep -cE 'energy, J|power, W' <<< "$output")" -eq 2 ]
}

@test "a command that wants the terminal fails, and does not stop for ever" {
	type script > /dev/null || skip "no script(1) here"
	run timeout 20 script -qec "\"$CALIB\" bench perf --iterations 1 --warmup 0 -- \
		sh -c 'cat < /dev/tty'" /dev/null < /dev/null
	[ $status -eq 2 ]
	[[ $output == *"error: workload 'command': 'sh' ended with status 1; "* ]]
}

@test "no process may be started for the workload: that is told" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	setpriv --reuid=54321 --regid=54321 --clear-groups "$CALIB" --version > out ||
		skip "another user cannot run it"
	# Us and who looks after it.
	run --separate-stderr setpriv --reuid=54321 --regid=54321 --clear-groups \
		bash -c 'ulimit -u 2; exec "$0" bench perf --iterations 1 -- true' "$CALIB"
	[ $status -eq 2 ]
	[[ $stderr == *"error: workload 'command': cannot start a process: "* ]]
}

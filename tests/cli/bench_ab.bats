#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib bench ab: two sides in turns, on a virtual board, here, and on a machine that plays one.

bats_require_minimum_version 1.5.0

load fake

setup() {
	fake_setup
}

ab() {
	run --separate-stderr timeout 60 "$CALIB" bench ab "$@"
}

# orders FILE... - "label: order order ..." of each
orders() {
	jq -r '"\(.workloads[0].iterations[0].label): \([.workloads[0].iterations[].order] | join(" "))"' "$@"
}

@test "on a virtual board a true effect is found, and marked VIRTUAL" {
	ab --board virtual:odroid-xu3 --a messages:loops=5000 --b messages:loops=4540 --rsd 1.37% -o r
	[ "$status" -eq 0 ]
	[[ $output == "VIRTUAL: "* ]]
	[[ $output == *"  order: the sides took turns"* ]]
	grep -qE '^time +-(9|10)\.[0-9]+ % \.\. -(7|8)\.[0-9]+ % +<0\.0001 +<0\.0001 .* lower$' <<< "$output"
	grep -qE '^energy +-(9|10|11)\.[0-9]+ % \.\. -(7|8)\.[0-9]+ % +<0\.0001 +<0\.0001 .* lower$' <<< "$output"
	[ "$(orders r-a.json r-b.json)" = "A: 0 3 4 7 8 11 12 15 16 19
B: 1 2 5 6 9 10 13 14 17 18" ]
	first=$output
	run --separate-stderr "$CALIB" bench compare r-a.json r-b.json
	[ "$status" -eq 0 ]
	[ "$output" = "$first" ]
}

@test "the README's table is what comes out" {
	# shellcheck disable=SC2046
	ab $(sed -n '/calib bench ab --board/,/loops=4540/p' "$TOP/README.md" | tr -d '\\' |
		sed 's/calib bench ab//')
	[ "$status" -eq 0 ]
	for row in '^metric' '^time ' '^energy ' '^difference'; do
		while IFS= read -r line; do
			grep -qxF "    $line" "$TOP/README.md" || { echo "$line"; false; }
		done < <(grep "$row" <<< "$output")
	done
}

@test "the same work on both sides shows no difference" {
	ab --board virtual:odroid-xu3 --a messages:loops=5000 --b messages:loops=5000
	[ "$status" -eq 0 ]
	grep -qE '^time .* no difference shown$' <<< "$output"
	grep -qE '^energy .* no difference shown$' <<< "$output"
	[[ $output != *coarse* ]]
	ab --board virtual:odroid-xu3 --a messages:loops=100 --b messages:loops=100
	[ "$status" -eq 0 ]
	[[ $output == *"energy of A: iterations of 0.22 s, a reading of 'ina231@0x40 VDD_ARM' each 0.26 s: coarse, "* ]]
	[[ $output == *"energy of B: iterations of 0.2"?" s, a reading of 'ina231@0x40 VDD_ARM' each 0.26 s: coarse, "* ]]
	[ "$(grep -c coarse <<< "$output")" -eq 2 ]
}

@test "a random order has pairs too, and is the same again from its seed" {
	for o in r s; do
		ab --board virtual:juno-r2 --a pipe --b messages --order random --seed 5 -o $o
		[ "$status" -eq 0 ]
	done
	cmp <(orders r-a.json r-b.json) <(orders s-a.json s-b.json)
	[ "$(orders r-a.json)" != "A: 0 3 4 7 8 11 12 15 16 19" ]
	[ "$(jq -s '[.[].workloads[0].iterations[].order] | sort == [range(20)]' r-a.json r-b.json)" = true ]
	[[ $output == *"by the 10 pairs of turns"* ]]
	ab --board virtual:juno-r2 --a pipe --b messages --order random --seed 6 -o t
	[ "$(orders r-a.json)" != "$(orders t-a.json)" ]
}

@test "one workload under two governors" {
	ab --board virtual:odroid-xu3 --a-governor performance --b-governor powersave -w periodic -o r
	[ "$status" -eq 0 ]
	[[ $output == *"governor: A performance, B powersave"* ]]
	grep -qE '^energy .* lower$' <<< "$output"
	[[ $output != *$'\n'time* ]]
	[ "$(jq -r '.context.policies[0].governor' r-a.json r-b.json)" = "performance
powersave" ]
	[ "$(jq -r '.workloads[0].workload' r-a.json)" = periodic ]
}

@test "two commands are run for real, in turns" {
	ab --a "sh -c 'echo a >> log'" --b "sh -c 'echo b >> log; :'" --iterations 3 \
		--format markdown -o r
	[ "$status" -eq 0 ]
	# with the warm-up
	[ "$(tr -d '\n' < log)" = ababbaab ]
	[[ $output == *"* a: sh -c 'echo a >> log'"* ]]
	[[ $output == *"* b: sh -c 'echo b >> log; :'"* ]]
	grep -qE '^\| time +\| +[0-9.]+ [mu]?s \| +[0-9.]+ % \| +[0-9.]+ [mu]?s \| +[0-9.]+ % \| +[-+][0-9.]+ % \|$' <<< "$output"
	[[ $output != *VIRTUAL* ]]
	[ "$(jq -r .interrupted r-a.json r-b.json)" = "false
false" ]
}

@test "sides that are calibrated each by itself are warned of" {
	small=periodic:tasks=1,period-us=5000,duration-ms=20
	ab --a $small --b $small,duty=20 --iterations 1 --warmup 0
	[ "$status" -eq 0 ]
	[[ $stderr == *"warning: how much work fills the time was found for each side by itself, "*"give both their units="* ]]
	ab --a $small,units=5 --b $small,units=6 --iterations 1 --warmup 0
	[ "$status" -eq 0 ]
	[[ $stderr != *warning* ]]
}

@test "what cannot be run is refused before anything runs" {
	ab --a true
	[ "$status" -eq 2 ]
	[ "$stderr" = "calib bench ab: error: --b is missing: each side runs something of its own, or both the same (--workload) under settings of their own" ]
	ab
	[ "$status" -eq 2 ]
	[[ $stderr == "calib bench ab: error: both sides are the same: give --a and --b, or "* ]]
	ab --a-governor schedutil --b-governor schedutil
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: both sides are the same"* ]]
	ab --a true --b true -w pipe
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: what is run is told twice: "* ]]
	ab --a "sh -c '" --b true
	[ "$status" -eq 2 ]
	[[ $stderr == "calib bench ab: error: --a: "* ]]
	ab --a messages:groups=x --b pipe --board virtual:odroid-xu3
	[ "$status" -eq 2 ]
	[[ $stderr == "calib bench ab: error: --a: "*groups* ]]
	ab --a true --b pipe --board virtual:odroid-xu3
	[ "$status" -eq 2 ]
	[[ $stderr == *"a virtual board runs no programs: 'command'"* ]]
	ab --a pipe --b pipe --board odroid-xu3
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: --board is for virtual boards here: 'virtual:odroid-xu3'; this machine needs none" ]]
	for option in seed=2 rsd=5%; do
		ab --a 'touch ran' --b 'touch ran too' --$option
		[ "$status" -eq 2 ]
		[[ $stderr == *"error: --${option%=*} is for virtual boards; add '--board virtual:NAME'" ]]
	done
	ab --a true --b 'true x' --seed 2 --order random --iterations 1 --warmup 0
	[ "$status" -eq 0 ]
	ab --a pipe --b pipe --board virtual:odroid-xu3 --sysroot root
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: --sysroot is for real machines; "* ]]
	ab --a pipe --b pipe --board virtual:odroid-xu3 --metric energy:ina231@0x40 \
		--metric time --metric 'energy:ina231@0x40 VDD_ARM'
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: --metric: 'energy:ina231@0x40 VDD_ARM' is given twice" ]]
	ab --a pipe --b pipe --board virtual:odroid-xu3 --metric energy:x
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: --metric: there is no 'energy:x': a metric is "*"the rails are 'ina231@0x40 VDD_ARM', "* ]]
	ab --a 'touch ran' --b 'touch ran too' -o none/r
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: cannot write 'none/r-a.json': "*"No such file or directory" ]]
	[ ! -e ran ]
	ab --a-governor warp --board virtual:odroid-xu3
	[ "$status" -eq 2 ]
	[[ $stderr == *"governor 'warp' is not offered by a virtual board; "* ]]
	[ ! -e r-a.json ]
	ab --a-epp power --b-epp performance --board virtual:odroid-xu3
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: this virtual board has no EPP to set; virtual:intel-hybrid has" ]]
}

@test "EPPs of a virtual hybrid are compared" {
	ab --board virtual:intel-hybrid --a-epp performance --b-epp power -w periodic -o r
	[ "$status" -eq 0 ]
	[ "$(jq -r '.context.policies[0]["energy-performance-preference"]' r-a.json r-b.json | paste -sd' ')" = "performance power" ]
	[[ "$output" == *VIRTUAL* && "$output" == *"energy/performance preference: A performance, B power"* ]]
}

@test "a disk that gets full keeps the iterations that it is told to" {
	# Nine sizes, so that it is full at either side's turn.
	for blocks in {4..12}; do
		run --separate-stderr bash -c "trap '' XFSZ; ulimit -f $blocks; exec \"\$@\"" - "$CALIB" bench ab \
			--board virtual:odroid-xu3 --a messages --b pipe --iterations 100 -o r
		[ $status -eq 2 ]
		[[ $stderr == *"error: cannot write 'r-"[ab]".json' "*"; what was done before is in r-a.json and r-b.json, "* ]]
		for side in a b; do
			kept=$(jq '.workloads[0].iterations | length' r-$side.json)
			[ "$kept" -gt 0 ]
			grep -q "^  ${side^}: r-$side.json, $kept iterations* " <<< "$output" || { echo "$output"; false; }
		done
	done
}

@test "on a machine that plays an Odroid-XU3 governors alternate and are put back" {
	fake
	settings > before
	ab --sysroot "$root" --a-governor conservative --b-governor schedutil --iterations 2 --warmup 0 -o r \
		-- sh -c "cat ${policy}0/scaling_governor >> log"
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	[ "$(cat log)" = "conservative
schedutil
schedutil
conservative" ]
	[[ $output == *"governor: A conservative, B schedutil"* ]]
	settings | diff before -
	[ ! -e "$root/run/calib/state.json" ]
}

@test "interrupted, settings are put back and what was done is kept and compared" {
	fake
	settings > before
	"$CALIB" bench ab --sysroot "$root" --a-governor conservative --b-governor schedutil \
		--iterations 1000 --warmup 0 -o r \
		-- sh -c 'echo >> n; [ "$(wc -l < n)" -lt 5 ] || { echo $$ > left; sleep 60; }' > out 2> err 3>&- &
	pid=$!
	until_true test -s left
	kill -TERM $pid
	ended 2
	grep -qxF "calib bench ab: error: interrupted; what was done before is in r-a.json and r-b.json, for 'calib bench compare'" err
	grep -qE '^time .* [0-9.]+ ' out
	[ "$(jq -r '"\(.interrupted) \(.workloads[0].iterations | length)"' r-a.json r-b.json)" = "true 2
true 2" ]
	run "$CALIB" bench compare r-a.json r-b.json
	[ "$status" -eq 0 ]
	[[ $output == *"INTERRUPTED"* ]]
	run ! kill -0 "$(cat left)"
	settings | diff before -
	[ ! -e "$root/run/calib/state.json" ]
}

@test "a folder is no name for two files" {
	mkdir dir
	for name in "" . .. dir/ dir/..; do
		ab --board virtual:odroid-xu3 --a pipe --b messages --iterations 2 -o "$name"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$stderr" = "calib bench ab: error: -o '$name' is no NAME, but that of a folder; the sides are kept in NAME-a.json and NAME-b.json" ]
	done
	[ -z "$(find . -name '*.json')" ]
	ab --board virtual:odroid-xu3 --a pipe --b messages --iterations 2 -o dir/r
	[ "$status" -eq 0 ]
	[ -e dir/r-a.json ] && [ -e dir/r-b.json ]
}

@test "interrupted in the first turn of the second side, it is told where the first one is" {
	"$CALIB" bench ab --a true --b "sh -c 'echo \$\$ > left; sleep 60'" --warmup 0 -o r \
		> out 2> err 3>&- &
	pid=$!
	until_true test -s left
	kill -TERM $pid
	ended 2
	grep -qxF "calib bench ab: error: interrupted; what was done before is in r-a.json, of one side only" err
	[ "$(jq '.workloads[0].iterations | length' r-a.json)" = 1 ]
}

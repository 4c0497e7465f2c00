#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Which cluster the kernel will choose, against which one takes less: on little CPUs whose
# static and shared power is more than they switch, methods that divide by f V^2 have
# EAS avoid them. Ours does not.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	"$CALIB" measure --board virtual:sm8250-like --cluster a55 --cluster a77 -d run 2> /dev/null
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	ln -s "$BATS_FILE_TMPDIR/run" run
}

# pair METHOD: coefficients of little and big
pair() {
	"$CALIB" fit -d run --method "$1" -o "$1.json" 2> /dev/null
	sed -n 's/.*"dynamic-power-coefficient": \([0-9]*\).*/\1/p' "$1.json" | tr '\n' ' '
}

# order FILE: what 'calib check' finds of the order, one line per finding
order() {
	"$CALIB" check --json "$1" > check.json || [ $? -eq 1 ]
	grep -A 3 '"severity": "finding"' check.json | grep -A 2 '"check": "order"' |
		sed -n 's/ *"text": "\(.*\)"/\1/p'
}

@test "the peers' methods have EAS avoid little CPUs that take less; ours does not" {
	for m in freqbench through-origin delta; do
		read -r little big <<< "$(pair $m)"
		# At least twice what a little CPU switches: 45.
		[ "$little" -ge 90 ] || { echo "$m: $little $big"; false; }
		order $m.json > found
		grep -q "a55 at [0-9]* MHz costs [0-9.]* mW by measurement, the kernel will think [0-9.]* mW and choose a77 at [0-9]* MHz for [0-9.]* mW, which costs [0-9.]* mW" found ||
			{ echo "$m"; cat found; false; }
		[ "$(grep -vc "^at capacity [0-9]* of 1024: a55 at " found)" -eq 0 ]
	done
	read -r little big <<< "$(pair auto)"
	[ "$little" -eq 45 ]
	[ "$big" -ge 279 ] && [ "$big" -le 281 ]
	order auto.json > found
	[ ! -s found ] || { cat found; false; }
	# freqbench's is the worst of them: half the little CPUs' points and more.
	[ "$(order freqbench.json | wc -l)" -ge 9 ]
	read -r little big <<< "$(pair freqbench)"
	[ "$little" -ge 195 ] && [ "$little" -le 215 ]
}

@test "the README's table and finding are what comes out" {
	while read -r m name; do
		row="$name | $(pair "$m" | sed 's/ $//; s/ / | /') | $(order "$m.json" | wc -l) |"
		grep -qF "| $row" "$TOP/README.md" || { echo "$row"; false; }
	done <<-'END'
		freqbench `freqbench` (mean of ratios)
		through-origin `through-origin`
		delta `delta`
		auto `auto` (here `structured`)
	END
	"$CALIB" check freqbench.json > text || [ $? -eq 1 ]
	grep -A 1 -m 1 "finding: order" text | sed 's/^/    /' > said
	grep -qxF -f <(head -n 1 said) "$TOP/README.md"
	grep -qxF -f <(tail -n 1 said) "$TOP/README.md"
}

@test "the wrong order is in coeffs.json's checks, and costs check its exit status" {
	"$CALIB" fit -d run --method freqbench -o wrong.json 2> /dev/null
	grep -A 2 '"name": "order"' wrong.json | grep -q '"ok": false'
	grep -A 2 '"name": "order"' wrong.json |
		grep -q '"text": "at capacity .* mW; and [0-9]* more"'
	run "$CALIB" check --ignore monotonic wrong.json
	[ "$status" -eq 1 ]
	[[ $output =~ "finding: order: at capacity "[0-9]+" of 1024: a55 at " ]]
	[[ $output =~ verdict:\ no.*order\ [0-9]+ ]]
	run "$CALIB" check --ignore monotonic --ignore order --ignore cost --ignore ratio wrong.json
	[ "$status" -eq 0 ]
	"$CALIB" fit -d run -o right.json 2> /dev/null
	grep -A 1 '"name": "order"' right.json | grep -q '"ok": true'
	run "$CALIB" check --ignore monotonic right.json
	[ "$status" -eq 0 ]
	# Of one cluster there is nothing to compare.
	"$CALIB" fit -d run --cluster a55 -o one.json 2> /dev/null
	[ "$(grep -c '"name": "order"' one.json)" -eq 0 ]
}

@test "coefficients that mainline corrected by hand: the corrected one is in order" {
	# The same powers with 205/379 and with 105/379 in place of what was fitted.
	"$CALIB" fit -d run -o fit.json 2> /dev/null
	swap() {
		awk -v l="$1" -v b="$2" '/"dynamic-power-coefficient"/ { n++
			sub(/: [0-9]*/, ": " (n == 1 ? l : b)) } 1' fit.json > "swap-$1.json"
		order "swap-$1.json" | wc -l
	}
	[ "$(swap 205 379)" -ge 9 ]
	[ "$(swap 105 379)" -le 2 ]
}

@test "published powers of one CPU count say that shared power is in them" {
	[ -d "$SHARED/data/freqbench/sm8250-k30s" ] || skip "no published results here"
	"$CALIB" import freqbench "$SHARED/data/freqbench/sm8250-k30s" -d pub 2> /dev/null
	"$CALIB" fit -d pub --method freqbench -o fit.json 2> /dev/null
	# Capacities as mainline has them, where the results do not tell.
	grep -v '"capacity-' fit.json | awk '{ print }
		/"dynamic-power-coefficient"/ { print "\"capacity-dmips-mhz\": " (n++ ? 1024 : 448) "," }' > pub.json
	order pub.json > found
	[ "$(grep -c "cpu1 at [0-9]* MHz costs [0-9.]* mW by measurement (its shared power included), the kernel will think [0-9.]* mW and choose cpu4 at " found)" -ge 10 ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Published freqbench results: --compare reproduces what others computed from them.

bats_require_minimum_version 1.5.0

setup() {
	[ -d "$SHARED/data/freqbench" ] || skip "no published results here ($SHARED/data)"
	cd "$BATS_TEST_TMPDIR"
}

# cell SET CPU METHOD COLUMN: from the table of --compare, rows "all"
cell() {
	awk -v cpu="cpu$2" -v m="$3" -v col="$4" '
		NF == 1 && /^cpu[0-9]+$/ { here = $1 == cpu }
		here && $1 == m && $2 == "all" { print $col }' "$1.txt"
}

# same SET CPU WHAT EXPECTED GOT: equal when GOT is rounded to EXPECTED's digits
same() {
	awk -v e="$4" -v g="$5" 'BEGIN {
		digits = index(e, ".") ? length(e) - index(e, ".") : 0
		tolerance = 0.5 * 10 ^ -digits + 1e-9
		# GOT is rounded itself, to one decimal or four.
		if (index(g, ".")) tolerance += 0.5 * 10 ^ -(length(g) - index(g, "."))
		exit !(g != "" && g - e <= tolerance && e - g <= tolerance) }' ||
		{ echo "$1 cpu$2 $3: expected $4, got '$5'"; return 1; }
}

@test "every published set: all methods give the figures of expected.csv" {
	bad=0 n=0
	for set in "$SHARED"/data/freqbench/*/; do
		set=$(basename "$set")
		"$CALIB" import freqbench "$SHARED/data/freqbench/$set" -d "$set" 2>/dev/null
		run "$CALIB" fit -d "$set" --compare -o "$set.json"
		# 2: a set whose every row is flagged has no coefficient to ship, but a table.
		[ "$status" -le 2 ] || { echo "$output"; false; }
		printf '%s\n' "$output" > "$set.txt"
	done
	while IFS=, read -r set cpu opps mean median origin slope se intercept r2 idle delta; do
		[ "$set" = set ] && continue
		same "$set" "$cpu" opps "$opps" "$(cell "$set" "$cpu" through-origin 5)" || bad=1
		same "$set" "$cpu" mean "$mean" "$(cell "$set" "$cpu" mean-of-ratios 3)" || bad=1
		same "$set" "$cpu" median "$median" "$(cell "$set" "$cpu" median-of-ratios 3)" || bad=1
		same "$set" "$cpu" origin "$origin" "$(cell "$set" "$cpu" through-origin 3)" || bad=1
		same "$set" "$cpu" slope "$slope" "$(cell "$set" "$cpu" intercept 3)" || bad=1
		same "$set" "$cpu" se "$se" "$(cell "$set" "$cpu" intercept 4)" || bad=1
		same "$set" "$cpu" static "$intercept" "$(cell "$set" "$cpu" intercept 6)" || bad=1
		same "$set" "$cpu" r2 "$r2" "$(cell "$set" "$cpu" intercept 7)" || bad=1
		same "$set" "$cpu" idle "$idle" "$(cell "$set" "$cpu" idle-subtracted 3)" || bad=1
		same "$set" "$cpu" delta "$delta" "$(cell "$set" "$cpu" delta 3)" || bad=1
		n=$((n + 1))
	done < "$SHARED/data/freqbench/expected.csv"
	[ "$n" -ge 7 ]
	[ "$bad" -eq 0 ]
}

@test "published readings: fit --raw takes stale rows back, and tells what a slow gauge repeats" {
	"$CALIB" import freqbench "$SHARED/data/freqbench/sm8250-k30s" -d k30s 2> /dev/null
	"$CALIB" fit -d k30s -o plain.json 2> plain
	"$CALIB" fit -d k30s --raw -o raw.json 2> raw
	grep -q "left out: 3 stale" plain
	run ! grep -q "stale" raw
	grep -Eq "^  raw     [0-9]+ readings of 40 windows, [0-9]+ spikes; [0-9]+ used, worth [0-9]+;" raw
	"$CALIB" import freqbench "$SHARED/data/freqbench/exynos5250-main" -d exynos 2> /dev/null
	"$CALIB" fit -d exynos --raw -o raw.json 2> raw
	# Two thirds of its readings say what the one before did.
	awk '/^  raw / { for (i = 2; i < NF; i++) if ($(i + 1) == "repeats,") repeats = $i
		exit !(repeats > 0.5 * $2 && repeats < 0.7 * $2) }' raw
}

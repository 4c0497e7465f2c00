#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib fit on rows that nobody should measure: a right answer, or a refusal in one line;
# never a NaN or an infinity in what it writes.

bats_require_minimum_version 1.5.0

load fit

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# Not a number, or none: as a word of its own, for 'inf' is in many.
none='(^|[^a-z])-?(nan|inf|infinity)([^a-z]|$)'

# clean FILE...: none of these
clean() {
	! grep -HnEi "$none" "$@"
}

# fit CSV ARG...: 0 with a coefficient, 1 or 2 without a file; clean in any case
fit() {
	rm -f out.json
	run --separate-stderr "$CALIB" fit --compare --explain -o out.json "$@"
	[ "$status" -le 2 ] || { echo "$1: status $status"; false; }
	grep -v "left out: .* '-\{0,1\}\(nan\|inf\|Inf\|NaN\)'" <<< "$stderr" > said || true
	echo "$output" > table
	clean table said || { echo "$1"; cat "$1"; false; }
	if [ "$status" -eq 0 ]; then
		sed '/"left out: /d; /"command": /d; /"path": /d' out.json > plain.json
		clean plain.json || { cat "$1"; false; }
		"$CALIB" check out.json > checked || [ $? -eq 1 ]
		clean checked
		[ "$(sed -n 's/.*"dynamic-power-coefficient": \([0-9]*\).*/\1/p' out.json | head -n 1)" -gt 0 ]
	else
		[ ! -e out.json ]
		[ "$status" -eq 2 ] || [[ $stderr == *"fit too poor, nothing written: "* ]]
		[[ $stderr == *"calib fit: "* ]]
	fi
}

rows() {
	echo "freq_khz,voltage_uv,power_uw"
	printf '%s\n' "$@"
}

@test "forty files made at random: numbers or a refusal, never NaN" {
	for seed in $(seq 40); do
		awk -v seed="$seed" 'function pick(n) { return int(rand() * n) }
		function power(kind) {
			if (kind == 0) return int((200 * n + 50) * f / 1000 * v * v + 30000)
			if (kind == 1) return 0
			if (kind == 2) return 123456
			if (kind == 3) return -pick(500000)
			if (kind == 4) return pick(2)
			if (kind == 5) return pick(2) ? 4294967295 : -4294967295
			if (kind == 6) return pick(2000000) - 1000000
			return power(pick(7))
		}
		BEGIN {
			srand(seed); OFS = ","
			split("200000 200001 1000000 2000000 20000000", khz, " ")
			split("200000 900000 900001 1250000 5000000", uv, " ")
			opps = 1 + pick(5); volts = 1 + pick(5); counts = 1 + pick(4); idle = pick(2)
			kind = pick(8); temp = pick(3); len = pick(4) ? 1 + pick(40) : 1 + pick(3)
			print "ncpus", "freq_khz", "voltage_uv", "power_uw", "temp_c", "util_pct", "baseline_uw"
			for (i = 0; i < len; i++) {
				f = khz[1 + pick(opps)]; u = uv[1 + pick(volts)]; v = u / 1e6
				n = idle ? pick(counts + 1) : 1 + pick(counts)
				util = pick(8) ? 100 * n : pick(5000) / 10
				t = temp == 0 ? 40 : temp == 1 ? 30 + pick(60) : pick(2) ? 1000 : -1000
				line = n OFS f OFS u OFS power(kind) OFS t OFS util OFS (pick(12) ? 0 : pick(100000))
				print line
				if (!pick(6)) print line
			}
		}' > "$seed.csv"
		fit "$seed.csv"
	done
}

@test "powers of zero, all alike, or below zero make no coefficient" {
	rows 600000,800000,0 900000,900000,0 1300000,1000000,0 > zero.csv
	rows 600000,800000,5000 900000,900000,5000 1300000,1000000,5000 > alike.csv
	rows 600000,800000,-100 900000,900000,-200 1300000,1000000,-300 > below.csv
	for f in zero alike below; do
		fit $f.csv
		[ "$status" -eq 1 ] || { cat said; false; }
		[[ $stderr == *"fit too poor, nothing written: "* ]]
		for m in mean-of-ratios through-origin; do
			[ $f = alike ] || {
				run --separate-stderr "$CALIB" fit --method $m $f.csv
				[ "$status" -eq 1 ] && [ -z "$output" ]
			}
		done
	done
}

@test "one voltage and one clock, in whatever number of rows, are one operating point" {
	rows 600000,800000,5000 600000,800000,5000 > two.csv
	rows 600000,800000,5000 > one.csv
	for f in one two; do
		refused "cannot separate static and dynamic power from one operating point (rank 1 of 2)" $f.csv
	done
	fit one.csv --method through-origin
	[[ $stderr == *"no error can be stated"* ]]
	grep -vq '"ci95"' out.json
}

@test "two rows give a line without an interval; the same rows twice are no more" {
	rows 600000,1000000,150000 1200000,1000000,270000 > two.csv
	fit two.csv
	[ "$status" -eq 0 ]
	[[ $stderr == *"C = 200.00 uW/MHz/V^2 (no interval)"* ]]
	[ "$(grep -c '"ci95"\|"stderr"' out.json)" -eq 0 ]
	{ cat two.csv; tail -n 2 two.csv; tail -n 2 two.csv; } > six.csv
	fit six.csv
	[ "$status" -eq 0 ]
	grep -q '"dynamic-power-coefficient": 200' out.json
}

@test "one count of CPUs, or idle alone, is said" {
	printf 'ncpus,freq_khz,voltage_uv,power_uw\n0,600000,800000,1000\n0,900000,900000,1500\n' > idle.csv
	refused "only idle rows, none with a busy CPU; measure with a load" idle.csv
	printf 'ncpus,freq_khz,voltage_uv,power_uw\n4,600000,800000,401000\n4,900000,900000,701500\n4,1300000,1000000,1250000\n' > four.csv
	fit four.csv
	[ "$status" -eq 0 ]
	[[ $stderr == *"one CPU count (4) and no idle rows"* ]]
}

@test "magnitudes beyond a CPU's are refused by line, in any unit" {
	for p in 1e300 -1e300 1e10 9999999999999999999999; do
		rows 600000,800000,$p 900000,900000,5 > big.csv
		run --separate-stderr "$CALIB" fit big.csv
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[[ ${stderr_lines[0]} == *"big.csv:2: power_uw '$p'"* ]] || { echo "$stderr"; false; }
	done
	# Nothing is nothing, however it is written.
	rows 600000,800000,1e-300 900000,900000,0.0 1300000,1000000,4e-324 > small.csv
	fit small.csv
	[ "$status" -ge 1 ]
	rows 1e300,800000,1 > clock.csv
	refused "clock.csv:2: freq_khz '1e300'" clock.csv
	rows 600000,1e-300,1 > volt.csv
	run --separate-stderr "$CALIB" fit volt.csv
	[ "$status" -eq 2 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "what no CPU takes is not written, for nothing could read it again" {
	echo "ncpus,freq_khz,voltage_uv,power_uw,util_pct" > util.csv
	for f in 18000000 19000000 20000000; do
		printf '0,%s,5000000,0,0\n1,%s,5000000,%s,0.001\n' $f $f $((f * 200)) >> util.csv
	done
	fit util.csv
	[ "$status" -eq 1 ]
	[[ $stderr == *"nothing written: one CPU of a megawatt and more: wrong units, or util_pct near 0?"* ]]
	rows 1000,200000,1000000 2000,200000,1000000000 3000,200000,2999000000 4000,200000,4099000000 > slow.csv
	fit slow.csv
	[ "$status" -eq 1 ]
	[[ $stderr == *"nothing written: the coefficient does not fit 32 bits: wrong units?"* ]]
}

@test "rows of no number are left out by line, and all of them are no rows" {
	rows 600000,800000,nan 900000,900000,Inf 1300000,1000000,-inf > none.csv
	refused "no usable row; 3 left out, the first is none.csv:2: power_uw 'nan'" none.csv
	rows 600000,800000,150000 nan,900000,230000 1200000,1000000,330000 > clock.csv
	refused "clock.csv:3: freq_khz 'nan' is not a decimal number" clock.csv
}

@test "cases: coeffs.json that is no JSON, and one with null" {
	d="$SHARED/cases/d11-hostile-csv"
	[ -d "$d" ] || skip "no $d"
	cp "$B/boards/odroid-xu3.dtb" board.dtb
	for f in nan null; do
		run --separate-stderr "$FDTEDIT" apply board.dtb "$d/coeffs_$f.json"
		[ "$status" -eq 2 ]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == *"coeffs_$f.json"* ]]
		cmp board.dtb "$B/boards/odroid-xu3.dtb"
		run --separate-stderr "$CALIB" check "$d/coeffs_$f.json"
		[ "$status" -eq 2 ]
	done
}

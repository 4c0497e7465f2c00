#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Single readings: calib measure --raw keeps them, calib fit --raw makes rows anew of them.

bats_require_minimum_version 1.5.0

load fake

setup() {
	fake_setup
}

# virtual RUN ARG... - a virtual run
virtual() {
	run=$1
	shift
	"$CALIB" measure --board virtual:tc2 -d "$run" "$@" 2> measure.err ||
		{ cat measure.err; false; }
}

# fit ARG... - into out.json and $stderr; exit 0
fit() {
	run --separate-stderr "$CALIB" fit -o out.json "$@"
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
}

# refused TEXT ARG... - one line with TEXT on stderr, exit 2, nothing on stdout
refused() {
	want=$1
	shift
	run --separate-stderr "$CALIB" "$@"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"$want"* ]] || { echo "$stderr"; false; }
}

# rows_and_readings_agree RUN - each row is the mean of as many readings as it says
rows_and_readings_agree() {
	awk -F, 'FILENAME ~ /raw/ { if (FNR > 1) { n[$2, $3]++; sum[$2, $3] += $4; all++ }; next }
		FNR > 1 {
			d = sum[$2, $1] / n[$2, $1] - $9
			if (n[$2, $1] != $11 || d > 0.51 || d < -0.51) { print "row " FNR; bad = 1 }
			rows += $11
		}
		END { exit bad || !rows || rows != all }' "$1/raw.csv" "$1/samples.csv"
}

# estimate FILE - C and the ends of its interval, of the first cluster
estimate() {
	python3 - "$1" <<- 'END'
		import json, sys
		c = json.load(open(sys.argv[1]))["clusters"][0]
		low, high = c["ci95"]
		print((low + high) / 2, low, high)
	END
}

@test "measure --raw keeps every reading, and its rows are what they are without" {
	virtual with --raw
	virtual without
	cmp with/samples.csv without/samples.csv
	[ ! -e without/raw.csv ]
	[ "$(head -n 1 with/raw.csv)" = time_ns,cluster,window_ns,power_uw,volt_uv,temp_mc ]
	rows_and_readings_agree with
}

@test "measure --raw on a machine: hwmon's readings, temperature with them" {
	needs_namespace
	needs_two_cpus
	fake 0 1
	begin --cluster a15 --opps 200,2000 --cpus 0,1 --raw -d run
	wait $pid
	rows_and_readings_agree run
	awk -F, 'NR > 1 && ($2 != "a15" || $1 <= $3 || $5 < 900000 || $6 != 49000) { exit 1 }' run/raw.csv
	fit --raw -d run --cluster a15
	[[ $stderr == *"  raw     "*" readings of 4 windows"* ]]
}

@test "a second measurement adds to raw.csv; half a line of a power cut is cut off" {
	virtual run --raw --cluster a15 --opps 600
	good=$(wc -l < run/raw.csv)
	printf '123,a15,12' >> run/raw.csv
	virtual run --raw --cluster a7 --opps 400
	rows_and_readings_agree run
	[ "$(grep -c ',a15,' run/raw.csv)" -eq $((good - 1)) ]
	printf '456\0\0\0\0\0\0' >> run/raw.csv
	virtual run --raw --cluster a7 --opps 400
	rows_and_readings_agree run
}

@test "an interrupted run is resumed with its readings" {
	"$CALIB" measure --board virtual:tc2 -d run --raw --cluster a15 --opps 600,800 \
		--time-limit 8s 2> err
	"$CALIB" measure --resume -d run 2> err
	grep -q "measuring the others" err
	rows_and_readings_agree run
}

@test "a raw.csv that is not ours is left alone" {
	mkdir run
	echo time_s,power_w > run/raw.csv
	refused "run/raw.csv:1: this is not the header of this calib's raw readings" \
		measure --board virtual:tc2 -d run --raw
	[ "$(cat run/raw.csv)" = time_s,power_w ]
	rm run/raw.csv
	mkfifo run/raw.csv
	refused "cannot write 'run/raw.csv': it is no regular file" \
		measure --board virtual:tc2 -d run --raw
	[ ! -e run/samples.csv ]
}

@test "fit --raw of quiet readings says what fit says" {
	virtual run --raw --seed 4
	fit -d run
	read -r plain low high <<< "$(estimate out.json)"
	fit -d run --raw
	read -r raw _ _ <<< "$(estimate out.json)"
	awk "BEGIN { exit !($low <= $raw && $raw <= $high) }"
	[[ $stderr == *"  raw     "*" readings of "*" windows"*"; a busy window's own error is "*" %"* ]]
	grep -q '"rows made anew: .* readings of ' out.json
	grep -q '"path": "run/raw.csv"' out.json
}

@test "fit --raw leaves out the spikes of a meter and names them" {
	virtual run --raw --fault spikes
	fit -d run --raw
	[[ $stderr =~ raw\.csv:([0-9]+):\ a\ spike\ left\ out:\ ([0-9]+)\ uW ]]
	[ "$(sed -n "${BASH_REMATCH[1]}p" run/raw.csv | cut -d, -f 4)" = "${BASH_REMATCH[2]}" ]
	grep -q 'raw.csv:[0-9]*: a spike left out' out.json
}

# A foreign trace: 250 uW/MHz/V^2, 40 mW static; 200 readings per window by a gauge that
# is polled five times for three updates; after a change of load power is 30 % too high
# at first, and one update in 70 is 60 % too high.
foreign() {
	awk 'function uniform() { s = (s * 16807) % 2147483647; return s / 2147483647 }
		function noise() { n = -6; for (j = 0; j < 12; j++) n += uniform(); return n }
		BEGIN {
			s = 42
			print "time_ms,freq_mhz,voltage_v,ncpus,power_mw"
			split("200 0.9 600 0.95 1000 1.05 1400 1.2", opp, " ")
			for (visit = 0; visit < 8; visit++)
				for (k = 0; k < 3; k++) {
					cpus = (k + visit) % 3
					f = opp[visit % 4 * 2 + 1]; v = opp[visit % 4 * 2 + 2]
					true = 40 + (250 * cpus + 80 * (cpus > 0)) * f * v * v / 1000
					update = -1
					for (i = 0; i < 200; i++) {
						t += 10
						if (int(i * 0.6) != update) {
							update = int(i * 0.6)
							p = true * (1 + 0.3 * exp(-update / 12) * (cpus > 0)) + 2 * noise()
							if (uniform() < 1 / 70)
								p *= 1.6
						}
						printf "%d,%d,%.2f,%d,%.3f\n", t, f, v, cpus, p
					}
				}
		}' > trace.csv
	awk -F, 'function flush() { if (n) printf "%d,%s,%s,%s,%.3f\n", t, f, v, c, sum / n; n = sum = 0 }
		NR == 1 { print; next }
		$2 != f || $4 != c { flush(); t = $1; f = $2; v = $3; c = $4 }
		{ sum += $5; n++ }
		END { flush() }' trace.csv > means.csv
}

@test "a foreign trace that warms up, repeats and has spikes: --raw is right, plain means are not" {
	foreign
	fit means.csv
	read -r plain _ _ <<< "$(estimate out.json)"
	fit --raw trace.csv
	read -r raw low high <<< "$(estimate out.json)"
	echo "plain $plain, raw $raw in $low..$high"
	awk "BEGIN { exit !($plain > 258 && $low <= 250 && 250 <= $high && $raw > 248 && $raw < 252) }"
	[[ $stderr =~ \ 4800\ readings\ of\ 24\ windows,\ 19[0-9]{2}\ repeats,\ [0-9]+\ warming\ up,\ [0-9]+\ spikes ]]
}

@test "rows without readings are taken as they are, and counted" {
	virtual run --raw --cluster a15
	virtual run --cluster a15
	fit -d run --raw
	[[ $stderr == *"rows without readings taken as they are"* ]]
}

@test "runs of several boards are made anew each from its own readings" {
	virtual one --raw --cluster a15 --seed 1
	virtual two --raw --cluster a15 --seed 2
	virtual three --raw --cluster a15 --seed 3
	fit --raw one two three
	readings=$(cat one/raw.csv two/raw.csv three/raw.csv | grep -c ',a15,')
	[[ $stderr == *"  raw     $readings readings of "* ]]
	rm two/raw.csv
	refused "'two' has no raw readings (raw.csv)" fit --raw one two three
}

@test "what can not be made anew is refused in one line" {
	virtual run --cluster a15 --opps 600,800
	refused "'run' has no raw readings (raw.csv): measure with --raw" fit --raw -d run
	echo time_ns,cluster,window_ns,power_uw,volt_uv,temp_mc > run/raw.csv
	refused "'run/raw.csv' has readings of none of the rows in 'run/samples.csv'" fit --raw -d run
	printf '%s\n' 5,a15,4,1000,0, 6,a15,4,nan,0, >> run/raw.csv
	refused "run/raw.csv:3: power_uw 'nan' is not a whole number in" fit --raw -d run
	sed -i '3s/.*/6,a15,7,1,0,/; 3a 7,a15,4,1,0,' run/raw.csv
	refused "run/raw.csv:4: window 4 of cluster 'a15' is at line 2, too" fit --raw -d run
	echo "$(head -n 1 run/raw.csv),x" > run/raw.csv
	refused "run/raw.csv:1: this is not the header of this calib's raw readings" fit --raw -d run
	refused "no two rows that follow each other have the same clock" fit --raw \
		"$TOP/tests/data/fit-line.csv"
}

@test "a trace that goes back in time is refused; a run whose meter's clock was set is not" {
	foreign
	sed -i '3s/^[0-9]*/7/' trace.csv
	refused "trace.csv:2: reading 2 of 200 is older than the one before it" fit --raw trace.csv
	virtual run --raw --cluster a15
	fit --raw -d run
	mv out.json before.json
	sed -i '5s/^[0-9]*/7/' run/raw.csv
	fit --raw -d run
	[ "$(estimate before.json)" = "$(estimate out.json)" ]
}

@test "readings without a row are of no window" {
	virtual run --raw --cluster a15
	fit --raw -d run
	mv out.json before.json
	tail -n 3 run/raw.csv | sed 's/^/9/; s/a15,/a15,9/' > orphans
	cat orphans >> run/raw.csv
	fit --raw -d run
	[ "$(estimate before.json)" = "$(estimate out.json)" ]
}

# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by tests that measure on a fake Odroid-XU3: the real libsensors and our real sysfs code,
# in a private mount namespace. Load it, and call fake_setup from setup().

fake_setup() {
	cd "$BATS_TEST_TMPDIR"
	root=$PWD/root
	policy=$root/sys/devices/system/cpu/cpufreq/policy
	meter=$root/sys/class/hwmon/hwmon0
	bench_meter="'$B/tests/fake/bench-meter' '$root' 1 310 '$PWD/threads'"
}

# fake [LITTLE BIG] - the machine, with a meter that is new every 20 ms
fake() {
	# Made once for all tests of a file: a copy is one process and not seventy.
	local made="$BATS_FILE_TMPDIR/fake-$*"

	[ -d "$made" ] || "$TOP/tests/fake/odroid-xu3" "$made" "$@"
	mkdir -p "$root"
	cp -a "$made/." "$root"
	echo 20 > "$meter/update_interval"
}

needs_namespace() {
	unshare -rm true 2> /dev/null || skip "no mount namespace here"
	[ -e /sys/class ] || skip "no /sys here"
}

# inside COMMAND... - in place of this shell, where libsensors takes $root for the machine
inside() {
	# shellcheck disable=SC2016
	exec unshare -rm sh -c 'mount --bind "$0/sys/class" /sys/class &&
		mount --bind "$0/sys/devices" /sys/devices && exec "$@"' "$root" "$@"
}

measure() {
	run --separate-stderr inside timeout 60 "$CALIB" measure --sysroot "$root" "$@"
}

# All settings but scaling_setspeed, which no kernel lets anybody put back to "<unsupported>".
settings() {
	find "$root/sys/devices/system/cpu" -type f ! -name scaling_setspeed | sort | xargs md5sum
}

# The two CPUs of the fake, which must be here for a load to run on them.
needs_two_cpus() {
	[ "$(nproc)" -ge 2 ] && [ -d /sys/devices/system/cpu/cpu1 ] || skip "needs two CPUs"
}

# metered COMMAND... - calib in the background, with its threads in ./threads, where $bench_meter
# finds them; its PID is $pid
metered() {
	LD_PRELOAD="$B/tests/fake/threads.so" CALIB_THREADS="$PWD/threads" \
		ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" \
		"$CALIB" "$@" > out 2> err 3>&- &
	pid=$!
}

# begin - measure the A15 in the background, with physics; its PID is $pid. While the file
# ./faults is there, its rules (see tests/fake/faults.c) hold. With $hotplug, the A15's policy
# follows its CPUs (see tests/fake/hotplug.c); $big is the A15's first CPU.
begin() {
	inside env LD_PRELOAD="$B/tests/fake/faults.so${hotplug:+:$B/tests/fake/hotplug.so}" \
		CALIB_FAULTS="$PWD/faults" \
		ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" \
		"$CALIB" measure --sysroot "$root" "$@" > out 2> err 3>&- &
	pid=$!
	"$B/tests/fake/physics" "$root" "${big:-1}" $pid 310 > physics.log 2>&1 3>&- &
	physics=$!
}

# rule TEXT... - put a fault in place, whole
rule() {
	echo "$@" > faults.new
	mv faults.new faults
}

# ended STATUS - wait for the program to end with STATUS
ended() {
	local status=0
	wait $pid || status=$?
	[ $status -eq "$1" ] || { cat err; false; }
}

# until_true COMMAND... - until it succeeds, or the program is gone
until_true() {
	until "$@"; do
		kill -0 $pid
		sleep 0.01
	done
}

# Until the clock is pinned, or the program is gone.
until_pinned() {
	until_true grep -q '^[0-9]' "${policy}${big:-1}/scaling_setspeed"
}

# until_rows N - until ./run has that many rows, or the program is gone
until_rows() {
	until [ -e run/samples.csv ] && [ "$(wc -l < run/samples.csv)" -gt "$1" ]; do
		kill -0 $pid
		sleep 0.01
	done
}

# scans - of the IIO device of tests/fake/meters, without times, 1 W and 1.25 W, with a line each in
# ./scanned, until $player is killed. It waits for what never comes: on a busy machine that is soon
# scheduled, and what forks is not.
scans() {
	local device=$root/sys/bus/iio/devices/iio:device0
	rm "$device/scan_elements/in_timestamp_index"
	echo 1 > "$device/in_power2_raw"
	exec 7<> "$root/dev/iio:device0" 8<> <(:)
	until read -rt 0.003 -u 8; do
		printf '\050\0\062\0' >&7
		echo >> scanned
	done 3>&- &
	player=$!
}

# guardian - the PID of the guardian of $pid, which may not have its name yet
guardian() {
	while :; do
		for stat in /proc/[0-9]*/stat; do
			read -r number name _ parent _ 2> /dev/null < "$stat" || continue
			if [ "$name $parent" = "(calib-guardian) $pid" ]; then
				echo "$number"
				return
			fi
		done
		kill -0 $pid
	done
}

# until_gone PID - a process of ours may be a zombie until somebody reaps it
until_gone() {
	while [ -e "/proc/$1/stat" ] && ! grep -q '^State:.Z' "/proc/$1/status"; do
		sleep 0.01
	done
}

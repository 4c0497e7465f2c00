#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What goes wrong while calib measures a fake Odroid-XU3: the row is right or flagged, what was
# measured is kept, and the settings are as before.

bats_require_minimum_version 1.5.0
load fake

setup() {
	fake_setup
	needs_namespace
	needs_two_cpus
	fake 0 1
	# Without a thermometer nothing is warmed up first.
	rm -r root/sys/class/thermal
}

@test "SIGKILL: the guardian puts the settings back at once" {
	settings > before
	begin --cluster a15 -d run
	until_pinned
	guardian=$(guardian)
	[ "$guardian" ]
	kill -KILL $pid
	wait $pid || true
	until_gone "$guardian"
	settings | diff before -
	[ ! -e root/run/calib/state.json ]
	grep -q "the measuring process died; its guardian put the settings back" err
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 0 ]
	[[ $stderr == *"nothing to put back"* ]]
	[ -z "$output" ]
}

@test "SIGKILL of calib and guardian: calib restore puts the settings back and says which" {
	settings > before
	begin --cluster a15 -d run
	until_rows 1
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 2 ]
	[[ $stderr == *"another calib is measuring on this machine"* ]]
	[ "$(cat "${policy}1/scaling_governor")" = userspace ]
	kill -KILL "$(guardian)"
	kill -KILL $pid
	wait $pid || true
	[ "$(cat "${policy}1/scaling_governor")" = userspace ]
	[ -e root/run/calib/state.json ]
	# The A15's, and the A7's, which stood at its lowest clock meanwhile.
	line="/sys/devices/system/cpu/cpufreq/policy1/scaling_governor: 'userspace' -> 'ondemand'
/sys/devices/system/cpu/cpufreq/policy0/scaling_governor: 'userspace' -> 'ondemand'"
	run --separate-stderr "$CALIB" restore -n --sysroot "$root"
	[ "$status" -eq 0 ]
	[ "$output" = "$line" ]
	[[ $stderr == *"2 of 6 saved settings would be put back"* ]]
	[ "$(cat "${policy}1/scaling_governor")" = userspace ]
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 0 ]
	[ "$output" = "$line" ]
	[[ $stderr == *"2 settings put back, 4 as saved before"* ]]
	settings | diff before -
	[ ! -e root/run/calib/state.json ]
	# Whole rows, all that were told.
	awk -F, 'NF != 16 { exit 1 }' run/samples.csv
}

@test "SIGKILL of calib and guardian: the next run puts the settings back" {
	settings > before
	begin --cluster a15 -d run
	until_pinned
	kill -KILL "$(guardian)"
	kill -KILL $pid
	wait $pid || true
	measure --cluster a15 --opps 200 --cpus 0 -d run2
	[[ $stderr == *"put back the settings that a run which died had left behind"* ]]
	settings | diff before -
	[ ! -e root/run/calib/state.json ]
}

@test "the guardian takes no signal of the terminal and ends with the run" {
	settings > before
	begin --cluster a15 --opps 200,800 --cpus 0,1 -d run
	until_pinned
	guardian=$(guardian)
	for signal in INT TERM HUP QUIT TSTP USR1; do
		kill -$signal "$guardian"
	done
	# A session and a process group of its own.
	read -r _ _ _ _ group session _ < "/proc/$guardian/stat"
	[ "$group" -eq "$guardian" ]
	[ "$session" -eq "$guardian" ]
	# Of ours only the pipe and standard error.
	[ "$(find "/proc/$guardian/fd" -type l | wc -l)" -eq 4 ]
	wait $pid
	[ ! -e "/proc/$guardian" ]
	settings | diff before -
	! grep -q guardian err
}

@test "two policies with different governors get their own back; offline CPUs stay so" {
	echo conservative > "${policy}0/scaling_governor"
	echo 300000 > "${policy}0/scaling_min_freq"
	echo userspace > "${policy}1/scaling_governor"
	echo 800000 > "${policy}1/scaling_setspeed"
	mkdir "$root/sys/devices/system/cpu/cpu2"
	echo 0 > "$root/sys/devices/system/cpu/cpu2/online"
	find "$root/sys/devices/system/cpu" -type f ! -path '*/policy0/scaling_setspeed' \
		-exec md5sum {} + | sort > before
	# The one meter that physics drives stands for both.
	begin --sensor a7=ina231@0x40 --opps 600 --cpus 0,1 -d run
	until_rows 3
	grep -q ,a15, run/samples.csv
	kill -KILL $pid
	wait $pid || true
	until find "$root/sys/devices/system/cpu" -type f ! -path '*/policy0/scaling_setspeed' \
		-exec md5sum {} + | sort | cmp -s before -; do sleep 0.01; done
	[ "$(cat "${policy}1/scaling_governor")" = userspace ]
}

@test "stopped and let go on: the window is taken again, as its load stood still" {
	begin --cluster a15 --opps 200,800 --cpus 0,1 --repeats 3 -d run
	until_rows 1
	kill -STOP $pid
	until grep -q '^State:.T' /proc/$pid/status; do sleep 0.01; done
	sleep 0.2
	kill -CONT $pid
	ended 0
	grep -q "calib was stopped for a while (Ctrl-Z, SIGSTOP), and its load with it; set again, window taken again" err
	grep -q "1 window taken again" err
	[ "$(wc -l < run/samples.csv)" -eq 13 ]
}

@test "a terminal that is closed: settings back, rows kept, exit 2" {
	settings > before
	cat > leave.py <<- 'END'
		import os, pty, select, sys
		pid, terminal = pty.fork()
		if not pid:
		    os.execvp(sys.argv[1], sys.argv[1:])
		rows = lambda: os.path.exists("run/samples.csv") and len(open("run/samples.csv").readlines()) > 1
		while not rows():
		    if select.select([terminal], [], [], 0.01)[0]:
		        os.read(terminal, 4096)
		os.close(terminal)
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	run --separate-stderr inside timeout 60 python3 leave.py "$CALIB" measure \
		--sysroot "$root" --cluster a15 --opps 200,800 --cpus 0,1 --repeats 9 -d run
	[ "$status" -eq 2 ]
	settings | diff before -
	[ ! -e root/run/calib/state.json ]
	[ "$(wc -l < run/samples.csv)" -ge 2 ]
}

@test "restore: nothing to do, a damaged file, a setting that is gone" {
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 0 ]
	[[ $stderr == *"nothing to put back"* ]]
	[ ! -e root/run/calib ]
	mkdir root/run/calib
	echo '{"schema": "calib-state/1", "saved": [' > root/run/calib/state.json
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 2 ]
	[[ $stderr == *"root/run/calib/state.json:"* ]]
	# It does not wait for somebody who writes to it.
	rm root/run/calib/state.json
	mkfifo root/run/calib/state.json
	run --separate-stderr timeout 20 "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 2 ]
	[[ $stderr == *"/run/calib/state.json': it is no regular file"* ]]
	rm root/run/calib/state.json
	# Nothing was saved: the file goes all the same.
	echo '{"schema": "calib-state/1", "saved": []}' > root/run/calib/state.json
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 0 ]
	[ ! -e root/run/calib/state.json ]
	# What misses a key is damaged, too, and not nothing to do.
	for text in '{}' '{"schema": "calib-state/1"}' \
		'{"schema": "calib-state/1", "saved": [{"path": "/sys/devices/x"}]}'; do
		echo "$text" > root/run/calib/state.json
		run --separate-stderr "$CALIB" restore --sysroot "$root"
		[ "$status" -eq 2 ]
		[[ $stderr == *"root/run/calib/state.json: key "*"missing"* ]]
	done
	cat > root/run/calib/state.json <<- END
		{ "schema": "calib-state/1", "saved": [
		{ "path": "/sys/devices/system/cpu/cpufreq/policy9/scaling_governor", "text": "x" },
		{ "path": "/sys/devices/system/cpu/cpu1/online", "text": "0" },
		{ "path": "/sys/class/thermal/thermal_zone0/mode", "text": "enabled" } ] }
	END
	mkdir -p root/sys/class/thermal/thermal_zone0
	echo disabled > root/sys/class/thermal/thermal_zone0/mode
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 2 ]
	[[ $stderr == *"1 setting(s) could not be put back: "*"policy9/scaling_governor"* ]]
	[[ $stderr == *"the other settings are back"* ]]
	[ "$(cat root/sys/devices/system/cpu/cpu1/online)" = 0 ]
	[ "$(cat root/sys/class/thermal/thermal_zone0/mode)" = enabled ]
	[ -e root/run/calib/state.json ]
}

@test "reads that fail: rows are flagged and right, none is a zero" {
	settings > before
	begin --cluster a15 --opps 200,800 --cpus 0,1 -d run
	until_pinned
	rule read power1_input EIO 3
	ended 0
	settings | diff before -
	grep -q "bad-reads" err
	awk -F, 'NR > 1 { n++; bad += $15 ~ /bad-reads/
		if ($9 < 90000 || ($6 && $9 < 130000)) exit 1 }
		END { exit n != 4 || !bad }' run/samples.csv
}

@test "a meter that is not ready is asked again: rows are right, and not flagged for it" {
	settings > before
	begin --cluster a15 --opps 200,800 --cpus 0,1 -d run
	until_pinned
	rule read power1_input EAGAIN 2
	ended 0
	settings | diff before -
	awk -F, 'NR > 1 { n++; if ($9 < 90000 || $15 ~ /bad-reads/) exit 1 }
		END { exit n != 4 }' run/samples.csv
}

@test "a meter that vanishes ends the run, rows are kept; when it is back, --resume" {
	settings > before
	begin --cluster a15 --opps 200,800 --cpus 0,1 -d run
	until_rows 1
	rule read power1_input ENODEV 1
	ended 2
	settings | diff before -
	[ ! -e root/run/calib/state.json ]
	grep -q "the meter gave no reading in 3 windows: .*No such device" err
	grep -q "windows kept in 'run'; 'calib measure --resume -d 'run'' measures the others" err
	awk -F, 'NF != 16 || (NR > 1 && $9 < 90000) { exit 1 } END { exit NR < 2 }' run/samples.csv
	rm faults
	begin --resume -d run
	ended 0
	settings | diff before -
	[ "$(tail -n +2 run/samples.csv | cut -d, -f3,6 | sort -u | wc -l)" -eq 4 ]
	[ "$(wc -l < run/samples.csv)" -eq 5 ]
}

@test "a meter that sticks on the way: rows from then on are flagged" {
	rm root/proc/stat
	settings > before
	begin --cluster a15 --opps 200,800 --cpus 0,1 -d run
	until_rows 2
	kill $physics
	ended 0
	settings | diff before -
	tail -n 1 run/samples.csv | grep -q stale
	grep -q " stale" err
}

@test "an operating point that the kernel refuses is left out and said" {
	settings > before
	rule write scaling_setspeed=800000 EINVAL 1
	begin --cluster a15 --opps 200,800 --cpus 0,1 -d run
	ended 0
	settings | diff before -
	grep -q "a15: 800 MHz skipped: policy1: .*scaling_setspeed: writing '800000': Invalid argument" err
	[ "$(grep -c ',a15,200000,' run/samples.csv)" -eq 2 ]
	[ "$(grep -c ',a15,800000,' run/samples.csv)" -eq 0 ]
}

@test "every operating point refused: exit 2, settings back" {
	settings > before
	rule write scaling_setspeed EINVAL 1
	begin --cluster a15 --opps 200,800 --cpus 0 -d run
	ended 2
	settings | diff before -
	grep -q "not one operating point could be set" err
}

@test "a setting that the kernel refuses to take back is said and can be restored later" {
	settings > before
	rule write scaling_governor=ondemand EBUSY 1
	begin --cluster a15 --opps 200 --cpus 0 -d run
	ended 2
	grep -q "could not put everything back: 2 setting(s) .*scaling_governor: writing 'ondemand'" err
	[ -e root/run/calib/state.json ]
	[ "$(wc -l < run/samples.csv)" -eq 2 ]
	run --separate-stderr "$CALIB" restore --sysroot "$root"
	[ "$status" -eq 0 ]
	settings | diff before -
}

@test "a governor that is stolen once is taken back, and its window taken again" {
	settings > before
	begin --cluster a15 --opps 200,800 --cpus 0,1 -d run
	until_rows 1
	echo performance > "${policy}1/scaling_governor"
	ended 0
	settings | diff before -
	grep -q "somebody changed scaling_governor from userspace to performance" err
	awk -F, 'NR > 1 { n++; if ($3 != $4) exit 1 } END { exit n != 4 }' run/samples.csv
}

@test "a service that keeps setting the governor ends the run; the rows before are kept" {
	settings > before
	begin --cluster a15 --opps 200,800 --cpus 0,1 -d run
	until_rows 1
	while kill -0 $pid 2> kill.log; do
		# In one write, so that nobody reads half of it.
		echo performance 1<> "${policy}1/scaling_governor"
		sleep 0.1
	done 3>&- &
	thief=$!
	ended 2
	wait $thief || true
	grep -q "another program keeps changing its clock settings (policy1: .*performance" err
	[ "$(wc -l < run/samples.csv)" -ge 2 ]
	# The thief may have had the last word.
	echo ondemand > "${policy}1/scaling_governor"
	settings | diff before -
}

@test "a CPU that goes offline on the way ends the run; it stays offline, settings are back" {
	settings > before
	begin --cluster a15 --opps 200,800 --cpus 0,1 -d run
	until_rows 1
	echo 0 > root/sys/devices/system/cpu/cpu1/online
	echo > "${policy}1/affected_cpus"
	ended 2
	grep -q "policy1: CPU 1 went offline; stop what plugs CPUs" err
	run ! grep -q "another program" err
	[ "$(wc -l < run/samples.csv)" -ge 2 ]
	[ "$(cat root/sys/devices/system/cpu/cpu1/online)" = 0 ]
	echo 1 > root/sys/devices/system/cpu/cpu1/online
	echo 1 > "${policy}1/affected_cpus"
	settings | diff before -
}

@test "a clock at 70 % of the one asked for flags every loaded row, with the clock it was" {
	settings > before
	# What the hardware delivers, whatever scaling_setspeed says.
	echo 560000 > "${policy}1/cpuinfo_cur_freq"
	begin --cluster a15 --opps 800 --cpus 0,1 -d run
	ended 0
	rm "${policy}1/cpuinfo_cur_freq"
	settings | diff <(grep -v cpuinfo_cur_freq before) -
	grep -q " clock" err
	if [ "$(cut -d, -f14 run/samples.csv | grep -c '^[1-9]')" -eq 0 ]; then
		[ "$(grep -c ',a15,800000,560000,.*clock' run/samples.csv)" -eq 1 ]
	fi
}

@test "no space for a row: whole rows are kept, settings are back, exit 2" {
	settings > before
	# The header and two rows fit.
	rule write samples.csv ENOSPC 4
	begin --cluster a15 --opps 200,800 --cpus 0,1 -d run
	ended 2
	settings | diff before -
	grep -q "cannot write 'run/samples.csv': No space left on device; 2 of 4 windows kept" err
	[ "$(wc -l < run/samples.csv)" -eq 3 ]
	[ "$(tail -c 1 run/samples.csv | wc -l)" -eq 1 ]
}

@test "a disk that fills up: whole rows are kept, and --resume goes on where there is space" {
	mkdir run
	# Pages for the folder, board.json and plan.json; rows have what is left.
	cat > small <<- 'END'
		mount -t tmpfs -o size=24k none run
		"$@"
		status=$?
		cp run/* kept
		exit $status
	END
	mkdir kept
	run --separate-stderr unshare -rm sh small "$CALIB" measure \
		--board virtual:odroid-xu3 --repeats 20 -d run
	[ "$status" -eq 2 ]
	[[ $stderr == *"No space left on device"*"windows kept in 'run'"* ]]
	awk -F, 'NF != 16 { exit 1 } END { exit NR < 10 }' kept/samples.csv
	[ "$(tail -c 1 kept/samples.csv | wc -l)" -eq 1 ]
	"$CALIB" measure --resume -d kept
	"$CALIB" measure --board virtual:odroid-xu3 --repeats 20 -d whole
	diff <(cut -d, -f2,3,6,7 kept/samples.csv) <(cut -d, -f2,3,6,7 whole/samples.csv)
}

@test "interrupts that the kernel keeps on the measured CPU are told once, and kept in the run" {
	echo 0-1 > root/sys/devices/system/cpu/online
	for irq in 7 8 9 30; do
		mkdir -p root/proc/irq/$irq
		echo 1 > root/proc/irq/$irq/smp_affinity_list
	done
	# Managed: its CPU is the other one.
	echo 0 > root/proc/irq/30/effective_affinity_list
	rule write smp_affinity_list=0 EIO 1
	begin --cluster a15 --opps 200,400 --cpus 0,1 -d run
	ended 0
	[ "$(grep -c "keeps" err)" -eq 1 ]
	grep -q "note: cluster 'a15': the kernel keeps 3 interrupts on its CPUs (7-9)" err
	grep -q '"interrupts-stayed": "7-9"' run/board.json
	# None is kept: no word of it.
	rm faults
	begin --cluster a15 --opps 200,400 --cpus 0,1 -d run2
	ended 0
	! grep -q "keeps" err
	! grep -q "interrupts-stayed" run2/board.json
	[ "$(cat root/proc/irq/7/smp_affinity_list)" = 1 ]
}

@test "a driver without a table that rounds: rows and freqcheck tell the clocks that it makes" {
	rm "${policy}1/scaling_available_frequencies"
	echo intel_cpufreq > "${policy}1/scaling_driver"
	settings > before
	rule round scaling_setspeed - 78741
	begin --cluster a15 --opps 800,850,1400,2000 --cpus 0,1 --repeats 1 -d run
	ended 0
	settings | diff before -
	grep -q "a15: the driver makes .* MHz of .* MHz: rows tell the clocks that it makes" err
	grep -Eq "a15: 8[05]0 MHz is 866.151 MHz, as 8[05]0 MHz is: measured once" err
	[ "$(tail -n +2 run/samples.csv | cut -d, -f3 | sort -nu | xargs)" = "866151 1417338 2047266" ]
	[ "$(grep -c clock run/samples.csv)" -eq 0 ]
	[ "$(wc -l < run/samples.csv)" -eq 7 ]
	[ "$(grep -c throttled run/samples.csv)" -eq 0 ]
	run --separate-stderr inside env LD_PRELOAD="$B/tests/fake/faults.so" \
		CALIB_FAULTS="$PWD/faults" ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" \
		"$CALIB" freqcheck --sysroot "$root" --cluster a15 --opps 800,850,2000 --json
	[[ $output == *866151* ]]
	[[ $output == *2047266* ]]
	[[ $output != *[0-9]00000[!0-9]* ]]
}

@test "a driver with a table makes what it is asked for, or is refused" {
	rule round scaling_setspeed - 78741
	begin --cluster a15 --opps 800,1400 --cpus 0,1 -d run
	ended 2
	grep -q "a15: 800 MHz skipped: policy1: asked for 800000 kHz, driver cpufreq-dt makes it 866151" err
	grep -q "not one operating point could be set" err
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib probe: what a machine offers, and what is missing.

bats_require_minimum_version 1.5.0

setup() {
	load fake.bash
	fake_setup
}

# probe ARG... - of the fake, with its meters
probe() {
	run --separate-stderr inside "$CALIB" probe --sysroot "$root" "$@"
}

# flat - the text on one line, so that folding does not matter
flat() {
	tr -s ' \n' '  ' <<< "$output"
}

has() {
	[[ $(flat) == *"$1"* ]] || {
		echo "missing: $1"
		echo "$output"
		return 1
	}
}

hasnot() {
	[[ $(flat) != *"$1"* ]]
}

# put FILE TEXT - below $root
put() {
	mkdir -p "$root/${1%/*}"
	echo "$2" > "$root/$1"
}

# eas_ready - all that EAS asks for
eas_ready() {
	debug=sys/kernel/debug/energy_model
	for first in 0 4; do
		put $debug/cpu$first/cpus "$first-$((first + 3))"
		put $debug/cpu$first/flags 0x1
		put $debug/cpu$first/ps:200000/power 20000
		put $debug/cpu$first/ps:200000/inefficient 1
		put $debug/cpu$first/ps:1400000/power 300000
		put $debug/cpu$first/ps:1400000/inefficient 0
		echo schedutil > "${policy}$first/scaling_governor"
	done
	for cpu in 0 1 2 3; do
		put sys/devices/system/cpu/cpu$cpu/cpu_capacity 377
		put sys/devices/system/cpu/cpu$((cpu + 4))/cpu_capacity 1024
	done
	put proc/sys/kernel/sched_energy_aware 1
	put proc/sys/kernel/osrelease 6.1.0-test
	put boot/config-6.1.0-test "# a kernel
CONFIG_ENERGY_MODEL=y
CONFIG_SCHED_MC=y
CONFIG_CPU_FREQ_GOV_SCHEDUTIL=y
CONFIG_CPU_FREQ_GOV_USERSPACE=m"
}

@test "a machine that has all: every fact, nothing missing, exit 0, nothing written" {
	needs_namespace
	fake
	eas_ready
	find root -type f | sort | xargs md5sum > before
	probe
	[ "$status" -eq 0 ]
	find root -type f | sort | xargs md5sum | diff before -
	[ -z "$stderr" ]
	[ "${#lines[@]}" -le 50 ]
	has "hardkernel,odroid-xu3, board odroid-xu3, 6.1.0-test"
	has "a15: CPUs 4-7, arm,cortex-a15, policy 4, driver cpufreq-dt"
	has "OPPs 19 from the kernel's list; voltages from the kernel's OPP table (debugfs)"
	has "1800/1237.5 1900/1262.5 2000/1312.5"
	has "governor schedutil (of conservative userspace powersave ondemand schedutil), limits 200..2000 MHz"
	has "pinned by governor userspace"
	has "meter ina231-i2c-3-40/power1: uW, every 20 ms, tells the rail's voltage"
	has "thermal cpu0-thermal 46.0 C, cpu1-thermal 47.0 C"
	has "cooling cpufreq-cpu4 state 0"
	has "capacity 377 of 1024, 539 DMIPS/MHz"
	has "kernel EM 2 states, 1 inefficient, 300000 uW at 1400 MHz"
	has "power meters: ina231-i2c-3-40/power1: uW, every 20 ms; now 1125 mW ina231-i2c-3-41/power1: uW, every 264 ms; now 60 mW"
	has "SMT active unknown, sched_energy_aware yes, frequency-invariant yes"
	has "energy model: complexity 24 = 2 domains x (8 CPUs + 4 states), 20 without inefficient states; this kernel leaves EAS off above 2048"
	has "kernel config (/boot/config-6.1.0-test): ENERGY_MODEL=y SCHED_MC=y CPU_FREQ_GOV_SCHEDUTIL=y CPU_FREQ_GOV_USERSPACE=m"
	has "For a calibration: "
	has "nothing is missing; next: 'calib freqcheck', 'calib measure'"
	has "For energy-aware scheduling: nothing is seen to be missing: EAS is on"
	hasnot MISSING
}

@test "what EAS misses is told one by one, and a calibration does not need it" {
	needs_namespace
	fake
	eas_ready
	echo ondemand > "${policy}0/scaling_governor"
	echo "ondemand userspace" > "${policy}4/scaling_available_governors"
	echo ondemand > "${policy}4/scaling_governor"
	rm -r root/$debug/cpu4
	put sys/devices/system/cpu/smt/active 1
	put proc/sys/kernel/sched_energy_aware 0
	put proc/cpuinfo "flags : fpu tsc msr"
	for cpu in 0 1 2 3; do
		put sys/devices/system/cpu/cpu$cpu/cpu_capacity 1024
	done
	echo "CONFIG_ENERGY_MODEL=y" > root/boot/config-6.1.0-test
	probe
	[ "$status" -eq 0 ]
	has "a7: governor is ondemand, EAS needs schedutil -> echo schedutil >"
	has "a15: governor schedutil is not available, EAS needs it -> build the kernel with CONFIG_CPU_FREQ_GOV_SCHEDUTIL=y"
	has "energy model: CPUs 4-7 have none -> every CPU needs one"
	has "capacities: all CPUs have 1024: EAS needs at least two -> the device tree has capacity-dmips-mhz on these CPU nodes: check its values if the cores differ"
	has "SMT is active: EAS needs it off -> echo off >"
	has "sched_energy_aware is 0"
	has "frequency-invariant load tracking: no APERF/MPERF counters -> mostly a hypervisor hides them"
	has "CONFIG_SCHED_MC is not set"
	has "CONFIG_CPU_FREQ_GOV_SCHEDUTIL is not set"
	hasnot "CONFIG_ENERGY_MODEL is not set"
	has "EAS is off until that is there"
	rm -r root/sys/kernel/debug/energy_model
	echo > root/boot/config-6.1.0-test
	probe
	has "CONFIG_ENERGY_MODEL is not set -> build the kernel with it"
	rm -r root/sys/kernel/debug root/boot root/sys/devices/system/cpu/cpu?/cpu_capacity
	probe
	has "capacities: the kernel shows no cpu_capacity -> the device tree has capacity-dmips-mhz on these CPU nodes: look in"
	rm root/sys/firmware/devicetree/base/cpus/*/capacity-dmips-mhz
	probe
	has "capacities: the kernel shows no cpu_capacity -> put capacity-dmips-mhz on all CPU nodes of the device tree"
	has "energy model: debugfs cannot be read -> run as root"
	has "the kernel's configuration cannot be read"
}

@test "a model that is too complex: only kernels before v6.7 mind, and pruning may do" {
	needs_namespace
	fake
	eas_ready
	# Costs tell where no flag does: the slowest ten are as dear as the fastest.
	rm -r root/$debug
	for cpu in 0 1 2 3 4 5 6 7; do
		put $debug/cpu$cpu/cpus $cpu
		for state in $(seq 10 49); do
			put $debug/cpu$cpu/ps:${state}0000/power "$state"
			put $debug/cpu$cpu/ps:${state}0000/cost $((state < 20 ? 49 : state))
		done
	done
	probe
	has "kernel EM 40 states, 10 inefficient"
	has "energy model: complexity 2624 = 8 domains x (8 CPUs + 320 states), 1984 without inefficient states; this kernel"
	has "MISSING energy model: complexity 2624 is above 2048 -> take the inefficient operating points out of the tree: 'fdtedit prune'"
	rm root/$debug/cpu?/ps:*/cost
	probe
	has "MISSING energy model: complexity 2624 is above 2048 -> a kernel from v6.7 on"
	put proc/sys/kernel/osrelease 6.7.0-test
	probe
	has "2624 without inefficient states; kernels before v6.7 leave EAS off above 2048"
	hasnot "is above 2048 ->"
}

@test "the model's unit is mW before v6.0; one without states is no model" {
	needs_namespace
	fake
	eas_ready
	put proc/sys/kernel/osrelease 5.19.0-test
	put $debug/cpu0/ps:1400000/power 300
	rm -r root/$debug/cpu4/ps:*
	probe
	has "kernel EM 2 states, 1 inefficient, 300 mW at 1400 MHz"
	has "kernel EM 0 states"
}

@test "a compressed kernel configuration is read too" {
	needs_namespace
	fake
	printf 'CONFIG_A=y\nCONFIG_ENERGY_MODEL=y\n' | gzip > root/proc/config.gz
	probe
	has "kernel config (/proc/config.gz): ENERGY_MODEL=y SCHED_MC=n"
	echo garbage > root/proc/config.gz
	probe
	[ "$status" -eq 0 ]
	has "the kernel's configuration cannot be read"
}

@test "what a calibration misses makes exit 1, each with what to do" {
	needs_namespace
	fake
	rm root/sys/class/hwmon/hwmon0
	rm -r root/sys/kernel/debug/opp/cpu0
	for n in 3; do rm root/sys/class/hwmon/hwmon$n; done
	probe
	[ "$status" -eq 1 ]
	has "MISSING no power sensor is known for cluster 'a15' (board odroid-xu3 has it as ina231@0x40); say which one measures it with --sensor a15=SPEC: there are ina231-i2c-3-41/power1"
	probe --sensor a15=ina231@0x41
	[ "$status" -eq 1 ]
	has "meter ina231-i2c-3-41/power1"
	hasnot "cluster 'a15'"
	has "cluster 'a7'"
	probe --sensor a15=ina231@0x77
	[ "$status" -eq 2 ]
}

@test "voltages: who tells them, and what is missing when nobody does" {
	needs_namespace
	fake
	rm -r root/sys/kernel/debug
	probe
	[ "$status" -eq 0 ]
	has "voltages from the board description"
	printf 'acme,board\0' > root/sys/firmware/devicetree/base/compatible
	probe --sensor a15=ina231@0x40 --sensor a7=ina231@0x45
	[ "$status" -eq 0 ]
	hasnot "voltages from"
	# A meter that tells no voltage, and nobody else.
	rm root/sys/class/hwmon/hwmon*/in1_input
	probe --sensor a15=ina231@0x40 --sensor a7=ina231@0x45
	[ "$status" -eq 1 ]
	has "MISSING a15: the voltage of 19 of 19 operating points is unknown"
	for mhz in 200 300 400 500 600 700 800 900 1000 1100 1200 1300 1400; do
		echo "3.${mhz}000=$((mhz + 700))000"
	done > volts
	probe --sensor a15=ina231@0x40 --sensor a7=ina231@0x45 --voltages volts
	[ "$status" -eq 1 ]
	has "OPPs 13 from the kernel's list; voltages from your file MHz/mV: 200/900 300/1000"
	hasnot "a7: the voltage of"
	# The regulator that the CPU's node names knows it while a clock is pinned.
	supply=root/sys/class/regulator/regulator.3
	mkdir -p $supply/of_node root/sys/class/regulator/regulator.1/of_node
	printf '\0\0\0\007' > root/sys/firmware/devicetree/base/cpus/cpu@0/cpu-supply
	printf '\0\0\0\007' > $supply/of_node/phandle
	printf '\0\0\0\006' > root/sys/class/regulator/regulator.1/of_node/phandle
	echo vdd_arm > $supply/name
	echo 912500 > $supply/microvolts
	probe --sensor a15=ina231@0x40 --sensor a7=ina231@0x45 --voltages volts
	[ "$status" -eq 0 ]
	has "regulator vdd_arm, now 912.5 mV"
	has "a15: voltages are read from regulator vdd_arm while a clock is pinned"
	rm $supply/microvolts
	probe --sensor a15=ina231@0x40 --sensor a7=ina231@0x45 --voltages volts
	[ "$status" -eq 1 ]
	has "regulator vdd_arm, does not tell its voltage"
	probe --voltages nosuch
	[ "$status" -eq 2 ]
}

@test "boost, clamped limits, offline CPUs, a clock list that is not there" {
	needs_namespace
	fake
	echo "2100000 " > "${policy}4/scaling_boost_frequencies"
	echo 0 > "${policy}4/boost"
	echo 900000 > "${policy}4/scaling_max_freq"
	echo "4 5" > "${policy}4/affected_cpus"
	echo > "${policy}0/affected_cpus"
	put sys/devices/system/cpu/online 4-5
	put sys/devices/system/cpu/offline 0-3,6-7
	probe
	[ "$status" -eq 0 ]
	has "CPUs: 4-5 online, 0-3,6-7 offline"
	has "a15: CPUs 4-5 (6-7 offline)"
	has "boost 2100 MHz, off"
	has "a15: 1 boost clock left out, as boost is off"
	has "a15: scaling_max_freq is 900000 of 2000000 kHz"
	has "a15: CPUs 6-7 are offline and will not be loaded"
	has "policy0: all its CPUs are offline, skipped"
	echo 1 > "${policy}4/boost"
	probe
	has "OPPs 20 from the kernel's list, boost clocks too"
	has "boost 2100 MHz, on"
	rm "${policy}4/scaling_available_frequencies"
	probe
	has "the kernel lists no frequencies (driver cpufreq-dt): 10 points in 200000..2000000 kHz are requests, not an OPP table"
}

@test "JSON says the same" {
	needs_namespace
	fake
	eas_ready
	rm root/sys/class/hwmon/hwmon3
	probe --json
	[ "$status" -eq 1 ]
	python3 - "$output" <<- 'END'
		import json, sys
		r = json.loads(sys.argv[1])
		assert not r["virtual"] and r["board"] == "odroid-xu3" and not r["can-calibrate"]
		a7, a15 = r["clusters"]
		assert a15["cpus"] == [4, 5, 6, 7] and a15["policies"] == [4]
		assert a15["opps"][-1] == {"khz": 2000000, "microvolt": 1312500}
		assert a15["opp-source"] == "list" and a15["volt-source"] == "debugfs"
		assert a15["sensor"] == {"name": "ina231-i2c-3-40/power1",
			"interval-us": 20000, "tells-voltage": True}
		assert r["power-meters"][0] == {"name": "ina231-i2c-3-40/power1", "kind": "hwmon",
			"unit": "uW", "interval-us": 20000, "averages": False, "power-uw": 1125000}
		assert "sensor" not in a7 and a7["cpu-capacity"] == 377
		assert a15["thermal-zones"][1] == {"zone": 1, "type": "cpu1-thermal", "temp-mc": 47000}
		assert [d["cpus"] for d in r["eas"]["energy-model"]] == [[0, 1, 2, 3], [4, 5, 6, 7]]
		assert r["eas"]["config"]["SCHED_MC"] is True and r["eas"]["frequency-invariant"] is True
		missing = [i for i in r["items"] if i["kind"] == "missing"]
		assert len(missing) == 1 and missing[0]["for"] == "calibration", missing
		assert "cluster 'a7'" in missing[0]["what"]
	END
}

@test "a board description tells clusters of one core type apart, by their CPUs" {
	needs_namespace
	fake
	for node in "$root"/sys/firmware/devicetree/base/cpus/cpu@10?; do
		printf 'arm,cortex-a15\0' > "$node/compatible"
	done
	mkdir boards
	cp "$TOP"/boards/*.dts* boards
	sed -i 's/cortex-a7/cortex-a15/; s/a7: a7/little: little/; s/a15: a15/big: big/; s/&a7>/\&little>/; s/&a15>/\&big>/' \
		boards/exynos5422.dtsi boards/odroid-xu3.dts
	dtc -q -@ -i boards -O dtb -o mine.dtb boards/odroid-xu3.dts
	probe
	has "a15-policy0: CPUs 0-3, arm,cortex-a15"
	probe --board mine.dtb
	has "little: CPUs 0-3, arm,cortex-a15"
	has "meter ina231-i2c-3-45/power1"
	has "big: CPUs 4-7, arm,cortex-a15"
	has "meter ina231-i2c-3-40/power1"
	# The names are those that the command line takes.
	probe --board mine.dtb --sensor big=ina231@0x45
	has "big: CPUs 4-7, arm,cortex-a15"
}

@test "a virtual board is marked so" {
	run --separate-stderr "$CALIB" probe --board virtual:juno-r2
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == "VIRTUAL "*"board juno-r2, kernel 6.12 played, coefficients true: no hardware is looked at" ]]
	[[ $output == *"  kernel EM  3 states, 0 inefficient, 540000 uW at 1200 MHz"* ]]
	[[ $output == *"energy model: complexity 24 = 2 domains x (6 CPUs + 6 states), 24 without "* ]]
	[[ ${lines[-1]} == "  nothing is seen to be missing: EAS is on" ]]
	has "a72: CPUs 1-2, arm,cortex-a72"
	has "MHz/mV: 600/820 1000/900 1200/1000"
	has "For energy-aware scheduling:"
	# The kernel has schedutil; the driver's mode is what hides it.
	run --separate-stderr "$CALIB" probe --board virtual:intel-hybrid
	has "p: governor schedutil is not available, EAS needs it -> echo passive > /sys/devices/system/cpu/intel_pstate/status"
	hasnot "build the kernel"
	run --separate-stderr "$CALIB" probe --board virtual:odroid-xu4 --json
	[ "$status" -eq 1 ]
	[[ $output == *'"virtual": true'*'"can-calibrate": false'* ]]
	run --separate-stderr "$CALIB" probe --board virtual:juno-r2 --sysroot /
	[ "$status" -eq 2 ]
}

@test "what is given for clusters is not ignored where there is none" {
	local why=" is for clusters, and there is none here: no cpufreq: there is no policy in "
	mkdir -p root/sys
	for option in voltages=none sensor=a15=x voltages=volts; do
		echo "0.200000=900000" > volts
		run --separate-stderr "$CALIB" probe --sysroot root --$option
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		case $option in
		voltages=none) [[ $stderr == "calib probe: error: cannot open 'none': No such file or directory" ]] ;;
		*) [[ $stderr == "calib probe: error: --${option%%=*}$why"* ]] ;;
		esac
	done
}

@test "a machine without cpufreq and meters: what is there, and what to do" {
	mkdir -p root/sys
	put sys/bus/event_source/devices/cpu_atom/cpus 4-7
	put sys/bus/event_source/devices/cpu_core/cpus 0-3
	run --separate-stderr "$CALIB" probe --sysroot root
	[ "$status" -eq 1 ]
	has "cycle counters: not looked for: --sysroot is not this machine; cpu_atom (CPUs 4-7), cpu_core (CPUs 0-3)"
	has "MISSING no cpufreq: there is no policy in"
	has "For energy-aware scheduling: MISSING governor schedutil: no cpufreq policy can be used, and EAS needs it ->"
	put proc/cpuinfo "flags : fpu tsc msr"
	run --separate-stderr "$CALIB" probe --sysroot root
	has "capacities: the kernel shows no cpu_capacity -> x86 kernels tell them of hybrid processors"
	run --separate-stderr "$CALIB" probe --sysroot root/nosuch
	[ "$status" -eq 2 ]
	# This very machine, whatever it is.
	run --separate-stderr "$CALIB" probe
	[ "$status" -le 1 ]
	[ -z "$stderr" ]
	has "For a calibration:"
}

@test "limits and governor that cannot be read are not shown as a number" {
	fake
	echo garbage > "${policy}4/scaling_min_freq"
	echo > "${policy}4/scaling_governor"
	run --separate-stderr "$CALIB" probe --sysroot "$root"
	[[ $output == *"governor   unknown (of "* ]]
	[[ $output == *"limits 200..1400 MHz"* ]]
	[[ $output != *"limits 0.."* ]]
}

@test "real listings: pstate, boost and clamp, offline CPUs, meters in several units" {
	[ -d "$SHARED/cases" ] || skip "no real listings here"
	run --separate-stderr "$CALIB" probe --sysroot "$(echo "$SHARED"/cases/d01*)/active"
	[ "$status" -eq 1 ]
	has "MISSING policy0: driver intel_pstate has no userspace governor (active mode); write 'passive' to /sys/devices/system/cpu/intel_pstate/status or boot with intel_pstate=passive"
	run --separate-stderr "$CALIB" probe --sysroot "$(echo "$SHARED"/cases/d01*)/passive-no-list"
	has "13 points in 800000..4200000 kHz are requests, not an OPP table"
	run --separate-stderr "$CALIB" probe --sysroot "$(echo "$SHARED"/cases/d02*)/root"
	has "MHz: 312 624 936 1248 boost 1512 MHz, off"
	has "MHz: 897 1402 1807 2106"
	has "policy4: scaling_max_freq is 897000 of 2106000 kHz"
	run --separate-stderr "$CALIB" probe --sysroot "$(echo "$SHARED"/cases/d03*)/root"
	has "policy0: CPUs 0-1 (2-3 offline)"
	has "policy4: all its CPUs are offline, skipped"
	needs_namespace
	cp -r "$SHARED"/cases/d04*/root root
	mkdir root/sys/devices
	probe
	has "ina3221-virtual-0/in1 VDD_CPU_BIG: mV x mA; now 640 mW"
	has "ina3221-virtual-0/in2: mV x mA; now 1060 mW"
	has "ina226-virtual-0/power1: uW, every 36 ms; now 1250 mW"
	has "iio:ina226/power2: mW x scale, sysfs, every 3.521 ms; now 1250 mW"
	has "avgmeter-virtual-0/power1: uW, mean over 1000 ms; now 2500 mW"
}

@test "an external meter's readings: columns, rate, power, and what aligns its clock" {
	needs_namespace
	fake
	for n in 0 1 2 3; do rm -f root/sys/class/hwmon/hwmon$n; done
	probe --power-from "printf 'n,time_ms,power_mw\n1,10,700\n2,60,900\n'; sleep 9"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	has "power_mw by time_ms, every 50 ms; what it measures is taken for the whole device; now 800 mW"
	has "note a15: the clock of the external meter is found by a marker load when 'calib measure' begins"
	has "nothing is missing; next: 'calib freqcheck', 'calib measure'"
	probe --json --power-from "printf 'time_s,power_w\n1,.5\n1.5,.7\n'; sleep 9"
	[ "$status" -eq 0 ]
	python3 - "$output" <<- 'END'
		import json, sys
		m, = json.loads(sys.argv[1])["power-meters"]
		assert m["unit"] == "power_w by time_s" and m["interval-us"] == 500000, m
		assert m["power-uw"] == 600000, m
	END
	probe --power-from "printf 'time_s,watt\n1,2\n'; sleep 9"
	[ "$status" -eq 1 ]
	has "MISSING a15: its meter gives no reading: sensor stream"
	has "the header line 'time_s...' has no column power_w, power_mw or power_uw"
	run --separate-stderr "$CALIB" probe --board virtual:juno-r2 --power-from x
	[ "$status" -eq 2 ]
	[[ $stderr == *"error: --power-from is for real machines; a virtual board has its own sensors, voltages and loads" ]]
}

@test "an external meter is looked at without a cpufreq too" {
	mkdir -p root/sys
	run --separate-stderr "$CALIB" probe --sysroot root --power-from "exit 4"
	[ "$status" -eq 1 ]
	has "no reading: sensor stream exit 4: the command 'exit 4' ended with status 4 after 0 readings"
}

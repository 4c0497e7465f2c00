#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calib verify: kernels of all generations, as recorded by hand; each cause; bad files.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	debug=root/sys/kernel/debug
	em=$debug/energy_model
	mkdir -p root
	little="500:900 800:950 1000:1000 1400:1150"
	big="600:910 700:900 1200:1000 1600:1100 2000:1250"
}

put() {
	mkdir -p "${1%/*}"
	echo "$2" > "$1"
}

# opps "MHZ:MV ..." [PROPERTY...] - OPP nodes; $uw_MHZ is opp-microwatt, $opp_MHZ anything else
opps() {
	local one mhz name
	for one in $1; do
		mhz=${one%:*}
		name=uw_$mhz
		echo "opp-${mhz}000000 { opp-hz = /bits/ 64 <${mhz}000000>;" \
			"opp-microvolt = <${one#*:}000>;" \
			"${!name:+opp-microwatt = <${!name}>;}"
		name=opp_$mhz
		echo "${!name:-} };"
	done
}

# cpu REG CORE TABLE DPC CAPACITY
cpu() {
	echo "cpu@$1 { device_type = \"cpu\"; compatible = \"arm,cortex-$2\"; reg = <0x$1>;" \
		"operating-points-v2 = <&$3>; ${4:+dynamic-power-coefficient = <$4>;}" \
		"${5:+capacity-dmips-mhz = <$5>;} };"
}

# tree [DPC of each CPU: little, little, big, big] - into tree.dtb
tree() {
	cat > tree.dts <<-END
	/dts-v1/;
	/ { compatible = "test,verify"; #address-cells = <1>; #size-cells = <1>;
	cpus { #address-cells = <1>; #size-cells = <0>;
	$(cpu 100 a7 lo "${1-90}" 400)
	$(cpu 101 a7 lo "${2-90}" 400)
	$(cpu 0 a15 hi "${3-310}" 1000)
	$(cpu 1 a15 hi "${4-310}" 1000) };
	lo: opp-table-0 { compatible = "operating-points-v2"; opp-shared;
	$(opps "$little") };
	hi: opp-table-1 { compatible = "operating-points-v2"; opp-shared;
	$(opps "$big") }; };
	END
	dtc -q -O dtb -o tree.dtb tree.dts
}

# domain STYLE NAME CPUS DPC CAPACITY "MHZ:MV ..." - what a kernel of that style shows
domain() {
	local style=$1 dir=$em/$2 dpc=$4 capacity=$5 prefix=ps one mhz mv power perf cost
	local lowest=9223372036854775807 top list=$6 reversed= unit=1000000 dpc_cost mark
	put "$dir/cpus" "$3"
	case $style in
	5.6) prefix=cs unit=1000000000 ;;
	5.19) unit=1000000000 ;;
	esac
	[ "$style" = 5.6 ] || put "$dir/flags" "${flags:-0x1}"
	for one in $list; do
		top=${one%:*}
		reversed="$one $reversed"
	done
	for one in $reversed; do
		mhz=${one%:*} mv=${one#*:}
		power=$((dpc * mv * mv * mhz / unit))
		[ "$mv" -lt 10000 ] || power=$mv # given as it is
		perf=$((capacity * mhz * 1000 / (top * 1000)))
		case $style in
		5.6 | 6.1) cost=$((top * 1000 * power / (mhz * 1000))) ;;
		5.19) cost=$((top * 1000 * power * 1000 / (mhz * 1000))) ;;
		6.12) cost=$((power * 10 / perf)) ;;
		esac
		mark=1
		[ $cost -ge $lowest ] || mark=0 lowest=$cost
		one=$dir/$prefix:${mhz}000
		mkdir -p "$one"
		echo ${mhz}000 > "$one/frequency"
		echo $power > "$one/power"
		echo $cost > "$one/cost"
		[ "$style" = 5.6 ] || echo $mark > "$one/inefficient"
		[ "$style" != 6.12 ] || echo $perf > "$one/performance"
	done
}

# kernel STYLE [DPC of little, of big] - both domains. Capacities: 400 * 1400 / (1000 * 2000).
kernel() {
	local first=cpu
	[ "$1" != 5.6 ] || first=pd
	domain "$1" ${first}0 0-1 "${2:-90}" 286 "$little"
	domain "$1" ${first}2 2-3 "${3:-310}" 1024 "$big"
	put root/proc/sys/kernel/osrelease "${release:-$1.0-test}"
}

coeffs() {
	cat > coeffs.json <<-END
	{ "schema": "calib-coeffs/1", "clusters": [
	  { "name": "a7", "match": { "compatible": "arm,cortex-a7" },
	    "dynamic-power-coefficient": ${1:-90}, "opps": [
	    { "hz": 500000000, "microvolt": 900000, "kernel-microwatt": ${2:-36450} } ] },
	  { "name": "a15", "match": { "compatible": "arm,cortex-a15" },
	    "dynamic-power-coefficient": 310 } ] }
	END
}

verify() {
	run --separate-stderr "$CALIB" verify --sysroot root --tree tree.dtb "$@"
}

# gives STATUS TEXT... - of the last run, whatever the blanks
gives() {
	local flat
	flat=$(tr -s ' \n' '  ' <<< "$output")
	[ "$status" -eq "$1" ] || { echo "$output $stderr"; false; }
	shift
	for text; do
		[[ $flat == *"$text"* ]] || { echo "missing: $text"; echo "$output"; false; }
	done
}

# refused TEXT
refused() {
	[ "$status" -eq 2 ] && [ -z "$output" ] && [[ $stderr == *"$1"* ]] || {
		echo "$status: $stderr"
		false
	}
	[ "$(wc -l <<< "$stderr")" -eq 1 ]
}

@test "a kernel of each generation is equal to its tree" {
	tree
	for style in 5.6 5.19 6.1 6.12; do
		rm -rf root/sys
		kernel $style
		verify
		gives 0 "equal: all 9 states of 2 domains are what the tree asks for"
	done
	gives 0 "cpu0: CPUs 0-1, arm,cortex-a7, coefficient 90, capacity 286; uW" \
		"500 900 36450 36450" "capacity 1024" "600 910 154026 154026" "yes/yes ="
}

@test "v5.6 is read in mW from pdN and cs:, without marks" {
	tree
	kernel 5.6
	verify
	gives 0 "pd2: CPUs 2-3" "mW (no flags, as before v5.16)" "600 910 154 154" "-/yes ="
}

@test "v5.19 is read in mW and with costs a thousand times finer" {
	tree
	kernel 5.19
	verify
	gives 0 "mW (by the kernel's release)" "600 910 154 154 513333 513333 yes/yes ="
}

@test "the unit is what the powers fit in where the release is not known" {
	tree
	kernel 5.19
	rm root/proc/sys/kernel/osrelease
	verify
	gives 0 "mW (powers that fit in this unit only)"
}

@test "a unit that nothing tells is said to be so" {
	tree
	big="600:900" little="500:900"
	kernel 5.19 91
	rm root/proc/sys/kernel/osrelease
	echo 37 > $em/cpu0/ps:500000/power
	verify
	gives 1 "the powers are in mW or in uW, and nothing tells which" "of an unknown unit"
}

@test "a kernel that was patched to uW is found out by its powers" {
	tree
	big="600:300" little="500:300"
	tree
	release=5.15.100-android kernel 6.1
	verify
	gives 0 "uW (powers that fit in this unit only, against the release)"
}

@test "a coefficient that is off by one is named, with what fits" {
	tree
	kernel 6.12 90 311
	verify
	gives 1 "differs: 5 of 9 states" \
		"power +497 uW: as by coefficient 311" \
		"CPU 2: powers are as by coefficient 311, the tree has 310: the kernel booted with another tree"
	[[ $output != *"not explained"* ]]
	verify --json
	gives 1 '"equal": false' '"cause": "coefficient"' '"differing": 5'
}

@test "one state off by 1 uW is named, and not explained" {
	tree
	kernel 6.12
	echo 154027 > $em/cpu2/ps:600000/power
	verify
	gives 1 "differs: 1 of 9 states; cpu2 600 MHz: power +1 uW: not explained"
	[ "$(grep -c ≠ <<< "$output")" -eq 1 ]
}

@test "one flag that is flipped is named, either way" {
	tree
	kernel 6.12
	echo 0 > $em/cpu2/ps:600000/inefficient
	verify
	gives 1 "differs: 1 of 9 states; cpu2 600 MHz: inefficient no, ours yes: not explained"
	echo 1 > $em/cpu2/ps:600000/inefficient
	echo 1 > $em/cpu2/ps:1600000/inefficient
	verify
	gives 1 "differs: 1 of 9 states; cpu2 1600 MHz: inefficient yes, ours no: not explained"
}

@test "a cost, and a performance, that is off by one is named" {
	tree
	kernel 6.12
	echo 1 > $em/cpu0/ps:500000/cost
	echo 1 > $em/cpu2/ps:1200000/performance
	verify
	gives 1 "differs: 2 of 9 states; cpu0 500 MHz: cost 1, ours" \
		"performance 1, ours 614: not explained"
}

@test "a coefficient on another CPU than the first is told as that" {
	tree 90 90 "" 310
	kernel 6.1
	verify
	gives 1 "as by coefficient 310, which is that of /cpus/cpu@1; the first CPU is /cpus/cpu@0, and the tree has none there"
}

@test "the kernel's numbers of CPUs are found by their nodes" {
	tree 90 90 310 300
	kernel 6.1
	rm -r $em
	domain 6.1 cpu0 0-1 310 1024 "$big"
	domain 6.1 cpu2 2-3 90 286 "$little"
	for pair in 0:0 1:1 2:100 3:101; do
		mkdir -p root/sys/devices/system/cpu/cpu${pair%:*}/of_node
		printf '%08x' 0x${pair#*:} | xxd -r -p > root/sys/devices/system/cpu/cpu${pair%:*}/of_node/reg
	done
	verify
	gives 0 "cpu0: CPUs 0-1, arm,cortex-a15, coefficient 310"
}

@test "opp-microwatt wins over the coefficient from v5.19 on, and not before" {
	uw_500=30000 uw_800=60000 uw_1000=90000 uw_1400=160000
	tree
	kernel 6.1
	verify
	gives 1 "powers are as by the coefficient, the kernel has not taken the tree's opp-microwatt"
	flags=0x3 domain 6.1 cpu0 0-1 90 286 "500:30000 800:60000 1000:90000 1400:160000"
	verify
	gives 0 "cpu0: CPUs 0-1, arm,cortex-a7, power by opp-microwatt"
	rm -r $em
	kernel 5.6
	verify
	gives 0 "pd0: CPUs 0-1, arm,cortex-a7, coefficient 90"
}

@test "opp-microwatt of coeffs.json that this tree has not is told" {
	tree
	kernel 6.1
	domain 6.1 cpu0 0-1 90 286 "500:30000 800:60000 1000:90000 1400:160000"
	verify
	gives 1 "not explained" \
		"note: no coefficient fits most of these powers: they may be opp-microwatt of another tree, or a driver's"
	coeffs
	sed -i 's/"opps": .*/"opps": [ { "hz": 800000000, "microvolt": 950000, "opp-microwatt": 60000 },\
{ "hz": 1000000000, "microvolt": 1000000, "opp-microwatt": 90000 },\
{ "hz": 1400000000, "microvolt": 1150000, "opp-microwatt": 160000 } ] },/; /"hz": 500/d' coeffs.json
	sed -i 's/\[ { "hz": 800/[ { "hz": 500000000, "microvolt": 900000, "opp-microwatt": 30000 }, { "hz": 800/' coeffs.json
	verify coeffs.json
	gives 1 "powers are as by opp-microwatt of coeffs.json, which wins over the coefficient; this tree has none"
}

@test "voltages that the kernel has are reckoned with, and told" {
	tree
	kernel 6.12
	for one in 500:900 800:950 1000:1012 1400:1150; do
		put $debug/opp/cpu0/opp:${one%:*}000000/supply-0/u_volt_target ${one#*:}000
	done
	verify
	gives 1 "1000 1012 92172 90000" \
		"power -2172 uW: as by the tree's 1000 mV; the model was made before a driver set 1012 mV"
	domain 6.12 cpu0 0-1 90 286 "500:900 800:950 1000:1012 1400:1150"
	verify
	gives 0 "1000 1012 92172 92172" "= 1012 mV at run time, the tree has 1000 mV"
}

@test "OPPs that a driver brings, as the firmware's, are reckoned with" {
	little="" tree
	kernel 6.12
	verify
	gives 1 "cpu0 500 MHz: the tree has no OPP of this clock that is enabled"
	for one in $little; do
		put $debug/opp/cpu0/opp:${one%:*}000000/supply-0/u_volt_target ${one#*:}000
	done
	verify
	gives 0 "1400 1150 166635 166635" "= an OPP that a driver has added, and not the tree"
	domain 6.12 cpu0 0-1 91 286 "$little"
	verify
	gives 1 "as by coefficient 91, the tree has 90"
}

@test "a voltage that fits is told where the kernel shows none" {
	tree
	kernel 6.1
	domain 6.1 cpu0 0-1 90 286 "500:900 800:950 1000:1037 1400:1150"
	verify
	gives 1 "differs: 1 of 9 states" \
		"power +6783 uW: as by 1037 mV (90 * 1000 MHz * V^2); the tree has 1000 mV"
}

@test "an OPP without a state is told by what the tree says of it" {
	opp_1400="turbo-mode;" opp_600="opp-supported-hw = <1>;"
	tree
	kernel 6.1
	rm -r $em
	little="500:900 800:950 1000:1000" kernel 6.1
	domain 6.1 cpu2 2-3 310 1024 "700:900 1200:1000 1600:1100 2000:1250"
	rm -rf $em/cpu2/ps:600000
	put $debug/opp/cpu2/opp:700000000/available N
	verify
	gives 1 "differs: 1 of 8 states" "in the tree for boost (turbo-mode), and no state" \
		"not on this chip (opp-supported-hw), so no state"
	rm -r $em/cpu2
	domain 6.1 cpu2 2-3 310 1024 "1200:1000 1600:1100 2000:1250"
	verify
	gives 1 "in the tree, and a driver has disabled or removed it"
	rm -r $debug/opp
	verify
	gives 1 "in the tree, and no state: not explained"
	put $debug/opp/cpu2/opp:600000000/available Y
	verify
	gives 1 "600 910 154026 - - - -/- ≠ in the tree, and no state: not explained"
}

@test "a state that the tree has disabled is told" {
	opp_800='status = "disabled";'
	tree
	kernel 6.1
	verify
	gives 1 "differs: 1 of 9 states; cpu0 800 MHz: the tree has no OPP of this clock that is enabled"
}

@test "powers in uW that were cut to mW are told as that" {
	tree
	kernel 6.1
	echo 154000 > $em/cpu2/ps:600000/power
	verify
	gives 1 "power -26 uW: cut to whole mW"
}

@test "a model that a driver made up is told as that" {
	tree
	flags=0x5 kernel 6.1
	verify
	gives 1 "a driver makes this model up (flag 0x4, artificial)" "the driver's own number"
	rm -r $em
	flags=0x0 kernel 6.1
	verify
	gives 1 "a driver gives powers of an abstract scale, not watts"
	put $em/cpu0/flags 0x1
	rm $em/cpu0/flags
	put $em/cpu0/units bogoWatts
	verify
	gives 1 "cpu0: CPUs 0-1, arm,cortex-a7, coefficient 90; of an abstract scale (the kernel says so)"
}

@test "another capacity than the tree gives is told" {
	tree
	kernel 6.12
	domain 6.12 cpu0 0-1 90 400 "$little"
	put root/sys/devices/system/cpu/cpu0/cpu_capacity 400
	verify
	gives 1 "the model is of capacity 400, the tree gives 286, and the kernel's cpu_capacity is as its model" \
		"performance 142, ours 102: as by capacity 400, the tree gives 286"
}

@test "a mark from before clocks were known stays, and is no difference" {
	little="500:900 822:900 1000:1000 1400:1150"
	tree
	kernel 6.12
	verify
	gives 0 "no/no = "
	echo 1 > $em/cpu0/ps:500000/inefficient
	verify
	gives 0 "yes/no = marked when the capacity was 409; this kernel takes no mark back"
	echo 1 > $em/cpu0/ps:1000000/inefficient
	verify
	gives 1 "differs: 2 of 9 states; cpu0 500 MHz: inefficient yes, ours no: not explained"
}

@test "coeffs.json agrees, or its coefficient and powers are told" {
	tree
	kernel 6.12
	coeffs
	verify coeffs.json
	gives 0 "equal: all 9 states of 2 domains are what the tree and coeffs.json ask for"
	coeffs 100 40500
	verify coeffs.json
	gives 1 "coeffs.json says coefficient 100, /cpus/cpu@100 has 90; write it with 'fdtedit apply' and boot that tree" \
		"coeffs.json says 40500: it is of coefficient 100"
	coeffs 90 36451
	verify coeffs.json
	gives 1 "differs: 1 of 9 states; cpu0 500 MHz: coeffs.json: its own coefficient and voltage give 36450 uW"
	verify --json coeffs.json
	gives 1 '"coeffs-power": 36451' '"coeffs-why": "its own coefficient'
}

@test "a cluster of coeffs.json that is not in the tree is refused" {
	tree
	kernel 6.12
	coeffs
	sed -i s/cortex-a15/cortex-a73/ coeffs.json
	verify coeffs.json
	refused "'coeffs.json': cluster 'a15' matches no CPU of 'tree.dtb'"
}

@test "no energy model, or none of one domain, is told with the reason" {
	tree
	kernel 6.12
	rm -r $em/cpu2
	verify
	gives 1 "no energy model: CPUs 2-3, arm,cortex-a15" "is CONFIG_ENERGY_MODEL on"
	tree 90 90 "" 310
	verify
	gives 1 "no energy model: /cpus/cpu@0 has no dynamic-power-coefficient, the kernel reads it there and not at /cpus/cpu@1"
	tree 90 90 "" ""
	verify
	gives 1 "differs: CPU 2: no energy model: no dynamic-power-coefficient"
	rm -r $em/cpu0
	verify
	gives 1 "differs: the kernel has no energy model of any CPU"
	rm -r $em
	put $debug/other 1
	verify
	gives 1 "the kernel shows no energy model: /sys/kernel/debug/energy_model is not there; it takes CONFIG_ENERGY_MODEL=y"
	verify --json
	gives 1 '"equal": false' '"model": false'
}

@test "without debugfs it says how to mount it" {
	tree
	mkdir -p $debug
	verify
	refused "debugfs is not mounted, or not ours to read; as root: mount -t debugfs none /sys/kernel/debug"
}

@test "what is wrong with the user's files is told before debugfs is missed" {
	tree
	mkdir -p $debug
	verify none.json
	refused "'none.json': No such file or directory"
	echo '{ "schema": 1 }' > bad.json
	verify bad.json
	refused "'bad.json': key 'schema': "
	echo '{ "schema": "calib-coeffs/1", "clusters": [ { "name": "a53",
		"match": { "compatible": "arm,cortex-a53" }, "dynamic-power-coefficient": 90 } ] }' > other.json
	verify other.json
	refused "'other.json': cluster 'a53' matches no CPU of 'tree.dtb'"
	run --separate-stderr "$CALIB" verify --sysroot root --tree none.dtb
	refused "'none.dtb': No such file or directory"
	run --separate-stderr "$CALIB" verify --sysroot root bad.json
	refused "'bad.json': key 'schema': "
}

@test "the tree that the kernel booted with is the default" {
	tree
	kernel 6.12
	run --separate-stderr "$CALIB" verify --sysroot root
	refused "no tree to compare with (/sys/firmware/fdt takes root); name it with --tree FILE"
	mkdir -p root/sys/firmware
	cp tree.dtb root/sys/firmware/fdt
	run --separate-stderr "$CALIB" verify --sysroot root
	gives 0 "against /sys/firmware/fdt"
	head -c 300 tree.dtb > root/sys/firmware/fdt
	run --separate-stderr "$CALIB" verify --sysroot root
	refused "'/sys/firmware/fdt': totalsize"
}

@test "files that are garbage, missing or cut are refused by name" {
	tree
	while IFS='|' read -r file text why; do
		rm -rf root/sys
		kernel 6.12
		printf '%s' "$text" > "$em/$file"
		[ -n "$text" ] || rm "$em/$file"
		verify
		refused "/sys/kernel/debug/energy_model/$file: $why"
	done <<-END
	cpu0/ps:500000/power|12uW|'12uW' is not a whole number
	cpu0/ps:500000/power|-1|'-1' is not a whole number
	cpu0/ps:500000/power|99999999999999999999|'99999999999999999999' is not a whole number
	cpu0/ps:500000/power||No such file
	cpu2/ps:600000/cost|x|'x' is not a whole number
	cpu2/ps:600000/frequency|600001|600001 kHz is not what the folder says
	cpu2/ps:600000/inefficient|yes|'yes' is not a whole number
	cpu2/flags|banana|'banana' is not a number
	cpu2/cpus|2-x|'2-x' is no list of CPUs
	cpu2/cpus||No such file
	END
	rm -rf root/sys
	kernel 6.12
	rm -r $em/cpu2/ps:*
	verify
	refused "/sys/kernel/debug/energy_model/cpu2: no state (ps:KHZ) in it"
}

@test "powers and clocks beyond all sense are no crash" {
	tree
	kernel 6.12
	for value in 0 18446744073709551615; do
		echo $value > $em/cpu0/ps:500000/power
		verify
		gives 1 "cpu0 500 MHz: power"
	done
	put $em/cpu0/ps:4294967295/power 1
	verify
	gives 1 "the tree has no OPP of this clock"
}

@test "folders are read by their number, devices are not" {
	tree
	kernel 6.12
	mkdir -p $em/10000.gpu/ps:100
	verify
	gives 0 "equal: all 9 states of 2 domains"
	[ "$(grep -n '^ .* 500 ' <<< "$output" | cut -d: -f1)" -lt "$(grep -n '^ .*1000 ' <<< "$output" | head -n 1 | cut -d: -f1)" ]
}

@test "a virtual board plays the kernels of all generations, each of which takes its own model" {
	for board in odroid-xu3 odroid-xu4 juno-r2 tc2 sm8250-like intel-hybrid; do
		for kernel in 5.6 5.10 5.12 5.15 5.17 6.1 6.12; do
			run "$CALIB" verify --board virtual:$board --kernel $kernel
			[ "$status" -eq 0 ]
			[ "${lines[0]}" = "VIRTUAL board '$board', no kernel runs: what v$kernel would make of its true coefficients, against the board's description" ]
			[[ "${lines[-1]}" == "equal: all "*" states of 2 domains are what the tree asks for" ]]
		done
	done
	run "$CALIB" verify --board virtual:odroid-xu3 --kernel 5.6
	[[ "$output" == *"pd4: CPUs 4-7, arm,cortex-a15, coefficient 310; mW (no flags, as before v5.16)"* ]]
	[[ "$output" == *"    2000  1312         1067         1067         1067         1067  -/"* ]]
	run "$CALIB" verify --board virtual:odroid-xu3
	[[ "$output" == *"cpu0: CPUs 0-3, arm,cortex-a7, coefficient 90, capacity 377; uW"* ]]
	[[ "$output" == *" yes/yes  "* ]]
}

@test "a virtual board against coefficients that miss, and a tree of them" {
	cat > c.json <<-'END'
	{ "schema": "calib-coeffs/1", "clusters": [
	  { "name": "a53", "match": { "compatible": "arm,cortex-a53" }, "dynamic-power-coefficient": 140 },
	  { "name": "a72", "match": { "compatible": "arm,cortex-a72" }, "dynamic-power-coefficient": 455 } ] }
	END
	run "$CALIB" verify --board virtual:juno-r2 c.json
	[ "$status" -eq 1 ]
	[[ "${lines[-1]}" == *"CPU 1: coeffs.json says coefficient 455, "*" has 450; write it with 'fdtedit apply' and boot that tree" ]]
	run "$CALIB" verify --board virtual:juno-r2 --json c.json
	[ "$status" -eq 1 ]
	[ "$(jq -c '[.virtual, .board, .kernel, .source, .equal, .differing]' <<< "$output")" = \
		'[true,"juno-r2","6.12","arithmetic",false,0]' ]
	cp "$B/boards/juno-r2.dtb" j.dtb
	"$FDTEDIT" apply j.dtb c.json
	run "$CALIB" verify --board virtual:juno-r2 --tree j.dtb --kernel 5.17 c.json
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "VIRTUAL board 'juno-r2', "*"v5.17 "*", against j.dtb and c.json" ]]
	[[ "$output" == *"powers are as by coefficient 450, the tree has 455: "* ]]
}

@test "what no virtual board plays is refused" {
	run "$CALIB" verify --board virtual:juno-r2 --kernel 5.5
	[ "$status" -eq 2 ]
	[ "$output" = "calib verify: error: kernel '5.5' is none from 5.6 on, such as 5.10 or 6.12" ]
	run "$CALIB" verify --kernel 5.6
	[ "$status" -eq 2 ]
	[[ "$output" == *"error: --kernel is for virtual boards; add '--board virtual:NAME'" ]]
	run "$CALIB" verify --board juno-r2
	[ "$status" -eq 2 ]
	[[ "$output" == *"--board is for virtual boards here: 'virtual:juno-r2'; this machine needs none" ]]
	run "$CALIB" verify --board virtual:juno-r2 --sysroot .
	[ "$status" -eq 2 ]
	[[ "$output" == *"error: --sysroot is for real machines; "* ]]
}

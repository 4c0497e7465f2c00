#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Which CPU nodes a cluster of coeffs.json means: the same in source and in a compiled tree.

bats_require_minimum_version 1.5.0

setup() {
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return 1
	cp "$TOP/tests/data/big-little.dts" board.dts
}

# coeffs MATCH VALUE... - coeffs.json with a cluster for each pair
coeffs() {
	local list="" n=0

	while [ $# -gt 0 ]; do
		list="$list${list:+,}{\"name\": \"c$n\", \"match\": {$1}, \"dynamic-power-coefficient\": $2}"
		n=$((n + 1))
		shift 2
	done
	printf '{"schema": "calib-coeffs/1", "clusters": [%s]}\n' "$list" > coeffs.json
}

compile() { # SOURCE OUT [DTC-ARG...]
	cpp -nostdinc -undef -x assembler-with-cpp "$1" | dtc -q "${@:3}" -O dtb -o "$2"
}

# gives FILE.dts OPTION... -- NODE=VALUE... - editing the source and editing what it compiles to
# give the same tree, and the nodes have these values (or "none")
gives() {
	local source=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	compile "$source" was.dtb -@
	"$FDTEDIT" apply "${options[@]}" -o new.dtb was.dtb coeffs.json
	"$FDTEDIT" apply "${options[@]}" -o new.dts "$source" coeffs.json
	compile new.dts from-source.dtb -@
	"$FDTEDIT" diff new.dtb from-source.dtb
	for want; do
		got=$(fdtget -d none new.dtb "/cpus/${want%=*}" dynamic-power-coefficient)
		[ "$got" = "${want#*=}" ] || { echo "${want%=*}: $got"; false; }
	done
}

# refused TEXT [OPTION...] - source and compiled tree are refused for the same reason
refused() {
	local want=$1 f
	shift
	compile board.dts board.dtb -@
	for f in board.dts board.dtb; do
		cp $f was
		run --separate-stderr "$FDTEDIT" apply "$@" $f coeffs.json
		[ "$status" -eq 2 ] || { echo "$f: status $status: $output"; false; }
		[ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == "fdtedit apply: error: '$f': $want"* ]] || { echo "$stderr"; false; }
		cmp $f was
	done
}

@test "CPU nodes are matched by compatible, reg and path, and by all of them" {
	coeffs '"compatible": "arm,cortex-a7"' 90 '"reg": [0, 1]' 310
	gives board.dts -- cpu@100=90 cpu@101=90 cpu@0=310 cpu@1=310
	coeffs '"paths": ["/cpus/cpu@1", "/cpus/cpu@0"]' 310
	gives board.dts -- cpu@100=none cpu@101=none cpu@0=310 cpu@1=310
	coeffs '"compatible": "arm,cortex-a7", "reg": [256, 257, 0]' 91
	gives board.dts -- cpu@100=91 cpu@101=91 cpu@0=none
}

@test "a reg that no CPU node has is told of in source and tree, and one that an #if may give is there" {
	coeffs '"reg": [0, 1, 2]' 310
	for f in board.dts board.dtb; do
		compile board.dts board.dtb -@
		"$FDTEDIT" apply -o new "$f" coeffs.json 2> log
		grep -q "warning: cluster 'c0': no CPU node has reg 0x2; is this the board that was measured" log
	done
	printf '/dts-v1/; / { cpus { #address-cells = <1>; #size-cells = <0>; cpu@0 {
#ifdef SECOND\nreg = <1>;\n#else\nreg = <0>;\n#endif\n}; }; };\n' > a.dts
	coeffs '"reg": [0, 1]' 90
	"$FDTEDIT" apply a.dts coeffs.json 2> log
	! grep 'no CPU node' log
	grep -q 'coefficient = <90>' a.dts
}

@test "CPUs that share a clock by numbers or macros in the source get one value" {
	local clocks
	coeffs '"reg": [0]' 90 '"reg": [1]' 91
	for clocks in "<&d 1>" "<7 1>" "<&d ONE>" "<&d (3 - 2)>" "<&d>, <1>"; do
		printf '/dts-v1/;\n#define ONE 1\n/ { cpus { #address-cells = <1>; #size-cells = <0>;
cpu@0 { device_type = "cpu"; compatible = "arm,cortex-a7"; reg = <0>; clocks = <&d 1>; };
cpu@1 { device_type = "cpu"; compatible = "arm,cortex-a7"; reg = <1>; clocks = %s; }; };
d: dvfs { compatible = "arm,scpi-dvfs-clocks"; #clock-cells = <1>; phandle = <7>; }; };\n' "$clocks" > a.dts
		cp a.dts was
		run --separate-stderr "$FDTEDIT" apply a.dts coeffs.json
		[ "$status" -eq 2 ] || { echo "$clocks: $output"; false; }
		[[ ${stderr_lines[-1]} == "fdtedit apply: error: 'a.dts': one frequency domain would get two values: '/cpus/cpu@0' 90, '/cpus/cpu@1' 91; "* ]] ||
			{ echo "$clocks: $stderr"; false; }
		cmp a.dts was
	done
}

@test "paths may be of the OPP table and of cpu-map, and labels stand for paths" {
	for path in /opp-table-0 "\&little_opps" /cpus/cpu-map/cluster0 "\&first"; do
		[[ $path == /* ]] || path=${path#\\}
		sed 's/cluster0 {/first: &/' board.dts > labels.dts
		coeffs "\"paths\": [\"$path\"]" 90
		gives labels.dts -- cpu@100=90 cpu@101=90 cpu@0=none cpu@1=none
	done
	coeffs '"paths": ["/cpus/cpu-map/cluster1/core1", "&big0"]' 310
	gives board.dts -- cpu@0=310 cpu@1=310 cpu@100=none
	coeffs '"paths": ["/cpus/cpu-map/cluster0"], "reg": [257]' 90
	gives board.dts -- cpu@101=90 cpu@100=none
	# All of them, and no node whose name only starts alike.
	coeffs '"paths": ["/cpus/cpu-map"]' 90
	gives board.dts -- cpu@100=90 cpu@101=90 cpu@0=90 cpu@1=90
	coeffs '"paths": ["/cpus/cpu-map/cluster"]' 90
	refused "cluster 'c0' matches no CPU node"
	coeffs '"paths": ["/cpus"]' 90
	refused "cluster 'c0' matches no CPU node"
	coeffs '"paths": ["&nobody"]' 90
	refused "cluster 'c0': no label 'nobody' is known (in a compiled tree they are after dtc -@)"
	coeffs '"paths": ["&big0"]' 90
	compile board.dts board.dtb
	run --separate-stderr "$FDTEDIT" apply board.dtb coeffs.json
	[ "$status" -eq 2 ]
	[[ $stderr == *"cluster 'c0': no label 'big0' is known"* ]]
	# Another program reads the same file in the same way.
	coeffs '"paths": ["&little_opps"]' 90 '"paths": ["/cpus/cpu-map/cluster1"]' 310
	compile board.dts board.dtb -@
	"$CALIB" check --board ./board.dtb coeffs.json > out || true
	grep -q '310' out && grep -q ' 90' out
}

@test "reg decides, whether unit addresses are decimal or hexadecimal" {
	sed 's/cpu@100/cpu@256/; s/cpu@101/cpu@257/' board.dts > decimal.dts
	coeffs '"reg": [256, 257]' 90
	gives decimal.dts -- cpu@256=90 cpu@257=90 cpu@0=none
	gives board.dts -- cpu@100=90 cpu@101=90 cpu@0=none
	# cpu@10 is reg 10 or 16.
	sed 's/cpu@100/cpu@10/; s/<0x100>/<10>/; s/cpu@101/cpu@11/; s/<0x101>/<0xb>/' board.dts \
		> ten.dts
	coeffs '"reg": [10, 11]' 90
	gives ten.dts -- cpu@10=90 cpu@11=90
	sed -i 's/<10>/<0x10>/; s/<0xb>/<17>/' ten.dts
	coeffs '"reg": [16, 17]' 90
	gives ten.dts -- cpu@10=90 cpu@11=90
}

@test "nodes without label or device_type, and MPIDRs of two cells, are matched" {
	sed -e '/operating-points-v2/d; /cpu = </d; /device_type = "cpu"/d' \
		-e 's/little0: //; s/little1: //; s/big0: //; s/big1: //' board.dts > bare.dts
	coeffs '"reg": [256]' 90
	gives bare.dts -- cpu@100=90 cpu@101=none cpu@0=none
	printf '/dts-v1/; / { cpus { #address-cells = <2>; #size-cells = <0>;
cpu@1 { compatible = "a,b"; reg = <0x1 0x0>; }; cpu@0 { compatible = "a,b"; reg = <0 1>; };
}; };\n' > wide.dts
	coeffs '"reg": [4294967296]' 90
	gives wide.dts -- cpu@1=90 cpu@0=none
}

@test "nodes named cpu elsewhere, and a GPU with the property, are no CPUs" {
	for path in /soc/wkup_m3/cpu@0 /sound/cpu /gpu; do
		printf '/dts-v1/; / { cpus { #address-cells = <1>; #size-cells = <0>; cpu@0 { reg = <0>; }; };
soc { wkup_m3 { wkup_m3: cpu@0 { device_type = "cpu"; }; }; };
sound { cpu { dynamic-power-coefficient = <1>; }; };
gpu { compatible = "arm,mali"; dynamic-power-coefficient = <2982>; }; };\n' > board.dts
		coeffs "\"paths\": [\"$path\"]" 90
		refused "cluster 'c0' matches no CPU node"
	done
	coeffs '"compatible": "arm,mali"' 90
	refused "cluster 'c0' (compatible 'arm,mali') matches no CPU node"
	coeffs '"reg": [0]' 90
	gives board.dts -- cpu@0=90
	[ "$(fdtget new.dtb /gpu dynamic-power-coefficient)" = 2982 ]
	[ "$(fdtget new.dtb /sound/cpu dynamic-power-coefficient)" = 1 ]
}

@test "the tree's custom of one value per domain is followed, --all-cpus ends it" {
	sed -i '/little0: cpu@100 {/a dynamic-power-coefficient = <80>;' board.dts
	coeffs '"compatible": "arm,cortex-a7"' 90 '"compatible": "arm,cortex-a15"' 310
	gives board.dts -- cpu@100=90 cpu@101=none cpu@0=310 cpu@1=310
	gives board.dts --all-cpus -- cpu@100=90 cpu@101=90 cpu@0=310 cpu@1=310
}

@test "two values in one frequency domain are refused" {
	coeffs '"reg": [256]' 90 '"reg": [257]' 91
	refused "one frequency domain would get two values: '/cpus/cpu@100' 90, '/cpus/cpu@101' 91"
	sed -i '/little1: cpu@101 {/a dynamic-power-coefficient = <80>;' board.dts
	coeffs '"reg": [256]' 90
	refused "one frequency domain would get two values: '/cpus/cpu@100' 90, '/cpus/cpu@101' 80"
}

@test "performance-domains of several CPU nodes are one frequency domain" {
	sed -i '/^\t*opp-shared;/d; s/operating-points-v2 = <&little_opps>;/& performance-domains = <\&perf>;/
		s/^\tcpus {/\tperf: perf { #performance-domain-cells = <0>; };\n\n&/' board.dts
	[ "$(grep -c performance-domains board.dts)" -eq 2 ]
	dtc -q -O dtb -o board.dtb board.dts
	coeffs '"reg": [256]' 90 '"reg": [257]' 91
	for f in board.dts board.dtb; do
		run --separate-stderr "$FDTEDIT" apply "$f" coeffs.json
		[ "$status" -eq 2 ]
		[[ $stderr == *"one frequency domain would get two values: '/cpus/cpu@100' 90, '/cpus/cpu@101' 91"* ]] ||
			{ echo "$stderr"; false; }
	done
	run --separate-stderr "$FDTEDIT" show board.dtb
	[ "$status" -eq 0 ] && [[ $output == *"domain 0: 2 CPU(s),"* ]] || { echo "$output"; false; }
}

# shared CLOCK NODES - the little CPUs have this instead of opp-shared; NODES are beside /cpus
shared() {
	cp "$TOP/tests/data/big-little.dts" board.dts
	sed -i "/^\t*opp-shared;/d; s/operating-points-v2 = <&little_opps>;/& ${1//&/\\&}/
		s/^\tcpus {/\t${2//&/\\&}\n\n&/" board.dts
}

@test "CPUs whose clock firmware sets are one frequency domain, by clock or by power domain" {
	scmi='scmi { compatible = "arm,scmi"; scmi_perf: protocol@13 { reg = <0x13>; #clock-cells = <1>;
		#power-domain-cells = <1>; }; scmi_clk: protocol@14 { reg = <0x14>; #clock-cells = <1>; }; };
	psci { pd: pd { #power-domain-cells = <0>; }; };'
	scmi=${scmi//$'\n'/ }
	scpi='scpi { dvfs: clocks-0 { compatible = "arm,scpi-dvfs-clocks"; #clock-cells = <1>; }; };'
	coeffs '"reg": [256]' 90 '"reg": [257]' 91
	for clock in 'clocks = <&scmi_perf 1>;' 'clocks = <&scmi_perf 0x1>, <&scmi_clk 3>;' \
		'power-domains = <&pd>, <&scmi_perf 1>; power-domain-names = "psci", "perf";'; do
		shared "$clock" "$scmi"
		refused "one frequency domain would get two values: '/cpus/cpu@100' 90, '/cpus/cpu@101' 91"
	done
	shared 'clocks = <&dvfs 1>;' "$scpi"
	refused "one frequency domain would get two values: '/cpus/cpu@100' 90, '/cpus/cpu@101' 91"
	# Other numbers, other clocks, and other power domains, are not.
	for clock in 'clocks = <&scmi_clk 1>;' 'clocks = <&scmi_clk 1>, <&scmi_perf 1>;' \
		'power-domains = <&pd>, <&scmi_perf 1>; power-domain-names = "perf", "other";' \
		'power-domains = <&scmi_perf 1>;'; do
		shared "$clock" "$scmi"
		gives board.dts -- cpu@100=90 cpu@101=91
	done
	shared 'clocks = <&scmi_perf 1>;' "$scmi"
	sed -i '/little1: /,/clocks/s/scmi_perf 1/scmi_perf 2/' board.dts
	gives board.dts -- cpu@100=90 cpu@101=91
	run --separate-stderr "$FDTEDIT" show board.dts
	[[ $output == *"domain 0: 1 CPU(s),"* ]] || { echo "$output"; false; }
}

@test "a compatible or reg that an #if decides must not decide the cluster" {
	{
		printf '/dts-v1/; / { cpus { #address-cells = <1>; #size-cells = <0>; cpu@0 {\n'
		printf '#ifdef BIG\ncompatible = "arm,cortex-a15", "arm,v8";\n#else\n'
		printf 'compatible = "arm,cortex-a7", "arm,v8";\n#endif\nreg = <0>; }; }; };\n'
	} > a.dts
	for core in a7 a15; do
		coeffs "\"compatible\": \"arm,cortex-$core\"" 90
		cp a.dts was
		run --separate-stderr "$FDTEDIT" apply a.dts coeffs.json
		[ "$status" -eq 2 ] && [ -z "$output" ]
		[ "$stderr" = "fdtedit apply: error: 'a.dts': cluster 'c0' matches '/cpus/cpu@0' in \
one branch of an #if and not in another, by compatible or reg: match it by paths, or edit it by \
hand" ] || { echo "$stderr"; false; }
		cmp a.dts was
	done
	for match in '"compatible": "arm,v8"' '"reg": [0]' '"paths": ["/cpus/cpu@0"]'; do
		coeffs "$match" 90
		gives a.dts -- cpu@0=90
	done
	# One that another replaces in an "#if" only, in another place; and reg.
	printf '/dts-v1/; / { cpus { c: cpu@0 { compatible = "arm,cortex-a7"; reg = <0>; }; }; };
#if X\n&c { compatible = "arm,cortex-a15"; };\n#endif\n' > a.dts
	coeffs '"compatible": "arm,cortex-a7"' 90
	run --separate-stderr "$FDTEDIT" apply -n a.dts coeffs.json
	[ "$status" -eq 2 ] && [[ $stderr == *"in one branch of an #if"* ]]
	sed -i 's/compatible = "arm,cortex-a15"/reg = <1>/' a.dts
	"$FDTEDIT" apply -n a.dts coeffs.json
	coeffs '"reg": [1]' 90
	run --separate-stderr "$FDTEDIT" apply -n a.dts coeffs.json
	[ "$status" -eq 2 ] && [[ $stderr == *"in one branch of an #if"* ]]
	# What always replaces it leaves no doubt.
	sed -i '/^#/d' a.dts
	"$FDTEDIT" apply -n a.dts coeffs.json
}

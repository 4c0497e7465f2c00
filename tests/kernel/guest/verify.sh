# SPDX-License-Identifier: GPL-2.0-or-later
# Booted with a tree that has coefficients: does the kernel's energy model hold them?
# What it was told from stays in sysroot/, to be looked at from elsewhere.
mkdir -p sysroot/sys/kernel/debug sysroot/sys/firmware sysroot/sys/devices/system/cpu
cp -r /sys/kernel/debug/energy_model /sys/kernel/debug/opp sysroot/sys/kernel/debug
cp /sys/firmware/fdt sysroot/sys/firmware
for policy in /sys/devices/system/cpu/cpufreq/policy*; do
	mkdir -p "sysroot/$policy"
	cp "$policy"/*_cpus "$policy"/scaling_* "$policy"/cpuinfo_m* "sysroot/$policy" 2> /dev/null || true
done
for reg in /sys/devices/system/cpu/cpu*/of_node/reg; do
	mkdir -p "sysroot/${reg%/reg}"
	cp "$reg" "sysroot/$reg"
done
calib probe --board /board.dtb > probe.txt || [ $? -eq 1 ]
cat probe.txt
status=0
calib verify /coeffs.json > verify.txt || status=$?
calib verify --json /coeffs.json > verify.json || true
cat verify.txt
exit $status

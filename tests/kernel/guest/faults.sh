# SPDX-License-Identifier: GPL-2.0-or-later
# One fault after the other while calib measures the big cluster, whose CPU is 1.
. /guest/settings.sh
big=$cpu/cpufreq/policy1
device=$(basename "$(ls -d /sys/bus/i2c/drivers/ina2xx/*-0040)")
driver=/sys/bus/i2c/drivers/ina2xx

begin killed
kill -9 "$pid"
ended

begin interrupted
# A shell gives its background jobs no SIGINT.
kill -TERM "$pid"
ended

begin stolen --opps 600,2000 --repeats 1
echo performance > "$big/scaling_governor"
ended

begin limited --opps 600,2000 --repeats 1
echo 200000 > "$big/scaling_max_freq"
ended

begin unbound
echo "$device" > "$driver/unbind"
ended
echo "$device" > "$driver/bind"
for chip in /sys/class/hwmon/hwmon*; do
	[ "$(cat "$chip/name")" = ina231 ] || continue
	echo 100000 > "$chip/shunt_resistor"
	echo 141 > "$chip/update_interval"
done

# Somebody else writes to the chip: power that no rail has, another each time.
garbage() {
	bus=$(basename "$(ls -d /sys/bus/i2c/devices/i2c-*)")
	while :; do
		for value in 0xffff 0x0000 0x0100 0x3412; do
			i2cset -y -f "${bus#i2c-}" 0x40 3 $value w
			sleep 0.05
		done
	done
}
kill -STOP "$simsensor"
garbage > /dev/null 2>&1 &
garbage=$!
begin garbage --opps 600,2000 --repeats 1
ended
kill "$garbage"
kill -CONT "$simsensor"

begin unplugged
echo 0 > $cpu/cpu1/online
ended
echo 1 > $cpu/cpu1/online
sleep 1
# The kernel wakes the policy as it fell asleep.
calib restore
settings | diff unplugged.before - > unplugged.again || true
cat unplugged.again

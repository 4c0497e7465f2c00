# SPDX-License-Identifier: GPL-2.0-or-later
# Experiments under a real cpufreq and real meters: governors are set and come back, and energy is
# what measure sees of the same rail. The first boot of a series.
. /guest/settings.sh
big=$cpu/cpufreq/policy1
rail="--sensor ina231-i2c-2-40/power1"
work="-w pipe:loops=5000 --iterations 2 --warmup 0"
governors="--governors performance,schedutil"
settings > before
calib measure --board /board.dtb --cluster big --opps 2000 --repeats 1 -d run || [ $? -eq 1 ]
# shellcheck disable=SC2086 # lists of words
{
	calib ramp --cpu 1 $governors --repeats 1 $rail --format json > ramp.json
	calib sweep --cpu 1 --hz 73 --loads 20 $governors $rail --format json > sweep.json
	calib bench ab --a-governor performance --b-governor schedutil $work $rail -o ab > ab.txt
	calib bench perf --boot before $work $rail -o series.json
}
settings > after
cmp before after

name=killed
cp before killed.before
calib sweep --cpu 1 --governors performance > killed.txt 2>&1 &
pid=$!
for _ in $(seq 100); do
	[ "$(cat "$big/scaling_governor")" = performance ] && break
	sleep 0.1
done
sleep 1
kill -9 "$pid"
ended

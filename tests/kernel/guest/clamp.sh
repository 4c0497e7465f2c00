# SPDX-License-Identifier: GPL-2.0-or-later
# Without the governor userspace the clock is pinned by its limits.
. /guest/settings.sh
big=$cpu/cpufreq/policy1
calib probe --board /board.dtb > probe.txt
cat probe.txt
begin clamped --opps 600,2000 --repeats 1
ended
cat clamped.run/samples.csv
begin clampkill
kill -9 "$pid"
ended

# SPDX-License-Identifier: GPL-2.0-or-later
# One of the big cluster's two CPUs goes while calib measures it; the policy lives on.
. /guest/settings.sh
big=$(dirname "$(grep -l 2000000 $cpu/cpufreq/policy*/cpuinfo_max_freq)")
read -r _ last < "$big/related_cpus"
begin unplugged
echo 0 > "$cpu/cpu$last/online"
ended
echo 1 > "$cpu/cpu$last/online"
settings | diff unplugged.before - > unplugged.again || true
cat unplugged.again
# One that is offline from the start is brought up for it, and goes back.
echo 0 > "$cpu/cpu$last/online"
begin woken --online --opps 600,2000 --repeats 1
ended
cat woken.run/samples.csv

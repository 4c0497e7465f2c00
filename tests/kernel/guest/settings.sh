# SPDX-License-Identifier: GPL-2.0-or-later
# What calib changes and has to put back; run by other scripts.
cpu=/sys/devices/system/cpu

settings() {
	grep -H . $cpu/cpufreq/policy*/scaling_governor $cpu/cpufreq/policy*/scaling_min_freq \
		$cpu/cpufreq/policy*/scaling_max_freq $cpu/cpu*/online
}

# begin NAME [OPTION...] - measure in the background, until the clock of the big cluster is pinned
begin() {
	name=$1
	shift
	settings > "$name.before"
	calib measure --board /board.dtb --cluster big -d "$name.run" "$@" > "$name.txt" 2>&1 &
	pid=$!
	for _ in $(seq 100); do
		[ "$(cat "$big/scaling_governor")" = userspace ] && break
		[ "$(cat "$big/scaling_min_freq")" = "$(cat "$big/scaling_max_freq")" ] && break
		sleep 0.1
	done
	sleep 2
}

# ended - its exit status, and what is not as it was
ended() {
	wait "$pid" && status=0 || status=$?
	echo "$status" > "$name.status"
	# The guardian of one that was killed needs a moment.
	for _ in $(seq 30); do
		settings > "$name.after"
		cmp -s "$name.before" "$name.after" && break
		sleep 0.1
	done
	diff "$name.before" "$name.after" > "$name.diff" || true
	echo "== $name: status $status"
	tr '\r' '\n' < "$name.txt" | grep -v ETA || true
	cat "$name.diff"
}

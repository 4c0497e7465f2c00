// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The marker load for an external meter: on and off, while the meter's readings are
 * recorded.
 */
#include "calib/linux/stream_clock.h"

#include "calib/linux/meters_stream.h"
#include "calib/measure/stop.h"

#define POLL_NS	   5000000ull
#define MAX_RECORD 500000

/* Let readings come until @end_ns. What is wrong with one shows when all are in. */
static int watch(struct power_meter *pm, const struct stream_player *player,
		 uint64_t end_ns, struct err *err)
{
	struct reading r;
	uint64_t now;
	int ret;

	while ((now = stop_now_ns()) < end_ns) {
		if (now + POLL_NS < end_ns)
			now += POLL_NS;
		else
			now = end_ns;
		ret = player->sleep_until(player->arg, now, err);
		if (ret)
			return ret;
		power_meter_read(pm, stop_now_ns(), &r, NULL);
	}
	return 0;
}

/* Chip @i is on or off from here; what runs already goes on. */
static int switch_load(const struct stream_player *player, unsigned int i,
		       struct err *err)
{
	bool before = i && marker_on(i - 1);

	if (marker_on(i) == before)
		return 0;
	return player->load(player->arg, !before, err);
}

static int play(struct power_meter *pm, const struct stream_player *player,
		struct marker *m, struct err *err)
{
	uint64_t chip_ns = marker_chip_ns(stream_interval_ns(pm));
	int ret = watch(pm, player, stop_now_ns() + chip_ns, err);

	for (unsigned int i = 0; i <= MARKER_CHIPS && !ret; i++) {
		ret = switch_load(player, i, err);
		m->edge_ns[i] = stop_now_ns();
		if (!ret && i < MARKER_CHIPS)
			ret = watch(pm, player, m->edge_ns[i] + chip_ns, err);
	}
	player->load(player->arg, false, NULL);
	/* The last ones are still on their way. */
	return ret ? ret
		   : watch(pm, player, stop_now_ns() + chip_ns + STREAM_MAX_LAG_NS, err);
}

static size_t record_size(const struct power_meter *pm)
{
	uint64_t interval = stream_interval_ns(pm);
	uint64_t ns = (MARKER_CHIPS + 3) * marker_chip_ns(interval) + STREAM_MAX_LAG_NS;
	uint64_t n = 2 * ns / (interval ? interval : 1) + 1000;

	return n < MAX_RECORD ? n : MAX_RECORD;
}

int stream_clock_find(struct power_meter *pm, const struct stream_player *player,
		      double *step_uw, struct err *err)
{
	struct marker m = { { 0 } };
	int ret = stream_record(pm, record_size(pm), err);

	if (!ret)
		ret = play(pm, player, &m, err);
	return ret ? ret : stream_align(pm, &m, step_uw, err);
}

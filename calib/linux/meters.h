/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The power meters of this machine, whatever is behind them:
 *
 *	hwmon	powerN, power averaged by the chip, inN x currN, energyN counters
 *	odroid	sensor_W of the INA231 driver that Hardkernel's own kernels have
 *	iio	in_powerN, in_voltageN x in_currentN, through the device's buffer or sysfs
 *	rapl	energy counters of powercap zones
 *	perf	energy counters of the "power" PMUs
 *	battery	a fuel gauge, of a battery that discharges
 *	stream	readings that another program or a bench meter writes (stream.h)
 *
 * A meter is chosen by what stays the same from boot to boot, never by hwmonN. SPEC is
 *	CHIP@ADDRESS		ina231@0x40, ina231@40
 *	CHIP@BUS-ADDRESS	ina231@3-0040
 *	DEVICE			ina231-i2c-*-40 (as 'sensors' prints it, '*' allowed),
 *BAT0, package-0, energy-pkg
 *	label:TEXT		a label that driver, firmware or sensors.conf gives:
 *label:VDD_ARM Each but the last may have a kind in front ("rapl:core",
 *"iio:ina226@0x40") and
 * "/CHANNEL" behind ("/power2", "/in2", "/energy1", "/voltage1*current3"), where more
 *than one meter would match without. A battery, a RAPL zone and a PMU need their kind.
 */
#ifndef CALIB_LINUX_METERS_H
#define CALIB_LINUX_METERS_H

#include <stdbool.h>
#include <stdint.h>

#include "calib/linux/state.h"
#include "calib/linux/sysfs.h"
#include "calib/measure/machine.h"
#include "lib/err.h"

#define METERS_MAX    128
#define METERS_LABELS 3
#define METERS_PARTS  3
/* More than any board draws; 0xffffffff from a dead firmware is beyond it in every unit.
 */
#define METERS_MAX_UW	   INT64_C(2000000000)
#define METERS_RAPL_US	   1000 /* RAPL counts that often */
#define METERS_STREAM_SPEC "stream"

/* What the power goes through that a meter sees. */
enum meter_scope {
	METER_RAIL,    /* a part of the chip: a cluster, the cores */
	METER_PACKAGE, /* the chip: the cores and more */
	METER_DEVICE,  /* the whole board; never added to the others */
};

struct meter_kind;

/* A meter that is there; not opened. */
struct meter_info {
	const struct meter_kind *kind;
	char name[192];	 /* "ina231-i2c-3-40/power1 VDD_ARM"; up to the blank it is a SPEC
			  */
	char driver[32]; /* "ina231", "intel-rapl" */
	char device[80]; /* the chip: meters that share it are one chip's */
	char alias[32];	 /* another name of it: "core" for package-0/core; or "" */
	int bus, addr;	 /* of I2C and the like; -1: none */
	char channel[32];		/* "power1", "in2", "core", or "" */
	char labels[METERS_LABELS][48]; /* "" where it has none */
	const char *unit;		/* what is read: "uW", "mV x mA", "uJ, counted" */
	enum meter_scope scope;
	uint32_t interval_us; /* between updates, as the driver says; 0: it does not */
	bool averages;	      /* each value is a mean over interval_us */
	/* The kernel collects readings; each read has their mean. Of one in use: not the
	 * slow way. */
	bool buffered;
	bool by_name;	/* one of several views: only by its full name or alias */
	char note[192]; /* what the user must know of it, or "" */
	char enable[SYSFS_PATH]; /* must hold "1" before it measures; "": always on */
	/* the kind's own */
	char path[SYSFS_PATH];
	const void *chip;
	const void *part[METERS_PARTS];
};

/* What there is, as it was when we looked. */
struct meters {
	const struct sysfs *sys;
	struct meter_info *list;
	unsigned int count;
	bool hwmon;	    /* libsensors is up */
	const char *stream; /* of --power-from; NULL: none */
	void *stream_own;   /* shared by all clusters that it measures */
	void *iio_own;	    /* the buffers, shared by the meters of a device */
};

/* A meter in use. Zeroed: none. */
struct power_meter {
	struct meter_info info;
	bool tells_volts; /* of the rail */
	void *own;	  /* the kind's; the reads are in kind->read() */
};

/*
 * meters_open - look for all meters of the machine
 * @sys: borrowed until meters_close(); libsensors always reads the machine's own
 * /sys/class/hwmon
 * @stream: as for stream_open(), borrowed; NULL: none
 *
 * A kind that is not there is no error. libsensors keeps its lists for the whole process:
 * open once, and close power meters before meters_close(). 0, -ENOMEM, -EIO.
 */
int meters_open(struct meters *all, const struct sysfs *sys, const char *stream,
		struct err *err);
/* Takes a zeroed struct. */
void meters_close(struct meters *all);

/*
 * meters_find - the one meter that @spec means
 *
 * Returns 0; -ENODEV no meter matches (the ones there are get named, or what to do when
 * there is none); -EEXIST several match ("2 chips match ...", named); -EINVAL not a SPEC.
 */
int meters_find(const struct meters *all, const char *spec, const struct meter_info **out,
		struct err *err);
/* All meters as "NAME, NAME" into @out, for messages; returns how many. */
unsigned int meters_names(const struct meters *all, char *out, unsigned int size);

/* The kind's name: "hwmon". */
const char *meter_kind_name(const struct meter_info *info);
/* "power1_average, mean over 1000 ms", "uJ, counted; the whole board": one line for
 * lists. Returns @out. */
const char *meter_describe(const struct meter_info *info, char *out, size_t size);

/*
 * power_meter_open - get ready to read
 *
 * Changes nothing. 0; -EACCES with what to do ("permission denied: energy_uj is root-only
 * since CVE-2020-8694"); -EIO it cannot be read; -ENOMEM.
 */
int power_meter_open(const struct meters *all, const struct meter_info *info,
		     struct power_meter *pm, struct err *err);
/*
 * power_meter_ready - may it be used now?
 *
 * 0; -EBUSY a battery that does not discharge; -ENODATA a stream that does not come.
 */
int power_meter_ready(const struct power_meter *pm, struct err *err);
/*
 * Around a measurement. Save what will be set, before settings_commit(); start; and stop
 * before the settings are put back. One that was not started may be read too, only not
 * through a buffer, nor while it is switched off. power_meter_start() returns 0, also
 * when it is read the slow way after all: @note, which may be NULL, is told why; -errno:
 * it cannot be used. Save and stop take a zeroed struct, and stop may be called at any
 * time.
 */
int power_meter_may_start(const struct power_meter *pm, const struct sysfs *sys,
			  struct err *err);
/* Would it change a setting? */
bool power_meter_changes(const struct power_meter *pm, const struct sysfs *sys);
int power_meter_save(struct power_meter *pm, struct state *st, struct err *err);
int power_meter_start(struct power_meter *pm, const struct sysfs *sys,
		      void (*note)(void *arg, const char *text), void *note_arg,
		      struct err *err);
void power_meter_stop(struct power_meter *pm);
/*
 * power_meter_each - readings that come several at a time, one by one
 * @told: told each while power_meter_read() is on its way, with the time it was taken;
 * NULL ends it
 *
 * Only where readings have times of their own, by a clock that is known, which
 * power_meter_timed() tells of one that was started.
 */
struct meter_told {
	void (*reading)(void *arg, uint64_t time_ns, double power_uw);
	void *arg;
};
void power_meter_each(struct power_meter *pm, const struct meter_told *told);
bool power_meter_timed(const struct power_meter *pm);
/*
 * power_meter_read - one reading
 * @now_ns: of the clock that the readings shall have; counters divide by its differences
 *
 * Hot path: allocates nothing. Fills @r; volt_uv is 0 when it does not tell the rail's.
 * Returns 0; -EAGAIN try again (a counter needs two reads, and drops what it counted
 * across a reset); -EIO a bad reading: the read failed, or the value is negative, all
 * ones, or more than anything draws; -EBUSY a charger was plugged in.
 */
int power_meter_read(struct power_meter *pm, uint64_t now_ns, struct reading *r,
		     struct err *err);
/*
 * power_meter_counted - what an energy counter has counted so far
 * @uj: up to the last power_meter_read(), from anywhere; take differences
 * @lost: how many intervals between reads it cannot tell (a reset, a wrap); when that
 *	  grew, the difference is less than what was drawn
 *
 * Returns whether the meter is a counter.
 */
bool power_meter_counted(const struct power_meter *pm, double *uj, unsigned int *lost);
/*
 * power_meter_show - one reading without a measurement around it, for lists
 *
 * Opens, reads (a counter twice, 20 ms apart; a stream when it has come, within 10 s),
 * closes. Returns what the above return.
 */
int power_meter_show(const struct meters *all, const struct meter_info *info,
		     struct reading *r, struct err *err);
/* Takes a zeroed struct. */
void power_meter_close(struct power_meter *pm);

#endif

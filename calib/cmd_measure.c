// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib measure: power at every operating point, into a run.
 */
#include "calib/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/measure/stop.h"
#include "calib/measure/talk.h"
#include "calib/measure_job.h"

const struct measure_options measure_defaults = {
	.run = RUN_DEFAULT,
	.repeats = PLAN_ROUNDS_AUTO,
	.seed = 1,
};

static void print_plans(const struct job *job)
{
	uint64_t time_ns = 0;
	char text[32];

	for (unsigned int i = 0; i < job->cluster_count; i++) {
		talk_plan(stdout, &job->info, &job->plans[i]);
		time_ns += plan_time_ns(&job->plans[i]);
	}
	printf("total about %s of board time; rows would be added to '%s'\n",
	       talk_time(time_ns, text, sizeof(text)), job->opts->run);
}

static int carry_out(struct job *job, struct err *err)
{
	int ret = job_continue_clock(job, err);

	if (!ret)
		ret = job_measure(job, err);
	if (ret)
		return ret;
	if (!job->rows && job->windows_all)
		return err_set(err, -ETIME, "the time limit is too short for one window");
	if (!strcmp(job->opts->run, RUN_DEFAULT))
		fprintf(stderr, "next: calib fit > coeffs.json\n");
	else
		fprintf(stderr, "next: calib fit -d '%s' > coeffs.json\n",
			job->opts->run);
	return job->too_coarse;
}

static int run_job(struct job *job, struct err *err)
{
	int ret = job_prepare(job, err);

	if (ret)
		return ret;
	job_tell_session(job);
	if (job->opts->resume && !job->windows_all && !(job_precision(job->opts) > 0))
		return 0;
	if (!job->opts->dry_run)
		return carry_out(job, err);
	print_plans(job);
	return 0;
}

static int run_measure(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
		       struct err *err)
{
	struct job *job = calloc(1, sizeof(*job));
	struct stop stop;
	int ret;

	(void)argc;
	(void)argv;
	if (!job)
		return err_set(err, -ENOMEM, "out of memory");
	job->ctx = ctx;
	job->opts = options;
	stop_begin(&stop);
	ret = run_job(job, err);
	job_free(job);
	free(job);
	/* What a signal asked for has been done; the message and the status say so. */
	stop_drop();
	stop_end(&stop);
	return ret;
}

/* Silicon ends before. */
#define MAX_TEMP_DEGREES 200

#define OPT(member) offsetof(struct measure_options, member)

static const struct opt measure_opts[] = {
	{ "cluster", 0, OPT_LIST, OPT(clusters), "NAME",
	  "measure this cluster; default: all that have a sensor" },
	{ "board", 0, OPT_STRING, OPT(board), "BOARD",
	  "a board's name, a .dtb file, or virtual:NAME for its virtual twin" },
	{ "sensor", 0, OPT_LIST, OPT(sensors), "CLUSTER=SENSOR",
	  "which meter measures CLUSTER: 'a15=ina231@0x40', 'a15=label:VDD_ARM'" },
	{ "power-from", 0, OPT_STRING, OPT(power_from), "SOURCE",
	  "an external meter's readings: a command, FIFO, device or growing file (see "
	  "below)" },
	{ "voltages", 0, OPT_STRING, OPT(voltages), "FILE",
	  "voltages where no meter tells them: CPU.KHZ=MICROVOLT, blank-separated" },
	{ "boost", 0, OPT_FLAG, OPT(boost), NULL,
	  "measure boost clocks too: boost is switched on, and off again after" },
	{ "online", 0, OPT_FLAG, OPT(online), NULL,
	  "measure offline CPUs too: they are brought online, and put offline again "
	  "after" },
	{ "cpus", 0, OPT_STRING, OPT(cpus), "LIST",
	  "how many CPUs to load, 0 is idle: '0-2,4'; default: none, one and all" },
	{ "opps", 0, OPT_STRING, OPT(opps), "LIST",
	  "operating points: '200,1400' (MHz) or '1.4GHz'; default: all" },
	{ "loads", 0, OPT_STRING, OPT(loads), "LIST",
	  "what the CPUs run, see above: 'int,simd,dram'; default: int" },
	{ "load-cmd", 0, OPT_STRING, OPT(load_cmd), "COMMAND",
	  "run COMMAND on each loaded CPU, too; its rows' load is 'cmd'" },
	{ "repeats", 0, OPT_U32, OPT(repeats), "N",
	  "visit every operating point N times; default: once, more often where there "
	  "are few",
	  .min = 1, .max = PLAN_MAX_ROUNDS },
	{ "seed", 0, OPT_U32, OPT(seed), "N",
	  "of the random order, and which virtual board it is; default: 1" },
	{ "precision", 0, OPT_PERCENT, OPT(precision), "PCT",
	  "go on until C is known to PCT (half of its 95 % interval); default: 1%, or "
	  "what 3 rounds give" },
	{ "time-limit", 0, OPT_DURATION_NS, OPT(time_limit_ns), "TIME",
	  "end after TIME of board time ('90s', '10m'), with what was measured" },
	{ "run", 'd', OPT_STRING, OPT(run), "DIR", "where rows are added" },
	{ "raw", 0, OPT_FLAG, OPT(raw), NULL,
	  "keep each reading too, in RUN/raw.csv, for 'calib fit --raw'" },
	{ "max-temp", 0, OPT_U32, OPT(max_temp), "DEGREES",
	  "start no load above so many degrees Celsius, wait; default: 5 below where the "
	  "kernel cuts the clock",
	  .min = 1, .max = MAX_TEMP_DEGREES },
	{ "thermal-mode", 0, OPT_STRING, OPT(thermal_mode), "MODE",
	  "keep the kernel from cutting the clock for heat; read the warning above first",
	  .choices = "user_space|disabled" },
	{ "sysroot", 0, OPT_STRING, OPT(sysroot), "DIR",
	  "look for /sys and /proc of the machine below DIR" },
	{ "fault", 0, OPT_STRING, OPT(faults), "LIST",
	  "break the virtual board: clock, stuck, reads, charger, spikes, hot, pmu" },
	{ "resume", 0, OPT_FLAG, OPT(resume), NULL,
	  "carry on an interrupted run: measure what is missing of its plan" },
	{ "dry-run", 'n', OPT_FLAG, OPT(dry_run), NULL,
	  "print the plan and how long it takes; write nothing" },
	{ NULL },
};

const struct cmd cmd_measure = {
	.name = "measure",
	.args = "",
	.summary = "measure a cluster's power at every operating point",
	.help = "Pins the clock of a cluster to each of its operating points in random "
		"order, loads none, one and all of its CPUs there, waits until the meter "
		"has "
		"forgotten what was before, and averages the meter's readings over a "
		"window: one row of RUN/samples.csv. What the machine is goes to "
		"RUN/board.json. Other clusters stand idle at their lowest clock.\n"
		"\n"
		"The several CPU counts are what tells the power of one CPU from that of "
		"the clock and the cache they share, and from leakage.\n"
		"\n"
		"It begins warm: a load runs until neither power nor temperature has a "
		"trend. Then every operating point is visited once, hot and cool ones in "
		"turn, and from there on only while C is not known to --precision, which "
		"is looked up by the fit that 'calib fit' makes. With --opps, --cpus or "
		"--repeats the plan is carried out as it is, unless --precision is "
		"given too. Where the clock is cut by heat, the window is taken once "
		"more "
		"after cooling. When another program changes governor or limits, it is "
		"told what, and the window is taken again.\n"
		"\n"
		"Rows are added: 'calib measure --cluster a15' and then '--cluster a7' "
		"give one run, and measuring a cluster again makes it more precise. A "
		"row "
		"with something wrong (clock not as asked, throttled, meter stuck, still "
		"drifting) is kept and flagged; 'calib fit' decides.\n"
		"\n"
		"CPUs that are offline stay so: a cluster is measured with those that "
		"are online, and one without any is left out. --online brings its "
		"others up while it is measured, and puts them offline again in every "
		"kind of end. What a cluster that is wholly offline offers is looked up "
		"by bringing it online for a moment first.\n"
		"\n"
		"--thermal-mode is for boards that would be throttled at the operating "
		"points of interest. All thermal zones that can cut the cluster's clock "
		"then have the governor user_space, or are disabled, until the run ends; "
		"they get their own back however it ends. With user_space a critical "
		"trip point still shuts the board down; with disabled, Linux since 5.9 "
		"acts on no trip point of the zone at all, and only what the hardware "
		"does by itself is left. Fans that those zones drive stay as they are. "
		"In "
		"their place calib looks at the zones ten times a second and ends the "
		"run 10 degrees below a critical trip point, at --max-temp, or when a "
		"zone cannot be read; no load starts less than 5 degrees below that. If "
		"calib is stopped or hangs, nobody looks.\n"
		"\n"
		"Loads, one thread per CPU; each counts its work:\n"
		"\n"
		"  int      integer mix in L1: hashing, lists, strings, branches, "
		"matrices\n"
		"  float    floating point, each step waits for the one before\n"
		"  simd     multiply and add on vectors of four floats; 32-bit Arm needs "
		"NEON\n"
		"  branchy  branches that no predictor gets right\n"
		"  l1       stream through half of the L1 data cache\n"
		"  l2       stream through half of the L2 cache\n"
		"  dram     stream through memory, 4 times the last cache\n"
		"  chase    one read from memory after the other, 4 times the last "
		"cache\n"
		"  spin     busy wait for a flag\n"
		"  idle     sleeping threads: what loading by itself costs\n"
		"  cmd      the command of --load-cmd; its work is not known\n"
		"\n"
		"--load-cmd takes any program, such as 'dhrystone 100000000': one "
		"process "
		"per loaded CPU, pinned there, killed with all that it started when the "
		"window ends, and however calib ends. One that ends with status 0 is run "
		"again, with another it is an error. Blanks part its words, quotes and "
		"backslashes hold them together, nothing is expanded; what needs a shell "
		"is written with one, \"sh -c 'a; b'\". With threads of its own it "
		"shares one CPU.\n"
		"\n"
		"Meters: hwmon and IIO chips by 'CHIP@ADDRESS' or 'label:TEXT' as "
		"'ina231@0x40', 'rapl:core' or 'rapl:package', 'perf:energy-cores', "
		"'battery:BAT0' while it discharges; with '/CHANNEL' behind where a chip "
		"has several. hwmon numbers change from boot to boot and are not taken. "
		"An IIO device with a buffer that nobody else uses is read through it: "
		"the kernel collects the readings, with their times, and calib takes the "
		"mean of those that came; 'calib probe' says which way it is.\n"
		"\n"
		"How often a meter updates is looked up under load. One that does not "
		"say "
		"is watched for 20 s, and where nothing changes for 3 minutes more, as "
		"fuel gauges may take a minute. Windows last several updates: lower the "
		"poll interval where its driver has one.\n"
		"\n"
		"--power-from takes any bench meter: lines of CSV text with a header "
		"that "
		"has a time (time_s, time_ms, time_us or time_ns, of any clock) and a "
		"power (power_w, power_mw or power_uw); other columns are ignored. It "
		"measures the clusters that have no --sensor. Its clock is found by a "
		"marker load, on and off for some seconds before the first window, which "
		"must show in the readings; they may come up to 3 s late.\n"
		"\n"
		"On Ctrl-C, SIGTERM or a hang-up the load stops, the machine is put back "
		"as "
		"it was, all finished rows are kept, and the exit status is 2. After "
		"that, a kill or a power cut, --resume measures the windows that are "
		"missing, with the options that RUN/plan.json holds: the run then has "
		"what it would have had without the interruption.\n"
		"\n"
		"Next: 'calib fit > coeffs.json'.",
	.example = "calib measure --cluster a15\n"
		   "calib measure --cluster a7\n"
		   "calib measure --resume\n"
		   "calib measure --board virtual:odroid-xu3 -d try\n"
		   "calib measure -n --cluster a15 --opps 600,1400,2000 --cpus 0-2",
	.opts = measure_opts,
	.opts_size = sizeof(struct measure_options),
	.defaults = &measure_defaults,
	.run = run_measure,
};

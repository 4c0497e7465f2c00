// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib bench compare: results beside each other, as in a cover letter.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/bench/boots.h"
#include "calib/bench/comparison.h"
#include "calib/bench/result.h"
#include "calib/commands.h"

struct compare_cmd_options {
	const char *format;
	struct opt_list metrics;
	bool force;
};

/* One call. */
struct job {
	struct comparison comparison;
	struct bench_result results[COMPARISON_MAX_FILES];
	struct bench_result series; /* of boots; the results are its states */
};

static int read_files(struct job *job, int argc, char **argv, struct err *err)
{
	int ret = 0;

	for (int i = 0; i < argc && !ret; i++) {
		job->comparison.files[i] = (struct comparison_file){ argv[i],
								     &job->results[i] };
		job->comparison.file_count++;
		ret = bench_result_read(argv[i], &job->results[i], err);
	}
	return ret;
}

/* The states of the series, as if each were a file. */
static int split_series(struct job *job, const char *path, struct err *err)
{
	struct boots_state states[BOOTS_MAX_STATES];
	struct comparison *c = &job->comparison;
	unsigned int n, boots = 0;
	int ret = 0;

	job->series = job->results[0];
	memset(&job->results[0], 0, sizeof(job->results[0]));
	n = boots_states(&job->series, states);
	if (n < 2)
		return err_set(err, -EINVAL,
			       "'%s': all boots are of '%s'; boot another state, and run "
			       "with --boot and its name",
			       path, states[0].name);
	for (unsigned int i = 0; i < n; i++)
		boots += states[i].boots;
	if (boots < job->series.boot_count)
		return err_set(err, -EINVAL, "'%s': more than %d states", path,
			       BOOTS_MAX_STATES);
	c->file_count = n;
	for (unsigned int i = 0; i < n && !ret; i++) {
		c->files[i] = (struct comparison_file){ states[i].name,
							&job->results[i] };
		ret = boots_pick(&job->series, states[i].name, -1, &job->results[i], err);
	}
	return ret;
}

static int take_files(struct job *job, int argc, char **argv, struct err *err)
{
	int ret = read_files(job, argc, argv, err);

	if (ret)
		return ret;
	if (argc == 1 && job->results[0].boot_count)
		return split_series(job, argv[0], err);
	if (argc == 1)
		return err_set(err, -EINVAL,
			       "'%s' is no series of boots: give a second file to "
			       "compare it with",
			       argv[0]);
	for (int i = 0; i < argc; i++)
		if (job->results[i].boot_count)
			return err_set(err, -EINVAL,
				       "'%s' is a series of boots, which is compared by "
				       "itself",
				       argv[i]);
	return 0;
}

static int compare_files(struct job *job, const struct compare_cmd_options *o,
			 struct err *err)
{
	const struct comparison_options opts = {
		.metrics = o->metrics.items,
		.metric_count = o->metrics.n,
		.force = o->force,
	};
	int ret = comparison_make(&job->comparison, &opts, err);

	if (ret)
		return ret;
	if (!strcmp(o->format, "json"))
		return comparison_print_json(&job->comparison, stdout, err);
	return comparison_print(&job->comparison, stdout, !strcmp(o->format, "markdown"),
				err);
}

static int run_bench_compare(struct cmd_ctx *ctx, const void *options, int argc,
			     char **argv, struct err *err)
{
	struct job *job = calloc(1, sizeof(*job));
	int ret;

	(void)ctx;
	if (!job)
		return err_set(err, -ENOMEM, "out of memory");
	ret = take_files(job, argc, argv, err);
	if (!ret)
		ret = compare_files(job, options, err);
	comparison_free(&job->comparison);
	for (unsigned int i = 0; i < COMPARISON_MAX_FILES; i++)
		bench_result_free(&job->results[i]);
	bench_result_free(&job->series);
	free(job);
	return ret;
}

#define OPT(member) offsetof(struct compare_cmd_options, member)

static const struct opt compare_opts[] = {
	{ "format", 0, OPT_STRING, OPT(format), "FORMAT", "how to print it",
	  "text|markdown|json" },
	{ "metric", 0, OPT_LIST, OPT(metrics), "METRIC",
	  "time, energy (the total), energy:RAIL or late-wakeups; default: all" },
	{ "force", 0, OPT_FLAG, OPT(force), NULL,
	  "compare workloads that are not the same, by their position" },
	{ NULL },
};

static const struct compare_cmd_options compare_defaults = { .format = "text" };

const struct cmd cmd_bench_compare = {
	.name = "bench compare",
	.args = "A.json B.json... | SERIES.json",
	.summary =
		"compare results of 'calib bench': is the difference more than chance?",
	.help = "Prints the table of a cover letter, one row per metric: mean and "
		"relative standard deviation (RSD) of each file, and how far each is "
		"above the first. Then what reviewers ask: the 95 % interval of the "
		"difference, the probability of so large a difference by chance "
		"(Welch's test, which compares means, and Mann and Whitney's, which "
		"compares ranks and does not mind a few wild values), and which "
		"difference so many iterations would have found four times out of "
		"five: a smaller one may be there, unseen.\n"
		"\n"
		"Below: outliers, which are named and kept in all figures; drift of each "
		"side; where the sides took turns ('calib bench ab') the difference "
		"within pairs, from which drift drops out, and what being the second of "
		"a pair does; and what else differs between the files, as governor or "
		"kernel.\n"
		"\n"
		"Of a series of boots (--boot of 'calib bench perf') the sides are its "
		"states, and boots are what is independent: mean, RSD, interval, tests, "
		"outliers and pairs are of boots, each the mean of its iterations. "
		"Beside that it tells how far iterations of one boot differ, and boots "
		"beyond that; drift over the series; which boot of a state was not like "
		"its first; and what iterations would say, if all boots were alike. A "
		"boot that was interrupted is named. With "
		"one boot of a state no probability is told: nothing tells a boot from "
		"the change.\n"
		"\n"
		"Files must be of the same workloads with the same parameters; else the "
		"first difference is named and nothing is compared. What an interrupted "
		"file has no iteration of is left out. Files of virtual boards are "
		"compared with each other only, and marked VIRTUAL. The "
		"exit status is 0 whatever comes out.",
	.example = "calib bench compare before.json after.json\n"
		   "calib bench compare trees.json   # a series of boots\n"
		   "calib bench compare --metric time --format markdown before.json "
		   "after.json",
	.opts = compare_opts,
	.opts_size = sizeof(struct compare_cmd_options),
	.defaults = &compare_defaults,
	.min_args = 1,
	.max_args = COMPARISON_MAX_FILES,
	.run = run_bench_compare,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib bench compare: results beside each other, as in a cover letter.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	ret = read_files(job, argc, argv, err);
	if (!ret)
		ret = compare_files(job, options, err);
	comparison_free(&job->comparison);
	for (unsigned int i = 0; i < COMPARISON_MAX_FILES; i++)
		bench_result_free(&job->results[i]);
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
	.args = "A.json B.json...",
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
		"Files must be of the same workloads with the same parameters; else the "
		"first difference is named and nothing is compared. What an interrupted "
		"file has no iteration of is left out. Files of virtual boards are "
		"compared with each other only, and marked VIRTUAL. The "
		"exit status is 0 whatever comes out.",
	.example = "calib bench perf -o before.json   # then boot the other tree\n"
		   "calib bench perf -o after.json\n"
		   "calib bench compare before.json after.json\n"
		   "calib bench compare --metric time --format markdown before.json "
		   "after.json",
	.opts = compare_opts,
	.opts_size = sizeof(struct compare_cmd_options),
	.defaults = &compare_defaults,
	.min_args = 2,
	.max_args = COMPARISON_MAX_FILES,
	.run = run_bench_compare,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib boards: what boards are known, and which one this machine is.
 */
#include "calib/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boards/board.h"
#include "lib/cpulist.h"
#include "lib/json.h"

struct boards_options {
	bool json;
	const char *sysroot;
};

/* Which built-in board this machine is. */
struct here {
	char compatible[64]; /* of the device tree, "" without one */
	char board[32];	     /* "" when none */
};

/* "cortex-a15" of "arm,cortex-a15" */
static const char *core_name(const struct board_cluster *cl)
{
	const char *comma = strchr(cl->compatible, ',');

	return comma ? comma + 1 : cl->compatible;
}

static const char *sensor_text(const struct board *b, unsigned int cluster, char *out,
			       size_t size)
{
	const struct board_sensor *s = board_sensor(b, cluster);

	return s ? board_sensor_format(s, out, size) : "no sensor";
}

static void print_ratio(const struct board *b)
{
	const char *little = b->clusters[0].name;
	const char *big = b->clusters[b->cluster_count - 1].name;

	if (b->has_ratio)
		printf("  ratio %s/%s expected in %g..%g\n", big, little, b->ratio_min,
		       b->ratio_max);
}

static bool measures_a_cluster(const struct board *b)
{
	for (unsigned int i = 0; i < b->cluster_count; i++)
		if (board_sensor(b, i))
			return true;
	return false;
}

static void print_short(const struct board *b, bool here)
{
	char sensor[128];
	unsigned int i;

	printf("%s  %s%s\n", b->name, b->model, here ? "  (this machine)" : "");
	for (i = 0; i < b->cluster_count; i++) {
		const struct board_cluster *cl = &b->clusters[i];

		printf("  %-4s %ux %-11s %2u OPPs %u..%u MHz  %s\n", cl->name,
		       cl->cpu_count, core_name(cl), cl->opp_count,
		       cl->opps[0].khz / 1000, cl->opps[cl->opp_count - 1].khz / 1000,
		       sensor_text(b, i, sensor, sizeof(sensor)));
	}
	print_ratio(b);
	if (measures_a_cluster(b))
		printf("  without hardware: --board virtual:%s\n\n", b->name);
	else
		printf("  no sensor of its own: 'calib measure --power-from' takes a "
		       "bench "
		       "meter's readings\n\n");
}

static void print_truth(const struct board_truth *t)
{
	printf("  truth of the virtual twin: dynamic-power-coefficient %u, shared clock "
	       "%u "
	       "uW/MHz/V^2,\n    leakage %u uW at 1 V and %u C (%+.1f %%/K), droop %u "
	       "uohm\n",
	       t->dpc_uw_per_mhz_v2, t->uncore_uw_per_mhz_v2, t->leak_uw_per_v3,
	       t->leak_ref_mc / 1000, t->leak_ppm_per_k * 1e-4, t->droop_uohm);
}

static void print_cluster(const struct board *b, unsigned int i)
{
	const struct board_cluster *cl = &b->clusters[i];
	char text[256];
	unsigned int k;

	printf("\ncluster %s: %ux %s\n", cl->name, cl->cpu_count, cl->compatible);
	printf("  CPUs %s, reg",
	       cpulist_format(cl->cpus, cl->cpu_count, text, sizeof(text)));
	for (k = 0; k < cl->cpu_count; k++)
		printf(" 0x%" PRIx64, cl->reg[k]);
	if (cl->capacity_dmips_mhz)
		printf(", capacity-dmips-mhz %u", cl->capacity_dmips_mhz);
	printf("\n  power: %s\n", sensor_text(b, i, text, sizeof(text)));
	if (cl->has_truth)
		print_truth(&cl->truth);
	if (cl->opp_count)
		printf("  %8s  %8s\n", "MHz", "mV");
	for (k = 0; k < cl->opp_count; k++) {
		printf("  %8g  ", cl->opps[k].khz / 1e3);
		if (cl->opps[k].volt_uv)
			printf("%8g\n", cl->opps[k].volt_uv / 1e3);
		else
			printf("%8s\n", "unknown");
	}
}

static void print_long(const struct board *b, bool here)
{
	char text[128];
	unsigned int i;

	printf("%s  %s%s\n", b->name, b->model, here ? "  (this machine)" : "");
	printf("  compatible %s%s%s\n", b->compatible[0] ? b->compatible : "unknown",
	       b->soc[0] ? ", SoC " : "", b->soc);
	print_ratio(b);
	if (b->has_ratio)
		printf("    (%s)\n", b->ratio_source);
	for (i = 0; i < b->sensor_count; i++)
		if (!b->sensors[i].clusters)
			printf("  also measured: %s\n",
			       board_sensor_format(&b->sensors[i], text, sizeof(text)));
	for (i = 0; i < b->cluster_count; i++)
		print_cluster(b, i);
}

static int put_cluster(struct json *arr, const struct board *b, unsigned int i)
{
	const struct board_cluster *cl = &b->clusters[i];
	struct json *obj = json_new_object(), *cpus = json_new_array();
	struct json *reg = json_new_array(), *opps = json_new_array();
	char sensor[128];
	unsigned int k;
	int ret = 0;

	for (k = 0; k < cl->cpu_count; k++) {
		ret |= json_add_u64(cpus, cl->cpus[k]);
		ret |= json_add_u64(reg, cl->reg[k]);
	}
	for (k = 0; k < cl->opp_count; k++) {
		struct json *opp = json_new_object();

		ret |= json_put_u64(opp, "khz", cl->opps[k].khz);
		if (cl->opps[k].volt_uv)
			ret |= json_put_u64(opp, "microvolt", cl->opps[k].volt_uv);
		ret |= json_add(opps, opp);
	}
	ret |= json_put_str(obj, "name", cl->name);
	ret |= json_put_str(obj, "compatible", cl->compatible);
	ret |= json_put(obj, "cpus", cpus);
	ret |= json_put(obj, "reg", reg);
	if (cl->capacity_dmips_mhz)
		ret |= json_put_u64(obj, "capacity-dmips-mhz", cl->capacity_dmips_mhz);
	if (board_sensor(b, i))
		ret |= json_put_str(obj, "sensor",
				    sensor_text(b, i, sensor, sizeof(sensor)));
	if (cl->has_truth)
		ret |= json_put_u64(obj, "virtual-dynamic-power-coefficient",
				    cl->truth.dpc_uw_per_mhz_v2);
	ret |= json_put(obj, "opps", opps);
	return ret | json_add(arr, obj);
}

static int put_board(struct json *arr, const struct board *b)
{
	struct json *obj = json_new_object(), *clusters = json_new_array();
	struct json *ratio;
	unsigned int i;
	int ret = 0;

	ret |= json_put_str(obj, "name", b->name);
	ret |= json_put_str(obj, "model", b->model);
	ret |= json_put_str(obj, "compatible", b->compatible);
	ret |= json_put_str(obj, "soc", b->soc);
	if (b->has_ratio) {
		ratio = json_new_object();
		ret |= json_put_real(ratio, "min", b->ratio_min, 6);
		ret |= json_put_real(ratio, "max", b->ratio_max, 6);
		ret |= json_put_str(ratio, "source", b->ratio_source);
		ret |= json_put(obj, "ratio", ratio);
	}
	for (i = 0; i < b->cluster_count; i++)
		ret |= put_cluster(clusters, b, i);
	ret |= json_put(obj, "clusters", clusters);
	return ret | json_add(arr, obj);
}

static int put_here(struct json *root, const struct here *here)
{
	struct json *obj = json_new_object();
	int ret = 0;

	if (here->compatible[0])
		ret |= json_put_str(obj, "compatible", here->compatible);
	if (here->board[0])
		ret |= json_put_str(obj, "board", here->board);
	return ret | json_put(root, "machine", obj);
}

static int print_json(struct board *b, const char *spec, const struct here *here,
		      struct err *err)
{
	struct json *root = json_new_object(), *arr = json_new_array();
	size_t i;
	int ret = 0;

	for (i = 0; !spec && !ret && board_name(i); i++) {
		ret = board_load(board_name(i), b, err);
		if (!ret && put_board(arr, b))
			ret = err_set(err, -EINVAL, "board '%s' cannot be told in JSON",
				      b->name);
	}
	if (spec && put_board(arr, b))
		ret = err_set(err, -EINVAL, "board '%s' cannot be told in JSON", b->name);
	if (json_put(root, "boards", arr) | put_here(root, here))
		ret = ret ? ret : err_set(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = json_write(root, stdout, err);
	json_free(root);
	return ret;
}

static int find_here(const char *root, struct board *b, struct here *here,
		     struct err *err)
{
	int ret;

	if (access(root, X_OK))
		return err_errno(err, -errno, "sysroot '%s'", root);
	ret = board_match_root(root, b, here->compatible, sizeof(here->compatible), err);

	if (ret < 0)
		return ret;
	if (ret)
		snprintf(here->board, sizeof(here->board), "%s", b->name);
	return 0;
}

static void print_here(const struct here *here)
{
	if (here->board[0])
		printf("this machine: %s\n", here->board);
	else if (here->compatible[0])
		printf("this machine: none of them; its device tree says '%s'\n",
		       here->compatible);
	else
		printf("this machine: none of them; it has no device tree\n");
}

static int list(struct board *b, const struct here *here, struct err *err)
{
	size_t i;
	int ret;

	for (i = 0; board_name(i); i++) {
		ret = board_load(board_name(i), b, err);
		if (ret)
			return ret;
		print_short(b, !strcmp(b->name, here->board));
	}
	print_here(here);
	return 0;
}

static int run_boards(struct cmd_ctx *ctx, const void *opts, int argc, char **argv,
		      struct err *err)
{
	const struct boards_options *o = opts;
	const char *spec = argc ? argv[0] : NULL;
	struct board *b = malloc(sizeof(*b));
	struct here here = { 0 };
	bool virtual_board;
	int ret;

	(void)ctx;
	if (!b)
		return err_set(err, -ENOMEM, "out of memory");
	ret = find_here(o->sysroot, b, &here, err);
	if (!ret && spec)
		ret = board_open(spec, b, &virtual_board, err);
	if (ret)
		goto out;
	if (o->json)
		ret = print_json(b, spec, &here, err);
	else if (spec)
		print_long(b, !strcmp(b->name, here.board));
	else
		ret = list(b, &here, err);
out:
	free(b);
	return ret;
}

static const struct opt boards_opts[] = {
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct boards_options, json),
	  .help = "print JSON" },
	{ .name = "sysroot",
	  .kind = OPT_STRING,
	  .offset = offsetof(struct boards_options, sysroot),
	  .arg = "DIR",
	  .help = "look for this machine's tree below DIR instead of /" },
	{ NULL },
};

static const struct boards_options boards_defaults = { .sysroot = "/" };

const struct cmd cmd_boards = {
	.name = "boards",
	.args = "[BOARD]",
	.summary = "list the known boards and say which one this machine is",
	.help = "A board description says which CPUs form a cluster, which sensor "
		"measures "
		"it, and in which band the ratio of big to LITTLE coefficients is "
		"expected. "
		"This machine is matched by the compatible of its device tree, or as "
		"Intel "
		"hybrid by its PMUs. A machine that is none of them can be measured all "
		"the "
		"same: a description only saves you options.\n"
		"\n"
		"With BOARD, the name of one or a compiled description of your own (a "
		".dtb "
		"file), all that is known about it is shown. A board's tree without our "
		"/calib "
		"node is shown as it is: clusters and operating points.\n"
		"\n"
		"Each built-in board with a sensor also has a virtual twin, whose true "
		"coefficients "
		"are "
		"known and shown: measure it to see what calib does and how well. Next: "
		"'calib probe' on the machine, 'calib measure' on either.",
	.example = "calib boards\n"
		   "calib boards odroid-xu3\n"
		   "calib boards my-board.dtb\n"
		   "calib measure --board virtual:odroid-xu3 --cluster a15",
	.opts = boards_opts,
	.opts_size = sizeof(struct boards_options),
	.defaults = &boards_defaults,
	.min_args = 0,
	.max_args = 1,
	.run = run_boards,
};

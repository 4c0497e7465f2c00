// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RUN/board.json in and out.
 */
#include "calib/runinfo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/json.h"
#include "lib/outfile.h"

#define FILE_NAME "board.json"

int runinfo_path(const char *run, const char *name, char *out, size_t size,
		 struct err *err)
{
	size_t len = strlen(run);
	const char *slash = len && run[len - 1] == '/' ? "" : "/";

	if (!len)
		return err_set(err, -EINVAL, "the name of the run is empty");
	if (snprintf(out, size, "%s%s%s", run, slash, name) >= (int)size)
		return err_errno(err, -ENAMETOOLONG, "'%.100s...'", run);
	return 0;
}

const struct runinfo_cluster *runinfo_cluster(const struct runinfo *info,
					      const char *name)
{
	for (unsigned int i = 0; i < info->cluster_count; i++)
		if (!strcmp(info->clusters[i].name, name))
			return &info->clusters[i];
	return NULL;
}

/* A list of up to @max items; *@n is 0 when the key is absent. */
static int optional_array(const struct json *obj, const char *key, size_t max,
			  const struct json **out, unsigned int *n, struct err *err)
{
	int ret;

	*n = 0;
	if (!json_has(obj, key))
		return 0;
	ret = json_get_array(obj, key, out, err);
	if (ret)
		return ret;
	if (json_len(*out) > max)
		return err_set(err, -EINVAL,
			       "key '%s' has %zu entries, up to %zu are taken", key,
			       json_len(*out), max);
	*n = json_len(*out);
	return 0;
}

static int read_cpus(const struct json *obj, struct runinfo_cluster *c, struct err *err)
{
	const struct json *arr = NULL;
	uint64_t v = 0;
	int ret;

	ret = optional_array(obj, "cpus", BOARD_MAX_CPUS, &arr, &c->cpu_count, err);
	for (unsigned int i = 0; i < c->cpu_count && !ret; i++) {
		ret = json_at_u64(arr, i, "cpus", &v, err);
		if (!ret && v > UINT32_MAX)
			ret = err_set(err, -EINVAL, "key 'cpus[%u]': no such CPU", i);
		c->cpus[i] = v;
	}
	if (ret)
		return ret;
	ret = optional_array(obj, "reg", BOARD_MAX_CPUS, &arr, &c->reg_count, err);
	for (unsigned int i = 0; i < c->reg_count && !ret; i++)
		ret = json_at_u64(arr, i, "reg", &c->reg[i], err);
	return ret;
}

static int read_opp(const struct json *obj, struct board_opp *opp, struct err *err)
{
	static const char *const known[] = { "khz", "microvolt", NULL };
	uint64_t khz = 0;
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = json_get_range(obj, "khz", 1, UINT32_MAX, &khz, err);
	opp->khz = khz;
	if (!ret)
		ret = json_opt_u32(obj, "microvolt", &opp->volt_uv, err);
	return ret;
}

static int read_opps(const struct json *obj, struct runinfo_cluster *c, struct err *err)
{
	const struct json *arr = NULL;
	int ret = optional_array(obj, "opps", BOARD_MAX_OPPS, &arr, &c->opp_count, err);

	for (unsigned int i = 0; i < c->opp_count && !ret; i++) {
		ret = read_opp(json_at(arr, i), &c->opps[i], err);
		if (!ret && i && c->opps[i].khz <= c->opps[i - 1].khz)
			ret = err_set(err, -EINVAL,
				      "key 'khz': not above that of the entry before");
		if (ret)
			err_wrap(err, ret, "opps[%u]", i);
	}
	return ret;
}

static int read_cluster_sensor(const struct json *obj, struct runinfo_cluster *c,
			       struct err *err)
{
	int ret = json_opt_text(obj, "volt-source", c->volt_source,
				sizeof(c->volt_source), err);

	if (!ret)
		ret = json_opt_text(obj, "sensor", c->sensor, sizeof(c->sensor), err);
	if (!ret)
		ret = json_opt_text(obj, "sensor-driver", c->sensor_driver,
				    sizeof(c->sensor_driver), err);
	if (!ret)
		ret = json_opt_u32(obj, "sensor-interval-us", &c->sensor_interval_us,
				   err);
	c->has_housekeeper = json_has(obj, "housekeeping-cpu");
	if (!ret)
		ret = json_opt_u32(obj, "housekeeping-cpu", &c->housekeeper, err);
	if (!ret)
		ret = json_opt_text(obj, "sensor-note", c->sensor_note,
				    sizeof(c->sensor_note), err);
	if (!ret)
		ret = json_opt_text(obj, "interrupts-stayed", c->irqs_stayed,
				    sizeof(c->irqs_stayed), err);
	return ret;
}

static int read_precision(const struct json *obj, struct runinfo_cluster *c,
			  struct err *err)
{
	int ret = json_opt_text(obj, "precision-load", c->precision_load,
				sizeof(c->precision_load), err);

	if (!ret && json_has(obj, "precision-asked"))
		ret = json_get_double_range(obj, "precision-asked", 0, 1e9,
					    &c->precision_asked, err);
	if (!ret && json_has(obj, "precision-predicted"))
		ret = json_get_double_range(obj, "precision-predicted", 0, 1e9,
					    &c->precision_predicted, err);
	return ret;
}

static int read_cluster(const struct json *obj, struct runinfo_cluster *c,
			struct err *err)
{
	static const char *const known[] = {
		"name",
		"compatible",
		"cpus",
		"reg",
		"capacity-dmips-mhz",
		"opps",
		"volt-source",
		"sensor",
		"sensor-driver",
		"sensor-interval-us",
		"housekeeping-cpu",
		"sensor-note",
		"interrupts-stayed",
		"precision-asked",
		"precision-predicted",
		"precision-load",
		NULL,
	};
	int ret = json_only_keys(obj, known, err);

	if (!ret)
		ret = json_get_text(obj, "name", c->name, sizeof(c->name), err);
	if (!ret && !c->name[0])
		ret = err_set(err, -EINVAL, "key 'name' is empty");
	if (!ret)
		ret = json_opt_text(obj, "compatible", c->compatible,
				    sizeof(c->compatible), err);
	if (!ret)
		ret = read_cpus(obj, c, err);
	if (!ret)
		ret = json_opt_u32(obj, "capacity-dmips-mhz", &c->capacity_dmips_mhz,
				   err);
	if (!ret)
		ret = read_opps(obj, c, err);
	if (!ret)
		ret = read_cluster_sensor(obj, c, err);
	if (!ret)
		ret = read_precision(obj, c, err);
	return ret;
}

static int read_clusters(const struct json *root, struct runinfo *info, struct err *err)
{
	const struct json *arr = NULL;
	unsigned int n;
	int ret = optional_array(root, "clusters", BOARD_MAX_CLUSTERS, &arr, &n, err);

	for (unsigned int i = 0; i < n && !ret; i++) {
		struct runinfo_cluster *c = &info->clusters[i];

		ret = read_cluster(json_at(arr, i), c, err);
		/* Those counted so far are the ones before this. */
		if (!ret && runinfo_cluster(info, c->name))
			ret = err_set(err, -EINVAL, "key 'name': '%s' is there twice",
				      c->name);
		if (ret)
			return err_wrap(err, ret, "clusters[%u]", i);
		info->cluster_count++;
	}
	return ret;
}

static int read_machine(const struct json *root, struct runinfo *info, struct err *err)
{
	int ret = json_opt_text(root, "board", info->board, sizeof(info->board), err);

	if (!ret)
		ret = json_opt_text(root, "compatible", info->compatible,
				    sizeof(info->compatible), err);
	if (!ret)
		ret = json_opt_text(root, "model", info->model, sizeof(info->model), err);
	if (!ret)
		ret = json_opt_text(root, "kernel", info->kernel, sizeof(info->kernel),
				    err);
	if (!ret)
		ret = json_opt_text(root, "date", info->date, sizeof(info->date), err);
	if (!ret)
		ret = json_opt_bool(root, "virtual", &info->virtual_board, err);
	if (!ret && json_has(root, "seed"))
		ret = json_get_u64(root, "seed", &info->seed, err);
	if (!ret)
		ret = json_opt_text(root, "tool", info->tool, sizeof(info->tool), err);
	if (!ret)
		ret = json_opt_text(root, "command", info->command, sizeof(info->command),
				    err);
	return ret;
}

static int read_power(const struct json *root, struct runinfo *info, struct err *err)
{
	int ret = json_opt_text(root, "power-scope", info->power_scope,
				sizeof(info->power_scope), err);

	if (!ret && info->power_scope[0] && strcmp(info->power_scope, "rail") &&
	    strcmp(info->power_scope, "package") && strcmp(info->power_scope, "device"))
		ret = err_set(err, -EINVAL,
			      "key 'power-scope': '%s' is not rail, package or device",
			      info->power_scope);
	if (!ret && json_has(root, "baseline-microwatt")) {
		info->has_baseline = true;
		ret = json_get_i64(root, "baseline-microwatt", &info->baseline_uw, err);
	}
	if (!ret)
		ret = json_opt_text(root, "baseline-source", info->baseline_source,
				    sizeof(info->baseline_source), err);
	return ret;
}

static int read_root(const struct json *root, struct runinfo *info, struct err *err)
{
	static const char *const known[] = {
		"schema",
		"board",
		"compatible",
		"model",
		"kernel",
		"date",
		"virtual",
		"seed",
		"tool",
		"power-scope",
		"baseline-microwatt",
		"baseline-source",
		"clusters",
		"command",
		NULL,
	};
	const char *schema = NULL;
	int ret = json_get_str(root, "schema", &schema, err);

	if (ret)
		return ret;
	if (strcmp(schema, RUNINFO_SCHEMA))
		return err_set(err, -EINVAL, "key 'schema': '%.80s' is not '%s'", schema,
			       RUNINFO_SCHEMA);
	ret = json_only_keys(root, known, err);
	if (!ret)
		ret = read_machine(root, info, err);
	if (!ret)
		ret = read_power(root, info, err);
	if (!ret)
		ret = read_clusters(root, info, err);
	return ret;
}

int runinfo_read(const char *run, struct runinfo *info, struct err *err)
{
	struct json *root = NULL;
	char path[4096];
	int ret = runinfo_path(run, FILE_NAME, path, sizeof(path), err);

	if (ret)
		return ret;
	*info = (struct runinfo){ 0 };
	ret = json_read(path, &root, err);
	if (ret == -ENOENT)
		return err_set(
			err, ret,
			"'%s' is not there; run 'calib measure' first, or name the run "
			"with -d",
			path);
	if (ret)
		return ret;
	ret = read_root(root, info, err);
	json_free(root);
	if (ret == -ENOENT)
		ret = -EINVAL;
	return ret ? err_wrap(err, ret, "%s", path) : 0;
}

static int put_text(struct json *obj, const char *key, const char *text)
{
	return *text ? json_put_text(obj, key, text) : 0;
}

static int put_u32(struct json *obj, const char *key, uint32_t value)
{
	return value ? json_put_u64(obj, key, value) : 0;
}

static int put_cpus(struct json *obj, const struct runinfo_cluster *c)
{
	struct json *cpus = json_new_array(), *reg;
	int ret = json_put(obj, "cpus", cpus);

	for (unsigned int i = 0; i < c->cpu_count && !ret; i++)
		ret = json_add_u64(cpus, c->cpus[i]);
	if (ret || !c->reg_count)
		return ret;
	reg = json_new_array();
	ret = json_put(obj, "reg", reg);
	for (unsigned int i = 0; i < c->reg_count && !ret; i++)
		ret = json_add_u64(reg, c->reg[i]);
	return ret;
}

static int put_opps(struct json *obj, const struct runinfo_cluster *c)
{
	struct json *arr = json_new_array();
	int ret = json_put(obj, "opps", arr);

	for (unsigned int i = 0; i < c->opp_count && !ret; i++) {
		struct json *opp = json_new_object();

		ret = json_add(arr, opp);
		if (!ret)
			ret = json_put_u64(opp, "khz", c->opps[i].khz);
		if (!ret)
			ret = put_u32(opp, "microvolt", c->opps[i].volt_uv);
	}
	return ret;
}

static int put_cluster(struct json *obj, const struct runinfo_cluster *c)
{
	int ret = json_put_text(obj, "name", c->name);

	if (!ret)
		ret = put_text(obj, "compatible", c->compatible);
	if (!ret)
		ret = put_cpus(obj, c);
	if (!ret)
		ret = put_u32(obj, "capacity-dmips-mhz", c->capacity_dmips_mhz);
	if (!ret)
		ret = put_opps(obj, c);
	if (!ret)
		ret = put_text(obj, "volt-source", c->volt_source);
	if (!ret)
		ret = put_text(obj, "sensor", c->sensor);
	if (!ret)
		ret = put_text(obj, "sensor-driver", c->sensor_driver);
	if (!ret)
		ret = put_u32(obj, "sensor-interval-us", c->sensor_interval_us);
	if (!ret && c->has_housekeeper)
		ret = json_put_u64(obj, "housekeeping-cpu", c->housekeeper);
	if (!ret)
		ret = put_text(obj, "sensor-note", c->sensor_note);
	if (!ret)
		ret = put_text(obj, "interrupts-stayed", c->irqs_stayed);
	if (!ret && c->precision_asked > 0)
		ret = json_put_real(obj, "precision-asked", c->precision_asked, 6);
	if (!ret && c->precision_predicted > 0)
		ret = json_put_real(obj, "precision-predicted", c->precision_predicted,
				    6);
	if (!ret)
		ret = put_text(obj, "precision-load", c->precision_load);
	return ret;
}

static int put_clusters(struct json *root, const struct runinfo *info)
{
	struct json *arr = json_new_array();
	int ret = json_put(root, "clusters", arr);

	for (unsigned int i = 0; i < info->cluster_count && !ret; i++) {
		struct json *obj = json_new_object();

		ret = json_add(arr, obj);
		if (!ret)
			ret = put_cluster(obj, &info->clusters[i]);
	}
	return ret;
}

static int put_machine(struct json *root, const struct runinfo *info)
{
	int ret = put_text(root, "board", info->board);

	if (!ret)
		ret = put_text(root, "compatible", info->compatible);
	if (!ret)
		ret = put_text(root, "model", info->model);
	if (!ret)
		ret = put_text(root, "kernel", info->kernel);
	if (!ret)
		ret = put_text(root, "date", info->date);
	if (!ret && info->virtual_board)
		ret = json_put_bool(root, "virtual", true);
	if (!ret && info->virtual_board)
		ret = json_put_u64(root, "seed", info->seed);
	if (!ret)
		ret = put_text(root, "tool", info->tool);
	if (!ret)
		ret = put_text(root, "command", info->command);
	return ret;
}

static int put_root(struct json *root, const struct runinfo *info)
{
	int ret = json_put_str(root, "schema", RUNINFO_SCHEMA);

	if (!ret)
		ret = put_machine(root, info);
	if (!ret)
		ret = put_text(root, "power-scope", info->power_scope);
	if (!ret && info->has_baseline)
		ret = json_put_i64(root, "baseline-microwatt", info->baseline_uw);
	if (!ret)
		ret = put_text(root, "baseline-source", info->baseline_source);
	if (!ret)
		ret = put_clusters(root, info);
	return ret;
}

static int write_file(const char *path, const struct json *root, struct err *err)
{
	struct outfile out;
	int ret = outfile_open(&out, path, err);

	if (ret)
		return ret;
	ret = json_write(root, out.f, err);
	if (!ret)
		return outfile_commit(&out, err);
	outfile_abort(&out);
	return err_wrap(err, ret, "%s", path);
}

int runinfo_write(const char *run, const struct runinfo *info, struct err *err)
{
	struct json *root;
	char path[4096];
	int ret = runinfo_path(run, FILE_NAME, path, sizeof(path), err);

	if (ret)
		return ret;
	if (mkdir(run, 0777) && errno != EEXIST)
		return err_errno(err, -errno, "cannot make the folder '%s'", run);
	root = json_new_object();
	ret = put_root(root, info);
	ret = ret ? err_errno(err, ret, "cannot write '%s'", path)
		  : write_file(path, root, err);
	json_free(root);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calib restore: put back what a calib that was killed had changed.
 */
#include "calib/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calib/linux/state.h"
#include "lib/text.h"

struct restore_options {
	const char *sysroot;
	bool dry_run;
};

static void tell(void *arg, const struct state_item *item, const char *was)
{
	unsigned int *count = arg;

	printf("%s: '%s' -> '%s'\n", item->path, was, item->text);
	++*count;
}

static int preview(struct cmd_ctx *ctx, const struct state *st)
{
	char now[SYSFS_TEXT];
	unsigned int n = 0;
	struct err why;

	for (unsigned int i = 0; i < st->count; i++) {
		int ret = state_compare(st, i, now, &why);

		if (ret > 0)
			tell(&n, &st->items[i], now);
		if (ret < 0)
			cmd_warn(ctx, "%s", why.msg);
	}
	cmd_note(ctx, "%u of %u saved settings would be put back", n, st->count);
	return 0;
}

static int put_back(struct cmd_ctx *ctx, struct state *st, struct err *err)
{
	unsigned int n = 0, count = st->count;
	struct err why;
	int ret;

	st->told = tell;
	st->told_arg = &n;
	ret = state_restore(st, &why);
	if (ret)
		return err_set(
			err, ret,
			"%s; the other settings are back. Are you not root? Then run "
			"it again; else put it back by hand and remove that file",
			why.msg);
	cmd_note(ctx, "%u setting%s put back, %u as saved before", n, text_s(n),
		 count - n);
	return 0;
}

static int run_restore(struct cmd_ctx *ctx, const void *options, int argc, char **argv,
		       struct err *err)
{
	const struct restore_options *opts = options;
	struct sysfs sys;
	struct state st;
	int ret;

	(void)argc;
	(void)argv;
	ret = sysfs_init(&sys, opts->sysroot, err);
	if (ret)
		return ret;
	ret = state_attach(&st, &sys, err);
	if (ret == -ENOENT) {
		cmd_note(ctx, "nothing to put back: no calib that died left settings");
		return 0;
	}
	if (ret)
		return ret;
	ret = opts->dry_run ? preview(ctx, &st) : put_back(ctx, &st, err);
	state_close(&st);
	return ret;
}

#define OPT(member) offsetof(struct restore_options, member)

static const struct opt restore_opts[] = {
	{ "sysroot", 0, OPT_STRING, OPT(sysroot), "DIR",
	  "look for /sys and /run of the machine below DIR" },
	{ "dry-run", 'n', OPT_FLAG, OPT(dry_run), NULL,
	  "print what would be put back; change nothing" },
	{ NULL },
};

const struct cmd cmd_restore = {
	.name = "restore",
	.args = "",
	.summary = "put back the settings of a measurement that was killed",
	.help = "'calib measure' saves governor, limits, thermal mode, which CPUs were "
		"offline and whatever else it changes in "
		"/run/calib/state.json before it changes them, and puts them back when "
		"it "
		"ends, also by a signal. When it is killed (SIGKILL, out of memory), a "
		"guardian process does that at once. Only when both were killed is this "
		"command needed; the next 'calib measure' would do the same.\n"
		"\n"
		"Prints each setting that was changed, from what to what. Refuses while "
		"a "
		"calib is measuring. After a reboot there is nothing to do: settings and "
		"saved state are gone with it.",
	.example = "calib restore -n\n"
		   "calib restore",
	.opts = restore_opts,
	.opts_size = sizeof(struct restore_options),
	.run = run_restore,
};

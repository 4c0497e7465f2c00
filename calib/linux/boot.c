// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Boot id, kernel build, command line; digests of device tree and energy model.
 */
#include "calib/linux/boot.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "calib/linux/energy_model.h"
#include "lib/fnv.h"
#include "lib/text.h"

#define DEPTH_MAX 16

static int is_ours(const struct dirent *e)
{
	/* The last are root's to read: a digest is the same for all. */
	return e->d_name[0] != '.' && strcmp(e->d_name, "chosen") != 0 &&
	       strncmp(e->d_name, "security-", 9) != 0;
}

static void mix_file(uint64_t *hash, const char *path)
{
	unsigned char buf[4096];
	FILE *f = fopen(path, "re");
	size_t n;

	while (f && (n = fread(buf, 1, sizeof(buf), f)))
		fnv_mix(hash, buf, n);
	if (f)
		fclose(f);
}

/* Names and contents, in the order of names. False: it cannot be read. */
static bool mix_folder(uint64_t *hash, const char *path, unsigned int depth)
{
	struct dirent **names;
	int n = depth < DEPTH_MAX ? scandir(path, &names, is_ours, alphasort) : -1;

	for (int i = 0; i < n; i++) {
		char sub[1024];
		struct stat st;

		if (snprintf(sub, sizeof(sub), "%s/%s", path, names[i]->d_name) <
			    (int)sizeof(sub) &&
		    !lstat(sub, &st)) {
			fnv_mix(hash, names[i]->d_name, strlen(names[i]->d_name) + 1);
			if (S_ISDIR(st.st_mode))
				mix_folder(hash, sub, depth + 1);
			else if (S_ISREG(st.st_mode))
				mix_file(hash, sub);
			fnv_mix(hash, "/", 2);
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return n >= 0;
}

/* "none" of an empty folder. */
static void digest(const struct sysfs *sys, const char *folder, char out[BOOT_DIGEST])
{
	uint64_t hash = FNV_BASIS;
	char path[1024];

	*out = '\0';
	if (sysfs_real(sys, folder, path, sizeof(path), NULL) ||
	    !mix_folder(&hash, path, 0))
		return;
	if (hash == FNV_BASIS)
		strcpy(out, "none");
	else
		snprintf(out, BOOT_DIGEST, "%016" PRIx64, hash);
}

static void read_text(const struct sysfs *sys, const char *path, char *out, size_t size)
{
	char text[SYSFS_TEXT];

	*out = '\0';
	if (sysfs_read(sys, path, text, sizeof(text), NULL))
		return;
	text[size - 1] = '\0';
	text_clean(text);
	strcpy(out, text);
}

void boot_read(const struct sysfs *sys, struct boot_facts *out)
{
	read_text(sys, "/proc/sys/kernel/random/boot_id", out->id, sizeof(out->id));
	read_text(sys, "/proc/sys/kernel/version", out->build, sizeof(out->build));
	read_text(sys, "/proc/cmdline", out->cmdline, sizeof(out->cmdline));
	digest(sys, "/sys/firmware/devicetree/base", out->tree);
	switch (energy_model_seen(sys)) {
	case ENERGY_MODEL_UNSEEN:
		out->energy_model[0] = '\0';
		break;
	case ENERGY_MODEL_NONE:
		strcpy(out->energy_model, "none");
		break;
	case ENERGY_MODEL_SHOWN:
		digest(sys, "/sys/kernel/debug/energy_model", out->energy_model);
		break;
	}
}

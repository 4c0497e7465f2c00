// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FIT images (.itb): a tree whose /images/NAME/data are the files, with a digest of each
 * in subnodes "hash-1" and, where it is signed, signatures over them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/container_kinds.h"
#include "fdtedit/digest.h"

static const char *text_of(const void *blob, int node, const char *name)
{
	int len;
	const char *text = fdt_getprop(blob, node, name, &len);

	return text && len > 0 && !text[len - 1] ? text : "";
}

static bool has(const void *blob, int node, const char *name)
{
	return fdt_getprop(blob, node, name, NULL) != NULL;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Trees and what claims to be one; kernels and ramdisks are none of our business. */
static int add_image(struct container *c, int node)
{
	const char *blob = c->file.data;
	const char *packed = text_of(blob, node, "compression");
	bool outside = has(blob, node, "data-offset") || has(blob, node, "data-position");
	bool claims = starts(text_of(blob, node, "type"), "flat_dt");
	struct container_item *item;
	const char *data;
	int len = 0;

	data = fdt_getprop(blob, node, "data", &len);
	if (data && container_tree_at(&c->file, (size_t)(data - blob)) == (size_t)len &&
	    len > 0)
		claims = true;
	if (!claims || (!data && !outside))
		return 0;
	item = container_add(c, data ? (size_t)(data - blob) : 0, data ? (size_t)len : 0);
	if (!item)
		return -ENOMEM;
	snprintf(item->name, sizeof(item->name), "%s", fdt_get_name(blob, node, NULL));
	if (!data)
		snprintf(item->why_not, sizeof(item->why_not),
			 "outside of it (%s); make it without 'mkimage -E'",
			 has(blob, node, "data-offset") ? "data-offset"
							: "data-position");
	else if (*packed && strcmp(packed, "none"))
		snprintf(item->why_not, sizeof(item->why_not), "compressed (%s)", packed);
	else if (fdt_subnode_offset(blob, node, "cipher") >= 0)
		snprintf(item->why_not, sizeof(item->why_not), "encrypted (cipher)");
	return 0;
}

int container_parse_fit(struct container *c, struct err *err)
{
	const void *blob = c->file.data;
	int images, node, nodes = 0, ret;

	if (!container_tree_at(&c->file, 0))
		return 0;
	ret = dtcpus_check_blob(blob, c->file.len, NULL);
	if (ret && ret != -E2BIG)
		return 0;
	images = fdt_subnode_offset(blob, 0, "images");
	if (images < 0 || fdt_subnode_offset(blob, 0, "cpus") >= 0)
		return 0;
	fdt_for_each_subnode(node, blob, images)
	{
		nodes += has(blob, node, "data") || has(blob, node, "data-offset") ||
			 has(blob, node, "data-position");
	}
	if (!nodes)
		return 0;
	c->kind = CONTAINER_FIT;
	fdt_for_each_subnode(node, blob, images)
	{
		if (add_image(c, node))
			return err_errno(err, -ENOMEM, "list of trees");
	}
	return c->count ? 0 : err_set(err, -EINVAL, "a FIT image without a device tree");
}

/* fdt_subnode_offset() takes "fdt@1" for "fdt". */
static int image_node(const void *blob, const char *name, struct err *err)
{
	char path[160];

	snprintf(path, sizeof(path), "/images/%s", name);
	return dtb_node(blob, path, err);
}

static bool names_image(const void *blob, int node, const char *property,
			const char *image)
{
	return fdt_stringlist_search(blob, node, property, image) >= 0;
}

/* Does this signature of a configuration say that it covers "/images/NAME"? */
static bool covers(const void *blob, int signature, const char *image)
{
	char path[160];

	snprintf(path, sizeof(path), "/images/%s", image);
	return names_image(blob, signature, "hashed-nodes", path);
}

/* A configuration's signature covers the digests of the images that it names. */
static int check_configuration(const void *blob, int conf, const char *image,
			       struct err *err)
{
	bool named = false;
	int node, prop;

	fdt_for_each_property_offset(prop, blob, conf)
	{
		const char *name;

		if (fdt_getprop_by_offset(blob, prop, &name, NULL))
			named |= names_image(blob, conf, name, image);
	}
	fdt_for_each_subnode(node, blob, conf)
	{
		const char *name = fdt_get_name(blob, node, NULL);

		if (starts(name, "signature") && (named || covers(blob, node, image)))
			return err_set(err, -EINVAL,
				       "image '%s' is signed (configuration '%s', %s): "
				       "not edited, the signature would be wrong; take "
				       "the tree out, edit it and sign anew",
				       image, fdt_get_name(blob, conf, NULL), name);
	}
	return 0;
}

static int check_signatures(const void *blob, const char *image, struct err *err)
{
	int configurations = fdt_subnode_offset(blob, 0, "configurations");
	int parent = image_node(blob, image, err);
	int node, ret = 0;

	if (parent < 0)
		return parent;
	fdt_for_each_subnode(node, blob, parent)
	{
		if (starts(fdt_get_name(blob, node, NULL), "signature"))
			return err_set(
				err, -EINVAL,
				"image '%s' is signed (%s): not edited, the "
				"signature would be wrong; take the tree out, edit "
				"it and sign anew",
				image, fdt_get_name(blob, node, NULL));
	}
	if (configurations < 0)
		return 0;
	fdt_for_each_subnode(node, blob, configurations)
	{
		ret = check_configuration(blob, node, image, err);
		if (ret)
			break;
	}
	return ret;
}

/* The digest in @hash, which was of @old, becomes that of @tree. */
static int renew_digest(void *blob, int hash, const struct container_item *item,
			const char *old, const struct dtb *tree, struct err *err)
{
	const char *name = fdt_get_name(blob, hash, NULL);
	const char *algo = text_of(blob, hash, "algo");
	unsigned char is[DIGEST_MAX], new[DIGEST_MAX];
	size_t n;
	int len, ret;
	const void *value = fdt_getprop(blob, hash, "value", &len);

	ret = digest(algo, old, item->size, is, &n, err);
	if (!ret)
		ret = digest(algo, tree->file.data, tree->file.len, new, &n, err);
	if (ret)
		return err_wrap(err, ret, "image '%s', %s", item->name, name);
	if (!value || (size_t)len != n || memcmp(value, is, n))
		return err_set(err, -EINVAL,
			       "image '%s': its %s (%s) is wrong before the edit: the "
			       "FIT image is damaged",
			       item->name, name, algo);
	ret = fdt_setprop_inplace(blob, hash, "value", new, len);
	return ret ? err_set(err, -EINVAL, "image '%s': %s: %s", item->name, name,
			     fdt_strerror(ret))
		   : 0;
}

static int renew_digests(const struct container *c, size_t i, const struct dtb *tree,
			 struct buf *out, struct err *err)
{
	const struct container_item *item = &c->items[i];
	const char *old = c->file.data + item->offset;
	int parent = image_node(out->data, item->name, err);
	int node, ret;

	if (parent < 0)
		return parent;
	fdt_for_each_subnode(node, out->data, parent)
	{
		if (!starts(fdt_get_name(out->data, node, NULL), "hash"))
			continue;
		ret = renew_digest(out->data, node, item, old, tree, err);
		if (ret)
			return ret;
	}
	return 0;
}

static size_t padded(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* The bytes of the property, its length, and the blocks behind it. */
static int replace_data(const struct container *c, size_t i, const struct dtb *tree,
			struct buf *out, struct err *err)
{
	const struct container_item *item = &c->items[i];
	size_t rest = item->offset + padded(item->size), len = tree->file.len;
	int64_t move = (int64_t)padded(len) - (int64_t)padded(item->size);
	char *blob;
	int ret;

	ret = buf_add(out, c->file.data, item->offset);
	ret |= buf_add(out, tree->file.data, len);
	ret |= buf_add(out, "\0\0\0", padded(len) - len);
	ret |= buf_add(out, c->file.data + rest, c->file.len - rest);
	if (ret)
		return err_errno(err, -ENOMEM, "FIT image of %zu bytes", c->file.len);
	blob = out->data;
	fdt32_st(blob + item->offset - sizeof(struct fdt_property) + sizeof(fdt32_t),
		 (uint32_t)len);
	fdt_set_totalsize(blob, (uint32_t)(fdt_totalsize(blob) + move));
	if (fdt_off_dt_strings(blob) > item->offset)
		fdt_set_off_dt_strings(blob, (uint32_t)(fdt_off_dt_strings(blob) + move));
	if (fdt_version(blob) >= 17)
		fdt_set_size_dt_struct(blob, (uint32_t)(fdt_size_dt_struct(blob) + move));
	return 0;
}

int container_replace_fit(const struct container *c, size_t i, const struct dtb *tree,
			  struct buf *out, struct err *err)
{
	const void *blob = c->file.data;
	int ret;

	if (c->file.len > fdt_totalsize(blob))
		return err_set(err, -EINVAL,
			       "%zu bytes after the FIT image's own tree (images outside "
			       "of it?): not edited",
			       c->file.len - fdt_totalsize(blob));
	if (fdt_off_mem_rsvmap(blob) > c->items[i].offset)
		return err_set(err, -EINVAL,
			       "the FIT image's reserve map follows its images: not "
			       "edited");
	ret = check_signatures(blob, c->items[i].name, err);
	if (!ret)
		ret = replace_data(c, i, tree, out, err);
	return ret ? ret : renew_digests(c, i, tree, out, err);
}

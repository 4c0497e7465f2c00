// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Follow phandles.
 */
#include "fdtedit/refs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libfdt.h>

#include "fdtedit/grow.h"

#define MAX_ARGS 64

/* How the entries of a property are laid out. */
enum kind {
	ONE,	/* a phandle; what follows is something else */
	LIST,	/* phandles */
	ARGS,	/* phandles, each with as many cells as its node's property says */
	MAP,	/* <id phandle base length> */
	RANGES, /* <phandle offset offset count>, or other three numbers */
	PINS,	/* <bank pin function phandle> */
	INTERRUPT_MAP,
};

struct binding {
	const char *name;
	enum kind kind;
	const char *cells; /* of ARGS */
};

/*
 * Names as in the kernel's bindings; those that come with any prefix are in suffixes. Of
 * the references in the trees of Linux they leave out few, all of them vendors' own.
 */
static const struct binding names[] = {
	{ "access-controllers", ARGS, "#access-controller-cells" },
	{ "affinity", LIST, NULL },
	{ "allwinner,sram", ONE, NULL },
	{ "amlogic,ao-secure", ONE, NULL },
	{ "amlogic,ao-sysctrl", ONE, NULL },
	{ "amlogic,canvas", ONE, NULL },
	{ "arm,cs-dev-assoc", LIST, NULL },
	{ "assigned-clock-parents", ARGS, "#clock-cells" },
	{ "assigned-clocks", ARGS, "#clock-cells" },
	{ "audio-cpu", LIST, NULL },
	{ "backlight", LIST, NULL },
	{ "cci-control-port", LIST, NULL },
	{ "clocks", ARGS, "#clock-cells" },
	{ "companion", LIST, NULL },
	{ "cooling-device", ARGS, "#cooling-cells" },
	{ "cpu", ONE, NULL },
	{ "cpu-idle-states", LIST, NULL },
	{ "cpus", LIST, NULL },
	{ "ctrl-module", LIST, NULL },
	{ "ddc-i2c-bus", LIST, NULL },
	{ "devfreq", LIST, NULL },
	{ "devfreq-events", LIST, NULL },
	{ "dmas", ARGS, "#dma-cells" },
	{ "domain-idle-states", LIST, NULL },
	{ "extcon", LIST, NULL },
	{ "fsl,stop-mode", ONE, NULL },
	{ "fsl,usbmisc", ONE, NULL },
	{ "fsl,usbphy", LIST, NULL },
	{ "gpio", ARGS, "#gpio-cells" },
	{ "gpio-ranges", RANGES, NULL },
	{ "gpios", ARGS, "#gpio-cells" },
	{ "hwlocks", ARGS, "#hwlock-cells" },
	{ "i2c-bus", LIST, NULL },
	{ "interconnects", ARGS, "#interconnect-cells" },
	{ "interrupt-affinity", LIST, NULL },
	{ "interrupt-map", INTERRUPT_MAP, NULL },
	{ "interrupt-parent", ONE, NULL },
	{ "interrupts-extended", ARGS, "#interrupt-cells" },
	{ "io-backends", ARGS, "#io-backend-cells" },
	{ "io-channels", ARGS, "#io-channel-cells" },
	{ "iommu-map", MAP, NULL },
	{ "iommus", ARGS, "#iommu-cells" },
	{ "l2-cache", ONE, NULL },
	{ "leds", LIST, NULL },
	{ "mboxes", ARGS, "#mbox-cells" },
	{ "mdio-parent-bus", ONE, NULL },
	{ "mediatek,adsp", LIST, NULL },
	{ "mediatek,cci", LIST, NULL },
	{ "mediatek,gce-client-reg", RANGES, NULL },
	{ "mediatek,infracfg", LIST, NULL },
	{ "mediatek,larbs", LIST, NULL },
	{ "mediatek,platform", LIST, NULL },
	{ "mediatek,smi", LIST, NULL },
	{ "mediatek,syscon-wakeup", ONE, NULL },
	{ "memory-region", LIST, NULL },
	{ "mmc-pwrseq", ONE, NULL },
	{ "monitored-battery", LIST, NULL },
	{ "msi-map", MAP, NULL },
	{ "msi-parent", ARGS, "#msi-cells" },
	{ "mux-controls", ARGS, "#mux-control-cells" },
	{ "next-level-cache", ONE, NULL },
	{ "nvmem", LIST, NULL },
	{ "nvmem-cells", ARGS, "#nvmem-cell-cells" },
	{ "operating-points-v2", LIST, NULL },
	{ "panel", ONE, NULL },
	{ "peer-hub", LIST, NULL },
	{ "performance-domains", ARGS, "#performance-domain-cells" },
	{ "phy", LIST, NULL },
	{ "phys", ARGS, "#phy-cells" },
	{ "ports", LIST, NULL },
	{ "power-domains", ARGS, "#power-domain-cells" },
	{ "power-supplies", LIST, NULL },
	{ "pwms", ARGS, "#pwm-cells" },
	{ "qcom,bcm-voters", LIST, NULL },
	{ "qcom,dload-mode", ONE, NULL },
	{ "qcom,freq-domain", ARGS, "#freq-domain-cells" },
	{ "qcom,gmu", LIST, NULL },
	{ "qcom,ice", LIST, NULL },
	{ "qcom,mmio", ONE, NULL },
	{ "qcom,qmp", LIST, NULL },
	{ "qcom,rproc", LIST, NULL },
	{ "qcom,smem-states", ARGS, "#qcom,smem-state-cells" },
	{ "regmap", ONE, NULL },
	{ "regulator-coupled-with", LIST, NULL },
	{ "remote-endpoint", ONE, NULL },
	{ "renesas,fcp", LIST, NULL },
	{ "renesas,ipmmu-main", ONE, NULL },
	{ "required-opps", LIST, NULL },
	{ "resets", ARGS, "#reset-cells" },
	{ "rockchip,pins", PINS, NULL },
	{ "rockchip,pmu", LIST, NULL },
	{ "snps,axi-config", LIST, NULL },
	{ "snps,mtl-rx-config", LIST, NULL },
	{ "snps,mtl-tx-config", LIST, NULL },
	{ "sound-dai", ARGS, "#sound-dai-cells" },
	{ "sram", LIST, NULL },
	{ "st,gcan", ONE, NULL },
	{ "st,syscfg", ONE, NULL },
	{ "suspend-opp", LIST, NULL },
	{ "syscon", ONE, NULL },
	{ "syscon-phy-power", ONE, NULL },
	{ "thermal-sensors", ARGS, "#thermal-sensor-cells" },
	{ "ti,mcbsp", LIST, NULL },
	{ "ti,rproc", LIST, NULL },
	{ "ti,timers", LIST, NULL },
	{ "ti,tptcs", LIST, NULL },
	{ "ti,watchdog-timers", LIST, NULL },
	{ "trip", ONE, NULL },
	{ "usb-phy", LIST, NULL },
	{ "wakeup-parent", ONE, NULL },
};

static const struct binding suffixes[] = {
	{ "-codec", ONE, NULL },
	{ "-device", ONE, NULL },
	{ "-gpio", ARGS, "#gpio-cells" },
	{ "-gpios", ARGS, "#gpio-cells" },
	{ "-grf", ONE, NULL },
	{ ",grf", ONE, NULL },
	{ "-handle", ONE, NULL },
	{ "-master", ONE, NULL },
	{ "-phandle", ONE, NULL },
	{ "-regs", ONE, NULL },
	{ "-supply", ONE, NULL },
	{ "-syscon", ONE, NULL },
	{ ",syscon", ONE, NULL },
};

struct phandle {
	uint32_t value;
	int node;
};

struct reader {
	const void *blob;
	struct refs *refs;
	struct phandle *phandles; /* sorted */
	size_t count, cap;
	/* the property that is read */
	int node;
	const char *property;
};

static int by_value(const void *a, const void *b)
{
	const struct phandle *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static int list_phandles(struct reader *r)
{
	for (int node = 0; node >= 0; node = fdt_next_node(r->blob, node, NULL)) {
		uint32_t value = fdt_get_phandle(r->blob, node);

		if (!value)
			continue;
		if (grow(&r->phandles, &r->cap, r->count, sizeof(*r->phandles)))
			return -ENOMEM;
		r->phandles[r->count++] = (struct phandle){ value, node };
	}
	if (r->count)
		qsort(r->phandles, r->count, sizeof(*r->phandles), by_value);
	return 0;
}

/* The node, or -1. */
static int find_node(const struct reader *r, const fdt32_t *cell)
{
	const struct phandle key = { .value = fdt32_ld(cell) };
	const struct phandle *found = NULL;

	if (r->count)
		found = bsearch(&key, r->phandles, r->count, sizeof(key), by_value);
	return found ? found->node : -1;
}

/* @at: cell of the property, or -1 */
static int add(struct reader *r, int at, int to)
{
	struct refs *refs = r->refs;

	if (to < 0)
		return 0;
	if (grow(&refs->list, &refs->cap, refs->count, sizeof(*refs->list)))
		return -ENOMEM;
	refs->list[refs->count++] = (struct ref){ .from = r->node,
						  .property = r->property,
						  .at = at < 0 ? at : 4 * at,
						  .to = to };
	return 0;
}

/* A property that is one small number, or -1. */
static int small_number(const void *blob, int node, const char *name)
{
	int len;
	const fdt32_t *cell = fdt_getprop(blob, node, name, &len);

	return cell && len == 4 && fdt32_ld(cell) <= MAX_ARGS ? (int)fdt32_ld(cell) : -1;
}

/* <child address, child interrupt, phandle, parent address, parent interrupt>... */
static int read_interrupt_map(struct reader *r, const fdt32_t *cells, int count)
{
	int address = small_number(r->blob, r->node, "#address-cells");
	int interrupt = small_number(r->blob, r->node, "#interrupt-cells");
	int ret = 0, at = 0;

	if (address < 0 || interrupt < 0)
		return 0;
	while (!ret && at + address + interrupt < count) {
		int to = find_node(r, &cells[at + address + interrupt]), more, args;

		ret = add(r, at + address + interrupt, to);
		if (to < 0)
			break;
		/* Without #address-cells there is none in the map. */
		more = small_number(r->blob, to, "#address-cells");
		args = small_number(r->blob, to, "#interrupt-cells");
		if (args < 0)
			break;
		at += address + interrupt + 1 + (more > 0 ? more : 0) + args;
	}
	return ret;
}

/* A phandle of 0 stands for nothing, and has no cells. */
static int read_with_args(struct reader *r, const fdt32_t *cells, int count,
			  const char *args_name)
{
	int ret = 0;

	for (int at = 0; !ret && at < count; at++) {
		int to = find_node(r, &cells[at]), args;

		if (!fdt32_ld(&cells[at]))
			continue;
		ret = add(r, at, to);
		if (to < 0)
			break;
		args = small_number(r->blob, to, args_name);
		at += args > 0 ? args : 0;
	}
	return ret;
}

static int read_regular(struct reader *r, const fdt32_t *cells, int count, int first,
			int stride)
{
	int ret = 0;

	for (int at = first; !ret && at < count; at += stride)
		ret = add(r, at, find_node(r, &cells[at]));
	return ret;
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

static const struct binding *find_binding(const struct reader *r)
{
	static const struct binding pinctrl = { "pinctrl-", LIST, NULL };
	const char *name = r->property;

	/* Numbers of lines of the node itself. */
	if (ends_with(name, "nr-gpios") ||
	    fdt_getprop(r->blob, r->node, "gpio-hog", NULL))
		return NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].name, name))
			return &names[i];
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (ends_with(name, suffixes[i].name))
			return &suffixes[i];
	if (!strncmp(name, "pinctrl-", 8) && name[8] >= '0' && name[8] <= '9')
		return &pinctrl;
	return NULL;
}

static int read_property(struct reader *r, const fdt32_t *cells, int count)
{
	const struct binding *b = find_binding(r);

	if (!b)
		return 0;
	switch (b->kind) {
	case ONE:
		return count ? add(r, 0, find_node(r, cells)) : 0;
	case LIST:
		return read_regular(r, cells, count, 0, 1);
	case ARGS:
		return read_with_args(r, cells, count, b->cells);
	case MAP:
		return read_regular(r, cells, count, 1, 4);
	case RANGES:
		return read_regular(r, cells, count, 0, 4);
	case PINS:
		return read_regular(r, cells, count, 3, 4);
	case INTERRUPT_MAP:
		return read_interrupt_map(r, cells, count);
	}
	return 0;
}

static int read_nodes(struct reader *r)
{
	int ret = 0, prop, len;

	for (int node = 0; node >= 0 && !ret; node = fdt_next_node(r->blob, node, NULL)) {
		r->node = node;
		fdt_for_each_property_offset(prop, r->blob, node)
		{
			const void *value = fdt_getprop_by_offset(r->blob, prop,
								  &r->property, &len);

			if (value && !ret)
				ret = read_property(r, value, len / 4);
		}
	}
	return ret;
}

/* What __local_fixups__ says of one node: places of phandles, by property. */
static int read_fixups_of(struct reader *r, int fixups)
{
	int ret = 0, prop, len, size;

	fdt_for_each_property_offset(prop, r->blob, fixups)
	{
		const fdt32_t *places = fdt_getprop_by_offset(r->blob, prop, &r->property,
							      &len);
		const char *value = places ? fdt_getprop(r->blob, r->node, r->property,
							 &size)
					   : NULL;

		for (int i = 0; value && !ret && i < len / 4; i++) {
			uint32_t place = fdt32_ld(&places[i]);

			if (size >= 4 && place <= (uint32_t)size - 4)
				ret = add(r, (int)place / 4,
					  find_node(r, (const void *)(value + place)));
		}
	}
	return ret;
}

static int read_fixups(struct reader *r, int fixups, int node, unsigned int depth)
{
	int ret, sub;

	r->node = node;
	ret = read_fixups_of(r, fixups);
	fdt_for_each_subnode(sub, r->blob, fixups)
	{
		int same = fdt_subnode_offset(r->blob, node,
					      fdt_get_name(r->blob, sub, NULL));

		if (!ret && same >= 0 && depth < 64)
			ret = read_fixups(r, sub, same, depth + 1);
	}
	return ret;
}

/* Console paths, which may begin with an alias and go on with options. */
static int read_chosen(struct reader *r)
{
	static const char *const paths[] = { "stdout-path", "stdin-path",
					     "linux,stdout-path" };
	int ret = 0, len;

	r->node = fdt_path_offset(r->blob, "/chosen");
	for (size_t i = 0; i < 3 && !ret && r->node >= 0; i++) {
		const char *text = fdt_getprop(r->blob, r->node, paths[i], &len);

		r->property = paths[i];
		if (text && len && !text[len - 1])
			ret = add(r, -1,
				  fdt_path_offset_namelen(r->blob, text,
							  strcspn(text, ":")));
	}
	return ret;
}

int refs_read(const void *blob, struct refs *refs, struct err *err)
{
	struct reader r = { .blob = blob, .refs = refs };
	int fixups = fdt_subnode_offset(blob, 0, "__local_fixups__");
	int ret = list_phandles(&r);

	if (!ret)
		ret = read_nodes(&r);
	if (!ret && fixups >= 0)
		ret = read_fixups(&r, fixups, 0, 0);
	if (!ret)
		ret = read_chosen(&r);
	free(r.phandles);
	return ret ? err_errno(err, ret, "references of the tree") : 0;
}

void refs_free(struct refs *refs)
{
	free(refs->list);
	*refs = (struct refs){ 0 };
}

const struct ref *refs_to(const struct refs *refs, int node)
{
	for (size_t i = 0; i < refs->count; i++)
		if (refs->list[i].to == node)
			return &refs->list[i];
	return NULL;
}

int refs_end(const void *blob, int node)
{
	int depth = 0, next = node;

	do
		next = fdt_next_node(blob, next, &depth);
	while (next >= 0 && depth > 0);
	return next < 0 ? INT32_MAX : next;
}

const struct ref *refs_into(const struct refs *refs, const void *blob, int node)
{
	int end = refs_end(blob, node);

	for (size_t i = 0; i < refs->count; i++) {
		const struct ref *r = &refs->list[i];

		if (r->to >= node && r->to < end && !(r->from >= node && r->from < end))
			return r;
	}
	return NULL;
}

/* May a cell of the reader's property be a phandle of nodes [@node, @end)? */
static void guess_property(const struct reader *r, const fdt32_t *cells, int count,
			   int node, int end, struct refs_guess *out)
{
	if (!strchr(r->property, ',') || find_binding(r))
		return;
	for (int i = 0; i < count; i++) {
		int to = find_node(r, &cells[i]);

		if (to < node || to >= end)
			continue;
		if (!out->count++)
			out->first = (struct ref){ r->node, r->property, 4 * i, to };
		return;
	}
}

int refs_guess(const void *blob, int node, int end, struct refs_guess *out,
	       struct err *err)
{
	struct reader r = { .blob = blob };
	int ret = list_phandles(&r), prop, len;

	*out = (struct refs_guess){ 0 };
	if (fdt_subnode_offset(blob, 0, "__local_fixups__") >= 0)
		r.node = -1;
	for (; !ret && r.node >= 0; r.node = fdt_next_node(blob, r.node, NULL)) {
		if (r.node >= node && r.node < end)
			continue;
		fdt_for_each_property_offset(prop, blob, r.node)
		{
			const void *value = fdt_getprop_by_offset(blob, prop, &r.property,
								  &len);

			if (value && len % 4 == 0)
				guess_property(&r, value, len / 4, node, end, out);
		}
	}
	free(r.phandles);
	return ret ? err_errno(err, ret, "references of the tree") : 0;
}

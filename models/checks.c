// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of checks and their findings; the checks themselves are in checks_*.c.
 */
#include "models/checks.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cpulist.h"
#include "models/checks_internal.h"

static const char *const names[] = {
	"monotonic", "limits", "voltage", "coefficient", "energy-model",
	"capacity",  "ratio",  "cost",	  "order",
};

#define NAME_COUNT (sizeof(names) / sizeof(names[0]))

const char *checks_name(size_t i)
{
	return i < NAME_COUNT ? names[i] : NULL;
}

struct checks *checks_new(void)
{
	return calloc(1, sizeof(struct checks));
}

void checks_free(struct checks *c)
{
	free(c);
}

void checks_append(char *text, size_t size, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + used, size - used, fmt, ap);
	va_end(ap);
}

void checks_add(struct checks *out, enum checks_severity severity, const char *check,
		int domain, const char *fmt, ...)
{
	struct checks_item *item;
	va_list ap;

	/* One finding per domain and check, so this takes a very broken machine. */
	if (out->item_count == CHECKS_MAX_ITEMS)
		return;
	item = &out->items[out->item_count++];
	item->severity = severity;
	item->check = check;
	item->domain = domain;
	item->ignored = false;
	va_start(ap, fmt);
	vsnprintf(item->text, sizeof(item->text), fmt, ap);
	va_end(ap);
}

int checks_ignore(struct checks *out, const char *check, struct err *err)
{
	char known[CHECKS_TEXT] = "";
	unsigned int i;
	size_t n;

	for (n = 0; n < NAME_COUNT && strcmp(names[n], check); n++)
		checks_append(known, sizeof(known), "%s%s", n ? ", " : "", names[n]);
	if (n == NAME_COUNT)
		return err_set(err, -EINVAL, "no check '%s'; the checks are %s", check,
			       known);
	for (i = 0; i < out->item_count; i++)
		if (!strcmp(out->items[i].check, check))
			out->items[i].ignored = true;
	return 0;
}

unsigned int checks_findings(const struct checks *out)
{
	unsigned int i, n = 0;

	for (i = 0; i < out->item_count; i++)
		n += out->items[i].severity == CHECKS_FINDING && !out->items[i].ignored;
	return n;
}

bool checks_left_out(const struct checks *out)
{
	unsigned int i;

	for (i = 0; i < out->item_count; i++)
		if (out->items[i].severity == CHECKS_LEFT_OUT)
			return true;
	return false;
}

char *checks_states(const struct em_state *states, size_t n, char *out, size_t size)
{
	size_t i;

	out[0] = '\0';
	for (i = 0; i < n; i++)
		if (states[i].inefficient)
			checks_append(out, size, "%s%zu", out[0] ? "," : "", i);
	return out;
}

const char *checks_cpu_name(const struct dtcpus *d, unsigned int cpu, char *buf,
			    size_t size)
{
	const char *slash = strrchr(d->cpus[cpu].path, '/');

	if (slash && slash[1])
		return slash + 1;
	snprintf(buf, size, "CPU %u", cpu);
	return buf;
}

char *checks_cpus(const struct dtcpus *d, unsigned int domain, char *out, size_t size)
{
	const struct dt_domain *dom = &d->domains[domain];
	char list[128], name[32];
	unsigned int i;

	snprintf(out, size, "CPU%s %s", dom->cpu_count == 1 ? "" : "s",
		 cpulist_format(dom->cpus, dom->cpu_count, list, sizeof(list)));
	if (!d->cpus[dom->cpus[0]].path[0])
		return out;
	for (i = 0; i < dom->cpu_count; i++)
		checks_append(out, size, "%s%s", i ? ", " : " (",
			      checks_cpu_name(d, dom->cpus[i], name, sizeof(name)));
	checks_append(out, size, ")");
	return out;
}

static void fill_domains(const struct dtcpus *d, struct checks *out)
{
	unsigned int i;

	for (i = 0; i < d->domain_count; i++) {
		const struct dt_cpu *first = &d->cpus[d->domains[i].cpus[0]];
		struct checks_domain *dom = &out->domains[i];

		dom->compatible = first->compatible_count ? first->compatibles[0] : "";
		dom->first_cpu = d->domains[i].cpus[0];
		dom->has_dpc = first->has_dpc;
		dom->dpc_uw_per_mhz_v2 = first->dpc_uw_per_mhz_v2;
		dom->state_count = d->domains[i].opp_count;
	}
	out->domain_count = d->domain_count;
}

void checks_run(const struct checks_input *in, struct checks *out)
{
	memset(out, 0, sizeof(*out));
	fill_domains(in->d, out);
	checks_capacity(in, out);
	checks_energy(in->d, out);
	checks_eas(in, out);
	checks_big_little(&in->band, out);
	checks_order(in, out);
}

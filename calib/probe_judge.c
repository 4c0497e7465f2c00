// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From facts to what is missing for a calibration and for energy-aware scheduling.
 */
#include "calib/probe.h"

#include <stdarg.h>
#include <string.h>

#include "lib/cpulist.h"
#include "lib/text.h"

static void add(struct probe *p, enum probe_kind kind, bool eas, const char *todo,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void add(struct probe *p, enum probe_kind kind, bool eas, const char *todo,
		const char *fmt, ...)
{
	struct probe_item *item = &p->items[p->item_count];
	va_list ap;

	if (p->item_count == PROBE_MAX_ITEMS)
		return;
	p->item_count++;
	item->kind = kind;
	item->eas = eas;
	snprintf(item->todo, sizeof(item->todo), "%s", todo);
	va_start(ap, fmt);
	vsnprintf(item->what, sizeof(item->what), fmt, ap);
	va_end(ap);
}

static unsigned int volts_known(const struct facts_cluster *c)
{
	unsigned int i, n = 0;

	for (i = 0; i < c->opp_count; i++)
		n += c->opps[i].volt_uv != 0;
	return n;
}

static void judge_voltages(struct probe *p, const struct facts_cluster *c)
{
	unsigned int known = volts_known(c);

	if (c->volt_measured || known == c->opp_count)
		return;
	if (c->regulator_uv)
		add(p, PROBE_NOTE, false, "",
		    "%s: voltages are read from regulator %s while a clock is pinned",
		    c->name, c->regulator);
	else
		add(p, PROBE_MISSING, false,
		    "mount debugfs and run as root, or give them with --voltages FILE",
		    "%s: the voltage of %u of %u operating points is unknown (no meter, "
		    "OPP table in debugfs, device tree or regulator tells it)",
		    c->name, c->opp_count - known, c->opp_count);
}

static void note_frequencies(struct probe *p, const struct facts_cluster *c)
{
	char cpus[128];

	if (!strcmp(c->opp_source, "limits") || !strcmp(c->opp_source, "dt"))
		add(p, PROBE_NOTE, false, "measure those that you want with --opps",
		    "%s: the kernel lists no frequencies (driver %s): %u point%s in "
		    "%u..%u kHz are requests, not an OPP table",
		    c->name, c->driver, c->opp_count, text_s(c->opp_count), c->min_khz,
		    c->max_khz);
	if (c->boost_count && !c->boost_on)
		add(p, PROBE_NOTE, false,
		    "'calib measure --boost' switches it on for the run",
		    "%s: %u boost clock%s left out, as boost is off", c->name,
		    c->boost_count, text_s(c->boost_count));
	if (c->limit_max_khz && c->limit_max_khz < c->max_khz)
		add(p, PROBE_NOTE, false,
		    "'calib measure' opens it for the run; if it does not stay open, "
		    "look for a thermal limit or a power daemon",
		    "%s: scaling_max_freq is %u of %u kHz", c->name, c->limit_max_khz,
		    c->max_khz);
	if (c->offline_count)
		add(p, PROBE_NOTE, false,
		    "'calib measure --online' brings them up for the run",
		    "%s: CPUs %s are offline and will not be loaded", c->name,
		    cpulist_format(c->offline, c->offline_count, cpus, sizeof(cpus)));
}

static const struct facts_meter *meter_of(const struct facts *f,
					  const struct facts_cluster *c)
{
	for (unsigned int i = 0; i < f->meter_count; i++)
		if (!strncmp(f->meters[i].name, c->sensor, sizeof(c->sensor) - 1))
			return &f->meters[i];
	return NULL;
}

/* It has one; does that one work? */
static void judge_meter(struct probe *p, const struct facts_cluster *c)
{
	const struct facts_meter *m = meter_of(p->facts, c);

	if (m && !m->has_power)
		add(p, PROBE_MISSING, false, "", "%s: its meter gives no reading: %s",
		    c->name, m->why);
	else if (m && !strcmp(m->kind, METERS_STREAM_SPEC))
		add(p, PROBE_NOTE, false,
		    "keep other programs from loading the machine meanwhile",
		    "%s: the clock of the external meter is found by a marker load when "
		    "'calib measure' begins",
		    c->name);
}

static void judge_cluster(struct probe *p, const struct facts_cluster *c)
{
	if (c->no_pin[0])
		add(p, PROBE_MISSING, false, "", "%s", c->no_pin);
	if (!c->sensor[0])
		add(p, PROBE_MISSING, false, "", "%s%s%s",
		    p->facts->virtual_board ? c->name : "",
		    p->facts->virtual_board ? ": " : "", c->no_sensor);
	else
		judge_meter(p, c);
	judge_voltages(p, c);
	note_frequencies(p, c);
	if (!p->facts->virtual_board && !c->zone_count)
		add(p, PROBE_NOTE, false, "",
		    "%s: no thermal zone: leakage cannot be told from heat", c->name);
}

static void judge_calibration(struct probe *p)
{
	const struct facts *f = p->facts;
	unsigned int i;

	if (f->no_cpufreq[0])
		add(p, PROBE_MISSING, false, "", "%s", f->no_cpufreq);
	if (!f->cluster_count && !f->meter_count)
		add(p, PROBE_MISSING, false,
		    "load the meter's hwmon driver (ina2xx, ina3221 ...) and check with "
		    "'sensors', or give an external meter's readings: 'calib measure "
		    "--power-from'",
		    "no power meter%s%s", f->no_meters[0] ? ": " : "", f->no_meters);
	for (i = 0; i < f->cluster_count; i++)
		judge_cluster(p, &f->clusters[i]);
	if (f->voltages_note[0])
		add(p, PROBE_NOTE, false, "its words are CPU.KHZ=MICROVOLT", "%s",
		    f->voltages_note);
	for (i = 0; i < f->offline_policy_count; i++)
		add(p, PROBE_NOTE, false,
		    "'calib measure --online' brings them up for the run",
		    "policy%u: all its CPUs are offline, skipped",
		    f->offline_policies[i]);
	if (!f->cycles)
		add(p, PROBE_NOTE, false, "",
		    "cycle counters: %s; the delivered clock is then told by the load's "
		    "own rate",
		    f->no_cycles);
}

static bool lists(const struct facts_cluster *c, const char *governor)
{
	const char *at = strstr(c->governors, governor);

	return at && (at == c->governors || at[-1] == ' ');
}

static const struct facts_config *config(const struct facts *f, const char *name)
{
	unsigned int i;

	for (i = 0; i < FACTS_CONFIGS; i++)
		if (!strcmp(f->configs[i].name, name))
			return &f->configs[i];
	return NULL;
}

/* A driver in active mode has governors of its own, whatever the kernel was built with.
 */
static const char *schedutil_advice(const struct facts_cluster *c)
{
	if (!strcmp(c->driver, "intel_pstate"))
		return "echo passive > /sys/devices/system/cpu/intel_pstate/status, then "
		       "schedutil into scaling_governor";
	if (!strcmp(c->driver, "amd-pstate-epp"))
		return "echo passive > /sys/devices/system/cpu/amd_pstate/status, then "
		       "schedutil into scaling_governor";
	return "build the kernel with CONFIG_CPU_FREQ_GOV_SCHEDUTIL=y";
}

static void judge_governor(struct probe *p, const struct facts_cluster *c)
{
	if (!strcmp(c->governor, "schedutil"))
		return;
	if (lists(c, "schedutil"))
		add(p, PROBE_MISSING, true,
		    "echo schedutil > /sys/devices/system/cpu/cpufreq/policyN/"
		    "scaling_governor",
		    "%s: governor is %s, EAS needs schedutil", c->name, c->governor);
	else
		add(p, PROBE_MISSING, true, schedutil_advice(c),
		    "%s: governor schedutil is not available, EAS needs it", c->name);
}

/* What makes the kernel tell capacities, or tell them apart. */
static const char *capacity_advice(const struct facts *f, bool known)
{
	bool in_tree = f->cluster_count > 0;

	for (unsigned int i = 0; i < f->cluster_count; i++)
		in_tree = in_tree && f->clusters[i].capacity_in_tree;
	if (f->x86 && !(f->cluster_count && f->clusters[0].compatible[0]))
		return "x86 kernels tell them of hybrid processors, from v6.12 on";
	if (!in_tree)
		return known ? "put capacity-dmips-mhz on all CPU nodes if the cores "
			       "differ"
			     : "put capacity-dmips-mhz on all CPU nodes of the device "
			       "tree";
	return known ? "the device tree has capacity-dmips-mhz on these CPU nodes: check "
		       "its values if the cores differ"
		     : "the device tree has capacity-dmips-mhz on these CPU nodes: look "
		       "in 'dmesg | grep cpu_capacity' for one without it, or for a "
		       "kernel that is too old";
}

static void judge_capacities(struct probe *p)
{
	const struct facts *f = p->facts;
	bool known = f->cluster_count > 0, differ = false;
	unsigned int i;

	for (i = 0; i < f->cluster_count; i++) {
		known = known && f->clusters[i].capacity;
		differ = differ || f->clusters[i].capacity != f->clusters[0].capacity;
	}
	if (!known)
		add(p, PROBE_UNKNOWN, true, capacity_advice(f, known),
		    "capacities: the kernel shows no cpu_capacity");
	else if (!differ)
		add(p, PROBE_MISSING, true, capacity_advice(f, known),
		    "capacities: all CPUs have %u: EAS needs at least two",
		    f->clusters[0].capacity);
}

static bool has_model(const struct facts *f, unsigned int cpu)
{
	unsigned int i, k;

	for (i = 0; i < f->domain_count; i++)
		for (k = 0; k < f->domains[i].cpu_count; k++)
			if (f->domains[i].cpus[k] == cpu)
				return true;
	return false;
}

static void judge_models(struct probe *p)
{
	const struct facts *f = p->facts;
	unsigned int without[BOARD_MAX_CLUSTERS * BOARD_MAX_CPUS], n = 0, i, k;
	char cpus[256];

	if (f->em_shown == FACTS_UNKNOWN) {
		add(p, PROBE_UNKNOWN, true,
		    "run as root; mount -t debugfs none /sys/kernel/debug",
		    "energy model: debugfs cannot be read");
		return;
	}
	if (f->em_shown == FACTS_NO || !f->domain_count) {
		add(p, PROBE_MISSING, true,
		    "put dynamic-power-coefficient on the CPU nodes: 'calib measure', "
		    "'calib "
		    "fit', 'fdtedit apply'",
		    "energy model: the kernel has none for any CPU");
		return;
	}
	for (i = 0; i < f->cluster_count; i++)
		for (k = 0; k < f->clusters[i].cpu_count; k++)
			if (!has_model(f, f->clusters[i].cpus[k]))
				without[n++] = f->clusters[i].cpus[k];
	if (n)
		add(p, PROBE_MISSING, true,
		    "every CPU needs one, or EAS stays off: look for OPPs without "
		    "voltage, "
		    "or nodes without dynamic-power-coefficient",
		    "energy model: CPUs %s have none",
		    cpulist_format(without, n, cpus, sizeof(cpus)));
}

unsigned int probe_complexity(const struct facts *f, bool pruned)
{
	unsigned int cpus = 0, states = 0, i;

	for (i = 0; i < f->domain_count; i++) {
		cpus += f->domains[i].cpu_count;
		states += f->domains[i].state_count;
		states -= pruned ? f->domains[i].inefficient : 0;
	}
	return em_complexity(f->domain_count, cpus, states);
}

bool probe_limits_complexity(const struct facts *f)
{
	return f->em_release && f->em_release < EM_RELEASE_ANY_COMPLEXITY;
}

static void judge_complexity(struct probe *p)
{
	const struct facts *f = p->facts;

	if (!probe_limits_complexity(f) ||
	    probe_complexity(f, false) <= EM_MAX_COMPLEXITY)
		return;
	add(p, PROBE_MISSING, true,
	    probe_complexity(f, true) <= EM_MAX_COMPLEXITY
		    ? "take the inefficient operating points out of the tree: 'fdtedit "
		      "prune'"
		    : "a kernel from v6.7 on, which has no such limit",
	    "energy model: complexity %u is above %u", probe_complexity(f, false),
	    EM_MAX_COMPLEXITY);
}

static void judge_switches(struct probe *p)
{
	const struct facts *f = p->facts;

	if (f->smt == FACTS_YES)
		add(p, PROBE_MISSING, true,
		    "echo off > /sys/devices/system/cpu/smt/control",
		    "SMT is active: EAS needs it off");
	if (f->invariant != FACTS_YES)
		add(p, f->invariant == FACTS_NO ? PROBE_MISSING : PROBE_UNKNOWN, true,
		    f->invariant == FACTS_NO ? "mostly a hypervisor hides them: run on "
					       "the machine itself"
					     : "",
		    "frequency-invariant load tracking: %s", f->invariant_why);
	if (f->energy_aware == FACTS_NO)
		add(p, PROBE_MISSING, true,
		    "echo 1 > /proc/sys/kernel/sched_energy_aware once the rest is there",
		    "sched_energy_aware is 0");
}

static void judge_configs(struct probe *p)
{
	const struct facts *f = p->facts;
	unsigned int i;

	for (i = 0; i < FACTS_CONFIGS; i++) {
		const struct facts_config *c = &f->configs[i];
		bool eas = strcmp(c->name, "CPU_FREQ_GOV_USERSPACE") != 0;

		/* Without it the limits are clamped: worth knowing, no more. */
		if (c->set == FACTS_NO)
			add(p, eas ? PROBE_MISSING : PROBE_NOTE, eas,
			    "build the kernel with it", "CONFIG_%s is not set", c->name);
	}
	if (!f->config_source[0])
		add(p, PROBE_NOTE, true, "",
		    "the kernel's configuration cannot be read (no /boot/config-*, no "
		    "/proc/config.gz): ENERGY_MODEL, SCHED_MC and CPU_FREQ_GOV_SCHEDUTIL "
		    "have to be set");
}

static void judge_eas(struct probe *p)
{
	const struct facts *f = p->facts;
	const struct facts_config *em = config(f, "ENERGY_MODEL");
	unsigned int i;

	if (f->no_cpufreq[0])
		add(p, PROBE_MISSING, true, "load the machine's cpufreq driver",
		    "governor schedutil: no cpufreq policy can be used, and EAS needs "
		    "it");
	for (i = 0; i < f->cluster_count; i++)
		judge_governor(p, &f->clusters[i]);
	judge_capacities(p);
	if (em->set != FACTS_NO)
		judge_models(p);
	judge_complexity(p);
	judge_switches(p);
	judge_configs(p);
}

void probe_judge(const struct facts *f, struct probe *p)
{
	memset(p, 0, sizeof(*p));
	p->facts = f;
	judge_calibration(p);
	judge_eas(p);
}

unsigned int probe_missing(const struct probe *p, bool eas)
{
	unsigned int i, n = 0;

	for (i = 0; i < p->item_count; i++)
		n += p->items[i].kind == PROBE_MISSING && p->items[i].eas == eas;
	return n;
}

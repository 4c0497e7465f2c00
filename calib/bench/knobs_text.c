// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Combinations of settings as text: from the command line, and for tables.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calib/bench/knobs.h"
#include "lib/num.h"

#define LIST_MAX 16

bool knobs_empty(const struct knobs_combo *c)
{
	return !c->governor[0] && !c->epp[0] && !c->mode[0];
}

static int take_word(char *out, size_t size, const char *value, size_t len,
		     const char *key, struct err *err)
{
	if (!len || len >= size || strcspn(value, " \t\n/") < len)
		return err_set(err, -EINVAL, "%s '%.*s' is not a name", key, (int)len,
			       value);
	memcpy(out, value, len);
	out[len] = '\0';
	return 0;
}

static int take_policy(struct knobs_combo *c, const char *value, size_t len,
		       struct err *err)
{
	char word[32];
	int ret = take_word(word, sizeof(word), value, len, "policy", err);

	if (ret)
		return ret;
	if (c->policy_count == CPUFREQ_MAX_POLICIES)
		return err_set(err, -EINVAL, "more than %d policies",
			       CPUFREQ_MAX_POLICIES);
	if (num_u32(word, &c->policies[c->policy_count]))
		return err_set(err, -EINVAL,
			       "policy '%s' is not the N of a cpufreq policyN", word);
	c->policy_count++;
	return 0;
}

static int take_part(struct knobs_combo *c, const char *part, size_t len, struct err *err)
{
	static const struct {
		const char *key;
		size_t len;
	} keys[] = {
		{ "governor=", 9 }, { "epp=", 4 }, { "policy=", 7 }, { "mode=", 5 }
	};
	size_t k = 0;

	while (k < 4 && (len < keys[k].len || strncmp(part, keys[k].key, keys[k].len)))
		k++;
	if (k == 4)
		return err_set(err, -EINVAL,
			       "setting '%.*s' is not governor=NAME, epp=NAME, mode=NAME "
			       "or policy=N",
			       (int)len, part);
	part += keys[k].len;
	len -= keys[k].len;
	if (k == 0 && !c->governor[0])
		return take_word(c->governor, sizeof(c->governor), part, len, "governor",
				 err);
	if (k == 1 && !c->epp[0])
		return take_word(c->epp, sizeof(c->epp), part, len, "EPP", err);
	if (k == 2)
		return take_policy(c, part, len, err);
	if (k == 3 && !c->mode[0])
		return take_word(c->mode, sizeof(c->mode), part, len, "mode", err);
	return err_set(err, -EINVAL, "'%s' is given twice", keys[k].key);
}

int knobs_parse(const char *text, struct knobs_combo *c, struct err *err)
{
	memset(c, 0, sizeof(*c));
	if (!*text)
		return 0;
	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");
		int ret = take_part(c, p, len, err);

		if (ret)
			return ret;
		p += len;
		if (!*p)
			return 0;
	}
}

int knobs_of(const char *governor, const char *epp, struct knobs_combo *c,
	     struct err *err)
{
	char text[1024];
	int len = snprintf(text, sizeof(text), "%s%s%s%s%s", governor ? "governor=" : "",
			   governor ? governor : "", governor && epp ? "," : "",
			   epp ? "epp=" : "", epp ? epp : "");

	/* Cut, policy=12 would be policy=1. */
	if (len >= (int)sizeof(text))
		return err_set(err, -EINVAL, "setting '%.40s...' is too long", text);
	return knobs_parse(text, c, err);
}

const char *knobs_name(const struct knobs_combo *c, char *out, size_t size)
{
	if (knobs_empty(c))
		snprintf(out, size, "as set");
	else
		snprintf(out, size, "%s%s%s%s%s", c->mode,
			 c->mode[0] && (c->governor[0] || c->epp[0]) ? " " : "",
			 c->governor, c->governor[0] && c->epp[0] ? "/" : "", c->epp);
	return out;
}

/* Whatever is measured for it would be measured twice. */
static int check_last(char names[][32], unsigned int n, const char *what, struct err *err)
{
	for (unsigned int i = 0; i + 1 < n; i++)
		if (!strcmp(names[i], names[n - 1]))
			return err_set(err, -EINVAL, "%s '%s' is given twice", what,
				       names[i]);
	return 0;
}

/*
 * The list of names at @list; NULL is one, "". How many, or -errno.
 */
static int split(const char *list, const char *what, size_t size, char out[][32],
		 unsigned int max, struct err *err)
{
	unsigned int n = 0;
	int ret = 0;

	out[0][0] = '\0';
	if (!list)
		return 1;
	for (const char *p = list; !ret; p++) {
		size_t len = strcspn(p, ",");

		if (n == max)
			return err_set(err, -ERANGE, "more than %u in '%s'", max, list);
		ret = take_word(out[n++], size, p, len, what, err);
		if (!ret)
			ret = check_last(out, n, what, err);
		p += len;
		if (!*p)
			break;
	}
	return ret ? ret : (int)n;
}

int knobs_product(const char *modes, const char *governors, const char *epps,
		  struct knobs_combo *out, unsigned int max, struct err *err)
{
	char m[LIST_MAX][32], g[LIST_MAX][32], e[LIST_MAX][32];
	int nm, ng, ne;

	nm = split(modes, "mode", sizeof(out->mode), m, LIST_MAX, err);
	if (nm < 0)
		return nm;
	ng = split(governors, "governor", sizeof(out->governor), g, LIST_MAX, err);
	if (ng < 0)
		return ng;
	ne = split(epps, "EPP", sizeof(out->epp), e, LIST_MAX, err);
	if (ne < 0)
		return ne;
	if ((unsigned int)(nm * ng * ne) > max)
		return err_set(err, -ERANGE, "more than %u combinations of settings",
			       max);
	for (int i = 0; i < nm * ng * ne; i++) {
		memset(&out[i], 0, sizeof(out[i]));
		memcpy(out[i].mode, m[i / ne / ng], sizeof(out[i].mode));
		memcpy(out[i].governor, g[i / ne % ng], sizeof(out[i].governor));
		memcpy(out[i].epp, e[i % ne], sizeof(out[i].epp));
	}
	return nm * ng * ne;
}

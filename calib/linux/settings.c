// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * State file and guardian, together.
 */
#include "calib/linux/settings.h"

void settings_init(struct settings *s, const struct sysfs *sys,
		   void (*note)(void *arg, const char *text), void *note_arg)
{
	*s = (struct settings){ .sys = sys, .note = note, .note_arg = note_arg };
}

int settings_hold(struct settings *s, struct err *err)
{
	bool recovered;
	int ret;

	if (s->held)
		return 0;
	ret = state_open(&s->state, s->sys, &recovered, err);
	if (ret)
		return ret;
	s->held = true;
	s->recovered = recovered;
	if (recovered && s->note)
		s->note(s->note_arg,
			"put back the settings that a run which died had left behind");
	return 0;
}

int settings_commit(struct settings *s, struct err *err)
{
	int ret = guardian_start(&s->guardian, &s->state, s->note, s->note_arg, err);

	return ret ? ret : state_commit(&s->state, err);
}

int settings_restore(struct settings *s, unsigned int keep, struct err *err)
{
	int ret;

	if (!s->held)
		return 0;
	ret = state_restore_from(&s->state, keep, err);
	if (!ret && !s->state.count)
		guardian_dismiss(&s->guardian);
	return ret;
}

void settings_close(struct settings *s)
{
	settings_restore(s, 0, NULL);
	/* What could not be put back twice it could not either; that was told. */
	guardian_dismiss(&s->guardian);
	if (s->held)
		state_close(&s->state);
	*s = (struct settings){ .sys = NULL };
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of texts.
 */
#include "lib/grid.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void grid_add(struct grid *g, const char *fmt, ...)
{
	va_list ap;
	int len;

	if (g->count == g->room) {
		size_t room = g->room ? 2 * g->room : 64;
		char **grown = realloc(g->cells, room * sizeof(*grown));

		g->failed |= !grown;
		if (!grown)
			return;
		g->cells = grown;
		g->room = room;
	}
	va_start(ap, fmt);
	len = vasprintf(&g->cells[g->count], fmt, ap);
	va_end(ap);
	if (len < 0)
		g->failed = true;
	else
		g->count++;
}

void grid_add_number(struct grid *g, double value, int digits)
{
	if (isfinite(value))
		grid_add(g, "%.*f", digits, value);
	else
		grid_add(g, "-");
}

/* Columns on a terminal that UTF-8 text takes, all letters being one wide. */
static size_t width_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

/* As it stands in Markdown. */
static size_t shown_width(const char *text, bool markdown)
{
	size_t n = width_of(text);

	for (; markdown && *text; text++)
		n += *text == '|';
	return n;
}

static void put_cell(FILE *f, const char *text, bool markdown)
{
	for (; *text; text++) {
		if (markdown && *text == '|')
			fputc('\\', f);
		fputc(*text, f);
	}
}

static void put_padded(FILE *f, const char *text, char align, size_t width, bool markdown,
		       bool last)
{
	int pad = width - shown_width(text, markdown);

	if (align == 'r')
		fprintf(f, "%*s", pad, "");
	put_cell(f, text, markdown);
	/* No blanks at the end of a line. */
	if (align == 'l' && (markdown || !last))
		fprintf(f, "%*s", pad, "");
}

static void put_row(const struct grid *g, FILE *f, char *const *row, const size_t *widths,
		    bool markdown)
{
	size_t columns = strlen(g->align), i;

	while (!markdown && columns > 1 && !row[columns - 1][0])
		columns--;
	for (i = 0; i < columns; i++) {
		fputs(markdown ? (i ? " | " : "| ") : (i ? "  " : ""), f);
		put_padded(f, row[i], g->align[i], widths[i], markdown, i + 1 == columns);
	}
	fputs(markdown ? " |\n" : "\n", f);
}

static void put_rule(const struct grid *g, FILE *f, const size_t *widths)
{
	for (size_t i = 0; g->align[i]; i++) {
		fputs(i ? " | " : "| ", f);
		for (size_t k = 1; k < widths[i]; k++)
			fputc('-', f);
		fputc(g->align[i] == 'r' ? ':' : '-', f);
	}
	fputs(" |\n", f);
}

static void find_widths(const struct grid *g, size_t *widths, size_t columns,
			bool markdown)
{
	for (size_t i = 0; i < g->count; i++) {
		size_t width = shown_width(g->cells[i], markdown);

		/* A rule of Markdown has three at least. */
		if (markdown && width < 3)
			width = 3;
		if (width > widths[i % columns])
			widths[i % columns] = width;
	}
}

int grid_print(const struct grid *g, FILE *f, bool markdown)
{
	size_t columns = strlen(g->align), i;
	size_t *widths = g->failed ? NULL : calloc(columns, sizeof(*widths));

	if (!widths)
		return -ENOMEM;
	find_widths(g, widths, columns, markdown);
	for (i = 0; i + columns <= g->count; i += columns) {
		put_row(g, f, &g->cells[i], widths, markdown);
		if (!i && markdown)
			put_rule(g, f, widths);
	}
	free(widths);
	return 0;
}

void grid_free(struct grid *g)
{
	for (size_t i = 0; i < g->count; i++)
		free(g->cells[i]);
	free(g->cells);
	*g = (struct grid){ 0 };
}

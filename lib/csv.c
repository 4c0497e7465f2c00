// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Comma-separated values without quoting, one line at a time.
 */
#include "lib/csv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 65536

static int refuse(const struct csv *csv, struct err *err, const char *why)
{
	return err_set(err, -EINVAL, "%s:%u: %s", csv->path, csv->line_no, why);
}

static int grow(char **line, size_t *cap)
{
	size_t next = *cap ? 2 * *cap : 256;
	char *p = realloc(*line, next);

	if (!p)
		return -ENOMEM;
	*line = p;
	*cap = next;
	return 0;
}

/*
 * One line without its end into *@line. Returns 1, 0 at the end of the file, or an error.
 * Not getline(): the length must have a limit and a NUL must show.
 */
static int read_line(struct csv *csv, char **line, size_t *cap, struct err *err)
{
	size_t len = 0;
	int c;

	csv->line_no++;
	while ((c = getc_unlocked(csv->f)) != EOF && c != '\n') {
		if (c == '\0')
			return refuse(csv, err, "a NUL byte; is this text in UTF-8?");
		if (len == MAX_LINE)
			return refuse(csv, err, "line longer than 65536 bytes");
		if (len + 1 >= *cap && grow(line, cap))
			return err_errno(err, -ENOMEM, "%s:%u", csv->path, csv->line_no);
		(*line)[len++] = c;
	}
	if (c == EOF && ferror(csv->f))
		return err_errno(err, errno ? -errno : -EIO, "cannot read '%s'",
				 csv->path);
	if (c == EOF && !len)
		return 0;
	if (len && (*line)[len - 1] == '\r')
		len--;
	if (!*cap && grow(line, cap))
		return err_errno(err, -ENOMEM, "%s:%u", csv->path, csv->line_no);
	(*line)[len] = '\0';
	return 1;
}

static bool is_blank(const char *line)
{
	return !line[strspn(line, " \t\r")];
}

static const char *trim(char *field)
{
	char *end;

	field += strspn(field, " \t");
	end = field + strlen(field);
	while (end > field && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	return field;
}

/* Returns the number of fields, or -E2BIG. */
static int cut(char *line, const char *fields[])
{
	int n = 0;

	for (;;) {
		char *comma = strchr(line, ',');

		if (n == CSV_MAX_FIELDS)
			return -E2BIG;
		if (comma)
			*comma = '\0';
		fields[n++] = trim(line);
		if (!comma)
			return n;
		line = comma + 1;
	}
}

static int split(struct csv *csv, char *line, const char *fields[], struct err *err)
{
	int n;

	if (strchr(line, '"'))
		return refuse(csv, err, "a quote; quoted fields are not taken");
	n = cut(line, fields);
	if (n < 0)
		return refuse(csv, err, "more than 64 fields");
	return n;
}

static int check_names(struct csv *csv, struct err *err)
{
	for (int i = 0; i < csv->nnames; i++) {
		if (!*csv->names[i])
			return err_set(err, -EINVAL, "%s:%u: column %d has no name",
				       csv->path, csv->line_no, i + 1);
		for (int j = 0; j < i; j++)
			if (!strcmp(csv->names[i], csv->names[j]))
				return err_set(err, -EINVAL,
					       "%s:%u: column '%.60s' is there twice",
					       csv->path, csv->line_no, csv->names[i]);
	}
	return 0;
}

static int check_separator(struct csv *csv, struct err *err)
{
	char other = strchr(csv->header, ';') ? ';' : '\t';

	if (!strchr(csv->header, ';') &&
	    (!strchr(csv->header, '\t') || strchr(csv->header, ',')))
		return 0;
	return err_set(
		err, -EINVAL,
		"%s:%u: '%.60s' is separated by %s; save it with ',' between fields "
		"and '.' as decimal point",
		csv->path, csv->line_no, csv->header, other == ';' ? "';'" : "tabs");
}

static int read_header(struct csv *csv, struct err *err)
{
	int ret = read_line(csv, &csv->header, &csv->header_cap, err);
	char *text;

	if (ret < 0)
		return ret;
	if (ret == 0)
		return err_set(err, -EINVAL, "'%s' is empty, a header line is needed",
			       csv->path);
	text = csv->header;
	if (!strncmp(text, "\xef\xbb\xbf", 3))
		memmove(text, text + 3, strlen(text + 3) + 1);
	if (is_blank(text))
		return refuse(csv, err, "blank, a header line is needed");
	ret = check_separator(csv, err);
	if (ret)
		return ret;
	csv->nnames = split(csv, text, csv->names, err);
	return csv->nnames < 0 ? csv->nnames : check_names(csv, err);
}

int csv_open(struct csv *csv, const char *path, struct err *err)
{
	int ret;

	*csv = (struct csv){ .path = path };
	if (strcmp(path, "-")) {
		csv->f = fopen(path, "re");
	} else {
		csv->f = stdin;
		csv->path = "standard input";
	}
	if (!csv->f)
		return err_errno(err, -errno, "cannot open '%s'", path);
	ret = read_header(csv, err);
	if (ret)
		csv_close(csv);
	return ret;
}

/* Skip blank lines, which may only be at the end. As read_line(). */
static int read_row_line(struct csv *csv, struct err *err)
{
	unsigned int blank_line = 0;
	int ret;

	for (;;) {
		ret = read_line(csv, &csv->line, &csv->line_cap, err);
		if (ret <= 0)
			return ret;
		if (!is_blank(csv->line))
			break;
		if (!blank_line)
			blank_line = csv->line_no;
	}
	if (!blank_line)
		return 1;
	csv->line_no = blank_line;
	return refuse(csv, err, "a blank line, and more rows after it");
}

int csv_next(struct csv *csv, struct err *err)
{
	int ret = read_row_line(csv, err);

	if (ret <= 0)
		return ret;
	csv->nfields = split(csv, csv->line, csv->fields, err);
	if (csv->nfields < 0)
		return csv->nfields;
	if (csv->nfields != csv->nnames)
		return err_set(err, -EINVAL, "%s:%u: %d field%s, the header has %d",
			       csv->path, csv->line_no, csv->nfields,
			       csv->nfields == 1 ? "" : "s", csv->nnames);
	return 1;
}

int csv_column(const struct csv *csv, const char *name)
{
	for (int i = 0; i < csv->nnames; i++)
		if (!strcmp(csv->names[i], name))
			return i;
	return -ENOENT;
}

void csv_close(struct csv *csv)
{
	if (csv->f && csv->f != stdin)
		fclose(csv->f);
	free(csv->header);
	free(csv->line);
	*csv = (struct csv){ 0 };
}

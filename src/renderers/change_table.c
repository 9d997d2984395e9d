/* change_table.c: how are functions of two sides printed as a table? */
#include "renderers/change_table.h"

#include "base/units.h"
#include "base/utf8.h"
#include "renderers/changes.h"

#define MODULE_WIDTH 16u /* columns; longer names are cut on terminals */

enum { VALUE, CHANGE, PERCENT, CELLS };
static const char *const headings[2][CELLS] = {{"Self", "change", "%"}, {"Total", "change", "%"}};

struct columns {
	size_t cells[2][CELLS]; /* widths of self and total */
	size_t module;		/* 0: no function has one */
};

static void cell_text(struct buffer *b, const struct view *v, const struct functions *f,
	const int64_t *values, int cell)
{
	b->len = 0;
	if (!values[0] && !values[1])
		return;
	if (cell == CHANGE)
		change_value(b, v, &f->sides, values[0], values[1]);
	else if (cell == PERCENT)
		change_percent(b, &f->sides, values[0], values[1]);
	else if (values[1])
		text_value(b, v, values[1]);
}

static void widen(size_t *width, size_t min)
{
	if (*width < min)
		*width = min;
}

static struct bytes module_of(const struct view *v, frame_id frame)
{
	return view_text(v, view_frame_at(v, frame).module);
}

static struct columns fit(const struct view *v, const struct functions *f, size_t rows, bool cut)
{
	struct columns c = {0};
	struct buffer text = {0};

	for (int part = 0; part < 2; part++) {
		for (int cell = 0; cell < CELLS; cell++) {
			size_t *width = &c.cells[part][cell];

			widen(width, strlen(headings[part][cell]));
			for (size_t i = 0; i < rows; i++) {
				const struct function_row *row = &f->rows[i];

				cell_text(&text, v, f, part ? row->total : row->self, cell);
				widen(width, utf8_count(buffer_bytes(&text)));
			}
		}
	}
	for (size_t i = 0; i < rows; i++)
		widen(&c.module, utf8_count(module_of(v, f->rows[i].frame)));
	if (c.module)
		widen(&c.module, strlen("Module"));
	if (cut && c.module > MODULE_WIDTH)
		c.module = MODULE_WIDTH;
	buffer_release(&text);
	return c;
}

static enum text_style style_of(const struct sides *s, const int64_t *values)
{
	int64_t change = sides_change(s, values[0], values[1]);

	if (change < s->noise && -change < s->noise)
		return TEXT_FAINT;
	return change > 0 ? TEXT_HOT : TEXT_LESS;
}

static size_t put_cells(struct buffer *b, const struct view *v, const struct functions *f,
	const struct function_row *row, const struct columns *c, const struct text_settings *text)
{
	struct buffer cell = {0};
	size_t used = 0;

	for (int part = 0; part < 2; part++) {
		const int64_t *values = part ? row->total : row->self;

		for (int i = 0; i < CELLS; i++) {
			size_t gap = used ? (i == VALUE ? 3 : 2) : 0;

			cell_text(&cell, v, f, values, i);
			if (i == CHANGE)
				text_style(b, style_of(&f->sides, values), text);
			text_right(b, buffer_bytes(&cell), c->cells[part][i] + gap);
			used += c->cells[part][i] + gap;
		}
		text_style(b, TEXT_PLAIN, text);
	}
	buffer_release(&cell);
	return used;
}

static void put_row(struct buffer *b, const struct view *v, const struct functions *f,
	const struct function_row *row, const struct columns *c, const struct text_settings *text)
{
	size_t used = put_cells(b, v, f, row, c, text) + 2 + (c->module ? c->module + 2 : 0);
	size_t left = !text->width ? 0 : text->width > used + 10 ? text->width - used : 10;

	buffer_text(b, "  ");
	if (c->module) {
		text_cell(b, module_of(v, row->frame), c->module, true, text);
		buffer_text(b, "  ");
	}
	text_cell(b, function_name(v, row->frame), left, false, text);
	buffer_char(b, '\n');
}

static void put_heading(struct buffer *b, const struct columns *c, const struct text_settings *text)
{
	text_style(b, TEXT_HEADING, text);
	for (int part = 0; part < 2; part++)
		for (int i = 0; i < CELLS; i++)
			text_right(b, bytes_of(headings[part][i]),
				c->cells[part][i] + (i != VALUE	   ? 2u
							    : part ? 3u
								   : 0u));
	buffer_text(b, "  ");
	if (c->module)
		text_cell(b, BYTES("Module"), c->module + 2, true, text);
	buffer_text(b, "Function");
	text_style(b, TEXT_PLAIN, text);
	buffer_char(b, '\n');
}

static void put_rest(struct buffer *b, size_t count, const char *what)
{
	if (!count)
		return;
	buffer_text(b, "... ");
	units_grouped(b, (int64_t)count);
	buffer_printf(b, " more function%s %s\n", count == 1 ? "" : "s", what);
}

void change_table(struct buffer *b, const struct view *v, const struct functions *f, size_t rows,
	size_t hidden, const struct text_settings *text)
{
	struct columns c;

	change_summary(b, v, &f->sides);
	if (!f->count) {
		buffer_text(b, "none of ");
		units_grouped(b, (int64_t)hidden);
		buffer_printf(
			b, " function%s changed by --threshold or more\n", hidden == 1 ? "" : "s");
		return;
	}
	c = fit(v, f, rows, text->width);
	put_heading(b, &c, text);
	for (size_t i = 0; i < rows; i++)
		put_row(b, v, f, &f->rows[i], &c, text);
	put_rest(b, f->count - rows, "(--rows 0 shows all)");
	put_rest(b, hidden, "changed less than --threshold");
}

/* dwarf_lines.c: which line of which file is at some addresses?
 *
 * A line table is a program whose output is a list of rows (address, file, line), mostly far more
 * than there are addresses to look up. So rows are never stored: the program runs, and each new row
 * ends the one before, which then answers the addresses in [last row, this row). The program stops
 * when all addresses are answered. */
#include "images/dwarf_lines.h"

#include "base/buffer.h"
#include "base/search.h"

#include <dwarf.h>
#include <stdlib.h>

#define FORMATS_LIMIT 255 /* fields of a file; their count is one byte */

void dwarf_lines_release(struct dwarf_lines *lines)
{
	vector_release(&lines->files);
	vector_release(&lines->directories);
	arena_release(&lines->texts);
	memory_free(lines->rows);
}

/* ---- Files ---- */

struct bytes dwarf_lines_path(struct dwarf_lines *lines, uint32_t number)
{
	struct bytes directory = {0}, above = {0};
	struct buffer path = {0};
	struct dwarf_line_file *file;

	number -= lines->from_one;
	if (number >= lines->files.len)
		return (struct bytes){0};
	file = &lines->files.items[number];
	if (file->path.len || !file->name.len)
		return file->path;
	if (*file->name.at != '/') {
		if (file->directory < lines->directories.len)
			directory = lines->directories.items[file->directory];
		if (!directory.len || *directory.at != '/')
			above = lines->directory;
	}
	buffer_add(&path, above.at, above.len);
	if (above.len && directory.len)
		buffer_char(&path, '/');
	buffer_add(&path, directory.at, directory.len);
	if (path.len)
		buffer_char(&path, '/');
	buffer_add(&path, file->name.at, file->name.len);
	file->path = (struct bytes){arena_copy(&lines->texts, path.at, path.len), path.len};
	buffer_release(&path);
	return file->path;
}

/* What the header says about the program. */
struct line_header {
	struct dwarf_encoding encoding;
	uint8_t minimum_length; /* of an instruction: the unit of address advances */
	int8_t base;
	uint8_t range, opcodes;
	const uint8_t *lengths; /* number of operands of the standard opcodes */
	struct cursor program;
};

/* Before DWARF 5: directories up to an empty one, then files. */
static bool file_read_old(struct dwarf_lines *lines, struct cursor *c)
{
	struct dwarf_line_file file = {.name = cursor_text(c)};

	if (c->bad || !file.name.len)
		return false;
	file.directory = cursor_uleb(c);
	cursor_uleb(c);
	cursor_uleb(c);
	if (!c->bad && lines->files.len < DWARF_LINE_FILES_LIMIT)
		vector_push(&lines->files, file);
	return !c->bad;
}

static void files_read_old(struct dwarf_lines *lines, struct cursor *c)
{
	lines->from_one = true;
	vector_push(&lines->directories,
		(struct bytes){0}); /* directory 0 is the compilation directory */
	while (lines->directories.len < DWARF_LINE_FILES_LIMIT) {
		struct bytes directory = cursor_text(c);

		if (!directory.len)
			break;
		vector_push(&lines->directories, directory);
	}
	while (file_read_old(lines, c))
		;
}

struct line_format {
	uint64_t content, form;
};

static unsigned formats_read(struct cursor *c, struct line_format formats[FORMATS_LIMIT])
{
	unsigned count = cursor_u8(c);

	for (unsigned i = 0; i < count; i++) {
		formats[i].content = cursor_uleb(c);
		formats[i].form = cursor_uleb(c);
	}
	return count;
}

/* A directory or file of DWARF 5, described by the formats. */
static struct dwarf_line_file file_read(const struct dwarf_unit *unit, struct cursor *c,
	struct dwarf_encoding encoding, const struct line_format *formats, unsigned count)
{
	struct dwarf_line_file file = {0};

	for (unsigned i = 0; i < count && !c->bad; i++) {
		struct dwarf_value value;

		if (formats[i].form == DW_FORM_implicit_const)
			c->bad = true; /* the format has no field for its value */
		if (!dwarf_value_read(c, formats[i].form, 0, encoding, &value))
			continue;
		if (formats[i].content == DW_LNCT_path)
			file.name = dwarf_value_text(unit, &value);
		else if (formats[i].content == DW_LNCT_directory_index &&
			 value.form != DW_FORM_string)
			file.directory = value.number;
	}
	return file;
}

static void files_read_new(struct dwarf_lines *lines, const struct dwarf_unit *unit,
	struct cursor *c, struct dwarf_encoding encoding)
{
	for (unsigned table = 0; table < 2 && !c->bad; table++) {
		struct line_format formats[FORMATS_LIMIT];
		unsigned format_count = formats_read(c, formats);
		uint64_t count = cursor_uleb(c);

		for (uint64_t i = 0; i < count && i < DWARF_LINE_FILES_LIMIT; i++) {
			const uint8_t *before = c->at;
			struct dwarf_line_file file =
				file_read(unit, c, encoding, formats, format_count);

			if (c->bad ||
				c->at == before) /* damaged, or an endless number of empty items */
				break;
			if (table == 0)
				vector_push(&lines->directories, file.name);
			else
				vector_push(&lines->files, file);
		}
	}
}

/* ---- The header ---- */

static bool opcodes_read(struct cursor *c, struct line_header *h)
{
	h->minimum_length = cursor_u8(c);
	if (h->encoding.version >= 4)
		cursor_u8(c); /* operations per instruction: always one on our machines */
	cursor_u8(c);	      /* whether rows start statements */
	h->base = (int8_t)cursor_u8(c);
	h->range = cursor_u8(c);
	h->opcodes = cursor_u8(c);
	h->lengths = (const uint8_t *)cursor_take(c, h->opcodes ? h->opcodes - 1u : 0).at;
	return !c->bad && h->range && h->opcodes;
}

static bool header_read(
	struct dwarf_lines *lines, const struct dwarf_unit *unit, struct line_header *ret_header)
{
	struct cursor c = cursor_of(unit->file->sections[DWARF_LINE]);
	struct line_header *h = ret_header;
	uint64_t length, version;

	cursor_take(&c, unit->lines);
	h->encoding = (struct dwarf_encoding){
		.address_size = unit->header.encoding.address_size, .offset_size = 4};
	length = cursor_fixed(&c, 4);
	if (length == 0xffffffff) {
		h->encoding.offset_size = 8;
		length = cursor_fixed(&c, 8);
	}
	if (c.bad || length > cursor_left(&c))
		return false;
	c.end = c.at + length;
	version = cursor_fixed(&c, 2);
	if (version < 2 || version > 5)
		return false;
	h->encoding.version = (uint8_t)version;
	if (version == 5) {
		h->encoding.address_size = cursor_u8(&c);
		cursor_u8(&c); /* segment selector size: none */
	}
	length = cursor_fixed(&c, h->encoding.offset_size);
	if (c.bad || length > cursor_left(&c) ||
		(h->encoding.address_size != 4 && h->encoding.address_size != 8))
		return false;
	h->program = (struct cursor){c.at + length, c.end, false};
	c.end = h->program.at;
	if (!opcodes_read(&c, h))
		return false;
	if (version == 5)
		files_read_new(lines, unit, &c, h->encoding);
	else
		files_read_old(lines, &c);
	return true;
}

/* ---- The program ---- */

struct machine {
	struct dwarf_reader *reader;
	const uint64_t *addresses;
	size_t count;
	size_t left; /* addresses without a row; at 0 the program can stop */
	size_t next; /* the first address not below the last row's */
	struct dwarf_row *rows;
	/* The last row of the sequence; it is valid up to the next one. */
	bool started;
	uint64_t last;
	struct dwarf_row row;
	/* The registers of the line program. */
	uint64_t address;
	uint64_t file, line;
	bool dropped; /* code that the linker dropped */
};

static void sequence_start(struct machine *m)
{
	m->started = m->dropped = false;
	m->address = 0;
	m->file = m->line = 1;
}

/* The last row ends at the current address, and answers the addresses up to there. Of overlapping
 * sequences, the first one wins. */
static void row_end(struct machine *m)
{
	while (m->next < m->count && m->addresses[m->next] < m->address &&
		dwarf_budget_spend(m->reader, 1)) {
		if (m->rows[m->next].file == DWARF_NO_FILE) {
			m->rows[m->next] = m->row;
			m->left--;
		}
		m->next++;
	}
}

static inline void row_add(struct machine *m)
{
	if (!m->started || m->address < m->last)
		m->next = search_below(m->addresses, m->count, m->address);
	else if (m->next < m->count && m->addresses[m->next] < m->address && !m->dropped)
		row_end(m);
	m->started = true;
	m->last = m->address;
	m->row.file = m->file < DWARF_NO_FILE ? (uint32_t)m->file : 0;
	m->row.line = m->line <= UINT32_MAX ? (uint32_t)m->line : 0;
}

static void run_extended(struct machine *m, struct dwarf_lines *lines, struct cursor *c)
{
	struct cursor in = cursor_of(cursor_take(c, cursor_uleb(c)));
	uint8_t opcode;

	if (c->bad || in.at == in.end)
		return;
	opcode = cursor_u8(&in);
	switch (opcode) {
	case DW_LNE_end_sequence:
		row_add(m);
		sequence_start(m);
		break;
	case DW_LNE_set_address:
		m->address = cursor_fixed(&in, cursor_left(&in) >= 8 ? 8 : 4);
		m->dropped = !m->address;
		break;
	case DW_LNE_define_file:
		file_read_old(lines, &in);
		break;
	default: /* discriminators and extensions */
		break;
	}
}

static void run_standard(
	struct machine *m, const struct line_header *h, uint8_t opcode, struct cursor *c)
{
	switch (opcode) {
	case DW_LNS_copy:
		row_add(m);
		break;
	case DW_LNS_advance_pc:
		m->address += cursor_uleb(c) * h->minimum_length;
		break;
	case DW_LNS_advance_line:
		m->line += (uint64_t)cursor_sleb(c);
		break;
	case DW_LNS_set_file:
		m->file = cursor_uleb(c);
		break;
	case DW_LNS_const_add_pc:
		m->address += (uint64_t)((255 - h->opcodes) / h->range) * h->minimum_length;
		break;
	case DW_LNS_fixed_advance_pc:
		m->address += cursor_fixed(c, 2);
		break;
	default:
		for (unsigned left = h->lengths[opcode - 1]; left; left--)
			cursor_uleb(c);
		break;
	}
}

static bool run(struct machine *m, struct dwarf_lines *lines, const struct line_header *h)
{
	struct cursor c = h->program;

	sequence_start(m);
	while (c.at < c.end && !c.bad && m->left) {
		uint8_t opcode = *c.at++;

		if (opcode >= h->opcodes) {
			unsigned special = opcode - h->opcodes;

			m->address += (uint64_t)(special / h->range) * h->minimum_length;
			m->line += (uint64_t)(int64_t)(h->base + (int)(special % h->range));
			row_add(m);
		} else if (opcode) {
			run_standard(m, h, opcode, &c);
		} else {
			run_extended(m, lines, &c);
		}
	}
	return !c.bad;
}

bool dwarf_lines_read(struct dwarf_reader *r, const struct dwarf_unit *unit,
	const uint64_t *addresses, size_t count, struct dwarf_lines *ret_lines)
{
	struct machine m = {.reader = r, .addresses = addresses, .count = count, .left = count};
	struct line_header header;

	m.rows = ret_lines->rows = memory_new(count, sizeof(*m.rows));
	memset(m.rows, 0xff, count * sizeof(*m.rows));
	ret_lines->directory = unit->directory;
	if (unit->lines == UINT64_MAX)
		return true;
	return header_read(ret_lines, unit, &header) &&
	       dwarf_budget_spend(r, cursor_left(&header.program)) && run(&m, ret_lines, &header);
}

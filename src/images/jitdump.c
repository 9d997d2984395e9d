/* jitdump.c: what did a just-in-time compiler write into its jitdump? */
#include "images/jitdump.h"

#include "base/cursor.h"
#include "base/memory.h"

#include <stdlib.h>

#define MAGIC		0x4A695444u /* "JiTD" */
#define HEADER_SIZE	40u
#define PREFIX_SIZE	16u
#define ARCH_TIMESTAMP	1u    /* in the header's flags */
#define ELF_HEADER_SIZE 0x40u /* of the ELF file that perf inject makes: see own_addresses */

enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO, CODE_CLOSE, CODE_UNWINDING_INFO };

struct jitdump {
	struct code_map *code;
	VECTOR(struct code_line) lines; /* for the next piece, at `lines_at`; texts are in `text` */
	uint64_t lines_at;
	struct arena text;
	uint64_t offset; /* behind the last record that was read */
	bool begun, swapped;
	struct jitdump_facts facts;
};

struct jitdump *jitdump_new(void)
{
	struct jitdump *dump = memory_new(1, sizeof(*dump));

	dump->code = code_map_new();
	return dump;
}

void jitdump_release(struct jitdump *dump)
{
	if (!dump)
		return;
	code_map_release(dump->code);
	vector_release(&dump->lines);
	arena_release(&dump->text);
	memory_free(dump);
}

static uint32_t u32(const struct jitdump *dump, struct cursor *c)
{
	uint32_t value = (uint32_t)cursor_fixed(c, 4);

	return dump->swapped ? __builtin_bswap32(value) : value;
}

static uint64_t u64(const struct jitdump *dump, struct cursor *c)
{
	uint64_t value = cursor_fixed(c, 8);

	return dump->swapped ? __builtin_bswap64(value) : value;
}

/* ---- Records ---- */

static void lines_clear(struct jitdump *dump)
{
	dump->lines.len = 0;
	arena_release(&dump->text);
	dump->text = (struct arena){0};
}

/* Line numbers precede the piece of code that they belong to. */
static bool parse_debug_info(struct jitdump *dump, struct cursor *c)
{
	uint64_t count;
	struct bytes last = {0};

	lines_clear(dump);
	dump->lines_at = u64(dump, c);
	count = u64(dump, c);
	for (uint64_t i = 0; i < count && !c->bad; i++) {
		struct code_line line = {.address = u64(dump, c), .line = u32(dump, c)};
		struct bytes file;

		u32(dump, c); /* the column */
		file = cursor_text(c);
		if (c->bad)
			break;
		/* "\xff" means the file of the entry before. */
		if (!last.at || (!bytes_equal(file, BYTES("\xff")) && !bytes_equal(file, last)))
			last = (struct bytes){arena_copy(&dump->text, file.at, file.len), file.len};
		line.file = last;
		vector_push(&dump->lines, line);
	}
	if (c->bad)
		lines_clear(dump);
	return !c->bad;
}

static int line_compare(const void *a, const void *b)
{
	const struct code_line *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* V8 writes line addresses as they are in the ELF file that perf inject makes of a piece, where the
 * code begins behind a header. Other runtimes write addresses in memory. The first line is at the
 * start of the code, so its address shows which kind it is. */
static void own_addresses(struct jitdump *dump, uint64_t start)
{
	if (dump->lines.len > 1)
		qsort(dump->lines.items, dump->lines.len, sizeof(struct code_line), line_compare);
	if (!dump->lines.len || dump->lines.items[0].address < start + ELF_HEADER_SIZE)
		return;
	for (size_t i = 0; i < dump->lines.len; i++)
		dump->lines.items[i].address -= ELF_HEADER_SIZE;
}

static bool parse_load(struct jitdump *dump, struct cursor *c, uint64_t time)
{
	struct code_piece piece = {.from = time};

	u32(dump, c); /* process and thread */
	u32(dump, c);
	u64(dump, c); /* address in an ELF file */
	piece.start = u64(dump, c);
	piece.size = u64(dump, c);
	u64(dump, c); /* number of the piece */
	piece.name = cursor_text(c);
	if (c->bad || piece.size > cursor_left(c))
		return false;
	if (dump->lines.len && dump->lines_at == piece.start) {
		own_addresses(dump, piece.start);
		piece.lines = dump->lines.items;
		piece.line_count = dump->lines.len;
	}
	if (piece.size && piece.name.len)
		code_map_add(dump->code, &piece);
	lines_clear(dump);
	return true;
}

static bool parse_move(struct jitdump *dump, struct cursor *c, uint64_t time)
{
	uint64_t from, to;

	u32(dump, c);
	u32(dump, c);
	u64(dump, c);
	from = u64(dump, c);
	to = u64(dump, c);
	if (!c->bad)
		code_map_move(dump->code, from, to, time);
	return !c->bad;
}

static void parse_record(struct jitdump *dump, uint32_t id, uint64_t time, struct bytes content)
{
	struct cursor c = cursor_of(content);
	uint64_t from = dump->facts.timed ? time : 0;
	bool good = true;

	switch (id) {
	case CODE_LOAD:
		good = parse_load(dump, &c, from);
		break;
	case CODE_MOVE:
		good = parse_move(dump, &c, from);
		break;
	case CODE_DEBUG_INFO:
		good = parse_debug_info(dump, &c);
		break;
	}
	dump->facts.records++;
	dump->facts.malformed += !good;
	if (!dump->facts.first)
		dump->facts.first = time;
	dump->facts.last = time;
}

/* ---- The file ---- */

static bool parse_header(struct jitdump *dump, struct cursor *c, struct error *err)
{
	uint32_t magic = (uint32_t)cursor_fixed(c, 4), size;

	if (magic != MAGIC && magic != __builtin_bswap32(MAGIC))
		return error_set(err, ERR_FORMAT, "not a jitdump: it does not start with JiTD");
	dump->swapped = magic != MAGIC;
	u32(dump, c); /* version: 1 so far; the size tells what follows */
	size = u32(dump, c);
	u32(dump, c); /* machine */
	u32(dump, c);
	dump->facts.pid = u32(dump, c);
	u64(dump, c); /* time of creation: runtimes disagree about its clock */
	dump->facts.timed = !(u64(dump, c) & ARCH_TIMESTAMP);
	if (size < HEADER_SIZE)
		return error_set(err, ERR_FORMAT, "a jitdump with a header of %u bytes", size);
	dump->offset = size;
	dump->begun = true;
	return true;
}

bool jitdump_parse(struct jitdump *dump, struct bytes bytes, struct error *err)
{
	struct cursor c = cursor_of(bytes);

	if (!dump->begun) {
		if (bytes.len < HEADER_SIZE)
			return true;
		if (!parse_header(dump, &c, err))
			return false;
		c = cursor_of(bytes);
		if (!cursor_take(&c, dump->offset).at || c.bad)
			return true;
	}
	while (!dump->facts.damaged && cursor_left(&c) >= PREFIX_SIZE) {
		struct cursor record = c;
		uint32_t id = u32(dump, &record), size = u32(dump, &record);
		uint64_t time = u64(dump, &record);

		dump->facts.damaged = size < PREFIX_SIZE;
		if (dump->facts.damaged || size > cursor_left(&c))
			break;
		parse_record(dump, id, time, cursor_take(&record, size - PREFIX_SIZE));
		c.at += size;
		dump->offset += size;
	}
	return true;
}

/* While a piece contains no complete record, the next piece is twice as large. */
bool jitdump_read(struct jitdump *dump, int fd, struct runtime_budget *budget, struct error *err)
{
	struct error failed = {0};
	struct runtime_read r;

	if (runtime_read_begin(&r, fd, dump->offset, budget, &failed)) {
		r.with_holes = true;
		while (!dump->facts.damaged && runtime_read_next(&r, &failed) &&
			jitdump_parse(dump, buffer_bytes(&r.text), &failed)) {
			r.size = dump->offset == r.start ? 2 * r.size : RUNTIME_PIECE;
			r.offset = dump->offset;
		}
	}
	dump->facts.left_out = runtime_read_end(&r);
	if (failed.code)
		*err = failed;
	return !failed.code;
}

uint64_t jitdump_offset(const struct jitdump *dump)
{
	return dump->offset;
}

struct code_map *jitdump_code(struct jitdump *dump)
{
	return dump->code;
}

struct jitdump_facts jitdump_facts(const struct jitdump *dump)
{
	return dump->facts;
}

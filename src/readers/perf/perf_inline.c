/* perf_inline.c: what do binaries themselves say about the functions at addresses that `perf
 * script` prints? */
#include "readers/perf/perf_inline.h"

#include "images/debug_file.h"
#include "images/dwarf_lookup.h"
#include "images/symbols.h"
#include "names/demangle.h"
#include "names/tidy.h"

#include <elf.h>
#include <stdlib.h>

struct perf_binary {
	char *path;
	struct image *image; /* NULL: there is none */
	struct image *debug_file;
	struct symbols *symbols;
	struct dwarf *dwarf;
};

static void binary_release(struct perf_binary *b)
{
	dwarf_release(b->dwarf);
	symbols_release(b->symbols);
	image_release(b->debug_file);
	image_release(b->image);
	memory_free(b->path);
	memory_free(b);
}

void perf_inline_release(struct perf_inline *x)
{
	for (size_t i = 0; i < x->binaries.len; i++)
		binary_release(x->binaries.items[i]);
	vector_release(&x->binaries);
	id_map_release(&x->by_path);
}

static struct perf_binary *binary_open(struct bytes path)
{
	struct perf_binary *b = memory_new(1, sizeof(*b));
	struct error none = {0};

	b->path = memory_copy_text(path.at, path.len);
	b->image = image_open(b->path, &none);
	if (!b->image)
		return b;
	b->debug_file = debug_file_open(b->image, NULL);
	b->symbols = symbols_load(b->image, NULL);
	b->dwarf = dwarf_open(b->image, b->debug_file, NULL);
	return b;
}

static const struct perf_binary *binary_of(struct perf_inline *x, struct bytes path)
{
	uint64_t hash = hash_bytes(path.at, path.len);
	size_t at = id_map_first(&x->by_path, hash);
	uint32_t id;

	while ((id = id_map_candidate(&x->by_path, hash, &at)))
		if (bytes_equal(bytes_of(x->binaries.items[id - 1]->path), path))
			return x->binaries.items[id - 1];
	vector_push(&x->binaries, binary_open(path));
	id_map_insert_at(&x->by_path, hash, at, (uint32_t)x->binaries.len);
	return x->binaries.items[x->binaries.len - 1];
}

/* ---- One address ---- */

struct answer {
	const struct perf_binary *binary;
	uint64_t address;
	bool places;
	struct buffer *out;
};

static bool is_loaded(const struct image *image, uint64_t address)
{
	const struct image_section *s;

	for (size_t i = 0; (s = image_section_header(image, i)); i++)
		if ((s->flags & SHF_ALLOC) && address >= s->address &&
			address - s->address < s->size)
			return true;
	return false;
}

static void add_mangled(struct bytes name, struct buffer *out)
{
	if (!demangle_verbose(name, out))
		buffer_add(out, name.at, name.len);
}

/* By itself, without what it is in: addr2line knows no more than the entry's own name. */
static struct bytes last_part(struct bytes name)
{
	size_t start = 0, depth = 0;

	for (size_t i = 0; i + 1 < name.len; i++) {
		depth += name.at[i] == '<' || name.at[i] == '(';
		depth -= depth && (name.at[i] == '>' || name.at[i] == ')');
		if (!depth && name.at[i] == ':' && name.at[i + 1] == ':')
			start = i + 2;
	}
	return (struct bytes){name.at + start, name.len - start};
}

static bool find_symbol(const struct answer *a, struct symbol *ret_symbol)
{
	return symbols_find(a->binary->symbols, a->address, ret_symbol) && !ret_symbol->plt;
}

/* The only function at an address is called by its symbol where the entry has but a short name; C
 * has no others. */
static void add_function(const struct answer *a, const struct dwarf_frame *frame, bool only)
{
	struct bytes name = frame->linkage ? frame->name : last_part(frame->name);
	bool known = only && !frame->linkage;
	struct symbol symbol;

	known = known && find_symbol(a, &symbol);
	if (known && demangle_verbose(symbol.name, a->out))
		return;
	if (known && !name.len)
		name = symbol.name;
	if (frame->linkage)
		add_mangled(name, a->out);
	else
		buffer_add(a->out, name.len ? name.at : "??", name.len ? name.len : 2);
}

static void add_place(const struct answer *a, struct bytes file, uint32_t line)
{
	struct bytes base = tidy_base_name(file);

	if (!a->places)
		return;
	buffer_char(a->out, ':');
	buffer_add(a->out, base.len ? base.at : "??", base.len ? base.len : 2);
	if (line)
		buffer_printf(a->out, ":%u", line);
	else
		buffer_text(a->out, ":?");
}

static void found(void *context, size_t index, const struct dwarf_frame *frames, size_t count)
{
	const struct answer *a = context;
	struct symbol symbol;

	(void)index;
	for (size_t i = 0; i < count; i++) {
		if (i)
			buffer_char(a->out, ';');
		add_function(a, &frames[i], count == 1);
		add_place(a, frames[i].file, frames[i].line);
	}
	if (!count && find_symbol(a, &symbol)) {
		add_mangled(symbol.name, a->out);
		add_place(a, symbol_file(a->binary->image, &symbol), 0);
	}
}

/* False, and nothing appended: there is nothing known. */
static bool names_at(const struct perf_binary *b, uint64_t address, bool places, struct buffer *out)
{
	struct answer answer = {b, address, places, out};
	size_t start = out->len;

	if (is_loaded(b->image, address))
		dwarf_lookup(b->dwarf, &address, 1, places, 1, found, &answer);
	if (bytes_equal((struct bytes){out->at + start, out->len - start}, BYTES("??")))
		out->len = start;
	return out->len > start;
}

/* ---- Frames ---- */

/* "/tmp/perf-12.map", "kernel." and "[vdso]" are no files with debugging information. */
static bool is_without_file(struct bytes module)
{
	const char *map = bytes_find(module, BYTES("perf-"));
	const char *bracket = module.len ? memchr(module.at, '[', module.len) : NULL;
	const char *end = module.at + module.len, *digits = map ? map + strlen("perf-") : NULL;
	const char *at = digits;

	while (at && at < end && is_digit(*at))
		at++;
	return !module.len || bytes_find(module, BYTES("kernel.")) ||
	       (bracket && end - bracket > 2 &&
		       memchr(bracket + 2, ']', (size_t)(end - bracket - 2))) ||
	       (at > digits && end - at > 3 && !memcmp(at + 1, "map", strlen("map")));
}

static bool offset_of(struct bytes line, uint64_t *ret_offset)
{
	size_t at, len;
	uint64_t offset = 0;

	if (!perf_frame_offset(line, &at, &len) || len > 16)
		return false;
	for (size_t i = at; i < at + len; i++) {
		char c = line.at[i];

		offset = offset << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
	}
	*ret_offset = offset;
	return true;
}

bool perf_inline_names(struct perf_inline *x, struct bytes line, const struct perf_frame *frame,
	bool places, struct buffer *out)
{
	const struct perf_binary *b;
	uint64_t offset, start;

	if (is_without_file(frame->module))
		return false;
	b = binary_of(x, frame->module);
	if (!b->image)
		return false;
	return names_at(b, frame->address, places, out) ||
	       (offset_of(line, &offset) && symbol_address(b->image, frame->symbol, &start) &&
		       names_at(b, start + offset, places, out));
}

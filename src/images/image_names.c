/* image_names.c: what are the functions at the addresses of a binary called, inlined ones included?
 */
#include "images/image_names.h"

#include "images/cfi.h"
#include "images/debug_file.h"
#include "images/dwarf_lookup.h"
#include "images/symbol_cache.h"

#include <stdio.h>
#include <stdlib.h>

/* Part of the cache's keys: a file is only read by a Kiln that would give the same answers.
 * Increment with every change to how functions are named. */
#define NAMES_EDITION "5 " KILN_VERSION

/* A name as in the binary, and as it is shown. */
struct raw_name {
	struct bytes text;
	bool stub;
	uint32_t shown; /* text of the chains */
};

/* The answers of one depth. */
struct table {
	struct chains chains;
	struct chains_origin origin;
	struct stable_file file; /* the chains borrow from it */
	bool opened;
	bool changed;		      /* there is something new to write... */
	bool partial;		      /* ... but it is incomplete and must not be written */
	VECTOR(struct raw_name) raws; /* [0] is unused */
	struct id_map by_raw;
	struct arena text;
	struct buffer shown;
};

struct image_names {
	const struct image *image;
	struct binary_locations binary_locations;
	bool has_symbols,
		has_lines; /* in the image itself; otherwise the debug file is needed for them */
	struct image *debug_file;
	bool debug_file_tried;
	uint64_t own, separate;	 /* hashes of the sections of the image and of the debug file */
	struct symbols *symbols; /* NULL: not loaded yet */
	struct dwarf *dwarf;	 /* NULL: not opened yet */
	struct cfi *cfi;	 /* NULL: not needed yet */
	struct table tables[NAMES_DEPTHS][2]; /* by depth, and by whether they are also on disk */
};

/* ---- Symbols and debugging information, when they are needed ---- */

/* A hash over the sizes of the sections with symbols and debugging information, without reading
 * them: for one build id, few variants exist. 0: none. Call before sections are read, which
 * changes the sizes of compressed ones. */
static uint64_t sections_hash(const struct image *image, bool *ret_symbols, bool *ret_lines)
{
	static const char *const names[] = {".symtab", ".gnu_debugdata", ".debug_info",
		".zdebug_info", ".debug_line", ".zdebug_line"};
	const struct image_section *section;
	uint64_t hash = 0;

	for (size_t i = 0; image && (section = image_section_header(image, i)); i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
			if (strcmp(section->name, names[k]) != 0 || !section->content.len)
				continue;
			hash = hash_pair(hash + k + 1, section->content.len);
			*ret_symbols |= k == 0;
			*ret_lines |= k > 1;
		}
	return hash;
}

/* Opened only when needed: it may have to be downloaded. */
static const struct image *debug_file_of(struct image_names *n)
{
	bool ignored = false;

	if (!n->debug_file_tried) {
		n->debug_file = debug_file_open(n->image, &n->binary_locations);
		n->separate = sections_hash(n->debug_file, &ignored, &ignored);
	}
	n->debug_file_tried = true;
	return n->debug_file;
}

static const struct symbols *symbols_of(struct image_names *n)
{
	if (!n->symbols)
		n->symbols = symbols_load(n->image, n->has_symbols ? NULL : debug_file_of(n));
	return n->symbols;
}

static struct dwarf *dwarf_of(struct image_names *n)
{
	if (!n->dwarf)
		n->dwarf = dwarf_open(
			n->image, n->has_lines ? NULL : debug_file_of(n), &n->binary_locations);
	return n->dwarf;
}

static uint64_t source_of(struct image_names *n, enum names_depth depth)
{
	if (!n->has_symbols || (!n->has_lines && depth != NAMES_FUNCTIONS))
		debug_file_of(n);
	return n->own || n->separate ? hash_pair(n->own, n->separate) | 1 : 0;
}

/* ---- On disk ---- */

static const char *const depth_names[NAMES_DEPTHS] = {"inlined", "lines", "functions"};

static void file_name(const struct image_names *n, enum names_depth depth, char ret_name[96])
{
	char build_id[65];

	image_build_id_text(n->image, build_id);
	snprintf(ret_name, 96, "%s.%s", build_id, depth_names[depth]);
}

static struct chains_origin origin_of(struct image_names *n, enum names_depth depth)
{
	struct chains_origin origin = {.source = source_of(n, depth)};
	char name[96];

	file_name(n, depth, name);
	origin.key = hash_pair(
		hash_bytes(name, strlen(name)), hash_bytes(NAMES_EDITION, sizeof(NAMES_EDITION)));
	return origin;
}

/* Use the file's answers unless the symbols found now would give others. */
static void table_read(struct image_names *n, enum names_depth depth, struct table *t)
{
	struct chains_origin found, now = t->origin;
	struct chains chains;
	struct stable_file file;
	char name[96];

	file_name(n, depth, name);
	if (!symbol_cache_open(name, &file))
		return;
	if (!chains_read(file.content, now.key, &chains, &found) ||
		(now.source && now.source != found.source)) {
		chains_release(&chains);
		stable_file_release(&file);
		return;
	}
	chains_release(&t->chains);
	t->chains = chains;
	t->file = file;
	t->origin = found;
}

static void table_open(struct image_names *n, enum names_depth depth, bool stored, struct table *t)
{
	if (t->opened)
		return;
	t->opened = true;
	chains_init(&t->chains);
	vector_push(&t->raws, (struct raw_name){0});
	if (!stored)
		return;
	t->origin = origin_of(n, depth);
	table_read(n, depth, t);
}

/* Another process may have written the file meanwhile; answers that only it had found are lost
 * until they are looked up again. */
static void table_write(const struct image_names *n, enum names_depth depth, const struct table *t)
{
	struct output out;
	char name[96];

	file_name(n, depth, name);
	if (!symbol_cache_create(name, chains_size(&t->chains), &out))
		return;
	chains_write(&t->chains, &t->origin, &out);
	symbol_cache_commit(&out);
}

static void table_release(struct table *t)
{
	chains_release(&t->chains);
	stable_file_release(&t->file);
	vector_release(&t->raws);
	id_map_release(&t->by_raw);
	arena_release(&t->text);
	buffer_release(&t->shown);
}

struct image_names *image_names_open(
	const struct image *image, const struct binary_locations *binary_locations)
{
	struct image_names *n = memory_new(1, sizeof(*n));

	n->image = image;
	if (binary_locations)
		n->binary_locations = *binary_locations;
	n->own = sections_hash(image, &n->has_symbols, &n->has_lines);
	return n;
}

void image_names_save(struct image_names *n)
{
	for (enum names_depth depth = 0; depth < NAMES_DEPTHS; depth++) {
		struct table *t = &n->tables[depth][true];

		if (t->changed && !t->partial)
			table_write(n, depth, t);
		t->changed = false;
	}
}

void image_names_release(struct image_names *n)
{
	if (!n)
		return;
	for (enum names_depth depth = 0; depth < NAMES_DEPTHS; depth++) {
		table_release(&n->tables[depth][false]);
		table_release(&n->tables[depth][true]);
	}
	dwarf_release(n->dwarf);
	cfi_release(n->cfi);
	symbols_release(n->symbols);
	image_release(n->debug_file);
	memory_free(n);
}

/* ---- Looking up ---- */

/* Demangle a function once, however many of its addresses are looked up. */
static uint32_t shown_name(struct table *t, const struct symbol *symbol)
{
	uint64_t hash = hash_pair(hash_bytes(symbol->name.at, symbol->name.len), symbol->plt);
	size_t at = id_map_first(&t->by_raw, hash);
	struct raw_name raw = {.stub = symbol->plt};
	uint32_t id;

	while ((id = id_map_candidate(&t->by_raw, hash, &at)))
		if (t->raws.items[id].stub == symbol->plt &&
			bytes_equal(t->raws.items[id].text, symbol->name))
			return t->raws.items[id].shown;
	t->shown.len = 0;
	symbol_text(symbol, &t->shown);
	raw.shown = chains_text(&t->chains, buffer_bytes(&t->shown));
	raw.text = (struct bytes){
		arena_copy(&t->text, symbol->name.at, symbol->name.len), symbol->name.len};
	id_map_insert_at(&t->by_raw, hash, at, (uint32_t)t->raws.len);
	vector_push(&t->raws, raw);
	return raw.shown;
}

#define INSIDE "__GI_" /* prefix of glibc's aliases for its own calls */

static uint32_t frame_name(struct table *t, const struct dwarf_frame *frame)
{
	struct bytes name = frame->name;

	if (!frame->linkage)
		return chains_text(&t->chains, name);
	if (bytes_starts_with(name, BYTES(INSIDE)))
		name = (struct bytes){name.at + strlen(INSIDE), name.len - strlen(INSIDE)};
	return shown_name(t, &(struct symbol){.name = name});
}

/* The last of the frames that belong to the same function as frame `i`: glibc has two versions of
 * each function that is a cancellation point, and the compiler inlines the second version back into
 * the first. */
static size_t last_of(const struct dwarf_frame *frames, size_t count, size_t i)
{
	while (i + 1 < count && bytes_starts_with(frames[i].name, BYTES(INSIDE)) &&
		bytes_equal(frames[i].name, frames[i + 1].name))
		i++;
	return i;
}

struct lookup {
	struct image_names *names;
	const struct symbols *symbols;
	struct table *table;
	const uint64_t *addresses;
	uint32_t *chains;
	size_t max_frames;
	struct symbol last; /* the symbol found last, and its name */
	uint32_t last_name;
};

/* A signal handler returns to the first instruction of the trampoline. With frame pointers this
 * looks like a call, so the address is one less: the byte before the trampoline, which its rule
 * covers. */
static bool is_before_trampoline(struct image_names *n, uint64_t address)
{
	const struct cfi_rule *rule;

	if (!n->cfi)
		n->cfi = cfi_open(n->image);
	rule = cfi_find(n->cfi, address);
	return rule && rule->signal;
}

/* The name in the symbol table of the function at an address; 0: none. */
static uint32_t symbol_name(struct lookup *l, uint64_t address)
{
	struct symbol symbol;

	if (!symbols_find(l->symbols, address, &symbol) &&
		!(symbols_find(l->symbols, address + 1, &symbol) &&
			is_before_trampoline(l->names, address)))
		return 0;
	if (!l->last_name || symbol.start != l->last.start || symbol.plt != l->last.plt)
		l->last_name = shown_name(l->table, &symbol);
	l->last = symbol;
	return l->last_name;
}

static void answer(void *context, size_t index, const struct dwarf_frame *frames, size_t count)
{
	struct lookup *l = context;
	struct chains *c = &l->table->chains;
	struct chain row = {.function = symbol_name(l, l->addresses[index])};
	size_t last = last_of(frames, count, 0);
	uint32_t chain;

	if (!row.function && count)
		row.function = frame_name(l->table, &frames[0]);
	if (!row.function) {
		l->chains[index] = 0;
		return;
	}
	if (count) {
		row.file = chains_text(c, frames[last].file);
		row.line = frames[last].line;
	}
	chain = chains_row(c, &row);
	for (size_t i = last + 1; i < count && i < l->max_frames && chain; i = last + 1) {
		last = last_of(frames, count, i);
		row = (struct chain){.caller = chain,
			.function = frame_name(l->table, &frames[i]),
			.file = chains_text(c, frames[last].file),
			.line = frames[last].line};
		if (row.function)
			chain = chains_row(c, &row);
	}
	l->chains[index] = chain;
}

/* If all functions have symbols, debugging information is needed only for inlined functions. */
static bool needs_dwarf(struct image_names *n, enum names_depth depth)
{
	enum symbols_extent extent = symbols_extent(symbols_of(n));

	if (extent == SYMBOLS_OVER_LIMIT || (depth == NAMES_FUNCTIONS && extent == SYMBOLS_FULL))
		return false;
	return !dwarf_empty(dwarf_of(n));
}

static void look_up(struct image_names *n, enum names_depth depth, struct table *t,
	const uint64_t *addresses, size_t count, uint32_t *ret_chains)
{
	struct lookup l = {.names = n,
		.symbols = symbols_of(n),
		.table = t,
		.addresses = addresses,
		.chains = ret_chains,
		.max_frames = depth == NAMES_FUNCTIONS ? 1 : CHAIN_LIMIT};

	if (!needs_dwarf(n, depth)) {
		for (size_t i = 0; i < count; i++)
			answer(&l, i, NULL, 0);
		return;
	}
	dwarf_lookup(dwarf_of(n), addresses, count, depth == NAMES_LINES, 0, answer, &l);
}

/* Are all sources of names available? Answers are not written if a missing debug file would
 * complete them, or if the answers on disk are more complete. */
static bool is_complete(struct image_names *n, enum names_depth depth, uint64_t source)
{
	struct dwarf_stats stats = {0};

	if (n->dwarf)
		stats = dwarf_stats(n->dwarf);
	return !stats.split_missing && !stats.shared_missing && source == source_of(n, depth);
}

/* Look up the addresses that have no answer yet, each once. */
static void complete(struct image_names *n, enum names_depth depth, struct table *t,
	const uint64_t *addresses, size_t count, uint32_t *chains, size_t unknown)
{
	uint64_t *unknown_addresses = memory_new(unknown, sizeof(*unknown_addresses));
	uint32_t *found = memory_new(unknown, sizeof(*found));
	size_t at = 0, len = 0;

	for (size_t i = 0; i < count; i++)
		if (chains[i] == CHAINS_UNKNOWN &&
			(!len || unknown_addresses[len - 1] != addresses[i]))
			unknown_addresses[len++] = addresses[i];
	look_up(n, depth, t, unknown_addresses, len, found);
	chains_add(&t->chains, unknown_addresses, found, len);
	for (size_t i = 0; i < count; i++) {
		if (chains[i] != CHAINS_UNKNOWN)
			continue;
		while (unknown_addresses[at] != addresses[i])
			at++;
		chains[i] = found[at];
	}
	memory_free(unknown_addresses);
	memory_free(found);
}

static bool is_over_limit(const struct image_names *n)
{
	return image_is_over_limit(n->image) ||
	       (n->debug_file && image_is_over_limit(n->debug_file));
}

struct names_answer image_names_find(struct image_names *n, enum names_depth depth, bool stored,
	const uint64_t *addresses, size_t count, uint32_t *ret_chains)
{
	bool on_disk = stored && image_build_id(n->image).len;
	struct table *t = &n->tables[depth][on_disk];
	size_t unknown;

	table_open(n, depth, on_disk, t);
	unknown = chains_find(&t->chains, addresses, count, ret_chains);
	if (unknown) {
		complete(n, depth, t, addresses, count, ret_chains, unknown);
		t->changed = true;
		t->partial |= on_disk && !is_complete(n, depth, t->origin.source);
		if (!t->file.content.len)
			t->origin.extent = symbols_extent(symbols_of(n));
		t->partial |= is_over_limit(n);
	}
	return (struct names_answer){.chains = &t->chains,
		.extent = (enum symbols_extent)t->origin.extent,
		.is_over_limit = unknown && is_over_limit(n),
		.known = count - unknown};
}

/* symbols.c: which function of a binary is at an address?
 *
 * A large program has a million symbols, and only a few thousand are ever shown. So loading is
 * lazy about names: a row holds the offset of its name in the string table, and names are
 * compared only where two rows have the same address. Rows are sorted by radix (base/sort.h) on
 * their distance to the lowest address, if that fits into 32 bits. A second pass drops labels
 * inside functions, computes missing sizes, and gives each row the row around it (`outer`), so
 * that symbols_find is a binary search and a walk outwards. */
#include "images/symbols.h"

#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "images/debug_file.h"
#include "images/plt.h"
#include "names/demangle.h"

#include <elf.h>
#include <stdlib.h>

#define NO_ROW UINT32_MAX

enum { ROW_SIZED = 1, ROW_FUNCTION = 2, ROW_STRONG = 4, ROW_GLOBAL = 8, ROW_CURRENT = 16 };

#define VERSION_HIDDEN 0x8000u /* in .gnu.version: kept for old programs only */

struct row {
	uint64_t address;
	uint32_t size;	/* bytes; for unsized symbols computed after sorting */
	uint32_t name;	/* offset in its source's strings */
	uint32_t outer; /* the row around this one, or NO_ROW */
	uint8_t source, rank;
};

/* A symbol table that names of rows refer to. */
struct source {
	struct bytes strings; /* ends with NUL */
};

struct symbols {
	const struct image *image;
	VECTOR(struct row) rows; /* by ascending address, one for each address */
	VECTOR(struct source) sources;
	struct plt plt;
	struct source dynamic; /* names in .dynsym, for the plt */
	struct bytes dynamic_table;
	struct image *debug_data; /* strings may point into it */
	struct bytes debug_data_memory;
	enum symbols_extent extent;
	const char *from;
};

/* ---- Reading a symbol table ---- */

static struct source source_of(const struct image *image, const struct image_section *table)
{
	const struct image_section *strings = image_section_by_index(image, table->link);
	struct source source = {0};

	if (strings)
		source.strings = strings->content;
	while (source.strings.len && source.strings.at[source.strings.len - 1])
		source.strings.len--;
	return source;
}

/* Symbols of both ELF classes in the 64-bit form. */
static Elf64_Sym symbol_read(struct bytes table, size_t index, bool wide)
{
	Elf64_Sym symbol;
	Elf32_Sym narrow;

	if (wide) {
		memcpy(&symbol, table.at + index * sizeof(symbol), sizeof(symbol));
		return symbol;
	}
	memcpy(&narrow, table.at + index * sizeof(narrow), sizeof(narrow));
	return (Elf64_Sym){.st_name = narrow.st_name,
		.st_info = narrow.st_info,
		.st_other = narrow.st_other,
		.st_shndx = narrow.st_shndx,
		.st_value = narrow.st_value,
		.st_size = narrow.st_size};
}

/* Iterates over the symbols of a table, with their names. */
struct symtab_walk {
	struct bytes table;
	struct source source;
	bool wide;
	size_t next;
};

static struct symtab_walk symtab_walk(const struct image *image, const char *section)
{
	const struct image_section *table = image_section(image, section);

	if (!table)
		return (struct symtab_walk){0};
	return (struct symtab_walk){
		table->content, source_of(image, table), table->entry_size == sizeof(Elf64_Sym), 1};
}

static bool symtab_next(struct symtab_walk *walk, Elf64_Sym *ret_symbol, struct bytes *ret_name)
{
	size_t size = walk->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

	while (walk->next < walk->table.len / size) {
		*ret_symbol = symbol_read(walk->table, walk->next++, walk->wide);
		if (ret_symbol->st_name >= walk->source.strings.len)
			continue;
		*ret_name = bytes_of(walk->source.strings.at + ret_symbol->st_name);
		return true;
	}
	return false;
}

bool symbol_address(const struct image *image, struct bytes name, uint64_t *ret_address)
{
	struct symtab_walk walk = symtab_walk(image, ".symtab");
	struct bytes other;
	Elf64_Sym symbol;
	bool any = false;

	while (symtab_next(&walk, &symbol, &other)) {
		if (symbol.st_shndx == SHN_UNDEF || !bytes_equal(other, name) ||
			(any && symbol.st_value >= *ret_address))
			continue;
		*ret_address = symbol.st_value;
		any = true;
	}
	return any;
}

/* In the table, the static functions of a file follow the file's name. */
struct bytes symbol_file(const struct image *image, const struct symbol *symbol)
{
	struct symtab_walk walk = symtab_walk(image, ".symtab");
	struct bytes file = {0}, name;
	Elf64_Sym other;

	while (symtab_next(&walk, &other, &name)) {
		if (ELF64_ST_BIND(other.st_info) != STB_LOCAL)
			break;
		if (ELF64_ST_TYPE(other.st_info) == STT_FILE)
			file = name;
		else if (other.st_value == symbol->start && bytes_equal(name, symbol->name))
			return file;
	}
	return (struct bytes){0};
}

/* Linkers for ARM, AArch64 and RISC-V mark code and data with "$x", "$d.1" and so on. */
static bool is_mapping_symbol(uint16_t machine, const char *name)
{
	return (machine == EM_ARM || machine == EM_AARCH64 || machine == EM_RISCV) &&
	       name[0] == '$' && name[1] && (!name[2] || name[2] == '.' || machine == EM_RISCV);
}

/* Clip a size that would reach beyond the address space. */
static uint32_t size_of(const Elf64_Sym *symbol)
{
	uint64_t room = UINT64_MAX - symbol->st_value;
	uint64_t size = symbol->st_size < room ? symbol->st_size : room;

	return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

struct table_reader {
	const struct image *image;
	const struct source *source;
	struct bytes versions; /* of .dynsym: 16 bits for each symbol */
	bool *code;	       /* by section index: does it contain instructions? */
	size_t sections;
	uint16_t machine;
};

static bool is_current(const struct table_reader *t, size_t index)
{
	uint16_t number = 0;

	if ((index + 1) * sizeof(number) <= t->versions.len)
		memcpy(&number, t->versions.at + index * sizeof(number), sizeof(number));
	return !(number & VERSION_HIDDEN);
}

static uint8_t rank_of(const struct table_reader *t, const Elf64_Sym *symbol, size_t index)
{
	unsigned binding = ELF64_ST_BIND(symbol->st_info);

	return (uint8_t)((symbol->st_size ? ROW_SIZED : 0) |
			 (ELF64_ST_TYPE(symbol->st_info) != STT_NOTYPE ? ROW_FUNCTION : 0) |
			 (binding != STB_WEAK ? ROW_STRONG : 0) |
			 (binding != STB_LOCAL ? ROW_GLOBAL : 0) |
			 (is_current(t, index) ? ROW_CURRENT : 0));
}

static bool is_function(const struct table_reader *t, const Elf64_Sym *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);
	const char *name = t->source->strings.at + symbol->st_name;

	if (symbol->st_name >= t->source->strings.len || !*name || symbol->st_shndx == SHN_UNDEF ||
		symbol->st_value == UINT64_MAX)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return symbol->st_shndx != SHN_ABS;
	/* Labels in hand-written assembly are not always marked as functions. */
	return type == STT_NOTYPE && symbol->st_shndx < t->sections && t->code[symbol->st_shndx] &&
	       !is_mapping_symbol(t->machine, name) && strncmp(name, ".L", 2) != 0;
}

/* Is `symbol` "memcpy", or "memcpy@@GLIBC_2.14" (a single @ is an old version)? */
static bool is_function_named(struct bytes symbol, struct bytes name)
{
	return bytes_starts_with(symbol, name) &&
	       (symbol.len == name.len ||
		       (symbol.len > name.len + 2 && symbol.at[name.len] == '@' &&
			       symbol.at[name.len + 1] == '@'));
}

static enum function_found find_in_table(
	const struct image *image, const char *section, struct bytes name, uint64_t *ret_address)
{
	const struct image_section *versions = image_section(image, ".gnu.version");
	struct table_reader reader = {.image = image};
	enum function_found found = FUNCTION_NONE;
	struct symtab_walk walk = symtab_walk(image, section);
	struct bytes other;
	Elf64_Sym symbol;

	if (versions && !strcmp(section, ".dynsym"))
		reader.versions = versions->content;
	while (symtab_next(&walk, &symbol, &other)) {
		unsigned type = ELF64_ST_TYPE(symbol.st_info);

		if (symbol.st_shndx == SHN_UNDEF || !is_function_named(other, name) ||
			(type != STT_FUNC && type != STT_GNU_IFUNC) ||
			(found && !is_current(&reader, walk.next - 1)))
			continue;
		*ret_address = symbol.st_value;
		found = type == STT_FUNC ? FUNCTION_FOUND : FUNCTION_IFUNC;
	}
	return found;
}

enum function_found function_address(
	const struct image *image, struct bytes name, uint64_t *ret_address)
{
	enum function_found found = find_in_table(image, ".dynsym", name, ret_address);

	return found ? found : find_in_table(image, ".symtab", name, ret_address);
}

/* Which sections contain code, in the file that has the symbols. */
static void find_code(struct table_reader *t)
{
	const struct image_section *section;

	while (image_section_header(t->image, t->sections))
		t->sections++;
	t->code = memory_new(t->sections + 1, sizeof(*t->code));
	for (size_t i = 0; (section = image_section_header(t->image, i)); i++)
		t->code[i] = section->flags & SHF_EXECINSTR;
}

static size_t add_table(
	struct symbols *s, const struct image *image, const struct image_section *table)
{
	bool wide = image_content(image).at[EI_CLASS] == ELFCLASS64;
	struct source source = source_of(image, table);
	struct table_reader reader = {image, &source, .machine = image_machine(image)};
	const struct image_section *versions = image_section(image, ".gnu.version");
	uint8_t number = (uint8_t)s->sources.len;
	size_t before = s->rows.len;
	size_t count = table->content.len / (wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));

	if (!source.strings.len)
		return 0;
	/* A vector may have twice the room that it needs. What .gnu_debugdata contains is the
	 * binary's own. */
	if (!image_charge(
		    image == s->debug_data ? s->image : image, 2 * count * sizeof(struct row))) {
		s->extent = SYMBOLS_OVER_LIMIT;
		return 0;
	}
	if (table->type == SHT_DYNSYM && versions)
		reader.versions = versions->content;
	find_code(&reader);
	for (size_t i = 1; i < count; i++) {
		Elf64_Sym symbol = symbol_read(table->content, i, wide);

		if (!is_function(&reader, &symbol))
			continue;
		if (reader.machine == EM_ARM) /* bit 0 marks Thumb code */
			symbol.st_value &= ~(uint64_t)1;
		vector_push(
			&s->rows, ((struct row){symbol.st_value, size_of(&symbol), symbol.st_name,
					  NO_ROW, number, rank_of(&reader, &symbol, i)}));
	}
	memory_free(reader.code);
	vector_push(&s->sources, source);
	return s->rows.len - before;
}

static size_t add_named_table(struct symbols *s, const struct image *image, const char *name)
{
	const struct image_section *table = image ? image_section(image, name) : NULL;

	return table && table->content.len ? add_table(s, image, table) : 0;
}

/* ---- Names ---- */

static struct bytes name_at(const struct source *source, uint32_t offset)
{
	struct bytes name = {0};
	const char *version;

	if (offset >= source->strings.len)
		return name;
	name = bytes_of(source->strings.at + offset);
	version = memchr(name.at, '@', name.len);
	if (version && version > name.at)
		name.len = (size_t)(version - name.at);
	return name;
}

static struct bytes row_name(const struct symbols *s, const struct row *row)
{
	return name_at(&s->sources.items[row->source], row->name);
}

/* Count leading underscores. The vdso's functions are called `__vdso_...` to distinguish them
 * from libc's. */
static size_t underscores(struct bytes name)
{
	size_t count = 0;

	if (bytes_starts_with(name, BYTES("__vdso_")))
		return 0;
	while (count < name.len && name.at[count] == '_')
		count++;
	return count;
}

/* A name with a single "@", or hidden in .gnu.version, is for programs linked long ago. */
static bool is_old(const struct row *row, struct bytes name)
{
	return !(row->rank & ROW_CURRENT) ||
	       (name.at[name.len] == '@' && name.at[name.len + 1] != '@');
}

/* Rank names that a library made for its own calls: glibc's aliases. */
static unsigned internal_rank(struct bytes name)
{
	return bytes_starts_with(name, BYTES("__GI_")) ? 2
						       : bytes_starts_with(name, BYTES("__libc_"));
}

/* "open64" beside "open": the same function where off_t has 64 bits. */
static bool is_wide_form(struct bytes name, struct bytes plain)
{
	return name.len == plain.len + 2 && bytes_starts_with(name, plain) &&
	       bytes_ends_with(name, BYTES("64"));
}

/* The better of two names that the symbol tables rank alike. */
static bool is_better_name(struct bytes a, struct bytes b)
{
	if (is_wide_form(a, b) || is_wide_form(b, a))
		return a.len < b.len;
	return a.len > b.len;
}

/* Is `a` the better name for an address than `b`? See symbols.h. */
static bool is_better(const struct symbols *s, const struct row *a, const struct row *b)
{
	static const uint8_t first[] = {ROW_FUNCTION, ROW_SIZED};
	struct bytes name_a, name_b;

	for (size_t i = 0; i < sizeof(first); i++)
		if ((a->rank ^ b->rank) & first[i])
			return a->rank & first[i];
	name_a = row_name(s, a);
	name_b = row_name(s, b);
	if (is_old(a, name_a) != is_old(b, name_b))
		return is_old(b, name_b);
	if ((a->rank ^ b->rank) & ROW_GLOBAL)
		return a->rank & ROW_GLOBAL;
	if (internal_rank(name_a) != internal_rank(name_b))
		return internal_rank(name_a) < internal_rank(name_b);
	if (underscores(name_a) != underscores(name_b))
		return underscores(name_a) < underscores(name_b);
	if ((a->rank ^ b->rank) & ROW_STRONG)
		return a->rank & ROW_STRONG;
	return is_better_name(name_a, name_b);
}

/* ---- Sorting ---- */

static int row_compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void sort_by_distance(struct symbols *s, uint64_t lowest)
{
	size_t count = s->rows.len;
	struct sort_key *keys = memory_new(count, sizeof(*keys));
	struct row *sorted = memory_new(count, sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct sort_key){
			(uint32_t)(s->rows.items[i].address - lowest), (uint32_t)i};
	sort_keys(keys, count);
	for (size_t i = 0; i < count; i++)
		sorted[i] = s->rows.items[keys[i].row];
	memcpy(s->rows.items, sorted, count * sizeof(*sorted));
	memory_free(keys);
	memory_free(sorted);
}

static void sort_rows(struct symbols *s)
{
	uint64_t lowest = UINT64_MAX, highest = 0;
	bool sorted = true;

	for (size_t i = 0; i < s->rows.len; i++) {
		uint64_t address = s->rows.items[i].address;

		sorted = sorted && address >= highest;
		lowest = address < lowest ? address : lowest;
		highest = address > highest ? address : highest;
	}
	if (sorted)
		return;
	if (highest - lowest <= UINT32_MAX)
		sort_by_distance(s, lowest);
	else
		qsort(s->rows.items, s->rows.len, sizeof(struct row), row_compare);
}

/* ---- After sorting ---- */

/* Keep the best name of every address. */
static void choose_names(struct symbols *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->rows.len; i++) {
		struct row row = s->rows.items[i];

		if (!kept || s->rows.items[kept - 1].address != row.address)
			s->rows.items[kept++] = row;
		else if (is_better(s, &row, &s->rows.items[kept - 1]))
			s->rows.items[kept - 1] = row;
	}
	s->rows.len = kept;
}

/* The end of the code section, or else of the segment, that contains `address`. */
static uint64_t code_end(const struct symbols *s, uint64_t address)
{
	const struct image_section *section;

	for (size_t i = 0; (section = image_section_header(s->image, i)); i++)
		if (section->flags & SHF_EXECINSTR && address >= section->address &&
			address - section->address < section->size)
			return section->address + section->size;
	return address + image_at(s->image, address).len;
}

static uint64_t row_end(const struct row *row)
{
	return row->address + row->size;
}

/* Drop labels inside functions, give sizes to symbols without one, and link each function to the
 * one around it. `open` is the innermost row that may still contain the next one. Each section
 * is looked up once. */
static void nest_rows(struct symbols *s)
{
	uint32_t kept = 0, open = NO_ROW;
	uint64_t section_end = 0;

	for (size_t i = 0; i < s->rows.len; i++) {
		struct row row = s->rows.items[i];

		while (open != NO_ROW && row_end(&s->rows.items[open]) <= row.address)
			open = s->rows.items[open].outer;
		if (!row.size) {
			uint64_t next =
				i + 1 < s->rows.len ? s->rows.items[i + 1].address : UINT64_MAX;

			if (open != NO_ROW)
				continue;
			if (row.address >= section_end)
				section_end = code_end(s, row.address);
			if (next > section_end)
				next = section_end > row.address ? section_end : row.address + 1;
			row.size = next - row.address < UINT32_MAX ? (uint32_t)(next - row.address)
								   : UINT32_MAX;
		}
		row.outer = open;
		open = kept;
		s->rows.items[kept++] = row;
	}
	s->rows.len = kept;
}

/* ---- Loading ---- */

static bool add_full_table(struct symbols *s, const struct image *debug_file)
{
	if (add_named_table(s, s->image, ".symtab")) {
		s->from = ".symtab";
		return true;
	}
	if (add_named_table(s, debug_file, ".symtab")) {
		s->from = image_name(debug_file);
		return true;
	}
	s->debug_data = debug_data_open(s->image, &s->debug_data_memory);
	if (add_named_table(s, s->debug_data, ".symtab")) {
		s->from = ".gnu_debugdata";
		return true;
	}
	return false;
}

struct symbols *symbols_load(const struct image *image, const struct image *debug_file)
{
	struct symbols *s = memory_new(1, sizeof(*s));
	const struct image_section *dynamic = image_section(image, ".dynsym");

	s->image = image;
	s->from = "";
	/* Symbols of object files are relative to their sections; the kernel names its modules
	 * itself. */
	if (image_type(image) == ET_REL)
		return s;
	if (add_full_table(s, debug_file))
		s->extent = SYMBOLS_FULL;
	else if (s->extent == SYMBOLS_OVER_LIMIT)
		return s;
	if (add_named_table(s, image, ".dynsym") && s->extent == SYMBOLS_NONE) {
		s->extent = SYMBOLS_EXPORTED;
		s->from = ".dynsym";
	}
	sort_rows(s);
	choose_names(s);
	nest_rows(s);
	if (dynamic && dynamic->content.len) {
		s->dynamic = source_of(image, dynamic);
		s->dynamic_table = dynamic->content;
		plt_load(&s->plt, image);
	}
	return s;
}

void symbols_release(struct symbols *s)
{
	if (!s)
		return;
	vector_release(&s->rows);
	vector_release(&s->sources);
	plt_release(&s->plt);
	image_release(s->debug_data);
	debug_data_release(&s->debug_data_memory);
	memory_free(s);
}

/* ---- Answers ---- */

struct symbol symbols_at(const struct symbols *s, size_t index)
{
	const struct row *row = &s->rows.items[index];

	return (struct symbol){row_name(s, row), row->address, row_end(row), false};
}

static bool row_find(const struct symbols *s, uint64_t address, struct symbol *ret)
{
	size_t low = search_up_to(&s->rows, address, address);

	for (uint32_t at = low ? (uint32_t)(low - 1) : NO_ROW; at != NO_ROW;
		at = s->rows.items[at].outer) {
		if (address - s->rows.items[at].address >= s->rows.items[at].size)
			continue;
		*ret = symbols_at(s, at);
		return true;
	}
	return false;
}

static struct bytes stub_name(const struct symbols *s, const struct plt_entry *entry)
{
	struct symbol resolver;

	if (entry->resolver)
		return row_find(s, entry->resolver, &resolver) ? resolver.name : (struct bytes){0};
	if (entry->symbol >= s->dynamic_table.len / sizeof(Elf64_Sym))
		return (struct bytes){0};
	return name_at(&s->dynamic, symbol_read(s->dynamic_table, entry->symbol, true).st_name);
}

bool symbols_find(const struct symbols *s, uint64_t address, struct symbol *ret_symbol)
{
	const struct plt_entry *entry;
	struct bytes name;

	if (row_find(s, address, ret_symbol))
		return true;
	entry = plt_find(&s->plt, address);
	if (!entry)
		return false;
	name = stub_name(s, entry);
	if (name.len)
		*ret_symbol = (struct symbol){name, entry->start, entry->end, true};
	return name.len;
}

void symbol_text(const struct symbol *symbol, struct buffer *out)
{
	if (!demangle(symbol->name, out))
		buffer_add(out, symbol->name.at, symbol->name.len);
	if (symbol->plt)
		buffer_text(out, "@plt");
}

enum symbols_extent symbols_extent(const struct symbols *s)
{
	return s->extent;
}

const char *symbols_source(const struct symbols *s)
{
	return s->from;
}

size_t symbols_count(const struct symbols *s)
{
	return s->rows.len;
}

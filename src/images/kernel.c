/* kernel.c: what are the kernel's functions called?
 *
 * A hundred thousand lines and more are parsed at the start of every recording. So rows hold
 * numbers and offsets into the text instead of strings, and rows are sorted only if the kernel
 * did not print them in order. Names are formatted when they are asked for. The kernel takes 40
 * ms to produce the text, longer than parsing takes: kernel_prefetch.c lets that overlap with other
 * work. */
#include "images/kernel.h"

#include "base/input.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/search.h"
#include "images/kernel_image.h"
#include "images/kernel_rows.h"

#include <stdlib.h>

#define NOTES_LIMIT ((uint64_t)1 << 20) /* bytes */
#define LAST_SYMBOL_REACHES                                                                        \
	4096u /* bytes added to the page of a last symbol, whose size is unknown */

enum { ROW_STRONG = 1, ROW_GLOBAL = 2 };

/* ---- Lines: ADDRESS LETTER NAME [TAB MODULE] ---- */

struct line {
	uint64_t address;
	char letter;
	struct bytes name, module;
};

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Read the line at `*at` and move behind it. */
static bool line_read(const char **at, const char *end, struct line *ret)
{
	const char *c = *at, *stop = memchr(c, '\n', (size_t)(end - c)), *tab;
	int digit;

	stop = stop ? stop : end;
	*ret = (struct line){0};
	for (; c < stop && (digit = hex_digit(*c)) >= 0; c++)
		ret->address = ret->address << 4 | (unsigned)digit;
	if (c == *at || c - *at > 16 || stop - c < 4 || c[0] != ' ' || c[2] != ' ')
		return false;
	ret->letter = c[1];
	ret->name = (struct bytes){c + 3, (size_t)(stop - c - 3)};
	tab = memchr(ret->name.at, '\t', ret->name.len);
	if (tab) {
		ret->name.len = (size_t)(tab - ret->name.at);
		ret->module = (struct bytes){tab + 1, (size_t)(stop - tab - 1)};
	}
	*at = stop < end ? stop + 1 : end;
	return ret->name.len && ret->name.len <= UINT16_MAX;
}

static unsigned module_number(struct kernel *k, struct bytes module)
{
	size_t count = k->modules.len;

	if (!module.len)
		return 0;
	if (bytes_equal(k->modules.items[count - 1], module))
		return (unsigned)(count - 1);
	if (count > KERNEL_MODULES_LIMIT)
		return 0;
	vector_push(&k->modules, module);
	return (unsigned)count;
}

static unsigned letter_rank(char letter)
{
	bool weak = letter == 'w' || letter == 'W';

	return (weak ? 0 : ROW_STRONG) | (letter == 'T' || weak ? ROW_GLOBAL : 0);
}

static void add_line(struct kernel *k, const struct line *line)
{
	if (!strchr("tTwW", line->letter) || !line->letter)
		return;
	if (bytes_equal(line->name, BYTES("_text")) ||
		(!k->text_start && bytes_equal(line->name, BYTES("_stext"))))
		k->text_start = line->address;
	vector_push(
		&k->rows, ((struct kernel_row){line->address,
				  (uint32_t)(line->name.at - k->text.at), (uint16_t)line->name.len,
				  (uint16_t)(module_number(k, line->module) & KERNEL_MODULES_LIMIT),
				  (uint16_t)(letter_rank(line->letter) & 3)}));
}

/* ---- One name for each address ---- */

static struct bytes row_name(const struct kernel *k, const struct kernel_row *row)
{
	return (struct bytes){k->text.at + row->name, row->name_len};
}

static size_t underscores(struct bytes name)
{
	size_t count = 0;

	while (count < name.len && name.at[count] == '_')
		count++;
	return count;
}

/* Strong before weak, global before local, then as in symbols.h; sizes are unknown. */
static bool is_better(
	const struct kernel *k, const struct kernel_row *a, const struct kernel_row *b)
{
	struct bytes name_a = row_name(k, a), name_b = row_name(k, b);

	if ((a->rank ^ b->rank) & ROW_STRONG)
		return a->rank & ROW_STRONG;
	if ((a->rank ^ b->rank) & ROW_GLOBAL)
		return a->rank & ROW_GLOBAL;
	if (underscores(name_a) != underscores(name_b))
		return underscores(name_a) < underscores(name_b);
	return name_a.len > name_b.len;
}

/* By address; lines with the same address keep their order. */
static int row_compare(const void *a, const void *b)
{
	const struct kernel_row *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static void sort_rows(struct kernel *k)
{
	for (size_t i = 1; i < k->rows.len; i++)
		if (k->rows.items[i].address < k->rows.items[i - 1].address) {
			qsort(k->rows.items, k->rows.len, sizeof(struct kernel_row), row_compare);
			return;
		}
}

static void choose_names(struct kernel *k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->rows.len; i++) {
		struct kernel_row row = k->rows.items[i];

		if (!kept || k->rows.items[kept - 1].address != row.address)
			k->rows.items[kept++] = row;
		else if (is_better(k, &row, &k->rows.items[kept - 1]))
			k->rows.items[kept - 1] = row;
	}
	k->rows.len = kept;
}

/* ---- Opening ---- */

static bool kernel_fill(struct kernel *k, struct error *err)
{
	const char *at = k->text.at, *end = at + k->text.len;
	uint64_t any = 0;

	if (k->text.len > KALLSYMS_SIZE_LIMIT)
		return error_set(err, ERR_LIMIT, "kernel symbols: more than %llu MB",
			(unsigned long long)(KALLSYMS_SIZE_LIMIT >> 20));
	vector_push(&k->modules, BYTES("[kernel]"));
	for (size_t number = 1; at < end; number++) {
		struct line line;

		if (!line_read(&at, end, &line))
			return error_set(err, ERR_FORMAT,
				"kernel symbols: line %zu: expected 'address letter name'", number);
		any |= line.address;
		add_line(k, &line);
	}
	if (!any)
		return error_set(err, ERR_PERMISSION,
			"the kernel hides the addresses of its functions (/proc/kallsyms has only "
			"zeros); run as root, or set: " KERNEL_SHOW_ADDRESSES);
	sort_rows(k);
	choose_names(k);
	return true;
}

struct kernel *kernel_parse(struct bytes text, struct error *err)
{
	struct kernel *k = memory_new(1, sizeof(*k));

	k->text = text;
	if (!kernel_fill(k, err)) {
		kernel_release(k);
		return NULL;
	}
	return k;
}

struct kernel *kernel_of_image(const struct image *image, struct error *err)
{
	struct kernel *k = memory_new(1, sizeof(*k));

	if (kernel_image_text(image, &k->made, err)) {
		k->text = buffer_bytes(&k->made);
		if (kernel_fill(k, err))
			return k;
		error_prefix(err, "%s: ", image_name(image));
	}
	kernel_release(k);
	return NULL;
}

struct kernel *kernel_open_text(const char *path, struct error *err)
{
	struct kernel *k = memory_new(1, sizeof(*k));

	k->opened = input_open(&k->input, path, err);
	if (!k->opened || !input_whole(&k->input, KALLSYMS_SIZE_LIMIT, &k->text, err) ||
		!kernel_fill(k, err)) {
		kernel_release(k);
		return NULL;
	}
	return k;
}

void kernel_release(struct kernel *k)
{
	if (!k)
		return;
	scope_drop(k);
	if (k->opened)
		input_release(&k->input);
	buffer_release(&k->made);
	stable_file_release(&k->kept);
	vector_release(&k->rows);
	vector_release(&k->modules);
	memory_free(k);
}

/* ---- Answers ---- */

/* A function ends at the next one; if that is in another module or missing, it ends with the page
 * after its own page at the latest. */
static uint64_t row_end(const struct kernel *k, size_t at)
{
	const struct kernel_row *row = &k->rows.items[at];
	uint64_t far = (row->address | (LAST_SYMBOL_REACHES - 1)) + 1 + LAST_SYMBOL_REACHES;

	if (far < row->address)
		far = UINT64_MAX;
	if (at + 1 == k->rows.len)
		return far;
	if (row[1].module == row->module || row[1].address < far)
		return row[1].address;
	return far;
}

bool kernel_find(const struct kernel *k, uint64_t address, struct kernel_symbol *ret_symbol)
{
	size_t low = search_up_to(&k->rows, address, address);
	const struct kernel_row *row;

	if (!low || address >= row_end(k, low - 1))
		return false;
	row = &k->rows.items[low - 1];
	*ret_symbol = (struct kernel_symbol){
		row_name(k, row), k->modules.items[row->module], row->address, row_end(k, low - 1)};
	return true;
}

bool kernel_find_named(const struct kernel *k, struct bytes name, struct kernel_symbol *ret_symbol)
{
	for (size_t i = 0; i < k->rows.len; i++)
		if (bytes_equal(row_name(k, &k->rows.items[i]), name))
			return kernel_find(k, k->rows.items[i].address, ret_symbol);
	return false;
}

uint64_t kernel_text_start(const struct kernel *k)
{
	return k->text_start;
}

size_t kernel_symbol_count(const struct kernel *k)
{
	return k->rows.len;
}

bool kernel_build_id_text(char ret_hex[65])
{
	struct error ignored = {0};
	struct bytes notes;
	struct input in;

	*ret_hex = 0;
	if (!input_open(&in, "/sys/kernel/notes", &ignored))
		return false;
	if (input_whole(&in, NOTES_LIMIT, &notes, &ignored))
		build_id_text(build_id_in_notes(notes), ret_hex);
	input_release(&in);
	return *ret_hex;
}

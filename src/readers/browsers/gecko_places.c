/* gecko_places.c: what do the texts of frames in a raw profile of Firefox stand for? */
#include "readers/browsers/gecko_places.h"

#include "images/image.h"

#include <stdlib.h>

#define BUILD_ID_LIMIT 32u /* bytes */

void gecko_places_open(struct gecko_places *p, struct text_stacks *names,
	const struct read_options *options, struct input *in)
{
	static const struct binary_locations usual;

	*p = (struct gecko_places){.names = names};
	binaries_init(&p->binaries, names->profile);
	p->binaries.binary_locations =
		options->binary_locations ? options->binary_locations : &usual;
	p->binaries.recorded = input_time(in);
	p->binaries.other_kernel = true;
}

void gecko_places_release(struct gecko_places *p)
{
	binaries_release(&p->binaries);
}

/* ---- Libraries ---- */

void gecko_libraries_release(struct gecko_libraries *l)
{
	vector_release(&l->rows);
	json_texts_release(&l->names);
	json_texts_release(&l->paths);
	json_texts_release(&l->build_ids);
}

static void library_read(struct gecko_libraries *l, struct json *j)
{
	struct gecko_library library = {.number = (uint32_t)l->rows.len};
	struct buffer name = {0}, path = {0}, build_id = {0};
	struct bytes key;

	while (json_key(j, &key)) {
		if (bytes_equal(key, BYTES("start")))
			library.start = (uint64_t)json_number_if(j, 0, 0);
		else if (bytes_equal(key, BYTES("end")))
			library.end = (uint64_t)json_number_if(j, 0, 0);
		else if (bytes_equal(key, BYTES("offset")))
			library.offset = (uint64_t)json_number_if(j, 0, 0);
		else if (bytes_equal(key, BYTES("name")))
			buffer_set(&name, json_string_if(j));
		else if (bytes_equal(key, BYTES("path")))
			buffer_set(&path, json_string_if(j));
		else if (bytes_equal(key, BYTES("codeId")))
			buffer_set(&build_id, json_string_if(j));
		else
			json_skip(j);
	}
	json_texts_add(&l->names, buffer_bytes(&name));
	json_texts_add(&l->paths, buffer_bytes(&path));
	json_texts_add(&l->build_ids, buffer_bytes(&build_id));
	vector_push(&l->rows, library);
	buffer_release(&name);
	buffer_release(&path);
	buffer_release(&build_id);
}

static int compare_starts(const void *a, const void *b)
{
	const struct gecko_library *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return (left->number > right->number) - (left->number < right->number);
}

void gecko_libraries_read(struct gecko_libraries *l, struct json *j)
{
	for (json_array(j); json_item(j);)
		if (json_object_if(j))
			library_read(l, j);
	if (l->rows.len)
		qsort(l->rows.items, l->rows.len, sizeof(*l->rows.items), compare_starts);
}

/* NULL: the address is in none. */
static struct gecko_library *library_of(const struct gecko_libraries *l, uint64_t address)
{
	size_t low = 0, high = l->rows.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->rows.items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= l->rows.items[low - 1].end)
		return NULL;
	return &l->rows.items[low - 1];
}

/* ---- Addresses ---- */

static size_t parse_build_id(struct bytes hex, char *ret_raw)
{
	size_t len = hex.len / 2;
	uint64_t byte;

	if (!hex.len || hex.len % 2 || len > BUILD_ID_LIMIT)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (!bytes_hex((struct bytes){hex.at + 2 * i, 2}, &byte))
			return 0;
		ret_raw[i] = (char)byte;
	}
	return len;
}

static void library_open(
	struct gecko_places *p, const struct gecko_libraries *l, struct gecko_library *library)
{
	char raw[BUILD_ID_LIMIT];
	struct binary_key key = {.path = json_texts_at(&l->paths, library->number), .pid = -1};

	library->opened = true;
	key.build_id.at = raw;
	key.build_id.len = parse_build_id(json_texts_at(&l->build_ids, library->number), raw);
	if (key.path.len && *key.path.at == '/')
		library->binary = binaries_add(&p->binaries, &key);
}

/* Addresses in a library count from where it was loaded, as those of its symbols do; locations are
 * offsets in the file, which only the file tells. */
static location_id address_locate(
	struct gecko_places *p, const struct gecko_libraries *l, uint64_t address)
{
	struct gecko_library *library = library_of(l, address);
	const struct image *image = NULL;
	uint64_t offset;

	if (!library)
		return text_stacks_named(p->names, BYTES("[unknown]"), FRAME_NATIVE);
	if (!library->opened)
		library_open(p, l, library);
	if (library->binary)
		image = binaries_image(&p->binaries, library->binary);
	if (image && image_offset(image, address - library->start + library->offset, &offset))
		return profile_location(
			p->names->profile, p->binaries.rows.items[library->binary].mapping, offset);
	p->nameless++;
	return text_stacks_symbol(p->names, (struct bytes){0},
		json_texts_at(&l->names, library->number), FRAME_NATIVE);
}

bool gecko_places_address(struct bytes text, uint64_t *ret_address)
{
	return bytes_starts_with(text, BYTES("0x")) &&
	       bytes_hex((struct bytes){text.at + 2, text.len - 2}, ret_address);
}

/* ---- Names ---- */

/* Cut the last `open` and all behind it off. False: there is none. */
static bool cut_last(struct bytes *text, struct bytes open, struct bytes *ret_rest)
{
	for (size_t at = text->len; at-- > 0;) {
		struct bytes rest = {text->at + at, text->len - at};

		if (!bytes_starts_with(rest, open))
			continue;
		*ret_rest = (struct bytes){rest.at + open.len, rest.len - open.len};
		text->len = at;
		return true;
	}
	return false;
}

/* "malloc (in libc.so.6) + 12", "work (in a.out) (a.c:12)". */
static bool cut_native(struct bytes text, struct text_frame *frame)
{
	struct bytes rest, module;

	if (!cut_last(&text, BYTES(" (in "), &rest) || !bytes_cut(&rest, ')', &module))
		return false;
	if (rest.len && !bytes_starts_with(rest, BYTES(" + ")) &&
		!(bytes_starts_with(rest, BYTES(" (")) && bytes_ends_with(rest, BYTES(")"))))
		return false;
	frame->function = text;
	frame->module = module;
	frame->kind = FRAME_NATIVE;
	return true;
}

/* Cut ":12" off the end. */
static bool cut_number(struct bytes *text, uint64_t *ret_number)
{
	size_t at = text->len;

	while (at && is_digit(text->at[at - 1]))
		at--;
	if (!at || text->at[at - 1] != ':' ||
		!bytes_u64((struct bytes){text->at + at, text->len - at}, ret_number))
		return false;
	text->len = at - 1;
	return true;
}

/* "http://a/b.js:12:5", "http://a/b.js:12"; scripts loaded by others are "loader -> script". */
static bool cut_script(struct bytes text, struct text_frame *frame)
{
	uint64_t line, column;
	struct bytes last;

	if (!cut_number(&text, &column))
		return false;
	if (!text.len || !cut_number(&text, &line))
		line = column;
	if (cut_last(&text, BYTES(" -> "), &last))
		text = last;
	if (!text.len)
		return false;
	frame->file = text;
	frame->line = line <= UINT32_MAX ? (uint32_t)line : 0;
	frame->kind = FRAME_JIT;
	return true;
}

/* The number of the source behind a script, "[3]", says no more than the script. */
static struct bytes without_source(struct bytes text)
{
	size_t at = text.len;

	if (!bytes_ends_with(text, BYTES("]")))
		return text;
	for (at--; at && is_digit(text.at[at - 1]);)
		at--;
	return at && text.at[at - 1] == '[' && at + 1 < text.len ? (struct bytes){text.at, at - 1}
								 : text;
}

static bool cut_function(struct bytes text, struct text_frame *frame)
{
	struct bytes script;

	text = without_source(text);
	if (bytes_ends_with(text, BYTES(")"))) {
		struct bytes name = {text.at, text.len - 1};

		if (!cut_last(&name, BYTES(" ("), &script) || !cut_script(script, frame))
			return false;
		frame->function = name;
		return true;
	}
	return cut_script(text, frame);
}

/* What runs when a script is loaded has no name. */
static void name_script(struct gecko_places *p, struct text_frame *frame)
{
	if (frame->function.len)
		return;
	p->names->name.len = 0;
	buffer_printf(&p->names->name, "(root scope) %.*s", (int)frame->file.len, frame->file.at);
	frame->function = buffer_bytes(&p->names->name);
}

location_id gecko_places_locate(struct gecko_places *p, struct gecko_libraries *l,
	struct bytes text, bool exact, uint32_t line)
{
	struct text_frame frame = {.function = text, .kind = FRAME_NATIVE};
	uint64_t address;

	if (gecko_places_address(text, &address))
		return address_locate(p, l, address - (address && !exact));
	if (!cut_native(text, &frame)) {
		frame.function.len = 0;
		if (cut_function(text, &frame))
			name_script(p, &frame);
		else
			frame = (struct text_frame){.function = text, .kind = FRAME_NATIVE};
	}
	if (!frame.function.len)
		frame.function = BYTES("[unknown]");
	if (line)
		frame.line = line;
	return text_stacks_frame(p->names, &frame);
}

void gecko_places_finish(struct gecko_places *p)
{
	binaries_identify(&p->binaries);
	json_count_note(p->names->profile, p->nameless,
		"frames without names, in binaries that are not on this machine");
}

/* pprof_places.c: which mappings, locations, functions and strings does a pprof file need? */
#include "renderers/pprof_places.h"

#include <stdlib.h>

#define PAGE ((uint64_t)4096) /* bytes; minimum distance between binaries */

/* ---- Strings ---- */

static void strings_init(struct pprof_strings *s, const struct profile *p)
{
	*s = (struct pprof_strings){.profile = p};
	s->of_profile = memory_new(p->string_ends.len, sizeof(*s->of_profile));
	vector_push(&s->texts, (struct bytes){0});
}

static void strings_release(struct pprof_strings *s)
{
	memory_free(s->of_profile);
	id_map_release(&s->by_text);
	vector_release(&s->texts);
	arena_release(&s->made);
}

static uint32_t find_text(struct pprof_strings *s, struct bytes text, uint64_t hash, size_t *ret_at)
{
	uint32_t id;

	*ret_at = id_map_first(&s->by_text, hash);
	while ((id = id_map_candidate(&s->by_text, hash, ret_at)))
		if (bytes_equal(s->texts.items[id], text))
			break;
	return id;
}

static uint32_t add_text(struct pprof_strings *s, struct bytes text, uint64_t hash, size_t at)
{
	vector_push(&s->texts, text);
	id_map_insert_at(&s->by_text, hash, at, (uint32_t)s->texts.len - 1);
	return (uint32_t)s->texts.len - 1;
}

uint64_t pprof_string(struct pprof_strings *s, struct bytes text)
{
	uint64_t hash = hash_bytes(text.at, text.len);
	uint32_t id;
	size_t at;

	if (!text.len)
		return 0;
	id = find_text(s, text, hash, &at);
	if (id)
		return id;
	text.at = arena_copy(&s->made, text.at, text.len);
	return add_text(s, text, hash, at);
}

uint64_t pprof_profile_string(struct pprof_strings *s, string_id string)
{
	struct bytes text;
	uint64_t hash;
	uint32_t id;
	size_t at;

	if (!string || s->of_profile[string])
		return s->of_profile[string];
	text = profile_text(s->profile, string);
	if (!text.len)
		return 0;
	hash = hash_bytes(text.at, text.len);
	id = find_text(s, text, hash, &at);
	s->of_profile[string] = id ? id : add_text(s, text, hash, at);
	return s->of_profile[string];
}

void pprof_strings_write(const struct pprof_strings *s, struct buffer *out)
{
	for (size_t i = 0; i < s->texts.len; i++)
		protobuf_put_item(out, PPROF_STRING, s->texts.items[i]);
}

/* ---- Binaries ---- */

static bool is_in_file(uint32_t kind)
{
	return kind == MAPPING_FILE || kind == MAPPING_VDSO;
}

/* Addresses in files are offsets, so all files are placed one after another; other addresses are
 * kept. */
static void give_room(struct pprof_out *o)
{
	uint64_t next = 256 * PAGE;

	for (size_t i = 1; i < o->binaries.len; i++) {
		struct pprof_binary *b = &o->binaries.items[i];

		if (!is_in_file(b->row.kind))
			continue;
		b->start = next;
		b->limit = (next + b->limit + PAGE) & ~(PAGE - 1);
		next = b->limit + PAGE;
	}
}

static void add_binary(struct pprof_out *o, mapping_id mapping)
{
	const struct mapping *row = &o->profile->mappings.items[mapping];
	struct pprof_binary binary = {.row = *row};

	if (o->of_mapping[mapping] != UINT32_MAX)
		return;
	if (row->kind == MAPPING_KERNEL || row->kind == MAPPING_MODULE)
		binary.start = row->base;
	o->of_mapping[mapping] = (uint32_t)o->binaries.len;
	vector_push(&o->binaries, binary);
}

/* Binaries with locations: files first, because pprof takes the first one for the program. */
static void find_binaries(struct pprof_out *o)
{
	const struct profile *p = o->profile;

	for (size_t i = 1; i < p->locations.len; i++)
		if (p->locations.items[i].mapping)
			o->of_mapping[p->locations.items[i].mapping] = UINT32_MAX;
	for (mapping_id i = 1; i < p->mappings.len; i++)
		if (is_in_file(p->mappings.items[i].kind))
			add_binary(o, i);
	for (mapping_id i = 1; i < p->mappings.len; i++)
		add_binary(o, i);
	for (size_t i = 1; i < p->locations.len; i++) {
		const struct location *l = &p->locations.items[i];
		struct pprof_binary *b = &o->binaries.items[o->of_mapping[l->mapping]];

		if (l->mapping && l->address >= b->limit)
			b->limit = l->address + 1;
	}
	give_room(o);
}

/* Frames without an address keep their module as a binary of that name. */
static uint32_t module_binary(struct pprof_out *o, string_id module)
{
	struct pprof_binary binary = {.row.file = module};

	if (!module)
		return 0;
	if (!o->of_module[module]) {
		binary.row.kind = pprof_mapping_kind(profile_text(o->profile, module));
		o->of_module[module] = (uint32_t)o->binaries.len;
		vector_push(&o->binaries, binary);
	}
	return o->of_module[module];
}

static void write_binary(struct pprof_out *o, size_t id, struct buffer *out)
{
	const struct pprof_binary *b = &o->binaries.items[id];
	const struct process *process = &o->profile->processes.items[b->row.process];
	struct bytes file = profile_text(o->profile, b->row.file);
	bool explicit_kind = !file.len || pprof_mapping_kind(file) != b->row.kind;
	struct buffer *m = &o->scratch;

	m->len = 0;
	protobuf_put_number(m, PPROF_MAPPING_ID, id);
	protobuf_put_number(m, PPROF_MAPPING_START, b->start);
	protobuf_put_number(m, PPROF_MAPPING_LIMIT, b->limit);
	protobuf_put_number(
		m, PPROF_MAPPING_FILENAME, pprof_profile_string(&o->strings, b->row.file));
	protobuf_put_number(
		m, PPROF_MAPPING_BUILD_ID, pprof_profile_string(&o->strings, b->row.build_id));
	protobuf_put_number(m, PPROF_MAPPING_HAS_FUNCTIONS, b->has_functions);
	protobuf_put_number(m, PPROF_MAPPING_HAS_FILENAMES, b->has_filenames);
	protobuf_put_number(m, PPROF_MAPPING_HAS_LINES, b->has_lines);
	protobuf_put_number(m, PPROF_MAPPING_HAS_INLINES, b->has_inlines);
	if (explicit_kind)
		protobuf_put_explicit(m, PPROF_MAPPING_KIND, b->row.kind);
	if (b->row.base != (b->row.kind == MAPPING_MODULE && !explicit_kind ? b->start : 0))
		protobuf_put_explicit(m, PPROF_MAPPING_BASE, b->row.base);
	if (b->row.process) {
		protobuf_put_number(m, PPROF_MAPPING_PID, (uint64_t)((int64_t)process->pid + 1));
		protobuf_put_number(
			m, PPROF_MAPPING_PROCESS, pprof_profile_string(&o->strings, process->name));
	}
	protobuf_put_item(out, PPROF_MAPPING, buffer_bytes(m));
}

/* ---- Functions ---- */

static uint64_t function_of(struct pprof_out *o, const struct frame *frame)
{
	uint64_t hash = hash_pair(frame->function, frame->file);
	size_t at = id_map_first(&o->functions, hash);
	uint32_t id;

	while ((id = id_map_candidate(&o->functions, hash, &at))) {
		const struct frame *known = &o->function_rows.items[id - 1];

		if (known->function == frame->function && known->file == frame->file)
			return id;
	}
	vector_push(&o->function_rows, *frame);
	id_map_insert_at(&o->functions, hash, at, (uint32_t)o->function_rows.len);
	return o->function_rows.len;
}

static void write_functions(struct pprof_out *o, struct buffer *out)
{
	for (size_t i = 0; i < o->function_rows.len; i++) {
		const struct frame *frame = &o->function_rows.items[i];
		uint64_t name = pprof_profile_string(&o->strings, frame->function);
		struct buffer *m = &o->scratch;

		m->len = 0;
		protobuf_put_number(m, PPROF_FUNCTION_ID, i + 1);
		protobuf_put_number(m, PPROF_FUNCTION_NAME, name);
		protobuf_put_number(m, PPROF_FUNCTION_SYSTEM_NAME, name);
		protobuf_put_number(
			m, PPROF_FUNCTION_FILENAME, pprof_profile_string(&o->strings, frame->file));
		protobuf_put_item(out, PPROF_FUNCTION, buffer_bytes(m));
	}
}

/* ---- Locations ---- */

static void note_names(struct pprof_binary *b, const struct frame *frame, bool inlined)
{
	b->has_functions = true;
	b->has_filenames |= frame->file != 0;
	b->has_lines |= frame->line != 0;
	b->has_inlines |= inlined;
}

/* What a reader assumes if the kind is not stated. */
static uint32_t default_kind(const struct pprof_binary *b, bool inlined)
{
	if (inlined)
		return FRAME_INLINED;
	return b->row.file || b->row.kind ? mapping_frame_kind(&b->row) : FRAME_NATIVE;
}

static struct bytes default_module(const struct pprof_out *o, uint32_t binary)
{
	return binary ? mapping_module(o->profile, &o->binaries.items[binary].row)
		      : (struct bytes){0};
}

static void put_line(struct pprof_out *o, uint32_t binary, frame_id id, bool inlined)
{
	struct pprof_binary *b = &o->binaries.items[binary];
	struct frame frame = o->profile->frames.items[id];
	struct buffer *m = &o->line;

	m->len = 0;
	protobuf_put_number(m, PPROF_LINE_FUNCTION, function_of(o, &frame));
	protobuf_put_number(m, PPROF_LINE_LINE, frame.line);
	if (frame.kind != default_kind(b, inlined))
		protobuf_put_explicit(m, PPROF_LINE_KIND, frame.kind);
	if (!bytes_equal(profile_text(o->profile, frame.module), default_module(o, binary)))
		protobuf_put_explicit(
			m, PPROF_LINE_MODULE, pprof_profile_string(&o->strings, frame.module));
	protobuf_put_item(&o->scratch, PPROF_LOCATION_LINE, buffer_bytes(m));
	note_names(b, &frame, inlined);
}

static void write_location(struct pprof_out *o, location_id location, uint64_t id)
{
	const struct profile *p = o->profile;
	const struct location *l = &p->locations.items[location];
	struct span names = p->location_names.items[location];
	uint32_t binary = o->of_mapping[l->mapping];
	uint64_t address = l->mapping ? l->address : 0;

	if (!l->mapping && names.count)
		binary = module_binary(
			o, p->frames.items[p->location_frames.items[names.first]].module);
	if (l->mapping && is_in_file(o->binaries.items[binary].row.kind))
		address += o->binaries.items[binary].start;
	o->scratch.len = 0;
	protobuf_put_number(&o->scratch, PPROF_LOCATION_ID, id);
	protobuf_put_number(&o->scratch, PPROF_LOCATION_MAPPING, binary);
	protobuf_put_number(&o->scratch, PPROF_LOCATION_ADDRESS, address);
	for (uint32_t i = names.count; i-- > 0;)
		put_line(o, binary, p->location_frames.items[names.first + i], i > 0);
	protobuf_put_item(&o->locations, PPROF_LOCATION, buffer_bytes(&o->scratch));
}

uint64_t pprof_out_location(struct pprof_out *o, location_id location)
{
	if (!o->of_location[location]) {
		o->of_location[location] = ++o->locations_count;
		write_location(o, location, o->locations_count);
	}
	return o->of_location[location];
}

/* ---- All ---- */

void pprof_out_init(struct pprof_out *o, const struct profile *p)
{
	*o = (struct pprof_out){.profile = p};
	strings_init(&o->strings, p);
	o->of_mapping = memory_new(p->mappings.len, sizeof(*o->of_mapping));
	o->of_module = memory_new(p->string_ends.len, sizeof(*o->of_module));
	o->of_location = memory_new(p->locations.len, sizeof(*o->of_location));
	vector_push(&o->binaries, (struct pprof_binary){0});
	find_binaries(o);
}

void pprof_out_release(struct pprof_out *o)
{
	strings_release(&o->strings);
	vector_release(&o->binaries);
	memory_free(o->of_mapping);
	memory_free(o->of_module);
	memory_free(o->of_location);
	id_map_release(&o->functions);
	vector_release(&o->function_rows);
	buffer_release(&o->locations);
	buffer_release(&o->scratch);
	buffer_release(&o->line);
}

void pprof_out_write(struct pprof_out *o, struct buffer *out)
{
	for (size_t i = 1; i < o->binaries.len; i++)
		write_binary(o, i, out);
	buffer_add(out, o->locations.at, o->locations.len);
	write_functions(o, out);
}

/* pprof_tables.c: reads the strings, functions, mappings and locations of a pprof file. */
#include "readers/pprof/pprof_file.h"

#include <stdlib.h>

/* ---- Shapes ---- */

const struct protobuf_schema pprof_pair_shape = {
	3, {[1] = {PROTOBUF_NUMBER, 0}, [2] = {PROTOBUF_NUMBER, 0}}};
const struct protobuf_schema pprof_label_shape = {
	5, {[PPROF_LABEL_KEY] = {PROTOBUF_NUMBER, 0},
		   [PPROF_LABEL_STR] = {PROTOBUF_NUMBER, 0},
		   [PPROF_LABEL_NUM] = {PROTOBUF_NUMBER, 0},
		   [PPROF_LABEL_UNIT] = {PROTOBUF_NUMBER, 0}}};
const struct protobuf_schema pprof_sample_shape = {
	4, {[PPROF_SAMPLE_LOCATION] = {PROTOBUF_NUMBERS, 0},
		   [PPROF_SAMPLE_VALUE] = {PROTOBUF_NUMBERS, 0},
		   [PPROF_SAMPLE_LABEL] = {PROTOBUF_TEXT, &pprof_label_shape}}};
static const struct protobuf_schema mapping_shape = {
	11, {[PPROF_MAPPING_ID] = {PROTOBUF_NUMBER, 0},
		    [PPROF_MAPPING_START] = {PROTOBUF_NUMBER, 0},
		    [PPROF_MAPPING_LIMIT] = {PROTOBUF_NUMBER, 0},
		    [PPROF_MAPPING_OFFSET] = {PROTOBUF_NUMBER, 0},
		    [PPROF_MAPPING_FILENAME] = {PROTOBUF_NUMBER, 0},
		    [PPROF_MAPPING_BUILD_ID] = {PROTOBUF_NUMBER, 0},
		    [PPROF_MAPPING_HAS_FUNCTIONS] = {PROTOBUF_NUMBER, 0},
		    [PPROF_MAPPING_HAS_FILENAMES] = {PROTOBUF_NUMBER, 0},
		    [PPROF_MAPPING_HAS_LINES] = {PROTOBUF_NUMBER, 0},
		    [PPROF_MAPPING_HAS_INLINES] = {PROTOBUF_NUMBER, 0}}};
const struct protobuf_schema pprof_line_shape = {
	4, {[PPROF_LINE_FUNCTION] = {PROTOBUF_NUMBER, 0},
		   [PPROF_LINE_LINE] = {PROTOBUF_NUMBER, 0},
		   [PPROF_LINE_COLUMN] = {PROTOBUF_NUMBER, 0}}};
const struct protobuf_schema pprof_location_shape = {
	6, {[PPROF_LOCATION_ID] = {PROTOBUF_NUMBER, 0},
		   [PPROF_LOCATION_MAPPING] = {PROTOBUF_NUMBER, 0},
		   [PPROF_LOCATION_ADDRESS] = {PROTOBUF_NUMBER, 0},
		   [PPROF_LOCATION_LINE] = {PROTOBUF_TEXT, &pprof_line_shape},
		   [PPROF_LOCATION_FOLDED] = {PROTOBUF_NUMBER, 0}}};
static const struct protobuf_schema function_shape = {
	6, {[PPROF_FUNCTION_ID] = {PROTOBUF_NUMBER, 0},
		   [PPROF_FUNCTION_NAME] = {PROTOBUF_NUMBER, 0},
		   [PPROF_FUNCTION_SYSTEM_NAME] = {PROTOBUF_NUMBER, 0},
		   [PPROF_FUNCTION_FILENAME] = {PROTOBUF_NUMBER, 0},
		   [PPROF_FUNCTION_START_LINE] = {PROTOBUF_NUMBER, 0}}};
const struct protobuf_schema pprof_profile_shape = {
	16, {[PPROF_SAMPLE_TYPE] = {PROTOBUF_TEXT, &pprof_pair_shape},
		    [PPROF_SAMPLE] = {PROTOBUF_TEXT, &pprof_sample_shape},
		    [PPROF_MAPPING] = {PROTOBUF_TEXT, &mapping_shape},
		    [PPROF_LOCATION] = {PROTOBUF_TEXT, &pprof_location_shape},
		    [PPROF_FUNCTION] = {PROTOBUF_TEXT, &function_shape},
		    [PPROF_STRING] = {PROTOBUF_TEXT, 0},
		    [PPROF_DROP_FRAMES] = {PROTOBUF_NUMBER, 0},
		    [PPROF_KEEP_FRAMES] = {PROTOBUF_NUMBER, 0},
		    [PPROF_TIME_NANOS] = {PROTOBUF_NUMBER, 0},
		    [PPROF_DURATION_NANOS] = {PROTOBUF_NUMBER, 0},
		    [PPROF_PERIOD_TYPE] = {PROTOBUF_TEXT, &pprof_pair_shape},
		    [PPROF_PERIOD] = {PROTOBUF_NUMBER, 0},
		    [PPROF_COMMENT] = {PROTOBUF_NUMBERS, 0},
		    [PPROF_DEFAULT_SAMPLE_TYPE] = {PROTOBUF_NUMBER, 0},
		    [PPROF_DOC_URL] = {PROTOBUF_NUMBER, 0}}};

/* ---- Errors ---- */

bool pprof_fail_at(const struct pprof *p, const char *at, const char *expected, struct error *err)
{
	return error_set(err, ERR_FORMAT, "byte %llu: expected %s",
		(unsigned long long)(at - p->start), expected);
}

bool pprof_finish_message(const struct pprof *p, const struct protobuf *m, struct error *err)
{
	return !m->failed || pprof_fail_at(p, m->failed, m->expected, err);
}

void pprof_skip_sample(
	struct pprof *p, struct pprof_skipped *skipped, const char *at, const char *reason)
{
	if (skipped->count++)
		return;
	skipped->first = (uint64_t)(at - p->start);
	skipped->reason = reason;
}

struct pprof_skipped pprof_skipped(const struct pprof *p)
{
	struct pprof_skipped all = p->without_stack;

	if (p->without_values.count && (!all.count || p->without_values.first < all.first))
		all = p->without_values;
	all.count = p->without_stack.count + p->without_values.count;
	return all;
}

/* ---- Ids ---- */

static void ids_release(struct pprof_ids *ids)
{
	vector_release(&ids->dense);
	id_map_release(&ids->sparse);
}

static uint64_t id_of(const struct pprof_id_rows *rows, size_t row)
{
	uint64_t id;

	memcpy(&id, (const char *)rows->items + row * rows->size + rows->offset, sizeof(id));
	return id;
}

/* Of an id that two rows have, the first counts. */
static void ids_init(struct pprof_ids *ids, struct pprof_id_rows rows)
{
	size_t most = 4 * rows.count + 1024;

	for (size_t row = 1; row < rows.count; row++) {
		uint64_t id = id_of(&rows, row);

		if (id >= most) {
			id_map_insert(&ids->sparse, hash_pair(id, 0), (uint32_t)row);
			continue;
		}
		while (ids->dense.len <= id)
			vector_push(&ids->dense, 0);
		if (!ids->dense.items[id])
			ids->dense.items[id] = (uint32_t)row;
	}
}

uint32_t pprof_ids_find_sparse(const struct pprof_ids *ids, struct pprof_id_rows rows, uint64_t id)
{
	uint64_t hash = hash_pair(id, 0);
	uint32_t row;
	size_t at;

	if (!ids->sparse.slots)
		return 0;
	at = id_map_start(&ids->sparse, hash);
	while ((row = id_map_candidate(&ids->sparse, hash, &at)))
		if (id_of(&rows, row) == id)
			return row;
	return 0;
}

/* A row that the file refers to; 0 stays 0. */
uint32_t pprof_row_of(
	struct pprof *p, const struct pprof_ids *ids, struct pprof_id_rows rows, uint64_t id)
{
	uint32_t row = id ? pprof_ids_find(ids, rows, id) : 0;

	p->bad_rows += id && !row;
	return row;
}

/* ---- Strings ---- */

struct pprof_string *pprof_string_at(struct pprof *p, uint64_t index)
{
	if (index < p->strings.len)
		return &p->strings.items[index];
	p->bad_strings += index > 0;
	p->no_string = (struct pprof_string){.role = TAG_LABEL + 1};
	return &p->no_string;
}

struct bytes pprof_text_at(struct pprof *p, uint64_t index)
{
	return pprof_string_at(p, index)->text;
}

string_id pprof_string_made(struct pprof *p, uint64_t index)
{
	struct pprof_string *s = pprof_string_at(p, index);

	if (!s->made)
		s->made = profile_string(p->profile, s->text);
	return s->made;
}

/* ---- Tables ---- */

static bool take_type(struct pprof *p, struct bytes message, struct pprof_sample_type *ret_type,
	struct error *err)
{
	struct protobuf m = protobuf_open(message, &pprof_pair_shape);
	struct pprof_sample_type type = {.own = message};

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_TYPE_NAME)
			type.kind = f.value;
		else if (f.number == PPROF_TYPE_UNIT)
			type.unit = f.value;
	}
	*ret_type = type;
	return pprof_finish_message(p, &m, err);
}

static bool take_sample_type(struct pprof *p, const struct protobuf_field *f, struct error *err)
{
	struct pprof_sample_type type;

	if (p->types.len == PPROF_TYPES_LIMIT)
		return error_set(err, ERR_LIMIT, "byte %llu: more than %u sample types",
			(unsigned long long)(f->at - p->start), PPROF_TYPES_LIMIT);
	if (!take_type(p, f->bytes, &type, err))
		return false;
	vector_push(&p->types, type);
	return true;
}

/* Strings may follow: parse_mapping reads the message again. */
static bool take_mapping(struct pprof *p, struct bytes message, struct error *err)
{
	struct protobuf m = protobuf_open(message, &mapping_shape);
	struct pprof_mapping mapping = {.row.kind = PPROF_KIND_UNKNOWN, .message = message};

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_MAPPING_ID)
			mapping.id = f.value;
		else if (f.number == PPROF_MAPPING_START)
			mapping.start = f.value;
		else if (f.number == PPROF_MAPPING_OFFSET)
			mapping.offset = f.value;
	}
	vector_push(&p->places.mappings, mapping);
	return pprof_finish_message(p, &m, err);
}

static bool take_function(struct pprof *p, struct bytes message, struct error *err)
{
	struct protobuf m = protobuf_open(message, &function_shape);
	struct pprof_function function = {.message = message};

	for (struct protobuf_field f; protobuf_next(&m, &f);)
		if (f.number == PPROF_FUNCTION_ID)
			function.id = f.value;
	vector_push(&p->places.functions, function);
	return pprof_finish_message(p, &m, err);
}

static bool take_location(struct pprof *p, struct bytes message, struct error *err)
{
	struct protobuf m = protobuf_open(message, &pprof_location_shape);
	struct pprof_place place = {.message = message};

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		struct protobuf line = protobuf_open(f.bytes, &pprof_line_shape);

		if (f.number == PPROF_LOCATION_ID)
			place.id = f.value;
		if (f.number != PPROF_LOCATION_LINE)
			continue;
		for (struct protobuf_field ignored; protobuf_next(&line, &ignored);)
			;
		if (!pprof_finish_message(p, &line, err))
			return false;
	}
	vector_push(&p->locations, place);
	return pprof_finish_message(p, &m, err);
}

static bool take_comments(struct pprof *p, const struct protobuf_field *f, struct error *err)
{
	uint64_t index;
	bool bad = false;

	for (size_t at = 0; protobuf_number(f, &at, &index, &bad);)
		vector_push(&p->comments, index);
	return !bad || pprof_fail_at(p, f->at, "comments as integers", err);
}

static bool take_field(struct pprof *p, struct protobuf_field f, struct error *err)
{
	switch (f.number) {
	case PPROF_SAMPLE_TYPE:
		return take_sample_type(p, &f, err);
	case PPROF_MAPPING:
		return take_mapping(p, f.bytes, err);
	case PPROF_LOCATION:
		return take_location(p, f.bytes, err);
	case PPROF_FUNCTION:
		return take_function(p, f.bytes, err);
	case PPROF_STRING:
		vector_push(&p->strings, (struct pprof_string){.text = f.bytes});
		return true;
	case PPROF_DROP_FRAMES:
		p->drop_frames = f.value;
		return true;
	case PPROF_KEEP_FRAMES:
		p->keep_frames = f.value;
		return true;
	case PPROF_TIME_NANOS:
		p->time = f.value;
		return true;
	case PPROF_DURATION_NANOS:
		p->duration = f.value;
		return true;
	case PPROF_PERIOD_TYPE:
		return take_type(p, f.bytes, &p->period_type, err);
	case PPROF_PERIOD:
		p->period = f.value;
		return true;
	case PPROF_COMMENT:
		return take_comments(p, &f, err);
	case PPROF_DEFAULT_SAMPLE_TYPE:
		p->default_type = f.value;
		return true;
	case PPROF_DOC_URL:
		p->doc_url = f.value;
		return true;
	case PPROF_META:
		if (!p->meta && f.wire == PROTOBUF_BYTES)
			p->meta = f.at;
		return true;
	default:
		return true;
	}
}

/* ---- Tables, now that the strings are known ---- */

static void parse_mapping(struct pprof *p, struct pprof_mapping *mapping)
{
	struct protobuf m = protobuf_open(mapping->message, &mapping_shape);
	int32_t pid = -1;
	string_id name = 0;

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_MAPPING_FILENAME)
			mapping->row.file = pprof_string_made(p, f.value);
		else if (f.number == PPROF_MAPPING_BUILD_ID)
			mapping->row.build_id =
				pprof_build_id(p->profile, pprof_text_at(p, f.value));
		else if (f.number == PPROF_MAPPING_KIND && f.value <= MAPPING_JIT)
			mapping->row.kind = (uint32_t)f.value;
		else if (f.number == PPROF_MAPPING_BASE)
			mapping->row.base = f.value;
		else if (f.number == PPROF_MAPPING_PID && f.value <= INT32_MAX)
			pid = (int32_t)f.value - 1;
		else if (f.number == PPROF_MAPPING_PROCESS && f.wire == PROTOBUF_VARINT)
			name = pprof_string_made(p, f.value);
	}
	if (pid >= 0 || name)
		mapping->row.process = profile_process(p->profile, pid, name);
}

static void parse_function(struct pprof *p, struct pprof_function *function)
{
	struct protobuf m = protobuf_open(function->message, &function_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_FUNCTION_NAME)
			function->name = pprof_text_at(p, f.value);
		else if (f.number == PPROF_FUNCTION_SYSTEM_NAME)
			function->system_name = pprof_text_at(p, f.value);
		else if (f.number == PPROF_FUNCTION_FILENAME)
			function->file = pprof_text_at(p, f.value);
	}
}

static void compile_drop_frames(struct pprof *p)
{
	struct bytes drop = pprof_text_at(p, p->drop_frames),
		     keep = pprof_text_at(p, p->keep_frames);
	struct error why = {0};

	if (!drop.len)
		return;
	if (pprof_drop_init(&p->drop, drop, keep, &why))
		p->places.drop = &p->drop;
	else
		profile_note(p->profile, "ignoring drop_frames of the file: %s", why.text);
}

static void parse_tables(struct pprof *p)
{
	for (size_t i = 1; i < p->places.mappings.len; i++)
		parse_mapping(p, &p->places.mappings.items[i]);
	for (size_t i = 1; i < p->places.functions.len; i++)
		parse_function(p, &p->places.functions.items[i]);
	ids_init(&p->location_rows, PPROF_ID_ROWS(&p->locations));
	ids_init(&p->mapping_rows, PPROF_ID_ROWS(&p->places.mappings));
	ids_init(&p->function_rows, PPROF_ID_ROWS(&p->places.functions));
	compile_drop_frames(p);
}

/* ---- All of it ---- */

bool pprof_take_tables(struct pprof *p, struct bytes content, struct error *err)
{
	struct protobuf m = protobuf_open(content, &pprof_profile_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_SAMPLE)
			p->listed += 1 + protobuf_skip(&m, PPROF_SAMPLE);
		else if (!take_field(p, f, err))
			return false;
	}
	if (!pprof_finish_message(p, &m, err))
		return false;
	if (!p->types.len)
		return error_set(err, ERR_FORMAT,
			"byte %zu: unexpected end: expected a sample type", content.len);
	parse_tables(p);
	return true;
}

void pprof_file_init(struct pprof *p, const struct read_options *options, struct profile *profile)
{
	*p = (struct pprof){.profile = profile, .want = options->want};
	pprof_places_init(&p->places, profile);
	p->tags = (struct pprof_tags){.profile = profile, .want = options->want};
	vector_push(&p->locations, (struct pprof_place){0});
}

void pprof_file_release(struct pprof *p)
{
	vector_release(&p->strings);
	vector_release(&p->types);
	vector_release(&p->comments);
	vector_release(&p->locations);
	vector_release(&p->rows);
	vector_release(&p->values);
	vector_release(&p->place_of_id);
	packed_path_release(&p->path);
	ids_release(&p->location_rows);
	ids_release(&p->mapping_rows);
	ids_release(&p->function_rows);
	pprof_places_release(&p->places);
	pprof_tags_release(&p->tags);
	pprof_drop_release(&p->drop);
	seen_release(&p->stacks_seen);
	seen_release(&p->labels_seen);
}

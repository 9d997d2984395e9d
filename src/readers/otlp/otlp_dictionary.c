/* otlp_dictionary.c: resolves the indices of an OTLP profile. */
#include "readers/otlp/otlp_dictionary.h"

#include <stdlib.h>

/* ---- Fields ---- */

enum {
	DICTIONARY_MAPPING = 1,
	DICTIONARY_LOCATION,
	DICTIONARY_FUNCTION,
	DICTIONARY_LINK,
	DICTIONARY_STRING,
	DICTIONARY_ATTRIBUTE,
	DICTIONARY_STACK
};
enum { MAPPING_START = 1, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILENAME, MAPPING_ATTRIBUTES };
enum { LOCATION_MAPPING = 1, LOCATION_ADDRESS, LOCATION_LINE, LOCATION_ATTRIBUTES };
enum { LINE_FUNCTION = 1, LINE_LINE, LINE_COLUMN };
enum { FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME, FUNCTION_FILENAME, FUNCTION_START_LINE };
enum { LINK_TRACE = 1, LINK_SPAN };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE, ATTRIBUTE_UNIT };
enum { PAIR_KEY = 1, PAIR_VALUE, PAIR_KEY_INDEX };
enum {
	VALUE_TEXT = 1,
	VALUE_BOOL,
	VALUE_INT,
	VALUE_DOUBLE,
	VALUE_ARRAY,
	VALUE_LIST,
	VALUE_BYTES,
	VALUE_TEXT_INDEX
};

static const struct protobuf_schema value_shape = {
	9, {[VALUE_TEXT] = {PROTOBUF_TEXT, 0},
		   [VALUE_BOOL] = {PROTOBUF_NUMBER, 0},
		   [VALUE_INT] = {PROTOBUF_NUMBER, 0},
		   [VALUE_DOUBLE] = {PROTOBUF_FIXED, 0},
		   [VALUE_ARRAY] = {PROTOBUF_TEXT, 0},
		   [VALUE_LIST] = {PROTOBUF_TEXT, 0},
		   [VALUE_BYTES] = {PROTOBUF_TEXT, 0},
		   [VALUE_TEXT_INDEX] = {PROTOBUF_NUMBER, 0}}};
const struct protobuf_schema otlp_key_value_shape = {
	4, {[PAIR_KEY] = {PROTOBUF_TEXT, 0},
		   [PAIR_VALUE] = {PROTOBUF_TEXT, &value_shape},
		   [PAIR_KEY_INDEX] = {PROTOBUF_NUMBER, 0}}};
static const struct protobuf_schema mapping_shape = {
	6, {[MAPPING_START] = {PROTOBUF_NUMBER, 0},
		   [MAPPING_LIMIT] = {PROTOBUF_NUMBER, 0},
		   [MAPPING_OFFSET] = {PROTOBUF_NUMBER, 0},
		   [MAPPING_FILENAME] = {PROTOBUF_NUMBER, 0},
		   [MAPPING_ATTRIBUTES] = {PROTOBUF_NUMBERS, 0}}};
static const struct protobuf_schema line_shape = {4, {[LINE_FUNCTION] = {PROTOBUF_NUMBER, 0},
							     [LINE_LINE] = {PROTOBUF_NUMBER, 0},
							     [LINE_COLUMN] = {PROTOBUF_NUMBER, 0}}};
static const struct protobuf_schema location_shape = {
	5, {[LOCATION_MAPPING] = {PROTOBUF_NUMBER, 0},
		   [LOCATION_ADDRESS] = {PROTOBUF_NUMBER, 0},
		   [LOCATION_LINE] = {PROTOBUF_TEXT, &line_shape},
		   [LOCATION_ATTRIBUTES] = {PROTOBUF_NUMBERS, 0}}};
static const struct protobuf_schema function_shape = {
	5, {[FUNCTION_NAME] = {PROTOBUF_NUMBER, 0},
		   [FUNCTION_SYSTEM_NAME] = {PROTOBUF_NUMBER, 0},
		   [FUNCTION_FILENAME] = {PROTOBUF_NUMBER, 0},
		   [FUNCTION_START_LINE] = {PROTOBUF_NUMBER, 0}}};
static const struct protobuf_schema link_shape = {
	3, {[LINK_TRACE] = {PROTOBUF_TEXT, 0}, [LINK_SPAN] = {PROTOBUF_TEXT, 0}}};
static const struct protobuf_schema attribute_shape = {
	4, {[ATTRIBUTE_KEY] = {PROTOBUF_NUMBER, 0},
		   [ATTRIBUTE_VALUE] = {PROTOBUF_TEXT, &value_shape},
		   [ATTRIBUTE_UNIT] = {PROTOBUF_NUMBER, 0}}};
const struct protobuf_schema otlp_dictionary_shape = {
	8, {[DICTIONARY_MAPPING] = {PROTOBUF_TEXT, &mapping_shape},
		   [DICTIONARY_LOCATION] = {PROTOBUF_TEXT, &location_shape},
		   [DICTIONARY_FUNCTION] = {PROTOBUF_TEXT, &function_shape},
		   [DICTIONARY_LINK] = {PROTOBUF_TEXT, &link_shape},
		   [DICTIONARY_STRING] = {PROTOBUF_TEXT, 0},
		   [DICTIONARY_ATTRIBUTE] = {PROTOBUF_TEXT, &attribute_shape},
		   [DICTIONARY_STACK] = {PROTOBUF_TEXT, &otlp_stack_shape}}};

/* ---- Tables ---- */

void otlp_dictionary_init(struct otlp_dictionary *d, struct profile *profile, struct paths *paths,
	struct bytes content)
{
	*d = (struct otlp_dictionary){.profile = profile,
		.paths = paths,
		.start = content.at,
		.end = content.at + content.len};
	pprof_places_init(&d->places, profile);
	/* Those have their row 0 already; the file's own is to take its place. */
	d->places.mappings.len = d->places.functions.len = 0;
}

void otlp_dictionary_release(struct otlp_dictionary *d)
{
	vector_release(&d->strings);
	vector_release(&d->locations);
	vector_release(&d->stacks);
	vector_release(&d->attributes);
	vector_release(&d->links);
	pprof_places_release(&d->places);
	vector_release(&d->attribute_rows);
	vector_release(&d->location_rows);
	vector_release(&d->place_of);
	vector_release(&d->stack_states);
	vector_release(&d->stacks_made);
	vector_release(&d->stacks_walked);
	packed_path_release(&d->path);
	vector_release(&d->rows);
	buffer_release(&d->text);
}

bool otlp_finish_message(
	const struct otlp_dictionary *d, const struct protobuf *m, struct error *err)
{
	return !m->failed || error_set(err, ERR_FORMAT, "byte %llu: expected %s",
				     (unsigned long long)(m->failed - d->start), m->expected);
}

static void take_row(struct otlp_dictionary *d, const struct protobuf_field *f)
{
	switch (f->number) {
	case DICTIONARY_MAPPING:
		vector_push(&d->places.mappings, ((struct pprof_mapping){.message = f->bytes,
							 .row.kind = PPROF_KIND_UNKNOWN}));
		break;
	case DICTIONARY_FUNCTION:
		vector_push(&d->places.functions, (struct pprof_function){.message = f->bytes});
		break;
	case DICTIONARY_LOCATION:
		vector_push(&d->locations, f->bytes);
		break;
	case DICTIONARY_LINK:
		vector_push(&d->links, f->bytes);
		break;
	case DICTIONARY_STRING:
		vector_push(&d->strings, f->bytes);
		break;
	case DICTIONARY_ATTRIBUTE:
		vector_push(&d->attributes, f->bytes);
		vector_push(&d->attribute_rows, (struct otlp_attribute_row){0});
		break;
	case DICTIONARY_STACK:
		vector_push(&d->stacks, f->bytes);
		vector_push(&d->stack_states, STACK_NEW);
		vector_push(&d->stacks_made, 0);
		break;
	default:
		break;
	}
}

bool otlp_dictionary_take(struct otlp_dictionary *d, struct bytes message, struct error *err)
{
	struct protobuf m = protobuf_open(message, &otlp_dictionary_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);)
		take_row(d, &f);
	return otlp_finish_message(d, &m, err);
}

struct bytes otlp_text(struct otlp_dictionary *d, uint64_t index)
{
	if (index < d->strings.len)
		return d->strings.items[index];
	d->bad_references += index > 0;
	return (struct bytes){0};
}

/* ---- Attributes ---- */

static void set_text(struct otlp_dictionary *d, struct otlp_attribute *a, struct bytes text)
{
	a->is_number = false;
	a->text = profile_string(d->profile, text);
}

static void set_hex(struct otlp_dictionary *d, struct otlp_attribute *a, struct bytes bytes)
{
	d->text.len = 0;
	for (size_t i = 0; i < bytes.len && i < 64; i++)
		buffer_printf(&d->text, "%02x", (unsigned char)bytes.at[i]);
	set_text(d, a, buffer_bytes(&d->text));
}

static void set_double(struct otlp_dictionary *d, struct otlp_attribute *a, uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	d->text.len = 0;
	buffer_printf(&d->text, "%.15g", value);
	set_text(d, a, buffer_bytes(&d->text));
}

/* A list of values becomes the text "(a list)". */
static void set_value(struct otlp_dictionary *d, struct otlp_attribute *a, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &value_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == VALUE_TEXT) {
			set_text(d, a, f.bytes);
		} else if (f.number == VALUE_BOOL) {
			set_text(d, a, f.value ? BYTES("true") : BYTES("false"));
		} else if (f.number == VALUE_INT) {
			a->is_number = true;
			a->number = (int64_t)f.value;
		} else if (f.number == VALUE_DOUBLE) {
			set_double(d, a, f.value);
		} else if (f.number == VALUE_ARRAY || f.number == VALUE_LIST) {
			set_text(d, a, BYTES("(a list)"));
		} else if (f.number == VALUE_BYTES) {
			set_hex(d, a, f.bytes);
		} else if (f.number == VALUE_TEXT_INDEX) {
			set_text(d, a, otlp_text(d, f.value));
		}
	}
}

static void set_key(struct otlp_dictionary *d, struct otlp_attribute *a, struct bytes key)
{
	a->role = pprof_tag_role(key);
	a->key = profile_string(d->profile, key);
}

static struct otlp_attribute make_attribute(struct otlp_dictionary *d, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &attribute_shape);
	struct otlp_attribute a = {0};

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == ATTRIBUTE_KEY)
			set_key(d, &a, otlp_text(d, f.value));
		else if (f.number == ATTRIBUTE_VALUE)
			set_value(d, &a, f.bytes);
		else if (f.number == ATTRIBUTE_UNIT)
			a.unit = otlp_text(d, f.value);
	}
	return a;
}

const struct otlp_attribute *otlp_attribute_at(struct otlp_dictionary *d, uint64_t index)
{
	struct otlp_attribute_row *row;

	if (!index || index >= d->attributes.len) {
		d->bad_references += index > 0;
		return NULL;
	}
	row = &d->attribute_rows.items[index];
	if (!row->known) {
		row->attribute = make_attribute(d, d->attributes.items[index]);
		row->known = true;
	}
	return row->attribute.key ? &row->attribute : NULL;
}

struct otlp_attribute otlp_key_value(struct otlp_dictionary *d, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &otlp_key_value_shape);
	struct otlp_attribute a = {0};

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PAIR_KEY)
			set_key(d, &a, f.bytes);
		else if (f.number == PAIR_VALUE)
			set_value(d, &a, f.bytes);
		else if (f.number == PAIR_KEY_INDEX)
			set_key(d, &a, otlp_text(d, f.value));
	}
	return a;
}

void otlp_link_labels(struct otlp_dictionary *d, uint64_t index, struct pprof_tags *tags)
{
	struct otlp_attribute ids[3] = {{0}};
	struct protobuf m;

	if (!index || index >= d->links.len) {
		d->bad_references += index > 0;
		return;
	}
	set_key(d, &ids[LINK_TRACE], BYTES("trace_id"));
	set_key(d, &ids[LINK_SPAN], BYTES("span_id"));
	m = protobuf_open(d->links.items[index], &link_shape);
	for (struct protobuf_field f; protobuf_next(&m, &f);)
		if (f.number == LINK_TRACE || f.number == LINK_SPAN)
			set_hex(d, &ids[f.number], f.bytes);
	for (size_t i = LINK_TRACE; i <= LINK_SPAN; i++)
		if (ids[i].text)
			pprof_tags_add_text(tags, TAG_LABEL, ids[i].key, ids[i].text);
}

/* ---- Mappings and functions ---- */

static void take_build_id(struct otlp_dictionary *d, struct mapping *row, uint64_t index)
{
	const struct otlp_attribute *a = otlp_attribute_at(d, index);
	struct bytes key;
	char *copy;

	if (!a || a->is_number)
		return;
	key = profile_text(d->profile, a->key);
	if (!bytes_equal(key, BYTES("process.executable.build_id.gnu")) &&
		(row->build_id || !bytes_starts_with(key, BYTES("process.executable.build_id."))))
		return;
	key = profile_text(d->profile, a->text);
	copy = memory_copy_text(key.at, key.len);
	row->build_id = pprof_build_id(d->profile, (struct bytes){copy, key.len});
	memory_free(copy);
}

static bool resolve_mapping(
	struct otlp_dictionary *d, struct pprof_mapping *mapping, struct error *err)
{
	struct protobuf m = protobuf_open(mapping->message, &mapping_shape);
	uint64_t index;
	bool bad;

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == MAPPING_START)
			mapping->start = f.value;
		else if (f.number == MAPPING_OFFSET)
			mapping->offset = f.value;
		else if (f.number == MAPPING_FILENAME)
			mapping->row.file = profile_string(d->profile, otlp_text(d, f.value));
		for (size_t at = 0;
			f.number == MAPPING_ATTRIBUTES && protobuf_number(&f, &at, &index, &bad);)
			take_build_id(d, &mapping->row, index);
	}
	return otlp_finish_message(d, &m, err);
}

static bool resolve_function(
	struct otlp_dictionary *d, struct pprof_function *function, struct error *err)
{
	struct protobuf m = protobuf_open(function->message, &function_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == FUNCTION_NAME)
			function->name = otlp_text(d, f.value);
		else if (f.number == FUNCTION_SYSTEM_NAME)
			function->system_name = otlp_text(d, f.value);
		else if (f.number == FUNCTION_FILENAME)
			function->file = otlp_text(d, f.value);
	}
	return otlp_finish_message(d, &m, err);
}

/* ---- Locations ---- */

/* What the attribute "profile.frame.type" says, when it is more than the mapping tells. */
static uint32_t kind_of_type(struct bytes type)
{
	static const char *const interpreted[] = {"cpython", "php", "ruby", "perl", "beam", "lua"};
	static const char *const made[] = {"jvm", "v8js", "dotnet", "phpjit", "luajit"};

	if (bytes_equal(type, BYTES("kernel")))
		return FRAME_KERNEL;
	for (size_t i = 0; i < sizeof(interpreted) / sizeof(*interpreted); i++)
		if (bytes_equal(type, bytes_of(interpreted[i])))
			return FRAME_INTERPRETED;
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		if (bytes_equal(type, bytes_of(made[i])))
			return FRAME_JIT;
	return PPROF_KIND_UNKNOWN;
}

static uint32_t frame_kind(struct otlp_dictionary *d, uint64_t index)
{
	const struct otlp_attribute *a = otlp_attribute_at(d, index);

	if (!a || a->is_number ||
		!bytes_equal(profile_text(d->profile, a->key), BYTES("profile.frame.type")))
		return PPROF_KIND_UNKNOWN;
	return kind_of_type(profile_text(d->profile, a->text));
}

static void take_line(struct otlp_dictionary *d, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &line_shape);
	struct pprof_line line = {.kind = PPROF_KIND_UNKNOWN};

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == LINE_FUNCTION && f.value < d->places.functions.len)
			line.function = (uint32_t)f.value;
		else if (f.number == LINE_FUNCTION)
			d->bad_references++;
		else if (f.number == LINE_LINE)
			line.line = f.value <= UINT32_MAX ? (uint32_t)f.value : 0;
	}
	vector_push(&d->places.lines, line);
}

static struct span make_location(struct otlp_dictionary *d, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &location_shape);
	uint64_t mapping = 0, address = 0, index;
	uint32_t kind = PPROF_KIND_UNKNOWN;
	enum pprof_cut cut;
	bool bad;

	d->places.lines.len = 0;
	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == LOCATION_MAPPING)
			mapping = f.value;
		else if (f.number == LOCATION_ADDRESS)
			address = f.value;
		else if (f.number == LOCATION_LINE)
			take_line(d, f.bytes);
		for (size_t at = 0; f.number == LOCATION_ATTRIBUTES && kind == PPROF_KIND_UNKNOWN &&
				    protobuf_number(&f, &at, &index, &bad);)
			kind = frame_kind(d, index);
	}
	if (d->places.lines.len) /* the last is the function, the others were inlined */
		d->places.lines.items[d->places.lines.len - 1].kind = kind;
	if (mapping >= d->places.mappings.len) {
		d->bad_references++;
		mapping = 0;
	}
	return pprof_places_make(&d->places, (uint32_t)mapping, address, &cut);
}

static void make_locations(struct otlp_dictionary *d)
{
	for (size_t i = 0; i < d->locations.len; i++) {
		struct span made = make_location(d, d->locations.items[i]);

		vector_push(&d->location_rows, made);
		vector_push(&d->place_of, made.count == 1 ? d->places.made.items[made.first] : 0);
	}
}

/* ---- When all is there ---- */

bool otlp_dictionary_resolve(struct otlp_dictionary *d, struct error *err)
{
	if (!d->places.mappings.len)
		vector_push(&d->places.mappings,
			((struct pprof_mapping){.row.kind = PPROF_KIND_UNKNOWN}));
	if (!d->places.functions.len)
		vector_push(&d->places.functions, (struct pprof_function){0});
	for (size_t i = 1; i < d->places.mappings.len; i++)
		if (!resolve_mapping(d, &d->places.mappings.items[i], err))
			return false;
	for (size_t i = 1; i < d->places.functions.len; i++)
		if (!resolve_function(d, &d->places.functions.items[i], err))
			return false;
	make_locations(d);
	return true;
}

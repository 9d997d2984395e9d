/* jfr_types.c: which types of events and constants does a chunk describe? */
#include "readers/java/jfr_types.h"

#define DEPTH_LIMIT 16u /* elements, one inside the other; the JVM has 5 */

enum element { OTHER, CLASS, FIELD, ANNOTATION };

/* An element whose children are being read. */
struct open_element {
	enum element kind;
	uint64_t children; /* that are left */
};

struct metadata {
	struct jfr_types *types;
	struct cursor cursor;
	bool compressed;
	VECTOR(struct bytes) strings;
	struct open_element open[DEPTH_LIMIT];
	unsigned depth;
};

static uint64_t take_int(struct metadata *m)
{
	return jfr_number(&m->cursor, 4, m->compressed);
}

static struct bytes take_string(struct metadata *m)
{
	uint64_t index = take_int(m);

	if (index >= m->strings.len) {
		m->cursor.bad = true;
		return (struct bytes){0};
	}
	return m->strings.items[index];
}

/* A string has at least one byte. */
static void take_strings(struct metadata *m)
{
	uint64_t count = take_int(m);
	struct buffer text = {0};

	for (uint64_t i = 0; i < count && !m->cursor.bad; i++) {
		struct jfr_text string = jfr_text_take(&m->cursor, m->compressed);

		text.len = 0;
		jfr_text_add(&string, m->compressed, &text);
		vector_push(&m->strings, ((struct bytes){arena_copy(&m->types->names,
								 text.at ? text.at : "", text.len),
						 text.len}));
	}
	buffer_release(&text);
}

/* ---- Elements ---- */

static enum element kind_of(struct bytes name, enum element parent)
{
	if (bytes_equal(name, BYTES("class")))
		return CLASS;
	if (bytes_equal(name, BYTES("field")) && parent == CLASS)
		return FIELD;
	return bytes_equal(name, BYTES("annotation")) && parent == FIELD ? ANNOTATION : OTHER;
}

static enum jfr_unit unit_of(struct bytes value)
{
	static const struct {
		const char *name;
		enum jfr_unit unit;
	} units[] = {{"TICKS", JFR_TICKS}, {"NANOSECONDS", JFR_NS}, {"MICROSECONDS", JFR_US},
		{"MILLISECONDS", JFR_MS}, {"SECONDS", JFR_S}};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (bytes_equal(value, bytes_of(units[i].name)))
			return units[i].unit;
	return JFR_NO_UNIT;
}

static uint64_t number_of(struct metadata *m, struct bytes value)
{
	uint64_t number = 0;

	if (!bytes_u64(value, &number))
		m->cursor.bad = true;
	return number;
}

static void set_class(struct metadata *m, struct bytes key, struct bytes value)
{
	struct jfr_class *class = &m->types->classes.items[m->types->classes.len - 1];

	if (bytes_equal(key, BYTES("id")))
		class->id = number_of(m, value);
	else if (bytes_equal(key, BYTES("name")))
		class->name = value;
	else if (bytes_equal(key, BYTES("superType")))
		class->is_event = bytes_equal(value, BYTES("jdk.jfr.Event"));
}

static void set_field(struct metadata *m, struct bytes key, struct bytes value)
{
	struct jfr_field *field = &m->types->fields.items[m->types->fields.len - 1];

	if (bytes_equal(key, BYTES("name")))
		field->name = value;
	else if (bytes_equal(key, BYTES("class")))
		field->class_id = number_of(m, value);
	else if (bytes_equal(key, BYTES("constantPool")))
		field->is_constant = bytes_equal(value, BYTES("true"));
	else if (bytes_equal(key, BYTES("dimension")))
		field->is_array = number_of(m, value) > 0;
}

/* Of all annotations of a field, only those about units have such values. */
static void set_unit(struct metadata *m, struct bytes value)
{
	enum jfr_unit unit = unit_of(value);

	if (unit)
		m->types->fields.items[m->types->fields.len - 1].unit = unit;
}

static void begin_element(struct metadata *m, enum element kind)
{
	struct jfr_types *t = m->types;

	if (kind == CLASS) {
		vector_push(
			&t->classes, ((struct jfr_class){.first_field = (uint32_t)t->fields.len}));
	} else if (kind == FIELD) {
		vector_push(&t->fields, (struct jfr_field){0});
		t->classes.items[t->classes.len - 1].fields++;
	}
}

static void take_attributes(struct metadata *m, enum element kind)
{
	uint64_t count = take_int(m);

	for (uint64_t i = 0; i < count && !m->cursor.bad; i++) {
		struct bytes key = take_string(m), value = take_string(m);

		if (m->cursor.bad)
			break;
		if (kind == CLASS)
			set_class(m, key, value);
		else if (kind == FIELD)
			set_field(m, key, value);
		else if (kind == ANNOTATION)
			set_unit(m, value);
	}
}

/* Fields of a class in a class would not lie one behind the other. */
static bool has_open(const struct metadata *m, enum element kind)
{
	for (unsigned i = 0; i < m->depth; i++)
		if (m->open[i].kind == kind)
			return true;
	return false;
}

static void take_element(struct metadata *m)
{
	enum element parent = m->depth ? m->open[m->depth - 1].kind : OTHER;
	enum element kind = kind_of(take_string(m), parent);
	uint64_t children;

	if (m->cursor.bad || m->depth == DEPTH_LIMIT || (kind == CLASS && has_open(m, CLASS))) {
		m->cursor.bad = true;
		return;
	}
	begin_element(m, kind);
	take_attributes(m, kind);
	children = take_int(m);
	m->open[m->depth++] = (struct open_element){kind, children};
	while (m->depth && !m->open[m->depth - 1].children)
		m->depth--;
	if (m->depth)
		m->open[m->depth - 1].children--;
}

static void take_tree(struct metadata *m)
{
	do
		take_element(m);
	while (m->depth && !m->cursor.bad);
}

/* ---- The event ---- */

static void index_classes(struct jfr_types *t)
{
	for (size_t i = 0; i < t->classes.len; i++)
		if (!jfr_class_by_id(t, t->classes.items[i].id))
			id_map_insert(
				&t->by_id, hash_pair(t->classes.items[i].id, 0), (uint32_t)i + 1);
}

static bool take_event(struct metadata *m, const struct jfr_chunk *chunk, uint64_t at)
{
	struct jfr_event event;

	if (!jfr_event_next(chunk, &at, &event))
		return false;
	m->compressed = chunk->compressed;
	m->cursor = event.content;
	for (unsigned i = 0; i < 3; i++) /* start, duration and id */
		jfr_number(&m->cursor, 8, m->compressed);
	take_strings(m);
	if (!m->cursor.bad)
		take_tree(m);
	return !m->cursor.bad && m->types->classes.len < UINT32_MAX;
}

bool jfr_types_take(struct jfr_types *t, const struct jfr_chunk *chunk, uint64_t at)
{
	struct metadata m = {.types = t};
	bool done = take_event(&m, chunk, at);

	vector_release(&m.strings);
	if (done)
		index_classes(t);
	else
		jfr_types_release(t);
	return done;
}

void jfr_types_release(struct jfr_types *t)
{
	vector_release(&t->classes);
	vector_release(&t->fields);
	id_map_release(&t->by_id);
	arena_release(&t->names);
	*t = (struct jfr_types){0};
}

const struct jfr_class *jfr_class_by_id(const struct jfr_types *t, uint64_t id)
{
	uint64_t hash = hash_pair(id, 0);
	uint32_t row;
	size_t at;

	if (!t->by_id.slots)
		return NULL;
	at = id_map_start(&t->by_id, hash);
	while ((row = id_map_candidate(&t->by_id, hash, &at)))
		if (t->classes.items[row - 1].id == id)
			return &t->classes.items[row - 1];
	return NULL;
}

const struct jfr_class *jfr_class_by_name(const struct jfr_types *t, struct bytes name)
{
	for (size_t i = 0; i < t->classes.len; i++)
		if (bytes_equal(t->classes.items[i].name, name))
			return &t->classes.items[i];
	return NULL;
}

const struct jfr_field *jfr_field_by_name(
	const struct jfr_types *t, const struct jfr_class *class, struct bytes name)
{
	for (uint32_t i = 0; i < class->fields; i++) {
		const struct jfr_field *field = &t->fields.items[class->first_field + i];

		if (bytes_equal(field->name, name))
			return field;
	}
	return NULL;
}

/* jfr_layout.c: compiles classes of Flight Recorder to steps, and follows them. */
#include "readers/java/jfr_layout.h"

enum step_kind {
	SKIP_NUMBERS, /* `count` compressed integers */
	SKIP_BYTES,   /* `count` bytes */
	TAKE_NUMBER,
	TAKE_KEY, /* of a constant */
	TEXT,
	LIST, /* a number of items; each is the next `count` steps */
};

void jfr_layouts_release(struct jfr_layouts *l)
{
	vector_release(&l->steps);
}

/* ---- Compiling ---- */

/* A class whose fields are being compiled. */
struct level {
	const struct jfr_class *class;
	uint32_t next; /* of its fields */
	uint32_t list; /* the step of the list whose items these are, plus one; 0: no list */
};

struct compiler {
	struct jfr_layouts *layouts;
	const struct jfr_wanted *wanted;
	struct level levels[JFR_NESTED_LIMIT];
	uint32_t depth;
	uint32_t merge_from; /* steps before this one are not merged with */
};

struct primitive {
	const char *name;
	uint8_t size;
	bool is_integer;
};

static const struct primitive *primitive_of(struct bytes name)
{
	static const struct primitive primitives[] = {{"boolean", 1, true}, {"byte", 1, true},
		{"char", 2, true}, {"short", 2, true}, {"int", 4, true}, {"long", 8, true},
		{"float", 4, false}, {"double", 8, false}};

	for (size_t i = 0; i < sizeof(primitives) / sizeof(*primitives); i++)
		if (bytes_equal(name, bytes_of(primitives[i].name)))
			return &primitives[i];
	return NULL;
}

static bool is_string(struct bytes name)
{
	return bytes_equal(name, BYTES("java.lang.String"));
}

static void add_step(struct compiler *c, struct jfr_step step)
{
	struct jfr_layouts *l = c->layouts;
	struct jfr_step *last =
		l->steps.len > c->merge_from ? &l->steps.items[l->steps.len - 1] : NULL;

	if (last && step.kind <= SKIP_BYTES && last->kind == step.kind)
		last->count += step.count;
	else
		vector_push(&l->steps, step);
}

static void add_skipped(struct compiler *c, unsigned size, bool is_integer)
{
	bool is_leb = is_integer && size > 1 && c->layouts->compressed;

	add_step(c, (struct jfr_step){is_leb ? SKIP_NUMBERS : SKIP_BYTES, 0, JFR_NO_SLOT, 0,
			    is_leb ? 1 : size});
}

static bool matches(
	const struct jfr_wanted *w, const struct jfr_field *field, const struct jfr_class *class)
{
	bool text = is_string(class->name);

	if (!bytes_equal(field->name, bytes_of(w->field)) ||
		field->is_array != (w->slot == JFR_LIST))
		return false;
	if (w->class)
		return bytes_equal(class->name, bytes_of(w->class)) &&
		       field->is_constant == !field->is_array;
	if (w->text)
		return text;
	if (field->is_constant || text)
		return false;
	return primitive_of(class->name) && primitive_of(class->name)->is_integer;
}

/* Only fields of the class itself are wanted, not those of classes in it. */
static enum jfr_slot slot_of(
	const struct compiler *c, const struct jfr_field *field, const struct jfr_class *class)
{
	for (const struct jfr_wanted *w = c->wanted; w && w->field && c->depth == 1; w++)
		if (matches(w, field, class))
			return w->slot;
	return JFR_NO_SLOT;
}

static bool open_level(struct compiler *c, const struct jfr_class *class, uint32_t list)
{
	if (c->depth == JFR_NESTED_LIMIT)
		return false;
	c->levels[c->depth++] = (struct level){.class = class, .list = list};
	return true;
}

/* The steps of a list's items are complete. There may be none, if they have no bytes. */
static void end_list(struct compiler *c, uint32_t list)
{
	struct jfr_layouts *l = c->layouts;

	l->steps.items[list - 1].count = (uint32_t)l->steps.len - list;
	c->merge_from = (uint32_t)l->steps.len;
}

static void close_level(struct compiler *c)
{
	uint32_t list = c->levels[--c->depth].list;

	if (list)
		end_list(c, list);
}

static const struct primitive key = {"key", 8, true};

/* A field, or the items of a list, that no class has to be looked into for. */
static void add_plain(struct compiler *c, const struct jfr_field *field,
	const struct primitive *primitive, enum jfr_slot slot)
{
	if (!primitive)
		add_step(c, (struct jfr_step){TEXT, 0, (uint8_t)slot, 0, 0});
	else if (slot == JFR_NO_SLOT)
		add_skipped(c, primitive->size, primitive->is_integer);
	else
		add_step(c, (struct jfr_step){primitive == &key ? TAKE_KEY : TAKE_NUMBER,
				    primitive->size, (uint8_t)slot, (uint8_t)field->unit, 0});
}

static bool compile_field(struct compiler *c, const struct jfr_field *field)
{
	const struct jfr_class *class = jfr_class_by_id(c->layouts->types, field->class_id);
	const struct primitive *primitive;
	enum jfr_slot slot;
	uint32_t list = 0;

	if (!class)
		return false;
	slot = slot_of(c, field, class);
	primitive = field->is_constant ? &key : primitive_of(class->name);
	if (field->is_array) {
		add_step(c, (struct jfr_step){LIST, 4, (uint8_t)slot, 0, 0});
		list = c->merge_from = (uint32_t)c->layouts->steps.len;
		slot = JFR_NO_SLOT;
	}
	if (!primitive && !is_string(class->name))
		return open_level(c, class, list);
	add_plain(c, field, primitive, slot);
	if (list)
		end_list(c, list);
	return true;
}

static bool compile(struct compiler *c)
{
	while (c->depth) {
		struct level *level = &c->levels[c->depth - 1];
		uint32_t field = level->class->first_field + level->next;

		if (level->next == level->class->fields) {
			close_level(c);
			continue;
		}
		level->next++;
		if (c->layouts->fields++ >= JFR_FIELDS_LIMIT ||
			!compile_field(c, &c->layouts->types->fields.items[field]))
			return false;
	}
	return true;
}

static uint32_t count_needed(const struct jfr_layouts *l, uint32_t first)
{
	size_t end = first;

	for (size_t i = first; i < l->steps.len; i++)
		if (l->steps.items[i].slot != JFR_NO_SLOT)
			end = i + 1;
	return (uint32_t)end - first;
}

bool jfr_layout_compile(struct jfr_layouts *l, const struct jfr_class *class,
	const struct jfr_wanted *wanted, struct jfr_layout *ret_layout)
{
	uint32_t first = (uint32_t)l->steps.len;
	struct compiler c = {.layouts = l, .wanted = wanted, .merge_from = first};
	struct jfr_field own = {.name = BYTES(""), .class_id = class->id};

	if (primitive_of(class->name) || is_string(class->name)) { /* a pool of strings, say */
		c.depth = 1;
		if (!compile_field(&c, &own))
			return false;
	} else if (!open_level(&c, class, 0) || !compile(&c)) {
		l->steps.len = first;
		return false;
	}
	*ret_layout =
		(struct jfr_layout){first, (uint32_t)l->steps.len - first, count_needed(l, first)};
	return true;
}

/* ---- Following ---- */

/* Compressed integers; most have one byte. */
static void skip_numbers(struct cursor *c, uint64_t count)
{
	const uint64_t high = 0x8080808080808080;

	if (count > cursor_left(c)) {
		c->bad = true;
		return;
	}
	while (count && !c->bad) {
		uint64_t eight;

		if (count >= 8 && cursor_left(c) >= 8) {
			memcpy(&eight, c->at, sizeof(eight));
			if (!(eight & high)) {
				c->at += 8;
				count -= 8;
				continue;
			}
		}
		jfr_leb(c);
		count--;
	}
}

/* A list that is being followed: the steps of its items, and the items that are left. */
struct list {
	uint32_t first, end;
	uint64_t left;
};

/* The number of a list's items, of which each takes a byte at least. */
static uint64_t take_count(const struct jfr_layouts *l, struct cursor *c)
{
	uint64_t count = jfr_number(c, 4, l->compressed);

	if (count > cursor_left(c))
		c->bad = true;
	return c->bad ? 0 : count;
}

/* Are the items of a list nothing but integers? */
static bool is_numbers(const struct jfr_layouts *l, uint32_t first, uint32_t count)
{
	return count == 1 && l->steps.items[first].kind == SKIP_NUMBERS;
}

static void skip_step(const struct jfr_layouts *l, const struct jfr_step *step, struct cursor *c)
{
	if (step->kind == SKIP_NUMBERS)
		skip_numbers(c, step->count);
	else if (step->kind == SKIP_BYTES)
		cursor_take(c, step->count);
	else if (step->kind == TEXT)
		jfr_text_take(c, l->compressed);
	else
		jfr_number(c, step->size, l->compressed);
}

void jfr_layout_skip(const struct jfr_layouts *l, struct jfr_layout layout, struct cursor *c)
{
	struct list lists[JFR_NESTED_LIMIT + 1] = {{layout.first, layout.first + layout.count, 1}};
	uint32_t at = layout.first, depth = 0;

	while (!c->bad) {
		const struct jfr_step *step;
		uint64_t items;

		if (at == lists[depth].end) {
			if (--lists[depth].left)
				at = lists[depth].first;
			else if (!depth--)
				return;
			continue;
		}
		step = &l->steps.items[at++];
		if (step->kind != LIST) {
			skip_step(l, step, c);
			continue;
		}
		items = take_count(l, c);
		if (items && step->count && !is_numbers(l, at, step->count)) {
			lists[++depth] = (struct list){at, at + step->count, items};
			continue;
		}
		if (items && step->count)
			skip_numbers(c, items * l->steps.items[at].count);
		at += step->count;
	}
}

/* Integers of fewer than 8 bytes have a sign as well; flags and bytes are taken as unsigned. */
static uint64_t extended(uint64_t number, unsigned size)
{
	if (size == 4)
		return (uint64_t)(int64_t)(int32_t)number;
	return size == 2 ? (uint64_t)(int64_t)(int16_t)number : number;
}

static void read_step(const struct jfr_layouts *l, const struct jfr_step *step, struct cursor *c,
	struct jfr_value *ret_value)
{
	*ret_value = (struct jfr_value){.unit = step->unit};
	if (step->kind == TEXT) {
		ret_value->text = jfr_text_take(c, l->compressed);
		return;
	}
	if (step->kind == LIST) {
		ret_value->number = take_count(l, c);
		ret_value->items = *c;
		return;
	}
	ret_value->number = jfr_number(c, step->size, l->compressed);
	if (step->kind == TAKE_KEY)
		ret_value->text = (struct jfr_text){JFR_CONSTANT, ret_value->number, {0}};
	else
		ret_value->number = extended(ret_value->number, step->size);
}

void jfr_layout_read(const struct jfr_layouts *l, struct jfr_layout layout, struct cursor *c,
	struct jfr_values *ret_values)
{
	uint32_t at = layout.first, end = layout.first + layout.needed;

	ret_values->have = 0;
	while (at < end && !c->bad) {
		const struct jfr_step *step = &l->steps.items[at];
		uint32_t next = at + 1 + (step->kind == LIST ? step->count : 0);
		struct cursor before = *c;

		if (step->slot != JFR_NO_SLOT) {
			read_step(l, step, c, &ret_values->slots[step->slot]);
			ret_values->have |= 1u << step->slot;
		}
		if (step->kind == LIST && next < end)
			*c = before;
		if (step->slot == JFR_NO_SLOT || (step->kind == LIST && next < end))
			jfr_layout_skip(l, (struct jfr_layout){.first = at, .count = next - at}, c);
		at = next;
	}
}

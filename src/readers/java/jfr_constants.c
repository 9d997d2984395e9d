/* jfr_constants.c: what are the stacks, methods, classes and threads of a chunk in the profile? */
#include "readers/java/jfr_constants.h"

#include "readers/java/java_threads.h"

/* ---- Reading ---- */

static const struct kind {
	const char *class;
	struct jfr_wanted wanted[5];
} kinds[JFR_KINDS] = {
	[JFR_THREADS] = {"java.lang.Thread",
		{{"osName", NULL, JFR_OTHER_NAME, true}, {"javaName", NULL, JFR_NAME, true},
			{"osThreadId", NULL, JFR_VALUE, false},
			{"virtual", NULL, JFR_FLAG, false}}},
	[JFR_STACKS] = {"jdk.types.StackTrace",
		{{"truncated", NULL, JFR_FLAG, false},
			{"frames", "jdk.types.StackFrame", JFR_LIST, false}}},
	[JFR_FRAMES] = {"jdk.types.StackFrame",
		{{"method", "jdk.types.Method", JFR_NAME, false},
			{"lineNumber", NULL, JFR_VALUE, false},
			{"type", "jdk.types.FrameType", JFR_STATE, false}}},
	[JFR_METHODS] = {"jdk.types.Method",
		{{"type", "java.lang.Class", JFR_CLASS, false},
			{"name", "jdk.types.Symbol", JFR_NAME, false},
			{"descriptor", "jdk.types.Symbol", JFR_OTHER_NAME, false}}},
	[JFR_CLASSES] = {"java.lang.Class",
		{{"name", "jdk.types.Symbol", JFR_NAME, false},
			{"package", "jdk.types.Package", JFR_OTHER_NAME, false}}},
	[JFR_PACKAGES] = {"jdk.types.Package", {{"module", "jdk.types.Module", JFR_NAME, false}}},
	[JFR_MODULES] = {"jdk.types.Module", {{"name", "jdk.types.Symbol", JFR_NAME, false}}},
	[JFR_SYMBOLS] = {"jdk.types.Symbol", {{"string", NULL, JFR_NAME, true}}},
	[JFR_STRINGS] = {"java.lang.String", {{"", NULL, JFR_NAME, true}}},
	[JFR_FRAME_TYPES] = {"jdk.types.FrameType", {{"description", NULL, JFR_NAME, true}}},
	[JFR_STATES] = {"jdk.types.ThreadState", {{"name", NULL, JFR_NAME, true}}},
};

void jfr_constants_open(struct jfr_constants *k)
{
	jfr_pools_take(&k->pools, k->chunk, k->layouts);
	for (size_t i = 0; i < JFR_KINDS; i++) {
		struct bytes name = bytes_of(kinds[i].class);
		const struct jfr_class *class = jfr_class_by_name(k->layouts->types, name);

		if (!class ||
			!jfr_layout_compile(k->layouts, class, kinds[i].wanted, &k->layout[i]))
			k->layout[i] = (struct jfr_layout){0};
		else
			k->pool[i] = jfr_pool_by_name(&k->pools, name);
	}
	k->layout[JFR_FRAMES].needed = k->layout[JFR_FRAMES].count;
}

void jfr_constants_release(struct jfr_constants *k)
{
	jfr_pools_release(&k->pools);
	vector_release(&k->methods);
	vector_release(&k->frames);
	buffer_release(&k->text);
	buffer_release(&k->class_text);
}

/* False: the chunk has no such constant. */
static bool take(
	struct jfr_constants *k, enum jfr_kind kind, uint64_t key, struct jfr_values *ret_values)
{
	const struct jfr_constant *constant = jfr_constant_find(k->pool[kind], key);
	struct cursor c = cursor_of(k->chunk->events);

	if (!constant)
		return false;
	c.at += constant->at;
	jfr_layout_read(k->layouts, k->layout[kind], &c, ret_values);
	return !c.bad;
}

/* ---- Texts ---- */

/* A string may be a constant itself, which is none any more. */
static void add_text(struct jfr_constants *k, const struct jfr_text *text, struct buffer *out)
{
	struct jfr_values v;

	if (text->encoding != JFR_CONSTANT)
		jfr_text_add(text, k->chunk->compressed, out);
	else if (take(k, JFR_STRINGS, text->number, &v) && jfr_have(&v, JFR_NAME))
		jfr_text_add(&v.slots[JFR_NAME].text, k->chunk->compressed, out);
}

struct bytes jfr_constants_text(struct jfr_constants *k, const struct jfr_text *text)
{
	k->text.len = 0;
	add_text(k, text, &k->text);
	return buffer_bytes(&k->text);
}

/* The text that a constant of this kind has as its name. */
static struct bytes name_of(struct jfr_constants *k, enum jfr_kind kind, uint64_t key)
{
	struct jfr_values v;

	k->text.len = 0;
	if (take(k, kind, key, &v) && jfr_have(&v, JFR_NAME))
		add_text(k, &v.slots[JFR_NAME].text, &k->text);
	return buffer_bytes(&k->text);
}

static uint64_t key_in(const struct jfr_values *v, enum jfr_slot slot)
{
	return jfr_have(v, slot) ? v->slots[slot].number : 0;
}

/* ---- Classes ---- */

/* "java/lang/String" with dots, as sources and stack traces print it. */
static void add_dotted(struct bytes name, struct buffer *out)
{
	for (size_t i = 0; i < name.len; i++)
		buffer_char(out, name.at[i] == '/' ? '.' : name.at[i]);
}

/* A hidden class, such as that of a lambda, is "Main$$Lambda$1+0x00000008000c0000/1234", with its
 * address and a hash. Stack traces print "Main$$Lambda$1/0x00000008000c0000". */
static void add_plain_class(struct bytes name, struct buffer *out)
{
	const char *address = bytes_find(name, BYTES("+0x")), *slash = bytes_find_last(name, '/');

	if (!address || !slash || slash < address) {
		add_dotted(name, out);
		return;
	}
	add_dotted((struct bytes){name.at, (size_t)(address - name.at)}, out);
	buffer_char(out, '/');
	buffer_add(out, address + 1, (size_t)(slash - address) - 1);
}

/* The type of an array's items, from its letter. */
static const char *primitive_name(char letter)
{
	static const char letters[] = "ZBCSIJFD";
	static const char *const names[] = {
		"boolean", "byte", "char", "short", "int", "long", "float", "double"};
	const char *at = letter ? strchr(letters, letter) : NULL;

	return at ? names[at - letters] : NULL;
}

/* "[Ljava/lang/String;" is java.lang.String[], "[I" is int[]. */
static void add_class_name(struct bytes name, struct buffer *out)
{
	size_t dimensions = bytes_count_leading(name, '[');
	struct bytes item = {name.at + dimensions, name.len - dimensions};
	const char *primitive = dimensions && item.len == 1 ? primitive_name(*item.at) : NULL;

	if (primitive)
		item = bytes_of(primitive);
	else if (dimensions && item.len > 2 && *item.at == 'L' && item.at[item.len - 1] == ';')
		item = (struct bytes){item.at + 1, item.len - 2};
	add_plain_class(item, out);
	for (size_t i = 0; i < dimensions && i < UINT8_MAX; i++)
		buffer_text(out, "[]");
}

location_id jfr_class_location(struct jfr_constants *k, uint64_t key)
{
	struct jfr_constant *constant = jfr_constant_find(k->pool[JFR_CLASSES], key);
	struct jfr_values v;
	struct bytes name;

	if (!constant)
		return 0;
	if (constant->made || !take(k, JFR_CLASSES, key, &v))
		return constant->made;
	name = name_of(k, JFR_SYMBOLS, key_in(&v, JFR_NAME));
	if (!name.len)
		return 0;
	k->class_text.len = 0;
	add_class_name(name, &k->class_text);
	constant->made = profile_location_named(k->profile,
		profile_frame_named(k->profile, buffer_bytes(&k->class_text), FRAME_META));
	return constant->made;
}

/* ---- Methods ---- */

/* "java.base"; "" for classes of programs that have no modules. */
static string_id module_of(struct jfr_constants *k, uint64_t package)
{
	struct jfr_values v;

	if (!take(k, JFR_PACKAGES, package, &v) || !take(k, JFR_MODULES, key_in(&v, JFR_NAME), &v))
		return 0;
	return profile_string(k->profile, name_of(k, JFR_SYMBOLS, key_in(&v, JFR_NAME)));
}

/* Which class a line is of: "java/lang/Thread" also for what is in it, as they share a source. Its
 * file has another name if the language is not Java, and recordings do not name it. */
static struct bytes outermost_class(struct bytes path)
{
	struct bytes base = bytes_base_name(path);

	return (struct bytes){path.at, (size_t)(base.at - path.at) + bytes_until(base, '$')};
}

/* async-profiler gives functions that are not Java's this descriptor, and their library as class.
 */
static bool is_foreign(struct jfr_constants *k, const struct jfr_values *method)
{
	return bytes_equal(name_of(k, JFR_SYMBOLS, key_in(method, JFR_OTHER_NAME)), BYTES("()L;"));
}

/* Into class_text: "java.lang.Thread." or, for a foreign function, nothing. */
static void take_class(struct jfr_constants *k, const struct jfr_values *class, bool is_foreign,
	struct jfr_method *method)
{
	struct bytes name = name_of(k, JFR_SYMBOLS, key_in(class, JFR_NAME));

	if (is_foreign) {
		method->module = profile_string(k->profile, bytes_base_name(name));
		return;
	}
	if (name.len) {
		method->class_path = profile_string(k->profile, outermost_class(name));
		add_class_name(name, &k->class_text);
		buffer_char(&k->class_text, '.');
	}
	method->module = module_of(k, key_in(class, JFR_OTHER_NAME));
}

static struct jfr_method make_method(struct jfr_constants *k, const struct jfr_values *method)
{
	struct jfr_method new = {0};
	struct jfr_values class;
	struct bytes name;

	k->class_text.len = 0;
	if (take(k, JFR_CLASSES, key_in(method, JFR_CLASS), &class))
		take_class(k, &class, is_foreign(k, method), &new);
	name = name_of(k, JFR_SYMBOLS, key_in(method, JFR_NAME));
	buffer_add(&k->class_text, name.at, name.len);
	if (!k->class_text.len)
		buffer_text(&k->class_text, "[unknown]");
	new.name = profile_string(k->profile, buffer_bytes(&k->class_text));
	return new;
}

/* NULL: it is not in the chunk. */
static struct jfr_method *method_of(struct jfr_constants *k, uint64_t key)
{
	struct jfr_constant *constant = jfr_constant_find(k->pool[JFR_METHODS], key);
	struct jfr_values v;

	if (!constant)
		return NULL;
	if (!constant->made) {
		if (!take(k, JFR_METHODS, key, &v))
			return NULL;
		vector_push(&k->methods, make_method(k, &v));
		constant->made = (uint32_t)k->methods.len;
	}
	return &k->methods.items[constant->made - 1];
}

/* ---- Frames ---- */

/* The types of the JVM, and those of async-profiler. */
static enum frame_kind kind_of_type(struct bytes type)
{
	static const struct {
		const char *type;
		enum frame_kind kind;
	} types[] = {{"Interpreted", FRAME_INTERPRETED}, {"JIT compiled", FRAME_JIT},
		{"Inlined", FRAME_INLINED}, {"C1 compiled", FRAME_BASELINE},
		{"Kernel", FRAME_KERNEL}};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (bytes_equal(type, bytes_of(types[i].type)))
			return types[i].kind;
	return FRAME_NATIVE;
}

static enum frame_kind kind_of_frame(struct jfr_constants *k, uint64_t type)
{
	struct jfr_constant *constant = jfr_constant_find(k->pool[JFR_FRAME_TYPES], type);

	if (!constant)
		return FRAME_NATIVE;
	if (!constant->made)
		constant->made = kind_of_type(name_of(k, JFR_FRAME_TYPES, type)) + 1u;
	return (enum frame_kind)(constant->made - 1);
}

static location_id unknown_location(struct jfr_constants *k)
{
	return profile_location_named(
		k->profile, profile_frame_named(k->profile, BYTES("[unknown]"), FRAME_NATIVE));
}

static location_id location_of(struct jfr_constants *k, const struct jfr_values *v)
{
	enum frame_kind kind = kind_of_frame(k, key_in(v, JFR_STATE));
	struct jfr_method *method = method_of(k, key_in(v, JFR_NAME));
	int64_t line = (k->want & WANT_LINES) ? (int64_t)key_in(v, JFR_VALUE) : 0;
	struct frame frame = {.kind = kind};
	location_id location;

	if (!method)
		return unknown_location(k);
	if (line <= 0 && method->locations[kind])
		return method->locations[kind];
	frame.function = method->name;
	frame.module = method->module;
	if (kind == FRAME_KERNEL && !frame.module)
		frame.module = profile_string(k->profile, BYTES("[kernel]"));
	if (line > 0 && line < UINT32_MAX) {
		frame.line = (uint32_t)line;
		frame.file = method->class_path;
	}
	location = profile_location_named(k->profile, profile_frame(k->profile, &frame));
	if (line <= 0)
		method->locations[kind] = location;
	return location;
}

/* ---- Stacks ---- */

/* Its innermost method is native, and returns when something happens outside. */
static bool waits(const struct jfr_constants *k, location_id innermost)
{
	const struct profile *p = k->profile;
	struct span names = p->location_names.items[innermost];
	const struct frame *frame;

	if (!names.count) /* the profile is full */
		return false;
	frame = &p->frames.items[p->location_frames.items[names.first]];
	return frame->kind == FRAME_NATIVE && java_method_waits(profile_text(p, frame->function));
}

static bool take_frames(struct jfr_constants *k, const struct jfr_value *list)
{
	struct cursor c = list->items;

	k->frames.len = 0;
	for (uint64_t i = 0; i < list->number; i++) {
		struct jfr_values v;

		jfr_layout_read(k->layouts, k->layout[JFR_FRAMES], &c, &v);
		if (c.bad)
			return false;
		vector_push(&k->frames, location_of(k, &v));
	}
	return true;
}

static location_id meta_location(struct jfr_constants *k, const char *name)
{
	return profile_location_named(
		k->profile, profile_frame_named(k->profile, bytes_of(name), FRAME_META));
}

static stack_id make_stack(
	struct jfr_constants *k, const struct jfr_values *v, enum jfr_stack_state *ret_state)
{
	bool truncated = key_in(v, JFR_FLAG);
	stack_id stack = 0;

	*ret_state = JFR_STACK_NONE;
	if (!jfr_have(v, JFR_LIST) || !v->slots[JFR_LIST].number)
		return profile_stack(k->profile, 0, meta_location(k, "[no stack]"));
	if (v->slots[JFR_LIST].number > READ_DEPTH_LIMIT) {
		*ret_state = JFR_STACK_TOO_DEEP;
		return 0;
	}
	*ret_state = JFR_STACK_MISSING;
	if (!take_frames(k, &v->slots[JFR_LIST]))
		return profile_stack(k->profile, 0, meta_location(k, "[no stack]"));
	*ret_state = truncated ? JFR_STACK_TRUNCATED : JFR_STACK_WHOLE;
	if (truncated)
		stack = profile_stack(k->profile, 0, meta_location(k, "[truncated:depth]"));
	for (size_t i = k->frames.len; i-- > 0;)
		stack = profile_stack(k->profile, stack, k->frames.items[i]);
	return stack;
}

/* Key 0 is a stack that was not recorded. */
stack_id jfr_stack(struct jfr_constants *k, uint64_t key, unsigned *ret_flags)
{
	struct jfr_constant *constant = jfr_constant_find(k->pool[JFR_STACKS], key);
	enum jfr_stack_state state;
	struct jfr_values v;

	if (constant && constant->flags) {
		*ret_flags = constant->flags - 1;
		return constant->made;
	}
	if (!constant || !take(k, JFR_STACKS, key, &v)) {
		*ret_flags = key ? JFR_STACK_MISSING : JFR_STACK_NONE;
		return profile_stack(k->profile, 0, meta_location(k, "[no stack]"));
	}
	constant->made = make_stack(k, &v, &state);
	*ret_flags = state;
	if (state <= JFR_STACK_TRUNCATED && waits(k, k->frames.items[0]))
		*ret_flags |= JFR_STACK_WAITS;
	constant->flags = *ret_flags + 1;
	return constant->made;
}

/* ---- Threads ---- */

/* The name that Java shows, or that of the system for the JVM's own threads. */
static string_id thread_name(struct jfr_constants *k, const struct jfr_values *v)
{
	struct bytes name = {0};

	if (jfr_have(v, JFR_NAME))
		name = jfr_constants_text(k, &v->slots[JFR_NAME].text);
	if (!name.len && jfr_have(v, JFR_OTHER_NAME))
		name = jfr_constants_text(k, &v->slots[JFR_OTHER_NAME].text);
	if (!name.len && key_in(v, JFR_FLAG))
		name = BYTES("virtual thread");
	return profile_string(k->profile, name);
}

thread_id jfr_thread(struct jfr_constants *k, uint64_t key)
{
	struct jfr_constant *constant = jfr_constant_find(k->pool[JFR_THREADS], key);
	struct jfr_values v;
	uint64_t tid;

	if (!constant)
		return 0;
	if (!constant->made && take(k, JFR_THREADS, key, &v)) {
		tid = key_in(&v, JFR_VALUE);
		constant->made = profile_thread(k->profile, k->process,
			tid && tid <= INT32_MAX ? (int32_t)tid : -1, thread_name(k, &v));
	}
	return constant->made;
}

/* ---- States ---- */

bool jfr_state_sleeps(struct jfr_constants *k, uint64_t key)
{
	struct jfr_constant *constant = jfr_constant_find(k->pool[JFR_STATES], key);

	if (!constant)
		return false;
	if (!constant->made)
		constant->made =
			1u + bytes_equal(name_of(k, JFR_STATES, key), BYTES("STATE_SLEEPING"));
	return constant->made == 2;
}

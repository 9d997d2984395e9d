/* java_names.c: a Java method as stack traces print it, made a frame. */
#include "readers/java/java_names.h"

/* ---- Parts ---- */

/* "java.base@17.0.15/Thread.java": the module is cut off; "app//Thread.java" has none. */
static struct bytes cut_module(struct bytes *source)
{
	struct bytes module, version;

	if (!bytes_cut(source, '/', &module))
		return (struct bytes){0};
	version = module;
	if (bytes_cut(&version, '@', &module))
		return module;
	return module;
}

/* The module of "java.base/java.lang.Thread.run" or "app/java.base/...": what is between the last
 * two slashes before a method whose package has dots. */
static struct bytes module_of_method(struct bytes method)
{
	const char *slash = bytes_find_last(method, '/');
	struct bytes before, module;

	if (!slash || !memchr(method.at, '.', (size_t)(slash - method.at)) ||
		memchr(method.at, '$', (size_t)(slash - method.at)))
		return (struct bytes){0};
	before = (struct bytes){method.at, (size_t)(slash - method.at)};
	before = bytes_base_name(before);
	return bytes_cut(&before, '@', &module) ? module : before;
}

/* "Thread.java:840", "Native Method", "Thread.java:785(Compiled Code)", "Unknown Source". */
static void parse_source(struct bytes source, struct java_frame *f)
{
	struct bytes file = source;
	const char *how = source.len ? memchr(source.at, '(', source.len) : NULL;
	const char *colon;
	uint64_t line;

	f->kind = FRAME_INTERPRETED;
	if (bytes_ends_with(source, BYTES("(Compiled Code)")))
		f->kind = FRAME_JIT;
	if (how)
		file.len = (size_t)(how - source.at);
	if (bytes_equal(file, BYTES("Native Method"))) {
		f->kind = FRAME_NATIVE;
		return;
	}
	if (!file.len || bytes_equal(file, BYTES("Unknown Source")) ||
		bytes_equal(file, BYTES("Bytecode PC")))
		return;
	colon = bytes_find_last(file, ':');
	if (colon && bytes_u64((struct bytes){colon + 1, file.len - (size_t)(colon + 1 - file.at)},
			     &line)) {
		f->line = line < UINT32_MAX ? (uint32_t)line : 0;
		file.len = (size_t)(colon - file.at);
	}
	f->file = file;
}

bool java_frame_parse(struct bytes text, struct java_frame *ret_frame)
{
	struct java_frame f = {0};
	struct bytes source;
	const char *close = NULL;

	if (!bytes_cut(&text, '(', &f.method) || !f.method.len || f.method.at[0] == ' ')
		return false;
	/* A kind of code in parentheses of its own may be inside. */
	for (size_t i = 0, depth = 1; i < text.len && !close; i++) {
		depth += text.at[i] == '(';
		depth -= text.at[i] == ')';
		if (!depth)
			close = text.at + i;
	}
	if (!close)
		return false;
	source = (struct bytes){text.at, (size_t)(close - text.at)};
	f.module = cut_module(&source);
	if (!f.module.len)
		f.module = module_of_method(f.method);
	parse_source(source, &f);
	*ret_frame = f;
	return true;
}

/* ---- Names ---- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

/* Where "HashMap.get" starts in "java.util.HashMap.get" and in "java/util/HashMap.get". */
static size_t class_start(struct bytes method)
{
	const char *dot = bytes_find_last(method, '.'), *before;
	struct bytes package;

	if (!dot)
		return 0;
	package = (struct bytes){method.at, (size_t)(dot - method.at)};
	before = bytes_find_last(package, '.');
	if (!before)
		before = bytes_find_last(package, '/');
	return before ? (size_t)(before + 1 - method.at) : 0;
}

static void add_method(struct bytes method, const struct reading_style *style, struct buffer *out)
{
	size_t start = (style->short_packages || style->no_packages) ? class_start(method) : 0;

	for (size_t i = 0; i < start && !style->no_packages; i++)
		if (!i || !is_word(method.at[i]) || !is_word(method.at[i - 1]))
			buffer_char(out, method.at[i]);
	buffer_add(out, method.at + start, method.len - start);
}

location_id java_location(struct text_stacks *t, struct bytes text, struct java_frame *ret_new)
{
	location_id location = text_stacks_known(t, text);
	struct java_frame java = {0};
	struct buffer name = {0};

	if (ret_new)
		*ret_new = java;
	if (location || !java_frame_parse(text, &java))
		return location;
	add_method(java.method, t->style, &name);
	location = text_stacks_frame(t, &(struct text_frame){.function = buffer_bytes(&name),
						.module = java.module,
						.file = java.file,
						.line = java.line,
						.kind = java.kind});
	text_stacks_learn(t, text, location);
	buffer_release(&name);
	if (ret_new)
		*ret_new = java;
	return location;
}

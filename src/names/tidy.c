/* tidy.c: how is a function's printed name shown? */
#include "names/tidy.h"

#include "names/declaration.h"
#include "names/demangle.h"
#include "names/v8_name.h"

#define RUST_HASH_LEN 17 /* 'h' and 16 hexadecimal digits */

static bool ends_in_rust_hash(struct bytes name)
{
	const char *hash = name.at + name.len - RUST_HASH_LEN;

	if (name.len < RUST_HASH_LEN + 3 || *hash != 'h' || hash[-1] != ':' || hash[-2] != ':')
		return false;
	for (size_t i = 1; i < RUST_HASH_LEN; i++)
		if (!is_hex_digit(hash[i]))
			return false;
	return true;
}

/* What rustc's legacy mangling writes for characters that C++ names cannot have; a C++ demangler
 * leaves them in. */
static const struct {
	const char *escape, *text;
} rust_escapes[] = {{"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"$LT$", "<"}, {"$GT$", ">"},
	{"$LP$", "("}, {"$RP$", ")"}, {"$C$", ","}, {"..", "::"}};

/* Undo one escape at the start of `rest`; its length, or 0 when there is none. */
static size_t rust_unescape(struct bytes rest, struct buffer *out)
{
	const char *end;
	uint64_t code;

	for (size_t i = 0; i < sizeof(rust_escapes) / sizeof(*rust_escapes); i++) {
		if (bytes_starts_with(rest, bytes_of(rust_escapes[i].escape))) {
			buffer_text(out, rust_escapes[i].text);
			return strlen(rust_escapes[i].escape);
		}
	}
	if (!bytes_starts_with(rest, BYTES("$u")))
		return 0;
	end = memchr(rest.at + 2, '$', rest.len - 2);
	if (!end || !bytes_hex((struct bytes){rest.at + 2, (size_t)(end - rest.at) - 2}, &code) ||
		code < 0x20 || code > 0x7e)
		return 0;
	buffer_char(out, (char)code);
	return (size_t)(end + 1 - rest.at);
}

/* A legacy Rust name that a C++ demangler took apart: hash off, escapes undone. */
static void tidy_rust(struct bytes name, struct buffer *out)
{
	name.len -= RUST_HASH_LEN + 2;
	if (bytes_starts_with(name, BYTES("_$"))) {
		name.at++;
		name.len--;
	}
	while (name.len) {
		size_t escape = rust_unescape(name, out);

		if (!escape) {
			buffer_char(out, *name.at);
			escape = 1;
		}
		name.at += escape;
		name.len -= escape;
	}
}

void tidy_rust_name(struct bytes printed, struct buffer *out)
{
	if (ends_in_rust_hash(printed))
		tidy_rust(printed, out);
	else
		buffer_add(out, printed.at, printed.len);
}

/* Length of `name` without its argument list. */
static size_t without_arguments(struct bytes name)
{
	int depth = 0;

	for (size_t i = 0; i < name.len; i++) {
		switch (name.at[i]) {
		case '<':
		case '{':
		case '[':
			depth++;
			break;
		case '>':
		case '}':
		case ']':
		case ')':
			depth--;
			break;
		case '(':
			if (depth == 0 && !(i && name.at[i - 1] == '.') &&
				!bytes_starts_with((struct bytes){name.at + i, name.len - i},
					BYTES("(anonymous namespace)")))
				return i;
			depth++;
			break;
		}
	}
	return name.len;
}

/* What stands between frames may not be in one. */
static void separators_off(struct buffer *name, size_t start)
{
	for (size_t i = start; i < name->len; i++)
		if (name->at[i] == ';')
			name->at[i] = ':';
}

void tidy_name(struct bytes printed, struct buffer *out)
{
	size_t start = out->len;
	struct v8_name v8;

	if (demangle(printed, out)) {
		if (ends_in_rust_hash((struct bytes){out->at + start, out->len - start}))
			out->len -= RUST_HASH_LEN + 2;
	} else if (v8_name_parse(printed, &v8)) {
		v8_name_format(&v8, printed, out);
	} else if (ends_in_rust_hash(printed)) {
		tidy_rust(printed, out);
	} else if (bytes_starts_with(printed, BYTES("py::"))) { /* and a path: Python's perf map */
		buffer_add(out, printed.at, printed.len);
	} else {
		declaration_name(printed, out);
	}
}

enum frame_kind tidy_name_kind(struct bytes printed, enum frame_kind kind)
{
	struct v8_name v8;

	return v8_name_parse(printed, &v8) ? v8_name_kind(&v8) : kind;
}

void tidy_name_inferno(struct bytes printed, struct buffer *out)
{
	size_t start = out->len;

	tidy_rust_name(printed, out);
	out->len = start + without_arguments((struct bytes){out->at + start, out->len - start});
	separators_off(out, start);
}

/* Go writes methods as "net/http.(*Client).Do". */
static bool has_receiver(struct bytes name)
{
	const char *open = bytes_find(name, BYTES(".("));

	return open && bytes_find((struct bytes){open + 2, (size_t)(name.at + name.len - open) - 2},
			       BYTES(")."));
}

void tidy_name_perl(struct bytes printed, struct buffer *out)
{
	const struct bytes nameless = BYTES("(anonymous namespace)");
	bool cut = !has_receiver(printed);
	size_t start = out->len;

	for (size_t i = 0; i < printed.len; i++) {
		struct bytes rest = {printed.at + i, printed.len - i};

		if (cut && *rest.at == '(' && !bytes_starts_with(rest, nameless))
			break;
		if (*rest.at != '"' && *rest.at != '\'')
			buffer_char(out, *rest.at);
	}
	separators_off(out, start);
}

bool tidy_next_inlined(struct bytes *names, struct bytes *ret_name)
{
	int depth = 0;

	if (!names->at)
		return false;
	for (size_t i = 0; i + 1 < names->len; i++) {
		char c = names->at[i];
		bool arrow = c == '-' && names->at[i + 1] == '>';

		if (arrow && depth <= 0 &&
			!bytes_ends_with((struct bytes){names->at, i}, BYTES("operator"))) {
			*ret_name = (struct bytes){names->at, i};
			*names = (struct bytes){names->at + i + 2, names->len - i - 2};
			return true;
		}
		if (arrow)
			i++;
		else if (c == '<' || c == '(' || c == '{')
			depth++;
		else if (c == '>' || c == ')' || c == '}')
			depth--;
	}
	*ret_name = *names;
	*names = (struct bytes){0};
	return true;
}

struct bytes tidy_java(struct bytes name)
{
	if (name.len && name.at[0] == 'L' && memchr(name.at, '/', name.len))
		return (struct bytes){name.at + 1, name.len - 1};
	return name;
}

struct bytes tidy_base_name(struct bytes path)
{
	if (bytes_ends_with(path, BYTES(" (deleted)")))
		path.len -= strlen(" (deleted)");
	return bytes_base_name(path);
}

/* ".../vmlinux", "vmlinux-5.4.14-x": nothing but a version behind the name. */
static bool is_vmlinux(struct bytes module)
{
	struct bytes base = tidy_base_name(module);

	if (!bytes_starts_with(base, BYTES("vmlinux")))
		return false;
	for (size_t i = 0; i < base.len; i++) {
		char c = base.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' ||
			    c == '.' || c == '_'))
			return false;
	}
	return true;
}

static bool is_perf_map(struct bytes module)
{
	return bytes_starts_with(module, BYTES("/tmp/perf-")) &&
	       bytes_ends_with(module, BYTES(".map"));
}

enum frame_kind tidy_module_kind(struct bytes module)
{
	/* In brackets, but memory of the process: */
	static const char *const user[] = {
		"[unknown]", "[vdso]", "[vsyscall]", "[heap]", "[stack]", "[anon", "[uprobes]"};

	if (bytes_starts_with(module, BYTES("[guest.kernel")))
		return FRAME_GUEST;
	for (size_t i = 0; i < sizeof(user) / sizeof(*user); i++)
		if (bytes_starts_with(module, bytes_of(user[i])))
			return FRAME_NATIVE;
	if (bytes_starts_with(module, BYTES("[")) || bytes_ends_with(module, BYTES(".ko")) ||
		is_vmlinux(module))
		return FRAME_KERNEL;
	if (is_perf_map(module) ||
		(bytes_find(module, BYTES("/jitted-")) && bytes_ends_with(module, BYTES(".so"))))
		return FRAME_JIT;
	return bytes_equal(module, BYTES("inlined")) ? FRAME_INLINED : FRAME_NATIVE;
}

enum frame_kind tidy_suffix_kind(struct bytes name)
{
	if (name.len < 4 || name.at[name.len - 1] != ']' || name.at[name.len - 3] != '[' ||
		name.at[name.len - 4] != '_')
		return FRAME_NATIVE;
	switch (name.at[name.len - 2]) {
	case 'k':
		return FRAME_KERNEL;
	case 'j':
		return FRAME_JIT;
	case 'i':
		return FRAME_INLINED;
	default:
		return FRAME_NATIVE;
	}
}

/* demangle.c: what is a function called in its source?
 *
 * libiberty demangles; this file bounds its cost and shapes the result. Without DMGL_PARAMS,
 * libiberty leaves out the parameters of the function itself, but not those of the functions
 * around a lambda or a local class. */
#include "names/demangle.h"

#include "base/memory.h"
#include "names/declaration.h"

#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else /* Fedora */
#include <demangle.h>
#endif
#include <setjmp.h>
#include <stdlib.h>

/* libiberty's own limit refuses C++ names of more than 1,024 characters, which templates reach
 * easily. Its recursion is at most as deep as the name is long, which MANGLED_LIMIT makes safe. */
#define CAREFUL_LENGTH 1000u

/* D names can refer back to earlier parts; with two references in each part the name doubles
 * every time. The D demangler cannot be interrupted, so names with more references stay mangled: 40
 * let a name of 120 bytes take 0.1 s, 20 less than 0.2 ms. */
#define D_REFERENCE_LIMIT 20

struct sink {
	struct buffer *out;
	size_t start;
	jmp_buf too_long;
};

/* The demanglers cannot be told to stop; leaving them by longjmp is safe because they hold no
 * resources. */
static void sink_add(const char *text, size_t len, void *opaque)
{
	struct sink *sink = opaque;

	if (sink->out->len - sink->start + len > DEMANGLED_LIMIT)
		longjmp(sink->too_long, 1);
	buffer_add(sink->out, text, len);
}

static bool demangle_cpp(const char *mangled, size_t len, int options, struct sink *sink)
{
	options |= len > CAREFUL_LENGTH ? DMGL_NO_RECURSE_LIMIT : 0;
	return !setjmp(sink->too_long) &&
	       cplus_demangle_v3_callback(mangled, options, sink_add, sink);
}

static bool demangle_rust(const char *mangled, struct sink *sink)
{
	return !setjmp(sink->too_long) && rust_demangle_callback(mangled, 0, sink_add, sink);
}

static bool demangle_d(const char *mangled, struct buffer *out)
{
	char *text;
	size_t len, references = 0;

	for (const char *c = mangled; *c; c++)
		references += *c == 'Q';
	text = references > D_REFERENCE_LIMIT ? NULL : dlang_demangle(mangled, 0);
	len = text ? strlen(text) : 0;
	if (len && len <= DEMANGLED_LIMIT)
		buffer_add(out, text, len);
	memory_free(text);
	return len && len <= DEMANGLED_LIMIT;
}

/* ---- Suffixes ---- */

/* The length of a legacy Rust name, which ends in "17h", 16 hexadecimal digits and "E"; 0: not
 * one. Only these may contain dots. */
static size_t rust_legacy_length(struct bytes mangled)
{
	struct bytes rest = mangled;
	const char *at;

	while ((at = bytes_find(rest, BYTES("17h")))) {
		size_t left = mangled.len - (size_t)(at - mangled.at);

		if (left >= 20 && at[19] == 'E' && strspn(at + 3, "0123456789abcdef") >= 16)
			return mangled.len - left + 20;
		rest = (struct bytes){at + 3, left - 3};
	}
	return 0;
}

static size_t plain_length(struct bytes mangled)
{
	for (size_t i = 0; i < mangled.len; i++)
		if (mangled.at[i] == '.' || mangled.at[i] == '@')
			return i;
	return mangled.len;
}

static void add_suffix(struct buffer *out, struct bytes suffix)
{
	const char *llvm = bytes_find(suffix, BYTES(".llvm."));
	size_t before = llvm ? (size_t)(llvm - suffix.at) : suffix.len;
	size_t after = before;

	if (llvm)
		for (after += 6; after < suffix.len && is_digit(suffix.at[after]); after++)
			;
	buffer_add(out, suffix.at, before);
	buffer_add(out, suffix.at + after, suffix.len - after);
}

/* ---- */

/* Demangle a name without its suffix, NUL-terminated. */
static bool demangle_plain(const char *name, size_t len, bool rust_legacy, struct buffer *out)
{
	struct sink sink = {.out = out, .start = out->len};
	bool done = false;

	if (name[1] == 'Z') {
		done = rust_legacy && demangle_rust(name, &sink);
		if (!done) {
			out->len = sink.start;
			done = demangle_cpp(name, len, 0, &sink) && out->len > sink.start;
			if (done)
				declaration_shorten(out, sink.start, false);
		}
	} else if (name[1] == 'R') {
		done = demangle_rust(name, &sink) && out->len > sink.start;
	} else {
		done = demangle_d(name, out);
		if (done)
			declaration_shorten(out, sink.start, true);
	}
	if (!done && out->at) {
		out->len = sink.start;
		out->at[out->len] = 0;
	}
	return done;
}

static bool may_be_mangled(struct bytes name)
{
	if (name.len < 4 || name.at[0] != '_' || name.len > MANGLED_LIMIT)
		return false;
	switch (name.at[1]) {
	case 'Z':
		return true;
	case 'R':
		return name.at[2] >= 'A' && name.at[2] <= 'Z';
	case 'D':
		return is_digit(name.at[2]);
	default:
		return false;
	}
}

bool demangle(struct bytes mangled, struct buffer *out)
{
	char name[MANGLED_LIMIT + 1];
	size_t len, rust_legacy;

	if (!may_be_mangled(mangled) || memchr(mangled.at, 0, mangled.len))
		return false;
	rust_legacy = mangled.at[1] == 'Z' ? rust_legacy_length(mangled) : 0;
	len = rust_legacy ? rust_legacy : plain_length(mangled);
	memcpy(name, mangled.at, len);
	name[len] = 0;
	if (len < 3 || !demangle_plain(name, len, rust_legacy, out))
		return false;
	add_suffix(out, (struct bytes){mangled.at + len, mangled.len - len});
	return true;
}

bool demangle_verbose(struct bytes mangled, struct buffer *out)
{
	char name[MANGLED_LIMIT + 1];
	struct sink sink = {.out = out, .start = out->len};
	bool done = false;

	if (!may_be_mangled(mangled) || memchr(mangled.at, 0, mangled.len))
		return false;
	memcpy(name, mangled.at, mangled.len);
	name[mangled.len] = 0;
	if (name[1] == 'D')
		return demangle_d(name, out);
	if (name[1] == 'R' || rust_legacy_length(mangled))
		done = demangle_rust(name, &sink) && out->len > sink.start;
	if (!done)
		out->len = sink.start;
	if (!done && name[1] == 'Z')
		done = demangle_cpp(name, mangled.len, DMGL_PARAMS | DMGL_ANSI, &sink) &&
		       out->len > sink.start;
	if (!done)
		out->len = sink.start;
	return done;
}

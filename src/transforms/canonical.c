/* canonical.c: what is a function called independently of how it was built? */
#include "transforms/canonical.h"

#include "transforms/reshape.h"
#include "transforms/runtime_names.h"

#include <stdlib.h>

#define RUST_HASH 16u /* hexadecimal digits behind "::h" */
#define ADDRESS	  8u  /* minimum digits of an address without 0x */

static bool is_any_hex(char c)
{
	return is_hex_digit(c) || (c >= 'A' && c <= 'F');
}

/* The number of characters at the end of `text` that satisfy `is`. */
static size_t count_at_end(struct bytes text, bool (*is)(char))
{
	size_t count = 0;

	while (count < text.len && is(text.at[text.len - 1 - count]))
		count++;
	return count;
}

static struct bytes without_end(struct bytes text, size_t count)
{
	return (struct bytes){text.at, text.len - count};
}

/* ---- Ends of names ---- */

/* "+0x1f" */
static size_t offset_at_end(struct bytes name)
{
	size_t digits = count_at_end(name, is_any_hex);

	return digits && bytes_ends_with(without_end(name, digits), BYTES("+0x")) ? digits + 3 : 0;
}

/* "::h0123456789abcdef" */
static size_t hash_at_end(struct bytes name)
{
	if (name.len < RUST_HASH + 3 || count_at_end(name, is_hex_digit) < RUST_HASH)
		return 0;
	return bytes_ends_with(without_end(name, RUST_HASH), BYTES("::h")) ? RUST_HASH + 3 : 0;
}

/* " [clone .isra.0]" */
static size_t clone_at_end(struct bytes name, bool *part)
{
	const char *open = bytes_find_last(name, '[');
	struct bytes end;

	if (!bytes_ends_with(name, BYTES("]")) || !open || open == name.at)
		return 0;
	end = (struct bytes){open - 1, (size_t)(name.at + name.len - (open - 1))};
	if (!bytes_starts_with(end, BYTES(" [clone .")))
		return 0;
	*part |= bytes_find(end, BYTES(".cold")) || bytes_find(end, BYTES(".part"));
	return end.len;
}

/* ".isra.0", ".llvm.12345", ".cold" */
static size_t suffix_at_end(struct bytes name, bool *part)
{
	static const char *const words[] = {
		".isra", ".constprop", ".part", ".cold", ".lto_priv", ".llvm"};
	struct bytes rest = name;

	for (;;) {
		size_t digits = count_at_end(rest, is_digit);

		if (!digits || !bytes_ends_with(without_end(rest, digits), BYTES(".")))
			break;
		rest.len -= digits + 1;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct bytes word = bytes_of(words[i]);

		if (rest.len <= word.len || !bytes_ends_with(rest, word))
			continue;
		*part |= !strcmp(words[i], ".part") || !strcmp(words[i], ".cold");
		return name.len - rest.len + word.len;
	}
	return 0;
}

/* A quick check: most names end in a letter that no suffix ends in. */
static bool may_have_suffix(struct bytes name)
{
	char last = name.len ? name.at[name.len - 1] : '\0';

	return is_any_hex(last) || last == ']' || last == 't' || last == 'p' || last == 'v' ||
	       last == 'm';
}

static struct bytes without_suffixes(struct bytes name, bool *part)
{
	while (may_have_suffix(name)) {
		size_t end = offset_at_end(name);

		end = end ? end : hash_at_end(name);
		end = end ? end : clone_at_end(name, part);
		end = end ? end : suffix_at_end(name, part);
		if (!end || end >= name.len)
			break;
		name.len -= end;
	}
	return name;
}

/* ---- Whole names ---- */

/* "_[k]" */
static size_t mark_at_end(struct bytes name)
{
	return name.len > 4 && name.at[name.len - 1] == ']' && name.at[name.len - 3] == '[' &&
			       name.at[name.len - 4] == '_'
		       ? 4
		       : 0;
}

static bool is_address(struct bytes name)
{
	bool prefix = bytes_starts_with(name, BYTES("0x")), decimal = false;
	size_t start = prefix ? 2 : 0;

	if (name.len < start + (prefix ? 1 : ADDRESS))
		return false;
	for (size_t i = start; i < name.len; i++) {
		if (!is_any_hex(name.at[i]))
			return false;
		decimal |= is_digit(name.at[i]);
	}
	return decimal;
}

static void add_stripped(struct buffer *out, struct bytes text)
{
	for (size_t i = 0; i < text.len;) {
		bool number = text.at[i] == '0' && i + 2 < text.len && text.at[i + 1] == 'x' &&
			      is_any_hex(text.at[i + 2]);

		buffer_char(out, text.at[i++]);
		if (!number)
			continue;
		buffer_text(out, "x...");
		for (i++; i < text.len && is_any_hex(text.at[i]);)
			i++;
	}
}

/* Append what replaces the name of unnamed code: "[libz.so]" for "[libz.so+0x12]", and for an
 * address its module or "[unknown]". False: the name is not of that kind. */
static bool unnamed(struct bytes name, struct bytes module, struct buffer *out)
{
	size_t end;

	if (bytes_starts_with(name, BYTES("[")) && bytes_ends_with(name, BYTES("]"))) {
		end = offset_at_end(without_end(name, 1));
		if (!end)
			return false;
		buffer_add(out, name.at, name.len - 1 - end);
		buffer_char(out, ']');
		return true;
	}
	if (!is_address(name))
		return false;
	if (!module.len || bytes_starts_with(module, BYTES("[")))
		buffer_printf(out, "%.*s", module.len ? (int)module.len : 9,
			module.len ? module.at : "[unknown]");
	else
		buffer_printf(out, "[%.*s]", (int)module.len, module.at);
	return true;
}

/* The length of the build directory at the start of a name, such as "/rustc/HASH" for Rust's own
 * libraries; 0: none. */
static size_t build_dir(const struct canonical *c, struct bytes name)
{
	size_t longest = 0;

	for (size_t i = 0; i < c->build_dirs.len; i++) {
		struct bytes dir = bytes_of(c->build_dirs.items[i]);

		while (bytes_ends_with(dir, BYTES("/")))
			dir.len--;
		if (dir.len > longest && bytes_starts_with(name, dir) &&
			(name.len == dir.len || name.at[dir.len] == '/'))
			longest = dir.len;
	}
	if (!longest && c->names && bytes_starts_with(name, BYTES("/rustc/")) && name.len > 48 &&
		name.at[47] == '/' && count_at_end((struct bytes){name.at, 47}, is_hex_digit) == 40)
		longest = 47;
	return longest;
}

/* `numbered`: runtime_name_is_numbered. */
static inline bool is_unchanged(const struct canonical *c, struct bytes name, bool numbered)
{
	if (c->strip_hex || c->build_dirs.len || !name.len)
		return false;
	return !c->names || (!may_have_suffix(name) && name.at[0] != '/' && !numbered);
}

bool canonical_is_unchanged(const struct canonical *c, struct bytes name)
{
	return is_unchanged(c, name, c->names && runtime_name_is_numbered(name));
}

bool canonical_function(const struct canonical *c, struct bytes name, struct bytes module,
	struct buffer *out, bool *ret_part)
{
	size_t mark = mark_at_end(name), dir = build_dir(c, name);
	struct bytes whole = name, core = without_end(name, mark);
	struct buffer numbered = {0};

	*ret_part = false;
	out->len = 0;
	if (c->names && !unnamed(core, module, out))
		core = without_suffixes(core, ret_part);
	if (!out->len) {
		struct bytes rest = {core.at + dir, core.len - (dir < core.len ? dir : core.len)};

		if (dir)
			buffer_text(out, "$SRC");
		if (c->names && runtime_name_is_numbered(rest)) {
			runtime_name_add(rest, &numbered);
			rest = buffer_bytes(&numbered);
		}
		if (c->strip_hex)
			add_stripped(out, rest);
		else
			buffer_add(out, rest.at, rest.len);
		buffer_release(&numbered);
	}
	buffer_add(out, whole.at + whole.len - mark, mark);
	return !bytes_equal(buffer_bytes(out), whole);
}

void canonical_thread(struct bytes name, struct buffer *out)
{
	size_t digits = count_at_end(name, is_digit);

	buffer_add(out, name.at, name.len - digits);
	if (digits)
		buffer_char(out, '*');
}

/* "-12/13" or "-12/?" */
static size_t ids_at_end(struct bytes name)
{
	struct bytes rest = name;
	size_t tid = count_at_end(rest, is_digit), pid;

	rest.len -= tid ? tid : bytes_ends_with(rest, BYTES("?"));
	if (rest.len == name.len || !bytes_ends_with(rest, BYTES("/")))
		return 0;
	rest.len--;
	pid = count_at_end(rest, is_digit);
	rest.len -= pid ? pid : bytes_ends_with(rest, BYTES("?"));
	return rest.len > 1 && bytes_ends_with(rest, BYTES("-")) ? name.len - rest.len + 1 : 0;
}

bool canonical_root(const struct canonical *c, struct bytes name, struct buffer *out)
{
	size_t ids = ids_at_end(name), digits = count_at_end(name, is_digit);
	struct bytes rest = without_end(name, digits);

	out->len = 0;
	if (!c->names || !name.len)
		return false;
	if (ids) {
		canonical_thread(without_end(name, ids), out);
		return true;
	}
	if (!digits || !rest.len || !strchr("-/:#_ ", rest.at[rest.len - 1]))
		return false;
	canonical_thread(name, out);
	return true;
}

/* ---- Stacks of folded text ---- */

bool canonical_stack_is_unchanged(
	const struct canonical *c, struct bytes stack, size_t from, struct buffer *spare)
{
	struct bytes rest = {stack.at + from, stack.len - from}, frame;
	bool part, first = !from, numbered = c->names && runtime_name_is_numbered(rest);

	for (bool more = true; more; first = false) {
		more = bytes_cut(&rest, ';', &frame);
		if (!more)
			frame = rest;
		if (!is_unchanged(c, frame, numbered && runtime_name_is_numbered(frame)) &&
			canonical_function(c, frame, (struct bytes){0}, spare, &part))
			return false;
		if (first && canonical_root(c, frame, spare))
			return false;
	}
	return true;
}

/* Suffixes such as _[k] mark the kind of a frame and do not change. */
static bool same_mark(struct bytes before, struct bytes after)
{
	size_t len = mark_at_end(before);

	return mark_at_end(after) == len &&
	       bytes_equal((struct bytes){before.at + before.len - len, len},
		       (struct bytes){after.at + after.len - len, len});
}

/* A frame's new name, in *name. */
static bool rename_frame(const struct canonical *c, bool outermost, struct bytes *name,
	bool *ret_part, struct canonical_text *t)
{
	struct bytes whole = *name;

	*ret_part = false;
	if (!canonical_is_unchanged(c, whole) &&
		canonical_function(c, whole, (struct bytes){0}, &t->frame, ret_part))
		*name = buffer_bytes(&t->frame);
	if (outermost && canonical_root(c, *name, &t->root)) {
		*name = buffer_bytes(&t->root);
		/* canonical_apply_roots would change it a second time. */
		if (canonical_root(c, *name, &t->frame))
			return false;
	}
	return same_mark(whole, *name);
}

bool canonical_stack(const struct canonical *c, struct bytes stack, struct canonical_text *t)
{
	size_t caller = 0; /* where the caller's frame starts */
	bool part, outermost = true;

	t->stack.len = 0;
	for (bool more = true; more; outermost = false) {
		struct bytes name, above = buffer_bytes(&t->stack);

		if (caller) /* otherwise there may be no caller */
			above = (struct bytes){above.at + caller, above.len - caller};
		more = bytes_cut(&stack, ';', &name);
		if (!more)
			name = stack;
		if (!rename_frame(c, outermost, &name, &part, t))
			return false;
		if (part && !outermost && bytes_equal(name, above))
			continue;
		if (!outermost)
			buffer_char(&t->stack, ';');
		caller = t->stack.len;
		buffer_add(&t->stack, name.at, name.len);
	}
	return true;
}

void canonical_text_release(struct canonical_text *t)
{
	buffer_release(&t->stack);
	buffer_release(&t->frame);
	buffer_release(&t->root);
}

/* ---- Views ---- */

struct renaming {
	frame_id *frame, *root; /* the new frame of every frame; `root`: where it is outermost */
	bool *part;
};

/* "libz.so.1.2.13": the version is removed. */
static struct bytes module_name(struct bytes module)
{
	const char *so = bytes_find(module, BYTES(".so."));

	return so ? (struct bytes){module.at, (size_t)(so - module.at) + 3} : module;
}

/* Inlining and the tier of a compiler differ between builds. */
static uint32_t kind_of(uint32_t kind)
{
	if (kind == FRAME_INLINED)
		return FRAME_NATIVE;
	return kind == FRAME_BASELINE ? FRAME_JIT : kind;
}

static frame_id renamed(
	const struct canonical *c, struct view *v, frame_id id, struct buffer *name, bool *ret_part)
{
	struct frame frame = view_frame_at(v, id);
	struct bytes module = view_text(v, frame.module);

	if (c->names && module_name(module).len < module.len) {
		name->len = 0; /* copy: the view's strings move when they grow */
		buffer_add(name, module.at, module_name(module).len);
		frame.module = view_string(v, buffer_bytes(name));
	}
	if (c->names)
		frame.kind = kind_of(frame.kind);
	if (canonical_function(
		    c, view_text(v, frame.function), view_text(v, frame.module), name, ret_part))
		frame.function = view_string(v, buffer_bytes(name));
	return view_frame(v, &frame);
}

static frame_id renamed_root(
	const struct canonical *c, struct view *v, frame_id id, struct buffer *name)
{
	struct frame frame = view_frame_at(v, id);

	if (!canonical_root(c, view_text(v, frame.function), name))
		return id;
	frame.function = view_string(v, buffer_bytes(name));
	return view_frame(v, &frame);
}

static void renaming_init(
	struct renaming *r, const struct canonical *c, struct view *v, bool roots_only)
{
	size_t frames = view_frame_count(v);
	struct buffer name = {0};

	r->frame = memory_new(frames, sizeof(*r->frame));
	r->root = memory_new(frames, sizeof(*r->root));
	r->part = memory_new(frames, sizeof(*r->part));
	for (size_t i = 1; i < frames; i++) {
		r->frame[i] =
			roots_only ? (frame_id)i : renamed(c, v, (frame_id)i, &name, &r->part[i]);
		r->root[i] = r->frame[i];
	}
	for (size_t i = 1; i < v->tree.caller.len; i++) {
		frame_id frame = v->tree.frame.items[i];

		if (!v->tree.caller.items[i] && r->root[frame] == r->frame[frame])
			r->root[frame] = renamed_root(c, v, r->frame[frame], &name);
	}
	buffer_release(&name);
}

static bool renaming_changes(const struct renaming *r, const struct view *v)
{
	for (size_t i = 1; i < v->tree.caller.len; i++) {
		frame_id frame = v->tree.frame.items[i];

		if ((v->tree.caller.items[i] ? r->frame : r->root)[frame] != frame)
			return true;
	}
	return false;
}

static node_id rename_place(
	struct tree_builder *b, node_id caller, frame_id frame, const void *context)
{
	const struct renaming *r = context;
	frame_id now = (caller ? r->frame : r->root)[frame];

	if (r->part[frame] && caller && b->tree.frame.items[caller] == now)
		return caller;
	return tree_child(b, caller, now);
}

static void apply(const struct canonical *c, struct view *v, bool roots_only)
{
	struct renaming r;

	renaming_init(&r, c, v, roots_only);
	if (renaming_changes(&r, v))
		reshape(v, 0, rename_place, &r);
	memory_free(r.frame);
	memory_free(r.root);
	memory_free(r.part);
}

void canonical_apply(const struct canonical *c, struct view *v)
{
	if (c->names || c->strip_hex || c->build_dirs.len)
		apply(c, v, false);
}

void canonical_apply_roots(const struct canonical *c, struct view *v)
{
	if (c->names)
		apply(c, v, true);
}

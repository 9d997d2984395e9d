/* canonical.h: names as they would be in any build of the same source, so that functions and
 * threads of two versions match. */
#ifndef KILN_TRANSFORMS_CANONICAL_H
#define KILN_TRANSFORMS_CANONICAL_H

#include "base/buffer.h"
#include "model/view.h"

/* What differs between two builds and is removed. `{0}` changes nothing. */
struct canonical {
	bool names;	/* suffixes of compilers, hashes, offsets, addresses; versions of modules */
	bool strip_hex; /* every "0x123" in a name becomes "0x..." */
	VECTOR(const char *) build_dirs; /* replaced by $SRC at the start of names */
};

/* Returns whether the name changes; then *out, which is emptied first, is the new one. Removed
 * are ".isra.0", ".constprop.0", ".part.0", ".cold", ".lto_priv.0", ".llvm.123", "[clone ...]",
 * the hash of a Rust function, an offset "+0x12", and what runtimes number (runtime_names.h);
 * suffixes such as "_[k]" stay. A plain address becomes its module, or [unknown]. *ret_part: it is
 * a part that the compiler split off the function (".cold", ".part"). */
bool canonical_function(const struct canonical *c, struct bytes name, struct bytes module,
	struct buffer *out, bool *ret_part);

/* A quick check: does this name certainly stay the same? */
bool canonical_is_unchanged(const struct canonical *c, struct bytes name);

/* A thread's name with "*" for digits at its end. */
void canonical_thread(struct bytes name, struct buffer *out);

/* For a stack's outermost frame, if it labels a thread or process: "java-12/13" and "worker-3"
 * change, "python3" does not. */
bool canonical_root(const struct canonical *c, struct bytes name, struct buffer *out);

/* Does canonical_apply leave a stack of folded text (frames without modules, joined by ';')
 * unchanged? The frames before byte `from`, where one starts, are known to stay. *spare is
 * overwritten. */
bool canonical_stack_is_unchanged(
	const struct canonical *c, struct bytes stack, size_t from, struct buffer *spare);

/* The stack that canonical_apply makes of it, in t->stack. False: the text alone does not
 * determine that. */
struct canonical_text {
	struct buffer stack, frame, root;
};
bool canonical_stack(const struct canonical *c, struct bytes stack, struct canonical_text *t);
void canonical_text_release(struct canonical_text *t);

/* Rename all frames of the view; parts that were split off a function are merged into it. */
void canonical_apply(const struct canonical *c, struct view *v);
/* Rename only outermost frames, those that transforms have added. */
void canonical_apply_roots(const struct canonical *c, struct view *v);

#endif

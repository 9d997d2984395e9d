/* tidy.h: a function's name as tools print it, made fit for a flame graph. */
#ifndef KILN_NAMES_TIDY_H
#define KILN_NAMES_TIDY_H

#include "base/buffer.h"
#include "model/profile.h"

/* Append `printed` to *out, as Kiln itself names a function: demangled (C++, Rust, D), without a
 * Rust hash, without the parameters and the type of its declaration (declaration.h), V8's names
 * without their marks (v8_name.h), ';' as ':'. */
void tidy_name(struct bytes printed, struct buffer *out);

/* The kind of a function with this printed name: for V8's that of its mark, else `kind`. */
enum frame_kind tidy_name_kind(struct bytes printed, enum frame_kind kind);

/* Append a name that whoever printed it took apart as if it were C++: a Rust hash at its end is cut
 * off and Rust's escapes are undone; any other name stays as it is. */
void tidy_rust_name(struct bytes printed, struct buffer *out);

/* The same as stackcollapse-perf.pl does it: not demangled, cut at the first '(' whatever it is in,
 * without quotes. */
void tidy_name_perl(struct bytes printed, struct buffer *out);
/* As inferno-collapse-perf does it: only what is left of Rust's mangling is undone. */
void tidy_name_inferno(struct bytes printed, struct buffer *out);

/* JIT compilers print what was inlined as "outer->inner": cut the first name off *names.
 * False at the end. "operator->" and an arrow inside brackets are part of a name. */
bool tidy_next_inlined(struct bytes *names, struct bytes *ret_name);

/* "Lorg/foo/Bar" as "org/foo/Bar": how the JVM writes a class. */
struct bytes tidy_java(struct bytes name);

/* The last part of a path, without " (deleted)". */
struct bytes tidy_base_name(struct bytes path);

/* The kind of code that a module (a path, "[kernel.kallsyms]", ...) holds. */
enum frame_kind tidy_module_kind(struct bytes module);

/* The kind that the suffix of a folded frame tells: _[k] _[j] _[i], else FRAME_NATIVE. */
enum frame_kind tidy_suffix_kind(struct bytes name);

#endif

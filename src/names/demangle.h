/* demangle.h: what is a function called in its source?
 *
 * C++ (Itanium), Rust (legacy and v0) and D. Names are shortened for pictures and tables:
 *
 * - parameter lists and what follows them (const, &, noexcept) are left out, at the end and between
 *   scopes: `A::f(int) const::{lambda(int)#1}::operator()(int)` becomes
 *   `A::f::{lambda(int)#1}::operator()`; template arguments, `(anonymous namespace)` and the
 *   signatures of lambdas, which distinguish functions, stay;
 * - Rust's hash (`::h` and 16 hexadecimal digits) and crate disambiguators are left out;
 * - suffixes that a compiler appends to its clones stay as they are in C: `foo.cold`, `foo.part.0`,
 *   `ns::foo.constprop.1`; LLVM's `.llvm.` and a number, which differ from build to build, do not.
 */
#ifndef KILN_NAMES_DEMANGLE_H
#define KILN_NAMES_DEMANGLE_H

#include "base/buffer.h"

/* Longer names stay mangled, and so do names whose demangled form exceeds the second limit:
 * nested templates can make a short name stand for an endless one. */
#define MANGLED_LIMIT	((size_t)4096)	/* bytes */
#define DEMANGLED_LIMIT ((size_t)65536) /* bytes */

/* Append the name's short form to `out`. False, and nothing appended, when `mangled` is not a
 * mangled name (a fast check for names in C), is malformed, or exceeds a limit. */
bool demangle(struct bytes mangled, struct buffer *out);

/* The same with all details, as binutils print it: parameters, qualifiers, "[clone .cold]". */
bool demangle_verbose(struct bytes mangled, struct buffer *out);

#endif

/* declaration.h: which function does a printed C++ declaration declare?
 *
 * Demanglers print functions as C++ declares them: with parameters, qualifiers and, for templates,
 * the type that is returned. Names in pictures are short (demangle.h), whoever demangled them:
 *
 *	void ns::f<int>(int)				ns::f<int>
 *	A::f(int) const::{lambda(int)#1}::operator()(int) const
 *							A::f::{lambda(int)#1}::operator()
 *	void (*pick(int))(char)				pick
 *	f(int) [clone .cold]				f.cold */
#ifndef KILN_NAMES_DECLARATION_H
#define KILN_NAMES_DECLARATION_H

#include "base/buffer.h"

/* Append the short name of the function that `printed` declares. A text without a parameter list,
 * as names in C, Rust and Go are, and one whose brackets do not match stays as it is. What follows
 * the last parameter list, as in other languages' signatures, is left out. */
void declaration_name(struct bytes printed, struct buffer *out);

/* Leave the parameter lists out of a demangled name without its own parameters and type, which
 * starts at `start` of *out and has a NUL behind it. `is_d`: in the language D. */
void declaration_shorten(struct buffer *out, size_t start, bool is_d);

#endif

/* symbols.h: which function of a binary is at an address?
 *
 * Functions come from the first of these that has any: the image's .symtab; that of a separate
 * debug file; .gnu_debugdata (a compressed .symtab of what .dynsym leaves out, as Fedora ships it).
 * To these come .dynsym and the entries of procedure linkage tables.
 *
 * Of several names for one address the one is taken that programs call: a function before a bare
 * label, one with a size before one without, a current one before one that is kept for old programs
 * (glibc's `cfree` beside `free`), global before local, then none that a library made for itself
 * (`__GI___libc_write`, and `__libc_write` before that), fewer leading underscores (`__vdso_` has
 * none), strong before weak, `open` before `open64`, else the longer name. Labels inside of a
 * function are not functions of their own. A symbol without size (hand-written assembly) reaches to
 * the next one or to the end of its section. Names lose their version (`memcpy@@GLIBC_2.14`).
 *
 * An IFUNC's symbol is at its resolver: the function that it chooses has a name only where local
 * symbols are. */
#ifndef KILN_IMAGES_SYMBOLS_H
#define KILN_IMAGES_SYMBOLS_H

#include "base/buffer.h"
#include "images/image.h"

struct symbols;

enum symbols_extent {
	SYMBOLS_NONE,	  /* no function at all */
	SYMBOLS_EXPORTED, /* only what .dynsym exports: static functions have no names */
	SYMBOLS_FULL,
};

struct symbol {
	struct bytes name;   /* as in the symbol table, without its version */
	uint64_t start, end; /* addresses of the image, [start, end) */
	bool plt;	     /* not the function but the stub through which it is called */
};

/* Load the functions of `image` and of its separate debug file (NULL: there is none), which must
 * outlive them. Cannot fail; what is damaged is left out. */
struct symbols *symbols_load(const struct image *image, const struct image *debug_file);
void symbols_release(struct symbols *s); /* NULL is fine */

/* The innermost function around `address`. The name lives as long as the symbols. */
bool symbols_find(const struct symbols *s, uint64_t address, struct symbol *ret_symbol);

/* Where the symbol table (.symtab) has a symbol of just this name, a function or not; the lowest
 * address when there are several. */
bool symbol_address(const struct image *image, struct bytes name, uint64_t *ret_address);

/* The function of just this name that the symbols of an image have, .symtab or .dynsym: current
 * ones before those for old programs. What is chosen when a program starts (an IFUNC) is no
 * function but what chooses it. */
enum function_found { FUNCTION_NONE, FUNCTION_THERE, FUNCTION_CHOSEN };
enum function_found function_address(
	const struct image *image, struct bytes name, uint64_t *ret_address);

/* The source file that a static function is from, as the symbol table has it: "main.c"; empty where
 * it does not say. */
struct bytes symbol_file(const struct image *image, const struct symbol *symbol);

/* How a person calls it: demangled, `@plt` behind stubs. Appends. */
void symbol_text(const struct symbol *symbol, struct buffer *out);

enum symbols_extent symbols_extent(const struct symbols *s);
const char *symbols_source(const struct symbols *s); /* the file or section they are from; "" */
size_t symbols_count(const struct symbols *s);	     /* without linkage tables */
struct symbol symbols_at(const struct symbols *s, size_t index); /* by ascending start */

#endif

/* symbols.h: which function of a binary is at an address?
 *
 * Functions come from the first of these that has any: the image's .symtab; that of a separate
 * debug file; .gnu_debugdata (a compressed .symtab of what .dynsym lacks, used by Fedora). To these
 * are added .dynsym and the entries of procedure linkage tables.
 *
 * If an address has several names, the one is chosen that programs call: a function before a plain
 * label; one with a size before one without; a current version before one kept for old programs
 * (glibc's `free` before `cfree`); global before local; names that a library made for itself last
 * (`__libc_write`, and behind it `__GI___libc_write`); fewer leading underscores first (`__vdso_`
 * counts as none); strong before weak; `open` before `open64`; otherwise the longer name. Labels
 * inside a function are not functions of their own. A symbol without a size (hand-written assembly)
 * extends to the next one or to the end of its section. Names lose their version
 * (`memcpy@@GLIBC_2.14`).
 *
 * The symbol of an IFUNC is at its resolver; the function that it chooses has a name only where
 * local symbols exist. */
#ifndef KILN_IMAGES_SYMBOLS_H
#define KILN_IMAGES_SYMBOLS_H

#include "base/buffer.h"
#include "images/image.h"

struct symbols;

enum symbols_extent {
	SYMBOLS_NONE,	  /* no functions at all */
	SYMBOLS_EXPORTED, /* only those that .dynsym exports: static functions have no names */
	SYMBOLS_FULL,
	SYMBOLS_OVER_LIMIT, /* not read: image_charge */
};

struct symbol {
	struct bytes name;   /* as in the symbol table, without its version */
	uint64_t start, end; /* addresses of the image, [start, end) */
	bool plt;	     /* not the function but a stub that calls it */
};

/* Load the functions of `image` and of its separate debug file (NULL: none), which must outlive
 * them. Cannot fail; what is damaged is left out. */
struct symbols *symbols_load(const struct image *image, const struct image *debug_file);
void symbols_release(struct symbols *s); /* NULL is allowed */

/* The innermost function at `address`. The name is valid as long as the symbols. */
bool symbols_find(const struct symbols *s, uint64_t address, struct symbol *ret_symbol);

/* The address of a symbol with exactly this name in .symtab, a function or not; the lowest if
 * there are several. */
bool symbol_address(const struct image *image, struct bytes name, uint64_t *ret_address);

/* The function with exactly this name in .symtab or .dynsym; current versions before old ones.
 * FUNCTION_IFUNC: an IFUNC, whose symbol is that of the resolver and not of the function. */
enum function_found { FUNCTION_NONE, FUNCTION_FOUND, FUNCTION_IFUNC };
enum function_found function_address(
	const struct image *image, struct bytes name, uint64_t *ret_address);

/* The source file of a static function, from the symbol table: "main.c"; empty if unknown. */
struct bytes symbol_file(const struct image *image, const struct symbol *symbol);

/* Append the name for people: demangled, with `@plt` for stubs. */
void symbol_text(const struct symbol *symbol, struct buffer *out);

enum symbols_extent symbols_extent(const struct symbols *s);
const char *symbols_source(const struct symbols *s); /* the file or section they come from; "" */
size_t symbols_count(const struct symbols *s);	     /* without stubs of linkage tables */
struct symbol symbols_at(const struct symbols *s, size_t index); /* by ascending start */

#endif

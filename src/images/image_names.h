/* image_names.h: what are the functions at the addresses of a binary called, inlined ones included?
 *
 * The function at an address comes from the symbol table, or else from the debugging information,
 * which also tells what was inlined there.
 *
 * The floor in short: image.h opens an ELF file; symbols.h, plt.h and dwarf_lookup.h name its
 * addresses; binary_locations.h and debug_file.h find it, and what was stripped from it, on this
 * machine. cfi.h and unwind.h walk stacks by its call frame information. kernel.h has the kernel's
 * symbols. code_map.h has code that runtimes generated, from perf_map.h, jitdump.h and v8_log.h.
 *
 * Answers are kept in memory and in the symbol cache on disk (symbol_cache.h), keyed by build
 * id, so that a later run opens neither symbols nor debugging information for addresses that
 * were looked up before. A file in the cache is valid if it was made from the same symbols that
 * are found now (so a debug file that was installed since is noticed), and also if no symbols
 * are found now. `bench/symbolize.sh`: a million addresses take 1.03 s without the cache and
 * 0.11 s with it. */
#ifndef KILN_IMAGES_IMAGE_NAMES_H
#define KILN_IMAGES_IMAGE_NAMES_H

#include "images/chains.h"
#include "images/symbols.h"

struct binary_locations;

enum names_depth {
	NAMES_INLINED,	 /* functions and those inlined into them */
	NAMES_LINES,	 /* ... and files and lines */
	NAMES_FUNCTIONS, /* functions only: debugging information is not read if symbols have them
			  */
	NAMES_DEPTHS
};

struct image_names;

/* The names of `image`, which must outlive them, and of its separate debug file, which is searched
 * for in `binary_locations`. What `binary_locations` points to must live as long. Reads nothing
 * yet. */
struct image_names *image_names_open(
	const struct image *image, const struct binary_locations *binary_locations);
/* Write new answers to disk; by one thread at a time. */
void image_names_save(struct image_names *n);
/* Answers that were not saved are lost. NULL is allowed. */
void image_names_release(struct image_names *n);

struct names_answer {
	/* The chains that the answers refer to. They live until release; they grow, but ids do
	 * not change. */
	const struct chains *chains;
	enum symbols_extent extent;
	bool is_over_limit; /* something was not read: image_charge */
	size_t known;	    /* addresses that were answered without reading the binary */
};

/* The chain at each of `count` ascending addresses; 0: no known function. `stored`: use the
 * cache on disk. */
struct names_answer image_names_find(struct image_names *n, enum names_depth depth, bool stored,
	const uint64_t *addresses, size_t count, uint32_t *ret_chains);

#endif

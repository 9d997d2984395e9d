/* image_names.h: what are the functions at the addresses of a binary called, inlined ones included?
 *
 * The function around an address is the symbol table's, else that of the debugging information,
 * which also says what was inlined there. Answers are kept, on disk too (symbol_cache.h), by build
 * id: a later run opens neither symbols nor debugging information for addresses that were asked for
 * before. A file there is used when it was made from the symbols that are found now (so that a
 * debug file that was installed since is noticed), and also when none are found now. */
#ifndef KILN_IMAGES_IMAGE_NAMES_H
#define KILN_IMAGES_IMAGE_NAMES_H

#include "images/chains.h"
#include "images/symbols.h"

struct places;

enum names_depth {
	NAMES_INLINED,	 /* functions and what was inlined into them */
	NAMES_LINES,	 /* ... and files and lines */
	NAMES_FUNCTIONS, /* functions only: no debugging information is read where symbols do */
	NAMES_DEPTHS
};

struct image_names;

/* Of `image`, which must outlive them, and its separate debug file, which may lie in `places`; what
 * `places` points to must live as long. Nothing is read yet. */
struct image_names *image_names_open(const struct image *image, const struct places *places);
/* What was found out is written to disk, by one thread at a time. */
void image_names_keep(struct image_names *n);
/* What was not kept is forgotten; NULL is fine. */
void image_names_release(struct image_names *n);

struct names_answer {
	/* What the answers refer to. It lives until the release, and grows: ids stay what they
	 * are. */
	const struct chains *chains;
	enum symbols_extent extent;
	size_t known; /* addresses that were answered without looking at the binary */
};

/* The chain at each of `count` ascending addresses; 0 where no function is known. With `stored`
 * answers come from the disk, too, and go there. */
struct names_answer image_names_find(struct image_names *n, enum names_depth depth, bool stored,
	const uint64_t *addresses, size_t count, uint32_t *ret_chains);

#endif

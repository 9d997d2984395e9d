/* usdt.h: which static probes (USDT) does a binary have, and what are their arguments?
 *
 * A probe is a nop in the code and a note of type 3 and name "stapsdt" in .note.stapsdt: the
 * addresses of the nop, of .stapsdt.base as linked (prelinking moves both) and of a counter of
 * listeners, or 0; then provider, probe and arguments as texts. An argument is "-4@%edi" (4
 * bytes, signed), "8@16(%rsp)" or "4@$7". (SystemTap's wiki, "UserSpaceProbeImplementation".) */
#ifndef KILN_IMAGES_USDT_H
#define KILN_IMAGES_USDT_H

#include "images/image.h"

struct usdt_probe {
	struct bytes provider, name, arguments;
	uint64_t address;   /* of the image */
	uint64_t semaphore; /* address of the counter, or 0 */
};

/* The next probe of a 64-bit image, from *at (0 at first) on; false: no more, or damaged. Valid
 * as long as the image. A probe in inlined code appears several times. */
bool usdt_next(const struct image *image, size_t *at, struct usdt_probe *ret_probe);

enum usdt_where { USDT_CONSTANT, USDT_REGISTER, USDT_MEMORY };

struct usdt_argument {
	enum usdt_where where;
	uint8_t size; /* bytes: 1, 2, 4, 8 */
	bool is_signed;
	uint8_t column; /* of the register, see arch.h */
	int64_t add;	/* the constant, or the offset from the register */
};

/* How many arguments there are. */
unsigned usdt_count(struct bytes arguments);
/* Argument `index` (from 0) of a probe on x86-64; false: none, or of another kind (floating
 * point, an address with two registers). */
bool usdt_argument(struct bytes arguments, unsigned index, struct usdt_argument *ret_argument);

#endif

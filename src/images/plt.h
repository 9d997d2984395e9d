/* plt.h: which function do the stubs of a procedure linkage table call?
 *
 * A stub jumps through a slot of the global offset table, and the relocation of that slot names
 * the function. So stubs are decoded from their code, and every layout of every linker works
 * (.plt, .plt.sec, .plt.got, .plt.bnd, .iplt). x86-64 and AArch64; other machines have no
 * entries. */
#ifndef KILN_IMAGES_PLT_H
#define KILN_IMAGES_PLT_H

#include "base/memory.h"
#include "images/image.h"

struct plt_entry {
	uint64_t start, end; /* addresses of the stub */
	uint32_t symbol;     /* index in .dynsym; 0: see resolver */
	uint64_t resolver;   /* of an IFUNC; 0: none */
};

struct plt {
	VECTOR(struct plt_entry) entries; /* by ascending start */
};

void plt_load(struct plt *plt, const struct image *image);
void plt_release(struct plt *plt);
const struct plt_entry *plt_find(const struct plt *plt, uint64_t address); /* or NULL */

#endif

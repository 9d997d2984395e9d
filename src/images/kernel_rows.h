/* kernel_rows.h: what is a kernel's table of symbols? For files of images/ about the kernel. */
#ifndef KILN_IMAGES_KERNEL_ROWS_H
#define KILN_IMAGES_KERNEL_ROWS_H

#include "base/buffer.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/stable_file.h"

struct kernel_row {
	uint64_t address;
	uint32_t name; /* offset in the text */
	uint16_t name_len;
	uint16_t module : 14, rank : 2;
};
#define KERNEL_MODULES_LIMIT ((1u << 14) - 1) /* functions of further modules count as [kernel] */

struct kernel {
	struct input input; /* text of kernel_open */
	bool opened;
	struct buffer made;	 /* text of kernel_of_image */
	struct stable_file kept; /* text and rows of kernel_kept_open */
	struct bytes text;
	VECTOR(struct kernel_row) rows; /* functions by ascending address, one for each address */
	VECTOR(struct bytes) modules;
	uint64_t text_start;
};

/* Which symbols are these? */
#define KERNEL_BOOT_ROOM      48u
#define KERNEL_BEGINNING_ROOM 256u
struct kernel_key {
	char boot[KERNEL_BOOT_ROOM];	       /* /proc/sys/kernel/random/boot_id */
	char beginning[KERNEL_BEGINNING_ROOM]; /* of /proc/kallsyms: addresses differ at each
						  boot, or are hidden */
	uint64_t modules;		       /* a hash of names, sizes and addresses */
	uint64_t programs;		       /* a hash of the BPF programs' ids; 0: unknown */
};

/* The content of the file that keeps these symbols; and symbols that use the parts of such a file,
 * which is aligned to 8 bytes and outlives them. False: it is damaged. */
void kernel_kept_make(
	const struct kernel *k, const struct kernel_key *key, struct buffer *ret_file);
bool kernel_kept_take(struct kernel *k, struct bytes file);

#endif

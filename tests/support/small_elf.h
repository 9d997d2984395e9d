/* small_elf.h: an ELF file around unwind tables, so that fuzzers spend their time on those. */
#ifndef KILN_TEST_SMALL_ELF_H
#define KILN_TEST_SMALL_ELF_H

#include "base/buffer.h"

#define SMALL_ELF_CODE	   ((uint64_t)0x10000) /* address of its .plt, 64 bytes */
#define SMALL_ELF_TABLES   ((uint64_t)0x20000) /* address of its tables */
#define SMALL_ELF_CODE_END ((uint64_t)0x20000)

/* An x86-64 executable with `tables` as its .eh_frame (or .debug_frame), `header` as its
 * .eh_frame_hdr when it is not empty, and an empty .plt. */
void small_elf(struct buffer *ret_file, struct bytes tables, bool debug, struct bytes header);

#define SMALL_ELF_CODE_SIZE ((uint64_t)0x1000) /* bytes of a stripped executable's .text */

/* A stripped x86-64 executable: a .text without symbols at `code`, the build id (at most 32 bytes;
 * empty: none), and a .gnu_debuglink to the file `link` with this checksum. */
void small_elf_stripped(struct buffer *ret_file, uint64_t code, struct bytes build_id,
	const char *link, uint32_t checksum);

#endif

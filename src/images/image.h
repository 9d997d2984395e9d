/* image.h: a binary: its bytes, its segments and sections, its build id.
 *
 * Images are immutable once open and may be shared between threads. */
#ifndef KILN_IMAGES_IMAGE_H
#define KILN_IMAGES_IMAGE_H

#include "base/bytes.h"
#include "base/error.h"

struct image;

/* Open an ELF file. Does not follow references in it to other files. ERR_FORMAT with the file's
 * name when it is not an ELF file of a known machine, or is damaged. */
struct image *image_open(const char *path, struct error *err);
/* As image_open, from a descriptor (not consumed): deleted files, /proc/PID/map_files. */
struct image *image_open_fd(int fd, const char *name, struct error *err);
/* Why one of these failed, as a short phrase about "it". */
const char *image_failure_reason(const struct error *err);
/* From bytes that outlive the image: the vdso, fuzzers, an unpacked .gnu_debugdata. */
struct image *image_open_bytes(struct bytes content, const char *name, struct error *err);
/* The vdso of this process, "[vdso]". All processes of the same class (32 or 64 bits) on this
 * kernel have the same vdso. */
struct image *image_open_vdso(struct error *err);
void image_release(struct image *image); /* NULL is allowed */

/* Can other users change the file? Then image_charge counts the memory for data derived from its
 * content, such as a table of symbols, until the image is released. False from image_charge: the
 * memory for data from all such files has reached its limit. */
bool image_others_can_change(const struct image *image);
bool image_charge(const struct image *image, uint64_t bytes);
/* Was there no room for a table or a section? */
bool image_is_over_limit(const struct image *image);

const char *image_name(const struct image *image);
struct bytes image_content(const struct image *image);		       /* the whole file */
struct bytes image_build_id(const struct image *image);		       /* raw bytes, or empty */
void image_build_id_text(const struct image *image, char ret_hex[65]); /* lower case, or "" */
/* Its build id, or "xxh3:" and a hash of the file if it has none: different for different
 * builds. */
void image_identity_text(const struct image *image, char ret_text[65]);
/* The build id in ELF notes from any source, or empty; at most 32 bytes. */
struct bytes build_id_in_notes(struct bytes notes);
void build_id_text(struct bytes build_id, char ret_hex[65]);
uint16_t image_machine(const struct image *image); /* EM_X86_64, ... */
uint16_t image_type(const struct image *image);	   /* ET_EXEC, ET_DYN, ... */

/* Convert between file offsets and the addresses that symbols and tables use (p_vaddr), through
 * the PT_LOAD segments. False outside of them. */
bool image_address(const struct image *image, uint64_t offset, uint64_t *ret_address);
bool image_offset(const struct image *image, uint64_t address, uint64_t *ret_offset);
/* The same for a mapping of code: mappings begin at pages, so `offset` may lie before the start
 * of the segment that is mapped. */
bool image_code_address(
	const struct image *image, uint64_t offset, uint64_t size, uint64_t *ret_address);
/* File bytes from `address` to the end of its segment; empty if not in the file. */
struct bytes image_at(const struct image *image, uint64_t address);

struct image_section {
	const char *name;
	uint64_t address; /* 0 when not loaded */
	uint64_t size;
	struct bytes
		content; /* decompressed (SHF_COMPRESSED, .zdebug_) on first use; empty: NOBITS */
	uint32_t type;	 /* SHT_* */
	uint64_t flags;
	uint32_t link, entry_size;
};

/* By name; NULL when there is none. Lives as long as the image. */
const struct image_section *image_section(const struct image *image, const char *name);
const struct image_section *image_section_by_index(const struct image *image, size_t index);
/* As image_section, without decompressing the content. */
const struct image_section *image_section_header(const struct image *image, size_t index);
/* The bytes of the program header of this type (PT_GNU_EH_FRAME, ...) and its address; empty:
 * none. */
struct bytes image_segment(const struct image *image, uint32_t type, uint64_t *ret_address);

#endif

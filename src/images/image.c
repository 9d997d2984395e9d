/* image.c: what are the parts of an ELF file?
 *
 * The file is not trusted: every range is clipped to the bytes that exist. libelf parses the
 * headers of both classes; contents are read in place. Compressed sections are unpacked by
 * decompress.c, because libelf's elf_compress writes into the headers. */
#include "images/image.h"

#include "base/broker.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/scope.h"
#include "images/decompress.h"
#include "images/image_file.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif
#define SEGMENTS_LIMIT 4096u /* program headers; real files have about ten */

#define BUILD_ID_LIMIT	 32u /* bytes */
#define NOTE_HEADER_SIZE 12u
#define ELF_NO_MEMORY	 8 /* ELF_E_NOMEM of libelf's libelfP.h */

struct segment {
	uint32_t type, flags;
	uint64_t offset, address;
	struct bytes content; /* clipped to the file */
};

struct section {
	struct image_section shown;
	bool packed;	/* content is still compressed */
	char *unpacked; /* the decompressed content, or NULL */
};

struct image {
	char *name;
	struct bytes content;
	struct image_file *file; /* owns the content; empty: the caller owns it */
	uint16_t machine, type;
	struct bytes build_id;
	VECTOR(struct segment) segments;
	VECTOR(struct section) sections; /* by index; [0] is the null section */
	pthread_mutex_t *unpacking;	 /* for decompressing sections and for charging `file` */
};

static struct bytes content_part(const struct image *image, uint64_t offset, uint64_t size)
{
	if (offset >= image->content.len || !size)
		return (struct bytes){0};
	if (size > image->content.len - offset)
		size = image->content.len - offset;
	return (struct bytes){image->content.at + offset, (size_t)size};
}

static bool is_packed_by_name(const char *name)
{
	return !strncmp(name, ".zdebug_", 8);
}

/* ---- Headers ---- */

static bool machine_is_known(uint16_t machine)
{
	switch (machine) {
	case EM_X86_64:
	case EM_386:
	case EM_AARCH64:
	case EM_ARM:
	case EM_RISCV:
	case EM_PPC64:
	case EM_LOONGARCH:
		return true;
	default:
		return false;
	}
}

static bool read_elf_header(
	struct image *image, Elf *elf, uint64_t *ret_section_offset, struct error *err)
{
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return error_set(err, ERR_FORMAT, "%s: not an ELF file", image->name);
	if (header.e_ident[EI_DATA] != ELFDATA2LSB)
		return error_set(err, ERR_UNSUPPORTED,
			"%s: a big-endian ELF file; Kiln reads little-endian ones", image->name);
	if (!machine_is_known(header.e_machine))
		return error_set(err, ERR_UNSUPPORTED, "%s: an ELF file of an unknown machine (%u)",
			image->name, header.e_machine);
	image->machine = header.e_machine;
	image->type = header.e_type;
	*ret_section_offset = header.e_shoff;
	return true;
}

static bool read_segments(struct image *image, Elf *elf, struct error *err)
{
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return error_set(err, ERR_FORMAT, "%s: damaged ELF file: expected program headers",
			image->name);
	if (count > SEGMENTS_LIMIT)
		return error_set(err, ERR_LIMIT, "%s: %zu program headers, more than %u",
			image->name, count, SEGMENTS_LIMIT);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header))
			return error_set(err, ERR_FORMAT,
				"%s: damaged ELF file: program header %zu is beyond its end",
				image->name, i);
		vector_push(&image->segments,
			((struct segment){header.p_type, header.p_flags, header.p_offset,
				header.p_vaddr,
				content_part(image, header.p_offset, header.p_filesz)}));
	}
	return true;
}

static struct section section_of(const struct image *image, const GElf_Shdr *header)
{
	struct section section = {
		.shown = {.name = "",
			.address = header->sh_addr,
			.size = header->sh_size,
			.type = header->sh_type,
			.flags = header->sh_flags,
			.link = header->sh_link,
			.entry_size = (uint32_t)header->sh_entsize},
	};

	/* A section that is only partly in the file is left out: a truncated table misleads. */
	if (header->sh_type != SHT_NOBITS && header->sh_type != SHT_NULL) {
		struct bytes part = content_part(image, header->sh_offset, header->sh_size);

		if (part.len == header->sh_size)
			section.shown.content = part;
	}
	return section;
}

static void section_set_name(struct section *section, struct bytes names, uint32_t at)
{
	if (at < names.len && memchr(names.at + at, 0, names.len - at))
		section->shown.name = names.at + at;
	section->packed =
		section->shown.content.len &&
		(section->shown.flags & SHF_COMPRESSED || is_packed_by_name(section->shown.name));
}

static bool read_sections(struct image *image, Elf *elf, uint64_t offset, struct error *err)
{
	size_t count, names;
	VECTOR(uint32_t) name_at = {0};
	struct bytes text = {0};

	if (!offset)
		return true;
	if (offset >= image->content.len || elf_getshdrnum(elf, &count))
		return error_set(err, ERR_FORMAT,
			"%s: truncated ELF file: its section headers are at byte %llu of %zu",
			image->name, (unsigned long long)offset, image->content.len);
	for (size_t i = 0; i < count; i++) {
		GElf_Shdr header;

		if (!gelf_getshdr(elf_getscn(elf, i), &header)) {
			vector_release(&name_at);
			return error_set(err, ERR_FORMAT,
				"%s: truncated ELF file: section header %zu is beyond its end",
				image->name, i);
		}
		vector_push(&image->sections, section_of(image, &header));
		vector_push(&name_at, header.sh_name);
	}
	if (!elf_getshdrstrndx(elf, &names) && names < image->sections.len)
		text = image->sections.items[names].shown.content;
	for (size_t i = 0; i < image->sections.len; i++)
		section_set_name(&image->sections.items[i], text, name_at.items[i]);
	vector_release(&name_at);
	return true;
}

/* ---- The build id ---- */

/* A note is (name size, content size, type) in 32 bits each, the name, the content, both padded.
 * The System V ABI pads to 8 bytes in 64-bit files; binutils and the kernel pad to 4 unless the
 * segment's alignment is 8. The GNU build id is in notes padded to 4. */
struct bytes build_id_in_notes(struct bytes notes)
{
	while (notes.len >= NOTE_HEADER_SIZE) {
		uint32_t word[3];
		uint64_t name_size, size;

		memcpy(word, notes.at, sizeof(word));
		name_size = ((uint64_t)word[0] + 3) & ~(uint64_t)3;
		size = ((uint64_t)word[1] + 3) & ~(uint64_t)3;
		if (name_size + word[1] > notes.len - NOTE_HEADER_SIZE)
			break;
		if (word[2] == NT_GNU_BUILD_ID && word[0] == 4 &&
			!memcmp(notes.at + NOTE_HEADER_SIZE, "GNU", 4) && word[1] &&
			word[1] <= BUILD_ID_LIMIT)
			return (struct bytes){notes.at + NOTE_HEADER_SIZE + name_size, word[1]};
		if (name_size + size > notes.len - NOTE_HEADER_SIZE)
			break;
		notes.at += NOTE_HEADER_SIZE + name_size + size;
		notes.len -= NOTE_HEADER_SIZE + name_size + size;
	}
	return (struct bytes){0};
}

/* Sections first: the segments of a separate debug file may describe the offsets of the original
 * binary. */
static void find_build_id(struct image *image)
{
	for (size_t i = 0; i < image->sections.len && !image->build_id.len; i++) {
		const struct section *section = &image->sections.items[i];

		if (section->shown.type == SHT_NOTE && !section->packed)
			image->build_id = build_id_in_notes(section->shown.content);
	}
	for (size_t i = 0; i < image->segments.len && !image->build_id.len; i++)
		if (image->segments.items[i].type == PT_NOTE)
			image->build_id = build_id_in_notes(image->segments.items[i].content);
}

/* ---- Opening ---- */

static void start_libelf(void)
{
	elf_version(EV_CURRENT);
}

static void end_elf(void *elf)
{
	elf_end(elf);
}

/* libelf reports lack of memory by an error number that its public header does not name. */
static void fail_out_of_memory(void)
{
	const char *why = elf_errmsg(0);

	if (why && !strcmp(why, elf_errmsg(ELF_NO_MEMORY)))
		scope_fail(0);
}

static bool read_headers(struct image *image, struct error *err)
{
	static pthread_once_t started = PTHREAD_ONCE_INIT;
	uint64_t section_offset = 0;
	bool done;
	Elf *elf;

	pthread_once(&started, start_libelf);
	/* elf_memory takes a pointer to writable bytes but only reads them. */
	elf = elf_memory((char *)(uintptr_t)image->content.at, image->content.len);
	if (!elf) {
		fail_out_of_memory();
		return error_set(err, ERR_FORMAT, "%s: not an ELF file", image->name);
	}
	scope_hold(elf, end_elf);
	done = read_elf_header(image, elf, &section_offset, err) &&
	       read_segments(image, elf, err) && read_sections(image, elf, section_offset, err);
	if (!done)
		fail_out_of_memory();
	scope_drop(elf);
	elf_end(elf);
	if (done)
		find_build_id(image);
	return done;
}

static struct image *image_of(
	struct bytes content, const struct image_file *file, const char *name, struct error *err)
{
	struct image *image = memory_new(1, sizeof(*image));

	image->name = memory_copy_text(name, strlen(name));
	image->content = content;
	image->file = memory_new(1, sizeof(*image->file));
	*image->file = *file;
	image->unpacking = memory_new(1, sizeof(*image->unpacking));
	pthread_mutex_init(image->unpacking, NULL);
	if (!read_headers(image, err)) {
		image_release(image);
		return NULL;
	}
	return image;
}

struct image *image_open_bytes(struct bytes content, const char *name, struct error *err)
{
	if (content.len < EI_NIDENT) {
		error_set(err, ERR_FORMAT, "%s: not an ELF file", name);
		return NULL;
	}
	return image_of(content, &(struct image_file){0}, name, err);
}

struct image *image_open_fd(int fd, const char *name, struct error *err)
{
	struct image_file file;

	return image_file_open(&file, fd, name, err)
		       ? image_of(file.stable.content, &file, name, err)
		       : NULL;
}

const char *image_failure_reason(const struct error *err)
{
	return err->code == ERR_LIMIT ? "it is too large, or a sparse file"
				      : "it is not a readable ELF file";
}

struct image *image_open(const char *path, struct error *err)
{
	int fd = scope_fd(broker_open(BROKER_BINARY, path));
	struct image *image;

	if (fd < 0) {
		if (errno == ENXIO)
			error_set(err, ERR_FORMAT, "%s: not a regular file", path);
		else
			error_errno(err, "%s", path);
		return NULL;
	}
	image = image_open_fd(fd, path, err);
	scope_close(fd);
	return image;
}

/* The kernel gives the address but not the size. The section headers or a segment come last, and
 * all bytes can be read because whole pages are mapped. */
struct image *image_open_vdso(struct error *err)
{
	const char *at = (const char *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)at;
	const ElfW(Phdr) * segment;
	size_t size;

	if (!at) {
		error_set(err, ERR_UNSUPPORTED, "[vdso]: this process has no vdso");
		return NULL;
	}
	segment = (const ElfW(Phdr) *)(at + header->e_phoff);
	size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	for (size_t i = 0; i < header->e_phnum; i++)
		if (segment[i].p_offset + segment[i].p_filesz > size)
			size = segment[i].p_offset + segment[i].p_filesz;
	return image_open_bytes((struct bytes){at, size}, "[vdso]", err);
}

void image_release(struct image *image)
{
	if (!image)
		return;
	for (size_t i = 0; i < image->sections.len; i++)
		memory_free(image->sections.items[i].unpacked);
	image_file_close(image->file);
	memory_free(image->file);
	vector_release(&image->segments);
	vector_release(&image->sections);
	pthread_mutex_destroy(image->unpacking);
	memory_free(image->unpacking);
	memory_free(image->name);
	memory_free(image);
}

/* ---- Answers ---- */

bool image_others_can_change(const struct image *image)
{
	return image->file->others_can_change;
}

bool image_is_over_limit(const struct image *image)
{
	bool is_over_limit;

	pthread_mutex_lock(image->unpacking);
	is_over_limit = image->file->is_over_limit;
	pthread_mutex_unlock(image->unpacking);
	return is_over_limit;
}

bool image_charge(const struct image *image, uint64_t bytes)
{
	bool fits;

	pthread_mutex_lock(image->unpacking);
	fits = image_file_charge(image->file, bytes);
	pthread_mutex_unlock(image->unpacking);
	return fits;
}

const char *image_name(const struct image *image)
{
	return image->name;
}

struct bytes image_content(const struct image *image)
{
	return image->content;
}

struct bytes image_build_id(const struct image *image)
{
	return image->build_id;
}

void build_id_text(struct bytes build_id, char ret_hex[65])
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < build_id.len; i++) {
		ret_hex[2 * i] = digit[(unsigned char)build_id.at[i] >> 4];
		ret_hex[2 * i + 1] = digit[(unsigned char)build_id.at[i] & 15];
	}
	ret_hex[2 * build_id.len] = 0;
}

void image_build_id_text(const struct image *image, char ret_hex[65])
{
	build_id_text(image->build_id, ret_hex);
}

void image_identity_text(const struct image *image, char ret_text[65])
{
	image_build_id_text(image, ret_text);
	if (!*ret_text)
		snprintf(ret_text, 65, "xxh3:%016llx",
			(unsigned long long)hash_bytes(image->content.at, image->content.len));
}

uint16_t image_machine(const struct image *image)
{
	return image->machine;
}

uint16_t image_type(const struct image *image)
{
	return image->type;
}

/* Callers ask about code: where segments share bytes of the file, the executable one is used. */
bool image_address(const struct image *image, uint64_t offset, uint64_t *ret_address)
{
	bool found = false;

	for (size_t i = 0; i < image->segments.len; i++) {
		const struct segment *s = &image->segments.items[i];

		if (s->type != PT_LOAD || offset < s->offset ||
			offset - s->offset >= s->content.len)
			continue;
		if (!found || s->flags & PF_X)
			*ret_address = s->address + (offset - s->offset);
		found = true;
		if (s->flags & PF_X)
			break;
	}
	return found;
}

bool image_code_address(
	const struct image *image, uint64_t offset, uint64_t size, uint64_t *ret_address)
{
	for (size_t i = 0; i < image->segments.len; i++) {
		const struct segment *s = &image->segments.items[i];

		if (s->type != PT_LOAD || !(s->flags & PF_X) || s->offset >= offset + size ||
			offset >= s->offset + s->content.len)
			continue;
		*ret_address = s->address + (offset - s->offset);
		return true;
	}
	return image_address(image, offset, ret_address);
}

static const struct segment *segment_at(const struct image *image, uint64_t address)
{
	for (size_t i = 0; i < image->segments.len; i++) {
		const struct segment *s = &image->segments.items[i];

		if (s->type == PT_LOAD && address >= s->address &&
			address - s->address < s->content.len)
			return s;
	}
	return NULL;
}

bool image_offset(const struct image *image, uint64_t address, uint64_t *ret_offset)
{
	const struct segment *s = segment_at(image, address);

	if (s)
		*ret_offset = s->offset + (address - s->address);
	return s;
}

struct bytes image_at(const struct image *image, uint64_t address)
{
	const struct segment *s = segment_at(image, address);

	if (!s)
		return (struct bytes){0};
	return (struct bytes){s->content.at + (address - s->address),
		s->content.len - (size_t)(address - s->address)};
}

struct bytes image_segment(const struct image *image, uint32_t type, uint64_t *ret_address)
{
	for (size_t i = 0; i < image->segments.len; i++) {
		const struct segment *s = &image->segments.items[i];

		if (s->type == type && s->content.len) {
			*ret_address = s->address;
			return s->content;
		}
	}
	return (struct bytes){0};
}

/* ---- Sections ---- */

/* A section that cannot be decompressed is empty. */
static void section_unpack(const struct image *image, struct section *section)
{
	struct image_section *shown = &section->shown;
	bool flagged = shown->flags & SHF_COMPRESSED;
	bool wide = image->content.at[EI_CLASS] == ELFCLASS64;
	size_t size = decompressed_size(shown->content, flagged, wide);

	if (size && image_file_charge(image->file, size))
		section->unpacked = decompress_section(shown->content, flagged, wide);
	if (!section->unpacked)
		size = 0;
	shown->size = size;
	shown->content = (struct bytes){section->unpacked, size};
	section->packed = false;
}

/* A section, decompressed on first use. */
static const struct image_section *section_shown(const struct image *image, size_t index)
{
	struct section *section = &image->sections.items[index];

	pthread_mutex_lock(image->unpacking);
	if (section->packed) {
		scope_hold_lock(image->unpacking);
		section_unpack(image, section);
		scope_drop(image->unpacking);
	}
	pthread_mutex_unlock(image->unpacking);
	return &section->shown;
}

/* ".zdebug_x" is the compressed form of ".debug_x". */
static bool section_is_named(const char *name, const char *section_name)
{
	return !strcmp(name, section_name) || (is_packed_by_name(name) && section_name[0] == '.' &&
						      !strcmp(name + 2, section_name + 1));
}

const struct image_section *image_section(const struct image *image, const char *name)
{
	for (size_t i = 1; i < image->sections.len; i++)
		if (section_is_named(image->sections.items[i].shown.name, name))
			return section_shown(image, i);
	return NULL;
}

const struct image_section *image_section_by_index(const struct image *image, size_t index)
{
	return index < image->sections.len ? section_shown(image, index) : NULL;
}

const struct image_section *image_section_header(const struct image *image, size_t index)
{
	return index < image->sections.len ? &image->sections.items[index].shown : NULL;
}

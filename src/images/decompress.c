/* decompress.c: what is in a compressed section? */
#include "images/decompress.h"

#include "base/expansion.h"
#include "base/memory.h"
#include "base/scope.h"

#include <elf.h>
#include <libdeflate.h>
#include <stdlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* Accept at most this many decompressed bytes for each compressed byte: deflate can reach 1032;
 * zstd can reach more, but not with debugging information. This keeps a small crafted file from
 * requesting much memory. */
#define UNPACKED_RATIO 1100u

struct packing {
	uint32_t type; /* ELFCOMPRESS_* */
	uint64_t size; /* decompressed */
	struct bytes content;
};

static bool read_header(struct bytes all, bool flagged, bool wide, struct packing *ret)
{
	size_t header_size = 12;

	if (flagged && wide && all.len > sizeof(Elf64_Chdr)) {
		Elf64_Chdr header;

		header_size = sizeof(header);
		memcpy(&header, all.at, sizeof(header));
		*ret = (struct packing){.type = header.ch_type, .size = header.ch_size};
	} else if (flagged && !wide && all.len > header_size) {
		Elf32_Chdr header;

		memcpy(&header, all.at, sizeof(header));
		*ret = (struct packing){.type = header.ch_type, .size = header.ch_size};
	} else if (all.len > header_size && !memcmp(all.at, "ZLIB", 4)) {
		*ret = (struct packing){.type = ELFCOMPRESS_ZLIB};
		for (size_t i = 4; i < header_size; i++)
			ret->size = ret->size << 8 | (unsigned char)all.at[i];
	} else {
		return false;
	}
	ret->content = (struct bytes){all.at + header_size, all.len - header_size};
	return true;
}

/* libdeflate, because the whole section is in memory: three times as fast as zlib. */
static bool unpack_zlib(const struct packing *packing, char *ret_unpacked)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	bool done;

	if (!d)
		scope_fail(0);
	done = libdeflate_zlib_decompress(d, packing->content.at, packing->content.len,
		       ret_unpacked, packing->size, NULL) == LIBDEFLATE_SUCCESS;
	libdeflate_free_decompressor(d);
	return done;
}

static bool unpack(const struct packing *packing, char *ret_unpacked)
{
	if (packing->type == ELFCOMPRESS_ZLIB)
		return unpack_zlib(packing, ret_unpacked);
#ifdef HAVE_ZSTD
	if (packing->type == ELFCOMPRESS_ZSTD) {
		size_t size = ZSTD_decompress(
			ret_unpacked, packing->size, packing->content.at, packing->content.len);

		if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation)
			scope_fail(0);
		return size == packing->size;
	}
#endif
	return false;
}

/* False: it has no content that may be decompressed. */
static bool read_packing(struct bytes section, bool flagged, bool wide, struct packing *ret)
{
	return read_header(section, flagged, wide, ret) && ret->size &&
	       ret->size <= expansion_limit(section.len) &&
	       ret->size / UNPACKED_RATIO <= ret->content.len;
}

size_t decompressed_size(struct bytes section, bool flagged, bool wide)
{
	struct packing packing;

	return read_packing(section, flagged, wide, &packing) ? packing.size : 0;
}

char *decompress_section(struct bytes section, bool flagged, bool wide)
{
	struct packing packing;
	char *unpacked;

	if (!read_packing(section, flagged, wide, &packing))
		return NULL;
	unpacked = memory_new(packing.size, 1);
	if (unpack(&packing, unpacked))
		return unpacked;
	memory_free(unpacked);
	return NULL;
}

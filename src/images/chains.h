/* chains.h: what is known about the addresses of one binary, in memory and as a file.
 *
 * The answer for an address is a chain of functions: the one whose code contains it, then those
 * inlined at that address. Chains are rows that point to their caller, like stacks in a profile, so
 * that all addresses in one function share a row; texts are stored once.
 *
 * The file, in the byte order of the machine that wrote it, every part aligned to its items:
 *
 *	struct chains_header
 *	uint64_t addresses[header.addresses]          ascending
 *	uint32_t chain_of[header.addresses]           the chain at each address
 *	struct chain chains[header.chains]            [0] is all zeroes
 *	uint32_t text_ends[header.texts]              [0] is 0: the empty text
 *	char text[last of text_ends]
 *
 * Its checksum is XXH3 over everything behind the checksum. */
#ifndef KILN_IMAGES_CHAINS_H
#define KILN_IMAGES_CHAINS_H

#include "base/hash.h"
#include "base/memory.h"
#include "base/output.h"

#define CHAINS_MAGIC   "KILNSYM1"
#define CHAINS_LIMIT   ((uint64_t)1 << 28) /* rows of any table of a file */
#define CHAIN_LIMIT    257u		   /* functions of a chain */
#define CHAINS_UNKNOWN UINT32_MAX	   /* this address has not been looked up yet */

/* A function, and where control leaves it: for the last of a chain the line of the address, for
 * others the line of the call. */
struct chain {
	uint32_t caller;	 /* the chain without its last function; 0: not inlined */
	uint32_t function, file; /* texts */
	uint32_t line;		 /* 0: unknown */
};

/* What the owner of a file checks before using it. */
struct chains_origin {
	uint64_t key;	 /* identifies the answers: the binary, their depth, the version of Kiln */
	uint64_t source; /* identifies the symbols they were made from; 0: none */
	uint64_t extent; /* how complete these symbols are: enum symbols_extent */
};

struct chains_header {
	char magic[8];
	uint64_t checksum;
	struct chains_origin origin;
	uint64_t addresses, chains, texts, text_bytes;
	uint64_t reserved; /* 0 */
};

struct chains {
	VECTOR(uint64_t) addresses; /* ascending, each once */
	VECTOR(uint32_t) chain_of;  /* for every address; 0: no known function there */
	VECTOR(struct chain) rows;
	VECTOR(uint32_t) text_ends;
	VECTOR(char) text;
	struct id_map by_text, by_row;
};

void chains_init(struct chains *c);
void chains_release(struct chains *c);

/* Equal content gives equal ids; 0 beyond 4 GB of text or CHAINS_LIMIT rows. The caller must not
 * make chains longer than CHAIN_LIMIT. */
uint32_t chains_text(struct chains *c, struct bytes text);
uint32_t chains_row(struct chains *c, const struct chain *row);
struct bytes chains_text_at(const struct chains *c, uint32_t text);

/* The chains at `count` ascending addresses, which may repeat; CHAINS_UNKNOWN for addresses that
 * were never added. Returns the number of these. */
size_t chains_find(
	const struct chains *c, const uint64_t *addresses, size_t count, uint32_t *ret_chains);
/* Add the chains at ascending addresses, which may repeat; none of them was known before. */
void chains_add(struct chains *c, const uint64_t *addresses, const uint32_t *chains, size_t count);

/* Read the content of a file. The chains borrow the content, which must be aligned to 8 bytes and
 * outlive them. False, with `ret` empty: its key differs, or it is damaged. */
bool chains_read(
	struct bytes content, uint64_t key, struct chains *ret, struct chains_origin *ret_origin);
void chains_write(const struct chains *c, const struct chains_origin *origin, struct output *out);
size_t chains_size(const struct chains *c); /* of the file, in bytes */

/* The checksum for the header of a file with this content. */
uint64_t chains_checksum(struct bytes content);

#endif

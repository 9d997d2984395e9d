/* fuzz_debug_file.c: any file in the place of a binary's debug file, as a server may have sent it.
 *
 * The binary is made for it: stripped, of the same build, with code where the file says it is. */
#include "images/binary_locations.h"
#include "images/image_names.h"
#include "mutation.h"
#include "support/small_elf.h"
#include "support/work_folder.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#define ADDRESSES 64u
#define NAME	  "fuzz.debug"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_file(struct bytes content)
{
	int fd = open(work_path(NAME), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert(fd >= 0 && write(fd, content.at, content.len) == (ssize_t)content.len);
	close(fd);
}

/* The build id and the range of the code; nothing if it is no ELF file. */
static void look(struct bytes file, char ret_id[32], size_t *ret_len, uint64_t *ret_code)
{
	struct error ignored = {0};
	struct image *image = image_open_bytes(file, "fuzz", &ignored);
	const struct image_section *code = image ? image_section(image, ".text") : NULL;
	struct bytes id = image ? image_build_id(image) : (struct bytes){0};

	*ret_len = id.len <= 32 ? id.len : 0;
	if (*ret_len)
		memcpy(ret_id, id.at, id.len);
	*ret_code = code && code->address < UINT64_MAX - SMALL_ELF_CODE_SIZE ? code->address
									     : SMALL_ELF_CODE;
	image_release(image);
}

/* Chains end, and their texts are there. */
static size_t walk(const struct chains *c, const uint32_t *chains, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t chain = chains[i], steps = 0;

		for (; chain; chain = c->rows.items[chain].caller) {
			assert(++steps <= CHAIN_LIMIT);
			bytes += chains_text_at(c, c->rows.items[chain].function).len;
			bytes += chains_text_at(c, c->rows.items[chain].file).len;
		}
	}
	return bytes;
}

/* Returns whether anything has a name. */
static bool name_addresses(const struct image *image, uint64_t code)
{
	static const char *const nowhere[] = {NULL};
	const struct binary_locations binary_locations = {.build_id_dirs = nowhere};
	struct image_names *names = image_names_open(image, &binary_locations);
	uint64_t addresses[ADDRESSES];
	uint32_t chains[ADDRESSES];
	size_t named = 0;

	for (size_t i = 0; i < ADDRESSES; i++)
		addresses[i] = code + i * (i < ADDRESSES / 2 ? 4 : SMALL_ELF_CODE_SIZE / ADDRESSES);
	for (size_t i = ADDRESSES / 2; i < ADDRESSES; i++)
		assert(addresses[i - 1] < addresses[i]);
	for (enum names_depth depth = 0; depth < NAMES_DEPTHS; depth++) {
		struct names_answer answer =
			image_names_find(names, depth, false, addresses, ADDRESSES, chains);

		named += walk(answer.chains, chains, ADDRESSES);
	}
	image_names_release(names);
	return named;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes file = {(const char *)data, size};
	struct error err = {0};
	struct buffer binary = {0};
	struct image *image;
	uint64_t code;
	size_t id_len;
	char id[32];

	look(file, id, &id_len, &code);
	write_file(file);
	small_elf_stripped(
		&binary, code, (struct bytes){id, id_len}, NAME, (uint32_t)crc32_z(0, data, size));
	image = image_open_bytes(buffer_bytes(&binary), work_path("fuzz"), &err);
	assert(image);
	mutation_count(name_addresses(image, code));
	image_release(image);
	buffer_release(&binary);
	return 0;
}

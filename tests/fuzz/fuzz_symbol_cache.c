/* fuzz_symbol_cache.c: a file of the symbol cache of any content, asked for the names of a binary.
 *
 * The input gets the key and the checksum that a file of this binary must have. What it answers,
 * and what is found beside that, is written back and read again. */
#include "images/chains.h"
#include "images/image_names.h"
#include "mutate_chains.h"
#include "support/small_elf.h"
#include "support/work_folder.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define ADDRESSES 32u
#define FILE_NAME "cache/0123456789abcdef.inlined"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct buffer binary;
static struct image *image;
static uint64_t addresses[ADDRESSES];
static struct chains_origin origin; /* that such a file of this Kiln has */

static size_t ask(void)
{
	struct image_names *names = image_names_open(image, NULL);
	uint32_t chains[ADDRESSES];
	struct names_answer answer =
		image_names_find(names, NAMES_INLINED, true, addresses, ADDRESSES, chains);
	size_t bytes = 0, known = answer.known;

	for (size_t i = 0; i < ADDRESSES; i++) {
		uint32_t chain = chains[i], steps = 0;

		for (; chain; chain = answer.chains->rows.items[chain].caller) {
			const struct chain *row = &answer.chains->rows.items[chain];

			assert(++steps <= CHAIN_LIMIT);
			bytes += chains_text_at(answer.chains, row->function).len;
			bytes += chains_text_at(answer.chains, row->file).len;
		}
	}
	(void)bytes; /* so that the texts are there */
	image_names_save(names);
	image_names_release(names);
	return known;
}

static void release(void)
{
	image_release(image);
	buffer_release(&binary);
}

/* A file that Kiln writes itself contains the key. */
static void set_up(void)
{
	static const char build_id[] = "\x01\x23\x45\x67\x89\xab\xcd\xef";
	struct chains_header h;
	struct error err = {0};
	int fd;

	small_elf_stripped(&binary, SMALL_ELF_CODE, (struct bytes){build_id, 8}, "none", 0);
	image = image_open_bytes(buffer_bytes(&binary), work_path("fuzz"), &err);
	assert(image);
	for (size_t i = 0; i < ADDRESSES; i++)
		addresses[i] = SMALL_ELF_CODE + 8 * i;
	setenv("KILN_CACHE", work_path("cache"), 1);
	ask();
	fd = open(work_path(FILE_NAME), O_RDONLY | O_CLOEXEC);
	assert(fd >= 0 && read(fd, &h, sizeof(h)) == sizeof(h));
	close(fd);
	origin = h.origin;
	atexit(release);
}

static void write_file(struct bytes content)
{
	int fd = open(work_path(FILE_NAME), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert(fd >= 0 && write(fd, content.at, content.len) == (ssize_t)content.len);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer file = {0};

	if (!image)
		set_up();
	buffer_add(&file, data, size);
	chains_seal(file.at, file.len, origin.key, origin.source);
	write_file(buffer_bytes(&file));
	mutation_count(ask());
	assert(ask() == ADDRESSES);
	buffer_release(&file);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	return mutate_chains(data, size, max_size, seed);
}

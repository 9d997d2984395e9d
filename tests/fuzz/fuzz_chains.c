/* fuzz_chains.c: files of the symbol cache of any content, with right checksums. */
#include "images/chains.h"
#include "mutate_chains.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever was accepted can be asked, walked and added to without a further check. */
static void look(struct chains *c)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < c->addresses.len; i++) {
		uint32_t chain, steps = 0;

		if (chains_find(c, &c->addresses.items[i], 1, &chain))
			abort();
		for (; chain; chain = c->rows.items[chain].caller) {
			lost += chains_text_at(c, c->rows.items[chain].function).len;
			lost += chains_text_at(c, c->rows.items[chain].file).len;
			if (++steps > CHAIN_LIMIT)
				abort();
		}
	}
	if (lost > UINT64_MAX / 2)
		abort();
	chains_row(c, &(struct chain){.function = chains_text(c, BYTES("more")), .line = 1});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = memory_new(1, size);
	struct chains_header *h = (struct chains_header *)(void *)copy;
	struct bytes file = {copy, size};
	struct chains_origin origin;
	struct chains c;
	bool read;

	if (size >= sizeof(*h)) {
		memcpy(copy, data, size);
		chains_seal(copy, size, h->origin.key, h->origin.source);
		read = chains_read(file, h->origin.key, &c, &origin);
		if (read)
			look(&c);
		mutation_count(read);
		chains_release(&c);
	}
	free(copy);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	return mutate_chains(data, size, max_size, seed);
}

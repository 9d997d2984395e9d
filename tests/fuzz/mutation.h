/* mutation.h: what the mutators of structured inputs share: numbers, texts, and libFuzzer's entry.
 *
 * A mutator parses an input, changes fields and rows, and repairs sizes and checksums, so that the
 * reader gets past its first checks. */
#ifndef KILN_FUZZ_MUTATION_H
#define KILN_FUZZ_MUTATION_H

#include "base/buffer.h"
#include "support/random_profile.h"

/* libFuzzer's own mutation of bytes. NULL in a replay, which mutates nothing. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

/* What a target may define: libFuzzer calls them instead of mutating bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
	size_t size2, uint8_t *out, size_t max_out_size, unsigned seed);

/* True once in `in` times. */
bool mutation_chance(uint64_t *state, uint32_t in);

/* A number that parsers get wrong: around 0, powers of two, and the limits of signed and unsigned
 * types of 8 to 64 bits; or any number. */
uint64_t mutation_extreme(uint64_t *state);
/* `value` changed: one more or less, a bit flipped, or an extreme one. */
uint64_t mutation_number(uint64_t *state, uint64_t value);
/* Change the little-endian number of `width` bytes (1 to 8) at `at`. */
void mutation_change(uint64_t *state, void *at, size_t width);

/* A name as a hostile program would choose it; static. */
struct bytes mutation_text(uint64_t *state);

/* Copy `file` to `data` if it fits; else `data` stays as it is. Returns the input's new size, and
 * releases `file`. */
size_t mutation_done(struct buffer *file, uint8_t *data, size_t size, size_t max_size);

/* Count inputs that were read, and those that were not: the share is printed at the end of a run.
 */
void mutation_count(bool read);

#endif

/* call_chain.h: which addresses of which contexts are in a sample's call chain? */
#ifndef KILN_PROCESS_CALL_CHAIN_H
#define KILN_PROCESS_CALL_CHAIN_H

#include "process/perf_record.h"

/* The parts of one call chain; the kernel's own default limit is 8. */
#define CHAIN_PARTS_LIMIT 16u

/* Addresses of one context, innermost first. */
struct chain_part {
	struct perf_words words;
	uint64_t context; /* PERF_CONTEXT_* */
};

/* The context in which a sample was taken, which applies to addresses before the first marker. */
uint64_t chain_context(const struct perf_record *record);

/* Split a sample's call chain at its markers, innermost part first. Parts beyond the limit are
 * dropped. */
size_t chain_parts(const struct perf_record *record, struct chain_part parts[CHAIN_PARTS_LIMIT]);

/* The address to look up: the innermost one is exact. The others are return addresses, and the byte
 * before a return address is inside the call. */
static inline uint64_t chain_address(struct perf_words words, size_t i)
{
	return i ? words.at[i] - 1 : words.at[i];
}

#endif

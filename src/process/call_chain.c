/* call_chain.c: which addresses of which contexts are in a sample's call chain? */
#include "process/call_chain.h"

uint64_t chain_context(const struct perf_record *r)
{
	switch (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return (uint64_t)PERF_CONTEXT_KERNEL;
	case PERF_RECORD_MISC_HYPERVISOR:
		return (uint64_t)PERF_CONTEXT_HV;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return (uint64_t)PERF_CONTEXT_GUEST_KERNEL;
	case PERF_RECORD_MISC_GUEST_USER:
		return (uint64_t)PERF_CONTEXT_GUEST_USER;
	default:
		return (uint64_t)PERF_CONTEXT_USER;
	}
}

size_t chain_parts(const struct perf_record *r, struct chain_part parts[CHAIN_PARTS_LIMIT])
{
	const struct perf_words chain = r->sample.callchain;
	uint64_t context = chain_context(r);
	size_t count = 0, end;

	for (size_t i = 0; i < chain.count && count < CHAIN_PARTS_LIMIT; i = end) {
		if (chain.at[i] >= (uint64_t)PERF_CONTEXT_MAX) {
			context = chain.at[i];
			end = i + 1;
			continue;
		}
		for (end = i; end < chain.count && chain.at[end] < (uint64_t)PERF_CONTEXT_MAX;
			end++)
			;
		parts[count++] = (struct chain_part){{chain.at + i, end - i}, context};
	}
	return count;
}

/* ring.h: what a recording's programs are asked to do, and the ring that their events go through.
 */
#ifndef KILN_BPF_RING_H
#define KILN_BPF_RING_H

#include "bpf/core.h"
#include "bpf/shared/config.h"
#include "bpf/shared/events.h"

const volatile struct bpf_config config;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20); /* bytes; the recorder sets it */
} ring SEC(".maps");

/* Flags for bpf_ringbuf_submit and bpf_ringbuf_output. The recorder empties the ring at intervals;
 * it is woken up only when the ring fills faster than that. */
static __always_inline __u64 ring_wakeup(void)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= config.wakeup_bytes
		       ? BPF_RB_FORCE_WAKEUP
		       : BPF_RB_NO_WAKEUP;
}

/* Write an event; false: the ring is full. */
static __always_inline bool ring_emit(const void *event, __u64 size)
{
	return !bpf_ringbuf_output(&ring, (void *)event, size, ring_wakeup());
}

#endif

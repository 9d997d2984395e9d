/* ring.h: reading the ring that programs write their events to (BPF_MAP_TYPE_RINGBUF).
 *
 * All CPUs share it. A record stays in it until the reader releases it. The protocol is that of the
 * kernel's Documentation/bpf/ringbuf.rst; libbpf's own reader (ring_buffer__consume) cannot leave
 * the next record where it is, which waits for what happened before it. */
#ifndef KILN_RECORDERS_PROGRAMS_RING_H
#define KILN_RECORDERS_PROGRAMS_RING_H

#include "base/bytes.h"
#include "base/error.h"

struct bpf_ring {
	uint64_t size;	      /* bytes, a power of two */
	uint64_t *consumer;   /* a page of its own; NULL: not mapped */
	const char *producer; /* a page that begins with the position, then the data twice */
	size_t page;	      /* bytes */
	uint64_t head, tail;  /* written up to, released up to */
	uint32_t word;	      /* the header of the record at the tail, once it was read */
};

/* Map the ring of a BPF map. ERR_IO. */
bool bpf_ring_map(struct bpf_ring *ring, int fd, uint64_t size, struct error *err);
void bpf_ring_release(struct bpf_ring *ring);

/* See what has been written. Returns how full the ring is, in percent. */
unsigned bpf_ring_update(struct bpf_ring *ring);
/* The next complete record of those that were there at the last update; false: none. */
bool bpf_ring_next(struct bpf_ring *ring, struct bytes *ret_record);
/* Release that record. */
void bpf_ring_done(struct bpf_ring *ring);

#endif

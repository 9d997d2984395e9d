/* ring.h: the ring that programs in the kernel write to.
 *
 * One for all CPUs. A record stays in it until it is handed back. The protocol is that of the
 * kernel's Documentation/bpf/ringbuf.rst. */
#ifndef KILN_RECORDERS_PROGRAMS_RING_H
#define KILN_RECORDERS_PROGRAMS_RING_H

#include "base/bytes.h"
#include "base/error.h"

struct bpf_ring {
	uint64_t size;	      /* bytes, a power of two */
	uint64_t *consumer;   /* a page of its own; NULL: not mapped */
	const char *producer; /* a page that begins with the position, then the data twice */
	size_t page;	      /* bytes */
	uint64_t head, tail;  /* written up to, handed back up to */
	uint32_t word;	      /* the header of the record at the tail, where it was asked for */
};

/* Map the ring of a BPF map. ERR_IO. */
bool bpf_ring_map(struct bpf_ring *ring, int fd, uint64_t size, struct error *err);
void bpf_ring_release(struct bpf_ring *ring);

/* See what has been written. Returns the fill in percent. */
unsigned bpf_ring_update(struct bpf_ring *ring);
/* The next record of those that were there at the last update, and are complete; false: none. */
bool bpf_ring_next(struct bpf_ring *ring, struct bytes *ret_record);
/* Hand it back. */
void bpf_ring_done(struct bpf_ring *ring);

#endif

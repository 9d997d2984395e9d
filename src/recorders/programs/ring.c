/* ring.c: reading the ring that programs write their events to. */
#include "recorders/programs/ring.h"

#include "recorders/programs/support.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

bool bpf_ring_map(struct bpf_ring *ring, int fd, uint64_t size, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *own, *kernel;

	*ring = (struct bpf_ring){.size = size, .page = page};
	own = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (own == MAP_FAILED)
		return bpf_error(err, -errno, "cannot map a ring buffer");
	ring->consumer = own;
	kernel = mmap(NULL, page + 2 * size, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (kernel == MAP_FAILED)
		return bpf_error(err, -errno, "cannot map a ring buffer");
	ring->producer = kernel;
	return true;
}

void bpf_ring_release(struct bpf_ring *ring)
{
	if (ring->consumer)
		munmap(ring->consumer, ring->page);
	if (ring->producer)
		munmap((void *)(uintptr_t)ring->producer, ring->page + 2 * ring->size);
	*ring = (struct bpf_ring){0};
}

unsigned bpf_ring_update(struct bpf_ring *ring)
{
	ring->head =
		__atomic_load_n((const uint64_t *)(const void *)ring->producer, __ATOMIC_ACQUIRE);
	return (unsigned)((ring->head - ring->tail) * 100 / ring->size);
}

/* The header of the record at the tail: its length, and whether it is being written. */
static uint32_t header(const struct bpf_ring *ring)
{
	const char *at = ring->producer + ring->page + (ring->tail & (ring->size - 1));

	return __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
}

static void step(struct bpf_ring *ring, uint32_t word)
{
	uint32_t len = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

	ring->tail += (len + BPF_RINGBUF_HDR_SZ + 7) & ~7u;
}

bool bpf_ring_next(struct bpf_ring *ring, struct bytes *ret_record)
{
	while (ring->tail < ring->head) {
		uint32_t word = ring->word = header(ring);

		if (word & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(word & BPF_RINGBUF_DISCARD_BIT)) {
			*ret_record = (struct bytes){ring->producer + ring->page +
							     (ring->tail & (ring->size - 1)) +
							     BPF_RINGBUF_HDR_SZ,
				word};
			return true;
		}
		step(ring, word);
	}
	return false;
}

void bpf_ring_done(struct bpf_ring *ring)
{
	step(ring, ring->word);
	__atomic_store_n(ring->consumer, ring->tail, __ATOMIC_RELEASE);
}

/* ring.c: the ring buffers of perf events, and their records in the order of their times. */
#include "recorders/perf/ring.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

bool perf_ring_map(struct perf_ring *ring, int fd, uint32_t cpu, uint64_t size,
	const struct perf_layout *layout)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *base = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return false;
	*ring = (struct perf_ring){.fd = fd,
		.cpu = cpu,
		.layout = layout,
		.page = base,
		.data = (char *)base + page,
		.size = size};
	return true;
}

void perf_ring_init(
	struct perf_ring *ring, uint32_t cpu, uint64_t size, const struct perf_layout *layout)
{
	assert(size >= 8 && !(size & (size - 1)));
	*ring = (struct perf_ring){
		.fd = -1, .cpu = cpu, .layout = layout, .data = memory_new(1, size), .size = size};
}

static void ring_release(struct perf_ring *ring)
{
	if (ring->page)
		munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
	else
		free(ring->data);
	free(ring->wrapped);
	*ring = (struct perf_ring){.fd = -1};
}

/* Bytes [from, to) of the stream as at most two pieces of the ring. */
static void pieces(const struct perf_ring *ring, uint64_t from, uint64_t to, struct bytes ret[2])
{
	uint64_t at = from & (ring->size - 1), len = to - from;
	uint64_t first = len < ring->size - at ? len : ring->size - at;

	ret[0] = (struct bytes){ring->data + at, (size_t)first};
	ret[1] = (struct bytes){ring->data, (size_t)(len - first)};
}

bool perf_ring_feed(struct perf_ring *ring, struct bytes bytes)
{
	struct bytes room[2];

	if (bytes.len > ring->size - (ring->head - ring->tail))
		return false;
	pieces(ring, ring->head, ring->head + bytes.len, room);
	for (int i = 0; i < 2; i++) {
		memcpy(ring->data + (room[i].at - ring->data), bytes.at, room[i].len);
		bytes.at += room[i].len;
	}
	ring->head += room[0].len + room[1].len;
	return true;
}

void perf_merge_release(struct perf_merge *m)
{
	for (size_t i = 0; i < m->rings.len; i++)
		ring_release(&m->rings.items[i]);
	vector_release(&m->rings);
}

static void show_new_bytes(struct perf_merge *m, size_t i)
{
	struct perf_ring *ring = &m->rings.items[i];
	struct bytes part[2];

	pieces(ring, ring->saved, ring->head, part);
	for (int k = 0; k < 2; k++)
		if (part[k].len)
			m->save(m->save_context, i, part[k]);
	ring->saved = ring->head;
}

unsigned perf_merge_update(struct perf_merge *m)
{
	uint64_t fullest = 0;

	for (size_t i = 0; i < m->rings.len; i++) {
		struct perf_ring *ring = &m->rings.items[i];
		uint64_t fill;

		if (ring->page)
			ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
		fill = ring->head - ring->tail;
		ring->most = fill > ring->most ? fill : ring->most;
		fullest = fill * 100 / ring->size > fullest ? fill * 100 / ring->size : fullest;
		if (m->save && ring->saved != ring->head)
			show_new_bytes(m, i);
	}
	return (unsigned)fullest;
}

/* The record at the tail in one piece. False: the bytes there are not a record. */
static bool ring_peek(struct perf_ring *ring)
{
	struct perf_event_header header;
	struct bytes part[2];

	pieces(ring, ring->tail, ring->head, part);
	if (part[0].len < sizeof(header)) /* records are aligned to 8 bytes, and so is the ring */
		return false;
	memcpy(&header, part[0].at, sizeof(header));
	if (header.size < sizeof(header) || header.size % 8 ||
		header.size > part[0].len + part[1].len)
		return false;
	if (header.size <= part[0].len) {
		ring->next = (struct bytes){part[0].at, header.size};
	} else {
		if (!ring->wrapped)
			ring->wrapped = memory_new(1, PERF_RECORD_SIZE_LIMIT);
		memcpy(ring->wrapped, part[0].at, part[0].len);
		memcpy(ring->wrapped + part[0].len, part[1].at, header.size - part[0].len);
		ring->next = (struct bytes){ring->wrapped, header.size};
	}
	/* A record without a time is taken at once: it belongs to the one before it. */
	if (!perf_record_time(ring->next, ring->layout, &ring->next_time))
		ring->next_time = 0;
	return true;
}

bool perf_merge_next(
	struct perf_merge *m, uint64_t until, struct bytes *ret_record, struct perf_ring **ret_ring)
{
	struct perf_ring *first = NULL;

	for (size_t i = 0; i < m->rings.len; i++) {
		struct perf_ring *ring = &m->rings.items[i];

		if (ring->tail == ring->head)
			continue;
		if (!ring->next.len && !ring_peek(ring)) {
			m->damaged++;
			ring->tail = ring->head;
			continue;
		}
		if (!first || ring->next_time < first->next_time)
			first = ring;
	}
	if (!first || first->next_time > until)
		return false;
	if (first->next_time && first->next_time < m->last_time)
		m->late++;
	else if (first->next_time)
		m->last_time = first->next_time;
	*ret_record = first->next;
	*ret_ring = first;
	return true;
}

void perf_merge_done(struct perf_ring *ring)
{
	ring->tail += ring->next.len;
	ring->next.len = 0;
	if (ring->page)
		__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

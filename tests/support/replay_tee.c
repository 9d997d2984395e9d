/* replay_tee.c: what `record --tee` saved, through the recorder's own merge, decoder and unwinder.
 */
#include "support/replay_tee.h"

#include "recorders/perf/tee.h"

#include <stdio.h>
#include <stdlib.h>

#define REPLAY_RING_LIMIT   ((uint64_t)64 << 20) /* bytes of one ring, as the recorder's largest */
#define REPLAY_RINGS_LIMIT  256u
#define REPLAY_EVENTS_LIMIT 32u

/* Layouts and names outlive the rings and the sampler that point to them. */
static struct perf_layout layouts[REPLAY_RINGS_LIMIT];
static char names[REPLAY_EVENTS_LIMIT][64];
static uint64_t countings[REPLAY_EVENTS_LIMIT];

/* A chunk's content as a struct, when it is long enough. */
static bool as(struct bytes content, void *ret, size_t size)
{
	if (content.len < size)
		return false;
	memcpy(ret, content.at, size);
	return true;
}

static bool add_event(struct replay *r, struct bytes content)
{
	struct tee_event event;
	size_t i = r->sampler.events.len;

	if (!as(content, &event, sizeof(event)) || i == REPLAY_EVENTS_LIMIT ||
		event.period > INT64_MAX)
		return false;
	snprintf(names[i], sizeof(names[i]), "%.*s", (int)(content.len - sizeof(event)) & 63,
		content.at + sizeof(event));
	countings[i] = event.clock && !event.period ? COUNT_UNKNOWN : event.counting;
	sampler_add_event(&r->sampler, names[i], event.clock, event.period);
	return true;
}

static bool add_ring(struct replay *r, struct bytes content)
{
	struct tee_ring saved;
	struct perf_ring ring;
	size_t i = r->merge.rings.len;

	if (!as(content, &saved, sizeof(saved)) || i == REPLAY_RINGS_LIMIT || saved.size < 4096 ||
		saved.size > REPLAY_RING_LIMIT || saved.size & (saved.size - 1))
		return false;
	layouts[i] = saved.layout;
	layouts[i].sample_id_all = true;
	perf_ring_init(&ring, (uint32_t)saved.cpu, saved.size, &layouts[i]);
	vector_push(&r->merge.rings, ring);
	return true;
}

static void take(struct replay *r, uint64_t until)
{
	struct perf_ring *ring;
	struct bytes record;

	perf_merge_update(&r->merge);
	while (perf_merge_next(&r->merge, until, &record, &ring)) {
		sampler_record(&r->sampler, record, ring->layout);
		perf_merge_done(ring);
		r->records++;
	}
}

static bool totals(struct replay *r, uint32_t event, struct bytes content)
{
	struct event_totals t;

	if (event >= r->sampler.events.len || content.len < sizeof(t))
		return false;
	memcpy(&t, content.at, offsetof(struct event_totals, lost_known));
	t.lost_known = content.at[offsetof(struct event_totals, lost_known)] & 1;
	sampler_account(&r->sampler, event, (enum event_counting)(countings[event] % 3), &t);
	return true;
}

static bool chunk(struct replay *r, const struct tee_chunk *c, struct bytes content)
{
	uint64_t word;

	switch (c->kind) {
	case TEE_EVENT:
		return add_event(r, content);
	case TEE_ID:
		if (!as(content, &word, 8) || c->a >= r->sampler.events.len)
			return false;
		sampler_add_id(&r->sampler, word, c->a);
		return true;
	case TEE_RING:
		return add_ring(r, content);
	case TEE_BYTES:
		return c->a < r->merge.rings.len &&
		       perf_ring_feed(&r->merge.rings.items[c->a], content);
	case TEE_UNTIL:
		if (!as(content, &word, 8))
			return false;
		take(r, word);
		return true;
	case TEE_MAPS:
		processes_read_maps(&r->processes, (int32_t)c->a, content);
		return true;
	case TEE_NAME:
		processes_read_name(&r->processes, (int32_t)c->a, (int32_t)c->b, content);
		return true;
	case TEE_TOTALS:
		return totals(r, c->a, content);
	}
	return false;
}

static bool next_chunk(struct bytes *content, struct tee_chunk *ret, struct bytes *ret_content)
{
	size_t padded;

	if (!as(*content, ret, sizeof(*ret)))
		return false;
	padded = ((size_t)ret->size + 7) & ~(size_t)7;
	if (content->len - sizeof(*ret) < padded)
		return false;
	*ret_content = (struct bytes){content->at + sizeof(*ret), ret->size};
	content->at += sizeof(*ret) + padded;
	content->len -= sizeof(*ret) + padded;
	return true;
}

bool replay_tee(struct replay *r, struct bytes content, bool open_files, struct error *err)
{
	const char *start = content.at;
	struct tee_setup setup = {0};
	struct bytes inside;
	struct tee_chunk c;

	*r = (struct replay){0};
	profile_init(&r->profile);
	binaries_init(&r->binaries, &r->profile);
	r->binaries.closed = !open_files;
	processes_init(&r->processes, &r->profile, &r->binaries);
	if (!bytes_starts_with(content, BYTES(TEE_MAGIC)))
		return error_set(err, ERR_FORMAT, "expected what record --tee wrote");
	content.at += 8;
	content.len -= 8;
	if (!next_chunk(&content, &c, &inside) || c.kind != TEE_SETUP ||
		!as(inside, &setup, sizeof(setup)))
		return error_set(err, ERR_FORMAT, "expected the setup");
	sampler_init(&r->sampler, &r->profile, &r->processes, NULL, (unsigned)setup.parts);
	while (content.len) {
		size_t at = (size_t)(content.at - start);

		if (!next_chunk(&content, &c, &inside) || !chunk(r, &c, inside))
			return error_set(err, ERR_FORMAT, "offset %zu: expected a chunk", at);
	}
	return true;
}

void replay_release(struct replay *r)
{
	if (r->sampler.profile)
		sampler_release(&r->sampler);
	perf_merge_release(&r->merge);
	processes_release(&r->processes);
	binaries_release(&r->binaries);
	profile_release(&r->profile);
}

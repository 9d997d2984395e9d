/* random_profile.c: which profile does this seed stand for? */
#include "support/random_profile.h"

#include "base/buffer.h"

#include <stdlib.h>

#define FUNCTIONS 60
#define DEPTH	  40

uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state += 0x9E3779B97F4A7C15u;

	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
	x = (x ^ x >> 27) * 0x94D049BB133111EBu;
	return x ^ x >> 31;
}

uint32_t random_below(uint64_t *state, uint32_t below)
{
	return (uint32_t)(random_next(state) % below);
}

string_id numbered_string(struct profile *p, const char *text, uint32_t number)
{
	struct buffer b = {0};
	string_id id;

	buffer_printf(&b, "%s%u", text, number);
	id = profile_string(p, buffer_bytes(&b));
	buffer_release(&b);
	return id;
}

static frame_id some_frame(struct profile *p, uint64_t *state)
{
	uint32_t function = random_below(state, FUNCTIONS);
	struct frame frame = {
		.function = numbered_string(p, function % 7 ? "work_" : "größe_", function),
		.module = numbered_string(p, "lib", function % 5),
		.file = function % 3 ? numbered_string(p, "src/file.", function % 4) : 0,
		.line = function % 3 ? random_below(state, 3) : 0,
		.kind = function % FRAME_KINDS,
	};

	return profile_frame(p, &frame);
}

static location_id some_location(struct profile *p, uint64_t *state)
{
	struct mapping mapping = {
		.file = numbered_string(p, "/usr/lib/lib", random_below(state, 4)),
		.build_id = numbered_string(p, "00ff", 1000),
		.kind = MAPPING_FILE};
	frame_id frames[3];
	location_id location;
	size_t count;

	if (random_below(state, 2))
		return profile_location_named(p, some_frame(p, state));
	location = profile_location(p, profile_mapping(p, &mapping), random_below(state, 100));
	count = random_below(state, 4);
	for (size_t i = 0; i < count; i++)
		frames[i] = some_frame(p, state);
	if (count && !p->location_names.items[location].count)
		profile_name_location(p, location, frames, count);
	return location;
}

static stack_id some_stack(struct profile *p, uint64_t *state)
{
	size_t depth = random_below(state, DEPTH);
	stack_id stack = 0;

	/* Half of the stacks grow on one that is there. */
	if (random_below(state, 2) && p->stack_caller.len > 1)
		stack = random_below(state, (uint32_t)p->stack_caller.len);
	for (size_t i = 0; i < depth; i++) {
		location_id location = some_location(p, state);

		for (uint32_t again = random_below(state, 8) ? 1 : 3; again; again--)
			stack = profile_stack(p, stack, location);
	}
	return stack;
}

static thread_id some_thread(struct profile *p, uint64_t *state)
{
	uint32_t pid = 100 + random_below(state, 3), tid = pid + random_below(state, 3);
	process_id process = profile_process(p, (int32_t)pid, numbered_string(p, "program-", pid));

	return profile_thread(p, process, (int32_t)tid, numbered_string(p, "thread ", tid));
}

void random_profile_grow(struct profile *p, uint64_t *state, size_t samples)
{
	for (size_t i = 0; i < samples; i++) {
		uint32_t table = random_below(state, 2);
		struct sample sample = {.stack = some_stack(p, state)};

		if (table == 0) {
			sample.has = SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_LABELS |
				     SAMPLE_DURATION;
			sample.thread = some_thread(p, state);
			sample.time = 5000000000u + p->samples.items[0].count * 1000003;
			sample.duration = random_below(state, 1000);
			sample.cpu = (uint16_t)random_below(state, 4);
			if (!random_below(state, 10))
				sample.cpu = NO_CPU;
			if (random_below(state, 2))
				sample.labels = profile_label(p, 0, numbered_string(p, "key", 1),
					numbered_string(p, "value ", random_below(state, 9)));
		}
		profile_add_sample(p, table, &sample);
		if (table == 0)
			vector_push(&p->streams.items[1].value, random_below(state, 1u << 20));
		else
			vector_push(&p->streams.items[2].value,
				(int64_t)random_below(state, 2000) - 1000);
	}
	p->streams.items[0].row.delivered = p->samples.items[0].count;
	p->streams.items[0].row.expected = p->samples.items[0].count + 7;
}

void random_profile(struct profile *p, uint64_t seed, size_t samples)
{
	uint32_t timed, untimed;

	profile_init(p);
	timed = profile_add_samples(p);
	untimed = profile_add_samples(p);
	profile_add_stream(p, timed, BYTES("samples"), BYTES("count"), BYTES("cpu-clock"));
	profile_add_stream(p, timed, BYTES("cpu"), BYTES("ns"), BYTES("cycles"));
	profile_add_stream(p, untimed, BYTES("alloc"), BYTES("bytes"), BYTES(""));
	profile_set_meta(p, BYTES("command"), BYTES("a program"));
	profile_note(p, "made from seed %llu", (unsigned long long)seed);
	random_profile_grow(p, &seed, samples);
	profile_add_loss(p, 0, BYTES("ring full"), 5);
	profile_add_loss(p, 0, BYTES("throttled"), 2);
}

/* ---- Equality ---- */

#define SAME(member)                                                                               \
	do {                                                                                       \
		*ret_where = #member;                                                              \
		if (a->member.len != b->member.len ||                                              \
			(a->member.len && memcmp(a->member.items, b->member.items,                 \
						  a->member.len * sizeof(*a->member.items))))      \
			return false;                                                              \
	} while (0)

static bool samples_equal(const struct samples *a, const struct samples *b, const char **ret_where)
{
	*ret_where = "count";
	if (a->count != b->count)
		return false;
	SAME(stack);
	SAME(thread);
	SAME(time);
	SAME(duration);
	SAME(cpu);
	SAME(labels);
	return true;
}

static bool streams_equal(const struct stream *a, const struct stream *b, const char **ret_where)
{
	SAME(value);
	*ret_where = "stream row";
	return !memcmp(&a->row, &b->row, sizeof(a->row));
}

bool profiles_equal(const struct profile *a, const struct profile *b, const char **ret_where)
{
	SAME(string_bytes);
	SAME(string_ends);
	SAME(frames);
	SAME(mappings);
	SAME(locations);
	SAME(location_names);
	SAME(location_frames);
	SAME(stack_caller);
	SAME(stack_location);
	SAME(processes);
	SAME(threads);
	SAME(label_sets);
	SAME(meta);
	SAME(losses);
	*ret_where = "number of samples tables or streams";
	if (a->samples.len != b->samples.len || a->streams.len != b->streams.len)
		return false;
	for (size_t i = 0; i < a->samples.len; i++)
		if (!samples_equal(&a->samples.items[i], &b->samples.items[i], ret_where))
			return false;
	for (size_t i = 0; i < a->streams.len; i++)
		if (!streams_equal(&a->streams.items[i], &b->streams.items[i], ret_where))
			return false;
	return true;
}

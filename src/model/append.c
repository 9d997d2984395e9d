/* append.c: how is the profile of an input's next part appended to that of the parts before it?
 *
 * Threads read parts of an input into profiles of their own; joining them is the part that only one
 * thread can do, so its cost limits the gain. Strings, frames and locations are few and are looked
 * up. Stacks are many: each row of `from` is the pair (caller, location); its ids are translated by
 * arrays (callers come first, so map[caller] is known), and then the pair is looked up in `to`. A
 * stack whose caller is new is new itself, so only stacks below known callers are searched for, and
 * what the searches read is prefetched (fetch_soon). map[] gives the samples their new stacks.
 * `bench/readers.sh` has the figures: joining 1.5 million different stacks takes a third of the
 * time that reading them takes. */
#include "model/append.h"

#include <stdlib.h>

#define AT_ONCE 64u /* strings */
#define PREFETCH_DISTANCE                                                                          \
	8u /* stacks: about as many as are handled while a cache line comes from memory */

/* ---- Rows ---- */

/* From old ids to new ones. */
struct moved {
	string_id *strings;
	stack_id *stacks;
};

static string_id *strings_moved(struct profile *to, const struct profile *from)
{
	uint32_t count = (uint32_t)from->string_ends.len;
	string_id *map = memory_new(count, sizeof(*map));

	for (uint32_t start = 1; start < count; start += AT_ONCE) {
		uint32_t few = count - start < AT_ONCE ? count - start : AT_ONCE;
		struct bytes texts[AT_ONCE];

		for (uint32_t i = 0; i < few; i++)
			texts[i] = profile_text(from, start + i);
		profile_strings(to, texts, few, map + start);
	}
	return map;
}

static frame_id *frames_moved(
	struct profile *to, const struct profile *from, const string_id *strings)
{
	frame_id *map = memory_new(from->frames.len, sizeof(*map));

	for (size_t i = 1; i < from->frames.len; i++) {
		struct frame frame = from->frames.items[i];

		frame.function = strings[frame.function];
		frame.module = strings[frame.module];
		frame.file = strings[frame.file];
		map[i] = profile_frame(to, &frame);
	}
	return map;
}

/* No sample refers to a thread, so their new ids are not needed. */
static void threads_moved(struct profile *to, const struct profile *from, const string_id *strings)
{
	process_id *processes = memory_new(from->processes.len, sizeof(*processes));

	for (size_t i = 1; i < from->processes.len; i++) {
		const struct process *process = &from->processes.items[i];

		processes[i] = profile_process(to, process->pid, strings[process->name]);
	}
	for (size_t i = 1; i < from->threads.len; i++) {
		const struct thread *thread = &from->threads.items[i];

		profile_thread(to, processes[thread->process], thread->tid, strings[thread->name]);
	}
	memory_free(processes);
}

/* Each location has one name and nothing else. */
static location_id *locations_moved(
	struct profile *to, const struct profile *from, const frame_id *frames)
{
	location_id *map = memory_new(from->locations.len, sizeof(*map));

	for (size_t i = 1; i < from->locations.len; i++) {
		struct span names = from->location_names.items[i];

		map[i] = profile_location_named(
			to, frames[from->location_frames.items[names.first]]);
	}
	return map;
}

/* Prefetch in two stages: for the stack 2 * PREFETCH_DISTANCE ahead, the start of its caller's list
 * of callees; for the stack PREFETCH_DISTANCE ahead, the callee that the search compares first.
 * Stacks whose callers are new in `to` are not searched for. */
static void fetch_soon(const struct profile *to, const struct profile *from,
	const location_id *locations, const stack_id *map, size_t at)
{
	size_t known = to->callees.links.len;
	stack_id caller;

	if (at + 2 * PREFETCH_DISTANCE >= from->stack_caller.len)
		return;
	caller = map[from->stack_caller.items[at + 2 * PREFETCH_DISTANCE]];
	if (caller < known)
		callees_prefetch(&to->callees, caller);
	caller = map[from->stack_caller.items[at + PREFETCH_DISTANCE]];
	if (caller < known)
		callees_prefetch_first(&to->callees, to->stack_location.items, caller,
			locations[from->stack_location.items[at + PREFETCH_DISTANCE]]);
}

/* The stacks of `from` are all different, and they are still different in `to`. So no search has to
 * find a stack that was added here, and all stacks below a new stack are new. */
static void stacks_put(
	struct profile *to, const struct profile *from, const location_id *locations, stack_id *map)
{
	size_t known = to->stack_caller.len;

	profile_index_stacks(to);
	for (size_t i = 1; i < from->stack_caller.len; i++) {
		stack_id caller = map[from->stack_caller.items[i]];
		location_id location = locations[from->stack_location.items[i]];

		fetch_soon(to, from, locations, map, i);
		map[i] = caller < known ? profile_find_stack(to, caller, location) : 0;
		if (!map[i])
			map[i] = profile_add_stack(to, caller, location);
	}
}

/* The stack with this caller, which was in `to` before this call, and this location. A new one is
 * added, and the next call finds it. */
static stack_id find_or_add(
	struct profile *to, struct id_map *entered, stack_id caller, location_id location)
{
	uint64_t hash = hash_pair(caller, location);
	stack_id id = profile_find_stack(to, caller, location);
	size_t at;

	if (id)
		return id;
	at = id_map_first(entered, hash);
	while ((id = id_map_candidate(entered, hash, &at)))
		if (to->stack_caller.items[id] == caller &&
			to->stack_location.items[id] == location)
			return id;
	id = profile_add_stack(to, caller, location);
	if (id)
		id_map_insert_at(entered, hash, at, id);
	return id;
}

/* As stacks_put, where the first stacks of `from` are already stacks of `to`: then two stacks of
 * `from` can become one stack of `to`. So new stacks directly below old ones are entered into a map
 * of their own. Once two stacks have become one, which is rare, the stacks below them may be equal,
 * too; from then on, stacks below such a stack (`shared`) are searched for as well. */
static void stacks_put_below(struct profile *to, const struct profile *from,
	const location_id *locations, const struct append_options *how, stack_id *map)
{
	size_t known = to->stack_caller.len;
	struct id_map entered = {0}; /* new stacks directly below old ones */
	bool *shared = NULL;	     /* which new stacks stand for several stacks of `from` */

	profile_index_stacks(to);
	for (size_t i = 0; i < how->above_count; i++)
		map[i + 1] = how->above[i];
	for (size_t i = 1 + how->above_count; i < from->stack_caller.len; i++) {
		stack_id caller = map[from->stack_caller.items[i]];
		location_id location = locations[from->stack_location.items[i]];
		size_t count = to->stack_caller.len;

		if (caller >= known && !(shared && shared[caller - known])) {
			map[i] = profile_add_stack(to, caller, location);
			continue;
		}
		map[i] = shared ? profile_stack(to, caller, location)
				: find_or_add(to, &entered, caller, location);
		if (map[i] < known || map[i] == count)
			continue;
		if (!shared)
			shared = memory_new(from->stack_caller.len, sizeof(*shared));
		shared[map[i] - known] = true;
	}
	id_map_release(&entered);
	memory_free(shared);
}

static stack_id *stacks_moved(struct profile *to, const struct profile *from,
	const location_id *locations, const struct append_options *how)
{
	stack_id *map = memory_new(from->stack_caller.len, sizeof(*map));

	vector_reserve(&to->stack_caller, from->stack_caller.len);
	vector_reserve(&to->stack_location, from->stack_caller.len);
	if (how->above_count)
		stacks_put_below(to, from, locations, how, map);
	else
		stacks_put(to, from, locations, map);
	return map;
}

static struct moved rows_moved(
	struct profile *to, const struct profile *from, const struct append_options *how)
{
	struct moved moved = {.strings = strings_moved(to, from)};
	frame_id *frames = frames_moved(to, from, moved.strings);
	location_id *locations = locations_moved(to, from, frames);

	threads_moved(to, from, moved.strings);
	moved.stacks = stacks_moved(to, from, locations, how);
	memory_free(frames);
	memory_free(locations);
	return moved;
}

/* ---- Streams ---- */

/* The next stream from `at` on that weighs this table; the number of streams if there is none. */
static uint32_t next_stream(const struct profile *p, uint32_t at, uint32_t table)
{
	while (at < p->streams.len && p->streams.items[at].row.samples != table)
		at++;
	return at;
}

static bool same_stream(
	const struct stream *known, const struct stream *added, const string_id *strings)
{
	const struct stream_row *a = &known->row, *b = &added->row;

	return a->kind == strings[b->kind] && a->unit == strings[b->unit] &&
	       a->event == strings[b->event] && a->side == b->side && a->run == b->run &&
	       a->fixed_value == b->fixed_value && a->wall_offset == b->wall_offset &&
	       a->period == b->period;
}

/* The stream of table `t` that is the same as `added`. */
static uint32_t stream_like(
	const struct profile *to, uint32_t t, const struct stream *added, const string_id *strings)
{
	uint32_t a = next_stream(to, 0, t);

	while (a < to->streams.len && !same_stream(&to->streams.items[a], added, strings))
		a = next_stream(to, a + 1, t);
	return a;
}

/* Is table `t` of `to` weighed by the same streams as `table` of `from`? */
static bool same_streams(const struct profile *to, uint32_t t, const struct profile *from,
	uint32_t table, const string_id *strings)
{
	uint32_t a = next_stream(to, 0, t), b = next_stream(from, 0, table);

	while (a < to->streams.len && b < from->streams.len &&
		same_stream(&to->streams.items[a], &from->streams.items[b], strings)) {
		a = next_stream(to, a + 1, t);
		b = next_stream(from, b + 1, table);
	}
	return a == to->streams.len && b == from->streams.len;
}

/* Does `to` have a stream of the same event and kind as one of the table's? */
static bool knows_event(const struct profile *to, const struct profile *from, uint32_t table,
	const string_id *strings)
{
	for (uint32_t b = next_stream(from, 0, table); b < from->streams.len;
		b = next_stream(from, b + 1, table))
		for (size_t a = 0; a < to->streams.len; a++)
			if (to->streams.items[a].row.event ==
					strings[from->streams.items[b].row.event] &&
				to->streams.items[a].row.kind ==
					strings[from->streams.items[b].row.kind])
				return true;
	return false;
}

/* Add to table `t` those streams of `table` that it does not have yet, with the value 0 for its
 * samples. */
static void streams_made(struct profile *to, uint32_t t, const struct profile *from, uint32_t table,
	const string_id *strings)
{
	for (uint32_t b = next_stream(from, 0, table); b < from->streams.len;
		b = next_stream(from, b + 1, table)) {
		struct stream stream = {.row = from->streams.items[b].row};

		if (stream_like(to, t, &from->streams.items[b], strings) < to->streams.len)
			continue;
		stream.row.kind = strings[stream.row.kind];
		stream.row.unit = strings[stream.row.unit];
		stream.row.event = strings[stream.row.event];
		stream.row.samples = t;
		stream.row.delivered = 0;
		stream.row.expected = 0;
		for (size_t i = to->samples.items[t].count; i > 0; i--)
			vector_push(&stream.value, 0);
		vector_push(&to->streams, stream);
	}
}

/* ---- Samples ---- */

/* For every sample of `table`, the number of its row in table `t` of `to`; missing rows are
 * added. */
static uint32_t *samples_moved(
	struct profile *to, uint32_t t, const struct samples *table, const stack_id *stacks)
{
	uint32_t *row_of_stack = memory_new(to->stack_caller.len, sizeof(*row_of_stack));
	uint32_t *map = memory_new(table->count, sizeof(*map));
	const struct samples *known = &to->samples.items[t];

	for (size_t i = 0; i < known->count; i++)
		row_of_stack[known->stack.items[i]] = (uint32_t)i + 1;
	for (size_t i = 0; i < table->count; i++) {
		struct sample sample = {.stack = stacks[table->stack.items[i]]};
		uint32_t *row = &row_of_stack[sample.stack];

		if (!*row)
			*row = (uint32_t)profile_add_sample(to, t, &sample) + 1;
		map[i] = *row - 1;
	}
	memory_free(row_of_stack);
	return map;
}

static bool values_added(struct stream *to, const struct stream *from, const uint32_t *rows)
{
	to->row.delivered += from->row.delivered;
	to->row.expected += from->row.expected;
	for (size_t i = 0; i < from->value.len; i++) {
		if (rows[i] >= to->value.len)
			vector_push(&to->value, 0); /* new rows are in order */
		if (__builtin_add_overflow(to->value.items[rows[i]], from->value.items[i],
			    &to->value.items[rows[i]]))
			return false;
	}
	return true;
}

/* Add the table's samples to table `t`, which has all of its streams and may have more. */
static bool samples_added(struct profile *to, uint32_t t, const struct profile *from,
	uint32_t table, const struct moved *moved)
{
	uint32_t *rows = samples_moved(to, t, &from->samples.items[table], moved->stacks);
	bool fits = true;

	for (uint32_t b = next_stream(from, 0, table); fits && b < from->streams.len;
		b = next_stream(from, b + 1, table)) {
		const struct stream *added = &from->streams.items[b];

		fits = values_added(
			&to->streams.items[stream_like(to, t, added, moved->strings)], added, rows);
	}
	for (uint32_t a = next_stream(to, 0, t); a < to->streams.len; a = next_stream(to, a + 1, t))
		while (to->streams.items[a].value.len < to->samples.items[t].count)
			vector_push(&to->streams.items[a].value, 0);
	memory_free(rows);
	return fits;
}

static bool table_added(
	struct profile *to, const struct profile *from, uint32_t table, const struct moved *moved)
{
	uint32_t t = 0;

	while (t < to->samples.len && !same_streams(to, t, from, table, moved->strings))
		t++;
	if (t == to->samples.len) {
		if (knows_event(to, from, table, moved->strings))
			return false;
		streams_made(to, profile_add_samples(to), from, table, moved->strings);
	}
	return samples_added(to, t, from, table, moved);
}

/* ---- All of it ---- */

/* Does the profile have only stacks of named locations, and samples with stacks and values? */
static bool is_plain(const struct profile *p)
{
	bool plain = !p->full && !p->may_have_duplicates && p->mappings.len == 1 &&
		     p->label_sets.len == 1 && !p->losses.len;

	for (size_t i = 1; plain && i < p->locations.len; i++)
		plain = p->location_names.items[i].count == 1;
	for (size_t i = 0; plain && i < p->streams.len; i++)
		plain = p->streams.items[i].value.len ==
			p->samples.items[p->streams.items[i].row.samples].count;
	for (size_t i = 0; plain && i < p->samples.len; i++) {
		const struct samples *s = &p->samples.items[i];

		plain = !s->thread.len && !s->time.len && !s->duration.len && !s->cpu.len &&
			!s->labels.len;
	}
	return plain;
}

bool profile_append(struct profile *to, struct profile *from, const struct append_options *how)
{
	struct moved moved;
	bool fits = true;

	if (!is_plain(to) || !is_plain(from) || from->meta.len)
		return false;
	moved = rows_moved(to, from, how);
	vector_release(&from->stack_caller);
	vector_release(&from->stack_location);
	if (how->last)
		callees_release(&to->callees);
	if (how->one_table) {
		streams_made(to, 0, from, 0, moved.strings);
		fits = samples_added(to, 0, from, 0, &moved);
	}
	for (uint32_t table = how->one_table; fits && table < from->samples.len; table++)
		fits = table_added(to, from, table, &moved);
	for (size_t i = 0; i < how->path_len; i++)
		how->path[i] = moved.stacks[how->path[i]];
	memory_free(moved.strings);
	memory_free(moved.stacks);
	return fits && !to->full;
}

/* feed.c: the mappings of processes, exported to programs as soon as they are known. */
#include "recorders/unwind/feed.h"

#include "base/sort.h"
#include "process/perf_record.h"
#include "recorders/session.h"

#include <stdlib.h>
#include <string.h>

/* New bytes of a ring; a record that wraps around its end comes in two pieces. */
static void see(void *context, size_t ring, struct bytes bytes)
{
	struct unwind_feed *f = context;

	while (f->seen.len <= ring)
		vector_push(&f->seen, ((struct buffer){0}));
	buffer_add(&f->seen.items[ring], bytes.at, bytes.len);
}

/* The recorder has read a process's mappings again, because an address was in none of them. */
static void read_again(void *context, int32_t pid, int32_t tid, struct bytes text)
{
	struct unwind_feed *f = context;

	if (!tid)
		processes_read_maps(&f->processes, pid, text);
}

bool unwind_feed_open(struct unwind_feed *f, const struct bpf_object *object,
	struct perf_merge *merge, struct processes *processes, struct error *err)
{
	*f = (struct unwind_feed){.merge = merge, .ordered = processes};
	if (!unwind_tables_init(&f->tables, object, err))
		return false;
	profile_init(&f->profile);
	processes_init(&f->processes, &f->profile, processes->binaries);
	merge->save = see;
	merge->save_context = f;
	return true;
}

void unwind_feed_release(struct unwind_feed *f)
{
	if (!f->merge)
		return;
	unwind_tables_release(&f->tables);
	processes_release(&f->processes);
	profile_release(&f->profile);
	for (size_t i = 0; i < f->seen.len; i++)
		buffer_release(&f->seen.items[i]);
	vector_release(&f->seen);
	vector_release(&f->times);
	vector_release(&f->records);
	vector_release(&f->layouts);
	*f = (struct unwind_feed){0};
}

/* Both states share address spaces until one of them changes its own; numbers go on from here. */
void unwind_feed_begin(struct unwind_feed *f, bool lazy)
{
	const struct processes *from = f->ordered;

	for (size_t i = 1; i < from->rows.len; i++) {
		const struct process_state *known = &from->rows.items[i];
		struct process_state *own = processes_get(&f->processes, known->pid);

		address_space_unref(&own->space);
		own->parent = known->parent;
		own->kernel = known->kernel;
		own->replaced = known->replaced;
		own->space = known->space;
		if (own->space)
			own->space->references++;
	}
	f->processes.last_space = from->last_space;
	f->ordered->read_text = read_again;
	f->ordered->read_text_context = f;
	f->tables.lazy = lazy;
}

/* List the whole records of one ring. */
static void list_records(struct unwind_feed *f, size_t ring)
{
	struct bytes rest = buffer_bytes(&f->seen.items[ring]);
	const struct perf_layout *layout = f->merge->rings.items[ring].layout;
	uint64_t time = 0;

	for (size_t size; (size = perf_record_size(rest)); rest.at += size, rest.len -= size) {
		perf_record_time((struct bytes){rest.at, size}, layout, &time);
		vector_push(&f->times, time);
		vector_push(&f->records, ((struct bytes){rest.at, size}));
		vector_push(&f->layouts, layout);
	}
}

/* Drop the listed records; half a record stays. */
static void drop_listed(struct buffer *seen)
{
	struct bytes rest = buffer_bytes(seen);
	size_t size;

	while ((size = perf_record_size(rest))) {
		rest.at += size;
		rest.len -= size;
	}
	if (rest.len)
		memmove(seen->at, rest.at, rest.len);
	seen->len = rest.len;
}

static void apply_listed(struct unwind_feed *f)
{
	struct sort_key *order = memory_new(f->times.len + 1, sizeof(*order));
	struct perf_record record;
	struct error ignored = {0};

	sort_by_number(f->times.items, f->times.len, order);
	for (size_t i = 0; i < f->times.len; i++) {
		uint32_t row = order[i].row;

		if (perf_record_decode(
			    f->records.items[row], f->layouts.items[row], &record, &ignored))
			processes_apply(&f->processes, &record);
	}
	free(order);
}

void unwind_feed_update(struct unwind_feed *f, uint64_t now)
{
	f->times.len = f->records.len = f->layouts.len = 0;
	for (size_t i = 0; i < f->seen.len; i++)
		list_records(f, i);
	if (f->times.len)
		apply_listed(f);
	for (size_t i = 0; i < f->seen.len; i++)
		drop_listed(&f->seen.items[i]);
	unwind_tables_update(&f->tables, &f->processes, now);
}

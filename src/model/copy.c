/* copy.c: how are the rows of a view copied into another profile? */
#include "model/copy.h"

#include <stdlib.h>

string_id copy_text(const struct view *v, struct profile *to, string_id id)
{
	return profile_string(to, view_text(v, id));
}

static frame_id frame_copied(const struct view *v, struct profile *to, frame_id id)
{
	struct frame frame = view_frame_at(v, id);

	frame.function = copy_text(v, to, frame.function);
	frame.module = copy_text(v, to, frame.module);
	frame.file = copy_text(v, to, frame.file);
	return profile_frame(to, &frame);
}

/* For every node: does a shown sample end in it or in a node below it? */
static bool *find_needed(const struct view *v)
{
	bool *needed = view_end_nodes(v);

	for (size_t i = v->tree.caller.len; i-- > 1;)
		needed[v->tree.caller.items[i]] |= needed[i];
	return needed;
}

/* One stack for each node that is needed, and a location that has only a name for each frame. */
stack_id *copy_stacks(const struct view *v, struct profile *to)
{
	size_t nodes = v->tree.caller.len;
	bool *needed = find_needed(v);
	stack_id *stacks = memory_new(nodes, sizeof(*stacks));
	location_id *locations = memory_new(view_frame_count(v), sizeof(*locations));

	for (size_t i = 1; i < nodes; i++) {
		frame_id frame = v->tree.frame.items[i];

		if (!needed[i])
			continue;
		if (!locations[frame])
			locations[frame] = profile_location_named(to, frame_copied(v, to, frame));
		stacks[i] = profile_stack(to, stacks[v->tree.caller.items[i]], locations[frame]);
	}
	memory_free(locations);
	memory_free(needed);
	return stacks;
}

thread_id *copy_threads(const struct view *v, struct profile *to)
{
	const struct profile *from = v->profile;
	thread_id *map = memory_new(from->threads.len, sizeof(*map));

	for (size_t i = 1; i < from->threads.len; i++) {
		const struct thread *t = &from->threads.items[i];
		const struct process *process = &from->processes.items[t->process];
		process_id copied = t->process ? profile_process(to, process->pid,
							 copy_text(v, to, process->name))
					       : 0;

		map[i] = profile_thread(to, copied, t->tid, copy_text(v, to, t->name));
	}
	return map;
}

label_set_id *copy_labels(const struct view *v, struct profile *to)
{
	const struct profile *from = v->profile;
	label_set_id *map = memory_new(from->label_sets.len, sizeof(*map));

	for (size_t i = 1; i < from->label_sets.len; i++) {
		const struct label_set *l = &from->label_sets.items[i];

		map[i] = profile_label(
			to, map[l->parent], copy_text(v, to, l->key), copy_text(v, to, l->value));
	}
	return map;
}

size_t copy_samples(const struct view *v, uint32_t table, const struct copied *rows,
	struct profile *to, size_t *ret_kept)
{
	const struct samples *from = &v->profile->samples.items[table];
	struct sample sample = {
		.has = (from->thread.len ? SAMPLE_THREAD : 0) | (from->time.len ? SAMPLE_TIME : 0) |
		       (from->duration.len ? SAMPLE_DURATION : 0) |
		       (from->cpu.len ? SAMPLE_CPU : 0) | (from->labels.len ? SAMPLE_LABELS : 0)};
	uint32_t made = profile_add_samples(to);
	size_t kept = 0;

	for (size_t i = 0; i < from->count; i++) {
		node_id node = view_node(v, table, i);

		if (node == NODE_DROPPED)
			continue;
		sample.stack = rows->stacks[node];
		sample.thread = from->thread.len ? rows->threads[from->thread.items[i]] : 0;
		sample.time = from->time.len ? from->time.items[i] : 0;
		sample.duration = from->duration.len ? from->duration.items[i] : 0;
		sample.cpu = from->cpu.len ? from->cpu.items[i] : NO_CPU;
		sample.labels = from->labels.len ? rows->labels[from->labels.items[i]] : 0;
		profile_add_sample(to, made, &sample);
		ret_kept[kept++] = i;
	}
	return kept;
}

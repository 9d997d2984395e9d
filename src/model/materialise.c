/* materialise.c: how does a view become a profile again? */
#include "model/materialise.h"

#include <stdlib.h>

static string_id text_copied(const struct view *v, struct profile *to, string_id id)
{
	return profile_string(to, view_text(v, id));
}

static frame_id frame_copied(const struct view *v, struct profile *to, frame_id id)
{
	struct frame frame = view_frame_at(v, id);

	frame.function = text_copied(v, to, frame.function);
	frame.module = text_copied(v, to, frame.module);
	frame.file = text_copied(v, to, frame.file);
	return profile_frame(to, &frame);
}

/* One stack for each node, and a place that has only a name for each frame. */
static stack_id *stacks_made(const struct view *v, struct profile *to)
{
	size_t nodes = v->tree.caller.len;
	stack_id *stacks = memory_new(nodes, sizeof(*stacks));
	location_id *locations = memory_new(view_frame_count(v), sizeof(*locations));

	for (size_t i = 1; i < nodes; i++) {
		frame_id frame = v->tree.frame.items[i];

		if (!locations[frame])
			locations[frame] = profile_location_named(to, frame_copied(v, to, frame));
		stacks[i] = profile_stack(to, stacks[v->tree.caller.items[i]], locations[frame]);
	}
	free(locations);
	return stacks;
}

static thread_id *threads_copied(const struct view *v, struct profile *to)
{
	const struct profile *from = v->profile;
	thread_id *map = memory_new(from->threads.len, sizeof(*map));

	for (size_t i = 1; i < from->threads.len; i++) {
		const struct thread *t = &from->threads.items[i];
		const struct process *process = &from->processes.items[t->process];
		process_id copied = t->process ? profile_process(to, process->pid,
							 text_copied(v, to, process->name))
					       : 0;

		map[i] = profile_thread(to, copied, t->tid, text_copied(v, to, t->name));
	}
	return map;
}

static label_set_id *labels_copied(const struct view *v, struct profile *to)
{
	const struct profile *from = v->profile;
	label_set_id *map = memory_new(from->label_sets.len, sizeof(*map));

	for (size_t i = 1; i < from->label_sets.len; i++) {
		const struct label_set *l = &from->label_sets.items[i];

		map[i] = profile_label(to, map[l->parent], text_copied(v, to, l->key),
			text_copied(v, to, l->value));
	}
	return map;
}

/* The samples of one table that the view shows; *ret_kept are their old numbers. */
static size_t samples_copied(const struct view *v, struct profile *to, uint32_t table,
	const stack_id *stacks, const thread_id *threads, const label_set_id *labels,
	size_t *ret_kept)
{
	const struct samples *from = &v->profile->samples.items[table];
	struct sample sample = {
		.has = (from->thread.len ? SAMPLE_THREAD : 0) | (from->time.len ? SAMPLE_TIME : 0) |
		       (from->duration.len ? SAMPLE_DURATION : 0) |
		       (from->cpu.len ? SAMPLE_CPU : 0) | (from->labels.len ? SAMPLE_LABELS : 0)};
	size_t kept = 0;

	profile_add_samples(to);
	for (size_t i = 0; i < from->count; i++) {
		node_id node = view_node(v, table, i);

		if (node == NODE_DROPPED)
			continue;
		sample.stack = stacks[node];
		sample.thread = from->thread.len ? threads[from->thread.items[i]] : 0;
		sample.time = from->time.len ? from->time.items[i] : 0;
		sample.duration = from->duration.len ? from->duration.items[i] : 0;
		sample.cpu = from->cpu.len ? from->cpu.items[i] : NO_CPU;
		sample.labels = from->labels.len ? labels[from->labels.items[i]] : 0;
		profile_add_sample(to, table, &sample);
		ret_kept[kept++] = i;
	}
	return kept;
}

/* The streams that weigh one table. */
static void streams_copied(
	const struct view *v, struct profile *to, uint32_t table, const size_t *kept, size_t count)
{
	for (size_t s = 0; s < v->profile->streams.len; s++) {
		const struct stream *from = &v->profile->streams.items[s];
		struct stream *stream = &to->streams.items[s];

		if (from->row.samples != table)
			continue;
		for (size_t i = 0; from->value.len && i < count; i++)
			vector_push(&stream->value, from->value.items[kept[i]]);
	}
}

static void rows_copied(const struct view *v, struct profile *to)
{
	const struct profile *from = v->profile;
	struct bytes note;
	size_t at = 0;
	bool own;

	for (size_t i = 0; i < from->streams.len; i++) {
		struct stream stream = {.row = from->streams.items[i].row};

		stream.row.kind = text_copied(v, to, stream.row.kind);
		stream.row.unit = text_copied(v, to, stream.row.unit);
		stream.row.event = text_copied(v, to, stream.row.event);
		vector_push(&to->streams, stream);
	}
	for (size_t i = 0; i < from->losses.len; i++)
		profile_add_loss(to, from->losses.items[i].stream,
			profile_text(from, from->losses.items[i].reason),
			from->losses.items[i].count);
	for (size_t i = 0; i < from->meta.len; i++)
		vector_push(&to->meta, ((struct meta){text_copied(v, to, from->meta.items[i].key),
					       text_copied(v, to, from->meta.items[i].value)}));
	while (view_next_note(v, &at, &note, &own))
		if (own)
			profile_note(to, "%.*s", (int)note.len, note.at);
}

void view_materialise(const struct view *v, struct profile *ret_profile)
{
	const struct profile *from = v->profile;
	stack_id *stacks;
	thread_id *threads;
	label_set_id *labels;

	profile_init(ret_profile);
	stacks = stacks_made(v, ret_profile);
	threads = threads_copied(v, ret_profile);
	labels = labels_copied(v, ret_profile);
	rows_copied(v, ret_profile);
	for (uint32_t table = 0; table < from->samples.len; table++) {
		size_t *kept = memory_new(from->samples.items[table].count, sizeof(*kept));
		size_t count = samples_copied(v, ret_profile, table, stacks, threads, labels, kept);

		streams_copied(v, ret_profile, table, kept, count);
		free(kept);
	}
	free(stacks);
	free(threads);
	free(labels);
}

/* materialise.c: how does a view become a profile again? */
#include "model/materialise.h"

#include "model/copy.h"

#include <stdlib.h>

/* Copy the streams that weigh one table. */
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

		stream.row.kind = copy_text(v, to, stream.row.kind);
		stream.row.unit = copy_text(v, to, stream.row.unit);
		stream.row.event = copy_text(v, to, stream.row.event);
		vector_push(&to->streams, stream);
	}
	for (size_t i = 0; i < from->losses.len; i++)
		profile_add_loss(to, from->losses.items[i].stream,
			profile_text(from, from->losses.items[i].reason),
			from->losses.items[i].count);
	for (size_t i = 0; i < from->meta.len; i++)
		vector_push(&to->meta, ((struct meta){copy_text(v, to, from->meta.items[i].key),
					       copy_text(v, to, from->meta.items[i].value)}));
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
	stacks = copy_stacks(v, ret_profile);
	threads = copy_threads(v, ret_profile);
	labels = copy_labels(v, ret_profile);
	rows_copied(v, ret_profile);
	for (uint32_t table = 0; table < from->samples.len; table++) {
		size_t *kept = memory_new(from->samples.items[table].count, sizeof(*kept));
		size_t count = copy_samples(
			v, table, &(struct copied){stacks, threads, labels}, ret_profile, kept);

		streams_copied(v, ret_profile, table, kept, count);
		memory_free(kept);
	}
	memory_free(stacks);
	memory_free(threads);
	memory_free(labels);
}

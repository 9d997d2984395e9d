/* shrink.c: how is a profile made smaller that will only be read? */
#include "model/shrink.h"

#include <stdlib.h>

/* Apply X(vector) to every table. */
#define TABLES(p, X)                                                                               \
	do {                                                                                       \
		X((p)->string_bytes);                                                              \
		X((p)->string_ends);                                                               \
		X((p)->frames);                                                                    \
		X((p)->mappings);                                                                  \
		X((p)->locations);                                                                 \
		X((p)->location_names);                                                            \
		X((p)->location_frames);                                                           \
		X((p)->stack_caller);                                                              \
		X((p)->stack_location);                                                            \
		X((p)->processes);                                                                 \
		X((p)->threads);                                                                   \
		X((p)->label_sets);                                                                \
		X((p)->meta);                                                                      \
		X((p)->losses);                                                                    \
		for (size_t i = 0; i < (p)->streams.len; i++)                                      \
			X((p)->streams.items[i].value);                                            \
		for (size_t i = 0; i < (p)->samples.len; i++) {                                    \
			X((p)->samples.items[i].stack);                                            \
			X((p)->samples.items[i].thread);                                           \
			X((p)->samples.items[i].time);                                             \
			X((p)->samples.items[i].duration);                                         \
			X((p)->samples.items[i].cpu);                                              \
			X((p)->samples.items[i].labels);                                           \
		}                                                                                  \
	} while (0)

static void *cut(void *items, size_t len, size_t *cap, size_t size)
{
	if (*cap <= len || !len)
		return items;
	*cap = len;
	return memory_resize(items, len, size);
}

/* A column whose values are all equal is replaced by `fixed_value`: the samples of a clock mostly
 * have equal values. */
static void settle_values(struct stream *s)
{
	for (size_t i = 0; i < s->value.len; i++)
		if (s->value.items[i] != s->value.items[0])
			return;
	if (!s->value.len)
		return;
	s->row.fixed_value = s->value.items[0];
	vector_release(&s->value);
}

void profile_shrink(struct profile *p)
{
	struct id_map *const maps[] = {&p->by_string, &p->by_frame, &p->by_mapping, &p->by_location,
		&p->by_process, &p->by_thread, &p->by_label_set};

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		id_map_release(maps[i]);
	vector_release(&p->frame_of_name);
	vector_release(&p->location_of_frame);
	callees_release(&p->callees);
	for (size_t i = 0; i < p->streams.len; i++)
		settle_values(&p->streams.items[i]);
#define CUT(v) (v).items = cut((v).items, (v).len, &(v).cap, sizeof(*(v).items))
	TABLES(p, CUT);
#undef CUT
}

size_t profile_size(const struct profile *p)
{
	size_t size = 0;

#define ADD(v) (size += (v).len * sizeof(*(v).items))
	TABLES(p, ADD);
#undef ADD
	return size;
}

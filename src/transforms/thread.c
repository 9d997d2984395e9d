/* thread.c: keeps only some threads. */
#include "transforms/pattern.h"
#include "transforms/select.h"
#include "transforms/transforms.h"

#include <stdlib.h>

static int32_t thread_id_of(const struct profile *p, size_t row)
{
	return p->threads.items[row].tid;
}

static string_id thread_name_of(const struct profile *p, size_t row)
{
	return p->threads.items[row].name;
}

static bool thread_apply(struct view *v, const char *which, struct error *err)
{
	const struct profile *p = v->profile;
	const struct pattern_table threads = {p->threads.len, thread_id_of, thread_name_of};
	bool *keep = memory_new(p->threads.len, sizeof(*keep));
	bool done = pattern_rows(&threads, p, which, keep, err) && select_threads(v, keep, err);

	memory_free(keep);
	return done;
}

const struct transform transform_thread = {
	.name = "thread",
	.argument = "TID|REGEX",
	.help = "only threads with this id, or with a name that matches",
	.applied = "Thread",
	.apply = thread_apply,
};

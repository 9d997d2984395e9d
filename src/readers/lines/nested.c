/* nested.c: samples out of a printed call tree whose counts include what is below. */
#include "readers/lines/nested.h"

#include <assert.h>

void nested_release(struct nested *n)
{
	vector_release(&n->levels);
}

static bool add_sample(
	struct nested *n, stack_id stack, uint32_t stream, int64_t value, struct error *err)
{
	int64_t values[TEXT_STREAMS_LIMIT] = {0};

	values[stream] = value;
	if (n->order == OUTERMOST_FIRST) {
		n->sample.stack = stack;
		return text_stacks_add_stack(n->stacks, n->sample, values, err);
	}
	for (size_t i = 0; i < n->levels.len; i++)
		text_stacks_push(n->stacks, n->levels.items[i].location);
	return text_stacks_add_sample(n->stacks, n->order, n->sample, values, err);
}

/* The last level ends: its count minus those of its callees is a sample. */
static bool pop(struct nested *n, struct error *err)
{
	const struct nested_level *last = &n->levels.items[n->levels.len - 1];
	int64_t self = last->count - last->below;

	if (self > 0 && !add_sample(n, last->stack, last->stream, self, err))
		return false;
	if (self < 0)
		bad_lines_add(&n->stacks->bad, last->line,
			"expected callees that sum up to at most their caller");
	n->levels.len--;
	return true;
}

static bool cut_to(struct nested *n, size_t depth, struct error *err)
{
	while (n->levels.len > depth)
		if (!pop(n, err))
			return false;
	return true;
}

bool nested_add(struct nested *n, size_t depth, location_id location, uint32_t stream,
	int64_t count, struct error *err)
{
	stack_id stack = 0;

	assert(nested_takes(n, depth));
	if (!cut_to(n, depth, err))
		return false;
	if (depth) {
		struct nested_level *above = &n->levels.items[depth - 1];

		if (__builtin_add_overflow(above->below, count, &above->below))
			return error_set(err, ERR_LIMIT,
				"line %llu: the sum of all values exceeds 2^63",
				(unsigned long long)n->stacks->lines.number);
	}
	if (n->order == OUTERMOST_FIRST) {
		stack = profile_stack(
			n->stacks->profile, depth ? n->levels.items[depth - 1].stack : 0, location);
		text_stacks_fetch(n->stacks, stack);
	}
	vector_push(&n->levels, ((struct nested_level){location, stack, stream, count, 0,
					n->stacks->lines.number}));
	return true;
}

bool nested_finish(struct nested *n, struct error *err)
{
	return cut_to(n, 0, err);
}

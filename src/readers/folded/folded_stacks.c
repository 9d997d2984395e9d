/* folded_stacks.c: which stacks are the frames of folded lines? */
#include "readers/folded/folded_stacks.h"

#include "names/tidy.h"

#include <stdlib.h>

#define ENOUGH 256u /* queued frames and lines, together, that are looked up at once */

void folded_stacks_release(struct folded_stacks *s)
{
	vector_release(&s->marks);
	vector_release(&s->location_of_string);
	vector_release(&s->waiting);
	vector_release(&s->paths_of_lines);
	vector_release(&s->names);
	vector_release(&s->found);
	vector_release(&s->stacks);
	paths_release(&s->paths);
}

/* ---- What is shared with lines before ---- */

void folded_stacks_clear(struct folded_stacks *s)
{
	s->last = (struct bytes){0};
	s->marks.len = 0;
	s->sorted = 0;
}

/* Is `a` equal to `b` or behind it in the order of bytes? Their first `shared` bytes are equal. */
static bool follows(struct bytes a, struct bytes b, size_t shared)
{
	if (shared >= b.len)
		return a.len >= b.len;
	return shared < a.len && (unsigned char)a.at[shared] > (unsigned char)b.at[shared];
}

static void check_order(
	struct folded_stacks *s, struct bytes line, struct bytes frames, size_t shared)
{
	if (!follows(line, s->last, shared))
		s->sorted &= ~(unsigned)ORDER_OF_LINES;
	if (!follows(frames, (struct bytes){s->last.at, s->last_frames}, shared))
		s->sorted &= ~(unsigned)ORDER_OF_STACKS;
}

/* Has a line been out of order? */
static bool in_no_order(const struct folded_stacks *s)
{
	return s->paths.profile != NULL;
}

/* The longest mark that holds for the new line: a frame of it ends there, too. Marks behind the
 * shared text are dropped. Others that do not hold are kept for later lines, while these are
 * sorted. */
static struct folded_mark known_start(struct folded_stacks *s, struct bytes frames, size_t shared)
{
	while (s->marks.len && s->marks.items[s->marks.len - 1].end > shared)
		s->marks.len--;
	/* A digit of a frame's name may have been one of a number: "a 1 2" and "a 12". */
	while (s->marks.len && s->marks.items[s->marks.len - 1].end > frames.len) {
		s->marks.len--;
		s->sorted = 0;
	}
	for (size_t i = s->marks.len; i-- > 0;) {
		struct folded_mark mark = s->marks.items[i];

		if (mark.end == frames.len || frames.at[mark.end] == ';')
			return mark;
		if (in_no_order(s))
			s->marks.len = i;
	}
	return (struct folded_mark){0};
}

/* Queue the frames behind `start`, and mark their ends. */
static void add_frames(struct folded_stacks *s, struct bytes frames, struct folded_mark start)
{
	for (size_t at = start.depth ? start.end + 1 : 0; at <= frames.len; at = start.end + 1) {
		const char *end = memchr(frames.at + at, ';', frames.len - at);
		size_t len = end ? (size_t)(end - frames.at) - at : frames.len - at;

		vector_push(&s->names, ((struct bytes){frames.at + at, len}));
		start = (struct folded_mark){.end = (uint32_t)(at + len),
			.depth = start.depth + 1,
			.frame = (uint32_t)s->names.len};
		vector_push(&s->marks, start);
	}
}

bool folded_stacks_add(
	struct folded_stacks *s, struct bytes line, struct bytes frames, size_t shared)
{
	struct folded_waiting new = {0};
	size_t before = s->names.len;

	if (frames.len) {
		if (s->last.at)
			check_order(s, line, frames, shared);
		new.start = known_start(s, frames, shared);
		s->last = line;
		s->last_frames = frames.len;
		add_frames(s, frames, new.start);
	} else {
		folded_stacks_clear(s);
	}
	new.frames = (uint32_t)(s->names.len - before);
	vector_push(&s->waiting, new);
	return s->names.len + s->waiting.len >= ENOUGH;
}

/* ---- Finding ---- */

static location_id frame_location(struct folded_stacks *s, struct bytes name, string_id string)
{
	struct profile *p = s->profile;
	struct frame frame = {.function = string, .kind = tidy_suffix_kind(name)};
	location_id location = profile_location_named(p, profile_frame(p, &frame));

	while (s->location_of_string.len <= string)
		vector_push(&s->location_of_string, 0);
	s->location_of_string.items[string] = location;
	return location;
}

/* Replace the names of all queued frames by their locations, in s->found. */
static void find_locations(struct folded_stacks *s)
{
	vector_reserve(&s->found, s->names.len);
	s->found.len = s->names.len;
	profile_strings(s->profile, s->names.items, s->names.len, s->found.items);
	for (size_t i = 0; i < s->names.len; i++) {
		struct bytes name = s->names.items[i];
		string_id string = s->found.items[i];
		location_id location = string < s->location_of_string.len
					       ? s->location_of_string.items[string]
					       : 0;

		/* A repaired name may equal another line's. */
		if (s->sorted && !bytes_equal(profile_text(s->profile, string), name))
			s->sorted = 0;
		s->found.items[i] = location ? location : frame_location(s, name, string);
	}
}

static stack_id marked_stack(const struct folded_stacks *s, struct folded_mark mark)
{
	return mark.frame ? s->found.items[mark.frame - 1] : mark.stack;
}

/* While lines are sorted, a stack that a line does not share with the one before it is new. In the
 * batch with the first line that is out of order, stacks are searched for one by one. */
static void find_in_order(struct folded_stacks *s)
{
	size_t next = 0;

	for (size_t i = 0; i < s->waiting.len; i++) {
		const struct folded_waiting *w = &s->waiting.items[i];
		stack_id stack = marked_stack(s, w->start);

		for (size_t end = next + w->frames; next < end; next++) {
			location_id location = s->found.items[next];

			stack = s->sorted ? profile_add_stack(s->profile, stack, location)
					  : profile_stack(s->profile, stack, location);
			s->found.items[next] = stack;
		}
		vector_push(&s->stacks, stack);
	}
	for (size_t i = 0; i < s->marks.len; i++) {
		struct folded_mark *mark = &s->marks.items[i];

		mark->stack = marked_stack(s, *mark);
		mark->frame = 0;
	}
}

static void find_in_no_order(struct folded_stacks *s)
{
	s->paths_of_lines.len = 0;
	for (size_t i = 0; i < s->waiting.len; i++) {
		const struct folded_waiting *w = &s->waiting.items[i];

		vector_push(&s->paths_of_lines, ((struct listed_path){w->start.depth, w->frames}));
	}
	vector_reserve(&s->stacks, s->waiting.len);
	paths_walk_list(&s->paths, s->paths_of_lines.items, s->waiting.len, s->found.items,
		s->stacks.items);
	s->stacks.len = s->waiting.len;
}

void folded_stacks_find(struct folded_stacks *s)
{
	s->stacks.len = 0;
	find_locations(s);
	if (in_no_order(s))
		find_in_no_order(s);
	else
		find_in_order(s);
	s->waiting.len = s->names.len = s->found.len = 0;
	if (!s->sorted && !in_no_order(s)) {
		folded_stacks_clear(s);
		s->paths.profile = s->profile;
		paths_learn(&s->paths);
	}
}

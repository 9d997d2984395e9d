/* jit_names.c: names for code that was generated at run time.
 *
 * find_reused marks locations whose addresses had several pieces of code, and find_stacks the
 * stacks that contain such a location (one forward sweep). Only samples with a marked stack are
 * looked at again: the part of the stack from the first marked location on is built again, with
 * the names of the sample's time. The original stack of each changed sample is kept, because
 * runtimes write late: when more is known, the sample is renamed from there. */
#include "process/jit_names.h"

#include "base/buffer.h"
#include "names/v8_name.h"

#include <stdlib.h>

frame_id jit_frame(struct profile *p, const struct code_piece *piece, uint64_t address, bool lines)
{
	const struct code_line *line = lines ? code_piece_line(piece, address) : NULL;
	struct frame frame = {.kind = FRAME_JIT, .module = profile_string(p, BYTES("[jit]"))};
	struct buffer shown = {0};
	struct v8_name name;

	if (v8_name_parse(piece->name, &name)) {
		v8_name_format(&name, piece->name, &shown);
		frame.kind = v8_name_kind(&name);
		frame.function = profile_string(p, buffer_bytes(&shown));
		frame.file = profile_string(
			p, name.file); /* the line in V8's name is where the function begins */
	} else {
		frame.function = profile_string(p, piece->name);
	}
	if (line) {
		frame.file = profile_string(p, line->file);
		frame.line = line->line;
	}
	buffer_release(&shown);
	return profile_frame(p, &frame);
}

/* ---- By the time of samples ---- */

enum { ONE_CODE, CODE_BY_TIME, CODE_GUESSED };

struct renamer {
	struct profile *profile;
	struct jit_code *code;
	bool lines;
	uint8_t *locations; /* for the locations that existed at the start: enum above */
	uint8_t *stacks;    /* the highest value on the way to the root */
	size_t location_count, stack_count;
	VECTOR(location_id) path;
	struct jit_times times;
};

static bool find_reused(struct renamer *s)
{
	const struct profile *p = s->profile;
	bool any = false, timed;

	s->location_count = p->locations.len;
	s->locations = memory_new(s->location_count, 1);
	for (location_id i = 1; i < s->location_count; i++) {
		const struct location *l = &p->locations.items[i];
		const struct mapping *m = &p->mappings.items[l->mapping];

		if (!l->mapping || m->kind != MAPPING_JIT ||
			!jit_code_reused(s->code, m->process, l->address, &timed))
			continue;
		s->locations[i] = timed ? CODE_BY_TIME : CODE_GUESSED;
		any = true;
	}
	return any;
}

static void find_stacks(struct renamer *s)
{
	const struct profile *p = s->profile;

	s->stack_count = p->stack_caller.len;
	s->stacks = memory_new(s->stack_count, 1);
	for (stack_id i = 1; i < s->stack_count; i++) {
		uint8_t own = s->locations[p->stack_location.items[i]];
		uint8_t callers = s->stacks[p->stack_caller.items[i]];

		s->stacks[i] = own > callers ? own : callers;
	}
}

/* The location for the code that was at `location` at that time; `location` itself if its name is
 * the same. */
static location_id location_at(struct renamer *s, location_id location, uint64_t time)
{
	struct profile *p = s->profile;
	struct location l = p->locations.items[location];
	struct span names = p->location_names.items[location];
	struct code_piece piece;
	frame_id frame;

	if (s->locations[location] != CODE_BY_TIME ||
		!jit_code_find(
			s->code, p->mappings.items[l.mapping].process, l.address, time, &piece))
		return location;
	frame = jit_frame(p, &piece, l.address, s->lines);
	if (names.count == 1 && p->location_frames.items[names.first] == frame)
		return location;
	return profile_location_named(p, frame);
}

static stack_id stack_at(struct renamer *s, stack_id stack, uint64_t time)
{
	struct profile *p = s->profile;
	stack_id made;

	s->path.len = 0;
	while (stack && s->stacks[stack]) {
		vector_push(&s->path, p->stack_location.items[stack]);
		stack = p->stack_caller.items[stack];
	}
	made = stack;
	while (s->path.len) {
		location_id location = s->path.items[--s->path.len];

		made = profile_stack(p, made, location_at(s, location, time));
	}
	return made;
}

/* The stack that a sample had originally. Runtimes write late, so a later pass may know more
 * than the one that renamed it. */
static stack_id stack_before(struct renamer *s, uint32_t table, size_t sample)
{
	const struct jit_stacks *before = &s->code->stacks.items[table];

	if (sample < before->of_sample.len && before->of_sample.items[sample])
		return before->of_sample.items[sample];
	return s->profile->samples.items[table].stack.items[sample];
}

static void change_stack(struct renamer *s, uint32_t table, size_t sample, stack_id stack)
{
	struct samples *samples = &s->profile->samples.items[table];
	stack_id old = stack_before(s, table, sample);
	struct jit_stacks *before;

	before = &s->code->stacks.items[table];
	while (before->of_sample.len <= sample)
		vector_push(&before->of_sample, 0);
	before->of_sample.items[sample] = old;
	vector_reserve(&samples->stack, 1); /* the column may be borrowed from a mapped file */
	samples->stack.items[sample] = stack;
}

static void rename_samples(struct renamer *s, uint32_t table, bool all)
{
	const struct samples *samples = &s->profile->samples.items[table];
	size_t first = all ? 0 : s->code->stacks.items[table].done;

	s->code->stacks.items[table].done = samples->count;
	for (size_t i = first; i < samples->count; i++) {
		stack_id stack = stack_before(s, table, i), made;

		if (!s->stacks[stack])
			continue;
		if (s->stacks[stack] == CODE_GUESSED || i >= samples->time.len)
			s->times.guessed++;
		if (i >= samples->time.len)
			continue;
		made = stack_at(s, stack, samples->time.items[i]);
		s->times.by_time += made != stack;
		if (made != samples->stack.items[i])
			change_stack(s, table, i, made);
	}
}

void jit_names_by_time(
	struct profile *p, struct jit_code *code, bool lines, bool all, struct jit_times *ret_times)
{
	struct renamer s = {.profile = p, .code = code, .lines = lines};

	jit_code_read_all(code, p);
	while (code->stacks.len < p->samples.len)
		vector_push(&code->stacks, ((struct jit_stacks){0}));
	if (jit_code_overlaps(code) && find_reused(&s)) {
		find_stacks(&s);
		for (uint32_t t = 0; t < p->samples.len; t++)
			rename_samples(&s, t, all);
	}
	memory_free(s.locations);
	memory_free(s.stacks);
	vector_release(&s.path);
	*ret_times = s.times;
}

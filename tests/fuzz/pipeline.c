/* pipeline.c: which transforms and outputs does a profile go through? */
#include "pipeline.h"

#include "answers/compared.h"
#include "base/utf8.h"
#include "mutation.h"
#include "profile_cost.h"
#include "readers/reading.h"
#include "renderers/renderers.h"
#include "renderers/svg_options.h"
#include "support/small_profile.h"
#include "transforms/transforms.h"
#include "well_formed.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define NODES_LIMIT 100000u /* of a tree that is still drawn */

static const enum projection projections[] = {BY_FUNCTION, BY_LINE, BY_ADDRESS,
	BY_LINE | PROJECT_LINES, BY_FUNCTION | PROJECT_WITHOUT_INLINED,
	BY_ADDRESS | PROJECT_LINES | PROJECT_WITHOUT_INLINED};
#define PROJECTIONS (sizeof(projections) / sizeof(*projections))

static size_t count_of(const void *const *registry)
{
	size_t count = 0;

	while (registry[count])
		count++;
	return count;
}
#define COUNT_OF(registry) ((uint32_t)count_of((const void *const *)(registry)))

/* ---- Arguments ---- */

static const char *const values[] = {"", "0", "1", "2", "-1", "0.001", "1e9", "100",
	"18446744073709551615", "1..2", "..", "..0", "0..", "1ns..2ns", "@0..@1", "@1..",
	"99999999999s..", "1ms", "10d", ".*", "a", "main", "^", "$", "[a-z]+", "work_", "(a*)*b",
	"1,0", "0-3", "5000..", "12", "101", "cpu", "name", "weight", "thread", "%", "\xe2\x80\xae",
	"x;y", "node", "self", "total", "all", "hot", "<b>", "..5.02", "5.01..5.02"};

/* Of the value list, or a function's name in the view; free() it. */
static char *some_argument(const struct view *v, uint64_t *state)
{
	struct bytes text = bytes_of(values[random_below(state, sizeof(values) / sizeof(*values))]);

	if (view_frame_count(v) && mutation_chance(state, 2))
		text = view_function(v, random_below(state, (uint32_t)view_frame_count(v)));
	return memory_copy_text(text.at, text.len);
}

static void set_option(const struct option *o, void *settings, uint64_t *state)
{
	struct error err = {0};
	uint32_t choices = o->choices ? COUNT_OF(o->choices) : 0;
	const char *value = NULL;

	if (o->opens_files)
		return;
	if (choices)
		value = o->choices[random_below(state, choices)];
	else if (o->argument)
		value = values[random_below(state, sizeof(values) / sizeof(*values))];
	assert(o->set(settings, o, value, &err) || (err.code && err.text[0]));
}

/* ---- Outputs ---- */

/* Text output may go to a terminal: names in it must be plain text. */
static void check_text(struct bytes text)
{
	struct bytes line;

	while (bytes_line(&text, &line)) {
		struct bytes part;

		while (bytes_cut(&line, '\t', &part))
			assert(utf8_clean_length(part) == part.len);
		assert(utf8_clean_length(line) == line.len);
	}
}

/* Kiln reads what it writes. */
static void check_again(const char *format, struct bytes content)
{
	struct read_options options = {.want = WANT_ALL, .format = format};
	struct error err = {0};
	struct profile p;
	struct input in;

	assert(input_open_bytes(&in, content, "written", &err));
	if (!profile_read_input(&in, &options, &p, &err)) {
		fprintf(stderr, "%s that Kiln wrote: %s\n", format, err.text);
		abort();
	}
	profile_release(&p);
	input_release(&in);
}

static void check(const struct renderer *r, bool plain, struct bytes content)
{
	static const char *const read_again[] = {"kiln", "pprof"};

	if (r->readable && plain)
		check_text(content);
	if (r->suffix && bytes_ends_with(bytes_of(r->suffix), BYTES(".json")))
		assert(is_json(content));
	if (r->suffix && !strcmp(r->suffix, ".svg"))
		assert(is_xml(content));
	for (size_t i = 0; i < sizeof(read_again) / sizeof(*read_again); i++)
		if (!strcmp(r->name, read_again[i]))
			check_again(r->name, content);
}

/* With `state` some options are set. */
static void render(const struct view *v, const struct renderer *r, uint64_t *state)
{
	void *settings = renderer_settings(r);
	struct view shown = *v;
	struct error err = {0};
	struct output out;
	uint32_t left = state && r->options ? random_below(state, 4) : 0, options = 0;

	while (r->options && r->options[options].name)
		options++;
	for (; left && options; left--)
		set_option(&r->options[random_below(state, options)], settings, state);
	if (!strcmp(r->name, "svg") && view_stream(v)->side)
		svg_settings_compare(settings, &shown.comparison);
	output_open_memory(&out);
	if (!renderer_check(r, &err) || !r->render(&shown, settings, &out, &err))
		assert(err.code && err.text[0]);
	else
		check(r, !state, buffer_bytes(&out.pending));
	output_discard(&out);
	free(settings);
}

static void render_some(const struct view *v, uint64_t *state)
{
	if (v->tree.caller.len <= NODES_LIMIT)
		for (unsigned left = 2; left; left--)
			render(v, renderers[random_below(state, COUNT_OF(renderers))], state);
}

static void render_all(const struct view *v)
{
	for (size_t i = 0; renderers[i]; i++)
		render(v, renderers[i], NULL);
}

/* ---- Transforms ---- */

static void check_tree(const struct view *v)
{
	const struct tree *t = &v->tree;
	size_t frames = view_frame_count(v);

	assert(t->caller.len && t->caller.len == t->frame.len);
	for (size_t i = 1; i < t->caller.len; i++)
		assert(t->caller.items[i] < i && t->frame.items[i] < frames);
}

static void transform(struct view *v, const struct transform *t, uint64_t *state)
{
	struct error err = {0};
	char *argument = t->argument ? some_argument(v, state) : NULL;

	if (!t->opens_files)
		assert(t->apply(v, argument, &err) || (err.code && err.text[0]));
	check_tree(v);
	free(argument);
}

static void select_kind(struct view *v, uint64_t *state)
{
	const struct profile *p = v->profile;
	struct error err = {0};
	const struct stream *s;

	if (!p->streams.len)
		return;
	s = &p->streams.items[random_below(state, (uint32_t)p->streams.len)];
	view_select(v, profile_text(p, mutation_chance(state, 2) ? s->row.kind : s->row.event),
		mutation_chance(state, 4), &err);
}

static void run_one(const struct profile *p, uint64_t *state)
{
	struct view v;

	view_init(&v, p, projections[random_below(state, PROJECTIONS)]);
	check_tree(&v);
	if (mutation_chance(state, 3))
		select_kind(&v, state);
	for (uint32_t left = random_below(state, 4); left && v.tree.caller.len <= NODES_LIMIT;
		left--)
		transform(&v, transforms[random_below(state, COUNT_OF(transforms))], state);
	render_some(&v, state);
	view_release(&v);
}

/* ---- Comparisons ---- */

/* Before and after, with a transform of both or none, some options, and one of what was compared.
 */
static void compare(const struct profile *before, const struct profile *after, uint64_t *state)
{
	const struct stored_profile sides[2] = {
		{"before", before, BY_FUNCTION, 1}, {"after", after, BY_FUNCTION, 2}};
	const struct stored_profile *const both[2] = {&sides[0], &sides[1]};
	struct compare_options how = COMPARE_DEFAULT;
	struct shape shape = {0};
	struct error err = {0};
	struct profile made;
	struct view v;

	how.normalise = mutation_chance(state, 2);
	how.elided = mutation_chance(state, 4);
	how.canonical.names = mutation_chance(state, 2);
	how.canonical.strip_hex = mutation_chance(state, 2);
	if (mutation_chance(state, 4))
		transform_list_add(&shape.transforms, "reverse", NULL);
	if (compared_make(both, &shape, &how, &made, &err)) {
		view_init(&v, &made, projections[random_below(state, PROJECTIONS)]);
		v.comparison = compare_display(&how);
		if (mutation_chance(state, 4))
			transform(&v, transforms[random_below(state, COUNT_OF(transforms))], state);
		render_some(&v, state);
		if (!LLVMFuzzerMutate)
			render_all(&v);
		view_release(&v);
	} else {
		assert(err.code && err.text[0]);
	}
	profile_release(&made);
	shape_release(&shape);
	compare_options_release(&how);
}

/* A fixed one, in the unit of most profiles. */
static void compare_with_other(const struct profile *p, uint64_t *state)
{
	struct profile other;

	small_profile(&other, "main;work_1 3,main;read 2,a;b 1", true);
	if (mutation_chance(state, 2))
		compare(p, &other, state);
	else
		compare(&other, p, state);
	profile_release(&other);
}

/* ---- All of it ---- */

static void run_all(const struct profile *p, uint64_t *state)
{
	struct view v;

	for (size_t i = 0; i < PROJECTIONS; i++) {
		view_init(&v, p, projections[i]);
		render_all(&v);
		view_release(&v);
	}
	for (size_t i = 0; transforms[i]; i++) {
		view_init(&v, p, BY_FUNCTION);
		transform(&v, transforms[i], state);
		render_some(&v, state);
		view_release(&v);
	}
	compare(p, p, state);
	compare_with_other(p, state);
}

void pipeline_run(const struct profile *p, uint64_t plan)
{
	if (!profile_is_small(p))
		return;
	run_one(p, &plan);
	if (mutation_chance(&plan, 8))
		compare(p, p, &plan);
	if (mutation_chance(&plan, 8))
		compare_with_other(p, &plan);
	if (!LLVMFuzzerMutate)
		run_all(p, &plan);
}

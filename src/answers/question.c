/* question.c: from a query to the bytes of its answer: profile, shape, renderer. */
#include "answers/question.h"

#include "answers/compared.h"
#include "base/deadline.h"
#include "base/hash.h"
#include "model/sides.h"
#include "renderers/renderers.h"
#include "renderers/svg_options.h"

#include <stdlib.h>

#define PROFILES "profiles"

/* A query's own options, besides those of the renderer. */
struct asked {
	const char *profile;
	const char *before; /* NULL: no comparison */
	struct compare_options compare_options;
	struct shape shape;
	size_t then; /* how many of the transforms apply to both sides; the rest applies to the
			comparison; SIZE_MAX: all */
	struct buffer shown; /* the words that define the comparison, each followed by NUL */
};

static bool set_then(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct asked *asked = target;

	(void)option;
	(void)value;
	(void)err;
	asked->then = asked->shape.transforms.steps.len;
	return true;
}

static const struct option own_options[] = {
	{.name = "profile",
		.argument = "NAME",
		.help = "one of the served profiles",
		.set = option_text,
		.offset = offsetof(struct asked, profile)},
	{.name = "before",
		.argument = "NAME",
		.help = "the profile to compare with; can be the same",
		.set = option_text,
		.offset = offsetof(struct asked, before)},
	{.name = "then",
		.help = "the transforms that follow apply to the compared profile",
		.set = set_then},
	{0},
};

/* ---- Words ---- */

/* Convert to command line options: "name=value" becomes "--name=value". */
static char **as_arguments(const struct question *q, struct buffer *text)
{
	char **argv = memory_new(q->words.len + 2, sizeof(*argv));
	size_t *at = memory_new(q->words.len, sizeof(*at));

	buffer_add(text, q->address, strlen(q->address) + 1);
	for (size_t i = 0; i < q->words.len; i++) {
		at[i] = text->len;
		buffer_text(text, "--");
		buffer_add(text, q->words.items[i], strlen(q->words.items[i]) + 1);
	}
	argv[0] = text->at;
	for (size_t i = 0; i < q->words.len; i++)
		argv[i + 1] = text->at + at[i];
	memory_free(at);
	return argv;
}

/* A client may look at profiles, but not read or write other files; and a value must not be
 * taken for an option. */
static bool check_words(const struct option_group *groups, char *const *words, struct error *err)
{
	for (; *words; words++) {
		struct bytes name = {*words + 2, strcspn(*words + 2, "=")};
		const struct option *o = option_find(groups, name);

		if (o && o->files)
			return error_set(err, ERR_USAGE,
				"--%s opens files: only on the command line", o->name);
		if (o && o->argument && !name.at[name.len])
			return error_set(
				err, ERR_USAGE, "--%s needs an argument: %s", o->name, o->argument);
	}
	return true;
}

/* Transforms of the comparison itself do not define it. */
static void note_shown(const struct question *q, const struct option_group *groups,
	const struct option *transforming, struct buffer *out)
{
	const struct option_group reshaping[] = {{"Transforms", transforming, NULL}, {0}};
	bool compared = false;

	for (size_t i = 0; i < q->words.len; i++) {
		const char *word = q->words.items[i];
		struct bytes name = {word, strcspn(word, "=")};

		if (!strcmp(word, "then"))
			compared = true;
		else if (option_find(groups, name) && !(compared && option_find(reshaping, name)))
			buffer_add(out, word, strlen(word) + 1);
	}
}

static bool read_words(const struct question *q, char **argv, const struct renderer *renderer,
	void *settings, struct asked *asked, struct error *err)
{
	struct option transforming[TRANSFORM_OPTIONS];
	struct option_group groups[] = {{"Query", own_options, asked},
		{"Comparison", compare_option_table, &asked->compare_options},
		{"Values", shape_options, &asked->shape},
		{"Transforms", transforming, &asked->shape.transforms},
		{"Answer", renderer->options, settings}, {0}};
	struct option_group *answer = &groups[sizeof(groups) / sizeof(*groups) - 2];
	char **operands;

	transform_options(transforming);
	if (!check_words(groups, argv + 1, err) ||
		!options_parse(groups, argv, false, &operands, err))
		return false;
	*answer = (struct option_group){0};
	note_shown(q, groups, transforming, &asked->shown);
	return true;
}

/* ---- Answers ---- */

static bool asks_for_json(const struct question *q)
{
	for (size_t i = 0; i < q->words.len; i++)
		if (!strcmp(q->words.items[i], "json"))
			return true;
	return false;
}

static const char *type_of(const struct renderer *renderer, const struct question *q)
{
	if (renderer->media_type)
		return renderer->media_type;
	if (renderer->readable && asks_for_json(q))
		return "application/json";
	return renderer->readable ? "text/plain; charset=utf-8" : "application/octet-stream";
}

static bool render(struct view *view, const struct renderer *renderer, const void *settings,
	struct buffer *ret_body, struct error *err)
{
	struct output out;
	bool done;

	output_open_memory(&out);
	done = deadline_check(err) && renderer_write(renderer, view, settings, &out, err) &&
	       deadline_check(err);
	if (done && out.failed.code) {
		*err = out.failed;
		done = false;
	}
	if (done) {
		buffer_release(ret_body);
		*ret_body = out.pending;
		out.pending = (struct buffer){0};
	}
	output_discard(&out);
	return done;
}

/* The heat map, which is shown first, needs neither the stacks nor a tree of them. */
static bool needs_tree(
	const struct shape *shape, const struct renderer *renderer, const void *settings)
{
	return shape->transforms.steps.len || !renderer->samples_only ||
	       !renderer->samples_only(settings);
}

/* For a profile that may have two sides itself. */
static bool look_at_sides(const struct asked *asked, struct view *view, struct error *err)
{
	const struct compare_options *c = &asked->compare_options;

	if (compare_changes_sides(c) || (compare_changes_display(c) && !view_stream(view)->side))
		return error_set(err, ERR_USAGE, "a comparison also needs before=PROFILE");
	view->comparison = compare_display(c);
	return true;
}

static bool render_one(const struct shelf_profile *of, const struct asked *asked,
	const struct renderer *renderer, const void *settings, struct buffer *ret_body,
	struct error *err)
{
	const struct shape *shape = &asked->shape;
	struct view view;
	bool done;

	view_init(&view, of->profile,
		needs_tree(shape, renderer, settings) ? of->projection : BY_ROOT);
	done = shape_select(shape, &view, err) && look_at_sides(asked, &view, err) &&
	       transform_list_apply(&shape->transforms, &view, err) &&
	       render(&view, renderer, settings, ret_body, err);
	view_release(&view);
	return done;
}

struct pair {
	const struct shelf_profile *const *sides;
	const struct asked *asked;
};

static size_t steps_of_sides(const struct asked *asked)
{
	size_t all = asked->shape.transforms.steps.len;

	return asked->then < all ? asked->then : all;
}

/* Some of a list's transforms, borrowed. */
static struct transform_list steps_of(const struct transform_list *all, size_t begin, size_t end)
{
	struct transform_list part = {0};

	if (begin < end) {
		part.steps.items = all->steps.items + begin;
		part.steps.len = end - begin;
	}
	return part;
}

static bool make_compared(void *context, struct profile *ret, struct error *err)
{
	const struct pair *pair = context;
	struct shape shape = pair->asked->shape;

	shape.transforms = steps_of(&shape.transforms, 0, steps_of_sides(pair->asked));
	return compared_make(pair->sides, &shape, &pair->asked->compare_options, ret, err);
}

/* A page asks several questions about one comparison: it is made once, for the first. */
static const struct shelf_profile *take_compared(struct shelf *shelf,
	const struct shelf_profile *const sides[2], const struct asked *asked, struct error *err)
{
	struct pair pair = {sides, asked};
	const struct shelf_profile *made;
	struct buffer key = {0};

	for (int i = 0; i < 2; i++)
		buffer_add(&key, &sides[i]->reading, sizeof(sides[i]->reading));
	buffer_add(&key, asked->shown.at, asked->shown.len);
	made = shelf->made(shelf, buffer_bytes(&key), make_compared, &pair, err);
	buffer_release(&key);
	return made;
}

/* Show a part of a comparison: totals and noise are those of the whole. */
static bool reshape_compared(const struct asked *asked, struct view *view, struct error *err)
{
	const struct transform_list *all = &asked->shape.transforms;
	struct transform_list rest = steps_of(all, steps_of_sides(asked), all->steps.len);
	struct sides sides;

	if (!rest.steps.len)
		return true;
	sides_init_self(&sides, view);
	memcpy(view->comparison.whole, sides.whole, sizeof(sides.whole));
	sides_release(&sides);
	return transform_list_apply(&rest, view, err);
}

static bool render_compared(struct shelf *shelf, const struct shelf_profile *const sides[2],
	const struct asked *asked, const struct renderer *renderer, void *settings,
	struct buffer *ret_body, struct error *err)
{
	struct comparison how = compare_display(&asked->compare_options);
	const struct shelf_profile *made = take_compared(shelf, sides, asked, err);
	struct view view;
	bool done;

	if (!made)
		return false;
	if (!strcmp(renderer->name, "svg"))
		svg_settings_compare(settings, &how);
	view_init(&view, made->profile, sides[1]->projection);
	view.comparison = how;
	done = reshape_compared(asked, &view, err) &&
	       render(&view, renderer, settings, ret_body, err);
	view_release(&view);
	shelf->give(shelf, made);
	return done;
}

static bool answer(const struct asked *asked, struct shelf *shelf, const struct renderer *renderer,
	void *settings, struct buffer *ret_body, struct error *err)
{
	bool all = asked->before || needs_tree(&asked->shape, renderer, settings);
	const struct shelf_profile *sides[2] = {
		NULL, all ? shelf->take(shelf, asked->profile, err)
			  : shelf->take_samples(shelf, asked->profile, err)};
	bool done = sides[1] != NULL;

	if (done && asked->before) {
		sides[0] = shelf->take(shelf, asked->before, err);
		done = sides[0] &&
		       render_compared(shelf, sides, asked, renderer, settings, ret_body, err);
	} else if (done) {
		done = render_one(sides[1], asked, renderer, settings, ret_body, err);
	}
	for (int i = 0; i < 2; i++)
		if (sides[i])
			shelf->give(shelf, sides[i]);
	return done;
}

bool question_is_known(const char *address)
{
	return !strcmp(address, PROFILES) || renderer_by_name(address);
}

bool question_needs_profile(const char *address)
{
	return strcmp(address, PROFILES) != 0;
}

bool question_version(const struct question *q, struct shelf *shelf, uint64_t *ret_version)
{
	uint64_t version = 0;
	bool named = false;

	for (size_t i = 0; i < q->words.len; i++) {
		struct bytes word = bytes_of(q->words.items[i]);
		const char *value = memchr(word.at, '=', word.len);

		named |= bytes_starts_with(word, BYTES("profile="));
		version = hash_pair(version, value ? shelf->version(shelf, value + 1) : 0);
	}
	*ret_version = named ? version : hash_pair(version, shelf->version(shelf, NULL));
	return question_needs_profile(q->address);
}

bool question_answer(
	const struct question *q, struct shelf *shelf, struct answer *ret, struct error *err)
{
	const struct renderer *renderer = renderer_by_name(q->address);
	struct asked asked = {.compare_options = COMPARE_DEFAULT, .then = SIZE_MAX};
	struct buffer text = {0};
	void *settings;
	char **argv;
	bool done;

	if (!renderer && q->words.len)
		return error_set(err, ERR_USAGE, PROFILES " takes no parameters");
	if (!renderer) {
		shelf->list(shelf, &ret->body);
		ret->type = "application/json";
		return true;
	}
	settings = renderer_settings(renderer);
	argv = as_arguments(q, &text);
	done = read_words(q, argv, renderer, settings, &asked, err) &&
	       answer(&asked, shelf, renderer, settings, &ret->body, err);
	ret->type = type_of(renderer, q);
	ret->policy = renderer->policy;
	compare_options_release(&asked.compare_options);
	buffer_release(&asked.shown);
	shape_release(&asked.shape);
	buffer_release(&text);
	memory_free(settings);
	memory_free(argv);
	return done;
}

/* question.c: how does a request become the bytes of its answer? A profile, its shape, a renderer.
 */
#include "answers/question.h"

#include "answers/capabilities.h"
#include "answers/compared.h"
#include "base/deadline.h"
#include "base/hash.h"
#include "model/sides.h"
#include "renderers/renderers.h"
#include "renderers/svg_options.h"

#include <stdlib.h>

/* Options of requests, beside those of the renderer. */
struct query {
	const char *profile;
	const char *before; /* NULL: no comparison */
	struct compare_options compare_options;
	struct shape shape;
	size_t then; /* how many of the transforms apply to each side; the others apply to the
			comparison; SIZE_MAX: all */
	struct buffer comparison_key; /* the words that define the comparison, each with a NUL
					 behind it */
};

static bool set_then(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct query *query = target;

	(void)option;
	(void)value;
	(void)err;
	query->then = query->shape.transforms.steps.len;
	return true;
}

static const struct option own_options[] = {
	{.name = "profile",
		.argument = "NAME",
		.help = "one of the served profiles",
		.set = option_text,
		.offset = offsetof(struct query, profile)},
	{.name = "before",
		.argument = "NAME",
		.help = "the profile to compare with; can be the same",
		.set = option_text,
		.offset = offsetof(struct query, before)},
	{.name = "then",
		.help = "the transforms that follow apply to the compared profile",
		.set = set_then},
	{0},
};

/* ---- Words ---- */

/* Words as command-line options: "name=value" becomes "--name=value". */
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

/* Requests must not read or write files; and no word may become the value of the one before. */
static bool check_words(const struct option_group *groups, char *const *words, struct error *err)
{
	for (; *words; words++) {
		struct bytes name = {*words + 2, strcspn(*words + 2, "=")};
		const struct option *o = option_find(groups, name);

		if (o && o->opens_files)
			return error_set(err, ERR_USAGE,
				"--%s opens files: only on the command line", o->name);
		if (o && o->argument && !name.at[name.len])
			return error_set(
				err, ERR_USAGE, "--%s needs an argument: %s", o->name, o->argument);
	}
	return true;
}

/* Collect the words that define a comparison: transforms after `then` do not change what is
 * compared. */
static void note_comparison(const struct question *q, const struct option_group *groups,
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
	void *settings, struct query *query, struct error *err)
{
	struct option transforming[TRANSFORM_OPTIONS];
	struct option_group groups[] = {{"Query", own_options, query},
		{"Comparison", compare_option_table, &query->compare_options},
		{"Values", shape_options, &query->shape},
		{"Transforms", transforming, &query->shape.transforms},
		{"Answer", renderer->options, settings}, {0}};
	struct option_group *answer = &groups[sizeof(groups) / sizeof(*groups) - 2];
	char **operands;

	transform_options(transforming);
	if (!check_words(groups, argv + 1, err) ||
		!options_parse(groups, argv, false, &operands, err))
		return false;
	*answer = (struct option_group){0};
	note_comparison(q, groups, transforming, &query->comparison_key);
	return true;
}

/* ---- Answers ---- */

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

/* Some answers, such as a heat map without a search, need neither stacks nor a tree. */
static bool needs_tree(
	const struct shape *shape, const struct renderer *renderer, const void *settings)
{
	return shape->transforms.steps.len || !renderer->samples_only ||
	       !renderer->samples_only(settings);
}

/* Without before=, options that change the sides are refused, and options that change how they are
 * shown need a profile that has two sides itself. */
static bool check_sides(const struct query *query, struct view *view, struct error *err)
{
	const struct compare_options *c = &query->compare_options;

	if (compare_changes_sides(c) || (compare_changes_display(c) && !view_stream(view)->side))
		return error_set(err, ERR_USAGE, "a comparison also needs before=PROFILE");
	view->comparison = compare_display(c);
	return true;
}

static bool render_one(const struct stored_profile *of, const struct query *query,
	const struct renderer *renderer, const void *settings, struct buffer *ret_body,
	struct error *err)
{
	const struct shape *shape = &query->shape;
	struct view view;
	bool done;

	view_init(&view, of->profile,
		needs_tree(shape, renderer, settings) ? of->projection : BY_ROOT);
	done = shape_select(shape, &view, err) && check_sides(query, &view, err) &&
	       transform_list_apply(&shape->transforms, &view, err) &&
	       render(&view, renderer, settings, ret_body, err);
	view_release(&view);
	return done;
}

struct pair {
	const struct stored_profile *const *sides;
	const struct query *query;
};

static size_t steps_of_sides(const struct query *query)
{
	size_t all = query->shape.transforms.steps.len;

	return query->then < all ? query->then : all;
}

/* A part of a list's steps, borrowed. */
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
	struct shape shape = pair->query->shape;

	shape.transforms = steps_of(&shape.transforms, 0, steps_of_sides(pair->query));
	return compared_make(pair->sides, &shape, &pair->query->compare_options, ret, err);
}

/* A page sends several requests about one comparison: the first one makes the compared profile. */
static const struct stored_profile *take_compared(struct profile_store *store,
	const struct stored_profile *const sides[2], const struct query *query, struct error *err)
{
	struct pair pair = {sides, query};
	const struct stored_profile *made;
	struct buffer key = {0};

	for (int i = 0; i < 2; i++)
		buffer_add(&key, &sides[i]->reading, sizeof(sides[i]->reading));
	buffer_add(&key, query->comparison_key.at, query->comparison_key.len);
	made = store->acquire_made(store, buffer_bytes(&key), make_compared, &pair, err);
	buffer_release(&key);
	return made;
}

/* Transform a comparison; changes stay relative to the totals from before these transforms. */
static bool reshape_compared(const struct query *query, struct view *view, struct error *err)
{
	const struct transform_list *all = &query->shape.transforms;
	struct transform_list rest = steps_of(all, steps_of_sides(query), all->steps.len);
	struct sides sides;

	if (!rest.steps.len)
		return true;
	sides_init_self(&sides, view);
	memcpy(view->comparison.whole, sides.whole, sizeof(sides.whole));
	sides_release(&sides);
	return transform_list_apply(&rest, view, err);
}

static bool render_compared(struct profile_store *store,
	const struct stored_profile *const sides[2], const struct query *query,
	const struct renderer *renderer, void *settings, struct buffer *ret_body, struct error *err)
{
	struct comparison how = compare_display(&query->compare_options);
	const struct stored_profile *made = take_compared(store, sides, query, err);
	struct view view;
	bool done;

	if (!made)
		return false;
	if (!strcmp(renderer->name, "svg"))
		svg_settings_compare(settings, &how);
	view_init(&view, made->profile, sides[1]->projection);
	view.comparison = how;
	done = reshape_compared(query, &view, err) &&
	       render(&view, renderer, settings, ret_body, err);
	view_release(&view);
	store->release(store, made);
	return done;
}

static bool answer(const struct query *query, struct profile_store *store,
	const struct renderer *renderer, void *settings, struct buffer *ret_body, struct error *err)
{
	bool all = query->before || needs_tree(&query->shape, renderer, settings);
	const struct stored_profile *sides[2] = {
		NULL, all ? store->acquire(store, query->profile, err)
			  : store->acquire_samples(store, query->profile, err)};
	bool done = sides[1] != NULL;

	if (done && query->before) {
		sides[0] = store->acquire(store, query->before, err);
		done = sides[0] &&
		       render_compared(store, sides, query, renderer, settings, ret_body, err);
	} else if (done) {
		done = render_one(sides[1], query, renderer, settings, ret_body, err);
	}
	for (int i = 0; i < 2; i++)
		if (sides[i])
			store->release(store, sides[i]);
	return done;
}

/* ---- Answers without a profile ---- */

static void list_profiles(struct profile_store *store, struct buffer *ret_json)
{
	store->list(store, ret_json);
}

static void list_capabilities(struct profile_store *store, struct buffer *ret_json)
{
	(void)store;
	capabilities_list(ret_json);
}

static const struct list {
	const char *address;
	void (*add)(struct profile_store *store, struct buffer *ret_json);
} lists[] = {{"profiles", list_profiles}, {"capabilities", list_capabilities}, {0}};

static const struct list *list_at(const char *address)
{
	for (const struct list *l = lists; l->address; l++)
		if (!strcmp(l->address, address))
			return l;
	return NULL;
}

static bool answer_list(const struct question *q, const struct list *list,
	struct profile_store *store, struct answer *ret, struct error *err)
{
	if (q->words.len)
		return error_set(err, ERR_USAGE, "%s takes no parameters", q->address);
	list->add(store, &ret->body);
	ret->type = MEDIA_JSON;
	return true;
}

/* ---- Questions ---- */

bool question_is_known(const char *address)
{
	return list_at(address) || renderer_by_name(address);
}

bool question_needs_profile(const char *address)
{
	return !list_at(address);
}

bool question_version(const struct question *q, struct profile_store *store, uint64_t *ret_version)
{
	uint64_t version = 0;
	bool named = false;

	for (size_t i = 0; i < q->words.len; i++) {
		struct bytes word = bytes_of(q->words.items[i]);
		const char *value = memchr(word.at, '=', word.len);

		named |= bytes_starts_with(word, BYTES("profile="));
		version = hash_pair(version, value ? store->version(store, value + 1) : 0);
	}
	*ret_version = named ? version : hash_pair(version, store->version(store, NULL));
	return question_needs_profile(q->address);
}

bool question_answer(const struct question *q, struct profile_store *store, struct answer *ret,
	struct error *err)
{
	const struct renderer *renderer = renderer_by_name(q->address);
	struct query query = {.compare_options = COMPARE_DEFAULT, .then = SIZE_MAX};
	struct buffer text = {0};
	void *settings;
	char **argv;
	bool done;

	if (!renderer)
		return answer_list(q, list_at(q->address), store, ret, err);
	settings = renderer_settings(renderer);
	argv = as_arguments(q, &text);
	done = read_words(q, argv, renderer, settings, &query, err) &&
	       answer(&query, store, renderer, settings, &ret->body, err);
	ret->type = renderer_media_type(renderer, settings);
	ret->policy = renderer->policy;
	compare_options_release(&query.compare_options);
	buffer_release(&query.comparison_key);
	shape_release(&query.shape);
	buffer_release(&text);
	memory_free(settings);
	memory_free(argv);
	return done;
}

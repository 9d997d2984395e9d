/* fuzz_question.c: what pages ask, by any address and with any parameters, of profiles of every
 * kind.
 *
 * An input is a line for each question: the address, and its words behind "&", as they are when
 * they have been decoded. */
#include "answers/question.h"

#include "mutation.h"
#include "renderers/renderers.h"
#include "support/small_profile.h"
#include "transforms/compare_options.h"
#include "transforms/shape.h"

#include <assert.h>
#include <stdlib.h>

#define QUESTIONS_LIMIT 6u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- What is asked about ---- */

/* Made once for the process: questions never change them. */
static struct profile timed, small, counted;
static struct stored_profile profiles[] = {{"timed", &timed, BY_FUNCTION, 1},
	{"small", &small, BY_LINE, 2}, {"counted", &counted, BY_ADDRESS, 3}};
#define PROFILES (sizeof(profiles) / sizeof(*profiles))

/* The comparison that was made last. */
static struct profile comparison;
static struct stored_profile stored_comparison = {"", &comparison, BY_FUNCTION, 0};
static struct buffer comparison_key;
static unsigned acquired;

static void list(struct profile_store *store, struct buffer *ret_json)
{
	(void)store;
	buffer_text(ret_json, "[]\n");
}

static const struct stored_profile *acquire(
	struct profile_store *store, const char *name, struct error *err)
{
	(void)store;
	for (size_t i = 0; i < PROFILES; i++)
		if (!name || !strcmp(name, profiles[i].name)) {
			acquired++;
			return &profiles[i];
		}
	error_set(err, ERR_MISSING, PROFILE_NOT_FOUND, name);
	return NULL;
}

static void release(struct profile_store *store, const struct stored_profile *released)
{
	(void)store;
	(void)released;
	assert(acquired--);
}

static const struct stored_profile *acquire_made(struct profile_store *store, struct bytes key,
	profile_maker *make, void *context, struct error *err)
{
	(void)store;
	if (!comparison_key.len || !bytes_equal(buffer_bytes(&comparison_key), key)) {
		profile_release(&comparison);
		comparison_key.len = 0;
		if (!make(context, &comparison, err)) {
			profile_release(&comparison);
			profile_init(&comparison);
			return NULL;
		}
		buffer_set(&comparison_key, key);
	}
	acquired++;
	return &stored_comparison;
}

static uint64_t version(struct profile_store *store, const char *name)
{
	(void)store;
	return name ? strlen(name) : 0;
}

static struct profile_store store = {list, acquire, acquire, release, acquire_made, version};

static void release_all(void)
{
	profile_release(&timed);
	profile_release(&small);
	profile_release(&counted);
	profile_release(&comparison);
	buffer_release(&comparison_key);
}

static void set_up(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	random_profile(&timed, 7, 60);
	small_profile(&small, "@1+1main;read_[k] 2,@2+2main;work 3,@1+5[idle] 4", true);
	small_profile(&counted, "a;b 1,a;c;[truncated:depth] 2", false);
	profile_init(&comparison);
	atexit(release_all);
}

/* ---- Asking ---- */

static void ask(struct question *q)
{
	struct answer answer = {0};
	struct error err = {0};
	uint64_t ignored;

	question_version(q, &store, &ignored);
	if (question_is_known(q->address) && q->words.len <= QUESTION_WORDS_MAX) {
		bool done = question_answer(q, &store, &answer, &err);

		assert(done ? answer.type != NULL : err.code && err.text[0]);
		mutation_count(done);
	}
	assert(!acquired);
	buffer_release(&answer.body);
}

static void ask_line(struct bytes line)
{
	char *text = memory_copy_text(line.at, line.len), *rest = text;
	struct question q = {.address = strsep(&rest, "&")};

	while (rest)
		vector_push(&q.words, strsep(&rest, "&"));
	ask(&q);
	vector_release(&q.words);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes text = {(const char *)data, size}, line;

	set_up();
	for (unsigned left = QUESTIONS_LIMIT; left && bytes_line(&text, &line); left--)
		ask_line(line);
	return 0;
}

/* ---- Mutating ---- */

static const char *const own_words[] = {"profile=timed", "profile=small", "profile=counted",
	"before=timed", "before=small", "before=counted", "then", "profile=none", "json"};
static const char *const texts[] = {"", "0", "1", "-1", "0.001", "1..2", "..", "..1.5", "1..",
	"5..5.01", "@5..@6", "@100..@103", "99999999999999999999", "1s", "1ns", "100ms", "10d",
	"main", "^w", "(", "[a-z]+;", "(a*)*b", "work_1", "101", "102", "100", "name", "weight",
	"thread", "cpu", "time", "self", "cycles", "samples", "%", "a", "all", "node", "1,0", "0-3",
	"main;read"};

static uint32_t options_count(const struct option *options)
{
	uint32_t count = 0;

	while (options && options[count].name)
		count++;
	return count;
}

static void put_option(struct buffer *out, const struct option *options, uint64_t *state)
{
	uint32_t count = options_count(options), choices = 0;
	const struct option *o;

	if (!count)
		return;
	o = &options[random_below(state, count)];
	buffer_printf(out, "&%s", o->name);
	if (!o->argument || mutation_chance(state, 20))
		return;
	while (o->choices && o->choices[choices])
		choices++;
	buffer_char(out, '=');
	if (choices && !mutation_chance(state, 10))
		buffer_text(out, o->choices[random_below(state, choices)]);
	else
		buffer_text(out, texts[random_below(state, sizeof(texts) / sizeof(*texts))]);
}

/* An address, and words that it may acquire, of every table that a question is read by. */
static void put_question(struct buffer *out, uint64_t *state)
{
	struct option transforming[TRANSFORM_OPTIONS];
	const struct renderer *r;
	uint32_t count = 0;

	while (renderers[count])
		count++;
	r = renderers[random_below(state, count)];
	buffer_text(out, mutation_chance(state, 30) ? "profiles" : r->name);
	transform_options(transforming);
	for (uint32_t left = random_below(state, 6); left; left--) {
		const struct option *tables[] = {r->options, r->options, transforming, transforming,
			shape_options, compare_option_table};
		uint32_t table = random_below(state, 8);

		if (table < 6)
			put_option(out, tables[table], state);
		else
			buffer_printf(out, "&%s",
				own_words[random_below(
					state, sizeof(own_words) / sizeof(*own_words))]);
	}
	buffer_char(out, '\n');
}

/* The lines of the input, of which one loses a word, has one twice, one more or another value. */
static void change_line(struct bytes line, struct buffer *out, uint64_t *state)
{
	uint32_t words = 1, chosen, way = random_below(state, 4);
	struct bytes word;

	for (size_t i = 0; i < line.len; i++)
		words += line.at[i] == '&';
	chosen = random_below(state, words);
	for (uint32_t i = 0; i < words; i++) {
		const char *value;

		if (!bytes_cut(&line, '&', &word))
			word = line;
		if (i == chosen && way == 0)
			continue;
		for (uint32_t times = i == chosen && way == 1 ? 2 : 1; times; times--)
			buffer_printf(out, "%s%.*s", i ? "&" : "", (int)word.len, word.at);
		value = word.len ? memchr(word.at, '=', word.len) : NULL;
		if (i == chosen && way == 2 && value) {
			out->len -= (size_t)(word.at + word.len - value) - 1;
			buffer_text(
				out, texts[random_below(state, sizeof(texts) / sizeof(*texts))]);
		}
	}
	buffer_char(out, '\n');
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	struct bytes text = {(const char *)data, size}, line;
	struct buffer out = {0};
	uint64_t state = seed;
	uint32_t chosen = random_below(&state, QUESTIONS_LIMIT), i = 0;

	if (mutation_chance(&state, 4))
		return LLVMFuzzerMutate(data, size, max_size);
	for (; bytes_line(&text, &line) && i < QUESTIONS_LIMIT; i++) {
		if (i == chosen && mutation_chance(&state, 2))
			put_question(&out, &state);
		else if (i == chosen)
			change_line(line, &out, &state);
		else
			buffer_printf(&out, "%.*s\n", (int)line.len, line.at);
	}
	if (!i || mutation_chance(&state, 6))
		put_question(&out, &state);
	return mutation_done(&out, data, size, max_size);
}

/* test_threads.c: may a program use libkiln in several threads at once?
 *
 * ThreadSanitizer notices races that do not change a result. */
#include "test.h"

#include "kiln.h"
#include "server/files.h"

#include <pthread.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define THREADS	     4u

static const char *const inputs[] = {"folded/decimals.txt", "pprof/everything.pb",
	"firefox/shared.json", "speedscope/sampled.json", "kiln/small.kiln", "html/small.html",
	"perf-script/all.txt", "otlp/everything.otlp", "perf-data/today-little.data",
	"cpuprofile/tree.json"};
static const char *const formats[] = {
	"svg", "folded", "pprof", "speedscope", "firefox", "top", "tree", "kiln", "csv", "info"};
static const char *const transforms[] = {"reverse", "collapse-recursion"};

struct drawing {
	char *bytes;
	size_t len;
};

/* The number chooses the projection. */
static bool draw(const kiln_profile *p, size_t number, struct drawing *ret)
{
	kiln_view *view = kiln_view_new(p, (enum kiln_by)(number % 3));
	const char *format = formats[number % COUNT(formats)];
	kiln_error err = {0};
	bool done = kiln_view_transform(view, transforms[number % COUNT(transforms)], NULL, &err) &&
		    kiln_view_transform(view, "exclude", "no such frame|another", &err) &&
		    kiln_render_memory(view, format, NULL, &ret->bytes, &ret->len, &err);

	kiln_view_free(view);
	if (!done)
		print_message("# drawing %zu: %s\n", number, err.text);
	return done;
}

static kiln_profile *load(size_t input)
{
	kiln_error err = {0};
	kiln_profile *p = kiln_load(inputs[input], NULL, &err);

	if (!p)
		print_message("# %s\n", err.text);
	return p;
}

static bool is_same(const struct drawing *a, const struct drawing *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

static bool draws_as_expected(const kiln_profile *p, size_t number, const struct drawing *expected)
{
	struct drawing drawing = {0};
	bool same = draw(p, number, &drawing) && is_same(&drawing, &expected[number]);

	kiln_free(drawing.bytes);
	return same;
}

/* ---- In threads ---- */

struct work {
	size_t start; /* of the first piece of work; the others follow in turn */
	const kiln_profile *profile;
	const struct drawing *expected;
	bool wrong;
};

static void run(void *(*work)(void *), const kiln_profile *p, const struct drawing *expected)
{
	struct work works[THREADS];
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++) {
		works[i] = (struct work){i, p, expected, false};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &works[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < THREADS; i++)
		assert_false(works[i].wrong);
}

static void *draw_files(void *context)
{
	struct work *w = context;

	for (size_t i = 0; i < COUNT(inputs); i++) {
		size_t input = (w->start + i) % COUNT(inputs);
		kiln_profile *p = load(input);

		w->wrong |= !p || !draws_as_expected(p, input, w->expected);
		kiln_profile_free(p);
	}
	return NULL;
}

static void threads_read_files_of_their_own(void **state)
{
	struct drawing expected[COUNT(inputs)] = {{0}};

	(void)state;
	for (size_t i = 0; i < COUNT(inputs); i++) {
		kiln_profile *p = load(i);

		assert_non_null(p);
		assert_true(draw(p, i, &expected[i]));
		kiln_profile_free(p);
	}
	run(draw_files, NULL, expected);
	for (size_t i = 0; i < COUNT(inputs); i++)
		kiln_free(expected[i].bytes);
}

static void *draw_formats(void *context)
{
	struct work *w = context;

	for (size_t i = 0; i < COUNT(formats); i++)
		w->wrong |= !draws_as_expected(
			w->profile, (w->start + i) % COUNT(formats), w->expected);
	return NULL;
}

/* Of each form: read, and mapped. */
static void threads_read_one_profile(void **state)
{
	(void)state;
	for (size_t input = 0; input < COUNT(inputs); input++) {
		struct drawing expected[COUNT(formats)] = {{0}};
		kiln_profile *seen = load(input), *p = load(input);

		assert_true(seen && p);
		for (size_t i = 0; i < COUNT(formats); i++)
			assert_true(draw(seen, i, &expected[i]));
		/* Nothing of this profile has been computed before. */
		run(draw_formats, p, expected);
		for (size_t i = 0; i < COUNT(formats); i++)
			kiln_free(expected[i].bytes);
		kiln_profile_free(seen);
		kiln_profile_free(p);
	}
}

static int enter_inputs(void **state)
{
	(void)state;
	return chdir(test_path("tests/golden"));
}

/* ---- With the server ---- */

struct serving {
	const struct loading *loading;
	struct profile_store *store;
	size_t start;
	bool wrong;
};

static uint64_t samples_of(const struct profile *p)
{
	uint64_t count = 0;

	for (size_t i = 0; i < p->samples.len; i++)
		count += p->samples.items[i].count;
	return count;
}

/* As the server reads them, and by themselves: the same file is the same profile. */
static void *take_files(void *context)
{
	struct serving *s = context;

	for (size_t i = 0; i < COUNT(inputs); i++) {
		const char *path = inputs[(s->start + i) % COUNT(inputs)];
		const struct loading_request request = {.want = WANT_ALL};
		const struct stored_profile *taken;
		struct error err = {0};
		struct profile own = {0};
		struct input in;

		s->wrong |= !input_open(&in, path, &err) ||
			    !loading_read(s->loading, &in, &request, &own, &err);
		taken = s->store->acquire(s->store, path, &err);
		s->wrong |= !taken || samples_of(taken->profile) != samples_of(&own) ||
			    taken->profile->frames.len != own.frames.len;
		if (taken)
			s->store->release(s->store, taken);
		profile_release(&own);
	}
	return NULL;
}

static void threads_load_beside_the_server(void **state)
{
	const struct loading_options options = {0};
	struct serving works[THREADS];
	pthread_t threads[THREADS];
	struct loading loading;
	struct files *files;
	struct error err = {0};

	(void)state;
	loading_init(&loading, &options);
	/* The cache has room for none: each file is read again every time. */
	files = files_new(&(struct files_settings){.loading = &loading, .options = ""});
	for (size_t i = 0; i < COUNT(inputs); i++)
		assert_true(files_add(files, inputs[i], &err));
	for (size_t i = 0; i < THREADS; i++) {
		works[i] = (struct serving){&loading, files_store(files), i, false};
		assert_int_equal(pthread_create(&threads[i], NULL, take_files, &works[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < THREADS; i++)
		assert_false(works[i].wrong);
	files_release(files);
	loading_release(&loading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_read_files_of_their_own),
		cmocka_unit_test(threads_read_one_profile),
		cmocka_unit_test(threads_load_beside_the_server),
	};

	return cmocka_run_group_tests(tests, enter_inputs, NULL);
}

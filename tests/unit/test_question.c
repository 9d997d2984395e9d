/* test_question.c: which requests share one compared profile, and which make a new one? */
#include "test.h"

#include "answers/capabilities.h"
#include "answers/question.h"
#include "base/buffer.h"
#include "renderers/renderers.h"
#include "support/small_profile.h"
#include "transforms/transforms.h"

/* A store with "old" and "new" that keeps the last comparison. */
struct counting {
	struct profile_store store; /* the first member */
	struct profile old, new, made;
	struct stored_profile of_old, of_new, of_made;
	struct buffer key;
	unsigned takes, gives, makes;
};

static const struct stored_profile *take(
	struct profile_store *store, const char *name, struct error *err)
{
	struct counting *c = (struct counting *)(void *)store;

	(void)err;
	c->takes++;
	return name && !strcmp(name, "old") ? &c->of_old : &c->of_new;
}

static void give(struct profile_store *store, const struct stored_profile *taken)
{
	struct counting *c = (struct counting *)(void *)store;

	(void)taken;
	c->gives++;
}

static const struct stored_profile *made(struct profile_store *store, struct bytes key,
	profile_maker *make, void *context, struct error *err)
{
	struct counting *c = (struct counting *)(void *)store;

	c->takes++;
	if (!c->makes || !bytes_equal(buffer_bytes(&c->key), key)) {
		c->makes++;
		profile_release(&c->made);
		assert_true(make(context, &c->made, err));
		buffer_set(&c->key, key);
	}
	return &c->of_made;
}

/* Send a request; words are separated by "&". The answer is dropped. */
static void ask(struct counting *c, const char *address, const char *words)
{
	struct question q = {.address = address};
	struct answer answer = {0};
	struct error err = {0};
	char *text = memory_copy_text(words, strlen(words));

	for (char *word = strtok(text, "&"); word; word = strtok(NULL, "&"))
		vector_push(&q.words, word);
	if (!question_answer(&q, &c->store, &answer, &err))
		fail_msg("%s", err.text);
	assert_true(answer.body.len > 0);
	buffer_release(&answer.body);
	vector_release(&q.words);
	free(text);
}

static void set_up(struct counting *c)
{
	*c = (struct counting){.store = {.acquire = take,
				       .acquire_samples = take,
				       .release = give,
				       .acquire_made = made}};
	small_profile(&c->old, "a;b 2,a;c 1", true);
	small_profile(&c->new, "a;b 3,a;d 1", true);
	c->of_old = (struct stored_profile){"old", &c->old, BY_FUNCTION, 1};
	c->of_new = (struct stored_profile){"new", &c->new, BY_FUNCTION, 2};
	c->of_made = (struct stored_profile){"", &c->made, BY_FUNCTION, 0};
}

static void tear_down(struct counting *c)
{
	assert_int_equal(c->takes, c->gives);
	profile_release(&c->old);
	profile_release(&c->new);
	profile_release(&c->made);
	buffer_release(&c->key);
}

/* The tree, the table and the file use the same comparison, whatever their own options are. */
static void requests_of_one_comparison_make_it_once(void **state)
{
	struct counting c;

	(void)state;
	set_up(&c);
	ask(&c, "nodes", "profile=new&before=old&focus=a&order=name");
	ask(&c, "top", "json&profile=new&before=old&focus=a&sort=total&rows=7&by-change");
	ask(&c, "difference", "profile=new&before=old&focus=a");
	assert_int_equal(c.makes, 1);
	tear_down(&c);
}

/* Other words, another order of transforms, or a profile that was read again make another
 * comparison. */
static void other_words_make_another_comparison(void **state)
{
	static const char *const words[] = {"profile=new&before=old", "profile=old&before=new",
		"profile=new&before=old&normalise", "profile=new&before=old&after-time=..1",
		"profile=new&before=old&drop=a&focus=b", "profile=new&before=old&focus=b&drop=a",
		"profile=new&before=old&focus=ab&drop=", "profile=new&before=old&idle"};
	struct counting c;
	unsigned count = 0;

	(void)state;
	set_up(&c);
	for (; count < sizeof(words) / sizeof(*words); count++) {
		ask(&c, "nodes", words[count]);
		assert_int_equal(c.makes, count + 1);
	}
	c.of_old.reading = 3;
	ask(&c, "nodes", words[count - 1]);
	assert_int_equal(c.makes, count + 1);
	tear_down(&c);
}

/* A page builds its menus from these: each entry has all of its texts. */
static void everything_that_a_page_offers_is_complete(void **state)
{
	struct buffer json = {0};

	(void)state;
	for (size_t i = 0; renderers[i]; i++) {
		const struct renderer *r = renderers[i];

		assert_true(r->media_type || r->media_type_of);
		assert_true(!r->save.label || r->save.suffix || r->suffix);
	}
	for (size_t i = 0; transforms[i]; i++) {
		const struct transform *t = transforms[i];

		assert_non_null(t->applied);
		if (t->label)
			assert_int_equal(!t->argument, t->subject == TRANSFORM_OF_ALL);
	}
	capabilities_list(&json);
	assert_true(bytes_find(buffer_bytes(&json),
		BYTES("{\"name\":\"folded\",\"label\":\"Folded stacks\",\"suffix\":\".folded\","
		      "\"single\":true,\"comparison\":true}")));
	assert_true(bytes_find(buffer_bytes(&json),
		BYTES("{\"name\":\"drop\",\"applied\":\"Removed\",\"label\":\"Remove this "
		      "function (keep its callees)\",\"subject\":\"name\"}")));
	buffer_release(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_of_one_comparison_make_it_once),
		cmocka_unit_test(other_words_make_another_comparison),
		cmocka_unit_test(everything_that_a_page_offers_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

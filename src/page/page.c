/* page.c: the functions of the module that a page in one file calls.
 *
 * The module is the floors above compiled to WebAssembly; it has one profile and one thread. */
#include "answers/question.h"
#include "model/kiln_file.h"
#include "page/browser.h"

#include <stdlib.h>

#define CALLED(name) __attribute__((export_name(#name))) name

static struct profile profile;
static struct stored_profile shown = {.name = "", .profile = &profile};
static struct answer last;
static struct error failed;

static void list(struct profile_store *store, struct buffer *ret_json)
{
	(void)store;
	buffer_text(ret_json, "[{\"name\":");
	buffer_json(ret_json, bytes_of(shown.name));
	buffer_text(ret_json, "}]\n");
}

static const struct stored_profile *acquire(
	struct profile_store *store, const char *name, struct error *err)
{
	(void)store;
	if (!name || !strcmp(name, shown.name))
		return &shown;
	error_set(err, ERR_MISSING, PROFILE_NOT_FOUND, name);
	return NULL;
}

/* Caches the last one. */
static const struct stored_profile *acquire_made(struct profile_store *store, struct bytes key,
	profile_maker *make, void *context, struct error *err)
{
	static struct profile last_made;
	static struct stored_profile there = {.name = "", .profile = &last_made};
	static struct buffer made_of;

	(void)store;
	if (made_of.len && bytes_equal(buffer_bytes(&made_of), key))
		return &there;
	profile_release(&last_made);
	made_of.len = 0;
	if (!make(context, &last_made, err))
		return NULL;
	buffer_add(&made_of, key.at, key.len);
	return &there;
}

static void release(struct profile_store *store, const struct stored_profile *taken)
{
	(void)store;
	(void)taken;
}

static uint64_t version(struct profile_store *store, const char *name)
{
	(void)store;
	(void)name;
	return 0; /* the profile never changes */
}

static struct profile_store store = {.list = list,
	.acquire = acquire,
	.acquire_samples = acquire,
	.release = release,
	.acquire_made = acquire_made,
	.version = version};

/* Allocate bytes that the page fills, to pass them to page_open or page_ask. */
char *CALLED(page_room)(size_t size)
{
	return memory_resize(NULL, size, 1);
}

/* Load a .kiln file: its bytes, its name, and the projection of its stacks. False: page_why(). */
bool CALLED(page_open)(const char *content, size_t len, const char *name, int projection)
{
	shown.name = name;
	shown.projection = (enum projection)projection;
	return kiln_file_read((struct bytes){content, len}, NULL, &profile, &failed);
}

/* Answer a request: the address and its decoded words, NUL behind each. Returns enum error_code;
 * not 0: page_why(). */
int CALLED(page_ask)(char *text, size_t len)
{
	struct question q = {.address = text};

	buffer_release(&last.body);
	last = (struct answer){0};
	failed = (struct error){0};
	for (size_t at = strlen(text) + 1; at < len; at += strlen(text + at) + 1)
		vector_push(&q.words, text + at);
	if (question_is_known(text))
		question_answer(&q, &store, &last, &failed);
	else
		error_set(&failed, ERR_USAGE, "not found");
	vector_release(&q.words);
	free(text);
	return (int)failed.code;
}

/* Of the last request; valid until the next one. */
const char *CALLED(page_body)(void)
{
	return last.body.at;
}

size_t CALLED(page_body_len)(void)
{
	return last.body.len;
}

const char *CALLED(page_type)(void)
{
	return last.type;
}

const char *CALLED(page_why)(void)
{
	return failed.text;
}

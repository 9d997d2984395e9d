/* page.c: what a page that is one file calls: its profile, and answers about it.
 *
 * The floors above, compiled to WebAssembly; there is one profile and one thread. */
#include "answers/question.h"
#include "model/kiln_file.h"
#include "page/browser.h"

#include <stdlib.h>

#define CALLED(name) __attribute__((export_name(#name))) name

static struct profile profile;
static struct shelf_profile shown = {.name = "", .profile = &profile};
static struct answer last;
static struct error failed;

static void list(struct shelf *shelf, struct buffer *ret_json)
{
	(void)shelf;
	buffer_text(ret_json, "[{\"name\":");
	buffer_json(ret_json, bytes_of(shown.name));
	buffer_text(ret_json, "}]\n");
}

static const struct shelf_profile *take(struct shelf *shelf, const char *name, struct error *err)
{
	(void)shelf;
	if (!name || !strcmp(name, shown.name))
		return &shown;
	error_set(err, ERR_MISSING, SHELF_HAS_NONE, name);
	return NULL;
}

/* The last one is kept. */
static const struct shelf_profile *made(
	struct shelf *shelf, struct bytes key, shelf_make *make, void *context, struct error *err)
{
	static struct profile last_made;
	static struct shelf_profile there = {.name = "", .profile = &last_made};
	static struct buffer made_of;

	(void)shelf;
	if (made_of.len && bytes_equal(buffer_bytes(&made_of), key))
		return &there;
	profile_release(&last_made);
	made_of.len = 0;
	if (!make(context, &last_made, err))
		return NULL;
	buffer_add(&made_of, key.at, key.len);
	return &there;
}

static void give(struct shelf *shelf, const struct shelf_profile *taken)
{
	(void)shelf;
	(void)taken;
}

static uint64_t version(struct shelf *shelf, const char *name)
{
	(void)shelf;
	(void)name;
	return 0; /* it never changes */
}

static struct shelf shelf = {list, take, take, give, made, version};

/* Room that the page fills and hands over to one of these. */
char *CALLED(page_room)(size_t size)
{
	return memory_resize(NULL, size, 1);
}

/* The bytes of a .kiln file, what it is called, and how it becomes a tree. False: page_why. */
bool CALLED(page_open)(const char *content, size_t len, const char *name, int projection)
{
	shown.name = name;
	shown.projection = (enum projection)projection;
	return kiln_file_read((struct bytes){content, len}, NULL, &profile, &failed);
}

/* An address and its decoded words, NUL behind each; is there anything, and has it an answer?
 * enum error_code, or -1: there is nothing. */
int CALLED(page_ask)(char *text, size_t len)
{
	struct question q = {.address = text};

	buffer_release(&last.body);
	last = (struct answer){0};
	failed = (struct error){0};
	for (size_t at = strlen(text) + 1; at < len; at += strlen(text + at) + 1)
		vector_push(&q.words, text + at);
	if (question_is_known(text))
		question_answer(&q, &shelf, &last, &failed);
	else
		error_set(&failed, ERR_USAGE, "not found");
	vector_release(&q.words);
	free(text);
	return (int)failed.code;
}

/* Of the last question, until the next one. */
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

/* html.c: pages of Kiln that are one file: the profile that is in one.
 *
 * renderers/html.c writes them: an element with the id profile-data has a .kiln file, in base64 of
 * gzip. */
#include "base/base64.h"
#include "model/kiln_file.h"
#include "readers/readers.h"

#include <stdlib.h>

#define START	"<!DOCTYPE html>"
#define MADE	"<meta name=\"generator\" content=\"kiln\">"
#define ELEMENT " id=\"profile-data\""
#define LIMIT	((uint64_t)4 << 30) /* bytes of a page, and of the profile in it */

static const char *find(struct bytes text, struct bytes what)
{
	return memmem(text.at, text.len, what.at, what.len);
}

static int html_bid(struct bytes head)
{
	return bytes_starts_with(head, BYTES(START)) && find(head, BYTES(MADE))
		       ? 8 * (int)(sizeof(START) + sizeof(MADE) - 2)
		       : 0;
}

/* Find the content of the element. */
static bool find_profile(struct bytes page, struct bytes *ret_text, struct error *err)
{
	const char *element = find(page, BYTES(ELEMENT)), *end = page.at + page.len;
	const char *start = element ? memchr(element, '>', (size_t)(end - element)) : NULL;
	const char *behind = start ? memchr(start, '<', (size_t)(end - start)) : NULL;

	if (!behind)
		return error_set(err, ERR_FORMAT,
			"byte %zu: expected an element with the id profile-data", page.len);
	*ret_text = (struct bytes){start + 1, (size_t)(behind - start - 1)};
	return true;
}

/* What the profile keeps as long as it borrows from it. */
struct held {
	struct buffer packed;
	struct input input;
};

static void held_release(void *at)
{
	struct held *held = at;

	input_release(&held->input);
	buffer_release(&held->packed);
	memory_free(held);
}

static bool unpack(
	struct held *held, struct bytes page, struct bytes *ret_content, struct error *err)
{
	struct bytes text = {0};

	if (!find_profile(page, &text, err))
		return false;
	if (!base64_decode(text, &held->packed))
		return error_set(err, ERR_FORMAT, "the element profile-data: expected only base64");
	return (input_open_bytes(&held->input, buffer_bytes(&held->packed), "profile-data", err) &&
		       input_whole(&held->input, LIMIT, ret_content, err)) ||
	       error_prefix(err, "the element profile-data: ");
}

static bool html_read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct held *held = memory_new(1, sizeof(*held));
	struct bytes page = {0}, content = {0};
	struct profile read;

	(void)options; /* all of it is there */
	if (!input_whole(in, LIMIT, &page, err) || !unpack(held, page, &content, err) ||
		!kiln_file_read(content, NULL, &read, err)) {
		held_release(held);
		return false;
	}
	profile_release(out);
	*out = read;
	profile_borrow(out, held, held_release);
	return true;
}

const struct reader reader_html = {
	.name = "html",
	.about = "self-contained pages of Kiln",
	.expects = "a page that `kiln draw -o x.html` wrote",
	.proof = "pages of kiln draw, and a page written by Python",
	.bid = html_bid,
	.read = html_read,
};

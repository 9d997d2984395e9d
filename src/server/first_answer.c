/* first_answer.c: which answer does a page contain?
 *
 * The heat map is drawn first and depends on no other answer. With its data in the page, a browser
 * draws it in its first frame instead of after a request that waits behind the page's scripts. */
#include "server/first_answer.h"

#include "base/base64.h"
#include "server/answer_slots.h"

#include <stdlib.h>

/* Keep in step with web/view/server.mjs. Without an answer in it, the page sends the request, and
 * gets the error. */
#define ADDRESS "heatmap"
#define COLUMNS "columns=300"
#define ROWS	"rows=50"

struct first_answer {
	struct reply_pieces pieces; /* the first member */
	const struct page *page;
	struct profile_store *store;
	enum { PAGE, ANSWER, END, ALL } next;
	struct buffer text;
};

static void add_answer(struct first_answer *t)
{
	struct question q = {.address = ADDRESS};
	struct answer answer = {0};
	struct error ignored_error = {0};
	bool ignored;

	vector_push(&q.words, COLUMNS);
	vector_push(&q.words, ROWS);
	if (answer_slots_answer(&q, t->store, &answer, &ignored, &ignored_error)) {
		buffer_text(&t->text, "<script type=\"text/plain\" data-answer=\"" ADDRESS
				      "?" COLUMNS "&amp;" ROWS "\">");
		base64_encode(buffer_bytes(&answer.body), &t->text);
		buffer_text(&t->text, "</script>\n");
	}
	buffer_release(&answer.body);
	vector_release(&q.words);
}

static bool next(struct reply_pieces *p, struct bytes *ret_piece)
{
	struct first_answer *t = (struct first_answer *)(void *)p;
	struct bytes page = t->page->bytes;
	size_t end = t->page->end;

	switch (t->next) {
	case PAGE:
		*ret_piece = (struct bytes){page.at, end};
		break;
	case ANSWER:
		add_answer(t);
		*ret_piece = buffer_bytes(&t->text);
		break;
	case END:
		*ret_piece = (struct bytes){page.at + end, page.len - end};
		break;
	case ALL:
		return false;
	}
	t->next++;
	return true;
}

static void release(struct reply_pieces *p)
{
	struct first_answer *t = (struct first_answer *)(void *)p;

	buffer_release(&t->text);
	free(t);
}

enum MHD_Result first_answer_reply(struct MHD_Connection *connection, const struct reply *reply,
	const struct page *page, struct profile_store *store)
{
	struct first_answer *t = memory_new(1, sizeof(*t));

	*t = (struct first_answer){
		.pieces = {.next = next, .release = release}, .page = page, .store = store};
	return reply_pieces(connection, reply, &t->pieces);
}

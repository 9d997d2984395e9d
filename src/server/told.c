/* told.c: which answer is in a page already?
 *
 * The heat map is what is seen first, and hangs on no other answer. A browser that gets it with the
 * page has it in its first picture: what it asks for comes in between all else that it has to do.
 */
#include "server/told.h"

#include "base/base64.h"
#include "server/turns.h"

#include <stdlib.h>

/* As in web/view/server.mjs. When there is no answer the page asks, and is told why. */
#define ADDRESS "heatmap"
#define COLUMNS "columns=300"
#define ROWS	"rows=50"

struct told {
	struct reply_pieces pieces; /* the first member */
	const struct page *page;
	struct shelf *shelf;
	enum { PAGE, ANSWER, END, ALL } next;
	struct buffer text;
};

static void add_answer(struct told *t)
{
	struct question q = {.address = ADDRESS};
	struct answer answer = {0};
	struct error unsaid = {0};
	bool ignored;

	vector_push(&q.words, COLUMNS);
	vector_push(&q.words, ROWS);
	if (turns_answer(&q, t->shelf, &answer, &ignored, &unsaid)) {
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
	struct told *t = (struct told *)(void *)p;
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
	struct told *t = (struct told *)(void *)p;

	buffer_release(&t->text);
	free(t);
}

enum MHD_Result told_reply(struct MHD_Connection *connection, const struct reply *reply,
	const struct page *page, struct shelf *shelf)
{
	struct told *t = memory_new(1, sizeof(*t));

	*t = (struct told){
		.pieces = {.next = next, .release = release}, .page = page, .shelf = shelf};
	return reply_pieces(connection, reply, &t->pieces);
}

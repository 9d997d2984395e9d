/* first_answer.h: sends the page with the answer to its first request, the heat map. */
#ifndef KILN_SERVER_FIRST_ANSWER_H
#define KILN_SERVER_FIRST_ANSWER_H

#include "answers/profile_store.h"
#include "server/pages.h"
#include "server/reply.h"

/* Send the page at once, and the answer at its end when the first profile has been read. */
enum MHD_Result first_answer_reply(struct MHD_Connection *connection, const struct reply *reply,
	const struct page *page, struct profile_store *store);

#endif

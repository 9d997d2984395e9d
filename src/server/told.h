/* told.h: a page with the heat map that it asks for first. */
#ifndef KILN_SERVER_TOLD_H
#define KILN_SERVER_TOLD_H

#include "answers/shelf.h"
#include "server/pages.h"
#include "server/reply.h"

/* The page at once, and behind it the answer, when the first profile has been read. */
enum MHD_Result told_reply(struct MHD_Connection *connection, const struct reply *reply,
	const struct page *page, struct shelf *shelf);

#endif

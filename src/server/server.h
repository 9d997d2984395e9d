/* server.h: the HTTP server of `kiln view`. A client that reaches it and knows the token may ask.
 *
 * The floor in short: server.c takes requests, connections.h limits them, pages.h has the HTML
 * pages, answer_slots.h limits the answers that answers/question.h computes, reply.h sends them.
 * files.h has the profiles: entries.h and folder.h list files, profile_cache.h keeps profiles in
 * memory, and partial_profile.h shows one that is still being read. sources.h sends source files
 * and machine code, upload.h takes files from a browser. token.h and ticket.h say who may ask. */
#ifndef KILN_SERVER_SERVER_H
#define KILN_SERVER_SERVER_H

#include "base/error.h"
#include "images/binary_locations.h"
#include "server/files.h"
#include "server/listen_address.h"
#include "server/ticket.h"

struct server;

/* Can this build serve on this machine? Call it first. ERR_UNSUPPORTED says what is missing. */
bool server_check(struct error *err);

struct server_settings {
	struct files *files; /* outlives the server */
	const struct binary_locations
		*binary_locations; /* where to look for binaries; NULL: show no source */
	struct listen_address place;
	int socket; /* from listen_address_open; server_close closes it */
	uint16_t port;
	struct token token;
	struct ticket *ticket;	/* of the browser that is opened; NULL: none */
	uint64_t request_limit; /* ns of CPU time of an answer; 0: no limit */
	uint64_t upload_limit;	/* bytes of uploads in progress; 0: no uploads */
	bool starts_with_list;	/* the first page is the list of profiles */
	void (*answered)(void); /* called after each answer, by any thread */
};

/* "http://127.0.0.1:PORT/TOKEN/" */
void server_url(const struct server_settings *settings, struct buffer *ret_url);
/* "http://127.0.0.1:PORT/TICKET", which leads to the other one. */
void server_ticket_url(const struct server_settings *settings, struct buffer *ret_url);

/* Serve in threads of its own until server_close. NULL: error. */
struct server *server_open(const struct server_settings *settings, struct error *err);
/* Running requests end at their next deadline check (base/deadline.h). */
void server_close(struct server *s);

#endif

/* server.h: who may ask, over HTTP: whoever reaches it and knows the token. */
#ifndef KILN_SERVER_SERVER_H
#define KILN_SERVER_SERVER_H

#include "base/error.h"
#include "images/binary_locations.h"
#include "server/files.h"
#include "server/place.h"
#include "server/token.h"

struct server;

/* Can this build serve, here? To be asked first. ERR_UNSUPPORTED says what it would take. */
bool server_check(struct error *err);

struct server_settings {
	struct files *files; /* there as long as the server is */
	const struct binary_locations
		*binary_locations; /* of binaries and sources; NULL: none is shown */
	struct place place;
	int socket; /* that listens there: place_listen; server_close closes it */
	uint16_t port;
	struct token token;
	uint64_t request_limit; /* ns of CPU time of an answer; 0: as long as it takes */
	uint64_t upload_limit;	/* bytes of files that are sent; 0: none are taken */
	bool starts_with_list;	/* of the profiles there are, not with one of them */
	void (*answered)(void); /* called behind each answer, by any thread */
};

/* "http://127.0.0.1:PORT/TOKEN/" */
void server_url(const struct server_settings *settings, struct buffer *ret_url);

/* Serve, with threads of its own until it is closed. NULL: it could not be. */
struct server *server_open(const struct server_settings *settings, struct error *err);
/* Requests on their way are cut short where they ask for the deadline: see base/deadline.h. */
void server_close(struct server *s);

#endif

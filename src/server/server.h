/* server.h: who may ask, over HTTP: whoever is on this machine and knows the token. */
#ifndef KILN_SERVER_SERVER_H
#define KILN_SERVER_SERVER_H

#include "answers/shelf.h"
#include "base/error.h"

struct server;

/* Can this build serve, here? To be asked first. ERR_UNSUPPORTED says what it would take. */
bool server_check(struct error *err);

struct server_settings {
	struct shelf *shelf;
	uint16_t port;	       /* 0: one that is free */
	bool starts_with_list; /* of the profiles there are, not with one of them */
};

/* Serve on 127.0.0.1, with threads of its own until it is closed. The shelf stays there as long.
 * NULL: it could not be. */
struct server *server_open(const struct server_settings *settings, struct error *err);
/* "http://127.0.0.1:PORT/TOKEN/": the token is new, 128 bits. */
const char *server_url(const struct server *s);
uint16_t server_port(const struct server *s);
/* Requests on their way are answered first. */
void server_close(struct server *s);

#endif

/* place.h: where does the server listen, and by which names may it be asked? */
#ifndef KILN_SERVER_PLACE_H
#define KILN_SERVER_PLACE_H

#include "base/buffer.h"
#include "base/error.h"

#include <sys/socket.h>

struct place {
	struct sockaddr_storage address; /* IPv4 or IPv6, with its port */
	bool is_shared;			 /* others than this machine can reach it */
};

/* This machine alone; port 0 is one that is free. */
struct place place_local(uint16_t port);

/* "192.0.2.1:8000", "[2001:db8::1]:8000", "0.0.0.0:8000" for every address. */
bool place_parse(const char *text, struct place *ret, struct error *err);

/* May `host` (of a request, with or without its port; NULL: there is none) mean this server? A name
 * that somebody else has pointed to this machine may not. */
bool place_is_called(const struct place *p, const char *host);

uint16_t place_port(const struct place *p);

/* "http://127.0.0.1:PORT/", with the machine's name for every address. */
void place_url(const struct place *p, uint16_t port, struct buffer *ret);

/* A socket that listens there, and its port (which the system chooses for port 0). */
bool place_listen(const struct place *p, int *ret_socket, uint16_t *ret_port, struct error *err);

/* Does a peer sit on this machine? */
bool place_is_here(const struct sockaddr *peer);

#endif

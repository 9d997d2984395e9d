/* listen_address.h: the address at which the server listens, and the host names it accepts. */
#ifndef KILN_SERVER_LISTEN_ADDRESS_H
#define KILN_SERVER_LISTEN_ADDRESS_H

#include "base/buffer.h"
#include "base/error.h"

#include <sys/socket.h>

struct listen_address {
	struct sockaddr_storage address; /* IPv4 or IPv6, with its port */
	bool is_shared;			 /* reachable from other machines */
};

/* 127.0.0.1; port 0: the system chooses a free one. */
struct listen_address listen_address_local(uint16_t port);

/* "192.0.2.1:8000", "[2001:db8::1]:8000", "0.0.0.0:8000" for every address. */
bool listen_address_parse(const char *text, struct listen_address *ret, struct error *err);

/* May a request with this Host header (with or without port; NULL: none) be answered? A DNS name
 * that someone else has pointed to this machine may not: that would be DNS rebinding. */
bool listen_address_has_name(const struct listen_address *p, const char *host);

uint16_t listen_address_port(const struct listen_address *p);

/* "http://127.0.0.1:PORT/", with the machine's name for every address. */
void listen_address_url(const struct listen_address *p, uint16_t port, struct buffer *ret);

/* Open a listening socket. *ret_port: its port, which the system chooses for port 0. */
bool listen_address_open(
	const struct listen_address *p, int *ret_socket, uint16_t *ret_port, struct error *err);

/* Is the peer on this machine? */
bool peer_is_local(const struct sockaddr *peer);

#endif

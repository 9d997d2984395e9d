/* ticket.h: the address with which `kiln view` opens a browser.
 *
 * Other users of this machine can read a browser's command line in /proc, so the address there must
 * not contain the token. It contains a ticket: the server answers it with the address of the page,
 * but only once, and only if the client is a process of the user who started the server. */
#ifndef KILN_SERVER_TICKET_H
#define KILN_SERVER_TICKET_H

#include "server/socket_owner.h"
#include "server/token.h"

#include <stdatomic.h>

struct ticket {
	struct token token;
	struct socket_tables tables; /* to see whose process a client is */
	atomic_bool is_used;
};

/* Opens files. Call it before the process is confined. */
bool ticket_make(struct ticket *ret, struct error *err);
void ticket_release(struct ticket *t);

/* Use the ticket for the client at the other end of a connected socket. False: it has been used, or
 * the client belongs neither to this process's user nor to the user who called sudo. */
bool ticket_use(struct ticket *t, int fd);

#endif

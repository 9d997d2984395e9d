/* connections.h: which connections are there, and which of them have to go?
 *
 * A client has some seconds for the head of a request and for its body, however slowly bytes come.
 * Where there are many connections, those go first that have not shown that they know the token;
 * places are kept for the others. */
#ifndef KILN_SERVER_CONNECTIONS_H
#define KILN_SERVER_CONNECTIONS_H

#include "server/http_library.h"

#include <stdint.h>

#define CONNECTIONS_MOST 256u /* at once */
#define STRANGERS_MOST	 192u /* ... of which no request with the token has come */
#define PEER_MOST	 64u  /* ... and that are of one address of another machine */
#define HEAD_SECONDS	 10u  /* until all of a request's head is there */
#define BODY_SECONDS	 10u /* until all of its body is there; and, with the token, a second for: */
#define BODY_RATE	 16384u /* bytes that have come */
#define IDLE_SECONDS	 60u	/* between two requests of who knows the token */

struct connections;

/* With a thread that closes what is late. NULL: it could not be started. */
struct connections *connections_new(void);
void connections_release(struct connections *c); /* NULL is fine */

/* An MHD_NotifyConnectionCallback, whose context are the connections. */
void connections_notify(void *connections, struct MHD_Connection *connection, void **ret_client,
	enum MHD_ConnectionNotificationCode what);

/* Of a connection's request: its head has come; some of its body; all of it, and it is being
 * answered; its answer has been sent. */
void connections_head(struct connections *c, struct MHD_Connection *connection, bool knows_token);
void connections_body(struct connections *c, struct MHD_Connection *connection, size_t bytes);
void connections_whole(struct connections *c, struct MHD_Connection *connection);
void connections_done(struct connections *c, struct MHD_Connection *connection);

#endif

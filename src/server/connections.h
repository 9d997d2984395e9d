/* connections.h: limits on connections and on how slowly requests may arrive.
 *
 * A client has some seconds for the head of a request and for its body. When there are many
 * connections, those that have not shown the token are closed first; some are reserved for the
 * others. */
#ifndef KILN_SERVER_CONNECTIONS_H
#define KILN_SERVER_CONNECTIONS_H

#include "server/http_library.h"

#include <stdint.h>

#define CONNECTIONS_MAX		      256u /* at once */
#define CONNECTIONS_WITHOUT_TOKEN_MAX 192u /* ... without a request that had the token */
#define CONNECTIONS_OF_PEER_MAX	      64u  /* ... and from one address of another machine */
#define HEAD_SECONDS		      10u  /* for the head of a request */
#define BODY_SECONDS		      10u  /* for its body */
/* With the token, a body has one second more for each so many bytes: */
#define BODY_RATE    16384u
#define IDLE_SECONDS 60u /* between two requests of a client that has shown the token */

struct connections;

/* Starts a thread that closes late connections. NULL: it could not be started. */
struct connections *connections_new(void);
void connections_release(struct connections *c); /* NULL is fine */

/* An MHD_NotifyConnectionCallback; its context is the struct connections. */
void connections_notify(void *connections, struct MHD_Connection *connection, void **ret_client,
	enum MHD_ConnectionNotificationCode what);

/* The state of a connection's request. connections_head: its head has arrived; connections_body: a
 * part of its body; connections_whole: all of it, and it is being answered; connections_done: its
 * answer has been sent. */
void connections_head(struct connections *c, struct MHD_Connection *connection, bool knows_token);
void connections_body(struct connections *c, struct MHD_Connection *connection, size_t bytes);
void connections_whole(struct connections *c, struct MHD_Connection *connection);
void connections_done(struct connections *c, struct MHD_Connection *connection);

#endif

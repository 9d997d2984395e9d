/* reply.h: sends replies over HTTP. */
#ifndef KILN_SERVER_REPLY_H
#define KILN_SERVER_REPLY_H

#include "base/buffer.h"
#include "server/http_library.h"

struct reply {
	unsigned status;
	const char *type;
	const char *etag, *policy, *allow, *location; /* or NULL */
	bool is_missing; /* ... and the request has the header Kiln-Missing */
};

/* Static bytes. */
enum MHD_Result reply_static(
	struct MHD_Connection *connection, const struct reply *reply, struct bytes bytes);
/* Bytes that the reply takes over. */
enum MHD_Result reply_buffer(
	struct MHD_Connection *connection, const struct reply *reply, struct buffer *bytes);
/* Bytes that are computed while they are sent, in pieces. The struct that contains this one is
 * released by `release`. */
struct reply_pieces {
	/* False: no more pieces. A piece is valid until the next call. */
	bool (*next)(struct reply_pieces *p, struct bytes *ret_piece);
	void (*release)(struct reply_pieces *p);
	struct bytes piece; /* the rest of the current piece; private */
};
enum MHD_Result reply_pieces(
	struct MHD_Connection *connection, const struct reply *reply, struct reply_pieces *pieces);
/* One line of text; control characters become blanks. */
enum MHD_Result reply_line(struct MHD_Connection *connection, unsigned status, const char *text);
/* The same for what does not exist: status 404, or 200 if the request has Kiln-Missing. */
enum MHD_Result reply_missing(struct MHD_Connection *connection, const char *text);

#endif

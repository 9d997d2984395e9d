/* reply.h: what is said to who asks, and in which headers. */
#ifndef KILN_SERVER_REPLY_H
#define KILN_SERVER_REPLY_H

#include "base/buffer.h"
#include "server/http_library.h"

struct reply {
	unsigned status;
	const char *type;
	const char *etag, *policy, *allow; /* or NULL */
	bool is_missing;		   /* and who asks has said that it may be */
};

/* Bytes that stay. */
enum MHD_Result reply_static(
	struct MHD_Connection *connection, const struct reply *reply, struct bytes bytes);
/* Bytes that are the response's from here on. */
enum MHD_Result reply_buffer(
	struct MHD_Connection *connection, const struct reply *reply, struct buffer *bytes);
/* Bytes that are made while they are sent, in pieces: whoever extends it is released with it. */
struct reply_pieces {
	/* False: that was the last one. A piece stays until the next one is asked for. */
	bool (*next)(struct reply_pieces *p, struct bytes *ret_piece);
	void (*release)(struct reply_pieces *p);
	struct bytes piece; /* what is left of it; the reply's own */
};
enum MHD_Result reply_pieces(
	struct MHD_Connection *connection, const struct reply *reply, struct reply_pieces *pieces);
/* One line, whatever the text is. */
enum MHD_Result reply_line(struct MHD_Connection *connection, unsigned status, const char *text);
/* The same of what is not there: 404, or 200 where Kiln-Missing is in the request. */
enum MHD_Result reply_missing(struct MHD_Connection *connection, const char *text);

#endif

/* reply.c: which headers do replies have, and which are compressed?
 *
 * Replies to other machines are compressed if the browser accepts it; on this machine that would
 * only take time. */
#include "server/reply.h"

#include "base/gzip.h"
#include "server/listen_address.h"

#define COMPRESS_MIN   ((size_t)1 << 10) /* bytes */
#define PIECE_SIZE     ((size_t)32 << 10)
#define MISSING_HEADER "Kiln-Missing"

static void add_policy(struct MHD_Response *response, const char *policy)
{
	struct buffer text = {0};

	buffer_printf(&text,
		"default-src 'none'; %s%sbase-uri 'none'; form-action 'none'; frame-ancestors "
		"'none'",
		policy ? policy : "", policy ? "; " : "");
	mhd.add_response_header(response, "Content-Security-Policy", text.at);
	buffer_release(&text);
}

static enum MHD_Result send_reply(
	struct MHD_Connection *connection, const struct reply *reply, struct MHD_Response *response)
{
	static const char *const always[][2] = {{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "no-referrer"}, {"Cross-Origin-Resource-Policy", "same-origin"},
		{"Cache-Control", "no-cache"}};
	enum MHD_Result done;

	if (!response)
		return MHD_NO;
	add_policy(response, reply->policy);
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		mhd.add_response_header(response, always[i][0], always[i][1]);
	mhd.add_response_header(response, "Content-Type", reply->type);
	if (reply->etag)
		mhd.add_response_header(response, "ETag", reply->etag);
	if (reply->is_missing)
		mhd.add_response_header(response, MISSING_HEADER, "1");
	if (reply->allow)
		mhd.add_response_header(response, "Allow", reply->allow);
	if (reply->location)
		mhd.add_response_header(response, "Location", reply->location);
	done = mhd.queue_response(connection, reply->status, response);
	mhd.destroy_response(response);
	return done;
}

/* ---- Compression ---- */

static bool accepts_gzip(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const char *takes =
		mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Accept-Encoding");

	return info && !peer_is_local(info->client_addr) && takes && strstr(takes, "gzip");
}

static enum MHD_Result send_compressed(
	struct MHD_Connection *connection, const struct reply *reply, struct bytes bytes)
{
	struct buffer packed = {0};
	struct MHD_Response *response;

	gzip_compress(bytes, &packed);
	response = mhd.create_response_from_buffer(packed.len, packed.at, MHD_RESPMEM_MUST_FREE);
	if (response) {
		mhd.add_response_header(response, "Content-Encoding", "gzip");
		mhd.add_response_header(response, "Vary", "Accept-Encoding");
	}
	return send_reply(connection, reply, response);
}

/* ---- Bytes of all kinds ---- */

enum MHD_Result reply_static(
	struct MHD_Connection *connection, const struct reply *reply, struct bytes bytes)
{
	if (bytes.len >= COMPRESS_MIN && accepts_gzip(connection))
		return send_compressed(connection, reply, bytes);
	return send_reply(connection, reply,
		mhd.create_response_from_buffer(
			bytes.len, (void *)(uintptr_t)bytes.at, MHD_RESPMEM_PERSISTENT));
}

enum MHD_Result reply_buffer(
	struct MHD_Connection *connection, const struct reply *reply, struct buffer *bytes)
{
	enum MHD_Result done;

	if (bytes->len < COMPRESS_MIN || !accepts_gzip(connection))
		return send_reply(connection, reply,
			mhd.create_response_from_buffer(
				bytes->len, bytes->at, MHD_RESPMEM_MUST_FREE));
	done = send_compressed(connection, reply, buffer_bytes(bytes));
	buffer_release(bytes);
	return done;
}

/* ---- Bytes that come in pieces ---- */

static ssize_t take_piece(void *context, uint64_t position, char *room, size_t size)
{
	struct reply_pieces *p = context;
	size_t len;

	(void)position;
	while (!p->piece.len)
		if (!p->next(p, &p->piece))
			return MHD_CONTENT_READER_END_OF_STREAM;
	len = p->piece.len < size ? p->piece.len : size;
	memcpy(room, p->piece.at, len);
	p->piece = (struct bytes){p->piece.at + len, p->piece.len - len};
	return (ssize_t)len;
}

static void release_pieces(void *context)
{
	struct reply_pieces *p = context;

	p->release(p);
}

/* Collect all pieces to compress them as one. */
static enum MHD_Result send_together(
	struct MHD_Connection *connection, const struct reply *reply, struct reply_pieces *pieces)
{
	struct buffer all = {0};
	struct bytes piece;

	while (pieces->next(pieces, &piece))
		buffer_add(&all, piece.at, piece.len);
	pieces->release(pieces);
	return reply_buffer(connection, reply, &all);
}

enum MHD_Result reply_pieces(
	struct MHD_Connection *connection, const struct reply *reply, struct reply_pieces *pieces)
{
	if (accepts_gzip(connection))
		return send_together(connection, reply, pieces);
	return send_reply(connection, reply,
		mhd.create_response_from_callback(
			MHD_SIZE_UNKNOWN, PIECE_SIZE, take_piece, pieces, release_pieces));
}

/* ---- Lines ---- */

static enum MHD_Result send_line(
	struct MHD_Connection *connection, struct reply reply, const char *text)
{
	struct buffer line = {0};

	buffer_text(&line, text);
	for (size_t i = 0; i < line.len; i++)
		if ((unsigned char)line.at[i] < ' ') /* from the query */
			line.at[i] = ' ';
	buffer_char(&line, '\n');
	reply.type = "text/plain; charset=utf-8";
	return reply_buffer(connection, &reply, &line);
}

enum MHD_Result reply_line(struct MHD_Connection *connection, unsigned status, const char *text)
{
	return send_line(connection, (struct reply){.status = status}, text);
}

/* Browsers log every 404 as an error of the page, so requests that expect one ask for 200. */
enum MHD_Result reply_missing(struct MHD_Connection *connection, const char *text)
{
	bool expected = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, MISSING_HEADER);

	return send_line(connection,
		(struct reply){.status = expected ? MHD_HTTP_OK : MHD_HTTP_NOT_FOUND,
			.is_missing = expected},
		text);
}

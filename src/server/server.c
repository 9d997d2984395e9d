/* server.c: answers HTTP requests of browsers and curl: docs/view-protocol.md.
 *
 * The way of a request: libmicrohttpd calls `handle` when its headers have arrived, and again when
 * it is complete. `answer` checks who asks, and sends a page, or asks answer_slots.h for the answer
 * to a question about a profile (send_answer).
 *
 * Pages of other sites must not read profiles. They do not know the token, which is only in the
 * path (replies forbid browsers to pass it on as a referrer). If a site's DNS name is made to point
 * to this machine, the header Host has that name and is refused; a request of another site's page
 * has that site in the header Origin and is refused, too. Other users of this machine do not know
 * the token either: the browser that kiln view starts gets a ticket first (ticket.h). */
#include "server/server.h"

#include "answers/question.h"
#include "base/hash.h"
#include "server/answer_slots.h"
#include "server/connections.h"
#include "server/first_answer.h"
#include "server/http_library.h"
#include "server/pages.h"
#include "server/reply.h"
#include "server/sources.h"
#include "server/upload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define REQUEST_LIMIT ((size_t)256 << 10)     /* bytes of the request line and headers */
#define LIBRARY_LIMIT (CONNECTIONS_MAX + 64u) /* including those being closed */
#define ETAG_SIZE     24u

struct server {
	struct server_settings settings;
	struct sources *sources;
	struct connections *connections;
	struct MHD_Daemon *daemon;
	struct uploads uploads;
};

/* ---- Access ---- */

/* Is the request from this page, or from no page? */
static bool is_own(const char *origin, const char *host)
{
	struct bytes scheme = BYTES("http://"), from = bytes_of(origin ? origin : "");

	return !origin ||
	       (bytes_starts_with(from, scheme) &&
		       bytes_equal((struct bytes){from.at + scheme.len, from.len - scheme.len},
			       bytes_of(host)));
}

static enum MHD_Result count_host(void *count, enum MHD_ValueKind kind, const char *key,
	size_t key_len, const char *value, size_t value_len)
{
	(void)kind;
	(void)value;
	(void)value_len;
	*(unsigned *)count += key_len == 4 && !strcasecmp(key, "Host");
	return MHD_YES;
}

static bool is_allowed(const struct server *s, struct MHD_Connection *connection)
{
	const char *host = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
	const char *origin = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
	unsigned hosts = 0;

	mhd.get_connection_values_n(connection, MHD_HEADER_KIND, count_host, &hosts);
	return hosts == 1 && listen_address_has_name(&s->settings.place, host) &&
	       is_own(origin, host);
}

/* The part of the path behind "/TOKEN/"; NULL: a wrong token, or none. */
static const char *address_of(const struct server *s, const char *path)
{
	struct bytes rest = bytes_of(path + (*path == '/')), given;

	return bytes_cut(&rest, '/', &given) && token_is(&s->settings.token, given) ? rest.at
										    : NULL;
}

static bool is_ticket(const struct server *s, const char *path)
{
	return s->settings.ticket && *path == '/' &&
	       token_is(&s->settings.ticket->token, bytes_of(path + 1));
}

/* A redirection to the page. */
static enum MHD_Result answer_ticket(struct MHD_Connection *connection, const struct server *s)
{
	const union MHD_ConnectionInfo *info =
		mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	char location[TOKEN_MAX + 3];

	if (!ticket_use(s->settings.ticket, info->connect_fd))
		return reply_line(connection, MHD_HTTP_FORBIDDEN,
			"refused: this address works once, for the user who started kiln view; use "
			"the address that kiln view has printed");
	snprintf(location, sizeof(location), "/%s/", s->settings.token.text);
	return reply_static(connection,
		&(struct reply){
			.status = MHD_HTTP_SEE_OTHER, .type = "text/plain", .location = location},
		BYTES(""));
}

/* ---- Questions ---- */

/* Append a parameter as a word, "key=value" or "key". libmicrohttpd has decoded both. */
static enum MHD_Result add_word(void *words, enum MHD_ValueKind kind, const char *key,
	size_t key_len, const char *value, size_t value_len)
{
	struct buffer *text = words;

	(void)kind;
	if (!key_len && !value)
		return MHD_YES; /* an empty one, as in "&&" */
	buffer_add(text, key, key_len);
	if (value) {
		buffer_char(text, '=');
		buffer_add(text, value, value_len);
	}
	buffer_char(text, '\0');
	return MHD_YES;
}

/* Make a question of a request. `text` keeps its words, NUL behind each, the address first. False:
 * too many words, or NUL bytes in one. */
static bool question_open(struct question *q, struct MHD_Connection *connection,
	const char *address, struct buffer *text)
{
	buffer_add(text, address, strlen(address) + 1);
	mhd.get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, add_word, text);
	*q = (struct question){.address = text->at};
	for (size_t at = strlen(text->at) + 1; at < text->len; at += strlen(text->at + at) + 1)
		vector_push(&q->words, text->at + at);
	return q->words.len <= QUESTION_WORDS_MAX;
}

/* ---- Answers ---- */

static unsigned status_of(const struct error *err, bool was_cut)
{
	if (was_cut)
		return MHD_HTTP_SERVICE_UNAVAILABLE;
	switch (err->code) {
	case ERR_IO:
		return MHD_HTTP_INTERNAL_SERVER_ERROR;
	default:
		return MHD_HTTP_BAD_REQUEST;
	}
}

/* Equal ETags mean equal answers: made of the question and the version of its profile. "": none. */
static void make_etag(const struct server *s, const struct question *q, struct bytes words,
	char ret[static ETAG_SIZE])
{
	uint64_t version;

	*ret = '\0';
	if (question_version(q, files_store(s->settings.files), &version))
		snprintf(ret, ETAG_SIZE, "\"%016llx\"",
			(unsigned long long)hash_pair(hash_bytes(words.at, words.len), version));
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, const struct server *s,
	const struct question *q, struct bytes words)
{
	const char *known =
		mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match");
	struct answer answer = {0};
	struct error err = {0};
	char etag[ETAG_SIZE] = "";
	bool done, was_cut = false, source = sources_is_known(q->address);

	if (!source) /* files on disk may change */
		make_etag(s, q, words, etag);
	if (known && *etag && !strcmp(known, etag))
		return reply_static(connection,
			&(struct reply){.status = MHD_HTTP_NOT_MODIFIED,
				.type = "text/plain",
				.etag = etag},
			BYTES(""));
	done = source ? sources_answer(s->sources, q, files_store(s->settings.files), &answer, &err)
		      : answer_slots_answer(
				q, files_store(s->settings.files), &answer, &was_cut, &err);
	if (!done) {
		buffer_release(&answer.body);
		return err.code == ERR_MISSING
			       ? reply_missing(connection, err.text)
			       : reply_line(connection, status_of(&err, was_cut), err.text);
	}
	return reply_buffer(connection,
		&(struct reply){.status = MHD_HTTP_OK,
			.type = answer.type,
			.etag = *etag ? etag : NULL,
			.policy = answer.policy},
		&answer.body);
}

static enum MHD_Result answer_question(
	struct MHD_Connection *connection, const struct server *s, const char *address)
{
	struct buffer words = {0};
	struct question q = {0};
	enum MHD_Result done;

	if (question_open(&q, connection, address, &words))
		done = send_answer(connection, s, &q, buffer_bytes(&words));
	else
		done = reply_line(connection, MHD_HTTP_BAD_REQUEST,
			"expected at most 1000 parameters, without NUL bytes");
	vector_release(&q.words);
	buffer_release(&words);
	return done;
}

static const char *first_page(const struct server *s)
{
	return s->settings.starts_with_list ? "start" : "view";
}

/* Only the URL itself has the first answer: at other addresses the profile is in the fragment,
 * which is not sent. */
static enum MHD_Result send_page(struct MHD_Connection *connection, const struct server *s,
	const char *address, const struct page *page)
{
	const struct reply reply = {
		.status = MHD_HTTP_OK, .type = "text/html; charset=utf-8", .policy = page->policy};

	if (*address || s->settings.starts_with_list)
		return reply_static(connection, &reply, page->bytes);
	return first_answer_reply(connection, &reply, page, files_store(s->settings.files));
}

static enum MHD_Result refuse_method(struct MHD_Connection *connection, const char *allow)
{
	struct buffer line = {0};

	buffer_printf(&line, "only %s is allowed here\n", allow);
	return reply_buffer(connection,
		&(struct reply){.status = MHD_HTTP_METHOD_NOT_ALLOWED,
			.type = "text/plain; charset=utf-8",
			.allow = allow},
		&line);
}

static enum MHD_Result answer(struct MHD_Connection *connection, const struct server *s,
	const char *path, const char *method, struct upload *upload)
{
	const char *address = address_of(s, path);
	const struct page *page = address ? page_at(*address ? address : first_page(s)) : NULL;
	bool is_upload = address && !strcmp(address, UPLOAD_ADDRESS);

	if (!is_allowed(s, connection))
		return reply_line(connection, MHD_HTTP_FORBIDDEN,
			"refused: Host or Origin is not that of this server");
	if (upload)
		return upload_answer(upload, connection);
	if (is_upload)
		return refuse_method(connection, "POST");
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return refuse_method(connection, "GET, HEAD");
	if (is_ticket(s, path) && !strcmp(method, "GET"))
		return answer_ticket(connection, s);
	if (page)
		return send_page(connection, s, address, page);
	if (!address || !(question_is_known(address) || sources_is_known(address)))
		return reply_line(connection, MHD_HTTP_NOT_FOUND, "not found");
	return answer_question(connection, s, address);
}

/* ---- The daemon ---- */

/* Begin an upload; the body of any other request is discarded. */
static struct upload *begin(
	struct server *s, struct MHD_Connection *connection, const char *path, const char *method)
{
	const char *address = address_of(s, path);

	if (strcmp(method, "POST") != 0 || !address || strcmp(address, UPLOAD_ADDRESS) != 0 ||
		!is_allowed(s, connection))
		return NULL;
	return upload_new(&s->uploads, connection);
}

static char nothing; /* stands for a request without an upload */

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
	const char *method, const char *version, const char *sent, size_t *sent_size, void **seen)
{
	struct server *s = context;
	struct upload *upload = *seen == &nothing ? NULL : *seen;

	(void)version;
	if (!*seen) { /* a reply before the body would end the connection */
		mhd.set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, IDLE_SECONDS);
		connections_head(s->connections, connection,
			is_allowed(s, connection) && address_of(s, path));
		upload = begin(s, connection, path, method);
		*seen = upload ? (void *)upload : &nothing;
		return MHD_YES;
	}
	if (!*sent_size) {
		connections_whole(s->connections, connection);
		return answer(connection, s, path, method, upload);
	}
	connections_body(s->connections, connection, *sent_size);
	if (upload)
		upload_add(upload, (struct bytes){sent, *sent_size});
	*sent_size = 0;
	return MHD_YES;
}

static void end(void *context, struct MHD_Connection *connection, void **seen,
	enum MHD_RequestTerminationCode why)
{
	const struct server *s = context;

	(void)why;
	connections_done(s->connections, connection);
	if (*seen != &nothing)
		upload_release(*seen);
	s->settings.answered();
}

static bool start(struct server *s, struct error *err)
{
	/* A thread for each connection: requests wait for each other only in answer_slots.c. Not
	 * epoll(7): with it libmicrohttpd 0.9.75 keeps connections that were cut off for as long as
	 * it waits for idle ones, up to the limit of all. */
	errno = 0;
	s->daemon =
		mhd.start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
					 MHD_USE_POLL | MHD_USE_ITC,
			0, NULL, NULL, handle, s, MHD_OPTION_LISTEN_SOCKET, s->settings.socket,
			MHD_OPTION_NOTIFY_COMPLETED, end, s, MHD_OPTION_NOTIFY_CONNECTION,
			connections_notify, s->connections, MHD_OPTION_CONNECTION_LIMIT,
			LIBRARY_LIMIT, MHD_OPTION_CONNECTION_TIMEOUT, HEAD_SECONDS,
			MHD_OPTION_CONNECTION_MEMORY_LIMIT, REQUEST_LIMIT, MHD_OPTION_END);
	return s->daemon || error_errno(err, "cannot start the server");
}

bool server_check(struct error *err)
{
	return http_library_load(err);
}

void server_url(const struct server_settings *settings, struct buffer *ret_url)
{
	listen_address_url(&settings->place, settings->port, ret_url);
	buffer_printf(ret_url, "%s/", settings->token.text);
}

void server_ticket_url(const struct server_settings *settings, struct buffer *ret_url)
{
	listen_address_url(&settings->place, settings->port, ret_url);
	buffer_text(ret_url, settings->ticket->token.text);
}

struct server *server_open(const struct server_settings *settings, struct error *err)
{
	struct server *s = memory_new(1, sizeof(*s));

	s->settings = *settings;
	s->uploads = (struct uploads){.files = settings->files, .most = settings->upload_limit};
	s->sources = sources_new(settings->binary_locations);
	s->connections = connections_new();
	answer_slots_open(settings->request_limit);
	if (s->connections ? start(s, err) : error_errno(err, "cannot start a thread"))
		return s;
	connections_release(s->connections);
	sources_release(s->sources);
	free(s);
	return NULL;
}

void server_close(struct server *s)
{
	if (!s)
		return;
	answer_slots_stop();
	mhd.stop_daemon(s->daemon);
	connections_release(s->connections);
	sources_release(s->sources);
	free(s);
}

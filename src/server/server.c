/* server.c: HTTP, for browsers on this machine and curl; docs/view-protocol.md.
 *
 * A page of somebody else must not read profiles: it does not know the token, which is in no
 * header; a name that it has pointed to this machine is refused by Host, and what it sends by
 * Origin. */
#include "server/server.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "answers/question.h"
#include "base/hash.h"
#include "server/http_library.h"
#include "server/pages.h"

#define THREADS		 4u
#define CONNECTIONS_MOST 256u
#define IDLE_SECONDS	 60u
#define REQUEST_MOST	 ((size_t)256 << 10) /* bytes of its line and headers */
#define TOKEN_BYTES	 16u
#define ETAG_SIZE	 24u

struct server {
	struct server_settings settings;
	struct MHD_Daemon *daemon;
	uint16_t port;
	char token[2 * TOKEN_BYTES + 1];
	char url[80];
};

/* ---- Who asks ---- */

static bool is_local(const char *host)
{
	static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
	struct bytes name = bytes_of(host ? host : "");
	const char *colon = memrchr(name.at, ':', name.len);

	if (colon && !bytes_end(name, BYTES("]")))
		name.len = (size_t)(colon - name.at);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (bytes_equal(name, bytes_of(names[i])))
			return true;
	return false;
}

/* Of this page itself, or of no page. */
static bool is_own(const char *origin, const char *host)
{
	struct bytes scheme = BYTES("http://"), from = bytes_of(origin ? origin : "");

	return !origin ||
	       (bytes_start(from, scheme) &&
		       bytes_equal((struct bytes){from.at + scheme.len, from.len - scheme.len},
			       bytes_of(host)));
}

static bool may_ask(struct MHD_Connection *connection)
{
	const char *host = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
	const char *origin = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");

	return is_local(host) && is_own(origin, host);
}

/* As long for every token of that length, so that its time tells nothing. */
static bool same_token(struct bytes given, const char *token)
{
	unsigned differs = 0;

	if (given.len != strlen(token))
		return false;
	for (size_t i = 0; i < given.len; i++)
		differs |= (unsigned char)(given.at[i] ^ token[i]);
	return !differs;
}

/* What is behind "/TOKEN/"; NULL: it is another token, or none. */
static const char *address_of(const char *path, const char *token)
{
	struct bytes rest = bytes_of(path + (*path == '/')), given;

	return bytes_cut(&rest, '/', &given) && same_token(given, token) ? rest.at : NULL;
}

/* ---- What is asked ---- */

/* The library has decoded both. */
static enum MHD_Result add_word(void *words, enum MHD_ValueKind kind, const char *key,
	size_t key_len, const char *value, size_t value_len)
{
	struct buffer *text = words;

	(void)kind;
	if (!key_len && !value)
		return MHD_YES; /* "&&" is none */
	buffer_add(text, key, key_len);
	if (value) {
		buffer_char(text, '=');
		buffer_add(text, value, value_len);
	}
	buffer_char(text, '\0');
	return MHD_YES;
}

/* Its texts lie in `text`, each behind the other, which begins with the address. False: they are
 * too many, or not text. */
static bool question_open(struct question *q, struct MHD_Connection *connection,
	const char *address, struct buffer *text)
{
	buffer_add(text, address, strlen(address) + 1);
	mhd.get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, add_word, text);
	*q = (struct question){.address = text->at};
	for (size_t at = strlen(text->at) + 1; at < text->len; at += strlen(text->at + at) + 1)
		vector_push(&q->words, text->at + at);
	return q->words.len <= QUESTION_WORDS_MOST;
}

/* ---- What is said ---- */

struct reply {
	unsigned status;
	const char *type;
	const char *etag, *policy; /* or NULL */
};

static void add_policy(struct MHD_Response *response, const char *policy)
{
	struct buffer text = {0};

	buffer_printf(&text,
		"default-src 'none'; %s; base-uri 'none'; form-action 'none'; frame-ancestors "
		"'none'",
		policy ? policy
		       : "script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
			 "'self'");
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
	if (reply->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		mhd.add_response_header(response, "Allow", "GET, HEAD");
	done = mhd.queue_response(connection, reply->status, response);
	mhd.destroy_response(response);
	return done;
}

static enum MHD_Result send_static(
	struct MHD_Connection *connection, const struct reply *reply, struct bytes bytes)
{
	return send_reply(connection, reply,
		mhd.create_response_from_buffer(
			bytes.len, (void *)(uintptr_t)bytes.at, MHD_RESPMEM_PERSISTENT));
}

/* The buffer is the response's from here on. */
static enum MHD_Result send_buffer(
	struct MHD_Connection *connection, const struct reply *reply, struct buffer *bytes)
{
	return send_reply(connection, reply,
		mhd.create_response_from_buffer(bytes->len, bytes->at, MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result send_line(
	struct MHD_Connection *connection, unsigned status, const char *text)
{
	struct buffer line = {0};

	buffer_text(&line, text);
	for (size_t i = 0; i < line.len; i++)
		if ((unsigned char)line.at[i] < ' ') /* of the query: it stays one line */
			line.at[i] = ' ';
	buffer_char(&line, '\n');
	return send_buffer(connection,
		&(struct reply){.status = status, .type = "text/plain; charset=utf-8"}, &line);
}

static unsigned status_of(const struct error *err)
{
	switch (err->code) {
	case ERR_IO:
		return MHD_HTTP_INTERNAL_SERVER_ERROR;
	case ERR_MISSING:
		return MHD_HTTP_NOT_FOUND;
	default:
		return MHD_HTTP_BAD_REQUEST;
	}
}

/* An answer holds as long as its question, and what is asked about. "": it is not told. */
static void make_etag(const struct server *s, const struct question *q, struct bytes words,
	char ret[static ETAG_SIZE])
{
	uint64_t version;

	*ret = '\0';
	if (question_version(q, s->settings.shelf, &version))
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
	char etag[ETAG_SIZE];

	make_etag(s, q, words, etag);
	if (known && *etag && !strcmp(known, etag))
		return send_static(connection,
			&(struct reply){.status = MHD_HTTP_NOT_MODIFIED,
				.type = "text/plain",
				.etag = etag},
			BYTES(""));
	if (!question_answer(q, s->settings.shelf, &answer, &err)) {
		buffer_release(&answer.body);
		return send_line(connection, status_of(&err), err.text);
	}
	return send_buffer(connection,
		&(struct reply){.status = MHD_HTTP_OK,
			.type = answer.type,
			.etag = *etag ? etag : NULL,
			.policy = answer.policy},
		&answer.body);
}

static enum MHD_Result ask(
	struct MHD_Connection *connection, const struct server *s, const char *address)
{
	struct buffer words = {0};
	struct question q = {0};
	enum MHD_Result done;

	if (question_open(&q, connection, address, &words))
		done = send_answer(connection, s, &q, buffer_bytes(&words));
	else
		done = send_line(connection, MHD_HTTP_BAD_REQUEST,
			"expected at most 1000 parameters, without bytes of 0");
	vector_release(&q.words);
	buffer_release(&words);
	return done;
}

static const char *first_page(const struct server *s)
{
	return s->settings.starts_with_list ? "start" : "view";
}

static enum MHD_Result answer(struct MHD_Connection *connection, const struct server *s,
	const char *path, const char *method)
{
	const char *address = address_of(path, s->token);
	const struct page *page = address ? page_at(*address ? address : first_page(s)) : NULL;

	if (!may_ask(connection))
		return send_line(connection, MHD_HTTP_FORBIDDEN,
			"only for this machine's own pages: Host or Origin is another one");
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return send_line(
			connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD are known");
	if (page)
		return send_static(connection,
			&(struct reply){.status = MHD_HTTP_OK, .type = page->type}, page->bytes);
	if (!address || !question_is_known(address))
		return send_line(connection, MHD_HTTP_NOT_FOUND, "nothing is here");
	return ask(connection, s, address);
}

/* ---- The daemon ---- */

static enum MHD_Result handle(void *server, struct MHD_Connection *connection, const char *path,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **seen)
{
	static char yes;

	(void)version;
	(void)upload;
	if (!*seen) { /* an answer to the headers alone would end the connection */
		*seen = &yes;
		return MHD_YES;
	}
	if (*upload_size) { /* nobody reads what is sent */
		*upload_size = 0;
		return MHD_YES;
	}
	return answer(connection, server, path, method);
}

static bool make_token(struct server *s, struct error *err)
{
	unsigned char bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return error_errno(err, "getting a random token");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(s->token + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

static bool start(struct server *s, uint16_t port, struct error *err)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	errno = 0;
	s->daemon = mhd.start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_USE_ITC,
		port, NULL, NULL, handle, s, MHD_OPTION_SOCK_ADDR, &address,
		MHD_OPTION_THREAD_POOL_SIZE, THREADS, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MOST,
		MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		REQUEST_MOST, MHD_OPTION_END);
	if (!s->daemon)
		return error_errno(err, "listening on 127.0.0.1, port %u", port);
	s->port = mhd.get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
	snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%u/%s/", s->port, s->token);
	return true;
}

bool server_check(struct error *err)
{
	return http_library_load(err);
}

struct server *server_open(const struct server_settings *settings, struct error *err)
{
	struct server *s = memory_new(1, sizeof(*s));

	s->settings = *settings;
	if (make_token(s, err) && start(s, settings->port, err))
		return s;
	free(s);
	return NULL;
}

const char *server_url(const struct server *s)
{
	return s->url;
}

uint16_t server_port(const struct server *s)
{
	return s->port;
}

void server_close(struct server *s)
{
	if (!s)
		return;
	mhd.stop_daemon(s->daemon);
	free(s);
}

/* connections.c: which connections are closed, and when?
 *
 * libmicrohttpd's timeout counts from the last byte, so it never ends a connection that sends a
 * byte now and then. Sockets are only shut down here; libmicrohttpd notices that and closes them.
 */
#include "server/connections.h"

#include "base/clock.h"
#include "base/memory.h"
#include "server/listen_address.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define ANSWER_SECONDS 10 /* a longer answer may be cut off for a new client */

struct client {
	int fd;
	bool is_here;		/* on this machine */
	unsigned char peer[16]; /* its address, IPv4 as in IPv6 */
	bool knows_token;	/* a request had it */
	bool is_shut;		/* shut down, and about to be closed */
	uint64_t since; /* ns: when it was accepted, or its last request began or was complete */
	uint64_t late;	/* deadline for what has to arrive; 0: it is being answered */
	uint64_t body;	/* bytes of the body received */
};

struct connections {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* there is a connection, or the thread is to end */
	pthread_t watcher;
	bool is_ending;
	VECTOR(struct client *) all;
};

static void shut(struct client *client)
{
	client->is_shut = true;
	shutdown(client->fd, SHUT_RDWR);
}

/* ---- Late connections ---- */

/* Sleep while there are no connections; else check each second. */
static void wait_for_work(struct connections *c)
{
	struct timespec until;

	if (!c->all.len) {
		pthread_cond_wait(&c->changed, &c->lock);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	pthread_cond_timedwait(&c->changed, &c->lock, &until);
}

static void *watch(void *connections)
{
	struct connections *c = connections;

	pthread_mutex_lock(&c->lock);
	while (!c->is_ending) {
		uint64_t now = (int64_t)monotonic_ns();

		for (size_t i = 0; i < c->all.len; i++) {
			struct client *client = c->all.items[i];

			if (!client->is_shut && client->late && client->late < now)
				shut(client);
		}
		wait_for_work(c);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* ---- Making room ---- */

static bool is_elsewhere(const struct client *a, const struct client *b)
{
	return !a->is_here && !b->is_here && !memcmp(a->peer, b->peer, sizeof(a->peer));
}

/* The oldest of those that `may_close`, and how many there are. */
static struct client *oldest(const struct connections *c, const struct client *added,
	bool (*may_close)(const struct client *client, const struct client *added),
	size_t *ret_count)
{
	struct client *found = NULL;

	*ret_count = 0;
	for (size_t i = 0; i < c->all.len; i++) {
		struct client *client = c->all.items[i];

		if (client->is_shut || !may_close(client, added))
			continue;
		++*ret_count;
		if (!found || client->since < found->since)
			found = client;
	}
	return found;
}

static bool has_no_token(const struct client *client, const struct client *added)
{
	(void)added;
	return !client->knows_token;
}

static bool peer_has_no_token(const struct client *client, const struct client *added)
{
	return !client->knows_token && is_elsewhere(client, added);
}

static bool is_idle(const struct client *client, const struct client *added)
{
	(void)added;
	return client->knows_token && client->late;
}

/* A client that reads its answer slowly must not block others. */
static bool is_slow(const struct client *client, const struct client *added)
{
	return client->knows_token && !client->late &&
	       added->since > client->since + ANSWER_SECONDS * SECOND_NS;
}

static bool is_open(const struct client *client, const struct client *added)
{
	(void)client;
	(void)added;
	return true;
}

static void make_room(struct connections *c, const struct client *added)
{
	size_t without_token, of_peer, idle, slow, open;
	struct client *tokenless = oldest(c, added, has_no_token, &without_token);
	struct client *same_peer = oldest(c, added, peer_has_no_token, &of_peer);
	struct client *idle_client = oldest(c, added, is_idle, &idle);
	struct client *slow_client = oldest(c, added, is_slow, &slow);

	oldest(c, added, is_open, &open);
	if (of_peer > CONNECTIONS_OF_PEER_MAX)
		shut(same_peer);
	else if (without_token > CONNECTIONS_WITHOUT_TOKEN_MAX)
		shut(tokenless);
	else if (open > CONNECTIONS_MAX)
		shut(idle_client ? idle_client : slow_client ? slow_client : tokenless);
}

/* ---- Opened and closed ---- */

static void note_peer(struct client *client, const struct sockaddr *peer)
{
	const struct sockaddr_in *four = (const void *)peer;
	const struct sockaddr_in6 *six = (const void *)peer;

	client->is_here = peer_is_local(peer);
	if (peer->sa_family == AF_INET6) {
		memcpy(client->peer, &six->sin6_addr, 16);
	} else {
		client->peer[10] = client->peer[11] = 0xFF;
		memcpy(client->peer + 12, &four->sin_addr, 4);
	}
}

static struct client *add(struct connections *c, struct MHD_Connection *connection)
{
	struct client *client = memory_new(1, sizeof(*client));

	client->fd =
		mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	note_peer(client, mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
				  ->client_addr);
	client->since = monotonic_ns();
	client->late = client->since + HEAD_SECONDS * SECOND_NS;
	pthread_mutex_lock(&c->lock);
	vector_push(&c->all, client);
	make_room(c, client);
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
	return client;
}

static void drop(struct connections *c, struct client *client)
{
	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < c->all.len; i++)
		if (c->all.items[i] == client)
			c->all.items[i] = c->all.items[--c->all.len];
	pthread_mutex_unlock(&c->lock);
	free(client);
}

void connections_notify(void *connections, struct MHD_Connection *connection, void **ret_client,
	enum MHD_ConnectionNotificationCode what)
{
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		*ret_client = add(connections, connection);
	else
		drop(connections, *ret_client);
}

/* ---- Requests ---- */

static struct client *locked(struct connections *c, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	pthread_mutex_lock(&c->lock);
	return info->socket_context;
}

void connections_head(struct connections *c, struct MHD_Connection *connection, bool knows_token)
{
	struct client *client = locked(c, connection);

	client->knows_token = knows_token;
	client->since = monotonic_ns();
	client->body = 0;
	client->late = client->since + BODY_SECONDS * SECOND_NS;
	pthread_mutex_unlock(&c->lock);
}

void connections_body(struct connections *c, struct MHD_Connection *connection, size_t bytes)
{
	struct client *client = locked(c, connection);

	client->body += bytes;
	if (client->knows_token) /* the body of other requests is discarded */
		client->late =
			client->since + (BODY_SECONDS + client->body / BODY_RATE) * SECOND_NS;
	pthread_mutex_unlock(&c->lock);
}

void connections_whole(struct connections *c, struct MHD_Connection *connection)
{
	struct client *client = locked(c, connection);

	client->since = monotonic_ns();
	client->late = 0;
	pthread_mutex_unlock(&c->lock);
}

void connections_done(struct connections *c, struct MHD_Connection *connection)
{
	struct client *client = locked(c, connection);

	client->since = monotonic_ns();
	client->late =
		client->since + (client->knows_token ? IDLE_SECONDS : HEAD_SECONDS) * SECOND_NS;
	pthread_mutex_unlock(&c->lock);
}

/* ---- The set of connections ---- */

struct connections *connections_new(void)
{
	struct connections *c = memory_new(1, sizeof(*c));
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	if (!pthread_create(&c->watcher, NULL, watch, c))
		return c;
	free(c);
	return NULL;
}

void connections_release(struct connections *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->is_ending = true;
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
	pthread_join(c->watcher, NULL);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->changed);
	vector_release(&c->all);
	free(c);
}

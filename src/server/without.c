/* without.c: no server, in a build without libmicrohttpd's headers or that is one static file. */
#include "server/server.h"

bool server_check(struct error *err)
{
	return error_set(err, ERR_UNSUPPORTED,
		"this kiln has no server: build it with libmicrohttpd (libmicrohttpd-dev, and not "
		"as a static program)");
}

struct server *server_open(const struct server_settings *settings, struct error *err)
{
	(void)settings;
	server_check(err);
	return NULL;
}

void server_url(const struct server_settings *settings, struct buffer *ret_url)
{
	(void)settings;
	(void)ret_url;
}

void server_ticket_url(const struct server_settings *settings, struct buffer *ret_url)
{
	(void)settings;
	(void)ret_url;
}

void server_close(struct server *s)
{
	(void)s;
}

/* listen_address.c: at which address does the server listen, and which host names does it accept?
 *
 * An attacker can point a DNS name to this machine, so that a browser sends requests here with that
 * name in Host. Nobody can do that with a numeric address: where other machines may ask, every
 * numeric address is accepted. */
#include "server/listen_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <unistd.h>

struct listen_address listen_address_local(uint16_t port)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct listen_address p = {.is_shared = false};

	memcpy(&p.address, &address, sizeof(address));
	return p;
}

/* "host:80", "[::1]:80", "host", of which *ret_port is UINT64_MAX. False: what is behind the colon
 * is no port. */
static bool cut_port(struct bytes host, struct bytes *ret_name, uint64_t *ret_port)
{
	const char *colon = memrchr(host.at, ':', host.len);

	*ret_name = host;
	*ret_port = UINT64_MAX;
	if (!colon || bytes_ends_with(host, BYTES("]")))
		return true;
	ret_name->len = (size_t)(colon - host.at);
	return bytes_u64((struct bytes){colon + 1, host.len - ret_name->len - 1}, ret_port) &&
	       *ret_port <= UINT16_MAX;
}

/* "[::1]" or "127.0.0.1" as an address. */
static bool read_number(struct bytes text, uint16_t port, struct sockaddr_storage *ret)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
	char name[INET6_ADDRSTRLEN];
	bool in_brackets = bytes_starts_with(text, BYTES("[")) && bytes_ends_with(text, BYTES("]"));

	if (in_brackets)
		text = (struct bytes){text.at + 1, text.len - 2};
	if (text.len >= sizeof(name))
		return false;
	memcpy(name, text.at, text.len);
	name[text.len] = '\0';
	if (in_brackets && inet_pton(AF_INET6, name, &six.sin6_addr) == 1)
		memcpy(ret, &six, sizeof(six));
	else if (!in_brackets && inet_pton(AF_INET, name, &four.sin_addr) == 1)
		memcpy(ret, &four, sizeof(four));
	else
		return false;
	return true;
}

bool listen_address_parse(const char *text, struct listen_address *ret, struct error *err)
{
	struct listen_address p = {.is_shared = true};
	struct bytes host;
	uint64_t port;

	if (!cut_port(bytes_of(text), &host, &port) || port > UINT16_MAX ||
		!read_number(host, (uint16_t)port, &p.address))
		return error_set(err, ERR_USAGE,
			"expected ADDRESS:PORT such as 192.0.2.1:8000, [2001:db8::1]:8000 or "
			"0.0.0.0:8000, got '%s'",
			text);
	p.is_shared = !peer_is_local((const struct sockaddr *)&p.address);
	*ret = p;
	return true;
}

bool listen_address_has_name(const struct listen_address *p, const char *host)
{
	static const char *const local[] = {"127.0.0.1", "localhost", "[::1]"};
	struct sockaddr_storage ignored;
	struct bytes name;
	uint64_t any_port; /* `ssh -L` may use another port at its other end */
	char own[256] = "";

	if (!host || !cut_port(bytes_of(host), &name, &any_port))
		return false;
	for (size_t i = 0; i < sizeof(local) / sizeof(*local); i++)
		if (bytes_equal(name, bytes_of(local[i])))
			return true;
	if (!p->is_shared || !name.len || gethostname(own, sizeof(own) - 1))
		return false;
	return read_number(name, 0, &ignored) || bytes_equal(name, bytes_of(own));
}

uint16_t listen_address_port(const struct listen_address *p)
{
	const struct sockaddr_in *four = (const void *)&p->address;

	return ntohs(four->sin_port); /* at the same offset for IPv4 and IPv6 */
}

static bool is_everywhere(const struct listen_address *p)
{
	const struct sockaddr_in *four = (const void *)&p->address;
	const struct sockaddr_in6 *six = (const void *)&p->address;

	return p->address.ss_family == AF_INET ? four->sin_addr.s_addr == htonl(INADDR_ANY)
					       : IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr);
}

void listen_address_url(const struct listen_address *p, uint16_t port, struct buffer *ret)
{
	const struct sockaddr_in *four = (const void *)&p->address;
	const struct sockaddr_in6 *six = (const void *)&p->address;
	bool is_four = p->address.ss_family == AF_INET;
	char name[256] = "";

	if (is_everywhere(p))
		gethostname(name, sizeof(name) - 1);
	else if (is_four)
		inet_ntop(AF_INET, &four->sin_addr, name, sizeof(name));
	else
		inet_ntop(AF_INET6, &six->sin6_addr, name, sizeof(name));
	buffer_printf(
		ret, is_four || is_everywhere(p) ? "http://%s:%u/" : "http://[%s]:%u/", name, port);
}

static bool listen_at(int fd, const struct listen_address *p, uint16_t *ret_port)
{
	bool is_six = p->address.ss_family == AF_INET6;
	socklen_t len = is_six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
	struct listen_address bound = {.is_shared = p->is_shared};

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	if ((is_six && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){0}, sizeof(int))) ||
		bind(fd, (const struct sockaddr *)&p->address, len) || listen(fd, SOMAXCONN) ||
		getsockname(fd, (struct sockaddr *)&bound.address, &len))
		return false;
	*ret_port = listen_address_port(&bound);
	return true;
}

bool listen_address_open(
	const struct listen_address *p, int *ret_socket, uint16_t *ret_port, struct error *err)
{
	int fd = socket(p->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct buffer url = {0};

	if (fd >= 0 && listen_at(fd, p, ret_port)) {
		*ret_socket = fd;
		return true;
	}
	listen_address_url(p, listen_address_port(p), &url);
	error_errno(err, "cannot listen on %s", url.at);
	buffer_release(&url);
	if (fd >= 0)
		close(fd);
	return false;
}

bool peer_is_local(const struct sockaddr *peer)
{
	const struct sockaddr_in *four = (const void *)peer;
	const struct sockaddr_in6 *six = (const void *)peer;

	if (peer->sa_family == AF_INET)
		return ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) ||
	       (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr) &&
		       six->sin6_addr.s6_addr[12] == IN_LOOPBACKNET);
}

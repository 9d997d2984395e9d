/* socket_owner.c: which user of this machine has the other end of a TCP connection?
 *
 * A line of the tables begins with "SLOT: LOCAL REMOTE STATE", where LOCAL is the address of the
 * socket itself. Then come queues and timers, the user and the inode. The other end of a connection
 * is the line with both addresses exchanged. A closed socket stays in the table for a while, with
 * inode 0, and with root as its user, whoever created it; such a line is ignored. */
#include "server/socket_owner.h"

#include "base/buffer.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_SIZE     ((size_t)64 << 10)
#define TRIES	      3u
#define ENDPOINT_SIZE 48u /* 32 hexadecimal digits of an IPv6 address, 4 of a port */

union address {
	struct sockaddr any;
	struct sockaddr_in ipv4;
	struct sockaddr_in6 ipv6;
};

bool socket_tables_open(struct socket_tables *ret, struct error *err)
{
	ret->ipv4 = open("/proc/net/tcp", O_RDONLY | O_CLOEXEC);
	ret->ipv6 = open("/proc/net/tcp6", O_RDONLY | O_CLOEXEC);
	if (ret->ipv4 >= 0)
		return true;
	error_errno(err, "/proc/net/tcp: cannot open");
	socket_tables_close(ret);
	return false;
}

void socket_tables_close(struct socket_tables *t)
{
	if (t->ipv4 >= 0)
		close(t->ipv4);
	if (t->ipv6 >= 0)
		close(t->ipv6);
	*t = SOCKET_TABLES_NONE;
}

/* ---- Addresses as the tables have them: each 32-bit word as the processor reads it ---- */

static uint32_t word_of(const struct in6_addr *address, unsigned i)
{
	uint32_t word;

	memcpy(&word, address->s6_addr + i * sizeof(word), sizeof(word));
	return word;
}

/* Get the IPv4 address, also of an IPv4-mapped address ("::ffff:127.0.0.1"): the other end may be
 * an IPv4 socket. */
static bool has_ipv4(const union address *a, uint32_t *ret_address)
{
	if (a->any.sa_family == AF_INET)
		*ret_address = a->ipv4.sin_addr.s_addr;
	else if (IN6_IS_ADDR_V4MAPPED(&a->ipv6.sin6_addr))
		*ret_address = word_of(&a->ipv6.sin6_addr, 3);
	else
		return false;
	return true;
}

static unsigned port_of(const union address *a)
{
	return ntohs(a->ipv4.sin_port); /* at the same offset for IPv6 */
}

/* False: not an IPv4 address. */
static bool print_ipv4(const union address *a, char ret[static ENDPOINT_SIZE])
{
	uint32_t address;

	if (!has_ipv4(a, &address))
		return false;
	snprintf(ret, ENDPOINT_SIZE, "%08X:%04X", address, port_of(a));
	return true;
}

static bool print_ipv6(const union address *a, char ret[static ENDPOINT_SIZE])
{
	struct in6_addr in_ipv6 = {0};
	uint32_t ipv4;

	if (has_ipv4(a, &ipv4)) {
		in_ipv6.s6_addr[10] = in_ipv6.s6_addr[11] = 0xFF;
		memcpy(in_ipv6.s6_addr + 12, &ipv4, sizeof(ipv4));
	} else {
		in_ipv6 = a->ipv6.sin6_addr;
	}
	snprintf(ret, ENDPOINT_SIZE, "%08X%08X%08X%08X:%04X", word_of(&in_ipv6, 0),
		word_of(&in_ipv6, 1), word_of(&in_ipv6, 2), word_of(&in_ipv6, 3), port_of(a));
	return true;
}

/* ---- Lines ---- */

/* The user in what follows both addresses: " STATE TX:RX TIMER:WHEN RETRIES USER TIMEOUT INODE". */
static bool read_user(const char *rest, uid_t *ret_user)
{
	unsigned long inode;
	unsigned user;

	if (sscanf(rest, " %*x %*x:%*x %*x:%*x %*x %u %*u %lu", &user, &inode) != 2 || !inode)
		return false;
	*ret_user = user;
	return true;
}

/* The kernel lists what is there when it is read, in pieces. */
static void read_table(int table, struct buffer *ret)
{
	ssize_t len;

	do {
		buffer_reserve(ret, READ_SIZE);
		len = pread(table, ret->at + ret->len, READ_SIZE, (off_t)ret->len);
		ret->len += len > 0 ? (size_t)len : 0;
	} while (len > 0);
}

static bool find_user(int table, const char *addresses, uid_t *ret_user)
{
	struct buffer text = {0};
	const char *at;
	bool found;

	read_table(table, &text);
	buffer_char(&text, '\0');
	at = strstr(text.at, addresses);
	found = at && read_user(at + strlen(addresses), ret_user);
	buffer_release(&text);
	return found;
}

/* A line can be missing while other sockets come and go. */
static bool look_up(int table,
	bool (*print)(const union address *a, char ret[static ENDPOINT_SIZE]),
	const union address *peer, const union address *here, uid_t *ret_user)
{
	char local[ENDPOINT_SIZE], remote[ENDPOINT_SIZE], addresses[2 * ENDPOINT_SIZE + 4];
	bool found = false;

	if (table < 0 || !print(peer, local) || !print(here, remote))
		return false;
	snprintf(addresses, sizeof(addresses), " %s %s ", local, remote);
	for (unsigned i = 0; i < TRIES && !found; i++)
		found = find_user(table, addresses, ret_user);
	return found;
}

bool socket_tables_peer_user(const struct socket_tables *t, int fd, uid_t *ret_user)
{
	union address peer = {0}, here = {0};
	socklen_t peer_len = sizeof(peer), here_len = sizeof(here);

	if (getpeername(fd, &peer.any, &peer_len) || getsockname(fd, &here.any, &here_len))
		return false;
	return look_up(t->ipv4, print_ipv4, &peer, &here, ret_user) ||
	       look_up(t->ipv6, print_ipv6, &peer, &here, ret_user);
}

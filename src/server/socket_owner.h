/* socket_owner.h: which user of this machine has the other end of a TCP connection? */
#ifndef KILN_SERVER_SOCKET_OWNER_H
#define KILN_SERVER_SOCKET_OWNER_H

#include "base/error.h"

#include <sys/types.h>

/* The kernel's tables of sockets: /proc/net/tcp and /proc/net/tcp6 (proc_net(5)). They are opened
 * once, because a confined process cannot open them. */
struct socket_tables {
	int ipv4, ipv6; /* descriptors; ipv6: -1 on machines without IPv6 */
};
#define SOCKET_TABLES_NONE ((struct socket_tables){-1, -1})

bool socket_tables_open(struct socket_tables *ret, struct error *err);
void socket_tables_close(struct socket_tables *t); /* leaves SOCKET_TABLES_NONE */

/* Return in *ret_user which user created the socket that the connected socket `fd` talks to. False:
 * that socket is not on this machine, or it has been closed. For several threads at once. */
bool socket_tables_peer_user(const struct socket_tables *t, int fd, uid_t *ret_user);

#endif

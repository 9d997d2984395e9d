/* ticket.c: the address with which `kiln view` opens a browser. */
#include "server/ticket.h"

#include "base/output_folder.h"

#include <unistd.h>

bool ticket_make(struct ticket *ret, struct error *err)
{
	if (!socket_tables_open(&ret->tables, err))
		return false;
	if (token_make(&ret->token, err))
		return true;
	socket_tables_close(&ret->tables);
	return false;
}

void ticket_release(struct ticket *t)
{
	socket_tables_close(&t->tables);
}

static bool is_for(const struct ticket *t, int fd)
{
	unsigned sudo_user, sudo_group;
	uid_t user;

	if (!socket_tables_peer_user(&t->tables, fd, &user))
		return false;
	return user == geteuid() ||
	       (output_folder_sudo_user(&sudo_user, &sudo_group) && user == sudo_user);
}

bool ticket_use(struct ticket *t, int fd)
{
	return is_for(t, fd) && !atomic_exchange(&t->is_used, true);
}

/* upload.c: how does a file that a browser sends become a profile? */
#include "server/upload.h"

#include "base/memory.h"
#include "base/output.h"
#include "base/output_file.h"
#include "server/reply.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct upload {
	struct uploads *all;
	int fd;		  /* of the memory; -1: none */
	uint64_t len;	  /* bytes received */
	char *name;	  /* as sent; NULL: none */
	struct error err; /* the first error */
};

struct upload *upload_new(struct uploads *all, struct MHD_Connection *connection)
{
	const char *name = mhd.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "name");
	struct upload *u = memory_new(1, sizeof(*u));

	u->all = all;
	u->fd = -1;
	u->name = name ? memory_copy_text(name, strlen(name)) : NULL;
	if (!all->most) {
		error_set(&u->err, ERR_UNSUPPORTED,
			"uploads are not allowed: kiln view --uploads 256M allows them");
		return u;
	}
	u->fd = memfd_create("upload", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (u->fd < 0)
		error_errno(&u->err, "cannot keep the upload in memory");
	return u;
}

/* Discard what was received, after an error. */
static void give_up(struct upload *u)
{
	if (u->fd >= 0)
		close(u->fd);
	u->fd = -1;
	u->all->pending -= u->len;
	u->len = 0;
}

void upload_add(struct upload *u, struct bytes part)
{
	uint64_t pending;

	if (u->err.code)
		return;
	u->len += part.len;
	pending = atomic_fetch_add(&u->all->pending, part.len) + part.len;
	if (pending > u->all->most)
		error_set(&u->err, ERR_LIMIT,
			"more than %llu bytes are being uploaded: kiln view --uploads SIZE allows "
			"more",
			(unsigned long long)u->all->most);
	else if (!output_write_fd(u->fd, part, &u->err))
		error_prefix(&u->err, "cannot keep the upload in memory: ");
	if (u->err.code)
		give_up(u);
}

/* The last part of a path. */
static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;

	return name && *name ? name : "sent";
}

static unsigned status_of(const struct error *err)
{
	switch (err->code) {
	case ERR_UNSUPPORTED:
		return MHD_HTTP_FORBIDDEN;
	case ERR_LIMIT:
		return MHD_HTTP_CONTENT_TOO_LARGE;
	case ERR_IO:
		return MHD_HTTP_INTERNAL_SERVER_ERROR;
	default:
		return MHD_HTTP_BAD_REQUEST;
	}
}

enum MHD_Result upload_answer(struct upload *u, struct MHD_Connection *connection)
{
	struct buffer json = {0}, name = {0};
	int fd = u->fd;

	u->fd = -1; /* the reader closes it */
	/* A sealed file can be mapped without a copy. */
	if (!u->err.code && (lseek(fd, 0, SEEK_SET) < 0 ||
				    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK)))
		error_errno(&u->err, "cannot read the upload");
	if (u->err.code || !files_add_upload(u->all->files, base_name(u->name), fd, &name, &u->err))
		return reply_line(connection, status_of(&u->err), u->err.text);
	buffer_text(&json, "{\"name\":");
	buffer_json(&json, buffer_bytes(&name));
	buffer_text(&json, "}\n");
	buffer_release(&name);
	return reply_buffer(connection,
		&(struct reply){.status = MHD_HTTP_OK, .type = "application/json"}, &json);
}

void upload_release(struct upload *u)
{
	if (!u)
		return;
	give_up(u);
	free(u->name);
	free(u);
}

/* upload.h: files that a browser sends. They are kept in memory only, never on disk. */
#ifndef KILN_SERVER_UPLOAD_H
#define KILN_SERVER_UPLOAD_H

#include "server/files.h"
#include "server/http_library.h"

#define UPLOAD_ADDRESS "upload"

/* Shared by all uploads of a server. */
struct uploads {
	struct files *files;
	uint64_t most;		  /* bytes, of all uploads in progress together */
	_Atomic uint64_t pending; /* bytes of uploads in progress */
};

struct upload;

/* Begin an upload, for a request with "?name=...". */
struct upload *upload_new(struct uploads *all, struct MHD_Connection *connection);
void upload_add(struct upload *u, struct bytes part);
/* It is complete: read it, and reply with its name or the error. */
enum MHD_Result upload_answer(struct upload *u, struct MHD_Connection *connection);
/* NULL is fine. */
void upload_release(struct upload *u);

#endif

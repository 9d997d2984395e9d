/* upload.h: files that a browser sends, to be looked at. They are in memory alone, nowhere on disk.
 */
#ifndef KILN_SERVER_UPLOAD_H
#define KILN_SERVER_UPLOAD_H

#include "server/files.h"
#include "server/http_library.h"

#define UPLOAD_ADDRESS "upload"

/* What is common to all of a server. */
struct uploads {
	struct files *files;
	uint64_t most; /* bytes, of all that are on their way at once, as they are sent */
	_Atomic uint64_t pending; /* bytes on their way */
};

struct upload;

/* A request to send one ("?name=...") has come. */
struct upload *upload_new(struct uploads *all, struct MHD_Connection *connection);
void upload_add(struct upload *u, struct bytes part);
/* It has come whole: read it and say what it is called, or what is wrong with it. */
enum MHD_Result upload_answer(struct upload *u, struct MHD_Connection *connection);
/* NULL is fine. */
void upload_release(struct upload *u);

#endif

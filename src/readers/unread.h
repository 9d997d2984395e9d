/* unread.h: which files does Kiln recognise and not read, and what can be done with them? */
#ifndef KILN_READERS_UNREAD_H
#define KILN_READERS_UNREAD_H

#include "base/bytes.h"

struct unread {
	const char *what;    /* "a recording of heaptrack" */
	const char *instead; /* "convert it with heaptrack_print -F FILE.folded" */
};

/* By the first bytes of an input on which no reader has bid; NULL: not recognised. */
const struct unread *unread_format(struct bytes head);

#endif

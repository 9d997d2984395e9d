/* jfr_text.h: strings of a Flight Recorder file, in any of their encodings. */
#ifndef KILN_READERS_JAVA_JFR_TEXT_H
#define KILN_READERS_JAVA_JFR_TEXT_H

#include "base/buffer.h"
#include "readers/java/jfr_chunk.h"

enum jfr_encoding {
	JFR_NULL,
	JFR_EMPTY,
	JFR_CONSTANT, /* `number` is its key in the pool of strings */
	JFR_UTF8,
	JFR_CHARS, /* UTF-16, each unit an integer */
	JFR_LATIN1,
};

/* A string as it stands in the chunk. */
struct jfr_text {
	enum jfr_encoding encoding;
	uint64_t number; /* key, or units of JFR_CHARS */
	struct bytes bytes;
};

/* Take the next string. An unknown encoding makes the cursor bad. */
struct jfr_text jfr_text_take(struct cursor *c, bool compressed);
/* Append it as UTF-8; a constant adds nothing. */
void jfr_text_add(const struct jfr_text *text, bool compressed, struct buffer *out);

#endif

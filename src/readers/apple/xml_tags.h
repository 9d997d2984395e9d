/* xml_tags.h: the tags of an XML document, one after the other, without building a tree.
 *
 * By hand: libxml2's streaming reader parses 60 MB of xctrace's tables in 0.6 s, before anything is
 * done with what they say; Kiln reads and folds them in 0.23 s: `bench/readers.sh xctrace`. */
#ifndef KILN_READERS_APPLE_XML_TAGS_H
#define KILN_READERS_APPLE_XML_TAGS_H

#include "base/buffer.h"
#include "base/input.h"

#define XML_ATTRIBUTES_LIMIT 64u /* of a tag */

struct xml_attribute {
	struct bytes name, value; /* as written: see xml_text */
};

/* A tag and the text before it, valid until the next call. Comments, declarations and processing
 * instructions are skipped. */
struct xml_tag {
	struct bytes name;
	struct bytes text; /* between the tag before and this one, as written */
	bool closes;	   /* </name> or <name/> */
	bool opens;	   /* <name> or <name/> */
	struct xml_attribute attributes[XML_ATTRIBUTES_LIMIT];
	size_t count;
};

struct xml_reader {
	struct input *in;
	size_t used;	/* bytes at the window's start that have been read */
	uint64_t lines; /* newlines before them */
};

/* *ret_more is false at the end of the input. ERR_FORMAT when it ends inside a tag, ERR_LIMIT when
 * a tag has too many attributes. */
bool xml_next(struct xml_reader *x, struct xml_tag *ret_tag, bool *ret_more, struct error *err);

/* The value of an attribute as written; {0} when it is not there. */
struct bytes xml_attribute(const struct xml_tag *tag, struct bytes name);

/* Append the text with its entities ("&lt;", "&#60;") decoded. */
void xml_text(struct bytes written, struct buffer *out);

#endif

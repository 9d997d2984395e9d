/* v8_call.h: which function does a node of V8's profiles name? */
#ifndef KILN_READERS_BROWSERS_V8_CALL_H
#define KILN_READERS_BROWSERS_V8_CALL_H

#include "readers/browsers/v8_data.h"

/* The id of a node, or JSON_NO_INDEX. */
uint32_t v8_node_id(struct json *j);

/* A function as nodes name it. */
struct v8_call {
	struct buffer function, url;
	int64_t line, column; /* from 0; -1: unknown */
	struct json_extra extra;
};

void v8_call_clear(struct v8_call *c);
void v8_call_release(struct v8_call *c);

/* Read the value of the next key; false: the key has no meaning, and the value is not read. */
bool v8_call_key(struct v8_call *c, struct bytes key, struct json *j);
void v8_call_read(struct v8_call *c, struct json *j);

/* The node's location and its flags. */
void v8_call_name(struct v8_call *c, struct v8_node *n, struct text_stacks *t);

#endif

/* v8_data.h: a CPU or heap profile of V8 while it is read: its nodes and its samples. */
#ifndef KILN_READERS_BROWSERS_V8_DATA_H
#define KILN_READERS_BROWSERS_V8_DATA_H

#include "readers/stacks/json_stacks.h"

struct v8_node {
	uint32_t id, parent; /* JSON_NO_INDEX: none */
	location_id location;
	uint32_t hits;
	uint8_t what; /* V8_NODE_... */
	bool placed;  /* `stack` is known */
	stack_id stack;
	int64_t ns, samples; /* that ended here */
	int64_t bytes;	     /* of a heap profile: allocated here */
};

struct v8_link {
	uint32_t parent, child; /* ids */
};

enum { V8_NODE_FUNCTION, V8_NODE_ROOT, V8_NODE_IDLE };

struct v8_profile {
	VECTOR(struct v8_node) nodes;
	VECTOR(struct v8_link) links;
	struct json_indices samples;	  /* ids of nodes */
	struct json_numbers deltas;	  /* ns */
	struct json_numbers moments;	  /* ns; of old profiles (v8_tree.h) */
	int64_t start, end;		  /* ns; INT64_MIN: unknown */
	struct json_decimal began, ended; /* the same as written: old profiles have seconds there */
	struct json_extra extra;	  /* of Kiln's own files */
	bool nested;			  /* an old profile */
};

#endif

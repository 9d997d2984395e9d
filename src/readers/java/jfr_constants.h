/* jfr_constants.h: what are the stacks, methods, classes and threads of a chunk in the profile? */
#ifndef KILN_READERS_JAVA_JFR_CONSTANTS_H
#define KILN_READERS_JAVA_JFR_CONSTANTS_H

#include "readers/java/jfr_pools.h"
#include "readers/readers.h"

/* Classes of constants that are read. */
enum jfr_kind {
	JFR_THREADS,
	JFR_STACKS,
	JFR_FRAMES, /* items of stacks: no constants */
	JFR_METHODS,
	JFR_CLASSES,
	JFR_PACKAGES,
	JFR_MODULES,
	JFR_SYMBOLS,
	JFR_STRINGS,
	JFR_FRAME_TYPES,
	JFR_STATES,
	JFR_KINDS
};

struct jfr_method {
	string_id name, module, class_path;
	location_id locations[FRAME_KINDS]; /* without lines; 0: none yet */
};

struct jfr_constants {
	struct profile *profile;
	unsigned want; /* enum read_want, or'ed */
	const struct jfr_chunk *chunk;
	struct jfr_layouts *layouts;
	struct jfr_pools pools;
	struct jfr_pool *pool[JFR_KINDS];    /* NULL: the chunk has none */
	struct jfr_layout layout[JFR_KINDS]; /* of those with a pool */
	process_id process;		     /* of all threads */
	VECTOR(struct jfr_method) methods;
	VECTOR(location_id) frames; /* of the stack being made, innermost first */
	struct buffer text, class_text;
};
/* Set the first four members and the process before. */
void jfr_constants_open(struct jfr_constants *k);
void jfr_constants_release(struct jfr_constants *k);

enum jfr_stack_state {
	JFR_STACK_WHOLE,
	JFR_STACK_TRUNCATED,
	JFR_STACK_NONE,	   /* none was recorded, or it has no frames */
	JFR_STACK_MISSING, /* it is not in the chunk */
	JFR_STACK_TOO_DEEP,
};
/* Flags of a stack. */
#define JFR_STACK_WAITS 8u /* its innermost method waits in the system */

/* The stack with this key; *ret_flags has its state in the lower bits, and JFR_STACK_WAITS. */
stack_id jfr_stack(struct jfr_constants *k, uint64_t key, unsigned *ret_flags);
/* The thread with this key; 0: unknown. */
thread_id jfr_thread(struct jfr_constants *k, uint64_t key);
/* A frame with the name of a class, as sources write it: "java.lang.String[]". 0: unknown. */
location_id jfr_class_location(struct jfr_constants *k, uint64_t key);
/* The state of a thread says that it sleeps. */
bool jfr_state_sleeps(struct jfr_constants *k, uint64_t key);
/* A string of an event; valid until the next call. */
struct bytes jfr_constants_text(struct jfr_constants *k, const struct jfr_text *text);

#endif

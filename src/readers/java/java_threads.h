/* java_threads.h: which of the threads in a dump of a Java virtual machine run?
 *
 * Every thread with a stack is a sample of one of three streams: "running", "blocked" (it waits for
 * a monitor) and "waiting" (for anything else). The JVM calls threads that wait in the system
 * (for connections, say) runnable; they are known by the method in which they do. */
#ifndef KILN_READERS_JAVA_JAVA_THREADS_H
#define KILN_READERS_JAVA_JAVA_THREADS_H

#include "readers/java/java_names.h"

enum java_state {
	JAVA_RUNNING,
	JAVA_BLOCKED,
	JAVA_WAITING,
	JAVA_STATES,
	JAVA_UNKNOWN, /* no Java thread: it has no stack */
};

/* How a method tells that its thread waits in the system: wherever it is in the stack, or as the
 * innermost frame. */
enum { JAVA_WAITS_ANYWHERE = 1, JAVA_WAITS_INNERMOST = 2 };
/* The flags of a method such as "sun.nio.ch.EPoll.wait"; 0: its thread runs. */
unsigned java_method_waits(struct bytes method);

struct java_threads {
	struct text_stacks stacks;
	bool any_method;    /* no method tells that a thread waits */
	bool inside;	    /* a thread has begun */
	struct buffer name; /* its name as its root frame has it */
	location_id root;   /* 0: none */
	thread_id thread;   /* if threads are requested */
	enum java_state state;
	bool background;       /* one of the JVM's own */
	VECTOR(uint8_t) waits; /* of locations: flags as of java_method_waits */
	uint64_t time;	       /* of the dump, ns since 1970; 0: unknown */
	unsigned has;	       /* of samples */
};

/* `{0}` whose stacks are open gets its streams. Release leaves the stacks open. */
void java_threads_start(struct java_threads *j);
void java_threads_release(struct java_threads *j);

/* Start a thread's entry. `whole` is its name, `shown` the part for its root frame; `tid` -1:
 * unknown. */
void java_threads_begin(
	struct java_threads *j, struct bytes whole, struct bytes shown, int64_t tid);
/* Set the state of the entry's thread. */
void java_threads_state(struct java_threads *j, enum java_state state);
/* Take the text behind "at ". False: it is no frame. */
bool java_threads_frame(struct java_threads *j, struct bytes text);
/* End the entry, if one has begun. */
bool java_threads_end(struct java_threads *j, struct error *err);

#endif

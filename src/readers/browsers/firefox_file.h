/* firefox_file.h: the columns of a profile of the Firefox Profiler, as its JSON has them. */
#ifndef KILN_READERS_BROWSERS_FIREFOX_FILE_H
#define KILN_READERS_BROWSERS_FIREFOX_FILE_H

#include "readers/stacks/json_stacks.h"

#define FIREFOX_DECIMALS 6u /* of times in milliseconds, which makes them ns */

/* The columns of stacks; a missing column is empty. */
struct firefox_tables {
	struct json_indices stack_frame, stack_prefix;
	bool prefix_is_offset;
	struct json_indices frame_func, frame_depth, frame_category, frame_lib;
	struct json_numbers frame_line;
	struct json_indices func_name, func_resource, func_file, func_source, func_js;
	struct json_numbers func_line;
	struct json_indices resource_lib, resource_name, source_file;
	struct json_texts strings, libs;
	VECTOR(location_id) locations; /* of each frame; 0: not made yet */
};

/* Samples of a thread, or its allocations. */
struct firefox_rows {
	struct json_indices stack;
	struct json_numbers time, weight, cpu; /* FIREFOX_DECIMALS, cpu none */
	unsigned too_large; /* so many decimals do not fit weights, and are left out */
	bool time_is_delta;
	bool one_weight; /* all rows have the first one's */
	struct buffer weight_type;
};

enum { SAMPLES, JS_ALLOCATIONS, NATIVE_ALLOCATIONS, ROWS_KINDS };

struct firefox_thread {
	struct firefox_tables tables;
	struct firefox_rows rows[ROWS_KINDS];
	struct buffer name, process;
	int64_t pid, tid;
	struct json_extra extra;
};

struct firefox_threads {
	struct firefox_thread *items;
	size_t len, cap;
};

struct firefox_file {
	struct firefox_tables shared; /* by all threads */
	struct json_texts categories;
	struct buffer cpu_unit;
	int64_t start;	    /* of the clock: ns since 1970; INT64_MIN: unknown */
	bool own;	    /* Kiln wrote it */
	bool raw;	    /* the Firefox Profiler has not processed it, by its `meta` */
	bool any_cpu;	    /* a thread has the CPU time of its samples */
	unsigned parts;	    /* the parts that all threads need and that were read, or'ed */
	bool no_value_type; /* a thread has no kind of values */

	/* Set by the caller: */
	struct firefox_threads *threads; /* where the next thread is put */
	/* Called after a thread when everything it needs has been read: the callee may take the
	 * threads so far. False: stop. */
	bool (*offer)(void *context);
	void *context;
	bool offered;
};

/* Read the file, or stop early; json_finish has the error. */
/* Of any profile of Firefox: the name of a thread and of its process, and their ids. False: the key
 * is another one. */
bool firefox_thread_identity(struct firefox_thread *t, struct bytes key, struct json *j);

void firefox_file_read(struct firefox_file *f, struct json *j);
void firefox_file_release(struct firefox_file *f);
void firefox_threads_clear(struct firefox_threads *t);

#endif

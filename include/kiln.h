/* kiln.h: the public interface of libkiln: load a profile of any format, walk it, transform it,
 * render it.
 *
 *	kiln_error err = {0};
 *	kiln_profile *p = kiln_load("out.folded", NULL, &err);
 *	kiln_view *v = p ? kiln_view_new(p, KILN_BY_FUNCTION) : NULL;
 *	if (!v || !kiln_view_transform(v, "focus", "^main$", &err) ||
 *		!kiln_render(v, "svg", NULL, "out.svg", &err))
 *		puts(err.text);
 *	kiln_view_free(v);
 *	kiln_profile_free(p);
 *
 * An input that stands for more than 1 GB of memory, or 256 times its size where that is more, is
 * refused with KILN_LIMIT, as is an output of 4 times as much.
 *
 * The library never prints and never ends the process. A profile may be read by several threads at
 * once; a view belongs to one thread at a time. Functions that can fail return false or NULL and
 * fill in `err`, which may be NULL. What fails changes nothing: profiles and views are as they were
 * before, no memory, file or thread is left over, and a file that kiln_render was to write is as it
 * was. When memory runs out (KILN_MEMORY), or an input is damaged, the next call works as ever.
 *
 * A number that is not below the count that belongs to it gives zeroes. */
#ifndef KILN_H
#define KILN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef KILN_API
#define KILN_API
#endif

typedef struct kiln_profile kiln_profile;
typedef struct kiln_view kiln_view;

enum kiln_error_code {
	KILN_OK,
	KILN_USAGE,	  /* an argument is wrong */
	KILN_FORMAT,	  /* the input is malformed, truncated or of no known format */
	KILN_LIMIT,	  /* the input exceeds a limit */
	KILN_UNSUPPORTED, /* understood, but not possible here */
	KILN_PERMISSION,  /* the text says what is in the way */
	KILN_IO,	  /* the system refused */
	KILN_MEMORY,	  /* memory ran out */
};

typedef struct kiln_error {
	enum kiln_error_code code;
	char text[1024]; /* one line: what failed, where, and what was expected */
} kiln_error;

/* UTF-8, not NUL-terminated, valid as long as the profile or view it came from. */
typedef struct kiln_text {
	const char *at;
	size_t len;
} kiln_text;

KILN_API const char *kiln_version(void);

/* Names of what can be read, applied and rendered; NULL from `i` on when there are no more. */
KILN_API const char *kiln_reader_name(size_t i);
KILN_API const char *kiln_transform_name(size_t i);
KILN_API const char *kiln_renderer_name(size_t i);

/* ---- Profiles ---- */

/* Read a file ("-": standard input). `format` is a reader's name, or NULL: by content. Addresses
 * get the names that `kiln fold --no-debuginfod` gives them: from the files that the profile names,
 * from what runtimes wrote beside it and in /tmp, and from the symbol cache, which is filled, too.
 */
KILN_API kiln_profile *kiln_load(const char *path, const char *format, kiln_error *err);
/* The same from memory, which is not needed afterwards. */
KILN_API kiln_profile *kiln_load_memory(
	const void *bytes, size_t len, const char *format, kiln_error *err);
KILN_API void kiln_profile_free(kiln_profile *p); /* NULL is fine; after its views */

/* One way to weigh samples. Streams of the same `samples` weigh the same ones. */
typedef struct kiln_stream {
	kiln_text kind, unit, event; /* "cpu", "ns", "cpu-clock" */
	uint32_t samples;	     /* number of the samples table */
	uint32_t side;		     /* 1 and 2: before and after; else 0 */
	uint64_t expected;	     /* samples by the event's own count; 0: unknown */
	uint64_t delivered, lost;
} kiln_stream;
KILN_API size_t kiln_stream_count(const kiln_profile *p);
KILN_API kiln_stream kiln_stream_at(const kiln_profile *p, size_t stream);

/* Why samples of a stream were lost, and how many. */
typedef struct kiln_loss {
	uint32_t stream;
	kiln_text reason;
	uint64_t count;
} kiln_loss;
KILN_API size_t kiln_loss_count(const kiln_profile *p);
KILN_API kiln_loss kiln_loss_at(const kiln_profile *p, size_t loss);

/* "command", "host", ...; any number of "note" rows are sentences for the user. */
KILN_API size_t kiln_meta_count(const kiln_profile *p);
KILN_API void kiln_meta_at(
	const kiln_profile *p, size_t meta, kiln_text *ret_key, kiln_text *ret_value);

#define KILN_NO_CPU UINT32_MAX

typedef struct kiln_sample {
	int64_t value;	   /* in the stream's unit */
	uint32_t stack;	   /* see kiln_stack_caller */
	uint32_t cpu;	   /* or KILN_NO_CPU */
	uint64_t time;	   /* ns; 0 when has_time is false */
	uint64_t duration; /* ns */
	bool has_time;
	int32_t pid, tid; /* -1: unknown */
	kiln_text process, thread;
} kiln_sample;
KILN_API size_t kiln_sample_count(const kiln_profile *p, size_t stream);
KILN_API kiln_sample kiln_sample_at(const kiln_profile *p, size_t stream, size_t sample);

typedef struct kiln_frame {
	kiln_text function, module, file;
	uint32_t line;	  /* 0: unknown */
	const char *kind; /* "native", "kernel", "jit", "interpreted", "inlined", "idle", ... */
} kiln_frame;

/* A stack is its caller's stack and one place more; stack 0 is empty, and a caller's number is
 * always smaller. A place has one frame, or several when functions were inlined into it: outermost
 * first. Returns how many there are and fills in at most `room`. */
KILN_API uint32_t kiln_stack_caller(const kiln_profile *p, uint32_t stack);
KILN_API size_t kiln_stack_frames(
	const kiln_profile *p, uint32_t stack, kiln_frame *ret_frames, size_t room);

/* ---- Views ---- */

enum kiln_by {
	KILN_BY_FUNCTION, /* frames of one function are one */
	KILN_BY_LINE,	  /* lines of a function are apart */
	KILN_BY_ADDRESS,  /* and places without a name, by their addresses */
};

/* A tree of all stacks; shows the profile's first kind. NULL when memory ran out, for no other
 * reason. */
KILN_API kiln_view *kiln_view_new(const kiln_profile *p, enum kiln_by by);
KILN_API void kiln_view_free(kiln_view *v); /* NULL is fine */

/* Show the streams of this kind or event instead (NULL or "": the first); with_idle: idle CPUs too.
 */
KILN_API bool kiln_view_select(kiln_view *v, const char *kind, bool with_idle, kiln_error *err);
/* Apply a transform: "focus", "include", ... as the command line has them without dashes. The
 * argument is NULL for those that take none. Takes the memory of two views meanwhile. */
KILN_API bool kiln_view_transform(
	kiln_view *v, const char *name, const char *argument, kiln_error *err);

typedef struct kiln_node {
	uint32_t caller; /* a smaller number; 0 is the root, which stands for all */
	kiln_frame frame;
	int64_t self, total;
} kiln_node;
KILN_API size_t kiln_node_count(const kiln_view *v);	    /* at least 1 */
KILN_API kiln_node kiln_node_at(kiln_view *v, size_t node); /* cannot fail */

/* ---- Output ---- */

/* Write to `path` ("-": standard output) in a renderer's format (NULL: by the suffix of path).
 * `options` are "name=value" or "name" as the command line has them, ended by NULL; or NULL. */
KILN_API bool kiln_render(const kiln_view *v, const char *format, const char *const *options,
	const char *path, kiln_error *err);
/* The same into memory, to be freed with kiln_free. */
KILN_API bool kiln_render_memory(const kiln_view *v, const char *format, const char *const *options,
	char **ret_bytes, size_t *ret_len, kiln_error *err);
KILN_API void kiln_free(void *bytes);

#ifdef __cplusplus
}
#endif

#endif

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
 * A profile holds what an input says: samples, and the stacks they were taken in. A view is a call
 * tree over the samples that are selected; transforms change the view, never the profile. A
 * renderer writes a view in an output format.
 *
 * Limits: an input may need at most 1 GB of memory, or 256 times its own size if that is more; an
 * output may have four times as many bytes. Beyond that, functions fail with KILN_LIMIT.
 *
 * The library never prints and never ends the process. Numbers have a decimal point in all that it
 * reads and writes, whatever the locale of the process is. Several threads may read one profile at
 * the same time; a view must be used by one thread at a time. Functions that can fail return false
 * or NULL and fill in `err`, which may be NULL. A call that fails has no effect: profiles and views
 * keep their state, memory, files and threads are released, and the file that kiln_render should
 * have written is unchanged. After a failure, also one for lack of memory (KILN_MEMORY), the next
 * call works as usual.
 *
 * Functions that take an index return zeroes for an index that is out of range. */
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
	KILN_UNSUPPORTED, /* valid, but not supported here */
	KILN_PERMISSION,  /* a permission is missing; the text names it */
	KILN_IO,	  /* a system call failed: open, read, write, map */
	KILN_MEMORY,	  /* memory ran out */
};

typedef struct kiln_error {
	enum kiln_error_code code;
	char text[1024]; /* one line: what failed, where, and what was expected */
} kiln_error;

/* UTF-8, not NUL-terminated; valid as long as the profile or view that it comes from. */
typedef struct kiln_text {
	const char *at;
	size_t len;
} kiln_text;

KILN_API const char *kiln_version(void);

/* Names of all readers, transforms and renderers, by index; NULL behind the last one. */
KILN_API const char *kiln_reader_name(size_t i);
KILN_API const char *kiln_transform_name(size_t i);
KILN_API const char *kiln_renderer_name(size_t i);

/* ---- Profiles ---- */

/* Read a file ("-": standard input). `format` is a reader's name; NULL chooses a reader by
 * content. Addresses get the same names as in `kiln fold --no-debuginfod`: names come from the
 * files that the profile mentions, from what runtimes wrote beside it and in /tmp, and from the
 * symbol cache. New names are added to that cache. */
KILN_API kiln_profile *kiln_load(const char *path, const char *format, kiln_error *err);
/* As kiln_load, from memory that the caller may release afterwards. */
KILN_API kiln_profile *kiln_load_memory(
	const void *bytes, size_t len, const char *format, kiln_error *err);
KILN_API void kiln_profile_free(kiln_profile *p); /* NULL is allowed; free its views first */

/* One way to weigh samples. Streams with the same `samples` weigh the same samples. */
typedef struct kiln_stream {
	kiln_text kind, unit, event; /* "cpu", "ns", "cpu-clock" */
	uint32_t samples;	     /* number of the samples table */
	uint32_t side;		     /* 1: before, 2: after (of a comparison); else 0 */
	uint64_t expected;	     /* samples according to the event's own counter; 0: unknown */
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

/* Key and value: "command", "host", ... There may be several "note" rows: sentences for the
 * user. */
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

/* A stack is its caller's stack and one location more. Stack 0 is empty; a caller's number is
 * always smaller than the stack's own. The frames of a stack are those of its last location:
 * one, or several when functions were inlined: outermost first. Returns how many there are and
 * fills in at most `room` of them. */
KILN_API uint32_t kiln_stack_caller(const kiln_profile *p, uint32_t stack);
KILN_API size_t kiln_stack_frames(
	const kiln_profile *p, uint32_t stack, kiln_frame *ret_frames, size_t room);

/* ---- Views ---- */

enum kiln_by {
	KILN_BY_FUNCTION, /* frames of one function are merged */
	KILN_BY_LINE,	  /* ... unless their lines differ */
	KILN_BY_ADDRESS,  /* ... and locations without a name are told apart by their addresses */
};

/* A call tree of all stacks; it shows the first kind of the profile. NULL only when memory ran
 * out. */
KILN_API kiln_view *kiln_view_new(const kiln_profile *p, enum kiln_by by);
KILN_API void kiln_view_free(kiln_view *v); /* NULL is allowed */

/* Show the streams of another kind or event (NULL or "": the first). with_idle: include idle
 * CPUs. */
KILN_API bool kiln_view_select(kiln_view *v, const char *kind, bool with_idle, kiln_error *err);
/* Apply a transform: its name is the command's option without dashes ("focus", "include", ...).
 * The argument is NULL for a transform that takes none. While it runs, the view needs twice its
 * memory. */
KILN_API bool kiln_view_transform(
	kiln_view *v, const char *name, const char *argument, kiln_error *err);

typedef struct kiln_node {
	uint32_t caller; /* smaller than the node's own number; node 0 is the root and stands for
			    all samples */
	kiln_frame frame;
	int64_t self, total;
} kiln_node;
KILN_API size_t kiln_node_count(const kiln_view *v);	    /* at least 1 */
KILN_API kiln_node kiln_node_at(kiln_view *v, size_t node); /* cannot fail */

/* ---- Output ---- */

/* Write to `path` ("-": standard output) in a renderer's format; NULL chooses it by the suffix
 * of `path`. `options` are "name=value" or "name", spelled as on the command line, ended by
 * NULL; or NULL. */
KILN_API bool kiln_render(const kiln_view *v, const char *format, const char *const *options,
	const char *path, kiln_error *err);
/* As kiln_render, into memory that the caller frees with kiln_free. */
KILN_API bool kiln_render_memory(const kiln_view *v, const char *format, const char *const *options,
	char **ret_bytes, size_t *ret_len, kiln_error *err);
KILN_API void kiln_free(void *bytes);

#ifdef __cplusplus
}
#endif

#endif

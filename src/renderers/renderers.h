/* renderers.h: the table of outputs. One file and one line in meson.build each.
 *
 * A renderer writes what a view shows: it never changes the view, and knows nothing about the
 * format of the input. `kiln convert`, `kiln draw` and the answers of `kiln view` all go through
 * renderer_write.
 *
 * The files in short: svg.c draws with layout.h, preorder.h, colour.h and svg_*; nodes.c,
 * heatmap.c and chart.c write columns (columns.h) for the page; text outputs are tree.c, top.c,
 * difference.c and info.c; the others are formats of other programs, which share export.h. */
#ifndef KILN_RENDERERS_RENDERERS_H
#define KILN_RENDERERS_RENDERERS_H

#include "base/buffer.h"
#include "base/options.h"
#include "base/output.h"
#include "model/view.h"

struct renderer {
	const char *name;   /* "svg" */
	const char *suffix; /* ".svg"; NULL: not chosen by a file name */
	const char *about;
	const char *proof;	/* the program that accepts its output in tests; NULL: none */
	bool readable;		/* human-readable: may be written to a terminal */
	const char *media_type; /* of its output: "application/json" */
	/* The same where it depends on the settings; NULL: it does not. */
	const char *(*media_type_of)(const void *settings);
	const char *policy;		/* what a browser must allow its output to do, as a
					   Content-Security-Policy; NULL: nothing */
	const char *const *unavailable; /* points to why this build cannot write it; NULL, or to
					   NULL: it can */
	/* In the menu "Save as" of `kiln view`; a NULL label: it is not there. */
	struct {
		const char *label;   /* "Folded stacks" */
		const char *suffix;  /* of the file; NULL: that above */
		bool comparisons;    /* offered where two sides are compared */
		bool no_single_side; /* not offered elsewhere */
	} save;
	bool by_line; /* it has files and lines, and wants views that distinguish them */
	/* With these settings, does it need only samples and not the tree? NULL: never. */
	bool (*samples_only)(const void *settings);

	/* Its own options: a table for a target of `settings_size` bytes, which `defaults` fills
	 * in. NULL, 0 and NULL if it has none. */
	const struct option *options;
	size_t settings_size;
	void (*defaults)(void *settings);
	const char *title; /* heading of its options in `kiln convert`; NULL: not offered there */

	/* Called by renderer_write. */
	bool (*render)(
		const struct view *v, const void *settings, struct output *out, struct error *err);
};

/* Write what the view shows. ERR_LIMIT if that is more than its profile may cause
 * (base/expansion.h), either now or when the output is committed. */
bool renderer_write(const struct renderer *renderer, const struct view *v, const void *settings,
	struct output *out, struct error *err);

#define MEDIA_TEXT   "text/plain; charset=utf-8"
#define MEDIA_JSON   "application/json"
#define MEDIA_BINARY "application/octet-stream"
const char *renderer_media_type(const struct renderer *renderer, const void *settings);

extern const struct renderer *const renderers[]; /* NULL-terminated */
const struct renderer *renderer_by_name(const char *name);
const struct renderer *renderer_for_path(const char *path); /* by suffix; NULL: none */
/* Can this build write it? ERR_UNSUPPORTED says what is missing. */
bool renderer_check(const struct renderer *renderer, struct error *err);
void renderer_suffixes(struct buffer *out); /* ".svg, .folded": the suffixes that can be chosen */
void *renderer_settings(
	const struct renderer *renderer); /* the defaults; release with memory_free() */

#endif

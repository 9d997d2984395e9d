/* renderers.h: outputs that a file name's suffix can choose. One file and one line in meson.build
 * each. */
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
	const char *proof;	/* who else accepted what it writes; NULL: nobody */
	bool readable;		/* for people: may be written to a terminal */
	const char *media_type; /* of what it writes; NULL: text if it is readable, else bytes */
	const char *policy;	/* what a browser has to allow it, as in a Content-Security-Policy;
				   NULL: nothing */
	const char *const *lacking; /* to what there is to say where this build cannot write it;
				       NULL, or to NULL: it can */
	bool by_line;		    /* it has files and lines: wants views that tell them apart */
	/* Does it look, with these settings, at samples alone and not at the tree? NULL: never. */
	bool (*treeless)(const void *settings);

	/* Options of its own: a table for a target of `settings_size` bytes that `defaults` fills
	 * in. NULL, 0 and NULL when there are none. */
	const struct option *options;
	size_t settings_size;
	void (*defaults)(void *settings);
	const char *title; /* over its options in `kiln convert`; NULL: it does not take them */

	/* For renderer_write. */
	bool (*render)(
		const struct view *v, const void *settings, struct output *out, struct error *err);
};

/* Write what the view shows. ERR_LIMIT where that is more than its profile may cause
 * (base/expansion.h): now, or when the output is committed. */
bool renderer_write(const struct renderer *renderer, const struct view *v, const void *settings,
	struct output *out, struct error *err);

extern const struct renderer *const renderers[]; /* NULL-terminated */
const struct renderer *renderer_by_name(const char *name);
const struct renderer *renderer_for_path(const char *path); /* by suffix; NULL: none */
/* Can this build write it? ERR_UNSUPPORTED, and what it lacks. */
bool renderer_check(const struct renderer *renderer, struct error *err);
void renderer_suffixes(struct buffer *out); /* ".svg, .folded": those that may be chosen */
void *renderer_settings(const struct renderer *renderer); /* the defaults; memory_free() them */

#endif

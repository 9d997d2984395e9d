/* v8_name.h: what does a name mean that V8 gives to generated code?
 *
 * V8 (Node.js, Chromium) writes one text into perf maps, jitdumps and its logs: a category, a
 * colon, a mark for the tier and, for functions, the name and where it is in the source:
 *
 *	JS:*inner /srv/app.js:12:20	LazyCompile:~inner /srv/app.js:12	Builtin:ArrayMap
 *
 * The marks are those of CodeKindToMarker in V8's objects/code-kind.cc: ~ is the interpreter
 * (Ignition), ^ the baseline compiler (Sparkplug), + and * are the optimising compilers (Maglev,
 * TurboFan), followed by an apostrophe for code that is specialised to one context. Node 10 to
 * 18 write Function: and LazyCompile:, later versions JS:. */
#ifndef KILN_NAMES_V8_NAME_H
#define KILN_NAMES_V8_NAME_H

#include "base/buffer.h"
#include "model/profile.h"

enum v8_what {
	V8_FUNCTION, /* JavaScript: has a name and mostly a source position */
	V8_BUILTIN,  /* Builtin: */
	V8_HANDLER,  /* BytecodeHandler:, Handler: a part of the interpreter */
	V8_REGEXP,   /* RegExp: a compiled regular expression */
	V8_STUB,     /* Stub:, LoadIC: and similar: glue code */
};

enum v8_tier { V8_UNMARKED, V8_INTERPRETED, V8_BASELINE, V8_OPTIMISED };

/* Borrows from the text. */
struct v8_name {
	enum v8_what what;
	enum v8_tier tier;
	struct bytes name;  /* "inner"; "" for scripts and anonymous functions */
	struct bytes place; /* "/srv/app.js:12:20", or "" */
	struct bytes file;  /* "/srv/app.js", or "" */
	uint32_t line;	    /* 0: unknown */
	bool top_level;	    /* the top level of a script or an eval, not a function in it */
};

/* False when the text is not a name of V8's. */
bool v8_name_parse(struct bytes text, struct v8_name *ret);

/* Append the name as it is shown, the same for every tier: "inner /srv/app.js:12:20"; without a
 * name, "(anonymous) PLACE" or "(script) PLACE"; what is not a function keeps V8's text
 * (`text`). */
void v8_name_format(const struct v8_name *n, struct bytes text, struct buffer *out);

/* The kind of frame for its tier; FRAME_JIT when no tier is marked. */
enum frame_kind v8_name_kind(const struct v8_name *n);

#endif

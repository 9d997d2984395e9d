/* collapse_module.c: shows a library as one frame. */
#include "transforms/pattern.h"
#include "transforms/reshape.h"
#include "transforms/transforms.h"

#include <stdlib.h>

/* Consecutive frames of a collapsed module become one; others stay. */
static node_id collapse_place(
	struct tree_builder *b, node_id caller, frame_id frame, const void *context)
{
	const frame_id *become = context;

	if (!become[frame])
		return tree_child(b, caller, frame);
	return caller && b->tree.frame.items[caller] == become[frame]
		       ? caller
		       : tree_child(b, caller, become[frame]);
}

/* The frame that stands for a module; inlined functions belong to the module they are inlined
 * into. */
static frame_id placeholder_frame(struct view *v, const struct frame *of)
{
	enum frame_kind kind = of->kind == FRAME_INLINED ? FRAME_NATIVE : (enum frame_kind)of->kind;
	struct frame frame = {.function = of->module, .module = of->module, .kind = kind};

	return view_frame(v, &frame);
}

/* Set become[frame] for frames in the tree whose module matches: one placeholder for each
 * module. */
static bool find_modules(struct view *v, const struct pattern *pattern, frame_id *become,
	frame_id *module, struct error *err)
{
	bool *seen = memory_new(view_frame_count(v), sizeof(*seen)), done = true;

	for (size_t i = 1; done && i < v->tree.frame.len; i++) {
		frame_id id = v->tree.frame.items[i];
		struct frame frame = view_frame_at(v, id);
		bool match = false;

		if (seen[id] || !frame.module)
			continue;
		seen[id] = true;
		done = pattern_match(pattern, view_text(v, frame.module), &match, err);
		if (!match)
			continue;
		if (!module[frame.module])
			module[frame.module] = placeholder_frame(v, &frame);
		become[id] = module[frame.module];
	}
	memory_free(seen);
	return done;
}

static bool collapse_apply(struct view *v, const char *regex, struct error *err)
{
	size_t strings = view_string_count(v);
	frame_id *become = memory_new(view_frame_count(v), sizeof(*become));
	frame_id *module = memory_new(strings, sizeof(*module));
	struct pattern pattern;
	bool done = pattern_compile(&pattern, regex, err) &&
		    find_modules(v, &pattern, become, module, err);

	if (done)
		reshape(v, 0, collapse_place, become);
	pattern_release(&pattern);
	memory_free(become);
	memory_free(module);
	return done;
}

const struct transform transform_collapse_module = {
	.name = "collapse-module",
	.argument = "REGEX",
	.help = "merge consecutive frames of a module that matches into one frame with the "
		"module's name",
	.label = "Collapse module",
	.applied = "Module collapsed",
	.subject = TRANSFORM_OF_MODULE,
	.apply = collapse_apply,
};

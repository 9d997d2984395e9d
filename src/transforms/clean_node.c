/* clean_node.c: which code in the stacks of Node.js belongs to Node and V8? */
#include "names/v8_name.h"
#include "transforms/clean.h"

/* From a well-known expression for the text of perf script, which deletes lines in which one of
 * these follows a blank. In a name, that is at its start or behind a blank. */
#define RULES                                                                                      \
	"(^| )(__libc_start|uv_|v8::internal::|node::|Builtins_)\n"                                \
	"(^| )(LazyCompile |Builtin:|Stub:|LoadIC:|LoadPolymorphicIC:)\n"                          \
	"\\[unknown\\]\n"

/* One name for all tiers; the kind of the frame distinguishes them. */
static bool node_frame(struct view *v, struct frame *frame)
{
	struct bytes printed = view_text(v, frame->function);
	struct buffer shown = {0};
	struct v8_name name;

	if (!v8_name_parse(printed, &name) || name.what != V8_FUNCTION)
		return false;
	v8_name_format(&name, printed, &shown);
	frame->kind = v8_name_kind(&name);
	frame->line = name.line;
	frame->file = view_string(v, name.file);
	frame->function = view_string(v, buffer_bytes(&shown));
	buffer_release(&shown);
	return true;
}

extern const struct clean_rules clean_rules_node;
const struct clean_rules clean_rules_node = {
	.name = "node",
	.text = {RULES, sizeof(RULES) - 1},
	.frame = node_frame,
};

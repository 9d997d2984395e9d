/* path.c: keeps only what happens at one path of the tree. */
#include "transforms/select.h"
#include "transforms/transforms.h"

#include <stdlib.h>

#define NOT_FOUND SIZE_MAX

/* Match a node's name with the path "main;work" from `at` on, up to where its callers match.
 * Returns the offset behind the name, which may contain ';' itself, or NOT_FOUND. */
static size_t path_step(struct bytes path, size_t at, struct bytes name)
{
	struct bytes rest = {path.at + at, path.len - at};

	if (at == path.len)
		return at; /* the whole path: keep this and everything below */
	if (!bytes_starts_with(rest, name))
		return NOT_FOUND;
	if (name.len == rest.len)
		return path.len;
	return rest.at[name.len] == ';' ? at + name.len + 1 : NOT_FOUND;
}

static bool path_apply(struct view *v, const char *argument, struct error *err)
{
	size_t nodes = v->tree.caller.len;
	struct bytes path = bytes_of(argument);
	size_t *at;
	bool *keep;

	if (!path.len)
		return error_set(err, ERR_USAGE, "expected names from the root, such as main;work");
	at = memory_new(nodes, sizeof(*at));
	keep = memory_new(nodes, sizeof(*keep));
	for (size_t i = 1; i < nodes; i++) {
		size_t caller = at[v->tree.caller.items[i]];

		at[i] = caller == NOT_FOUND
				? NOT_FOUND
				: path_step(path, caller, view_function(v, v->tree.frame.items[i]));
		keep[i] = at[i] == path.len;
	}
	select_nodes(v, keep);
	memory_free(at);
	memory_free(keep);
	return true;
}

const struct transform transform_path = {
	.name = "path",
	.argument = "A;B",
	.help = "only stacks that start with these functions, from the root",
	.label = "Only this path from the root",
	.applied = "Only path",
	.subject = TRANSFORM_OF_PATH,
	.apply = path_apply,
};

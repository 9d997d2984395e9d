/* clean_file.c: removes and renames functions by the user's own rules. */
#include "base/input.h"
#include "transforms/clean.h"
#include "transforms/transforms.h"

#define RULES_SIZE_LIMIT ((uint64_t)1 << 20) /* bytes */

static bool clean_file_apply(struct view *v, const char *path, struct error *err)
{
	struct clean_rules rules = {.name = path};
	struct input in;
	bool done;

	if (!input_open(&in, path, err))
		return false;
	done = input_whole(&in, RULES_SIZE_LIMIT, &rules.text, err) &&
	       (clean(v, &rules, err) || error_prefix(err, "%s: ", path));
	input_release(&in);
	return done;
}

const struct transform transform_clean_file = {
	.name = "clean-file",
	.argument = "FILE",
	.help = "the same with rules of your own, one a line: REGEX removes functions, "
		"s/REGEX/TEXT/ renames them, # starts a comment",
	.opens_files = true,
	.applied = "Cleaned by rules",
	.apply = clean_file_apply,
};

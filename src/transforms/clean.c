/* clean.c: removes a runtime's own code from stacks, by built-in rules. */
#include "transforms/clean.h"

#include "transforms/transforms.h"

#define ENTRY(name) extern const struct clean_rules clean_rules_##name;
#include "clean.list"
#undef ENTRY

static const struct clean_rules *const sets[] = {
#define ENTRY(name) &clean_rules_##name,
#include "clean.list"
#undef ENTRY
	NULL,
};

static bool clean_apply(struct view *v, const char *name, struct error *err)
{
	struct buffer known = {0};

	for (size_t i = 0; sets[i]; i++) {
		if (!strcmp(sets[i]->name, name)) {
			buffer_release(&known);
			return clean(v, sets[i], err);
		}
		buffer_printf(&known, "%s%s", i ? ", " : "", sets[i]->name);
	}
	error_set(err, ERR_USAGE, "expected one of: %s; got '%s'", known.at, name);
	buffer_release(&known);
	return false;
}

const struct transform transform_clean = {
	.name = "clean",
	.argument = "NAME",
	.help = "remove frames of a runtime's own code and tidy names; NAME: node",
	.label = "Hide Node.js and V8 internals",
	.applied = "Internals hidden",
	.subject = TRANSFORM_OF_RUNTIME,
	.apply = clean_apply,
};

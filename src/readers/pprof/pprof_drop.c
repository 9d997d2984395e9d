/* pprof_drop.c: is this a function that the file asks to leave out?
 *
 * Asked of names as pprof asks it: without a '.' in front and without the argument list. */
#include "readers/pprof/pprof_drop.h"

#include "base/memory.h"

#include <stdlib.h>

static char *whole_of(struct bytes pattern)
{
	struct buffer text = {0};

	buffer_printf(&text, "^(?:%.*s)$", (int)pattern.len, pattern.at);
	return text.at;
}

bool pprof_drop_init(struct pprof_drop *d, struct bytes drop, struct bytes keep, struct error *err)
{
	*d = (struct pprof_drop){0};
	if (drop.len) {
		d->drop_text = whole_of(drop);
		d->has_drop = pattern_compile(&d->drop, d->drop_text, err);
	}
	if (keep.len) {
		d->keep_text = whole_of(keep);
		d->has_keep = pattern_compile(&d->keep, d->keep_text, err);
	}
	return d->has_drop == (drop.len > 0) && d->has_keep == (keep.len > 0);
}

void pprof_drop_release(struct pprof_drop *d)
{
	pattern_release(&d->drop);
	pattern_release(&d->keep);
	memory_free(d->drop_text);
	memory_free(d->keep_text);
	*d = (struct pprof_drop){0};
}

/* Up to the first '(' that does not belong to the name itself. */
static struct bytes without_arguments(struct bytes name)
{
	static const char *const own[] = {"(anonymous namespace)", "operator()"};

	if (bytes_starts_with(name, BYTES(".")))
		name = (struct bytes){name.at + 1, name.len - 1};
	for (size_t at = 0; at < name.len; at++) {
		struct bytes rest = {name.at + at, name.len - at};
		size_t skip = 0;

		for (size_t i = 0; i < sizeof(own) / sizeof(*own) && !skip; i++)
			if (bytes_starts_with(rest, bytes_of(own[i])))
				skip = strlen(own[i]);
		if (skip)
			at += skip - 1;
		else if (name.at[at] == '(')
			name.len = at;
	}
	return name;
}

static bool matches(const struct pattern *p, struct bytes name)
{
	struct error ignored = {0}; /* frames whose match takes too long are kept */
	bool found = false;

	return pattern_match(p, name, &found, &ignored) && found;
}

bool pprof_drop_matches(const struct pprof_drop *d, struct bytes function)
{
	struct bytes name = without_arguments(function);

	return d->has_drop && matches(&d->drop, name) && !(d->has_keep && matches(&d->keep, name));
}

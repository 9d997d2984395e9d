/* fold_text.c: text in, folded text out. */
#include "support/fold_text.h"

#include "base/memory.h"
#include "base/units.h"
#include "readers/reading.h"
#include "renderers/renderers.h"
#include "support/random_profile.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

bool read_text(
	struct profile *p, struct bytes text, const char *format, unsigned want, struct error *err)
{
	struct read_options options = {.want = want, .format = format};
	struct input in;
	bool done;

	*p = (struct profile){0};
	if (!input_open_bytes(&in, text, "test", err))
		return false;
	done = profile_read_input(&in, &options, p, err);
	input_release(&in);
	return done;
}

void fold_profile(
	const struct profile *p, const char *kind, bool idle, const char *mark, struct buffer *out)
{
	const struct renderer *renderer = renderer_by_name("folded");
	void *settings = memory_new(1, renderer->settings_size);
	struct error err = {0};
	struct output output;
	struct view v;
	bool done;

	for (const struct option *o = renderer->options; mark && o->name; o++)
		if (!strcmp(o->name, mark))
			o->set(settings, o, NULL, &err);
	view_init(&v, p, BY_FUNCTION);
	done = p->streams.len;
	if (done)
		done = view_select(&v,
			kind ? bytes_of(kind) : profile_text(p, p->streams.items[0].row.kind), idle,
			&err);
	output_open_memory(&output);
	done = done && renderer->render(&v, settings, &output, &err);
	if (!done)
		fprintf(stderr, "fold_profile: %s\n", err.text);
	assert(done);
	buffer_add(out, output.pending.at, output.pending.len);
	output_discard(&output);
	view_release(&v);
	free(settings);
}

bool profiles_read_alike(
	const struct profile *whole, const struct profile *parts, const char **ret_where)
{
	struct buffer a = {0}, b = {0};
	bool same;

	if (!whole->streams.len || !parts->streams.len)
		return profiles_equal(whole, parts, ret_where);
	fold_profile(whole, NULL, true, "all", &a);
	fold_profile(parts, NULL, true, "all", &b);
	same = bytes_equal(buffer_bytes(&a), buffer_bytes(&b));
	*ret_where = "folded text";
	buffer_release(&a);
	buffer_release(&b);
	if (!same || units_decimals(profile_text(whole, whole->streams.items[0].row.unit)))
		return same;
	return profiles_equal(whole, parts, ret_where);
}

/* pattern.c: which frames and rows match the user's expression? */
#include "transforms/pattern.h"

#include <stdlib.h>

bool pattern_frames(const char *text, const struct view *v, bool **ret_matches, struct error *err)
{
	size_t frames = view_frame_count(v);
	bool *matches = memory_new(frames, sizeof(*matches));
	bool *seen = memory_new(frames, sizeof(*seen));
	struct pattern p;
	bool done = pattern_compile(&p, text, err);

	for (size_t i = 1; done && i < v->tree.frame.len; i++) {
		frame_id frame = v->tree.frame.items[i];

		if (seen[frame])
			continue;
		seen[frame] = true;
		done = pattern_match(&p, view_function(v, frame), &matches[frame], err);
	}
	pattern_release(&p);
	memory_free(seen);
	if (done)
		*ret_matches = matches;
	else
		memory_free(matches);
	return done;
}

bool pattern_rows(const struct pattern_table *table, const struct profile *p, const char *which,
	bool *ret_matches, struct error *err)
{
	struct pattern pattern;
	uint64_t id;
	bool done;

	if (bytes_u64(bytes_of(which), &id)) {
		for (size_t i = 1; i < table->rows; i++)
			ret_matches[i] = table->id(p, i) >= 0 && (uint64_t)table->id(p, i) == id;
		return true;
	}
	done = pattern_compile(&pattern, which, err);
	for (size_t i = 1; done && i < table->rows; i++)
		done = pattern_match(
			&pattern, profile_text(p, table->name(p, i)), &ret_matches[i], err);
	pattern_release(&pattern);
	return done;
}

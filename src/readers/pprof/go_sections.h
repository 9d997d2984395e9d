/* go_sections.h: what do the sections of a text of `go tool pprof -raw` say, from its samples on?
 */
#ifndef KILN_READERS_PPROF_GO_SECTIONS_H
#define KILN_READERS_PPROF_GO_SECTIONS_H

#include "readers/bad_lines.h"
#include "readers/pprof/go_places.h"
#include "readers/pprof/go_samples.h"

/* It stays where it is. */
struct go_sections {
	enum { GO_SAMPLES, GO_LOCATIONS, GO_MAPPINGS } section;
	struct text_lines *lines;
	struct profile *profile; /* of strings and labels */
	struct go_samples samples;
	struct go_places places;
	struct bad_lines bad;
};
void go_sections_init(struct go_sections *s, struct text_lines *lines, struct profile *profile,
	const struct read_options *options);
void go_sections_release(struct go_sections *s);

/* The last line. */
bool go_sections_take(struct go_sections *s, struct bytes line, struct error *err);

/* Add all that another thread has read, into a profile of its own, behind the first `lines` lines.
 * False, and nothing is changed: values overflow. */
bool go_sections_append(struct go_sections *s, struct go_sections *more, uint64_t lines);

#endif

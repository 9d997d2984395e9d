/* go_halves.h: the rest of a text of `go tool pprof -raw`, read by two threads where that is worth
 * it. */
#ifndef KILN_READERS_PPROF_GO_HALVES_H
#define KILN_READERS_PPROF_GO_HALVES_H

#include "readers/pprof/go_sections.h"

/* From where the lines stand, among the samples, to the end. */
bool go_halves_read(struct go_sections *s, const struct read_options *options, struct error *err);

#endif

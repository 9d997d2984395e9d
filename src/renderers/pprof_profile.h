/* pprof_profile.h: a profile as the bytes of a pprof file. */
#ifndef KILN_RENDERERS_PPROF_PROFILE_H
#define KILN_RENDERERS_PPROF_PROFILE_H

#include "base/options.h"
#include "model/view.h"

struct pprof_settings {
	unsigned labels; /* 1 << enum tag_role, or'ed: which of these labels samples get */
};
extern const struct option pprof_options[];
void pprof_defaults(void *settings);

/* Append what the view shows, uncompressed, with every stream as a sample type. Samples that are
 * equal in everything written are added up. ERR_LIMIT above the profile's limit. */
bool pprof_write(const struct view *v, const struct pprof_settings *settings, struct buffer *out,
	struct error *err);

#endif

/* pipeline.h: what every command does with a profile: views, transforms, comparisons, outputs. */
#ifndef KILN_FUZZ_PIPELINE_H
#define KILN_FUZZ_PIPELINE_H

#include "model/profile.h"

/* Send the profile through some transforms, outputs and comparisons, which `plan` chooses, and
 * discard the bytes. In a replay also through every transform and every output. Aborts when a
 * failure has no message, text for people could steer a terminal, or what was written cannot be
 * read again. */
void pipeline_run(const struct profile *p, uint64_t plan);

#endif

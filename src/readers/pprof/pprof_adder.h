/* pprof_adder.h: samples on their way into the profile, a batch at a time, added by another thread
 * where there is a CPU for it.
 *
 * Who fills batches finds the samples and decodes stacks that are new; what else a sample has is
 * decoded by who adds it, so that both have about as much to do. Until all are added, nobody else
 * may touch the profile and the file's strings. */
#ifndef KILN_READERS_PPROF_PPROF_ADDER_H
#define KILN_READERS_PPROF_PPROF_ADDER_H

#include "base/error.h"
#include "readers/pprof/pprof_batch.h"

struct pprof;
struct pprof_adder;

/* So many samples are expected. */
struct pprof_adder *pprof_adder_new(struct pprof *file, size_t expected, bool with_thread);
/* An empty batch to be filled. */
struct pprof_batch *pprof_adder_batch(struct pprof_adder *a);
/* It is full. Returns the next one; NULL: pprof_adder_finish knows the error. */
struct pprof_batch *pprof_adder_pass(struct pprof_adder *a);
/* Add all that was passed, and the present batch. False: a sample that was passed is no message. */
bool pprof_adder_finish(struct pprof_adder *a, struct error *err);

#endif

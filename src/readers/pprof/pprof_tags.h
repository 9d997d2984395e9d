/* pprof_tags.h: from the labels of a sample to its thread, its CPU and the labels that are left. */
#ifndef KILN_READERS_PPROF_PPROF_TAGS_H
#define KILN_READERS_PPROF_PPROF_TAGS_H

#include "names/pprof_format.h"
#include "readers/readers.h"

/* `profile` and `want` (enum read_want, or'ed) are set by the caller. */
struct pprof_tags {
	struct profile *profile;
	unsigned want;
	struct pprof_tag_set {
		label_set_id labels;
		int32_t pid, tid; /* -1: unknown */
		string_id comm, name;
		thread_id thread; /* 0: not looked up yet, or unknown */
		uint16_t cpu;
	} now; /* of the present sample */
	VECTOR(struct pprof_tag_set) saved;
	bool any_thread, any_cpu, any_label; /* of all samples */
	struct buffer text;
};
void pprof_tags_release(struct pprof_tags *t);

/* The next sample has none yet. */
void pprof_tags_clear(struct pprof_tags *t);
/* One of its labels; `role` is what pprof_tag_role says of the key. */
void pprof_tags_add_text(struct pprof_tags *t, enum tag_role role, string_id key, string_id value);
void pprof_tags_add_number(
	struct pprof_tags *t, enum tag_role role, string_id key, int64_t number, struct bytes unit);
/* Save all that was added; the number restores it for another sample. */
uint32_t pprof_tags_save(struct pprof_tags *t);
void pprof_tags_restore(struct pprof_tags *t, uint32_t saved);
/* All were added: set the columns of the sample that any sample so far has. */
void pprof_tags_apply(struct pprof_tags *t, struct sample *sample);
/* Before a sample is added to these: a column that it is the first to have gets rows for the
 * samples before it. */
void pprof_tags_fill(struct samples *samples, unsigned has);

#endif

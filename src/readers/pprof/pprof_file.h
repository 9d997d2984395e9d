/* pprof_file.h: a pprof file while it is read: its tables, and where they lead in the profile. */
#ifndef KILN_READERS_PPROF_PPROF_FILE_H
#define KILN_READERS_PPROF_PPROF_FILE_H

#include "readers/pprof/pprof_batch.h"
#include "readers/pprof/pprof_drop.h"
#include "readers/pprof/pprof_places.h"
#include "readers/pprof/pprof_tags.h"
#include "readers/stacks/packed_path.h"
#include "readers/stacks/seen.h"

#define PPROF_TYPES_LIMIT 256u /* values that a sample may have */

extern const struct protobuf_schema pprof_profile_shape, pprof_sample_shape, pprof_label_shape,
	pprof_location_shape, pprof_line_shape, pprof_pair_shape;

/* From the file's ids, which may be anything, to rows. */
struct pprof_ids {
	VECTOR(uint32_t) dense; /* row of an id that is not much larger than the number of rows */
	struct id_map sparse;
};

struct pprof_sample_type {
	uint64_t kind, unit; /* strings */
	struct bytes own;    /* the message, with what Kiln adds */
};

struct pprof_place {
	struct bytes message;
	uint64_t id;
	struct span made; /* of places.made */
	enum pprof_cut cut;
};

struct pprof_string {
	struct bytes text;
	string_id made; /* 0: not yet, or "" */
	int8_t role;	/* enum tag_role plus one; 0: not looked up yet */
};

struct pprof_skipped {
	uint64_t count, first; /* samples; where the first of them is */
	const char *reason;    /* a phrase */
};

struct pprof {
	struct profile *profile;
	unsigned want;
	const char *start, *end; /* of the content */
	VECTOR(struct pprof_string) strings;
	struct pprof_string no_string;
	VECTOR(struct pprof_sample_type) types;
	VECTOR(uint64_t) comments;
	VECTOR(struct pprof_place) locations; /* row 0: none */
	struct pprof_places places;
	struct pprof_ids location_rows, mapping_rows, function_rows;
	struct pprof_sample_type period_type;
	uint64_t drop_frames, keep_frames, time, duration, period, default_type, doc_url;
	const char *meta; /* the first field in which Kiln wrote more, or NULL */

	/* Samples: */
	struct pprof_drop drop;
	uint32_t samples, stream_of[PPROF_TYPES_LIMIT];
	bool has_delivered[PPROF_TYPES_LIMIT]; /* by stream */
	VECTOR(location_id) place_of_id;       /* where it is one; 0: it is more than one */
	size_t listed;			       /* samples, empty ones too */
	uint64_t bad_strings, bad_rows;

	/* While samples are taken, the caller's thread has these: */
	struct seen stacks_seen;
	VECTOR(uint32_t) rows; /* of a stack's locations, innermost first */
	struct packed_path path;
	struct pprof_adder *adder;
	struct pprof_batch *batch; /* that is being filled */
	uint32_t stacks;	   /* different ones */
	uint64_t seen, cut;
	struct pprof_skipped without_stack;

	/* And the thread that adds them has these, the strings and the profile: */
	struct seen labels_seen;
	struct pprof_tags tags;
	VECTOR(int64_t) values; /* one for each type */
	uint64_t taken;
	struct pprof_skipped without_values;
};

void pprof_file_init(struct pprof *p, const struct read_options *options, struct profile *profile);
void pprof_file_release(struct pprof *p);

/* ---- Errors ---- */

/* "byte 12: expected ..." */
bool pprof_fail_at(const struct pprof *p, const char *at, const char *expected, struct error *err);
bool pprof_finish_message(const struct pprof *p, const struct protobuf *m, struct error *err);
/* One more sample that is left out, at `at` in the file. */
void pprof_skip_sample(
	struct pprof *p, struct pprof_skipped *skipped, const char *at, const char *reason);
struct pprof_skipped pprof_skipped(const struct pprof *p); /* of both */

/* ---- Tables ---- */

/* Go through the content for everything but samples. */
bool pprof_take_tables(struct pprof *p, struct bytes content, struct error *err);

struct pprof_string *pprof_string_at(struct pprof *p, uint64_t index);
struct bytes pprof_text_at(struct pprof *p, uint64_t index);
string_id pprof_string_made(struct pprof *p, uint64_t index); /* in the profile */

/* Rows that have an id behind `offset`. */
struct pprof_id_rows {
	const void *items;
	size_t count, size, offset;
};

#define PPROF_ID_ROWS(vector)                                                                      \
	(struct pprof_id_rows)                                                                     \
	{                                                                                          \
		(vector)->items, (vector)->len, sizeof(*(vector)->items),                          \
			(size_t)((const char *)&(vector)->items->id -                              \
				 (const char *)(vector)->items)                                    \
	}

uint32_t pprof_ids_find_sparse(const struct pprof_ids *ids, struct pprof_id_rows rows, uint64_t id);
/* The row of an id, or 0. */
static inline uint32_t pprof_ids_find(
	const struct pprof_ids *ids, struct pprof_id_rows rows, uint64_t id)
{
	return id < ids->dense.len ? ids->dense.items[id] : pprof_ids_find_sparse(ids, rows, id);
}

/* The same of what a table refers to, where 0 is none; counts what is not there. */
uint32_t pprof_row_of(
	struct pprof *p, const struct pprof_ids *ids, struct pprof_id_rows rows, uint64_t id);

/* ---- Stacks ---- */

/* Make all that samples may refer to, when the tables are known. */
void pprof_make_places(struct pprof *p);
/* More locations of a stack that has them in several fields; false when they are no numbers. */
bool pprof_take_packed(struct pprof *p, struct bytes locations);
void pprof_take_location(struct pprof *p, uint64_t id);
/* Put the stack of the locations taken, or of these when they are all that it has, into the batch
 * and its next sample; false, with the reason, when it cannot be one. The question is the one about
 * these locations, or becomes it. */
bool pprof_take_stack(struct pprof *p, struct bytes locations, struct seen_question *question,
	const char **ret_reason);

/* ---- Values and labels ---- */

/* Push the sample's values and have its labels in `tags`. */
bool pprof_take_fields(struct pprof *p, const struct pprof_taken *sample, struct error *err);

/* ---- Streams, and what is known of the profile ---- */

void pprof_open_streams(struct pprof *p);
/* When all samples have been taken. */
void pprof_set_metadata(struct pprof *p, struct bytes content);

#endif

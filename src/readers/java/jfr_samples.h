/* jfr_samples.h: which events of a Flight Recorder file are samples, and of what?
 *
 * Events of one meaning are one table of samples, with up to three values. Every other event with a
 * stack has a table of its own: its duration, or how often it came. */
#ifndef KILN_READERS_JAVA_JFR_SAMPLES_H
#define KILN_READERS_JAVA_JFR_SAMPLES_H

#include "readers/java/jfr_about.h"

#define JFR_COLUMNS 3u

struct jfr_rule;

/* Samples of a group, or of an event without a rule. */
struct jfr_table {
	unsigned group;
	string_id event; /* if it has no rule */
	uint32_t samples;
	unsigned has;	/* of samples */
	uint64_t count; /* of samples */
	struct jfr_column {
		VECTOR(int64_t) values;
		uint64_t count; /* of values that are not 0 */
		bool missing;	/* a sample has none */
	} columns[JFR_COLUMNS];
};

/* An event of the present chunk that is read. */
struct jfr_source {
	uint64_t type;
	const struct jfr_rule *rule;
	string_id event; /* if it has no rule */
	uint32_t table;	 /* plus one; 0: none yet */
	struct jfr_layout layout;
};

/* `{.profile, .want}` is empty. */
struct jfr_samples {
	struct profile *profile;
	unsigned want; /* enum read_want, or'ed */
	VECTOR(struct jfr_table) tables;
	VECTOR(struct jfr_source) sources;
	struct id_map by_type; /* rows of `sources`, plus one */
	/* Of the present chunk: */
	struct jfr_constants *constants;
	const struct jfr_about *about;
	uint64_t events, taken; /* with stacks */
	uint64_t skipped, first_skipped;
	const char *skip_reason; /* of the first */
	uint64_t truncated, missing;
	uint64_t lost_samples, lost_bytes;
};

/* Add the samples of the chunk. */
void jfr_samples_take(
	struct jfr_samples *s, struct jfr_constants *constants, const struct jfr_about *about);
/* All chunks were taken: add the streams, and notes about what is missing. */
void jfr_samples_finish(struct jfr_samples *s);
void jfr_samples_release(struct jfr_samples *s);

#endif

/* otlp_dictionary.h: what the profiles of an OTLP file refer to: strings, places, attributes.
 *
 * Source: github.com/open-telemetry/opentelemetry-proto, profiles/v1development/profiles.proto and
 * common/v1/common.proto. Index 0 of a table means none. */
#ifndef KILN_READERS_OTLP_OTLP_DICTIONARY_H
#define KILN_READERS_OTLP_OTLP_DICTIONARY_H

#include "readers/pprof/pprof_places.h"
#include "readers/pprof/pprof_tags.h"
#include "readers/stacks/packed_path.h"
#include "readers/stacks/paths.h"

extern const struct protobuf_schema otlp_dictionary_shape, otlp_key_value_shape, otlp_stack_shape;

/* A key with its value, as a label says it. */
struct otlp_attribute {
	enum tag_role role;
	string_id key, text; /* text: unless is_number */
	bool is_number;
	int64_t number;
	struct bytes unit;
};

struct otlp_attribute_row {
	struct otlp_attribute attribute;
	bool known;
};

enum otlp_stack_state { STACK_NEW, STACK_EXPECTED, STACK_BAD };

/* Stacks that are about to be made. */
struct otlp_expected {
	VECTOR(size_t) rows;
	VECTOR(struct listed_path) paths;
	VECTOR(location_id) steps; /* of all, one after the other */
};

struct otlp_dictionary {
	struct profile *profile;
	struct paths *paths;	 /* of all stacks of the profile */
	const char *start, *end; /* of the content */
	VECTOR(struct bytes)
	strings, locations, stacks, attributes, links; /* messages, but strings */
	struct pprof_places places;
	VECTOR(struct span) location_rows; /* of places.made */
	VECTOR(location_id) place_of;	   /* where it is one; 0: more than one */

	/* Who expects stacks has these: */
	VECTOR(uint8_t) stack_states; /* enum otlp_stack_state */
	struct packed_path path;
	VECTOR(uint32_t) rows; /* of a stack's locations, innermost first */

	/* For the thread that makes stacks, with the profile and the strings: */
	VECTOR(struct otlp_attribute_row) attribute_rows; /* once they are used */
	VECTOR(stack_id) stacks_made;			  /* by row */
	VECTOR(stack_id) stacks_walked;			  /* by path that was expected */
	uint64_t bad_references;
	struct buffer text;
};
/* `paths` has all stacks of the profile. */
void otlp_dictionary_init(struct otlp_dictionary *d, struct profile *profile, struct paths *paths,
	struct bytes content);
void otlp_dictionary_release(struct otlp_dictionary *d);

/* One dictionary message; a file may have it in parts. */
bool otlp_dictionary_take(struct otlp_dictionary *d, struct bytes message, struct error *err);
/* When all parts are taken. */
bool otlp_dictionary_resolve(struct otlp_dictionary *d, struct error *err);

struct bytes otlp_text(struct otlp_dictionary *d, uint64_t index);
/* NULL: missing in the file (counted), or index 0. */
const struct otlp_attribute *otlp_attribute_at(struct otlp_dictionary *d, uint64_t index);
/* A KeyValue message, as resources have them. */
struct otlp_attribute otlp_key_value(struct otlp_dictionary *d, struct bytes message);

/* Stacks are registered first, then made in batches; one thread may make some while another one
 * registers more. */
void otlp_expect_stack(struct otlp_dictionary *d, uint64_t index, struct otlp_expected *expected);
void otlp_make_stacks(struct otlp_dictionary *d, struct otlp_expected *expected);
/* A stack that was made. False: it or something it refers to is missing in the file, or it is too
 * deep. */
bool otlp_stack_at(const struct otlp_dictionary *d, uint64_t index, stack_id *ret_stack);
void otlp_expected_release(struct otlp_expected *expected);

/* The trace and span of a link as labels. */
void otlp_link_labels(struct otlp_dictionary *d, uint64_t index, struct pprof_tags *tags);

bool otlp_finish_message(
	const struct otlp_dictionary *d, const struct protobuf *m, struct error *err);

#endif

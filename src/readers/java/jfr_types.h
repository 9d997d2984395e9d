/* jfr_types.h: the types of events and constants that a chunk of Flight Recorder describes itself.
 *
 * The metadata event has a table of strings, and a tree of elements with attributes:
 *
 *	root
 *	  metadata
 *	    class id=101 name=jdk.ExecutionSample superType=jdk.jfr.Event
 *	      field name=startTime class=6
 *	        annotation class=190 value=TICKS
 *	      field name=stackTrace class=40 constantPool=true
 *	  region
 *
 * Source: OpenJDK, jdk.jfr.internal.MetadataReader and MetadataWriter. */
#ifndef KILN_READERS_JAVA_JFR_TYPES_H
#define KILN_READERS_JAVA_JFR_TYPES_H

#include "base/hash.h"
#include "readers/java/jfr_text.h"

enum jfr_unit { JFR_NO_UNIT, JFR_TICKS, JFR_NS, JFR_US, JFR_MS, JFR_S };

struct jfr_field {
	struct bytes name;
	uint64_t class_id;
	enum jfr_unit unit;
	bool is_constant; /* the key of one */
	bool is_array;
};

struct jfr_class {
	uint64_t id;
	struct bytes name;
	uint32_t first_field, fields;
	bool is_event;
};

/* `{0}` has none. Names are valid until release. */
struct jfr_types {
	VECTOR(struct jfr_class) classes;
	VECTOR(struct jfr_field) fields;
	struct id_map by_id; /* rows of `classes`, plus one */
	struct arena names;
};
void jfr_types_release(struct jfr_types *t);

/* Take a metadata event of the chunk. False: it is damaged, and nothing was taken. */
bool jfr_types_take(struct jfr_types *t, const struct jfr_chunk *chunk, uint64_t at);

/* NULL: the chunk has no such class. */
const struct jfr_class *jfr_class_by_id(const struct jfr_types *t, uint64_t id);
const struct jfr_class *jfr_class_by_name(const struct jfr_types *t, struct bytes name);
/* NULL: the class has no such field. */
const struct jfr_field *jfr_field_by_name(
	const struct jfr_types *t, const struct jfr_class *class, struct bytes name);

#endif

/* jfr_layout.h: how are the bytes of an event or a constant read, as its class describes them?
 *
 * Classes differ between versions of the JVM, so that nothing is known of an event before its chunk
 * is opened. Going through the fields of its class for every event would look up each name and type
 * again. So a class is compiled once, to a list of steps: "skip 3 integers", "take an integer as
 * START", "a list whose items are the next 2 steps". A field whose class has fields itself, and is
 * no key of a constant, stands in place: its fields become steps, too. Steps that only skip are
 * merged. For the frames of a stack, of which a file has most, that leaves "skip 4 integers", which
 * goes through them eight bytes at once.
 *
 * A class is compiled twice: to skip a constant, and to read it. Lists in lists are followed with a
 * small stack of their own, so that no function is recursive. */
#ifndef KILN_READERS_JAVA_JFR_LAYOUT_H
#define KILN_READERS_JAVA_JFR_LAYOUT_H

#include "readers/java/jfr_types.h"

/* The values that some class is read for; each has the ones that it needs. */
enum jfr_slot {
	JFR_START,
	JFR_DURATION,
	JFR_THREAD,
	JFR_STACK,
	JFR_STATE,
	JFR_CLASS,
	JFR_VALUE,
	JFR_NAME,
	JFR_OTHER_NAME,
	JFR_LIST,
	JFR_FLAG,
	JFR_SLOTS,
	JFR_NO_SLOT = JFR_SLOTS,
};

/* A field to be read, if its class has it: an integer, or a string where that is wanted; or, with
 * `class`, the key of a constant of that class, or a list of such items. */
struct jfr_wanted {
	const char *field, *class;
	enum jfr_slot slot;
	bool text;
};

struct jfr_value {
	uint64_t number;      /* sign-extended; of a list: the number of its items */
	struct jfr_text text; /* of a string; `number` has the key if it is a constant */
	struct cursor items;  /* of a list */
	enum jfr_unit unit;
};

struct jfr_values {
	unsigned have; /* bits of slots */
	struct jfr_value slots[JFR_SLOTS];
};

struct jfr_step {
	uint8_t kind;
	uint8_t size;	/* bytes of an integer */
	uint8_t slot;	/* JFR_NO_SLOT: skipped */
	uint8_t unit;	/* enum jfr_unit */
	uint32_t count; /* of integers or bytes that are skipped, of steps of a list's items */
};

/* All layouts of a chunk. */
struct jfr_layouts {
	const struct jfr_types *types;
	bool compressed;
	VECTOR(struct jfr_step) steps;
	uint32_t fields; /* that were compiled */
};
void jfr_layouts_release(struct jfr_layouts *l);

/* A span of the steps, and how many of them are up to the last value that is wanted. */
struct jfr_layout {
	uint32_t first, count, needed;
};

#define JFR_FIELDS_LIMIT 65536u /* of all layouts of a chunk; the JVM has some 2,000 */
#define JFR_NESTED_LIMIT 8u	/* lists in lists, classes in classes */

/* To read the wanted fields (ended by a NULL field) and to skip the others; NULL: all are skipped.
 * False: the class contains itself, one that does not exist, or exceeds a limit. */
bool jfr_layout_compile(struct jfr_layouts *l, const struct jfr_class *class,
	const struct jfr_wanted *wanted, struct jfr_layout *ret_layout);

/* Skip what has this layout; the cursor is bad when that is cut off. */
void jfr_layout_skip(const struct jfr_layouts *l, struct jfr_layout layout, struct cursor *c);
/* Take its values. The cursor is behind the last wanted one, or bad. For items of a list, which
 * follow one another, set layout.needed to layout.count. */
void jfr_layout_read(const struct jfr_layouts *l, struct jfr_layout layout, struct cursor *c,
	struct jfr_values *ret_values);

static inline bool jfr_have(const struct jfr_values *v, enum jfr_slot slot)
{
	return v->have >> slot & 1;
}

#endif

/* dwarf_unit.h: units of .debug_info, the entries in them, and what their values mean. */
#ifndef KILN_IMAGES_DWARF_UNIT_H
#define KILN_IMAGES_DWARF_UNIT_H

#include "images/dwarf_abbrev.h"
#include "images/dwarf_file.h"
#include "images/dwarf_header.h"

/* An entry that qualifies the names of the entries in it, or may contain entries that do: see
 * dwarf_names.c. */
struct dwarf_scope {
	uint64_t start, end;   /* offsets of the entry, and of the end of its children */
	uint32_t first, count; /* of its children, in the unit's scopes; by ascending start */
	bool open;	       /* its children are listed */
	bool named;	       /* it qualifies names; otherwise only its children may */
};

struct dwarf_unit {
	const struct dwarf_file *file;
	struct dwarf_header header;
	struct dwarf_abbrevs *abbrevs;
	/* From its first entry: */
	uint16_t tag;
	uint64_t low_pc; /* base of its ranges */
	uint64_t str_offsets_base, addr_base, rnglists_base, gnu_ranges_base;
	uint64_t lines; /* offset in .debug_line; UINT64_MAX: none */
	struct bytes directory, name, split_name;
	uint64_t language;		   /* DW_LANG_* */
	VECTOR(struct dwarf_scope) scopes; /* [0] is the unit; empty until a name is wanted */
};

/* A decoded entry. */
struct dwarf_entry {
	const struct dwarf_unit *unit;
	uint64_t offset;
	uint16_t tag;
	bool children;
	uint32_t has; /* mask of DWARF_HAS */
	struct dwarf_value values[DWARF_SLOTS];
};

#define DWARF_TABLES_CACHED 64
#define DWARF_UNITS_CACHED  64

/* What one thread keeps while it reads. `{0}` except for `budget` is an empty reader. */
struct dwarf_reader {
	/* How much may still be read, in bytes and steps. At first this is many times what a file
	 * needs, so only a file that was crafted to be read again and again uses it up. */
	uint64_t budget;
	struct dwarf_unit
		*current; /* the unit that is being read; most references stay inside it */
	struct dwarf_unit *units[DWARF_UNITS_CACHED];
	struct dwarf_abbrevs *tables[DWARF_TABLES_CACHED];
	VECTOR(struct dwarf_unit *) dropped; /* no longer cached, but perhaps in use */
};
void dwarf_reader_release(struct dwarf_reader *r);
/* Release units that are no longer cached; none may be in use. */
void dwarf_reader_free_dropped(struct dwarf_reader *r);
/* Release all units: a split file is about to be closed. */
void dwarf_reader_clear(struct dwarf_reader *r);

/* False: the budget is used up. */
static inline bool dwarf_budget_spend(struct dwarf_reader *r, uint64_t amount)
{
	bool left = r->budget > amount;

	r->budget -= left ? amount : r->budget;
	return left;
}

/* Open the unit whose header is at `offset`, with all of its abbreviations; `skeleton` is the
 * unit that refers to it, if it is split. NULL: damaged. */
struct dwarf_unit *dwarf_unit_open(struct dwarf_reader *r, const struct dwarf_file *file,
	uint64_t offset, const struct dwarf_unit *skeleton);
void dwarf_unit_close(struct dwarf_unit *unit); /* NULL is allowed */

/* Read only the first entry of a unit. `ret_unit` and `ret_entry` need no release; the entry's
 * values are valid as long as `ret_unit`. */
bool dwarf_unit_peek(struct dwarf_reader *r, const struct dwarf_file *file, uint64_t offset,
	struct dwarf_unit *ret_unit, struct dwarf_entry *ret_entry);

/* The unit of an entry; NULL: none or damaged. Valid until dwarf_reader_free_dropped. */
struct dwarf_unit *dwarf_unit_of(
	struct dwarf_reader *r, const struct dwarf_file *file, uint64_t offset);
/* Read the entry at `offset` of a unit. */
bool dwarf_entry_at(struct dwarf_unit *unit, uint64_t offset, struct dwarf_entry *ret_entry);

/* The end of an entry and its children, from DW_AT_sibling; `at` is behind its code. False: it
 * has none. The offset is inside the unit and behind `at`. */
bool dwarf_entry_sibling(const struct dwarf_unit *unit, struct dwarf_abbrev *abbrev,
	const uint8_t *at, uint64_t *ret_offset);

/* The value of an attribute. False (empty): the entry has none, or it is not valid. */
bool dwarf_number(const struct dwarf_entry *entry, enum dwarf_slot slot, uint64_t *ret_number);
bool dwarf_address(const struct dwarf_entry *entry, enum dwarf_slot slot, uint64_t *ret_address);
struct bytes dwarf_text(const struct dwarf_entry *entry, enum dwarf_slot slot);
bool dwarf_reference(const struct dwarf_entry *entry, enum dwarf_slot slot,
	const struct dwarf_file **ret_file, uint64_t *ret_offset);

/* The text of any value of this unit. */
struct bytes dwarf_value_text(const struct dwarf_unit *unit, const struct dwarf_value *value);
/* The number at `base` + `index` * `size` of a section; false: beyond its end. */
bool dwarf_table_number(
	struct bytes section, uint64_t base, uint64_t index, unsigned size, uint64_t *ret_number);

#endif

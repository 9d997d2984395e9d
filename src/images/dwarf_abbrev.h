/* dwarf_abbrev.h: how long is an entry of .debug_info, and where in it are its attributes?
 *
 * An entry is a code and the values of its attributes; the code refers to an abbreviation, which
 * lists the attributes and their forms. To find the next entry, a reader has to know the length of
 * every value. Decoding the list for each of millions of entries is what makes readers slow. So
 * each table of abbreviations is compiled once into steps: consecutive attributes of known size
 * become one addition, and entries whose sizes are all fixed, which are most, are skipped by a
 * single one. A second list of steps, compiled when needed, reads the few attributes that matter
 * (enum dwarf_slot).
 *
 * Source: DWARF 5, 7.5.3 (abbreviations), 7.5.5 (forms). */
#ifndef KILN_IMAGES_DWARF_ABBREV_H
#define KILN_IMAGES_DWARF_ABBREV_H

#include "base/cursor.h"
#include "base/memory.h"

#define DWARF_ABBREVS_LIMIT 32768u  /* in one table; compilers use hundreds */
#define DWARF_STEPS_LIMIT   131072u /* in one table */

/* What the size of a form depends on. */
struct dwarf_encoding {
	uint8_t version;      /* 2 to 5 */
	uint8_t address_size; /* bytes: 4 or 8 */
	uint8_t offset_size;  /* bytes: 4, or 8 in the 64-bit format */
};

/* The attributes that are read. */
enum dwarf_slot {
	DWARF_SIBLING,
	DWARF_NAME,
	DWARF_LINKAGE_NAME,
	DWARF_LOW_PC,
	DWARF_HIGH_PC,
	DWARF_RANGES_AT,
	DWARF_ORIGIN,
	DWARF_SPECIFICATION,
	DWARF_SIGNATURE,
	DWARF_CALL_FILE,
	DWARF_CALL_LINE,
	DWARF_LINES_AT,
	DWARF_DIRECTORY,
	DWARF_LANGUAGE,
	DWARF_STR_OFFSETS_BASE,
	DWARF_ADDR_BASE,
	DWARF_RNGLISTS_BASE,
	DWARF_GNU_RANGES_BASE,
	DWARF_SPLIT_NAME,
	DWARF_SPLIT_ID,
	DWARF_SLOTS
};
#define DWARF_HAS(slot) (1u << (slot))

/* An attribute's value as stored: a number, or where a text starts (DW_FORM_string). */
struct dwarf_value {
	union {
		uint64_t number;
		const uint8_t *text;
	};
	uint32_t form;
};

/* Read a value of `form`; `implicit` is that of DW_FORM_implicit_const. False for forms without
 * such a value (blocks), which are skipped, and when the cursor is bad. */
bool dwarf_value_read(struct cursor *c, uint64_t form, int64_t implicit,
	struct dwarf_encoding encoding, struct dwarf_value *ret_value);

/* A step adds `fixed`, then skips or reads a value, as `kind` says. */
enum dwarf_step_kind {
	DWARF_STEP_FIXED, /* nothing more */
	DWARF_STEP_LEB,
	DWARF_STEP_TEXT,
	DWARF_STEP_BLOCK_LEB,
	DWARF_STEP_OTHER, /* skip a value of `form` */
	DWARF_STEP_READ,  /* read a value of `form` into `slot` */
	DWARF_STEP_READ4, /* ... whose size is 4 bytes */
};
struct dwarf_step {
	uint32_t fixed;
	uint8_t kind, slot;
	uint16_t form;
	int64_t implicit; /* of DW_FORM_implicit_const */
};

#define DWARF_NO_SIBLING UINT32_MAX /* no sibling, or not at a fixed offset */

struct dwarf_abbrev {
	uint64_t code;
	uint64_t attributes; /* offset of its list in .debug_abbrev */
	uint16_t tag;
	bool children;
	uint32_t slots;	  /* mask of its attributes that have a slot */
	uint32_t sibling; /* distance from the code to DW_AT_sibling, if that is a DW_FORM_ref4 */
	uint32_t fixed;	  /* bytes of an entry all of whose attributes have fixed sizes */
	uint32_t skip, skip_count; /* steps to skip other entries */
	uint32_t reading,
		reading_count; /* steps to read the attributes with a slot; 0: not compiled yet */
};

struct dwarf_abbrevs {
	struct bytes section;
	uint64_t offset;
	struct dwarf_encoding encoding;
	unsigned users;
	bool dense;			   /* items[i] has code i + 1 */
	VECTOR(struct dwarf_abbrev) items; /* by code */
	VECTOR(struct dwarf_step) steps;
};

/* Compile the table at `offset` of .debug_abbrev, with `only` != 0 up to that code. A damaged table
 * ends before the damage. The number of bytes read is added to *spent. */
void dwarf_abbrevs_compile(struct dwarf_abbrevs *table, struct bytes section, uint64_t offset,
	struct dwarf_encoding encoding, uint64_t only, uint64_t *spent);
void dwarf_abbrevs_release(struct dwarf_abbrevs *table);

/* By code; NULL: none. */
struct dwarf_abbrev *dwarf_abbrev_search(const struct dwarf_abbrevs *table, uint64_t code);
static inline struct dwarf_abbrev *dwarf_abbrev_find(
	const struct dwarf_abbrevs *table, uint64_t code)
{
	if (table->dense)
		return code - 1 < table->items.len ? &table->items.items[code - 1] : NULL;
	return dwarf_abbrev_search(table, code);
}

/* The end of an entry's attributes; NULL: damaged. */
const uint8_t *dwarf_steps_skip(const struct dwarf_abbrevs *table,
	const struct dwarf_abbrev *abbrev, const uint8_t *at, const uint8_t *end);
static inline const uint8_t *dwarf_entry_skip(const struct dwarf_abbrevs *table,
	const struct dwarf_abbrev *abbrev, const uint8_t *at, const uint8_t *end)
{
	if (abbrev->skip_count)
		return dwarf_steps_skip(table, abbrev, at, end);
	return (size_t)(end - at) >= abbrev->fixed ? at + abbrev->fixed : NULL;
}

/* As dwarf_entry_skip, and also read the attributes that have a slot: sets `*ret_has` and those
 * values. */
const uint8_t *dwarf_entry_read(struct dwarf_abbrevs *table, struct dwarf_abbrev *abbrev,
	const uint8_t *at, const uint8_t *end, uint32_t *ret_has, struct dwarf_value *ret_values);

#endif

/* dwarf_oracle.h: what does libdw say about the functions and lines at an address?
 *
 * All entries of all units are visited with libdw, and every address of every function is marked
 * with the innermost one. Slow, and nothing of ours but test.h is in it. */
#ifndef KILN_DWARF_ORACLE_H
#define KILN_DWARF_ORACLE_H

#include "test.h"

#include "base/buffer.h"
#include "base/memory.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>

struct oracle_function {
	Dwarf_Die entry, unit;	  /* the unit has the line table */
	uint32_t outer;		  /* UINT32_MAX: none */
	struct buffer name, call; /* as text, when they have been asked for */
};

struct oracle {
	Dwarf *dwarf;
	int fd;
	uint64_t start, end; /* of the code */
	uint32_t *innermost; /* by address - start; UINT32_MAX: none */
	VECTOR(struct oracle_function) functions;
};

static inline bool oracle_mark(struct oracle *o, Dwarf_Die *entry, uint32_t outer)
{
	uint32_t function = (uint32_t)o->functions.len;
	Dwarf_Addr base, start, end;
	bool any = false;

	for (ptrdiff_t at = 0; (at = dwarf_ranges(entry, at, &base, &start, &end)) > 0;) {
		for (uint64_t a = start < o->start ? o->start : start; a < end && a < o->end; a++) {
			if (o->innermost[a - o->start] == outer) {
				o->innermost[a - o->start] = function;
				any = true;
			}
		}
	}
	return any;
}

static inline void oracle_visit(
	struct oracle *o, Dwarf_Die *unit, Dwarf_Die *parent, uint32_t outer, bool alive)
{
	Dwarf_Die entry;

	if (dwarf_child(parent, &entry))
		return;
	do {
		int tag = dwarf_tag(&entry);
		uint32_t around = outer;
		bool inside = alive;

		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
			if (tag == DW_TAG_subprogram)
				around = UINT32_MAX;
			else if (!alive)
				around = UINT32_MAX - 1; /* marks nothing */
			inside = oracle_mark(o, &entry, around);
			if (inside) {
				vector_push(&o->functions,
					((struct oracle_function){
						.entry = entry, .unit = *unit, .outer = around}));
				around = (uint32_t)o->functions.len - 1;
			}
		}
		oracle_visit(o, unit, &entry, around, inside);
	} while (!dwarf_siblingof(&entry, &entry));
}

/* `path` has the debugging information of code at [start, end). */
static inline struct oracle oracle_open(const char *path, uint64_t start, uint64_t end)
{
	struct oracle o = {.fd = open(path, O_RDONLY | O_CLOEXEC), .start = start, .end = end};
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;
	uint8_t type;

	o.dwarf = dwarf_begin(o.fd, DWARF_C_READ);
	if (!o.dwarf)
		fail_msg("%s: %s", path, dwarf_errmsg(-1));
	o.innermost = memory_new(end - start, sizeof(*o.innermost));
	memset(o.innermost, 0xff, (end - start) * sizeof(*o.innermost));
	while (!dwarf_get_units(o.dwarf, cu, &cu, NULL, &type, &unit, &split))
		if (type != DW_UT_type && type != DW_UT_partial)
			oracle_visit(&o, &unit, split.addr ? &split : &unit, UINT32_MAX, false);
	return o;
}

static inline void oracle_close(struct oracle *o)
{
	for (size_t i = 0; i < o->functions.len; i++) {
		buffer_release(&o->functions.items[i].name);
		buffer_release(&o->functions.items[i].call);
	}
	vector_release(&o->functions);
	free(o->innermost);
	dwarf_end(o->dwarf);
	close(o->fd);
}

/* ---- Names ---- */

static inline const char *oracle_linkage_name(Dwarf_Die *entry)
{
	Dwarf_Attribute attribute;

	if (!dwarf_attr_integrate(entry, DW_AT_linkage_name, &attribute) &&
		!dwarf_attr_integrate(entry, DW_AT_MIPS_linkage_name, &attribute))
		return NULL;
	return dwarf_formstring(&attribute);
}

/* Follow instances and definitions to the declaration. */
static inline void oracle_declaration(Dwarf_Die *entry)
{
	Dwarf_Attribute attribute;

	while (dwarf_attr(entry, DW_AT_abstract_origin, &attribute) ||
		dwarf_attr(entry, DW_AT_specification, &attribute) ||
		dwarf_attr(entry, DW_AT_signature, &attribute))
		if (!dwarf_formref_die(&attribute, entry))
			break;
}

static inline const char *oracle_plain_name(Dwarf_Die *entry)
{
	Dwarf_Attribute attribute;
	Dwarf_Die declaration = *entry;
	const char *name = dwarf_attr_integrate(entry, DW_AT_name, &attribute)
				   ? dwarf_formstring(&attribute)
				   : NULL;

	oracle_declaration(&declaration);
	return name ? name : dwarf_diename(&declaration);
}

static inline bool oracle_qualifies(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_enumeration_type || tag == DW_TAG_subprogram;
}

static inline void oracle_spaces(Dwarf_Die *entry, struct buffer *out)
{
	Dwarf_Die declaration = *entry, *scopes = NULL;
	int count;

	oracle_declaration(&declaration);
	count = dwarf_getscopes_die(&declaration, &scopes);
	for (int i = 1; i < count; i++) {
		int tag = dwarf_tag(&scopes[i]);
		const char *name;

		if (!oracle_qualifies(tag))
			continue;
		oracle_spaces(&scopes[i], out);
		name = oracle_plain_name(&scopes[i]);
		buffer_printf(out, "%s::",
			name			  ? name
			: tag == DW_TAG_namespace ? "(anonymous namespace)"
						  : "{unnamed type}");
		break;
	}
	free(scopes);
}

static inline void oracle_name(struct oracle_function *f, struct buffer *out)
{
	const char *name = oracle_linkage_name(&f->entry);
	Dwarf_Die declaration = f->entry, unit;
	int language;

	if (name) {
		buffer_printf(out, "L %s", name);
		return;
	}
	name = oracle_plain_name(&f->entry);
	if (!name)
		return;
	oracle_declaration(&declaration);
	dwarf_diecu(&declaration, &unit, NULL, NULL);
	language = dwarf_srclang(&unit);
	buffer_text(out, "N ");
	if (language != DW_LANG_C89 && language != DW_LANG_C99 && language != DW_LANG_C11 &&
		language != DW_LANG_Mips_Assembler)
		oracle_spaces(&declaration, out);
	buffer_text(out, name);
}

/* ---- Lines ---- */

/* libdw leaves a directory that is relative to the unit's as it is. */
static inline void oracle_place(Dwarf_Die *unit, const char *file, int line, struct buffer *out)
{
	Dwarf_Attribute attribute;
	const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));

	buffer_char(out, ' ');
	if (file && *file != '/' && directory)
		buffer_printf(out, "%s/", directory);
	buffer_printf(out, "%s:%d\n", file ? file : "", line);
}

/* Where an inlined function is called. */
static inline void oracle_call(struct oracle_function *f, struct buffer *out)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file = 0, line = 0;
	Dwarf_Files *files;
	const char *path = NULL;
	size_t count;

	if (dwarf_attr(&f->entry, DW_AT_call_file, &attribute) &&
		!dwarf_formudata(&attribute, &file) &&
		!dwarf_getsrcfiles(&f->unit, &files, &count) && file < count)
		path = dwarf_filesrc(files, file, NULL, NULL);
	if (dwarf_attr(&f->entry, DW_AT_call_line, &attribute))
		dwarf_formudata(&attribute, &line);
	oracle_place(&f->unit, path, (int)line, out);
}

static inline void oracle_row(Dwarf_Die *unit, uint64_t address, struct buffer *out)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number = 0;

	if (line)
		dwarf_lineno(line, &number);
	oracle_place(unit, line ? dwarf_linesrc(line, NULL, NULL) : NULL, number, out);
}

/* The functions at an address, innermost first, a line for each: "L name file:line", or "N" for a
 * name that is not the linker's. Empty: no function. */
static inline void oracle_frames(struct oracle *o, uint64_t address, struct buffer *out)
{
	uint32_t at = o->innermost[address - o->start];
	struct oracle_function *inner = NULL;

	while (at < o->functions.len) {
		struct oracle_function *f = &o->functions.items[at];

		if (!f->name.len)
			oracle_name(f, &f->name);
		if (inner && !inner->call.len)
			oracle_call(inner, &inner->call);
		buffer_add(out, f->name.at, f->name.len);
		if (inner)
			buffer_add(out, inner->call.at, inner->call.len);
		else
			oracle_row(&f->unit, address, out);
		inner = f;
		at = f->outer;
	}
}

#endif

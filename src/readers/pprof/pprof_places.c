/* pprof_places.c: which place of the profile is this one of the file? */
#include "readers/pprof/pprof_places.h"

#include "names/demangle.h"
#include "readers/pprof/pprof_drop.h"

#include <stdlib.h>

void pprof_places_init(struct pprof_places *p, struct profile *profile)
{
	*p = (struct pprof_places){.profile = profile};
	vector_push(&p->mappings, (struct pprof_mapping){.row.kind = PPROF_KIND_UNKNOWN});
	vector_push(&p->functions, (struct pprof_function){0});
}

void pprof_places_release(struct pprof_places *p)
{
	vector_release(&p->mappings);
	vector_release(&p->functions);
	vector_release(&p->lines);
	vector_release(&p->made);
	vector_release(&p->frames);
}

string_id pprof_build_id(struct profile *p, struct bytes text)
{
	struct buffer id = {0};
	bool hex = true;
	string_id string;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i], lower = (char)(c | 0x20);

		if (!(lower >= 'a' && lower <= 'z') && !is_digit(c) && c != ':' && c != '-' &&
			c != '_')
			return 0;
		hex &= is_hex_digit(c >= 'A' && c <= 'F' ? lower : c);
	}
	buffer_add(&id, text.at, text.len);
	for (size_t i = 0; hex && i < id.len; i++)
		id.at[i] |= 0x20; /* digits have that bit already */
	string = profile_string(p, buffer_bytes(&id));
	buffer_release(&id);
	return string;
}

/* ---- Names ---- */

static struct pprof_mapping *resolve_mapping(struct pprof_places *p, uint32_t mapping)
{
	struct pprof_mapping *m = &p->mappings.items[mapping];

	if (m->known)
		return m;
	m->known = true;
	m->identified = m->row.kind != PPROF_KIND_UNKNOWN || m->row.file;
	if (m->row.kind == PPROF_KIND_UNKNOWN) {
		m->row.kind = pprof_mapping_kind(profile_text(p->profile, m->row.file));
		if (m->row.kind == MAPPING_MODULE)
			m->row.base = m->start;
	}
	/* Without a name nothing is known of the code, least of all that it was made just in time.
	 */
	m->module = m->identified ? mapping_module_string(p->profile, &m->row) : 0;
	return m;
}

static struct pprof_function *resolve_function(struct pprof_places *p, uint32_t function)
{
	struct pprof_function *f = &p->functions.items[function];
	struct buffer plain = {0};
	struct bytes name = f->name.len ? f->name : f->system_name;

	if (f->known)
		return f;
	f->known = true;
	if (demangle(name, &plain))
		name = buffer_bytes(&plain);
	if (!name.len)
		name = BYTES("[unknown]");
	f->name_id = profile_string(p->profile, name);
	f->file_id = profile_string(p->profile, f->file);
	f->dropped = p->drop && pprof_drop_matches(p->drop, name);
	buffer_release(&plain);
	return f;
}

/* ---- Frames ---- */

/* The outermost line whose function is to be dropped; `count`: none is. */
static size_t first_dropped(struct pprof_places *p)
{
	size_t count = p->lines.len;

	for (size_t i = count; p->drop && i-- > 0;)
		if (resolve_function(p, p->lines.items[i].function)->dropped)
			return i;
	return count;
}

/* From the lines from `first` on, outermost first. */
static void make_frames(struct pprof_places *p, const struct pprof_mapping *m, size_t first)
{
	p->frames.len = 0;
	for (size_t i = p->lines.len; i-- > first;) {
		const struct pprof_line *line = &p->lines.items[i];
		const struct pprof_function *function = resolve_function(p, line->function);
		struct frame frame = {.function = function->name_id,
			.module = line->has_module ? line->module : m->module,
			.file = function->file_id,
			.line = line->line,
			.kind = line->kind};

		if (frame.kind == PPROF_KIND_UNKNOWN && i + 1 < p->lines.len)
			frame.kind = FRAME_INLINED;
		else if (frame.kind == PPROF_KIND_UNKNOWN)
			frame.kind = m->identified ? mapping_frame_kind(&m->row) : FRAME_NATIVE;
		vector_push(&p->frames, profile_frame(p->profile, &frame));
	}
}

static bool is_named_so(const struct pprof_places *p, location_id location)
{
	const struct profile *profile = p->profile;
	struct span names = profile->location_names.items[location];

	return names.count == p->frames.len &&
	       !memcmp(profile->location_frames.items + names.first, p->frames.items,
		       names.count * sizeof(frame_id));
}

/* ---- Places ---- */

static location_id location_at(struct pprof_places *p, struct pprof_mapping *m, uint64_t address)
{
	bool in_file = m->row.kind == MAPPING_FILE || m->row.kind == MAPPING_VDSO;

	if (!m->made)
		m->made = profile_mapping(p->profile, &m->row);
	if (in_file && address >= m->start)
		address = address - m->start + m->offset;
	return m->made ? profile_location(p->profile, m->made, address) : 0;
}

/* Names where an address is known; false: there is none, or it has other names. */
static bool make_at_address(struct pprof_places *p, struct pprof_mapping *m, uint64_t address)
{
	location_id location;

	if (!address || !m->identified)
		return false;
	location = location_at(p, m, address);
	if (!location)
		return false;
	if (!p->profile->location_names.items[location].count)
		profile_name_location(p->profile, location, p->frames.items, p->frames.len);
	else if (!is_named_so(p, location))
		return false;
	vector_push(&p->made, location);
	return true;
}

struct span pprof_places_make(
	struct pprof_places *p, uint32_t mapping, uint64_t address, enum pprof_cut *ret_cut)
{
	struct pprof_mapping *m = resolve_mapping(p, mapping);
	size_t start = p->made.len, dropped = first_dropped(p), count = p->lines.len;

	*ret_cut = CUT_NOTHING;
	if (!count && (mapping || address)) {
		vector_push(&p->made, location_at(p, m, address));
		return (struct span){(uint32_t)start, 1};
	}
	if (!count) /* nothing at all is known of it */
		vector_push(&p->lines, (struct pprof_line){.kind = PPROF_KIND_UNKNOWN});
	if (dropped < count)
		*ret_cut = dropped + 1 == count ? CUT_ALL : CUT_BELOW;
	make_frames(p, m, *ret_cut == CUT_BELOW ? dropped + 1 : 0);
	if (!make_at_address(p, m, address))
		for (size_t i = 0; i < p->frames.len; i++)
			vector_push(
				&p->made, profile_location_named(p->profile, p->frames.items[i]));
	return (struct span){(uint32_t)start, (uint32_t)(p->made.len - start)};
}

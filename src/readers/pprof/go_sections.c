/* go_sections.c: reads the sections of a text of `go tool pprof -raw`. */
#include "readers/pprof/go_sections.h"

#include <stdlib.h>

void go_sections_init(struct go_sections *s, struct text_lines *lines, struct profile *profile,
	const struct read_options *options)
{
	*s = (struct go_sections){.lines = lines,
		.profile = profile,
		.places = {.profile = profile, .want = options->want}};
	go_samples_init(&s->samples, profile);
	lines->part = go_samples_part;
}

void go_sections_release(struct go_sections *s)
{
	go_samples_release(&s->samples);
	go_places_release(&s->places);
}

/* ---- Lines ---- */

static void skip(struct go_sections *s, const char *reason)
{
	bad_lines_add(&s->bad, s->lines->number, reason);
}

static bool take_sample(struct go_sections *s, struct bytes line, struct error *err)
{
	const char *reason = NULL;

	if (go_samples_take(&s->samples, s->lines, line, &reason)) {
		if (reason)
			skip(s, reason);
		return true;
	}
	return error_set(err, ERR_LIMIT, "line %llu: the sum of all values exceeds 2^63",
		(unsigned long long)s->lines->number);
}

bool go_sections_take(struct go_sections *s, struct bytes line, struct error *err)
{
	if (s->section == GO_SAMPLES && bytes_equal(line, BYTES("Locations"))) {
		go_samples_end(&s->samples);
		s->section = GO_LOCATIONS;
	} else if (s->section == GO_LOCATIONS && bytes_equal(line, BYTES("Mappings"))) {
		s->section = GO_MAPPINGS;
	} else if (s->section == GO_SAMPLES) {
		return take_sample(s, line, err);
	} else if (s->section == GO_MAPPINGS) {
		go_places_take_mapping(&s->places, line);
	} else if (!go_places_take_location(&s->places, line) && bytes_trim(line).len) {
		skip(s, "expected a location such as `1: 0x4b0aae M=1 main.f a.go:5 s=0`");
	}
	return true;
}

/* ---- What another thread has read ---- */

/* Strings of the other profile as this one has them. Those of other sections come in the order of
 * the text, as when one thread had read all of it. */
static string_id *append_strings(struct profile *p, const struct profile *more)
{
	string_id *strings = memory_new(more->string_ends.len, sizeof(*strings));

	for (size_t i = 1; i < more->string_ends.len; i++)
		strings[i] = profile_string(p, profile_text(more, (string_id)i));
	return strings;
}

static void append_bad(struct bad_lines *bad, const struct bad_lines *more, uint64_t lines)
{
	if (!more->count)
		return;
	bad_lines_add(bad, lines + more->first, more->reason);
	bad->count += more->count - 1;
}

bool go_sections_append(struct go_sections *s, struct go_sections *more, uint64_t lines)
{
	string_id *strings;

	if (!go_samples_totals_fit(&s->samples, &more->samples))
		return false;
	strings = append_strings(s->profile, more->profile);
	go_samples_append(&s->samples, &more->samples, more->profile, strings);
	go_places_move(&s->places, &more->places, strings);
	append_bad(&s->bad, &more->bad, lines);
	s->section = more->section;
	s->lines->number = lines + more->lines->number;
	memory_free(strings);
	return true;
}

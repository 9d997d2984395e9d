/* bad_lines.c: reports the skipped lines in one sentence. */
#include "readers/bad_lines.h"

#include "base/units.h"

void bad_lines_add(struct bad_lines *b, uint64_t line, const char *reason)
{
	if (!b->count || line < b->first) {
		b->first = line;
		b->reason = reason;
	}
	b->count++;
}

void bad_lines_note(const struct bad_lines *b, uint64_t lines, struct profile *out)
{
	struct buffer text = {0};

	if (!b->count)
		return;
	units_grouped(&text, (int64_t)b->count);
	buffer_text(&text, " of ");
	units_grouped(&text, (int64_t)lines);
	buffer_printf(&text, " lines skipped, first at line %llu: %s", (unsigned long long)b->first,
		b->reason);
	profile_note(out, "%s", text.at);
	buffer_release(&text);
}

bool bad_lines_finish(const struct bad_lines *b, uint64_t lines, uint64_t samples,
	struct profile *out, struct error *err)
{
	if (!samples && !b->count)
		return error_set(err, ERR_FORMAT, "line %llu: unexpected end: expected a sample",
			(unsigned long long)lines);
	if (!samples)
		return error_set(
			err, ERR_FORMAT, "line %llu: %s", (unsigned long long)b->first, b->reason);
	bad_lines_note(b, lines, out);
	return true;
}

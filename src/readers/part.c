/* part.c: which notes does an input get that was read, in parts or at once? */
#include "readers/part.h"

bool read_part_add_notes(const struct read_part *part, struct profile *out, struct error *err)
{
	if (!bad_lines_finish(&part->bad, part->lines, part->samples, out, err))
		return false;
	if (part->add_notes)
		part->add_notes(out, part->counted);
	return true;
}

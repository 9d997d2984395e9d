/* part.c: what is said of an input that was read, in parts or at once? */
#include "readers/part.h"

bool read_part_tell(const struct read_part *part, struct profile *out, struct error *err)
{
	if (!bad_lines_finish(&part->bad, part->lines, part->samples, out, err))
		return false;
	if (part->tell)
		part->tell(out, part->counted);
	return true;
}

/* folded_line.h: the grammar of a line of folded text: frames, blanks, a number. */
#ifndef KILN_READERS_FOLDED_FOLDED_LINE_H
#define KILN_READERS_FOLDED_FOLDED_LINE_H

#include "base/bytes.h"

#define DECIMALS_LIMIT 6 /* digits behind the point; further ones are cut */

/* A number with `decimals` digits behind the point. */
struct decimal {
	int64_t digits;
	unsigned decimals;
};

static inline bool folded_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* May numbers be negative? Kiln writes such numbers (freed memory, of a difference of two
 * profiles); for other tools they are part of a name. */
enum folded_sign { FOLDED_UNSIGNED, FOLDED_SIGNED };

/* Cut off a number at the end of `line` with the blanks before it. */
bool folded_cut_number(struct bytes *line, enum folded_sign sign, struct decimal *ret_number);

/* "# main 12", or "#" before text without a number: a name may start with it, such as "#tick;read
 * 12". */
bool folded_is_comment_behind(struct bytes line); /* of a line that starts with # */

static inline bool folded_is_comment(struct bytes line)
{
	return line.len && *line.at == '#' && folded_is_comment_behind(line);
}

/* Has the stack more than so many frames? */
bool folded_is_deeper(struct bytes stack, uint32_t frames);

/* Do all stacks of the head end in two numbers? A line that the head cuts is ignored. */
bool folded_is_differential(struct bytes head, bool whole, enum folded_sign sign);

#endif

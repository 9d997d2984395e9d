/* folded_line.c: which number does a line of folded text end in? */
#include "readers/folded/folded_line.h"

#include "readers/readers.h"

#include <stdint.h>

bool folded_cut_number(struct bytes *line, enum folded_sign sign, struct decimal *ret_number)
{
	struct decimal number = {0};
	size_t end = line->len, start = end, before;
	bool point = false, negative;

	while (start && (is_digit(line->at[start - 1]) || (line->at[start - 1] == '.' && !point)))
		point |= line->at[--start] == '.';
	negative = sign == FOLDED_SIGNED && start && start < end && line->at[start - 1] == '-';
	before = start - negative;
	if (start == end || !before || !folded_is_blank(line->at[before - 1]) ||
		line->at[start] == '.')
		return false;
	point = false;
	for (size_t i = start; i < end; i++) {
		if (line->at[i] == '.') {
			point = true;
		} else if (number.decimals < DECIMALS_LIMIT) {
			if (__builtin_mul_overflow(number.digits, 10, &number.digits) ||
				__builtin_add_overflow(
					number.digits, line->at[i] - '0', &number.digits))
				return false;
			number.decimals += point;
		}
	}
	while (number.decimals && number.digits % 10 == 0) {
		number.digits /= 10;
		number.decimals--;
	}
	if (negative)
		number.digits = -number.digits;
	while (before && folded_is_blank(line->at[before - 1]))
		before--;
	line->len = before;
	*ret_number = number;
	return true;
}

bool folded_is_comment_behind(struct bytes line)
{
	struct decimal number;

	return line.len < 2 || folded_is_blank(line.at[1]) ||
	       !folded_cut_number(&line, FOLDED_SIGNED, &number);
}

bool folded_is_deeper(struct bytes stack, uint32_t frames)
{
	size_t own = 1;

	if (stack.len < frames)
		return false;
	for (size_t i = 0; i < stack.len; i++)
		own += stack.at[i] == ';';
	return own > frames;
}

bool folded_is_differential(struct bytes head, bool whole, enum folded_sign sign)
{
	struct decimal number;
	struct bytes line;
	bool any = false;

	while (bytes_line(&head, &line) && (whole || head.len)) {
		if (!line.len || folded_is_comment(line) ||
			!folded_cut_number(&line, sign, &number))
			continue;
		if (!folded_cut_number(&line, sign, &number))
			return false;
		any = true;
	}
	return any;
}

/* folded_line.c: which number does a line of folded text end in? */
#include "readers/folded_line.h"

#include <stdint.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool folded_cut_number(struct bytes *line, struct decimal *ret_number)
{
	struct decimal number = {0};
	size_t end = line->len, start = end;
	bool point = false;

	while (start && (is_digit(line->at[start - 1]) || (line->at[start - 1] == '.' && !point)))
		point |= line->at[--start] == '.';
	if (start == end || !start || !folded_is_blank(line->at[start - 1]) ||
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
	while (start && folded_is_blank(line->at[start - 1]))
		start--;
	line->len = start;
	*ret_number = number;
	return true;
}

bool folded_is_differential(struct bytes head, bool whole)
{
	struct decimal number;
	struct bytes line;
	bool any = false;

	while (bytes_line(&head, &line) && (whole || head.len)) {
		if (!line.len || *line.at == '#' || !folded_cut_number(&line, &number))
			continue;
		if (!folded_cut_number(&line, &number))
			return false;
		any = true;
	}
	return any;
}

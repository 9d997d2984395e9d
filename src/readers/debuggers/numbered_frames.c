/* numbered_frames.c: frame lines that start with '#' and a number, as debuggers print them. */
#include "readers/debuggers/numbered_frames.h"

bool numbered_frame_parse(struct bytes line, struct numbered_frame *ret_frame)
{
	struct numbered_frame f = {0};
	size_t at = 1, start;

	if (line.len < 3 || line.at[0] != '#' || !is_digit(line.at[1]))
		return false;
	for (; at < line.len && is_digit(line.at[at]) && at < 12; at++)
		f.number = f.number * 10 + (unsigned)(line.at[at] - '0');
	start = at;
	while (at < line.len && line.at[at] == ' ')
		at++;
	if (at == start && at < line.len)
		return false;
	if (at + 2 < line.len && line.at[at] == '0' && line.at[at + 1] == 'x' &&
		is_hex_digit(line.at[at + 2])) {
		const char *blank = memchr(line.at + at, ' ', line.len - at);

		f.address = (struct bytes){
			line.at + at, blank ? (size_t)(blank - line.at) - at : line.len - at};
		at += f.address.len;
		while (at < line.len && line.at[at] == ' ')
			at++;
	}
	f.rest = (struct bytes){line.at + at, line.len - at};
	while (f.rest.len && f.rest.at[f.rest.len - 1] == ' ')
		f.rest.len--;
	*ret_frame = f;
	return true;
}

int32_t number_behind(struct bytes line, struct bytes word)
{
	const char *at = bytes_find(line, word), *end = line.at + line.len;
	int64_t number = -1;

	if (!at)
		return -1;
	for (at += word.len; at < end && is_digit(*at) && number <= INT32_MAX; at++)
		number = (number < 0 ? 0 : number * 10) + (*at - '0');
	return number <= INT32_MAX ? (int32_t)number : -1;
}

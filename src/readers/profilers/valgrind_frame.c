/* valgrind_frame.c: how do Valgrind's tools, and others in their place, spell a frame? */
#include "readers/profilers/valgrind_frame.h"

#include "names/tidy.h"

/* Cut "0x109151: " off. */
static void cut_address(struct bytes *text)
{
	struct bytes rest = *text, address;
	uint64_t number;

	if (bytes_starts_with(rest, BYTES("0x")) && bytes_cut(&rest, ':', &address) && rest.len &&
		*rest.at == ' ') {
		struct buffer lower = {0};

		for (size_t i = 2; i < address.len; i++)
			buffer_char(&lower, (char)(address.at[i] | 0x20)); /* digits have it */
		if (bytes_hex(buffer_bytes(&lower), &number))
			*text = bytes_trim(rest);
		buffer_release(&lower);
	}
}

/* Cut the last " (...)" off. */
static struct bytes cut_place(struct bytes *text)
{
	struct bytes place = {0};

	if (!text->len || text->at[text->len - 1] != ')')
		return place;
	for (size_t i = text->len - 1; i-- > 1;)
		if (text->at[i] == '(' && text->at[i - 1] == ' ') {
			place = (struct bytes){text->at + i + 1, text->len - i - 2};
			text->len = i - 1;
			break;
		}
	return place;
}

/* Cut ":12" off. */
static bool cut_number(struct bytes *place, uint32_t *ret_number)
{
	const char *colon = bytes_find_last(*place, ':');
	uint64_t number;

	if (!colon ||
		!bytes_u64((struct bytes){colon + 1, (size_t)(place->at + place->len - colon) - 1},
			&number) ||
		number > UINT32_MAX)
		return false;
	place->len = (size_t)(colon - place->at);
	*ret_number = (uint32_t)number;
	return true;
}

static location_id new_frame(struct text_stacks *t, struct bytes text)
{
	struct text_frame frame = {.kind = FRAME_NATIVE};
	struct bytes place;
	uint32_t column;

	cut_address(&text);
	place = cut_place(&text);
	if (bytes_equal(text, BYTES("???")))
		text.len = 0;
	if (bytes_starts_with(place, BYTES("in ")))
		return text_stacks_symbol(
			t, text, (struct bytes){place.at + 3, place.len - 3}, FRAME_NATIVE);
	if (!cut_number(&place, &frame.line))
		return text_stacks_symbol(t, text, (struct bytes){0}, FRAME_NATIVE);
	column = frame.line;
	if (!cut_number(&place, &frame.line))
		frame.line = column;
	t->name.len = 0;
	tidy_name(text, &t->name);
	frame.function = buffer_bytes(&t->name);
	frame.file = place;
	return text_stacks_frame(t, &frame);
}

location_id valgrind_frame(struct text_stacks *t, struct bytes text)
{
	location_id location = text_stacks_known(t, text);

	if (!location) {
		location = new_frame(t, text);
		text_stacks_learn(t, text, location);
	}
	return location;
}

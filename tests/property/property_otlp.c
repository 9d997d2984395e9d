/* property_otlp.c: OTLP's stacks are the same however their numbers are written. */
#include "test.h"

#include "support/profile_lines.h"
#include "support/random_profile.h"

#include "base/protobuf.h"
#include "readers/reading.h"

#define FUNCTIONS 40u
#define LOCATIONS 300u
#define STACKS	  400u
#define DEEPEST	  30u

struct made {
	uint32_t locations[DEEPEST]; /* outermost first */
	uint32_t depth;
};

static void put_functions(struct buffer *dictionary)
{
	struct buffer row = {0};

	protobuf_put_item(dictionary, 5, BYTES(""));
	protobuf_put_item(dictionary, 3, BYTES(""));
	for (uint32_t i = 1; i <= FUNCTIONS; i++) {
		row.len = 0;
		buffer_printf(&row, "f%u", i);
		protobuf_put_item(dictionary, 5, buffer_bytes(&row));
		row.len = 0;
		protobuf_put_number(&row, 1, i);
		protobuf_put_item(dictionary, 3, buffer_bytes(&row));
	}
	buffer_release(&row);
}

/* With one to three functions each, of which some locations have the outer ones in common. */
static void put_locations(struct buffer *dictionary, uint64_t *seed)
{
	struct buffer row = {0}, line = {0};

	protobuf_put_item(dictionary, 2, BYTES(""));
	for (uint32_t i = 1; i < LOCATIONS; i++) {
		row.len = 0;
		for (uint32_t lines = 1 + random_below(seed, 3); lines--;) {
			line.len = 0;
			protobuf_put_number(&line, 1, 1 + random_below(seed, FUNCTIONS));
			protobuf_put_item(&row, 3, buffer_bytes(&line));
		}
		protobuf_put_item(dictionary, 2, buffer_bytes(&row));
	}
	buffer_release(&row);
	buffer_release(&line);
}

/* Most of them go on from another one. Numbers take one or two bytes; one in fifty is of nothing
 * that the file has. */
static void make_stacks(struct made *stacks, uint64_t *seed)
{
	for (uint32_t i = 0; i < STACKS; i++) {
		struct made *s = &stacks[i];

		*s = i ? stacks[random_below(seed, i)] : (struct made){0};
		s->depth = random_below(seed, s->depth + 1);
		while (s->depth < DEEPEST && random_below(seed, 6))
			s->locations[s->depth++] = random_below(seed, LOCATIONS);
		if (s->depth && !random_below(seed, 50))
			s->locations[random_below(seed, s->depth)] = LOCATIONS + 7;
	}
}

enum style { PACKED, ONE_BY_ONE, LONG_NUMBERS };

static void put_stack(struct buffer *dictionary, const struct made *s, enum style style)
{
	struct buffer row = {0}, numbers = {0};

	for (uint32_t i = s->depth; i-- > 0;) {
		uint32_t number = s->locations[i];

		if (style == ONE_BY_ONE)
			protobuf_put_explicit(&row, 1, number);
		else if (style == PACKED)
			protobuf_put_varint(&numbers, number);
		else
			buffer_add(&numbers,
				(const char[]){(char)(number & 0x7f) | (char)0x80,
					(char)(number >> 7) | (char)0x80, (char)0x80, (char)0x80,
					0},
				5);
	}
	protobuf_put_bytes(&row, 1, buffer_bytes(&numbers));
	protobuf_put_item(dictionary, 7, buffer_bytes(&row));
	buffer_release(&row);
	buffer_release(&numbers);
}

static void put_samples(struct buffer *out, uint64_t *seed)
{
	struct buffer profile = {0}, row = {0}, scopes = {0}, resource = {0};

	for (uint32_t i = 0; i < 3 * STACKS; i++) {
		row.len = 0;
		/* Sometimes another one is said before: the last counts. */
		if (!random_below(seed, 9))
			protobuf_put_explicit(&row, 1, random_below(seed, STACKS + 3));
		protobuf_put_explicit(&row, 1, random_below(seed, STACKS + 3));
		protobuf_put_explicit(&row, 4, 1 + random_below(seed, 1000));
		protobuf_put_item(&profile, 2, buffer_bytes(&row));
	}
	protobuf_put_item(&scopes, 2, buffer_bytes(&profile));
	protobuf_put_item(&resource, 2, buffer_bytes(&scopes));
	protobuf_put_item(out, 1, buffer_bytes(&resource));
	buffer_release(&profile);
	buffer_release(&row);
	buffer_release(&scopes);
	buffer_release(&resource);
}

static void write_otlp(uint64_t seed, enum style style, struct buffer *out)
{
	struct buffer dictionary = {0};
	struct made stacks[STACKS];

	put_functions(&dictionary);
	put_locations(&dictionary, &seed);
	make_stacks(stacks, &seed);
	for (uint32_t i = 0; i < STACKS; i++)
		put_stack(&dictionary, &stacks[i], style);
	put_samples(out, &seed);
	protobuf_put_item(out, 2, buffer_bytes(&dictionary));
	buffer_release(&dictionary);
}

/* Without its notes, which name bytes. */
static void read_lines(const struct buffer *file, struct buffer *ret_lines, size_t *ret_stacks)
{
	struct read_options options = {.want = WANT_ALL, .format = "otlp"};
	struct error err = {0};
	struct profile p;
	struct input in;

	assert_true(input_open_bytes(&in, buffer_bytes(file), "written", &err));
	if (!profile_read_input(&in, &options, &p, &err))
		fail_msg("%s", err.text);
	input_release(&in);
	p.meta.len = 0;
	profile_lines(&p, ret_lines);
	*ret_stacks = p.stack_caller.len;
	profile_release(&p);
}

static void every_style_says_the_same(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct buffer files[3] = {{0}}, lines[3] = {{0}};
		size_t stacks[3];

		for (int style = 0; style < 3; style++) {
			write_otlp(seed, style, &files[style]);
			read_lines(&files[style], &lines[style], &stacks[style]);
			assert_string_equal(lines[style].at, lines[0].at);
			assert_int_equal(stacks[style], stacks[0]);
		}
		assert_in_range(stacks[0], STACKS, SIZE_MAX);
		for (int style = 0; style < 3; style++) {
			buffer_release(&files[style]);
			buffer_release(&lines[style]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_style_says_the_same),
	};

	return cmocka_run_group_tests_name("otlp", tests, NULL, NULL);
}

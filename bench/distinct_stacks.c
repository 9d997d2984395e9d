/* distinct_stacks.c: write a pprof file in which no stack comes twice.
 *
 *	distinct_stacks STACKS CALLEES ordered|shuffled FILE
 *
 * Random ways through a graph of calls, 20 to 40 deep: each of its functions calls up to CALLEES
 * others, one half as often as the next. In order, as runtimes write them that walk a tree, each
 * stack shares its outermost part with the one before it; shuffled, hardly any of it. */
#include "base/buffer.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS     20000u
#define DEPTH_LEAST   20u
#define DEPTH_MORE    21u
#define CALLEES_LIMIT 32u

struct stack {
	uint32_t depth;
	uint32_t functions[DEPTH_LEAST + DEPTH_MORE]; /* outermost first, from 1 on */
};

static uint64_t random_state = 1;

static uint64_t random_next(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return random_state >> 33;
}

static uint32_t callee(uint32_t caller, uint32_t callees)
{
	uint32_t which = (uint32_t)__builtin_ctzll(random_next() | (uint64_t)1 << 31);

	return 1 + (uint32_t)(hash_pair(caller, which % callees) % FUNCTIONS);
}

static struct stack walk(uint32_t callees)
{
	struct stack s = {.depth = DEPTH_LEAST + (uint32_t)(random_next() % DEPTH_MORE)};

	for (uint32_t i = 0; i < s.depth; i++)
		s.functions[i] = callee(i ? s.functions[i - 1] : 0, callees);
	return s;
}

static int by_functions(const void *a, const void *b)
{
	const struct stack *left = a, *right = b;

	for (uint32_t i = 0; i < left->depth && i < right->depth; i++)
		if (left->functions[i] != right->functions[i])
			return left->functions[i] < right->functions[i] ? -1 : 1;
	return (left->depth > right->depth) - (left->depth < right->depth);
}

/* The requested number, all different by their hashes. */
static struct stack *make_stacks(size_t count, uint32_t callees)
{
	struct stack *stacks = memory_new(count, sizeof(*stacks));
	struct id_map seen = {0};

	for (size_t i = 0; i < count;) {
		struct stack s = walk(callees);
		uint64_t hash = hash_bytes(s.functions, s.depth * sizeof(*s.functions));
		size_t at = id_map_first(&seen, hash);

		if (id_map_candidate(&seen, hash, &at))
			continue; /* or two of the same 32 bits: one less does no harm */
		stacks[i++] = s;
		id_map_insert_at(&seen, hash, at, (uint32_t)i);
	}
	id_map_release(&seen);
	return stacks;
}

/* ---- The file ---- */

static void add_varint(struct buffer *b, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		buffer_char(b, (char)(number | 0x80));
	buffer_char(b, (char)number);
}

static void add_number(struct buffer *b, unsigned field, uint64_t number)
{
	add_varint(b, field << 3);
	add_varint(b, number);
}

static void add_field(struct buffer *b, unsigned field, const struct buffer *content)
{
	add_varint(b, field << 3 | 2);
	add_varint(b, content->len);
	buffer_add(b, content->at, content->len);
}

static void write_field(FILE *file, unsigned field, const struct buffer *content)
{
	struct buffer head = {0};

	add_varint(&head, field << 3 | 2);
	add_varint(&head, content->len);
	fwrite(head.at, 1, head.len, file);
	fwrite(content->at ? content->at : "", 1, content->len, file);
	buffer_release(&head);
}

static void write_samples(FILE *file, const struct stack *stacks, size_t count)
{
	struct buffer sample = {0}, packed = {0};

	for (size_t i = 0; i < count; i++) {
		sample.len = packed.len = 0;
		for (uint32_t j = stacks[i].depth; j-- > 0;)
			add_varint(&packed, stacks[i].functions[j]);
		add_field(&sample, 1, &packed);
		packed.len = 0;
		add_varint(&packed, 1 + i % 9);
		add_varint(&packed, 10000000 * (1 + i % 9));
		add_field(&sample, 2, &packed);
		write_field(file, 2, &sample);
	}
	buffer_release(&sample);
	buffer_release(&packed);
}

static void write_function(FILE *file, uint32_t id)
{
	struct buffer message = {0}, line = {0};

	add_number(&message, 1, id);
	add_number(&message, 2, 4 + id);
	write_field(file, 5, &message);
	message.len = 0;
	add_number(&line, 1, id);
	add_number(&line, 2, id % 700);
	add_number(&message, 1, id);
	add_field(&message, 4, &line);
	write_field(file, 4, &message);
	buffer_release(&message);
	buffer_release(&line);
}

static void write_types(FILE *file)
{
	struct buffer message = {0};

	for (unsigned i = 1; i <= 3; i += 2) {
		message.len = 0;
		add_number(&message, 1, i);
		add_number(&message, 2, i + 1);
		write_field(file, 1, &message);
	}
	buffer_release(&message);
}

static void write_tables(FILE *file)
{
	static const char *const known[] = {"", "samples", "count", "cpu", "nanoseconds"};
	struct buffer message = {0};

	for (uint32_t id = 1; id <= FUNCTIONS; id++)
		write_function(file, id);
	for (uint32_t i = 0; i < 5 + FUNCTIONS; i++) {
		message.len = 0;
		if (i < 5)
			buffer_text(&message, known[i]);
		else
			buffer_printf(&message, "module_%u::function_%u", i % 97, i - 4);
		write_field(file, 6, &message);
	}
	buffer_release(&message);
}

static void shuffle(struct stack *stacks, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = (random_next() << 16 ^ random_next()) % i;
		struct stack kept = stacks[i - 1];

		stacks[i - 1] = stacks[other];
		stacks[other] = kept;
	}
}

int main(int argc, char **argv)
{
	uint64_t count, callees;
	struct stack *stacks;
	FILE *file;

	if (argc != 5 || !bytes_u64(bytes_of(argv[1]), &count) || count > UINT32_MAX ||
		!bytes_u64(bytes_of(argv[2]), &callees) || !callees || callees > CALLEES_LIMIT) {
		fputs("usage: distinct_stacks STACKS CALLEES ordered|shuffled FILE\n", stderr);
		return 2;
	}
	stacks = make_stacks(count, (uint32_t)callees);
	qsort(stacks, count, sizeof(*stacks), by_functions);
	if (!strcmp(argv[3], "shuffled"))
		shuffle(stacks, count);
	file = fopen(argv[4], "w");
	if (!file) {
		perror(argv[4]);
		return 1;
	}
	write_types(file);
	write_samples(file, stacks, count);
	write_tables(file);
	free(stacks);
	return fclose(file) ? 1 : 0;
}

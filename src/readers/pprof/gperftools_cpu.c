/* gperftools_cpu.c: CPU profiles that gperftools writes for CPUPROFILE=file.
 *
 * Words of the machine that wrote them, of 32 or 64 bits in either byte order:
 *
 *	0, 3, 0, period in us, 0	the header: 3 words follow the second one
 *	count, n, n addresses		a stack, innermost first, and how often it was met
 *	0, 1, 0				the end of the stacks; the text of /proc/self/maps follows
 *
 * A stack may be there several times. The innermost address is where the program was, all others
 * are where calls return to. Source of the format: gperftools, docs/cpuprofile-fileformat.html. */
#include "readers/pprof/address_stacks.h"

#include "base/spool.h"

#define HEADER_WORDS 5u
#define PERIOD_LIMIT 1000000000u /* us */

enum value { CPU, SAMPLES, VALUES };

/* How the words are stored. */
struct words {
	struct bytes content;
	size_t at; /* bytes */
	unsigned size;
	bool big;
};

struct gperftools_cpu {
	struct text_stacks stacks;
	struct address_stacks addresses;
	struct words words;
	uint64_t period; /* us */
};

static size_t words_left(const struct words *w)
{
	return (w->content.len - w->at) / w->size;
}

/* There is one more. */
static uint64_t next_word(struct words *w)
{
	const char *at = w->content.at + w->at;
	uint64_t eight;
	uint32_t four;

	w->at += w->size;
	if (w->size == sizeof(eight)) {
		memcpy(&eight, at, sizeof(eight));
		return w->big ? be64toh(eight) : le64toh(eight);
	}
	memcpy(&four, at, sizeof(four));
	return w->big ? be32toh(four) : le32toh(four);
}

/* The header in one of the four ways in which words can be stored. */
static bool find_words(struct bytes content, struct words *ret_words, uint64_t *ret_period)
{
	for (unsigned way = 0; way < 4; way++) {
		struct words w = {content, 0, way & 1 ? 4 : 8, way & 2};
		uint64_t header[HEADER_WORDS] = {1};

		for (size_t i = 0; i < HEADER_WORDS && words_left(&w); i++)
			header[i] = next_word(&w);
		if (w.at == (size_t)HEADER_WORDS * w.size && !header[0] && header[1] == 3 &&
			!header[2] && header[3] && header[3] <= PERIOD_LIMIT && !header[4]) {
			*ret_words = w;
			*ret_period = header[3];
			return true;
		}
	}
	return false;
}

/* ---- Stacks ---- */

static bool fail(const struct words *w, size_t at, const char *what, struct error *err)
{
	return error_set(err, ERR_FORMAT, "byte %zu of %zu: expected %s", at, w->content.len, what);
}

/* The address of the innermost frame may be there twice, once as the signal's and once as what the
 * walk over the stack begins with. */
static void take_addresses(struct gperftools_cpu *g, uint64_t depth)
{
	uint64_t innermost = depth ? next_word(&g->words) : 0;

	if (depth)
		vector_push(&g->addresses.addresses, innermost);
	for (uint64_t i = 1; i < depth; i++) {
		uint64_t address = next_word(&g->words);

		if (i > 1 || address != innermost)
			vector_push(&g->addresses.addresses, address);
	}
}

static bool take_stack(struct gperftools_cpu *g, bool *ret_end, struct error *err)
{
	struct words *w = &g->words;
	size_t start = w->at;
	uint64_t count, depth;
	int64_t values[VALUES];

	if (words_left(w) < 2)
		return fail(
			w, start, "a stack, or the mark behind the last one: it is truncated", err);
	count = next_word(w);
	depth = next_word(w);
	if (depth > words_left(w))
		return fail(
			w, start, "a count, a depth and as many addresses: it is truncated", err);
	values[SAMPLES] = (int64_t)count;
	if (count > INT64_MAX ||
		__builtin_mul_overflow(values[SAMPLES], g->period * 1000, &values[CPU]))
		return fail(w, start, "a count whose time is below 2^63 ns", err);
	take_addresses(g, depth);
	*ret_end = !count && depth == 1 &&
		   !g->addresses.addresses.items[g->addresses.addresses.len - 1];
	if (!*ret_end)
		address_stacks_add(&g->addresses, 0, values, VALUES);
	return true;
}

/* What has been read up to the damage is worth having: a program that is killed leaves such a file.
 */
static bool take_stacks(struct gperftools_cpu *g, struct error *err)
{
	struct error damage = {0};

	for (bool end = false; !end;)
		if (!take_stack(g, &end, &damage)) {
			if (!g->addresses.records.len) {
				*err = damage;
				return false;
			}
			profile_note(
				g->stacks.profile, "%s; what is before it was read", damage.text);
			g->words.at = g->words.content.len;
			return true;
		}
	return true;
}

static void take_maps(struct gperftools_cpu *g)
{
	struct bytes line,
		text = {g->words.content.at + g->words.at, g->words.content.len - g->words.at};

	while (bytes_line(&text, &line))
		address_stacks_map(&g->addresses, line);
}

static bool read_content(struct gperftools_cpu *g, struct bytes content,
	const struct read_options *options, struct error *err)
{
	struct profile *p = g->stacks.profile;

	if (!find_words(content, &g->words, &g->period))
		return error_set(err, ERR_FORMAT,
			"byte 0: expected the words 0, 3, 0, a period in microseconds, 0");
	text_stacks_stream(&g->stacks, BYTES("cpu"), BYTES("ns"), (struct bytes){0});
	text_stacks_stream(&g->stacks, BYTES("samples"), BYTES("count"), (struct bytes){0});
	p->streams.items[g->stacks.first_stream + CPU].row.period = g->period * 1000;
	g->addresses.exact_leaf = true;
	if (!take_stacks(g, err))
		return false;
	take_maps(g);
	return address_stacks_finish(&g->addresses, &g->stacks, options, err) &&
	       text_stacks_finish(&g->stacks, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct gperftools_cpu g = {0};
	struct spool spool = {0};
	struct bytes content;
	bool done;

	text_stacks_open(&g.stacks, in, options, out);
	done = spool_input(&spool, in, &content, err) && read_content(&g, content, options, err);
	address_stacks_release(&g.addresses);
	text_stacks_release(&g.stacks);
	spool_release(&spool);
	return done;
}

/* All of the header, and a stack behind it whose depth a stack can have. */
static int bid(struct bytes head)
{
	struct words w;
	uint64_t period;

	if (!find_words(head, &w, &period) || words_left(&w) < 2)
		return 0;
	next_word(&w);
	return next_word(&w) <= STACK_DEPTH_LIMIT ? 8 * (HEADER_WORDS - 1) * (int)w.size : 0;
}

const struct reader reader_gperftools_cpu = {
	.name = "gperftools-cpu",
	.about = "CPU profiles of gperftools (CPUPROFILE=file)",
	.expects = "the words 0, 3, 0, a period in microseconds, 0; then stacks of addresses",
	.proof = "gperftools 2.10 on a program with known shares, compared with google-pprof",
	.bid = bid,
	.read = read,
	.one_table = true,
};

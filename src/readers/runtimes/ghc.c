/* ghc.c: the call tree of a .prof file, which Haskell programs write with +RTS -p or -P.
 *
 *	                                              individual      inherited
 *	COST CENTRE  MODULE  SRC            no.  entries  %time %alloc   %time %alloc  ticks bytes
 *
 *	MAIN         MAIN    <built-in>     168        0    2.6    0.0   100.0  100.0    510 456096
 *	 main        Main    Main.hs:6:1-11 336        1    0.0    0.0     0.0    0.0      0 0
 *
 * Blanks before a cost centre tell how deep it is. Its own percentages are kept in tenths; ticks
 * and bytes are only there with -P. A table ends with an empty line. */
#include "readers/lines/call_path.h"
#include "readers/lines/line_format.h"

#include <stdlib.h>

#define EXPECTS "a cost centre such as ` main Main Main.hs:6:1-11 336 1 0.0 0.0 0.0 0.0`"
#define NUMBERS 6u /* of each line: no., entries, individual and inherited percentages */

enum column { TIME, ALLOC, TICKS, BYTES_ALLOCATED, COLUMNS };

struct ghc {
	struct text_stacks stacks;
	struct call_path path;
	struct buffer name;
	bool source; /* lines tell sources (GHC 8.0 and later) */
	bool begun;  /* a line of the table has come */
};

/* Cut the word at the end of *text off, with the blanks around it. */
static struct bytes last_word(struct bytes *text)
{
	size_t end = text->len, start;

	while (end && text->at[end - 1] == ' ')
		end--;
	for (start = end; start && text->at[start - 1] != ' ';)
		start--;
	text->len = start;
	return (struct bytes){text->at + start, end - start};
}

static struct bytes first_word(struct bytes *text)
{
	struct bytes word;
	size_t blanks = bytes_count_leading(*text, ' '), len;

	*text = (struct bytes){text->at + blanks, text->len - blanks};
	len = bytes_until(*text, ' ');
	word = (struct bytes){text->at, len};
	*text = (struct bytes){text->at + len, text->len - len};
	return word;
}

/* ---- The header ---- */

/* The table of the call tree, not that of the most costly ones, which has no "no." */
static bool is_header(struct bytes line)
{
	static const char *const words[] = {
		"no.", "entries", "%time", "%alloc", "%time", "%alloc", NULL};
	struct bytes word;

	if (!bytes_starts_with(line, BYTES("COST CENTRE")))
		return false;
	line = (struct bytes){line.at + 11, line.len - 11};
	if (!bytes_equal(first_word(&line), BYTES("MODULE")))
		return false;
	word = first_word(&line);
	if (bytes_equal(word, BYTES("SRC")))
		word = first_word(&line);
	for (size_t i = 0; words[i]; i++, word = first_word(&line))
		if (!bytes_equal(word, bytes_of(words[i])))
			return false;
	return true;
}

static void take_header(struct ghc *g, struct bytes line)
{
	g->source = bytes_find(line, BYTES(" SRC "));
	text_stacks_stream(&g->stacks, BYTES("time"), BYTES("permille"), (struct bytes){0});
	text_stacks_stream(&g->stacks, BYTES("alloc"), BYTES("permille"), (struct bytes){0});
	if (bytes_find(line, BYTES(" ticks")))
		text_stacks_stream(&g->stacks, BYTES("ticks"), BYTES("count"), (struct bytes){0});
	if (bytes_find(line, BYTES(" bytes")))
		text_stacks_stream(&g->stacks, BYTES("bytes"), BYTES("bytes"), (struct bytes){0});
}

/* ---- Lines ---- */

/* "35.0" in tenths. */
static bool parse_tenths(struct bytes text, int64_t *ret_value)
{
	struct bytes whole;
	uint64_t ones, tenths;

	if (!bytes_cut(&text, '.', &whole) || !bytes_u64(whole, &ones) || text.len != 1 ||
		!bytes_u64(text, &tenths) || ones > 100000)
		return false;
	*ret_value = (int64_t)(ones * 10 + tenths);
	return true;
}

static bool parse_count(struct bytes text, int64_t *ret_value)
{
	uint64_t value;

	if (!bytes_u64(text, &value) || value > INT64_MAX)
		return false;
	*ret_value = (int64_t)value;
	return true;
}

/* The numbers at the end of *line are cut off. */
static bool cut_values(const struct ghc *g, struct bytes *line, int64_t *ret_values)
{
	struct bytes word[NUMBERS];

	for (uint32_t i = g->stacks.streams; i-- > TICKS;)
		if (!parse_count(last_word(line), &ret_values[i]))
			return false;
	for (unsigned i = NUMBERS; i-- > 0;)
		word[i] = last_word(line);
	return parse_tenths(word[2], &ret_values[TIME]) &&
	       parse_tenths(word[3], &ret_values[ALLOC]) && word[0].len;
}

/* "src/Lib.hs:(14,1)-(15,41)", "Main.hs:6:1-11", "<built-in>" */
static void parse_source(struct bytes text, struct text_frame *frame)
{
	struct bytes rest = bytes_trim(text), file;
	size_t digits = 0;
	uint64_t line;

	if (!bytes_cut(&rest, ':', &file))
		return;
	if (rest.len && *rest.at == '(')
		rest = (struct bytes){rest.at + 1, rest.len - 1};
	while (digits < rest.len && is_digit(rest.at[digits]))
		digits++;
	if (!bytes_u64((struct bytes){rest.at, digits}, &line) || line >= UINT32_MAX)
		return;
	frame->file = file;
	frame->line = (uint32_t)line;
}

/* `line` has the name, the module and the source. The blanks between the first two depend on how
 * deep it is: the name is remembered without them. */
static location_id find_location(struct ghc *g, struct bytes line)
{
	struct bytes name = first_word(&line), place = bytes_trim(line), rest = place;
	location_id location = text_stacks_known_in(&g->stacks, name, place);
	struct bytes module = first_word(&rest);
	struct text_frame frame = {.module = module};

	if (location || !name.len || !module.len)
		return location;
	buffer_set(&g->name, module);
	buffer_char(&g->name, '.');
	buffer_add(&g->name, name.at, name.len);
	frame.function = buffer_bytes(&g->name);
	if (g->source)
		parse_source(rest, &frame);
	location = text_stacks_frame(&g->stacks, &frame);
	text_stacks_learn_in(&g->stacks, name, place, location);
	return location;
}

static bool take_row(struct ghc *g, struct bytes line, struct error *err)
{
	int64_t values[COLUMNS] = {0};
	struct sample sample = {0};
	location_id location = 0;
	size_t depth = bytes_count_leading(line, ' ');

	g->begun = true;
	if (cut_values(g, &line, values) && line.len > depth) {
		line = (struct bytes){line.at + depth, line.len - depth};
		location = find_location(g, line);
	}
	if (!location) {
		if (g->path.unknown)
			text_stacks_depend(&g->stacks);
		call_path_cut(&g->path, depth);
		text_stacks_skip(&g->stacks, "expected " EXPECTS);
		return true;
	}
	if (!call_path_enter(&g->path, g->stacks.profile, depth, location)) {
		if (g->path.unknown)
			text_stacks_depend(&g->stacks);
		text_stacks_skip(
			&g->stacks, "expected a line above that is indented one space less");
		return true;
	}
	sample.stack = call_path_stack(&g->path);
	return text_stacks_add_stack(&g->stacks, sample, values, err);
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct ghc *g = self;

	if (!g->stacks.streams) {
		if (is_header(line))
			take_header(g, line);
	} else if (line.len && (!is_space(line.at[line.len - 1]) || bytes_trim(line).len)) {
		return take_row(g, line, err);
	} else if (g->begun) {
		text_stacks_end(&g->stacks); /* an empty line below the table */
	}
	return true;
}

/* The header of a later part is in the first one. */
static bool find_header(struct ghc *g, struct bytes head)
{
	struct bytes line;

	while (!g->stacks.streams && bytes_line(&head, &line) && head.len)
		if (is_header(line))
			take_header(g, line);
	return g->stacks.streams;
}

static bool start(void *self, struct error *err)
{
	struct ghc *g = self;

	(void)err;
	call_path_open(&g->path, g->stacks.part);
	return !g->path.unknown || find_header(g, g->stacks.part->head);
}

static bool end(void *self, struct error *err)
{
	struct ghc *g = self;

	if (!g->stacks.streams)
		return error_set(err, ERR_FORMAT,
			"line %llu: unexpected end: expected a table that starts with `COST CENTRE "
			"MODULE`",
			(unsigned long long)g->stacks.lines.number);
	call_path_leave(&g->path, g->stacks.part);
	return true;
}

static void release(void *self)
{
	struct ghc *g = self;

	call_path_release(&g->path);
	buffer_release(&g->name);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct ghc g = {0};

	return line_format_read(&format, &g, in, options, out, err);
}

static int bid(struct bytes head)
{
	struct bytes line;
	int bits = 0;

	while (bytes_line(&head, &line)) {
		if (bytes_ends_with(line, BYTES("Time and Allocation Profiling Report  (Final)")))
			bits += 8 * 40;
		else if (bytes_starts_with(line, BYTES("COST CENTRE")) &&
			 bytes_find(line, BYTES("%alloc")))
			bits += 8 * 17;
	}
	return bits;
}

/* A part may begin at any line: the callers of its first lines are resolved when the parts are
 * joined. */
static bool between(struct bytes above, struct bytes line)
{
	(void)above;
	return line.len > 1 && *line.at == ' ' && bytes_trim(line).len;
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_ghc = {
	.name = "ghc",
	.about = "time and allocation profiles of Haskell programs (.prof)",
	.expects = EXPECTS,
	.proof = "inferno's corpus; totals as GHC 9.0 states them",
	.bid = bid,
	.read = read,
	.cut = cut,
	.one_table = true,
};

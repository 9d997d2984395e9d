/* go_raw.c: a pprof profile as `go tool pprof -raw` prints it.
 *
 *	PeriodType: cpu nanoseconds
 *	Samples:
 *	samples/count cpu/nanoseconds
 *	          5   50000000: 1 2 3
 *	                thread:[main]
 *	Locations
 *	     1: 0x4b0aae M=1 main.(*T).spin /tmp/busy.go:5 s=0
 *	             main.three /tmp/busy.go:7 s=0
 *	Mappings
 *	1: 0x400000/0x4b1000/0x0 /tmp/busy  [FN]
 *
 * A sample has a value for each type and its locations, innermost first; labels may follow. Lines
 * below a location are what it was inlined into. Samples come before the locations they name: they
 * are kept as a tree over location numbers until the end. */
#include "readers/text_stacks.h"
#include "readers/tidy.h"

#include "model/view.h"

#include <stdlib.h>

#define EXPECTS		"a sample such as `5 50000000: 1 2 3`"
#define TOO_DEEP	"expected no stack of more than 8,192 frames"
#define NUMBER_LIMIT	UINT32_MAX /* of locations and mappings */
#define INLINED_LIMIT	1024u	   /* lines of a location */
#define LABEL_KEY_LIMIT ((size_t)256)

_Static_assert(STACK_DEPTH_LIMIT == 8192, "TOO_DEEP says so");

enum part { BEFORE, TYPES, SAMPLES, LOCATIONS, MAPPINGS };

/* One line of a location. */
struct go_line {
	string_id function, file;
	uint32_t line;
	location_id made; /* of the profile; 0: not yet */
};

struct go_location {
	uint32_t number, mapping;
	uint64_t address;
	uint32_t first, count; /* of go_raw.lines: innermost first */
	location_id made;      /* of one without lines; 0: not yet */
};

struct go_mapping {
	uint32_t number;
	string_id module; /* base name */
};

/* Samples of one stack with the same labels. */
struct go_row {
	node_id node;
	label_set_id labels;
};

struct go_raw {
	struct text_stacks stacks;
	enum part part;
	struct tree_builder tree;     /* over location numbers */
	VECTOR(uint32_t) row_of_node; /* of the sample without labels, plus one; 0: none yet */
	VECTOR(struct go_row) rows;
	struct id_map by_row;
	VECTOR(int64_t) values; /* of rows, a group for each */
	VECTOR(struct go_location) locations;
	struct id_map by_number; /* places in `locations`, plus one */
	VECTOR(struct go_line) lines;
	VECTOR(struct go_mapping) mappings;
	/* The last sample's, until it is known that no labels follow: */
	bool pending;
	node_id node;
	int64_t value[TEXT_STREAMS_LIMIT];
	label_set_id labels;
	bool labelled; /* some sample has labels */
};

static void go_raw_release(struct go_raw *g)
{
	text_stacks_release(&g->stacks);
	tree_builder_release(&g->tree);
	id_map_release(&g->by_number);
	id_map_release(&g->by_row);
	vector_release(&g->row_of_node);
	vector_release(&g->rows);
	vector_release(&g->values);
	vector_release(&g->locations);
	vector_release(&g->lines);
	vector_release(&g->mappings);
}

/* ---- Words ---- */

static struct bytes skip_blanks(struct bytes text)
{
	while (text.len && (*text.at == ' ' || *text.at == '\t'))
		text = (struct bytes){text.at + 1, text.len - 1};
	return text;
}

/* The next word of *text, which moves behind it; false at the end. */
static bool next_word(struct bytes *text, struct bytes *ret_word)
{
	size_t len = 0;

	*text = skip_blanks(*text);
	while (len < text->len && text->at[len] != ' ' && text->at[len] != '\t')
		len++;
	*ret_word = (struct bytes){text->at, len};
	*text = (struct bytes){text->at + len, text->len - len};
	return len > 0;
}

static bool is_number(struct bytes word, uint32_t *ret_number)
{
	uint64_t number;

	if (!bytes_u64(word, &number) || number >= NUMBER_LIMIT)
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

/* The value at the start of *text, which moves behind it. */
static bool next_value(struct bytes *text, int64_t *ret_value)
{
	struct bytes rest = skip_blanks(*text);
	bool negative = rest.len && *rest.at == '-';
	int64_t value = 0;
	size_t i = negative;

	for (; i < rest.len && rest.at[i] >= '0' && rest.at[i] <= '9'; i++)
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, rest.at[i] - '0', &value))
			return false;
	if (i == negative || (i < rest.len && rest.at[i] != ' '))
		return false;
	*text = (struct bytes){rest.at + i, rest.len - i};
	*ret_value = negative ? -value : value;
	return true;
}

/* ---- Samples ---- */

static struct bytes short_unit(struct bytes unit)
{
	static const struct {
		struct bytes name, unit;
	} units[] = {
		{{"nanoseconds", 11}, {"ns", 2}},
		{{"microseconds", 12}, {"us", 2}},
		{{"milliseconds", 12}, {"ms", 2}},
		{{"seconds", 7}, {"s", 1}},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (bytes_equal(unit, units[i].name))
			return units[i].unit;
	return unit;
}

/* "samples/count cpu/nanoseconds[dflt]" */
static bool take_types(struct go_raw *g, struct bytes line, struct error *err)
{
	struct bytes word;

	while (next_word(&line, &word)) {
		struct bytes unit = word, kind;

		if (g->stacks.streams == TEXT_STREAMS_LIMIT)
			return error_set(err, ERR_LIMIT, "line %llu: more than %u types of values",
				(unsigned long long)g->stacks.lines.number, TEXT_STREAMS_LIMIT);
		if (bytes_end(unit, BYTES("[dflt]")))
			unit.len -= strlen("[dflt]");
		if (!bytes_cut(&unit, '/', &kind)) {
			kind = unit;
			unit = BYTES("count");
		}
		text_stacks_stream(&g->stacks, kind, short_unit(unit), (struct bytes){0});
	}
	if (!g->stacks.streams)
		return error_set(err, ERR_FORMAT,
			"line %llu: expected types such as `samples/count cpu/nanoseconds`",
			(unsigned long long)g->stacks.lines.number);
	g->part = SAMPLES;
	return true;
}

static uint32_t new_row(struct go_raw *g)
{
	vector_push(&g->rows, ((struct go_row){g->node, g->labels}));
	for (size_t i = 0; i < g->stacks.streams; i++)
		vector_push(&g->values, 0);
	return (uint32_t)g->rows.len;
}

/* The row of the last sample, plus one. */
static uint32_t row_of_sample(struct go_raw *g)
{
	uint64_t hash = hash_pair(g->node, g->labels);
	size_t at;
	uint32_t row;

	if (!g->labels) {
		uint32_t *known = &g->row_of_node.items[g->node];

		if (!*known)
			*known = new_row(g);
		return *known;
	}
	at = id_map_first(&g->by_row, hash);
	while ((row = id_map_candidate(&g->by_row, hash, &at)))
		if (g->rows.items[row - 1].node == g->node &&
			g->rows.items[row - 1].labels == g->labels)
			return row;
	row = new_row(g);
	id_map_put(&g->by_row, hash, at, row);
	return row;
}

/* Enter the last sample, now that its labels are known. */
static void end_sample(struct go_raw *g)
{
	int64_t *values;
	uint32_t row;

	if (!g->pending)
		return;
	g->pending = false;
	g->labelled |= g->labels != 0;
	row = row_of_sample(g);
	values = g->values.items + (size_t)(row - 1) * g->stacks.streams;
	for (size_t i = 0; i < g->stacks.streams; i++)
		values[i] += g->value[i];
}

/* The number at the end of *text, which is cut off, and the blanks before it; false at the start
 * or when it is none. */
static bool last_number(struct bytes *text, uint32_t *ret_number)
{
	size_t end = text->len, start = end;
	uint64_t number = 0, power = 1;

	for (; start && text->at[start - 1] >= '0' && text->at[start - 1] <= '9'; power *= 10) {
		if (end - start >= 10)
			return false;
		number += power * (uint64_t)(text->at[--start] - '0');
	}
	if (start == end || number >= NUMBER_LIMIT)
		return false;
	if (start && text->at[start - 1] != ' ')
		return false;
	while (start && text->at[start - 1] == ' ')
		start--;
	text->len = start;
	*ret_number = (uint32_t)number;
	return true;
}

/* From *node through locations, which are listed innermost first, to the innermost one. *depth
 * counts them. */
static bool walk(struct go_raw *g, struct bytes numbers, node_id *node, size_t *depth)
{
	uint32_t number;

	while (numbers.len) {
		if (++*depth > STACK_DEPTH_LIMIT || !last_number(&numbers, &number))
			return false;
		*node = tree_child(&g->tree, *node, number);
	}
	return true;
}

/* How many bytes the first `count` numbers take, without the blank behind them; 0 when there are
 * not more. */
static size_t first_numbers(struct bytes numbers, int count)
{
	const char *at = numbers.at, *end = numbers.at + numbers.len;

	for (; count-- && at; at++) {
		at = memchr(at, ' ', (size_t)(end - at));
		if (!at || at + 1 == end)
			return 0;
	}
	return (size_t)(at - 1 - numbers.at);
}

#define LEAVES 3 /* frames in which samples of one caller differ, more or less */

/* The node for locations that are new together. Callers' numbers are remembered, too. */
static bool new_node(struct go_raw *g, struct bytes numbers, const char **ret_reason)
{
	size_t leaves = first_numbers(numbers, LEAVES), depth = 0;
	struct bytes callers = {numbers.at + leaves + 1, numbers.len - leaves - 1};
	node_id node = leaves ? text_stacks_known(&g->stacks, callers) : 0;
	bool known = node, done;

	done = known || !leaves || walk(g, callers, &node, &depth);
	if (done && leaves && !known)
		text_stacks_learn(&g->stacks, callers, node);
	if (leaves)
		numbers.len = leaves;
	done = done && walk(g, numbers, &node, &depth);
	while (g->row_of_node.len < g->tree.tree.caller.len)
		vector_push(&g->row_of_node, 0);
	*ret_reason = depth > STACK_DEPTH_LIMIT ? TOO_DEEP : "expected " EXPECTS;
	g->node = node;
	return done;
}

/* The node for the locations of a sample, which are remembered as they are written. */
static bool find_node(struct go_raw *g, struct bytes numbers, const char **ret_reason)
{
	g->node = text_stacks_known(&g->stacks, numbers);
	if (g->node)
		return true;
	if (!new_node(g, numbers, ret_reason))
		return false;
	text_stacks_learn(&g->stacks, numbers, g->node);
	return true;
}

/* The locations in the line of a sample. */
static struct bytes numbers_in(struct bytes line)
{
	struct bytes values;

	return bytes_cut(&line, ':', &values) ? bytes_trim(line) : line;
}

/* Sums are checked here, so that adding up rows cannot overflow. */
static bool add_totals(struct go_raw *g, const int64_t *values, struct error *err)
{
	struct text_stacks *t = &g->stacks;

	for (uint32_t i = 0; i < t->streams; i++) {
		int64_t size = values[i] < 0 ? -values[i] : values[i];

		if (__builtin_add_overflow(t->total[i], size, &t->total[i]))
			return error_set(err, ERR_LIMIT,
				"line %llu: the sum of all values exceeds 2^63",
				(unsigned long long)t->lines.number);
	}
	return true;
}

/* "5 50000000": a value for each stream. */
static bool take_values(struct go_raw *g, struct bytes values)
{
	for (uint32_t i = 0; i < g->stacks.streams; i++)
		if (!next_value(&values, &g->value[i]))
			return false;
	return !skip_blanks(values).len;
}

#define SOON 8 /* lines: what their samples add to lies anywhere, and is fetched into the cache */

static bool take_sample(struct go_raw *g, struct bytes line, struct error *err)
{
	const struct text_lines *lines = &g->stacks.lines;
	struct bytes values, rest = line;
	const char *reason = "expected " EXPECTS;
	uint32_t row = g->row_of_node.items[text_lines_coming(lines, SOON)];

	__builtin_prefetch(g->row_of_node.items + text_lines_coming(lines, 2 * SOON));
	if (row)
		__builtin_prefetch(g->values.items + (size_t)(row - 1) * g->stacks.streams, 1);
	if (!bytes_cut(&rest, ':', &values) || !take_values(g, values) ||
		!find_node(g, bytes_trim(rest), &reason)) {
		text_stacks_skip(&g->stacks, reason);
		return true;
	}
	g->pending = true;
	g->labels = 0;
	return add_totals(g, g->value, err);
}

/* `thread:[main] bytes:[512]`: keys with values in brackets. */
static bool take_labels(struct go_raw *g, struct bytes line)
{
	struct profile *p = g->stacks.profile;
	struct bytes rest = skip_blanks(line);

	if (!g->pending || !rest.len || !bytes_end(rest, BYTES("]")))
		return false;
	while ((rest = skip_blanks(rest)).len) {
		const char *open = bytes_find(rest, BYTES(":[")), *close;
		struct bytes key, value;

		if (!open || (size_t)(open - rest.at) > LABEL_KEY_LIMIT)
			return false;
		key = (struct bytes){rest.at, (size_t)(open - rest.at)};
		value = (struct bytes){open + 2, rest.len - key.len - 2};
		close = memchr(value.at, ']', value.len);
		if (!close)
			return false;
		value.len = (size_t)(close - value.at);
		g->labels = profile_label(
			p, g->labels, profile_string(p, key), profile_string(p, value));
		rest = (struct bytes){close + 1, rest.len - (size_t)(close + 1 - rest.at)};
	}
	return true;
}

static bool take_sample_line(struct go_raw *g, struct bytes line, struct error *err)
{
	if (take_labels(g, line))
		return true;
	end_sample(g);
	return take_sample(g, line, err);
}

/* ---- Locations ---- */

/* Where the file starts in "main.f[go.shape.struct { X int }] /tmp/a b.go": at the first blank
 * outside of brackets that an absolute path follows, else at the last blank. */
static size_t file_start(struct bytes text)
{
	size_t last = 0;
	int depth = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (c == '[' || c == '{' || c == '(' || c == '<')
			depth++;
		else if (c == ']' || c == '}' || c == ')' || c == '>')
			depth -= depth > 0;
		if (c != ' ')
			continue;
		last = i;
		if (!depth && i + 1 < text.len && text.at[i + 1] == '/')
			return i;
	}
	return last;
}

/* "main.(*T).spin /tmp/busy.go:5 s=0"; newer ones have "5:12" and may say more behind it. */
static bool parse_line(struct go_raw *g, struct bytes text, struct go_line *ret_line)
{
	struct profile *p = g->stacks.profile;
	const char *end = text.len ? memmem(text.at, text.len, " s=", 3) : NULL;
	struct bytes file, function;
	uint64_t number[2] = {0};
	int numbers = 0;

	for (const char *next = end; next; end = next) { /* the last one */
		struct bytes rest = {next + 1, text.len - (size_t)(next + 1 - text.at)};

		next = memmem(rest.at, rest.len, " s=", 3);
		if (!next)
			break;
	}
	if (end)
		text.len = (size_t)(end - text.at);
	for (; numbers < 2; numbers++) {
		const char *colon = bytes_last(text, ':');

		if (!colon || !bytes_u64((struct bytes){colon + 1,
						 text.len - (size_t)(colon + 1 - text.at)},
				      &number[numbers]))
			break;
		text.len = (size_t)(colon - text.at);
	}
	if (!numbers)
		return false;
	function = (struct bytes){text.at, file_start(text)};
	if (!function.len)
		return false;
	file = (struct bytes){text.at + function.len + 1, text.len - function.len - 1};
	*ret_line = (struct go_line){.function = profile_string(p, function)};
	if (g->stacks.want & WANT_LINES) {
		uint64_t line = number[numbers - 1];

		ret_line->file = profile_string(p, file);
		ret_line->line = line < UINT32_MAX ? (uint32_t)line : 0;
	}
	return true;
}

/* "     1: 0x4b0aae M=1 main.(*T).spin /tmp/busy.go:5 s=0" */
static bool take_location(struct go_raw *g, struct bytes line)
{
	struct go_location location = {.first = (uint32_t)g->lines.len};
	struct bytes number, address, word, rest = line;
	struct go_line first;

	if (!bytes_cut(&rest, ':', &number) || !is_number(bytes_trim(number), &location.number) ||
		!next_word(&rest, &address) || !bytes_start(address, BYTES("0x")) ||
		!bytes_hex((struct bytes){address.at + 2, address.len - 2}, &location.address))
		return false;
	rest = skip_blanks(rest);
	if (bytes_start(rest, BYTES("M="))) {
		next_word(&rest, &word);
		is_number((struct bytes){word.at + 2, word.len - 2}, &location.mapping);
		rest = skip_blanks(rest);
	}
	if (bytes_start(rest, BYTES("[F] "))) /* its function is the only one of its mapping */
		rest = skip_blanks((struct bytes){rest.at + 4, rest.len - 4});
	if (parse_line(g, rest, &first)) {
		vector_push(&g->lines, first);
		location.count = 1;
	}
	vector_push(&g->locations, location);
	id_map_enter(&g->by_number, hash_pair(location.number, 1), (uint32_t)g->locations.len);
	return true;
}

static bool take_caller(struct go_raw *g, struct bytes line)
{
	struct go_line caller;

	if (!g->locations.len || !parse_line(g, skip_blanks(line), &caller) ||
		g->locations.items[g->locations.len - 1].count >= INLINED_LIMIT)
		return false;
	vector_push(&g->lines, caller);
	g->locations.items[g->locations.len - 1].count++;
	return true;
}

/* "1: 0x400000/0x4b1000/0x0 /tmp/my busy 57ad12f [FN]" */
static void take_mapping(struct go_raw *g, struct bytes line)
{
	struct go_mapping mapping = {0};
	struct bytes number, word, rest = line;
	const char *flags = bytes_last(line, '[');

	if (!bytes_cut(&rest, ':', &number) || !is_number(bytes_trim(number), &mapping.number) ||
		!next_word(&rest, &word))
		return;
	if (flags && flags > rest.at && flags[-1] == ' ')
		rest.len = (size_t)(flags - rest.at);
	rest = bytes_trim(rest);
	/* A build id, in hexadecimal digits, may be behind the file. */
	for (size_t i = rest.len; i-- > 0 && (rest.at[i] == ' ' || is_hex_digit(rest.at[i]));)
		if (rest.at[i] == ' ') {
			rest.len = i;
			break;
		}
	mapping.module = profile_string(g->stacks.profile, tidy_base_name(bytes_trim(rest)));
	vector_push(&g->mappings, mapping);
}

static bool take_line(struct go_raw *g, struct bytes line, struct error *err)
{
	bool taken = true;

	if (g->part < LOCATIONS && bytes_equal(line, BYTES("Locations"))) {
		end_sample(g);
		g->part = LOCATIONS;
	} else if (g->part == LOCATIONS && bytes_equal(line, BYTES("Mappings"))) {
		g->part = MAPPINGS;
	} else if (g->part == BEFORE) {
		if (bytes_equal(line, BYTES("Samples:")))
			g->part = TYPES;
	} else if (g->part == TYPES) {
		return take_types(g, line, err);
	} else if (g->part == SAMPLES) {
		return take_sample_line(g, line, err);
	} else if (g->part == LOCATIONS) {
		taken = take_location(g, line) || take_caller(g, line) || !bytes_trim(line).len;
	} else {
		take_mapping(g, line);
	}
	if (!taken)
		text_stacks_skip(&g->stacks,
			"expected a location such as `1: 0x4b0aae M=1 main.f a.go:5 s=0`");
	return true;
}

/* ---- Making stacks of it ---- */

/* pprof numbers mappings without gaps. */
static string_id module_of(const struct go_raw *g, uint32_t mapping)
{
	uint32_t first = g->mappings.len ? g->mappings.items[0].number : 0;

	if (mapping < first || mapping - first >= g->mappings.len)
		return 0;
	return g->mappings.items[mapping - first].module;
}

static struct go_location *find_location(const struct go_raw *g, uint32_t number)
{
	uint64_t hash = hash_pair(number, 1);
	size_t at = id_map_start(&g->by_number, hash);
	uint32_t id;

	while (g->locations.len && (id = id_map_candidate(&g->by_number, hash, &at)))
		if (g->locations.items[id - 1].number == number)
			return &g->locations.items[id - 1];
	return NULL;
}

/* A place without a name: "[libc.so.6]", or its address. */
static location_id nameless(struct go_raw *g, struct go_location *l)
{
	struct profile *p = g->stacks.profile;
	string_id module = module_of(g, l->mapping);
	struct bytes text = profile_text(p, module);
	struct buffer name = {0};

	if (l->made)
		return l->made;
	if (bytes_start(text, BYTES("[")))
		buffer_add(&name, text.at, text.len);
	else if (text.len)
		buffer_printf(&name, "[%.*s]", (int)text.len, text.at);
	else
		buffer_printf(&name, "0x%llx", (unsigned long long)l->address);
	l->made = profile_location_named(p,
		profile_frame(p, &(struct frame){.function = profile_string(p, buffer_bytes(&name)),
					 .module = module}));
	buffer_release(&name);
	return l->made;
}

static location_id named(
	struct go_raw *g, const struct go_location *l, struct go_line *line, enum frame_kind kind)
{
	struct frame frame = {.function = line->function,
		.module = module_of(g, l->mapping),
		.file = line->file,
		.line = line->line,
		.kind = kind};

	if (!line->made)
		line->made = profile_location_named(
			g->stacks.profile, profile_frame(g->stacks.profile, &frame));
	return line->made;
}

/* The frames of a location, outermost first, below `caller`. */
static stack_id follow(struct go_raw *g, struct go_location *l, stack_id caller)
{
	if (!l->count)
		return profile_stack(g->stacks.profile, caller, nameless(g, l));
	for (uint32_t i = l->count; i-- > 0;)
		caller = profile_stack(g->stacks.profile, caller,
			named(g, l, &g->lines.items[l->first + i],
				i + 1 < l->count ? FRAME_INLINED : FRAME_NATIVE));
	return caller;
}

#define STACK_TOO_DEEP UINT32_MAX

/* The stack of each node of the tree, which a caller's precedes. */
static stack_id *make_stacks(struct go_raw *g)
{
	const struct tree *tree = &g->tree.tree;
	stack_id *stacks = memory_new(tree->caller.len, sizeof(*stacks));
	uint32_t *depth = memory_new(tree->caller.len, sizeof(*depth));
	uint64_t missing = 0;

	for (size_t i = 1; i < tree->caller.len; i++) {
		node_id caller = tree->caller.items[i];
		struct go_location *l = find_location(g, tree->frame.items[i]);

		depth[i] = depth[caller] + (l && l->count ? l->count : 1);
		missing += !l;
		if (stacks[caller] == STACK_TOO_DEEP || depth[i] > STACK_DEPTH_LIMIT)
			stacks[i] = STACK_TOO_DEEP;
		else
			stacks[i] = l ? follow(g, l, stacks[caller])
				      : profile_stack(g->stacks.profile, stacks[caller],
						text_stacks_named(&g->stacks, BYTES("[unknown]"),
							FRAME_NATIVE));
	}
	if (missing)
		profile_note(g->stacks.profile,
			"samples name locations that are not listed, %llu times",
			(unsigned long long)missing);
	free(depth);
	return stacks;
}

static bool make_samples(struct go_raw *g, struct error *err)
{
	struct text_stacks *t = &g->stacks;
	stack_id *stacks = make_stacks(g);
	bool done = true;

	memset(t->total, 0, sizeof(t->total));
	for (size_t i = 0; i < g->rows.len && done; i++) {
		const struct go_row *row = &g->rows.items[i];
		struct sample sample = {.has = g->labelled ? SAMPLE_LABELS : 0,
			.stack = stacks[row->node],
			.labels = row->labels};

		done = text_stacks_add_stack(t, sample, g->values.items + i * t->streams, err);
	}
	free(stacks);
	return done;
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct go_raw g = {0};
	struct bytes line;
	bool more = true, done = true;

	text_stacks_open(&g.stacks, in, options, out);
	g.stacks.lines.part = numbers_in;
	tree_builder_init(&g.tree);
	vector_push(&g.row_of_node, 0);
	while (done && more) {
		done = text_stacks_line(&g.stacks, &line, &more, err);
		if (done && more)
			done = take_line(&g, line, err);
	}
	if (done) {
		end_sample(&g);
		done = make_samples(&g, err) && text_stacks_finish(&g.stacks, err);
	}
	go_raw_release(&g);
	return done;
}

static int bid(struct bytes head)
{
	struct bytes line;
	int bits = 0;
	bool samples = false;

	while (bytes_line(&head, &line)) {
		if (bytes_start(line, BYTES("PeriodType: ")))
			bits += 8 * 12;
		if (samples && memchr(line.at, '/', line.len))
			return bits + 8 * 4;
		samples = bytes_equal(line, BYTES("Samples:"));
		if (samples)
			bits += 8 * 8;
	}
	return 0;
}

const struct reader reader_go_raw = {
	.name = "go-raw",
	.about = "text of `go tool pprof -raw`",
	.expects = EXPECTS,
	.proof = "go tool pprof of Go 1.19, beside the files that it printed",
	.bid = bid,
	.read = read,
};

/* callgrind.c: profiles in Callgrind's format, which Xdebug, pprof and others write, too.
 *
 *	positions: line
 *	events: Ir Dr
 *	fl=(1) a.c
 *	fn=(1) main			defines (1); later it is (1) alone
 *	16 400 100			a line of the source and costs of the function itself
 *	cfn=(2) leaf
 *	calls=3 50			and below it the costs of these calls, inclusive
 *	17 1200 300
 *
 * ob= and cob= are binaries, fl=, fi=, fe= and cfi= files: a call is to the file and the binary of
 * the caller unless told otherwise. It is a call graph: call_graph.h makes stacks of it. With
 * Callgrind's --separate-callers, a name has its callers behind it, `leaf'main`, and each is a
 * function of its own, so that its stacks are those that were. Source of the format: Valgrind's
 * manual, "Callgrind Format Specification". */
#include "names/tidy.h"
#include "readers/lines/line_format.h"
#include "readers/stacks/call_graph.h"

#define EXPECTS "costs below `fn=`, such as `16 400` with a line and a cost for each of `events:`"

#define IDS_LIMIT	((uint64_t)1 << 26) /* numbers of compressed names */
#define POSITIONS_LIMIT 3u		    /* of a line: instruction, binary's line, line */

/* Names that lines refer to as "(1)". Each kind has numbers of its own. */
struct names {
	VECTOR(string_id) by_id; /* plus one; 0: not defined */
};

/* A function as lines name it. */
struct place {
	string_id binary, file, name;
};

struct callgrind {
	struct text_stacks stacks;
	struct call_graph graph;
	struct names binaries, files, functions;
	VECTOR(struct place) places; /* of the graph's functions */
	struct id_map by_place;
	struct place current; /* its file changes with fi= and fe= */
	string_id called_binary, called_file, called;
	int64_t factors[TEXT_STREAMS_LIMIT]; /* to the unit of a stream */
	int64_t told[TEXT_STREAMS_LIMIT];    /* totals, of all parts */
	uint32_t positions, caller;
	size_t events; /* in a line; those above TEXT_STREAMS_LIMIT are not read */
	bool in_function, call_follows, jump_follows;
	bool interpreted, totals_told, totals_wrong;
	struct buffer name, module, file; /* scratch */
};

static void release(void *self)
{
	struct callgrind *c = self;

	call_graph_release(&c->graph);
	vector_release(&c->binaries.by_id);
	vector_release(&c->files.by_id);
	vector_release(&c->functions.by_id);
	vector_release(&c->places);
	id_map_release(&c->by_place);
	buffer_release(&c->name);
	buffer_release(&c->module);
	buffer_release(&c->file);
}

/* ---- The header ---- */

static struct bytes next_word(struct bytes *text)
{
	struct bytes word;

	*text = bytes_trim(*text);
	if (!bytes_cut(text, ' ', &word)) {
		word = *text;
		text->len = 0;
	}
	return word;
}

/* Units in the names of events: Xdebug's "Time_(10ns)" and pprof's "cpu(ms)". All others are
 * counts.
 */
static const struct {
	const char *suffix, *unit;
	int64_t factor;
} units[] = {{"(10ns)", "ns", 10}, {"(ns)", "ns", 1}, {"(us)", "ns", 1000},
	{"(\u00b5s)", "ns", 1000}, {"(ms)", "ns", 1000000}, {"(s)", "ns", 1000000000},
	{"(bytes)", "bytes", 1}, {"(B)", "bytes", 1}, {"(kB)", "bytes", 1 << 10},
	{"(MB)", "bytes", 1 << 20}};

static void add_event(struct callgrind *c, struct bytes event)
{
	const char *unit = "count";
	int64_t factor = 1;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (bytes_ends_with(event, bytes_of(units[i].suffix))) {
			unit = units[i].unit;
			factor = units[i].factor;
			event.len -= strlen(units[i].suffix);
			event.len -= event.len && event.at[event.len - 1] == '_';
			break;
		}
	c->factors[c->graph.costs++] = factor;
	text_stacks_stream(&c->stacks, event, bytes_of(unit), (struct bytes){0});
}

/* All parts of a file have the same events. */
static bool take_events(struct callgrind *c, struct bytes names, struct error *err)
{
	size_t events = 0;

	for (struct bytes rest = names; bytes_trim(rest).len; events++) {
		struct bytes event = next_word(&rest);

		if (!c->events && events < TEXT_STREAMS_LIMIT)
			add_event(c, event);
	}
	if (!events || (c->events && c->events != events))
		return error_set(err, ERR_FORMAT,
			"line %llu: expected `events:` with the names of all costs, the same in "
			"every "
			"part",
			(unsigned long long)c->stacks.lines.number);
	c->events = events;
	return true;
}

static void take_positions(struct callgrind *c, struct bytes names)
{
	c->positions = 0;
	while (bytes_trim(names).len && c->positions < POSITIONS_LIMIT) {
		next_word(&names);
		c->positions++;
	}
}

static bool parse_cost(struct bytes word, int64_t *ret_cost)
{
	bool negative = word.len && *word.at == '-';
	uint64_t cost;

	if (!bytes_u64((struct bytes){word.at + negative, word.len - negative}, &cost) ||
		cost > INT64_MAX)
		return false;
	*ret_cost = negative ? -(int64_t)cost : (int64_t)cost;
	return true;
}

/* Costs at the end of a line may be left out: they are 0. */
static bool parse_costs(const struct callgrind *c, struct bytes line, int64_t *ret_costs)
{
	size_t count = 0;

	memset(ret_costs, 0, TEXT_STREAMS_LIMIT * sizeof(*ret_costs));
	for (; bytes_trim(line).len; count++) {
		int64_t cost;

		if (count == c->events || !parse_cost(next_word(&line), &cost))
			return false;
		if (count < c->graph.costs &&
			__builtin_mul_overflow(cost, c->factors[count], &ret_costs[count]))
			return false;
	}
	return true;
}

/* What all lines of a part add up to. "summary:" may be more: costs outside of any function. */
static void take_totals(struct callgrind *c, struct bytes line)
{
	int64_t costs[TEXT_STREAMS_LIMIT];

	if (!c->events || !parse_costs(c, line, costs)) {
		c->totals_wrong = true;
		return;
	}
	c->totals_told = true;
	for (size_t i = 0; i < c->graph.costs; i++)
		c->totals_wrong |= __builtin_add_overflow(c->told[i], costs[i], &c->told[i]);
}

/* ---- Names ---- */

static string_id *named(struct names *names, uint64_t id)
{
	while (names->by_id.len <= id)
		vector_push(&names->by_id, 0);
	return &names->by_id.items[id];
}

/* "(1) main", later "(1)"; or "main". False: it is not defined. */
static bool take_name(
	struct callgrind *c, struct names *names, struct bytes text, string_id *ret_name)
{
	struct bytes number, rest = text;
	string_id *known;
	uint64_t id;

	if (!text.len || *text.at != '(' || !bytes_cut(&rest, ')', &number) ||
		!bytes_u64((struct bytes){number.at + 1, number.len - 1}, &id)) {
		*ret_name = profile_string(c->stacks.profile, text);
		return true;
	}
	if (id >= IDS_LIMIT)
		return false;
	known = named(names, id);
	rest = bytes_trim(rest);
	if (rest.len)
		*known = profile_string(c->stacks.profile, rest) + 1;
	if (!*known)
		return false;
	*ret_name = *known - 1;
	return true;
}

/* The name without its callers and how often it is on the stack already: `fib'2'main`. A quote in
 * brackets is a part of the name, as in Rust's lifetimes. */
static struct bytes without_callers(struct bytes name)
{
	int depth = 0;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];

		depth += c == '<' || c == '(' || c == '[' || c == '{';
		depth -= depth && (c == '>' || c == ')' || c == ']' || c == '}');
		if (c == '\'' && i && !depth)
			return (struct bytes){name.at, i};
	}
	return name;
}

/* A binary or file, copied since the profile's own texts move; "???" is unknown. */
static struct bytes copy_known(struct buffer *to, struct bytes text)
{
	buffer_set(to, bytes_equal(text, BYTES("???")) ? (struct bytes){0} : text);
	return buffer_bytes(to);
}

/* A function that has no name has its address in the binary instead; "(below main)" is a name. */
static void spell_name(struct buffer *to, struct bytes name, struct bytes module)
{
	uint64_t address;

	to->len = 0;
	if (name.len && *name.at == '(')
		buffer_add(to, name.at, name.len);
	else if (!bytes_starts_with(name, BYTES("0x")) ||
		 !bytes_hex((struct bytes){name.at + 2, name.len - 2}, &address))
		tidy_name(name, to);
	else if (module.len)
		buffer_printf(to, "[%.*s+0x%llx]", (int)module.len, module.at,
			(unsigned long long)address);
	else
		buffer_text(to, "[unknown]");
}

static location_id locate(struct callgrind *c, const struct place *place)
{
	const struct profile *p = c->stacks.profile;
	struct bytes name = without_callers(profile_text(p, place->name));
	struct text_frame frame = {.kind = FRAME_NATIVE};

	if (c->interpreted && !bytes_starts_with(name, BYTES("php::")))
		frame.kind = FRAME_INTERPRETED;
	frame.module = copy_known(&c->module, tidy_base_name(profile_text(p, place->binary)));
	frame.file = copy_known(&c->file, profile_text(p, place->file));
	spell_name(&c->name, name, frame.module);
	frame.function = buffer_bytes(&c->name);
	return text_stacks_frame(&c->stacks, &frame);
}

/* The number of a function in the graph. */
static uint32_t function_of(struct callgrind *c, const struct place *place)
{
	uint64_t hash = hash_bytes(place, sizeof(*place));
	size_t at = id_map_first(&c->by_place, hash);

	for (uint32_t id; (id = id_map_candidate(&c->by_place, hash, &at));)
		if (!memcmp(&c->places.items[id - 1], place, sizeof(*place)))
			return id - 1;
	vector_push(&c->places, *place);
	id_map_insert_at(&c->by_place, hash, at, (uint32_t)c->places.len);
	return call_graph_function(&c->graph, locate(c, place));
}

/* Above `events:` it is not known how many costs a function has. */
static bool take_function(struct callgrind *c, struct bytes value)
{
	bool known = take_name(c, &c->functions, value, &c->current.name);

	c->in_function = known && c->events;
	if (c->in_function)
		c->caller = function_of(c, &c->current);
	return known;
}

/* "fn=(1) main" and the like; of jumps, only numbers that they define matter. False: an undefined
 * number. */
static bool take_assignment(struct callgrind *c, struct bytes key, struct bytes value)
{
	const struct {
		const char *key;
		struct names *names;
		string_id *name;
	} keys[] = {{"ob", &c->binaries, &c->current.binary}, {"fl", &c->files, &c->current.file},
		{"fi", &c->files, &c->current.file}, {"fe", &c->files, &c->current.file},
		{"cob", &c->binaries, &c->called_binary}, {"cfi", &c->files, &c->called_file},
		{"cfl", &c->files, &c->called_file}, {"cfn", &c->functions, &c->called},
		{"jfi", &c->files, &(string_id){0}}, {"jfn", &c->functions, &(string_id){0}}};

	if (bytes_equal(key, BYTES("fn")))
		return take_function(c, value);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (bytes_equal(key, bytes_of(keys[i].key)))
			return take_name(c, keys[i].names, value, keys[i].name);
	return true;
}

/* ---- Lines ---- */

static void skip(struct callgrind *c, const char *reason)
{
	text_stacks_skip(&c->stacks, reason);
}

static bool overflow(const struct callgrind *c, struct error *err)
{
	return error_set(err, ERR_LIMIT, "line %llu: the sum of all values exceeds 2^63",
		(unsigned long long)c->stacks.lines.number);
}

static bool take_call(struct callgrind *c, const int64_t *costs, struct error *err)
{
	struct place callee = {c->called_binary ? c->called_binary : c->current.binary,
		c->called_file ? c->called_file : c->current.file, c->called};

	c->call_follows = false;
	c->called_binary = c->called_file = c->called = 0;
	if (!callee.name) {
		skip(c, "expected `cfn=` above `calls=`");
		return true;
	}
	return call_graph_add_call(&c->graph, c->caller, function_of(c, &callee), costs) ||
	       overflow(c, err);
}

/* "16 400 100", "+3 400", "* 400" or "0x4005c0 16 400": positions, which are passed over, and
 * costs.
 */
static bool take_costs(struct callgrind *c, struct bytes line, struct error *err)
{
	int64_t costs[TEXT_STREAMS_LIMIT];

	if (c->jump_follows) {
		c->jump_follows = false;
		return true;
	}
	for (uint32_t i = 0; i < c->positions; i++)
		next_word(&line);
	if (!c->in_function || !parse_costs(c, line, costs)) {
		c->call_follows = false;
		skip(c, "expected " EXPECTS);
		return true;
	}
	if (c->call_follows)
		return take_call(c, costs, err);
	return call_graph_add_self(&c->graph, c->caller, costs) || overflow(c, err);
}

static bool is_position(char c)
{
	return is_digit(c) || c == '+' || c == '-' || c == '*';
}

/* "events: Ir Dr"; what is not known has no effect. */
static bool take_header(
	struct callgrind *c, struct bytes key, struct bytes value, struct error *err)
{
	if (bytes_equal(key, BYTES("events")))
		return take_events(c, value, err);
	if (bytes_equal(key, BYTES("positions")))
		take_positions(c, value);
	else if (bytes_equal(key, BYTES("creator")))
		c->interpreted = bytes_starts_with(bytes_trim(value), BYTES("xdebug"));
	else if (bytes_equal(key, BYTES("totals")))
		take_totals(c, value);
	return true;
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct callgrind *c = self;
	struct bytes key, value;

	value = line = bytes_trim(line);
	if (!line.len || *line.at == '#')
		return true;
	if (is_position(*line.at))
		return take_costs(c, line, err);
	if (bytes_until(line, '=') < bytes_until(line, ':') && bytes_cut(&value, '=', &key)) {
		if (bytes_equal(key, BYTES("calls")))
			c->call_follows = true;
		else if (bytes_equal(key, BYTES("jump")) || bytes_equal(key, BYTES("jcnd")))
			c->jump_follows = true;
		else if (!take_assignment(c, key, bytes_trim(value)))
			skip(c, "expected a number that was defined above, such as `fn=(1) main`");
		return true;
	}
	if (bytes_cut(&value, ':', &key))
		return take_header(c, key, value, err);
	skip(c, "expected " EXPECTS);
	return true;
}

/* The file has sums of its own: what they say more or less was not read, or is missing. */
static void check_totals(struct callgrind *c)
{
	struct profile *p = c->stacks.profile;
	int64_t sum = 0;

	for (size_t i = 0; i < c->places.len; i++)
		if (__builtin_add_overflow(sum, c->graph.self.items[i * c->graph.costs], &sum))
			return;
	if (c->totals_told && (c->totals_wrong || sum != c->told[0]))
		profile_note(p,
			"the file says that all costs together are %lld, but its lines add up to "
			"%lld",
			(long long)c->told[0], (long long)sum);
}

static bool end(void *self, struct error *err)
{
	struct callgrind *c = self;
	struct profile *p = c->stacks.profile;

	if (c->events > TEXT_STREAMS_LIMIT)
		profile_note(p, "only the first %u of %zu events were read", TEXT_STREAMS_LIMIT,
			c->events);
	if (!c->places.len)
		return true;
	check_totals(c);
	return call_graph_finish(&c->graph, &c->stacks, err);
}

static const struct line_format format = {.line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct callgrind c = {.positions = 1};

	return line_format_read(&format, &c, in, options, out, err);
}

/* Its own first line; or events, and a function below. */
static int bid(struct bytes head)
{
	if (bytes_starts_with(head, BYTES("# callgrind format\n")))
		return 8 * 19;
	if (!bytes_find(head, BYTES("\nevents: ")) && !bytes_starts_with(head, BYTES("events: ")))
		return 0;
	return bytes_find(head, BYTES("\nfn=")) && bytes_find(head, BYTES("\nfl=")) ? 8 * 17 : 0;
}

const struct reader reader_callgrind = {
	.name = "callgrind",
	.about = "profiles in Callgrind's format, also of Cachegrind, Xdebug and pprof; stacks are "
		 "estimated from the call graph, except with --separate-callers",
	.expects = EXPECTS,
	.proof = "Valgrind 3.19 and Xdebug 3.2 on programs of known shares; costs of functions as "
		 "callgrind_annotate shows them",
	.bid = bid,
	.read = read,
	.one_table = true,
};

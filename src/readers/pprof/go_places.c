/* go_places.c: which places of a profile are the locations that `go tool pprof -raw` lists? */
#include "readers/pprof/go_places.h"

#include "names/tidy.h"
#include "readers/pprof/go_words.h"
#include "readers/readers.h"

#include <stdlib.h>

#define INLINED_LIMIT 1024u /* lines of a location */

void go_places_release(struct go_places *g)
{
	vector_release(&g->locations);
	id_map_release(&g->by_number);
	vector_release(&g->lines);
	vector_release(&g->mappings);
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
static bool parse_line(struct go_places *g, struct bytes text, struct go_line *ret_line)
{
	struct profile *p = g->profile;
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
		const char *colon = bytes_find_last(text, ':');

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
	if (g->want & WANT_LINES) {
		uint64_t line = number[numbers - 1];

		ret_line->file = profile_string(p, file);
		ret_line->line = line < UINT32_MAX ? (uint32_t)line : 0;
	}
	return true;
}

/* "     1: 0x4b0aae M=1 main.(*T).spin /tmp/busy.go:5 s=0" */
static bool take_location(struct go_places *g, struct bytes line)
{
	struct go_location location = {.first = (uint32_t)g->lines.len};
	struct bytes number, address, word, rest = line;
	struct go_line first;

	if (!bytes_cut(&rest, ':', &number) ||
		!go_is_number(bytes_trim(number), &location.number) ||
		!go_next_word(&rest, &address) || !bytes_starts_with(address, BYTES("0x")) ||
		!bytes_hex((struct bytes){address.at + 2, address.len - 2}, &location.address))
		return false;
	rest = go_skip_blanks(rest);
	if (bytes_starts_with(rest, BYTES("M="))) {
		go_next_word(&rest, &word);
		go_is_number((struct bytes){word.at + 2, word.len - 2}, &location.mapping);
		rest = go_skip_blanks(rest);
	}
	if (bytes_starts_with(
		    rest, BYTES("[F] "))) /* its function is the only one of its mapping */
		rest = go_skip_blanks((struct bytes){rest.at + 4, rest.len - 4});
	if (parse_line(g, rest, &first)) {
		vector_push(&g->lines, first);
		location.count = 1;
	}
	vector_push(&g->locations, location);
	id_map_insert(&g->by_number, hash_pair(location.number, 1), (uint32_t)g->locations.len);
	return true;
}

/* What the location in the line before was inlined into. */
static bool take_caller(struct go_places *g, struct bytes line)
{
	struct go_line caller;

	if (!g->locations.len || !parse_line(g, go_skip_blanks(line), &caller) ||
		g->locations.items[g->locations.len - 1].count >= INLINED_LIMIT)
		return false;
	vector_push(&g->lines, caller);
	g->locations.items[g->locations.len - 1].count++;
	return true;
}

bool go_places_take_location(struct go_places *g, struct bytes line)
{
	return take_location(g, line) || take_caller(g, line);
}

/* "1: 0x400000/0x4b1000/0x0 /tmp/my busy 57ad12f [FN]" */
void go_places_take_mapping(struct go_places *g, struct bytes line)
{
	struct go_mapping mapping = {0};
	struct bytes number, word, rest = line;
	const char *flags = bytes_find_last(line, '[');

	if (!bytes_cut(&rest, ':', &number) || !go_is_number(bytes_trim(number), &mapping.number) ||
		!go_next_word(&rest, &word))
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
	mapping.module = profile_string(g->profile, tidy_base_name(bytes_trim(rest)));
	vector_push(&g->mappings, mapping);
}

/* ---- Places ---- */

/* pprof numbers mappings without gaps. */
static string_id module_of(const struct go_places *g, uint32_t mapping)
{
	uint32_t first = g->mappings.len ? g->mappings.items[0].number : 0;

	if (mapping < first || mapping - first >= g->mappings.len)
		return 0;
	return g->mappings.items[mapping - first].module;
}

struct go_location *go_places_find(const struct go_places *g, uint32_t number)
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
static location_id nameless(struct go_places *g, struct go_location *l)
{
	struct profile *p = g->profile;
	string_id module = module_of(g, l->mapping);
	struct bytes text = profile_text(p, module);
	struct buffer name = {0};

	if (l->made)
		return l->made;
	if (bytes_starts_with(text, BYTES("[")))
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

static location_id named(struct go_places *g, const struct go_location *l, struct go_line *line,
	enum frame_kind kind)
{
	struct frame frame = {.function = line->function,
		.module = module_of(g, l->mapping),
		.file = line->file,
		.line = line->line,
		.kind = kind};

	if (!line->made)
		line->made = profile_location_named(g->profile, profile_frame(g->profile, &frame));
	return line->made;
}

stack_id go_places_follow(struct go_places *g, struct go_location *l, stack_id caller)
{
	if (!l->count)
		return profile_stack(g->profile, caller, nameless(g, l));
	for (uint32_t i = l->count; i-- > 0;)
		caller = profile_stack(g->profile, caller,
			named(g, l, &g->lines.items[l->first + i],
				i + 1 < l->count ? FRAME_INLINED : FRAME_NATIVE));
	return caller;
}

/* ---- What another thread has read ---- */

void go_places_move(struct go_places *g, struct go_places *more, const string_id *strings)
{
	for (size_t i = 0; i < more->lines.len; i++) {
		struct go_line *line = &more->lines.items[i];

		line->function = strings[line->function];
		line->file = strings[line->file];
	}
	for (size_t i = 0; i < more->mappings.len; i++)
		more->mappings.items[i].module = strings[more->mappings.items[i].module];
	more->profile = g->profile;
	go_places_release(g);
	*g = *more;
	*more = (struct go_places){0};
}

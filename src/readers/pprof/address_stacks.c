/* address_stacks.c: stacks of addresses, of a process whose mappings are listed behind them. */
#include "readers/pprof/address_stacks.h"

#include "process/stacks.h"

#define THE_PROCESS 1 /* pid: the text does not say it, and there is only one */

void address_stacks_release(struct address_stacks *a)
{
	vector_release(&a->addresses);
	vector_release(&a->records);
	buffer_release(&a->maps);
}

/* ---- Records ---- */

static size_t pending(const struct address_stacks *a)
{
	const struct address_record *last =
		a->records.len ? &a->records.items[a->records.len - 1] : NULL;

	return last ? last->first + last->count : 0;
}

bool address_stacks_parse(struct address_stacks *a, struct bytes text)
{
	struct bytes word;
	uint64_t address;
	size_t first = pending(a);

	a->addresses.len = first;
	for (text = bytes_trim(text); text.len; text = bytes_trim(text)) {
		if (!bytes_cut(&text, ' ', &word)) {
			word = text;
			text.len = 0;
		}
		if (!bytes_starts_with(word, BYTES("0x")) ||
			!bytes_hex((struct bytes){word.at + 2, word.len - 2}, &address)) {
			a->addresses.len = first;
			return false;
		}
		vector_push(&a->addresses, address);
	}
	return true;
}

void address_stacks_add(
	struct address_stacks *a, uint64_t line, const int64_t *values, size_t count)
{
	struct address_record record = {.first = pending(a), .line = line};

	record.count = (uint32_t)(a->addresses.len - record.first);
	memcpy(record.values, values, count * sizeof(*values));
	vector_push(&a->records, record);
}

/* ---- Mappings ---- */

bool address_stacks_maps_start(struct bytes line)
{
	line = bytes_trim(line);
	return bytes_equal(line, BYTES("MAPPED_LIBRARIES:")) ||
	       bytes_equal(line, BYTES("--- Memory map: ---"));
}

void address_stacks_map(struct address_stacks *a, struct bytes line)
{
	struct bytes range, rest = bytes_trim(line);

	line = rest;
	if (bytes_cut(&rest, ':', &range) && bytes_until(range, ' ') == range.len)
		buffer_printf(&a->maps, "%.*s r-xp 00000000 00:00 0 %.*s\n", (int)range.len,
			range.at, (int)bytes_trim(rest).len, bytes_trim(rest).at);
	else
		buffer_printf(&a->maps, "%.*s\n", (int)line.len, line.at);
}

/* ---- Samples ---- */

struct process_places {
	struct binaries binaries;
	struct processes processes;
	struct stacks stacks;
};

static void places_init(struct process_places *p, const struct address_stacks *a,
	const struct text_stacks *t, const struct read_options *options)
{
	static const struct binary_locations usual;

	binaries_init(&p->binaries, t->profile);
	p->binaries.binary_locations =
		options->binary_locations ? options->binary_locations : &usual;
	p->binaries.recorded = input_time(t->lines.in);
	p->binaries.other_kernel = true; /* nothing says which one it was: names would be a guess */
	processes_init(&p->processes, t->profile, &p->binaries);
	stacks_init(&p->stacks, t->profile, &p->processes, NULL, NULL);
	processes_read_maps(&p->processes, THE_PROCESS, buffer_bytes(&a->maps));
}

static void places_release(struct process_places *p)
{
	stacks_release(&p->stacks);
	processes_release(&p->processes);
	binaries_release(&p->binaries);
}

/* Where a call returns to may belong to another line or function: the byte before is the call's. */
static bool add_record(struct process_places *p, const struct address_stacks *a,
	const struct address_record *record, struct text_stacks *t, struct error *err)
{
	for (uint32_t i = 0; i < record->count; i++) {
		uint64_t address = a->addresses.items[record->first + i];

		address -= address && !(a->exact_leaf && !i);
		text_stacks_push(t, stacks_user_place(&p->stacks, THE_PROCESS, address, 0));
	}
	text_stacks_fill(t);
	t->lines.number = record->line;
	return text_stacks_add(t, INNERMOST_FIRST, record->values, err);
}

bool address_stacks_finish(struct address_stacks *a, struct text_stacks *t,
	const struct read_options *options, struct error *err)
{
	uint64_t lines = t->lines.number;
	struct process_places places;
	bool done = true;

	places_init(&places, a, t, options);
	for (size_t i = 0; done && i < a->records.len; i++)
		done = add_record(&places, a, &a->records.items[i], t, err);
	binaries_identify(&places.binaries);
	places_release(&places);
	t->lines.number = lines;
	if (a->records.len && !a->maps.len)
		profile_note(t->profile, "the list of mappings at the end is missing, so functions "
					 "have no names: the "
					 "program was killed, or the file is truncated");
	return done;
}

/* bpftrace_maps.c: what do maps whose keys are stacks count? */
#include "readers/tracers/bpftrace_maps.h"

#include "names/tidy.h"
#include "readers/lines/scan.h"

#include <stdlib.h>

void bpftrace_maps_release(struct bpftrace_maps *b)
{
	vector_release(&b->names);
	vector_release(&b->keys);
}

bool bpftrace_choose(struct bpftrace_maps *b, struct bytes name)
{
	struct profile *p = b->stacks.profile;

	for (b->map = 0; b->map < b->names.len; b->map++)
		if (bytes_equal(profile_text(p, b->names.items[b->map]), name))
			return true;
	if (b->names.len == TEXT_STREAMS_LIMIT)
		return false;
	vector_push(&b->names, profile_string(p, name));
	if (name.len == 1)
		text_stacks_stream(&b->stacks, BYTES("samples"), BYTES("count"), name);
	else
		text_stacks_stream(&b->stacks, (struct bytes){name.at + 1, name.len - 1},
			BYTES("count"), name);
	return true;
}

void bpftrace_key(struct bpftrace_maps *b, struct bytes key)
{
	vector_push(&b->keys, text_stacks_named(&b->stacks, key, FRAME_META));
}

/* "55d0a2 main+27 (/usr/bin/x)", as ustack(perf) has it: cut the address and the module off. */
static bool cut_perf(struct bytes *text, struct bytes *ret_module, uint64_t *ret_address)
{
	const char *blank = memchr(text->at, ' ', text->len), *open;

	if (!blank || !bytes_hex((struct bytes){text->at, (size_t)(blank - text->at)}, ret_address))
		return false;
	*text = (struct bytes){blank + 1, (size_t)(text->at + text->len - blank) - 1};
	open = bytes_find_last(*text, '(');
	*ret_module = (struct bytes){0};
	if (open && open > text->at && open[-1] == ' ' && text->at[text->len - 1] == ')') {
		*ret_module = (struct bytes){open + 1, (size_t)(text->at + text->len - open) - 2};
		text->len = (size_t)(open - text->at) - 1;
	}
	return true;
}

static struct bytes without_offset(struct bytes symbol)
{
	size_t at = symbol.len - scan_digits_before(symbol.at, symbol.at + symbol.len);

	if (at < symbol.len && at > 1 && symbol.at[at - 1] == '+')
		symbol.len = at - 1;
	return symbol;
}

/* Is the offset of `part` (bpftrace_part) still there? */
static bool has_offset(struct bytes part, struct bytes symbol)
{
	struct bytes name = without_offset(symbol);

	return symbol.at + symbol.len < part.at + part.len ||
	       (name.len && name.at[name.len - 1] == ':');
}

/* A frame is made of nothing but what its line is known by: it does not matter which of two lines
 * comes first. */
static location_id new_frame(struct bpftrace_maps *b, struct bytes part)
{
	struct bytes symbol = bytes_trim(part), module = {0};
	uint64_t address = 0;
	location_id location;

	if (b->stacks.style->tool != TOOL_SCRIPTS) {
		cut_perf(&symbol, &module, &address);
		if (has_offset(part, symbol))
			symbol = without_offset(symbol);
	}
	location = text_stacks_symbol(&b->stacks, symbol, module,
		address >> 63 ? FRAME_KERNEL : tidy_module_kind(module));
	return location;
}

struct bytes bpftrace_part(struct bytes line)
{
	struct bytes symbol = without_offset(line);

	return symbol.len && symbol.at[symbol.len - 1] != ':' ? symbol : line;
}

void bpftrace_frame(struct bpftrace_maps *b, struct bytes line)
{
	struct bytes part = b->stacks.style->tool == TOOL_SCRIPTS ? line : bpftrace_part(line);
	location_id location = text_stacks_known(&b->stacks, part);

	if (!location) {
		location = new_frame(b, part);
		text_stacks_learn(&b->stacks, part, location);
	}
	text_stacks_push(&b->stacks, location);
}

void bpftrace_drop(struct bpftrace_maps *b)
{
	b->keys.len = 0;
	text_stacks_clear(&b->stacks);
}

bool bpftrace_add(struct bpftrace_maps *b, int64_t value, struct error *err)
{
	bool done;

	while (b->keys.len)
		text_stacks_push(&b->stacks, b->keys.items[--b->keys.len]);
	text_stacks_fill(&b->stacks);
	b->values[b->map] = value;
	done = text_stacks_add(&b->stacks, INNERMOST_FIRST, b->values, err);
	b->values[b->map] = 0;
	bpftrace_drop(b);
	return done;
}

void bpftrace_note_lost(struct profile *p, uint64_t lost)
{
	if (lost)
		profile_note(p, "bpftrace lost %llu events", (unsigned long long)lost);
}

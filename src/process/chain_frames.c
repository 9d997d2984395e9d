/* chain_frames.c: how do a binary's chains of functions become frames of a profile? */
#include "process/chain_frames.h"

#include <stdlib.h>

static string_id string_of(struct chain_frames *f, uint32_t text)
{
	if (!f->strings[text] && text)
		f->strings[text] = profile_string(f->profile, chains_text_at(f->chains, text));
	return f->strings[text];
}

static frame_id frame_of(struct chain_frames *f, uint32_t chain)
{
	const struct chain *row = &f->chains->rows.items[chain];
	struct frame frame = {.module = f->module, .line = row->line};

	if (!f->frames[chain]) {
		frame.kind = row->caller ? FRAME_INLINED : f->kind;
		frame.function = string_of(f, row->function);
		frame.file = string_of(f, row->file);
		f->frames[chain] = profile_frame(f->profile, &frame);
	}
	return f->frames[chain];
}

const frame_id *chain_frames_of(struct chain_frames *f, uint32_t chain, size_t *ret_count)
{
	size_t at = CHAIN_LIMIT;

	if (!f->frames) {
		f->strings = memory_new(f->chains->text_ends.len, sizeof(*f->strings));
		f->frames = memory_new(f->chains->rows.len, sizeof(*f->frames));
	}
	for (; chain && at; chain = f->chains->rows.items[chain].caller)
		f->span[--at] = frame_of(f, chain);
	*ret_count = CHAIN_LIMIT - at;
	return f->span + at;
}

void chain_frames_release(struct chain_frames *f)
{
	memory_free(f->strings);
	memory_free(f->frames);
}

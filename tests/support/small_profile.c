/* small_profile.c: which profile does this line stand for? */
#include "support/small_profile.h"

#include <stdlib.h>

static struct bytes cut(struct bytes *text, char separator)
{
	const char *found = memchr(text->at, separator, text->len);
	struct bytes head = {text->at, found ? (size_t)(found - text->at) : text->len};

	text->at += head.len + (found != NULL);
	text->len -= head.len + (found != NULL);
	return head;
}

static frame_id frame_of(struct profile *p, struct bytes name)
{
	static const struct {
		struct bytes end;
		enum frame_kind kind;
	} ends[] = {{{"_[k]", 4}, FRAME_KERNEL}, {{"_[j]", 4}, FRAME_JIT},
		{{"_[i]", 4}, FRAME_INLINED}};

	if (bytes_starts_with(name, BYTES("[truncated")))
		return profile_frame_named(p, name, FRAME_META);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (bytes_ends_with(name, ends[i].end))
			return profile_frame_named(
				p, (struct bytes){name.at, name.len - 4}, ends[i].kind);
	return profile_frame_named(p, name, FRAME_NATIVE);
}

/* "@1" and "+30" in front of a stack. */
static void read_marks(struct profile *p, struct bytes *part, struct sample *sample)
{
	char *end = (char *)(uintptr_t)part->at;

	if (part->at[0] == '@') {
		int32_t tid = (int32_t)strtol(part->at + 1, &end, 10);

		sample->thread = profile_thread(p, profile_process(p, 1, 0), tid, 0);
		if (*end == '+')
			sample->time = strtoull(end + 1, &end, 10) * 1000000000;
	}
	part->len -= (size_t)(end - part->at);
	part->at = end;
}

void small_profile(struct profile *p, const char *text, bool times)
{
	struct bytes rest = bytes_of(text);
	uint32_t table, stream;

	profile_init(p);
	table = profile_add_samples(p);
	stream = profile_add_stream(p, table, BYTES("samples"), BYTES("count"), BYTES(""));
	for (size_t n = 0; rest.len; n++) {
		struct bytes part = cut(&rest, ',');
		struct sample sample = {
			.has = times ? SAMPLE_TIME | SAMPLE_THREAD : 0, .time = n * 1000000000};
		const char *blank = memrchr(part.at, ' ', part.len);
		int64_t value = strtoll(blank + 1, NULL, 10);

		part.len = (size_t)(blank - part.at);
		read_marks(p, &part, &sample);
		while (part.len)
			sample.stack = profile_stack(p, sample.stack,
				profile_location_named(p, frame_of(p, cut(&part, ';'))));
		profile_add_sample(p, table, &sample);
		vector_push(&p->streams.items[stream].value, value);
	}
}

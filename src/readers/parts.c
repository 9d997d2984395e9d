/* parts.c: how is one long input read by several threads?
 *
 * Each thread reads a part of it as if that were all, into tables of its own, which are put behind
 * one another in the end. */
#include "readers/parts.h"

#include "base/crew.h"
#include "model/append.h"

#define PARTS_MOST 8u
#define PART_LEAST                                                                                 \
	((uint64_t)16 << 20)	     /* bytes; a thread takes longer than to put its tables there */
#define CUT_SEARCH ((size_t)1 << 20) /* bytes in which there has to be a place to cut */

struct part {
	uint64_t start, end;
	struct profile profile;
	bool read;
};

struct parts {
	const struct reader *reader;
	const struct input *in;
	const struct read_options *options;
	struct part part[PARTS_MOST];
	unsigned count;
};

unsigned parts_wanted(
	const struct reader *reader, const struct input *in, const struct read_options *options)
{
	uint64_t size = reader->cut ? input_size(in) : 0;

	/* Samples of their own have an order; what has been summed up has none. Nor may a reader
	 * choose the event by what comes first. */
	if (options->want & (WANT_TIMES | WANT_THREADS | WANT_CPUS) ||
		(options->style && !options->event) || size < 2 * PART_LEAST)
		return 1;
	return crew_size(size / PART_LEAST < PARTS_MOST ? size / PART_LEAST : PARTS_MOST);
}

/* Where, from `start` on, a part can begin; `end`: nowhere near. */
static uint64_t find_cut(const struct parts *p, uint64_t start, uint64_t end)
{
	struct error ignored = {0};
	struct input here;
	uint64_t found = end;

	if (end - start > CUT_SEARCH)
		end = start + CUT_SEARCH;
	if (input_open_part(&here, p->in, start, end, &ignored) &&
		input_fill(&here, end - start, &ignored)) {
		size_t at = p->reader->cut(here.window);

		if (at < here.window.len)
			found = start + at;
	}
	input_release(&here);
	return found;
}

static void find_parts(struct parts *p, unsigned count)
{
	uint64_t size = input_size(p->in), start = 0;

	for (unsigned i = 1; i <= count && start < size; i++) {
		uint64_t middle = size / count * i;
		uint64_t end = i < count && middle > start ? find_cut(p, middle, size) : size;

		p->part[p->count++] = (struct part){.start = start, .end = end};
		start = end;
	}
}

static void read_part(void *context, size_t i)
{
	struct parts *p = context;
	struct part *part = &p->part[i];
	struct error ignored = {0};
	struct input in;

	profile_init(&part->profile);
	part->read = input_open_part(&in, p->in, part->start, part->end, &ignored) &&
		     p->reader->read(&in, p->options, &part->profile, &ignored);
	input_release(&in);
}

static bool join(struct parts *p)
{
	bool joined = p->part[0].read;

	for (unsigned i = 1; joined && i < p->count; i++) {
		joined =
			p->part[i].read && profile_append(&p->part[0].profile, &p->part[i].profile);
		profile_release(&p->part[i].profile);
	}
	return joined;
}

bool parts_read(const struct reader *reader, struct input *in, const struct read_options *options,
	unsigned count, struct profile *out)
{
	struct parts p = {.reader = reader, .in = in, .options = options};
	bool joined;

	find_parts(&p, count < PARTS_MOST ? count : PARTS_MOST);
	if (p.count < 2)
		return false;
	crew_run(p.count, 1, p.count, read_part, &p);
	joined = join(&p);
	if (joined) {
		profile_release(out);
		*out = p.part[0].profile;
		p.part[0].profile = (struct profile){0};
		/* Nobody looks for stacks now; who does later gets to know them again. */
		callees_release(&out->callees);
	}
	for (unsigned i = 0; i < p.count; i++)
		profile_release(&p.part[i].profile);
	return joined;
}

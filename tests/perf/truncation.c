/* truncation.c: does a perf.data file that is cut anywhere give the samples before the cut?
 *
 *     truncation FILE.data STRIDE
 *
 * The file is cut at every byte of its first and last 4 KB, of the records around the middle, and
 * at every STRIDE-th byte elsewhere. What has to be there is counted by a walk over the headers of
 * the records, and told from other samples by the sum of the times. */
#include "base/leases.h"
#include "readers/reading.h"
#include "recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define EVERY_BYTE 4096 /* at each end and in the middle */

struct expected {
	uint64_t samples, times;
};

struct check {
	struct recording recording;
	VECTOR(struct timed) samples; /* as the file has them; `at` is where each ends */
	uint64_t cuts, errors;
};

static void find_samples(struct check *c)
{
	const struct recording *r = &c->recording;

	for (size_t at = r->data; at < r->data_end; at += recording_header(r, at)->size) {
		const struct perf_event_header *header = recording_header(r, at);
		struct timed sample = {.at = at + header->size};

		if (header->type == PERF_RECORD_SAMPLE &&
			perf_record_time((struct bytes){r->content.at + at, header->size},
				&r->layout, &sample.time))
			vector_push(&c->samples, sample);
	}
}

static struct expected expected(const struct check *c, size_t cut)
{
	struct expected e = {0};

	while (e.samples < c->samples.len && c->samples.items[e.samples].at <= cut)
		e.times += c->samples.items[e.samples++].time;
	return e;
}

static struct expected found(const struct profile *p)
{
	struct expected e = {0};

	for (size_t t = 0; t < p->samples.len; t++) {
		e.samples += p->samples.items[t].count;
		for (size_t i = 0; i < p->samples.items[t].count; i++)
			e.times += p->samples.items[t].time.items[i];
	}
	return e;
}

static bool check_cut(struct check *c, size_t cut)
{
	struct read_options options = {.want = WANT_TIMES, .format = "perf-data"};
	struct expected should = expected(c, cut), is = {0};
	struct profile profile = {0};
	struct error err = {0};
	struct input in;
	bool good;

	if (!input_open_bytes(&in, (struct bytes){c->recording.content.at, cut}, "cut", &err))
		return false;
	c->cuts++;
	good = profile_read_input(&in, &options, &profile, &err);
	if (good)
		is = found(&profile);
	else
		c->errors++;
	/* Before the first sample's end there is nothing to show, which is to be said. */
	good = good ? is.samples == should.samples && is.times == should.times
		    : !should.samples && err.text[0];
	if (!good)
		printf("cut at %zu: %" PRIu64 " samples, expected %" PRIu64 "%s%s\n", cut,
			is.samples, should.samples, err.text[0] ? ": " : "", err.text);
	profile_release(&profile);
	input_release(&in);
	return good;
}

static bool is_near(const struct check *c, size_t cut)
{
	size_t len = c->recording.content.len;

	return cut < EVERY_BYTE || len - cut < EVERY_BYTE ||
	       (cut >= len / 2 && cut - len / 2 < EVERY_BYTE);
}

int main(int argc, char **argv)
{
	struct check c = {0};
	size_t stride = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, bad = 0;

	if (!stride) {
		fprintf(stderr, "usage: truncation FILE.data STRIDE\n");
		return 2;
	}
	leases_allow(); /* as the command does: a mapped library is not copied for every cut */
	recording_open(&c.recording, argv[1]);
	find_samples(&c);
	for (size_t cut = 0; cut <= c.recording.content.len && bad < 10; cut++)
		if (cut % stride == 0 || is_near(&c, cut))
			bad += !check_cut(&c, cut);
	printf("%zu bytes, %zu samples: cut %" PRIu64 " times, %" PRIu64
	       " times before the first sample; %zu wrong\n",
		c.recording.content.len, c.samples.len, c.cuts, c.errors, bad);
	bad += !c.samples.len;
	vector_release(&c.samples);
	recording_release(&c.recording);
	return bad ? 1 : 0;
}

/* fuzz_readers.c: text of any tool, damaged in any way. The first byte says which reader gets the
 * rest. */
#include "model/view.h"
#include "readers/parts.h"
#include "readers/reading.h"
#include "readers/reading_style.h"

#include "support/fold_text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 'A' is the first, 'B' the second, ...: new ones go to the end, so that inputs stay what they are.
 */
static const char *const names[] = {
	/* A */ "bpftrace",
	/* B */ "dtrace",
	/* C */ "stap",
	/* D */ "sample",
	/* E */ "bcc",
	/* F */ "xdebug",
	/* G */ "perf-sched",
	/* H */ "instruments",
	/* I */ "pmc",
	/* J */ "ljp",
	/* K */ "wcp",
	/* L */ "aix",
	/* M */ "jstack",
	/* N */ "java-exceptions",
	/* O */ "javacore",
	/* P */ "gdb",
	/* Q */ "eu-stack",
	/* R */ "faulthandler",
	/* S */ "go-raw",
	/* T */ "xctrace",
	/* U */ "ghc",
	/* V */ "vtune",
	/* W */ "vsprof",
	/* X */ "cpuprofile",
	/* Y */ "chrome-trace",
	/* Z */ "speedscope",
	/* [ */ "firefox",
	/* \ */ "otlp-json",
	/* ] */ "austin",
	/* ^ */ "bpftrace-json",
	/* _ */ "html",
	/* ` */ "folded",
	/* a */ "perf-script",
	/* b */ "perf-report",
	/* c */ "go-text",
	/* d */ "gperftools-cpu",
	/* e */ "gperftools-text",
	/* f */ "jemalloc",
	/* g */ "heapprofile",
	/* h */ "heapsnapshot",
	/* i */ "callgrind",
	/* j */ "massif",
	/* k */ "dhat",
	/* l */ "d3",
	/* m */ "flamebearer",
	/* n */ "stackprof",
	/* o */ "jfr-print",
	/* p */ "jfr",
	/* q */ "gecko",
	/* r */ "simpleperf",
	/* s */ "art-trace",
	/* t */ "async-html",
	/* u */ "memleak",
	/* v */ "threadz",
};

#define NAMES (sizeof(names) / sizeof(*names))

/* The result of reading. */
struct result {
	bool done;
	bool time_refused; /* it has a time above the limit, and times were wanted */
	size_t streams;
	int64_t total; /* of all values of the first streams, which fit into it */
};

static const struct samples *samples_of(const struct profile *p)
{
	return &p->samples.items[p->streams.items[0].row.samples];
}

static struct result read_and_walk(const struct reader *reader, struct bytes content, unsigned want,
	const struct reading_style *style)
{
	struct read_options options = {.want = want, .style = style, .format = reader->name};
	struct result result = {0};
	struct error err = {0};
	struct profile p;
	struct input in;

	if (!input_open_bytes(&in, content, "fuzz", &err))
		return result;
	result.done = profile_read_input(&in, &options, &p, &err);
	assert(result.done || (err.code && err.text[0]));
	result.time_refused = !result.done && strstr(err.text, "is above 2^62 ns");
	if (result.done) {
		struct view v;

		result.streams = p.streams.len;
		for (size_t i = 0; result.streams && i < samples_of(&p)->count; i++)
			result.total += stream_value(&p.streams.items[0], i);
		view_init(&v, &p, BY_FUNCTION);
		for (size_t i = 1; i < v.tree.caller.len; i++)
			assert(v.tree.caller.items[i] < i);
		view_release(&v);
	}
	profile_release(&p);
	input_release(&in);
	return result;
}

/* In parts, if it can be read so, it is the same. */
static void read_in_parts(const struct reader *reader, struct bytes content, unsigned count)
{
	struct read_options options = {.format = reader->name};
	struct error err = {0};
	struct profile parts;
	struct input in;

	if (!reader->cut || !input_open_bytes(&in, content, "fuzz", &err))
		return;
	profile_init(&parts);
	if (parts_read(reader, &in, &options, count, &parts)) {
		struct profile whole;
		const char *where;

		profile_init(&whole);
		assert(reader->read(&in, &options, &whole, &err));
		if (!profiles_read_alike(&whole, &parts, &where)) {
			fprintf(stderr, "%s, read in parts: other %s\n", reader->name, where);
			abort();
		}
		profile_release(&whole);
	}
	profile_release(&parts);
	input_release(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes content = {(const char *)data + 1, size - 1};
	/* KILN_FUZZ_READER: all inputs are for this one, whatever they say. */
	const char *only = getenv("KILN_FUZZ_READER");
	const struct reader *reader;
	struct result without, with;

	if (!size)
		return 0;
	reader = reader_by_name(only ? only : names[(uint8_t)(data[0] - 'A') % NAMES]);
	if (!reader)
		return 0;
	without = read_and_walk(reader, content, 0, NULL);
	with = read_and_walk(reader, content, WANT_ALL, NULL);
	if (with.time_refused)
		return 0;
	assert(without.done == with.done);
	assert(without.streams == with.streams);
	assert(without.total == with.total);
	read_and_walk(reader, content, 0,
		&(struct reading_style){.tool = TOOL_SCRIPTS,
			.thread_ids = true,
			.wakers = true,
			.waker_chains = true});
	read_and_walk(reader, content, 0, &(struct reading_style){.tool = TOOL_INFERNO});
	read_in_parts(reader, content, 2 + (unsigned)size % 3);
	content.len = content.len < READER_HEAD ? content.len : READER_HEAD;
	for (size_t i = 0; readers[i]; i++)
		assert(readers[i]->bid(content) >= 0);
	return 0;
}

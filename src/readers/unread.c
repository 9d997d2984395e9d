/* unread.c: which files does Kiln recognise and not read, and what can be done with them?
 *
 * Mostly they are a tool's own files, whose format only the tool knows for all of its versions, and
 * it can print what is in them. A file is recognised by what all of its kind begin with. */
#include "readers/unread.h"

#include <linux/perf_event.h>

struct beginning {
	struct bytes magic;
	struct bytes also; /* somewhere in the head; empty: nothing */
	struct unread unread;
};

#define MAGIC(literal)                                                                             \
	{                                                                                          \
		(literal), sizeof(literal) - 1                                                     \
	}

/* A dictionary that Python has marshalled, with keys of three items. */
#define CPROFILE                                                                                   \
	{                                                                                          \
		"a profile of Python's cProfile",                                                  \
			"it has no stacks; convert it with `pyprof2calltree -i FILE -o "           \
			"callgrind.out`, or record with py-spy (-f raw)"                           \
	}

static const struct beginning beginnings[] = {
	{MAGIC("JAVA PROFILE 1.0."), {0},
		{"a heap dump of Java",
			"it has objects and no stacks that allocated them; record allocations with "
			"async-profiler (-e alloc -o collapsed)"}},
	{MAGIC("v "), MAGIC("\nX "),
		{"a recording of heaptrack",
			"convert it with `heaptrack_print -F FILE.folded RECORDING`"}},
	{MAGIC("gmon"), {0},
		{"a profile of gprof", "it has no stacks; record the program with `kiln record`"}},
	{MAGIC("NYTProf "), {0},
		{"a profile of Perl's NYTProf",
			"convert it with `nytprofcalls FILE >FILE.folded`"}},
	{MAGIC("\x04\x08{"), MAGIC("samples"),
		{"a dump of Ruby's stackprof",
			"print it with `stackprof --json FILE`, which Kiln reads"}},
	{MAGIC("{\xa9\x03"), {0}, CPROFILE},
	{MAGIC("{)\x03"), {0}, CPROFILE},
	{MAGIC("\xfb\xa9\x03"), {0}, CPROFILE},
	{MAGIC("\xfb)\x03"), {0}, CPROFILE},
	{MAGIC("memray"), {0},
		{"a recording of memray", "only memray reads it; see `memray flamegraph FILE`"}},
	{MAGIC("Nettrace"), {0},
		{"a recording of .NET",
			"convert it with `dotnet-trace convert --format Speedscope FILE`"}},
	{MAGIC("\x17\x08\x44tracing"), {0},
		{"a recording of trace-cmd", "record with `perf record`, or with `kiln record`"}},
	{MAGIC("# tracer: "), {0},
		{"a trace of the kernel's ftrace",
			"record with `perf record`, or with `kiln record`"}},
	{MAGIC("Tracing blocked time (us) by "), {0},
		{"stacks of bcc's wakeuptime or offwaketime", "print them as folded text with -f"}},
	{MAGIC("Tracing "), MAGIC(" functions for \""),
		{"stacks of bcc's stackcount, or counts of its funccount",
			"print stacks as folded text with `stackcount -f`"}},
	{MAGIC("--- symbol\n"), {0},
		{"a profile of gperftools with names added by pprof",
			"read the profile that it was made of"}},
	{MAGIC("\x7f"
	       "ELF"),
		{0},
		{"a program or a core dump",
			"record the program with `kiln record`, or print the stacks of a dump with "
			"`eu-stack --core FILE`"}},
	{MAGIC("{"), MAGIC("\"sampleStackTraces\""),
		{"a timeline of Safari's Web Inspector",
			"record the page in a browser whose CPU profiles Kiln reads, such as "
			"Chromium"}},
	{MAGIC("{"), MAGIC("\"cost_centres\""),
		{"a profile of GHC as JSON",
			"read the text that the program writes with `+RTS -p`"}},
	{MAGIC("PK\x03\x04"), {0}, {"a ZIP archive", "unpack it, and read the profile inside"}},
	{MAGIC("SQLite format 3\0"), {0},
		{"a database of SQLite, such as Nsight Systems writes",
			"export stacks as text with the tool that wrote it"}},
	{MAGIC("<?xml"), MAGIC("<svg"),
		{"a picture, perhaps of a flame graph", "read what it was drawn from"}},
	{MAGIC("<svg"), {0},
		{"a picture, perhaps of a flame graph", "read what it was drawn from"}},
	{MAGIC("<!DOCTYPE html"), {0},
		{"a page that Kiln has not written",
			"save its stacks as text with the tool that wrote it, such as `asprof -o "
			"collapsed`"}},
};

/* ---- Records of perf without a header ---- */

static const struct unread records = {
	"one thread's records of `perf record --threads`, without the header in `data`",
	"name the folder of both"};

#define RECORDS_AT_LEAST 3u
#define LAST_KERNEL_TYPE 31u /* of a record: room for kernels to come */
#define COMPRESSED	 81u
#define COMPRESSED2	 83u

static struct bytes behind(struct bytes text, size_t count)
{
	return count < text.len ? (struct bytes){text.at + count, text.len - count}
				: (struct bytes){0};
}

/* Each record tells its type and its size. */
static bool is_records(struct bytes head)
{
	const struct bytes zstd = BYTES("\x28\xb5\x2f\xfd");
	size_t count = 0;

	while (head.len >= sizeof(struct perf_event_header) && count < RECORDS_AT_LEAST) {
		struct perf_event_header header;
		struct bytes content;

		memcpy(&header, head.at, sizeof(header));
		content = behind(head, sizeof(header));
		if (!count && (header.type == COMPRESSED || header.type == COMPRESSED2))
			return bytes_starts_with(content, zstd) ||
			       bytes_starts_with(behind(content, 8), zstd);
		if (!header.type || header.type > LAST_KERNEL_TYPE || header.size % 8 ||
			header.size <= sizeof(header) || header.size > head.len)
			break;
		head = behind(head, header.size);
		count++;
	}
	return count == RECORDS_AT_LEAST || (count && !head.len);
}

const struct unread *unread_format(struct bytes head)
{
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		const struct beginning *b = &beginnings[i];

		if (bytes_starts_with(head, b->magic) &&
			(!b->also.len || bytes_find(head, b->also)))
			return &b->unread;
	}
	return is_records(head) ? &records : NULL;
}

/* recording.c: the records of a perf.data file, in the order of time. */
#include "recording.h"
#include "base/buffer.h"

#include <stdio.h>
#include <stdlib.h>

#define KERNEL_TYPES_END 64 /* records of perf's own start here */

/* As linux/tools/perf/Documentation/perf.data-file-format.txt has it. */
struct file_header {
	char magic[8];
	uint64_t size, attr_size, attrs_at, attrs_size, data_at, data_size;
};

static void fail(const char *path, const char *what)
{
	fprintf(stderr, "%s: %s\n", path, what);
	exit(2);
}

static struct bytes whole_file(const char *path)
{
	struct buffer content = {0};
	char part[1 << 16];
	FILE *f = fopen(path, "rb");
	size_t len;

	if (!f)
		fail(path, "cannot be opened");
	while ((len = fread(part, 1, sizeof(part), f)) > 0)
		buffer_add(&content, part, len);
	fclose(f);
	return buffer_bytes(&content); /* released by recording_release */
}

const struct perf_event_header *recording_header(const struct recording *r, size_t at)
{
	return (const struct perf_event_header *)(const void *)(r->content.at + at);
}

/* By time; those of one time as the file has them. */
static int compare(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

void recording_open(struct recording *r, const char *path)
{
	struct file_header header;
	struct perf_event_attr attr = {0};
	struct timed record = {0};

	*r = (struct recording){.content = whole_file(path)};
	if (r->content.len < sizeof(header))
		fail(path, "no file header");
	memcpy(&header, r->content.at, sizeof(header));
	if (memcmp(header.magic, "PERFILE2", 8) != 0 || header.attrs_size != header.attr_size)
		fail(path, "not a file of this machine with one event");
	memcpy(&attr, r->content.at + header.attrs_at,
		header.attr_size - 16 < sizeof(attr) ? header.attr_size - 16 : sizeof(attr));
	r->layout = perf_layout_of(&attr);
	r->data = header.data_at;
	r->data_end = header.data_at + header.data_size;
	if (r->data_end > r->content.len || !(r->layout.sample_type & PERF_SAMPLE_TIME))
		fail(path, "cut short, or without times");
	for (size_t at = r->data; at < r->data_end; at += recording_header(r, at)->size) {
		if (recording_header(r, at)->size < sizeof(struct perf_event_header))
			fail(path, "a record without a size");
		record.at = at;
		if (recording_header(r, at)->type < KERNEL_TYPES_END &&
			perf_record_time((struct bytes){r->content.at + at, r->data_end - at},
				&r->layout, &record.time))
			vector_push(&r->records, record);
	}
	qsort(r->records.items, r->records.len, sizeof(*r->records.items), compare);
}

void recording_release(struct recording *r)
{
	free((char *)(uintptr_t)r->content.at);
	vector_release(&r->records);
	*r = (struct recording){0};
}

/* perf_map.c: what did a just-in-time compiler say about its code?
 *
 * Marks (time, size of the file) divide the file into parts. A line that ends behind the size of
 * mark k was not there at mark k, so it may have been written from mark k's time on: that is the
 * time from which its code is valid (time_at). A look that finds the file unchanged only changes
 * the time of the last mark, so there are as many marks as periods of growth. */
#include "images/perf_map.h"

#include "base/memory.h"

#include <stdlib.h>

struct mark {
	uint64_t time, size;
};

struct perf_map {
	struct code_map *code;
	VECTOR(struct mark) marks; /* by ascending time and size */
	size_t mark;		   /* the one that applies to the line read last */
	uint64_t restarted;	   /* when the file was started anew; 0: never */
	uint64_t read;		   /* bytes of the file, up to the end of a line */
	uint64_t malformed, left_out;
};

struct perf_map *perf_map_new(void)
{
	struct perf_map *map = memory_new(1, sizeof(*map));

	map->code = code_map_new();
	return map;
}

void perf_map_release(struct perf_map *map)
{
	if (!map)
		return;
	code_map_release(map->code);
	vector_release(&map->marks);
	memory_free(map);
}

void perf_map_mark(struct perf_map *map, uint64_t time, uint64_t size)
{
	struct mark *last = map->marks.len ? &map->marks.items[map->marks.len - 1] : NULL;

	if (last && size < last->size) {
		map->restarted = last->time;
		code_map_remove_all(map->code, time);
		map->marks.len = map->mark = 0;
		map->read = 0;
		last = NULL;
	}
	if (last && size == last->size)
		last->time = time; /* nothing was written between the two */
	else
		vector_push(&map->marks, ((struct mark){time, size}));
}

/* ---- Lines ---- */

static bool word_read(struct bytes *line, uint64_t *ret_value)
{
	const char *blank = line->len ? memchr(line->at, ' ', line->len) : NULL;
	struct bytes word = {line->at, blank ? (size_t)(blank - line->at) : 0};

	if (bytes_starts_with(word, BYTES("0x")))
		word = (struct bytes){word.at + 2, word.len - 2};
	if (!word.len || !bytes_hex(word, ret_value))
		return false;
	line->len -= (size_t)(blank + 1 - line->at);
	line->at = blank + 1;
	return true;
}

static bool piece_read(struct bytes line, struct code_piece *ret)
{
	if (!word_read(&line, &ret->start) || !word_read(&line, &ret->size))
		return false;
	ret->name = bytes_trim(line);
	return ret->name.len && ret->size && ret->start + ret->size >= ret->start;
}

/* The earliest time at which the content that ends at `offset` can have been written: that of the
 * last mark at which the file was shorter. */
static uint64_t time_at(struct perf_map *map, uint64_t offset)
{
	while (map->mark < map->marks.len && map->marks.items[map->mark].size < offset)
		map->mark++;
	return map->mark ? map->marks.items[map->mark - 1].time : map->restarted;
}

static void parse_lines(struct perf_map *map, struct bytes text, uint64_t offset)
{
	const char *start = text.at;
	struct bytes line;

	while (bytes_line(&text, &line)) {
		struct code_piece piece = {0};

		if (!line.len)
			continue;
		if (!piece_read(line, &piece)) {
			map->malformed++;
			continue;
		}
		piece.from = time_at(map, offset + (uint64_t)(line.at + line.len - start));
		code_map_add(map->code, &piece);
	}
}

bool perf_map_read(struct perf_map *map, int fd, bool complete, struct runtime_budget *budget,
	struct error *err)
{
	struct error failed = {0};
	struct runtime_read r;

	if (runtime_read_begin(&r, fd, map->read, budget, &failed)) {
		while (runtime_read_next(&r, &failed)) {
			size_t taken = runtime_read_lines(&r, complete);

			parse_lines(map, (struct bytes){r.text.at, taken}, r.start);
			map->read = r.offset = r.start + taken;
		}
	}
	map->left_out = runtime_read_end(&r);
	if (failed.code)
		*err = failed;
	return !failed.code;
}

uint64_t perf_map_left_out(const struct perf_map *map)
{
	return map->left_out;
}

struct perf_map *perf_map_parse(struct bytes text)
{
	struct perf_map *map = perf_map_new();

	parse_lines(map, text, 0);
	return map;
}

struct code_map *perf_map_code(struct perf_map *map)
{
	return map->code;
}

uint64_t perf_map_malformed(const struct perf_map *map)
{
	return map->malformed;
}

bool perf_map_followed(const struct perf_map *map)
{
	return map->marks.len > 0;
}

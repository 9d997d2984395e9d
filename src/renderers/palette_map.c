/* palette_map.c: which colours did earlier pictures use? */
#include "renderers/palette_map.h"

#include "base/input.h"
#include "base/output.h"
#include "base/plain_file.h"

#include <errno.h>
#include <stdlib.h>

void palette_map_release(struct palette_map *m)
{
	vector_release(&m->entries);
	id_map_release(&m->by_name);
	arena_release(&m->names);
	*m = (struct palette_map){0};
}

static size_t find(struct palette_map *m, struct bytes name, uint64_t hash, uint32_t *ret_id)
{
	size_t at = id_map_first(&m->by_name, hash);

	while ((*ret_id = id_map_candidate(&m->by_name, hash, &at)))
		if (bytes_equal(m->entries.items[*ret_id - 1].name, name))
			break;
	return at;
}

const struct colour *palette_map_find(struct palette_map *m, struct bytes name)
{
	uint32_t id;

	find(m, name, hash_bytes(name.at, name.len), &id);
	return id ? &m->entries.items[id - 1].colour : NULL;
}

void palette_map_add(struct palette_map *m, struct bytes name, struct colour colour)
{
	uint64_t hash = hash_bytes(name.at, name.len);
	uint32_t id;
	size_t at = find(m, name, hash, &id);

	if (id) {
		m->entries.items[id - 1].colour = colour;
		return;
	}
	vector_push(&m->entries,
		((struct palette_entry){
			{arena_copy(&m->names, name.at, name.len), name.len}, colour}));
	id_map_insert_at(&m->by_name, hash, at, (uint32_t)m->entries.len);
}

/* "rgb(R,G,B)" */
static bool parse_rgb(struct bytes text, struct colour *ret_colour)
{
	uint64_t parts[3];

	if (!bytes_starts_with(text, BYTES("rgb(")) || !bytes_ends_with(text, BYTES(")")))
		return false;
	text = (struct bytes){text.at + 4, text.len - 5};
	for (int i = 0; i < 3; i++) {
		const char *comma = text.len ? memchr(text.at, ',', text.len) : NULL;
		size_t len = comma ? (size_t)(comma - text.at) : text.len;

		if ((comma == NULL) != (i == 2) ||
			!bytes_u64(bytes_trim((struct bytes){text.at, len}), &parts[i]) ||
			parts[i] > 255)
			return false;
		text.at += len + (comma != NULL);
		text.len -= len + (comma != NULL);
	}
	*ret_colour = (struct colour){(uint8_t)parts[0], (uint8_t)parts[1], (uint8_t)parts[2]};
	return true;
}

/* The arrow between name and colour is the last one: names such as "operator->" contain one,
 * too. */
static bool parse_line(struct palette_map *m, struct bytes line)
{
	for (size_t i = line.len; i-- > 1;) {
		struct bytes name = {line.at, i - 1};
		struct colour colour;

		if (line.at[i - 1] != '-' || line.at[i] != '>')
			continue;
		if (!parse_rgb((struct bytes){line.at + i + 1, line.len - i - 1}, &colour))
			return false;
		palette_map_add(m, name, colour);
		return true;
	}
	return false;
}

/* A link that belongs to another user is not read; writing replaces it. */
bool palette_map_read(struct palette_map *m, const char *path, struct error *err)
{
	struct input in;
	struct bytes content, line;
	bool done;
	int fd;

	fd = plain_file_open_trusted(path);
	if (fd < 0 && (errno == ENOENT || errno == ELOOP))
		return true;
	if (fd < 0 && errno == ENXIO)
		return error_set(err, ERR_IO, "%s: is not a regular file", path);
	if (fd < 0)
		return error_errno(err, "%s: cannot open", path);
	if (!input_open_fd(&in, fd, path, err))
		return false;
	done = input_whole(&in, PALETTE_MAP_LIMIT, &content, err) ||
	       error_prefix(err, "%s: ", path);
	for (size_t n = 1; done && bytes_line(&content, &line); n++)
		if (line.len && !parse_line(m, line))
			done = error_set(err, ERR_FORMAT,
				"%s: line %zu: expected 'NAME->rgb(R,G,B)'", path, n);
	input_release(&in);
	return done;
}

static int entry_compare(const void *a, const void *b)
{
	return bytes_compare(
		((const struct palette_entry *)a)->name, ((const struct palette_entry *)b)->name);
}

bool palette_map_write(const struct palette_map *m, const char *path, struct error *err)
{
	size_t count = m->entries.len;
	struct palette_entry *sorted = memory_new(count, sizeof(*sorted));
	struct buffer line = {0};
	struct output out;
	bool done = output_open(&out, path, 0666, err);

	if (count) {
		memcpy(sorted, m->entries.items, count * sizeof(*sorted));
		qsort(sorted, count, sizeof(*sorted), entry_compare);
	}
	for (size_t i = 0; done && i < count; i++) {
		const struct palette_entry *e = &sorted[i];

		buffer_set(&line, e->name);
		buffer_printf(
			&line, "->rgb(%d,%d,%d)\n", e->colour.red, e->colour.green, e->colour.blue);
		output_write(&out, buffer_bytes(&line));
	}
	done = done && output_commit(&out, err);
	buffer_release(&line);
	memory_free(sorted);
	return done;
}

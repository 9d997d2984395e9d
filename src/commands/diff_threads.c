/* diff_threads.c: what changed in every thread? */
#include "commands/diff_threads.h"

#include "model/sides.h"
#include "transforms/select.h"

#include <stdlib.h>

struct part {
	struct buffer name;
	thread_id thread;
	int64_t cost[2];
};
struct parts {
	VECTOR(struct part) items;
	int64_t whole[2];
};

/* ---- Finding them ---- */

static void sum_threads(struct parts *parts, const struct view *v)
{
	const struct profile *p = v->profile;
	int64_t *cost = memory_new(p->threads.len * 2, sizeof(*cost));

	for (size_t s = 0; s < p->streams.len; s++) {
		const struct stream *stream = &p->streams.items[s];
		const struct samples *table = &p->samples.items[stream->row.samples];

		for (size_t i = 0; i < table->count; i++)
			if (view_node(v, stream->row.samples, i) != NODE_DROPPED)
				cost[2 * (table->thread.len ? table->thread.items[i] : 0) +
					(stream->row.side == 2)] += stream_value(stream, i);
	}
	for (size_t i = 0; i < p->threads.len; i++) {
		struct bytes name = profile_text(p, p->threads.items[i].name);
		struct part part = {.thread = (thread_id)i, .cost = {cost[2 * i], cost[2 * i + 1]}};

		if (!part.cost[0] && !part.cost[1])
			continue;
		if (!name.len)
			name = BYTES("[unknown]");
		buffer_add(&part.name, name.at, name.len);
		vector_push(&parts->items, part);
	}
	free(cost);
}

static int compare_cost(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int64_t left = x->cost[0] > x->cost[1] ? x->cost[0] : x->cost[1];
	int64_t right = y->cost[0] > y->cost[1] ? y->cost[0] : y->cost[1];

	if (left != right)
		return left > right ? -1 : 1;
	return bytes_compare(buffer_bytes(&x->name), buffer_bytes(&y->name));
}

static void parts_find(struct parts *parts, const struct view *v)
{
	struct sides s;

	sides_init(&s, v);
	sum_threads(parts, v);
	for (size_t side = 0; side < 2; side++)
		parts->whole[side] = s.total[side][0];
	if (parts->items.len)
		qsort(parts->items.items, parts->items.len, sizeof(struct part), compare_cost);
	sides_release(&s);
}

static void parts_release(struct parts *parts)
{
	for (size_t i = 0; i < parts->items.len; i++)
		buffer_release(&parts->items.items[i].name);
	vector_release(&parts->items);
}

static bool is_small(const struct parts *parts, const struct part *part, double percent)
{
	for (size_t side = 0; side < 2; side++)
		if (part->cost[side] &&
			(double)part->cost[side] * 100 >= (double)parts->whole[side] * percent)
			return false;
	return true;
}

/* ---- Writing them ---- */

static bool keep_thread(struct view *v, thread_id thread, struct error *err)
{
	bool *keep = memory_new(v->profile->threads.len, sizeof(*keep));
	bool done;

	keep[thread] = true;
	done = select_threads(v, keep, err);
	free(keep);
	return done;
}

/* "x.svg" and "worker-* 2" make "x.worker-_2.svg". */
static char *path_of(const char *output, struct bytes name)
{
	struct bytes all = bytes_of(output);
	const char *dot = strrchr(output, '.');
	struct buffer path = {0};
	size_t stem = dot && !strchr(dot, '/') ? (size_t)(dot - output) : all.len;

	buffer_add(&path, output, stem);
	buffer_char(&path, '.');
	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
			     c == '-' || c == '.' || c == '+' || (c & 0x80);

		if (plain || (path.at[path.len - 1] != '_' && i + 1 < name.len))
			buffer_char(&path, plain ? c : '_');
	}
	buffer_add(&path, output + stem, all.len - stem);
	return path.at;
}

/* Two names may look alike in the names of files. */
static bool path_is_taken(const char *const *paths, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(paths[i], path))
			return true;
	return false;
}

static void print_heading(const struct part *part, bool first)
{
	struct buffer text = {0};

	buffer_printf(&text, "%s== %s\n", first ? "" : "\n", part->name.at);
	print(&text);
	buffer_release(&text);
}

/* A thread that one side lacks has the other's widths. */
static enum widths widths_of(const struct part *part, enum widths requested)
{
	if (requested == WIDTHS_AFTER && part->cost[1] <= 0)
		return WIDTHS_BEFORE;
	if (requested == WIDTHS_BEFORE && part->cost[0] <= 0)
		return WIDTHS_AFTER;
	return requested;
}

/* Only what is gone is wanted, and nothing is. */
static bool is_empty(const struct view *v)
{
	size_t nodes = v->tree.caller.len;
	int64_t *self, *total;
	struct sides s;
	bool empty;

	if (v->comparison.widths != WIDTHS_GONE)
		return false;
	self = memory_new(nodes, sizeof(*self));
	total = memory_new(nodes, sizeof(*total));
	sides_init(&s, v);
	sides_gone(&s, &v->tree, self, total);
	empty = total[0] <= 0;
	sides_release(&s);
	free(self);
	free(total);
	return empty;
}

static bool print_written(const char *path)
{
	if (strcmp(path, "-") != 0)
		print_notice("wrote %s", path);
	return true;
}

static bool write_part(const struct view *whole, const struct diff_threads *how,
	const struct part *part, const char *path, struct error *err)
{
	const char *title = how->title ? *how->title : NULL;
	struct buffer full = {0};
	struct view v;
	bool done;

	view_init(&v, whole->profile, how->projection);
	v.comparison = whole->comparison;
	v.comparison.widths = widths_of(part, v.comparison.widths);
	done = keep_thread(&v, part->thread, err);
	if (how->title) {
		buffer_printf(&full, "%s: %s", title, part->name.at);
		*how->title = full.at;
	}
	if (done && is_empty(&v))
		print_notice("%s: no function is gone", part->name.at);
	else
		done = done &&
		       pipeline_render(&v, how->renderer, how->settings, path, how->mode, err) &&
		       print_written(path);
	if (how->title)
		*how->title = title;
	buffer_release(&full);
	view_release(&v);
	return done;
}

bool diff_threads(const struct view *v, const struct diff_threads *how, struct error *err)
{
	struct parts parts = {0};
	VECTOR(const char *) paths = {0};
	size_t small = 0;
	bool done = true;

	parts_find(&parts, v);
	for (size_t i = 0; done && i < parts.items.len; i++) {
		const struct part *part = &parts.items.items[i];
		char *path = NULL;

		if (is_small(&parts, part, v->comparison.threshold)) {
			small++;
			continue;
		}
		if (how->output) {
			struct buffer unique = {0};

			path = path_of(how->output, buffer_bytes(&part->name));
			for (unsigned n = 2; path_is_taken(paths.items, paths.len, path); n++) {
				unique.len = 0;
				buffer_printf(&unique, "%s %u", part->name.at, n);
				free(path);
				path = path_of(how->output, buffer_bytes(&unique));
			}
			buffer_release(&unique);
			vector_push(&paths, path);
		} else {
			print_heading(part, !i);
		}
		done = write_part(v, how, part, path ? path : "-", err);
	}
	if (done && small)
		print_notice("%zu thread%s below %g%% of the total left out", small,
			small == 1 ? "" : "s", v->comparison.threshold);
	for (size_t i = 0; i < paths.len; i++)
		free((char *)(uintptr_t)paths.items[i]);
	vector_release(&paths);
	parts_release(&parts);
	return done;
}

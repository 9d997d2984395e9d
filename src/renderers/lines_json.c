/* lines_json.c: what do the lines and addresses of a function cost?
 *
 * Computed from the profile's own stacks and the locations in them: transforms decide which samples
 * count, but do not remove frames here. Source files are only named, never read.
 *
 * Two sweeps over the stacks: a backward one computes totals; a forward one links each stack to the
 * next outer stack with the function (`around`), and adds its values to the function's lines and
 * addresses. A recursive function has a line several times in one stack; its total is counted only
 * where no outer stack on that chain has the line, so a line never exceeds the whole. */
#include "renderers/columns.h"
#include "renderers/renderers.h"
#include "transforms/canonical.h"

#include <stdlib.h>

struct lines_settings {
	const char *function, *module;
	bool canonical;
};

static const struct option lines_options[] = {
	{.name = "function",
		.argument = "NAME",
		.help = "the function, by its full name",
		.set = option_text,
		.offset = offsetof(struct lines_settings, function)},
	{.name = "module",
		.argument = "NAME",
		.help = "only the function of this module",
		.set = option_text,
		.offset = offsetof(struct lines_settings, module)},
	{.name = "canonical",
		.help = "every function that a comparison shows under this name",
		.set = option_flag,
		.offset = offsetof(struct lines_settings, canonical)},
	{0},
};

struct costs {
	int64_t self, total;
};

struct lines {
	const struct view *view;
	const struct profile *profile;
	bool *is_match;		   /* of every frame: does it belong to the function? */
	frame_id *frame_of;	   /* of every location: the function's frame in it, or 0 */
	int64_t *self, *total;	   /* of every stack */
	stack_id *around;	   /* of every stack: the next outer stack with the function */
	struct costs whole;	   /* of the function */
	struct costs *of_frame;	   /* of every frame */
	struct costs *of_location; /* of every location */
};

/* ---- Where the function is ---- */

/* Is `called` the canonical form of this name for comparing builds? */
static bool is_canonically(
	struct bytes name, struct bytes module, struct bytes called, struct buffer *spare)
{
	const struct canonical as_compared = {.names = true};
	bool part;

	if (canonical_is_unchanged(&as_compared, name) ||
		!canonical_function(&as_compared, name, module, spare, &part))
		return bytes_equal(name, called);
	return bytes_equal(buffer_bytes(spare), called);
}

/* False: no frame belongs to the function. */
static bool find_frames(struct lines *l, const struct lines_settings *s)
{
	const struct profile *p = l->profile;
	struct bytes function = bytes_of(s->function),
		     module = bytes_of(s->module ? s->module : "");
	struct buffer spare = {0};
	bool any = false;

	l->is_match = memory_new(p->frames.len, sizeof(*l->is_match));
	for (size_t i = 1; i < p->frames.len; i++) {
		struct bytes name = profile_text(p, p->frames.items[i].function);
		struct bytes of = profile_text(p, p->frames.items[i].module);

		l->is_match[i] = (!s->module || bytes_equal(of, module)) &&
				 (s->canonical ? is_canonically(name, of, function, &spare)
					       : bytes_equal(name, function));
		any |= l->is_match[i];
	}
	buffer_release(&spare);
	return any;
}

/* Find the function's frame in each location: the innermost one, if the function is inlined into
 * itself. */
static void find_locations(struct lines *l)
{
	const struct profile *p = l->profile;

	l->frame_of = memory_new(p->locations.len, sizeof(*l->frame_of));
	for (size_t i = 1; i < p->locations.len; i++) {
		struct span names = p->location_names.items[i];

		for (uint32_t n = 0; n < names.count; n++) {
			frame_id id = p->location_frames.items[names.first + n];

			if (l->is_match[id])
				l->frame_of[i] = id;
		}
	}
}

static location_id location_of(const struct lines *l, stack_id stack)
{
	return l->profile->stack_location.items[stack];
}

/* The innermost or the outermost frame of a location. */
static frame_id end_frame(const struct lines *l, location_id location, bool innermost)
{
	struct span names = l->profile->location_names.items[location];
	bool last = innermost != (l->profile->locations.items[location].inverted != 0);

	if (!names.count)
		return 0;
	return l->profile->location_frames.items[names.first + (last ? names.count - 1 : 0)];
}

/* ---- What it costs ---- */

static void sum_stacks(struct lines *l)
{
	const struct profile *p = l->profile;
	size_t stacks = p->stack_caller.len;

	l->self = memory_new(stacks, sizeof(*l->self));
	l->total = memory_new(stacks, sizeof(*l->total));
	for (size_t i = 0; i < p->streams.len; i++) {
		uint32_t table = p->streams.items[i].row.samples;
		const struct samples *s = &p->samples.items[table];

		for (size_t at = 0; l->view->streams[i] && at < s->count; at++)
			if (view_node(l->view, table, at) != NODE_DROPPED)
				l->self[s->stack.items[at]] +=
					stream_value(&p->streams.items[i], at);
	}
	for (size_t i = stacks; i-- > 1;) {
		l->total[i] += l->self[i];
		l->total[p->stack_caller.items[i]] += l->total[i];
	}
}

/* Does an outer frame have the same line, or the same location? Then it has been counted. */
static bool is_around(const struct lines *l, stack_id stack, bool place)
{
	location_id location = location_of(l, stack);

	for (stack_id at = l->around[stack]; at; at = l->around[at]) {
		location_id other = location_of(l, at);

		if (place ? other == location : l->frame_of[other] == l->frame_of[location])
			return true;
	}
	return false;
}

static void add_stack(struct lines *l, stack_id stack)
{
	location_id location = location_of(l, stack);
	frame_id frame = l->frame_of[location];

	if (end_frame(l, location, true) == frame) {
		l->whole.self += l->self[stack];
		l->of_frame[frame].self += l->self[stack];
	}
	if (!l->around[stack])
		l->whole.total += l->total[stack];
	if (!is_around(l, stack, false))
		l->of_frame[frame].total += l->total[stack];
	if (!l->profile->locations.items[location].mapping ||
		!l->is_match[end_frame(l, location, false)])
		return;
	l->of_location[location].self += l->self[stack];
	if (!is_around(l, stack, true))
		l->of_location[location].total += l->total[stack];
}

static void add_stacks(struct lines *l)
{
	const struct profile *p = l->profile;

	l->around = memory_new(p->stack_caller.len, sizeof(*l->around));
	l->of_frame = memory_new(p->frames.len, sizeof(*l->of_frame));
	l->of_location = memory_new(p->locations.len, sizeof(*l->of_location));
	for (size_t i = 1; i < p->stack_caller.len; i++) {
		stack_id caller = p->stack_caller.items[i];

		l->around[i] = l->frame_of[location_of(l, caller)] ? caller : l->around[caller];
		if (l->total[i] && l->frame_of[location_of(l, (stack_id)i)])
			add_stack(l, (stack_id)i);
	}
}

/* ---- Writing ---- */

static int by_file_and_line(const void *a, const void *b, void *profile)
{
	const struct profile *p = profile;
	const struct frame *x = &p->frames.items[*(const frame_id *)a];
	const struct frame *y = &p->frames.items[*(const frame_id *)b];

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int by_place(const void *a, const void *b, void *profile)
{
	const struct profile *p = profile;
	const struct location *x = &p->locations.items[*(const location_id *)a];
	const struct location *y = &p->locations.items[*(const location_id *)b];

	if (x->mapping != y->mapping)
		return x->mapping < y->mapping ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

/* The rows that cost something, sorted; *ret_count is how many. */
static uint32_t *rows_in_order(const struct lines *l, const struct costs *costs, size_t len,
	int (*order)(const void *, const void *, void *), size_t *ret_count)
{
	uint32_t *rows = memory_new(len, sizeof(*rows));

	*ret_count = 0;
	for (size_t i = 1; i < len; i++)
		if (costs[i].self || costs[i].total)
			rows[(*ret_count)++] = (uint32_t)i;
	qsort_r(rows, *ret_count, sizeof(*rows), order, (void *)(uintptr_t)l->profile);
	return rows;
}

static void put_text(struct buffer *b, const char *name, struct bytes text)
{
	buffer_printf(b, "\"%s\":", name);
	buffer_json(b, text);
}

static void put_costs(struct buffer *b, uint64_t where, const struct costs *costs)
{
	buffer_printf(b, "[%llu,%lld,%lld]", (unsigned long long)where, (long long)costs->self,
		(long long)costs->total);
}

static void put_files(struct buffer *b, const struct lines *l)
{
	const struct profile *p = l->profile;
	size_t count;
	uint32_t *rows = rows_in_order(l, l->of_frame, p->frames.len, by_file_and_line, &count);

	for (size_t i = 0; i < count; i++) {
		const struct frame *frame = &p->frames.items[rows[i]];

		if (i && p->frames.items[rows[i - 1]].file == frame->file) {
			buffer_char(b, ',');
		} else {
			buffer_text(b, i ? "]},\n{" : "\n{");
			put_text(b, "file", profile_text(p, frame->file));
			buffer_text(b, ",\"lines\":[");
		}
		put_costs(b, frame->line, &l->of_frame[rows[i]]);
	}
	buffer_text(b, count ? "]}" : "");
	memory_free(rows);
}

static void put_code(struct buffer *b, const struct lines *l)
{
	const struct profile *p = l->profile;
	size_t count;
	uint32_t *rows = rows_in_order(l, l->of_location, p->locations.len, by_place, &count);

	for (size_t i = 0; i < count; i++) {
		const struct location *location = &p->locations.items[rows[i]];
		const struct mapping *mapping = &p->mappings.items[location->mapping];

		if (i && p->locations.items[rows[i - 1]].mapping == location->mapping) {
			buffer_char(b, ',');
		} else {
			buffer_text(b, i ? "]},\n{" : "\n{");
			put_text(b, "binary", profile_text(p, mapping->file));
			buffer_char(b, ',');
			put_text(b, "build_id", profile_text(p, mapping->build_id));
			buffer_printf(b, ",\"file\":%s,\"addresses\":[",
				mapping->kind == MAPPING_FILE ? "true" : "false");
		}
		put_costs(b, location->address, &l->of_location[rows[i]]);
	}
	buffer_text(b, count ? "]}" : "");
	memory_free(rows);
}

static void put(struct buffer *b, const struct lines *l, const char *function)
{
	struct bytes unit = view_text(l->view, view_stream(l->view)->unit);

	buffer_char(b, '{');
	put_text(b, "function", bytes_of(function));
	buffer_char(b, ',');
	put_text(b, "unit", unit);
	buffer_printf(b, ",\"self\":%lld,\"total\":%lld,\"files\":[", (long long)l->whole.self,
		(long long)l->whole.total);
	put_files(b, l);
	buffer_text(b, "],\n\"code\":[");
	put_code(b, l);
	buffer_text(b, "]}\n");
}

static void lines_release(struct lines *l)
{
	memory_free(l->is_match);
	memory_free(l->frame_of);
	memory_free(l->self);
	memory_free(l->total);
	memory_free(l->around);
	memory_free(l->of_frame);
	memory_free(l->of_location);
}

static bool lines_render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	const struct lines_settings *s = settings;
	struct lines l = {.view = v, .profile = v->profile};
	struct buffer b = {0};

	if (!s->function)
		return error_set(err, ERR_USAGE, "expected --function NAME");
	if (!columns_fit(v, err))
		return false;
	if (find_frames(&l, s)) {
		find_locations(&l);
		sum_stacks(&l);
		add_stacks(&l);
		put(&b, &l, s->function);
	} else {
		buffer_text(&b, "{");
		put_text(&b, "function", bytes_of(s->function));
		buffer_text(&b, ",\"self\":0,\"total\":0,\"files\":[],\"code\":[]}\n");
	}
	output_write(out, buffer_bytes(&b));
	buffer_release(&b);
	lines_release(&l);
	return true;
}

const struct renderer renderer_lines_json = {
	.name = "lines-json",
	.media_type = MEDIA_JSON,
	.about = "values of the lines and addresses of one function, as JSON",
	.readable = true,
	.options = lines_options,
	.settings_size = sizeof(struct lines_settings),
	.render = lines_render,
};

/* clean_rules.c: what is left of stacks after rules have removed and renamed functions? */
#include "transforms/clean.h"

#include "base/units.h"
#include "transforms/pattern.h"
#include "transforms/reshape.h"

#include <stdlib.h>

#define RULES_LIMIT 10000u /* lines that are rules */
#define UNKNOWN	    BYTES("[unknown]")

struct rule {
	struct pattern pattern;
	char *text, *with; /* with: NULL removes matching functions */
};

struct rules {
	VECTOR(struct rule) list;
	bool (*frame)(struct view *v, struct frame *frame);
};

/* ---- Reading rules ---- */

static void rules_release(struct rules *rules)
{
	for (size_t i = 0; i < rules->list.len; i++) {
		pattern_release(&rules->list.items[i].pattern);
		memory_free(rules->list.items[i].text);
		memory_free(rules->list.items[i].with);
	}
	vector_release(&rules->list);
}

/* Cut up to a slash without a backslash before it; "\/" becomes "/". NULL: no slash. */
static char *take_part(struct bytes *line)
{
	struct buffer part = {0};

	for (size_t i = 0; i < line->len; i++) {
		if (line->at[i] == '/') {
			*line = (struct bytes){line->at + i + 1, line->len - i - 1};
			return part.at ? part.at : memory_copy_text("", 0);
		}
		if (line->at[i] == '\\' && i + 1 < line->len) {
			if (line->at[i + 1] != '/')
				buffer_char(&part, '\\');
			i++;
		}
		buffer_char(&part, line->at[i]);
	}
	buffer_release(&part);
	return NULL;
}

static bool add_rule(struct rules *rules, struct bytes line, struct error *err)
{
	struct rule rule = {0};
	struct bytes rest = {line.at + 2, line.len - 2};

	if (rules->list.len == RULES_LIMIT)
		return error_set(err, ERR_LIMIT, "more than %u rules", RULES_LIMIT);
	if (bytes_starts_with(line, BYTES("s/"))) {
		rule.text = take_part(&rest);
		rule.with = rule.text ? take_part(&rest) : NULL;
	} else {
		rule.text = memory_copy_text(line.at, line.len);
	}
	vector_push(&rules->list, rule);
	if (bytes_starts_with(line, BYTES("s/")) && (!rule.with || rest.len))
		return error_set(err, ERR_USAGE, "expected s/REGEX/TEXT/, got '%.*s'",
			line.len < 100 ? (int)line.len : 100, line.at);
	return pattern_compile(&rules->list.items[rules->list.len - 1].pattern, rule.text, err);
}

static bool add_rules(struct rules *rules, struct bytes text, struct error *err)
{
	struct bytes line;

	for (size_t n = 1; bytes_line(&text, &line); n++) {
		if (!bytes_trim(line).len || *line.at == '#')
			continue;
		if (!add_rule(rules, line, err))
			return error_prefix(err, "line %zu: ", n);
	}
	return true;
}

/* ---- Applying them ---- */

/* Unknown code is named after its module; "[truncated:...]" is not code. */
static bool is_unknown(const struct view *v, const struct frame *frame)
{
	struct bytes name = view_text(v, frame->function);

	return frame_kind_is_code(frame->kind) && bytes_starts_with(name, BYTES("[")) &&
	       bytes_ends_with(name, BYTES("]")) && !bytes_starts_with(name, BYTES("[truncated"));
}

/* Change the name; *ret_keep is false if the frame is to be removed. */
static bool apply_rules(const struct rules *rules, bool unknown, struct buffer *name,
	bool *ret_keep, struct error *err)
{
	*ret_keep = true;
	for (size_t i = 0; i < rules->list.len; i++) {
		const struct rule *rule = &rules->list.items[i];
		struct bytes subject = buffer_bytes(name);
		bool match;

		if (!pattern_match(&rule->pattern, subject, &match, err))
			return false;
		if (!match && unknown && !pattern_match(&rule->pattern, UNKNOWN, &match, err))
			return false;
		if (!match)
			continue;
		if (rule->with && !pattern_replace(&rule->pattern, name, rule->with, err))
			return false;
		if (rule->with && name->len)
			continue;
		*ret_keep = false;
		break;
	}
	return true;
}

/* The id that a frame becomes: its own, another one, or 0. */
static bool clean_frame(
	const struct rules *rules, struct view *v, frame_id id, frame_id *ret, struct error *err)
{
	struct frame frame = view_frame_at(v, id);
	struct bytes printed = view_text(v, frame.function);
	struct buffer name = {0};
	bool keep, changed;

	buffer_add(&name, printed.at, printed.len);
	if (!apply_rules(rules, is_unknown(v, &frame), &name, &keep, err)) {
		buffer_release(&name);
		return false;
	}
	changed = keep && !bytes_equal(buffer_bytes(&name), view_text(v, frame.function));
	if (changed)
		frame.function = view_string(v, buffer_bytes(&name));
	if (keep && rules->frame)
		changed |= rules->frame(v, &frame);
	*ret = !keep ? 0 : changed ? view_frame(v, &frame) : id;
	buffer_release(&name);
	return true;
}

static bool clean_frames(
	const struct rules *rules, struct view *v, frame_id **ret_becomes, struct error *err)
{
	size_t frames = view_frame_count(v);
	frame_id *becomes = memory_new(frames, sizeof(*becomes));
	bool *seen = memory_new(frames, sizeof(*seen)), done = true;

	for (size_t i = 1; done && i < v->tree.frame.len; i++) {
		frame_id frame = v->tree.frame.items[i];

		if (seen[frame])
			continue;
		seen[frame] = true;
		if (!frame_kind_is_code(view_frame_at(v, frame).kind))
			becomes[frame] = frame;
		else
			done = clean_frame(rules, v, frame, &becomes[frame], err);
	}
	memory_free(seen);
	if (done)
		*ret_becomes = becomes;
	else
		memory_free(becomes);
	return done;
}

static node_id clean_place(
	struct tree_builder *b, node_id caller, frame_id frame, const void *context)
{
	const frame_id *becomes = context;

	return becomes[frame] ? tree_child(b, caller, becomes[frame]) : caller;
}

/* ---- Notes ---- */

struct moved {
	int64_t samples, value;
};

/* Count all shown samples, and those that end in removed frames. If values are counts, one row
 * may be several samples. */
static void count_moved(const struct view *v, const frame_id *becomes, struct moved *ret_moved,
	struct moved *ret_all)
{
	*ret_moved = *ret_all = (struct moved){0};
	for (size_t s = 0; s < v->profile->streams.len; s++) {
		const struct stream *stream = &v->profile->streams.items[s];
		size_t count = v->profile->samples.items[stream->row.samples].count;
		bool counts = bytes_equal(view_text(v, stream->row.unit), BYTES("count")) &&
			      bytes_equal(view_text(v, stream->row.kind), BYTES("samples"));

		for (size_t i = 0; v->streams[s] && i < count; i++) {
			node_id node = view_node(v, stream->row.samples, i);
			int64_t value = stream_value(stream, i), samples = counts ? value : 1;

			if (node == NODE_DROPPED)
				continue;
			ret_all->samples += samples;
			ret_all->value += value;
			if (!node || becomes[v->tree.frame.items[node]])
				continue;
			ret_moved->samples += samples;
			ret_moved->value += value;
		}
	}
}

/* "cleaned (node): 1,234 of 5,678 samples moved to their callers (21.73%)" */
static void note_moved(struct view *v, const frame_id *becomes, const char *name)
{
	struct buffer text = {0};
	struct moved moved, all;

	count_moved(v, becomes, &moved, &all);
	units_grouped(&text, moved.samples);
	buffer_text(&text, " of ");
	units_grouped(&text, all.samples);
	buffer_text(&text, " samples moved to their callers (");
	units_percent(&text, moved.value, all.value);
	view_note(v, "cleaned (%s): %s%%)", name, text.at);
	buffer_release(&text);
}

bool clean(struct view *v, const struct clean_rules *set, struct error *err)
{
	struct rules rules = {.frame = set->frame};
	frame_id *becomes;
	bool done = add_rules(&rules, set->text, err) && clean_frames(&rules, v, &becomes, err);

	if (done) {
		note_moved(v, becomes, set->name);
		reshape(v, 0, clean_place, becomes);
		memory_free(becomes);
	}
	rules_release(&rules);
	return done;
}

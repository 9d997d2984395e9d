/* compare_options.c: how do two views become one profile with two sides?
 *
 * Each side is prepared (its time range, canonical names so that two builds match), transformed
 * by the user's list, and merged into one profile over a common table of stacks (model/merge.h).
 * A difference is then an ordinary view of that profile, and every renderer can show it. This is
 * the one general way; commands/diff_folded.h is a shortcut for folded text that is already
 * sorted. */
#include "transforms/compare_options.h"

#include "transforms/matching.h"
#include "transforms/transforms.h"

#include <stdlib.h>

extern const struct transform transform_time;

/* ---- Options ---- */

static bool add_build_dir(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct compare_options *c = target;

	(void)option;
	(void)err;
	vector_push(&c->canonical.build_dirs, value);
	return true;
}

static bool set_exact(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)option;
	(void)value;
	(void)err;
	((struct compare_options *)target)->canonical.names = false;
	return true;
}

static bool set_threshold(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct bytes text = bytes_of(value);
	double *threshold = &((struct compare_options *)target)->threshold;

	(void)option;
	text.len -= bytes_ends_with(text, BYTES("%"));
	if (!bytes_double(text, threshold) || !(*threshold >= 0 && *threshold <= 100))
		return error_set(
			err, ERR_USAGE, "expected a percentage from 0 to 100, got '%s'", value);
	return true;
}

#define AT(member) offsetof(struct compare_options, member)
const struct option compare_option_table[] = {
	{.name = "before-time",
		.argument = "FROM..TO",
		.help = "only this time range of BEFORE, as in --time",
		.set = option_text,
		.offset = AT(time[0])},
	{.name = "after-time",
		.argument = "FROM..TO",
		.help = "only this time range of AFTER",
		.set = option_text,
		.offset = AT(time[1])},
	{.name = "normalise",
		.letter = 'n',
		.help = "scale BEFORE to the total of AFTER: compares shares",
		.set = option_flag,
		.offset = AT(normalise)},
	{.name = "normalize", .set = option_flag, .offset = AT(normalise)},
	{.name = "strip-hex",
		.letter = 's',
		.help = "replace hexadecimal numbers in names by 0x...",
		.set = option_flag,
		.offset = AT(canonical.strip_hex)},
	{.name = "exact",
		.help = "compare full names, with compiler suffixes, hashes and offsets",
		.set = set_exact},
	{.name = "build-dir",
		.argument = "DIR",
		.help = "replace DIR at the start of names by $SRC",
		.set = add_build_dir},
	{.name = "threshold",
		.argument = "PERCENT",
		.help = "treat changes below PERCENT of the total as noise (default 0.5): grey in "
			"pictures, left out of the table",
		.set = set_threshold},
	{.name = "any-kind",
		.help = "compare values of different kinds, for example CPU time with waits",
		.set = option_flag,
		.offset = AT(any_kind)},
	{.name = "elided",
		.help = "only what is gone: functions of BEFORE that AFTER does not have",
		.set = option_flag,
		.offset = AT(elided)},
	{0},
};

void compare_options_release(struct compare_options *c)
{
	vector_release(&c->canonical.build_dirs);
}

bool compare_changes_sides(const struct compare_options *c)
{
	return c->time[0] || c->time[1] || !c->canonical.names || c->canonical.strip_hex ||
	       c->canonical.build_dirs.len;
}

bool compare_changes_display(const struct compare_options *c)
{
	return c->normalise || c->elided || c->threshold != COMPARISON_THRESHOLD;
}

/* ---- Sides ---- */

bool compare_prepare(
	const struct compare_options *c, struct view *v, size_t side, struct error *err)
{
	if (c->time[side] && !transform_time.apply(v, c->time[side], err))
		return error_prefix(err, side ? "--after-time: " : "--before-time: ");
	canonical_apply(&c->canonical, v);
	return true;
}

/* Text formats call their values samples, whatever those are. */
static bool is_any_kind(struct bytes kind)
{
	return bytes_equal(kind, BYTES("samples"));
}

/* "cycles" of "cycles:u". */
static struct bytes without_modifiers(struct bytes kind)
{
	kind.len = bytes_until(kind, ':');
	return kind;
}

/* A change from CPU time to waits means nothing. */
static bool check_kind(const struct compare_options *c, const struct profile *to,
	const struct view *v, struct error *err)
{
	struct bytes kind = profile_text(v->profile, view_stream(v)->kind), known;

	if (c->any_kind || !to->streams.len)
		return true;
	known = profile_text(to, to->streams.items[0].row.kind);
	if (!merge_units_agree(to, v)) /* profile_merge reports it */
		return true;
	if (is_any_kind(kind) || is_any_kind(known) ||
		bytes_equal(without_modifiers(kind), without_modifiers(known)))
		return true;
	return error_set(err, ERR_USAGE,
		"its values are of the kind %.*s, those of the files before it of %.*s; choose a "
		"common one with --kind, or compare them with --any-kind",
		(int)kind.len, kind.at, (int)known.len, known.at);
}

bool compare_add(const struct compare_options *c, struct profile *to, struct view *v, size_t side,
	struct merge_part part, bool threads, struct error *err)
{
	thread_id *matched;
	bool done;

	if (view_stream(v)->side)
		return error_set(err, ERR_USAGE,
			"it already has two columns: draw it with: kiln draw %s", part.name);
	if (!check_kind(c, to, v, err))
		return false;
	canonical_apply_roots(&c->canonical, v);
	matched = match_threads(v, !c->canonical.names || threads, to);
	part.side = (uint32_t)side + 1;
	part.threads = matched;
	done = profile_merge(to, v, &part, err);
	memory_free(matched);
	return done;
}

void compare_name(
	const struct compare_options *c, struct profile *p, size_t side, struct bytes name)
{
	struct buffer text = {0};

	buffer_add(&text, name.at, name.len);
	if (c->time[side])
		buffer_printf(&text, ", %s", c->time[side]);
	profile_set_meta(p, side ? BYTES("after") : BYTES("before"), buffer_bytes(&text));
	buffer_release(&text);
}

struct comparison compare_display(const struct compare_options *c)
{
	return (struct comparison){.widths = c->elided ? WIDTHS_GONE : WIDTHS_AFTER,
		.normalised = c->normalise,
		.threshold = c->threshold};
}

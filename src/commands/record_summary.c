/* record_summary.c: messages about a recording while it runs and when it is over. */
#include "commands/record_summary.h"

#include "base/clock.h"
#include "base/units.h"
#include "commands/commands.h"
#include "commands/record_advice.h"
#include "commands/terminal.h"
#include "model/idle.h"
#include "model/view.h"
#include "process/stacks.h"
#include "recorders/recorders.h"
#include "renderers/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HOTTEST	       10u /* functions listed */
#define UNNAMED_LIMIT  5u  /* modules without names that are listed... */
#define UNNAMED_PART   200 /* ... when at least one of so many samples ends in them */
#define NAME_LIMIT     40u /* columns that names are padded to */
#define SHORT_LIVED    20u /* processes, from which on some may have been too short */
#define TABLES_PERCENT 5   /* of user stacks without tables: the summary explains them */

/* ---- The live line ---- */

static bool live;

void record_live_line(const struct session *s)
{
	uint64_t passed = monotonic_ns() - s->started, duration = s->options->duration;
	struct buffer line = {0};

	if (verbosity < 0 || !isatty(STDERR_FILENO))
		return;
	live = true;
	buffer_text(&line, "\r\033[K");
	units_grouped(&line, (int64_t)s->counts.delivered);
	buffer_text(&line, " samples, ");
	units_grouped(&line, (int64_t)s->counts.lost);
	buffer_printf(&line, " lost, %llu s", (unsigned long long)(passed / 1000000000));
	if (duration > passed)
		buffer_printf(&line, ", %llu s left",
			(unsigned long long)((duration - passed + 999999999) / 1000000000));
	else if (!duration)
		buffer_text(&line, " (Ctrl-C ends)");
	fwrite(line.at, 1, line.len, stderr);
	buffer_release(&line);
}

void record_live_end(void)
{
	if (live)
		fputs("\r\033[K", stderr);
	live = false;
}

/* ---- The summary ---- */

static void percent(struct buffer *out, uint64_t part, uint64_t whole)
{
	units_percent_nonzero(out, (int64_t)part, (int64_t)whole);
	buffer_char(out, '%');
}

static void add_losses(struct buffer *out, const struct profile *p, uint32_t stream)
{
	const struct stream_row *row = &p->streams.items[stream].row;
	uint64_t lost = profile_lost(p, stream);
	const char *between = " (";

	if (!lost) {
		buffer_text(out, ", none lost");
		return;
	}
	buffer_text(out, ", ");
	units_grouped(out, (int64_t)lost);
	buffer_text(out, " lost, ");
	percent(out, lost, row->delivered + lost);
	for (size_t i = 0; i < p->losses.len; i++) {
		struct bytes reason = profile_text(p, p->losses.items[i].reason);

		if (p->losses.items[i].stream != stream)
			continue;
		buffer_printf(out, "%s%.*s ", between, (int)reason.len, reason.at);
		units_grouped(out, (int64_t)p->losses.items[i].count);
		between = ", ";
	}
	buffer_char(out, ')');
}

/* One line for each event: its first stream; the next one only counts the same samples. */
static void add_events(struct buffer *out, const struct session *s)
{
	const struct profile *p = &s->profile;

	for (uint32_t i = 0; i < p->streams.len; i++) {
		const struct stream_row *row = &p->streams.items[i].row;
		struct bytes event = profile_text(p, row->event);

		if (stream_is_idle(p, i) ||
			(i && row->samples == p->streams.items[i - 1].row.samples))
			continue;
		units_grouped(out, (int64_t)row->delivered);
		buffer_printf(out, " sample%s of %.*s", row->delivered == 1 ? "" : "s",
			(int)event.len, event.at);
		if (s->counts.idle && !i) {
			buffer_text(out, " and ");
			units_grouped(out, (int64_t)s->counts.idle);
			buffer_text(out, " of idle CPUs");
		}
		add_losses(out, p, i);
		buffer_char(out, '\n');
	}
	if (!s->counts.delivered)
		buffer_printf(out, "no samples: %s\n", s->recorder->mode->none);
}

static bool has_java(const struct profile *p)
{
	for (uint32_t i = 0; i < p->processes.len; i++)
		if (bytes_equal(profile_text(p, p->processes.items[i].name), BYTES("java")))
			return true;
	return false;
}

/* Only the runtime knows the frames of JIT code, unless it uses frame pointers. */
static void add_java(struct buffer *out, const struct session *s)
{
	const struct session_counts *c = &s->counts;

	if (c->stacks.ends[UNWIND_NO_TABLE] * 100 >= c->stacks.walked * TABLES_PERCENT &&
		has_java(&s->profile))
		buffer_text(out, "compiled Java code has no frame pointers: for complete stacks "
				 "start it with JAVA_TOOL_OPTIONS=-XX:+PreserveFramePointer\n");
}

static void add_stacks(struct buffer *out, const struct session *s)
{
	const struct session_counts *c = &s->counts;
	const char *between = "; others: ";

	if (c->stacks.chains && !s->options->kernel_only)
		buffer_text(out, "user stacks come from frame pointers: they may be incomplete\n");
	if (!c->stacks.walked)
		return;
	percent(out, c->stacks.complete, c->stacks.walked);
	buffer_text(out, " of the user stacks are complete");
	for (size_t i = 0; i < UNWIND_ENDS; i++) {
		if (i == UNWIND_COMPLETE || !c->stacks.ends[i])
			continue;
		buffer_printf(out, "%s%s ", between, unwind_end_name((enum unwind_end)i));
		units_grouped(out, (int64_t)c->stacks.ends[i]);
		between = ", ";
	}
	if (c->stacks.guessed) {
		buffer_text(out, "; ");
		percent(out, c->stacks.guessed, c->stacks.walked);
		buffer_text(
			out, " contain code without unwind tables, where frame pointers were used");
	}
	buffer_char(out, '\n');
	add_java(out, s);
}

/* ---- Who used the CPU ---- */

struct shares {
	int64_t command, others, kernel, idle;
};

/* Is the process one of those that were asked for? A process is the target's child when its parent
 * is; the recorder's events only see the target's tree unless the whole system is recorded. */
static void add_shares(struct buffer *out, const struct session *s)
{
	const struct profile *p = &s->profile;
	struct shares shares = {0};
	int64_t all;

	if (!s->options->system_wide || !s->recorder->mode->busy || !p->streams.len)
		return;
	for (size_t i = 0; i < p->samples.items[0].count; i++) {
		const struct thread *t = &p->threads.items[p->samples.items[0].thread.items[i]];
		int32_t pid = p->processes.items[t->process].pid;
		int64_t value = stream_value(&p->streams.items[1], i);

		if (processes_is_kernel(&s->processes, pid))
			shares.kernel += value;
		else if (s->command.pid && processes_descends(&s->processes, pid, s->command.pid))
			shares.command += value;
		else
			shares.others += value;
	}
	shares.idle = (int64_t)s->counts.idle;
	all = shares.command + shares.others + shares.kernel + shares.idle;
	buffer_text(out, "CPU time: ");
	if (s->command.pid) {
		percent(out, (uint64_t)shares.command, (uint64_t)all);
		buffer_text(out, " the command and its children, ");
	}
	percent(out, (uint64_t)shares.others, (uint64_t)all);
	buffer_text(out, s->command.pid ? " other processes, " : " processes, ");
	percent(out, (uint64_t)shares.kernel, (uint64_t)all);
	buffer_text(out, " kernel threads, ");
	percent(out, (uint64_t)shares.idle, (uint64_t)all);
	buffer_text(out, " idle\n");
}

/* A target that mostly waits is not explained by CPU samples. */
static void add_waiting(struct buffer *out, const struct session *s)
{
	const struct profile *p = &s->profile;
	const struct stream_row *row = p->streams.len ? &p->streams.items[0].row : NULL;
	uint64_t wall = s->stopped - s->started, busy;

	if (s->options->system_wide || !s->recorder->mode->busy || !row ||
		!bytes_equal(profile_text(p, row->unit), BYTES("ns")))
		return;
	busy = (uint64_t)row->fixed_value * (row->delivered + profile_lost(p, 0));
	if (!wall || !row->delivered || busy * 2 >= wall)
		return;
	buffer_text(out, "the target was on the CPU for ");
	percent(out, busy, wall);
	buffer_text(out, " of the time, and waited the rest (for I/O, locks or a CPU); --mode off "
			 "shows why\n");
}

/* A process that ends before its first period is never sampled. */
static void add_short_lived(struct buffer *out, const struct session *s)
{
	const struct profile *p = &s->profile;
	uint64_t lost = p->streams.len ? profile_lost(p, 0) : 0;

	if (session_watches_all(s) || !lost || !s->recorder->mode->busy ||
		lost * 20 < p->streams.items[0].row.delivered + lost ||
		p->processes.len < SHORT_LIVED)
		return;
	buffer_text(out, "many processes ended before their first sample: record them all with -a, "
			 "or as root with -- COMMAND (in its own control group); a higher -F "
			 "samples more of them\n");
}

static void add_notes(struct buffer *out, const struct profile *p)
{
	for (size_t i = 0; i < p->meta.len; i++) {
		struct bytes note = profile_text(p, p->meta.items[i].value);

		if (!bytes_equal(profile_text(p, p->meta.items[i].key), BYTES("note")))
			continue;
		buffer_add(out, note.at, note.len);
		buffer_char(out, '\n');
	}
}

/* ---- Functions ---- */

struct hot {
	frame_id frame;
	int64_t self; /* its negative where the sum of all is negative: memory that was freed */
};

static int hotter(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;

	return x->self < y->self   ? 1
	       : x->self > y->self ? -1
				   : (x->frame > y->frame) - (x->frame < y->frame);
}

static void add_function(
	struct buffer *out, const struct view *v, const struct hot *hot, bool alike, int64_t total)
{
	struct frame f = view_frame_at(v, hot->frame);
	struct bytes name = view_text(v, f.function), module = view_text(v, f.module);
	struct buffer share = {0};

	percent(&share, (uint64_t)hot->self, (uint64_t)total);
	buffer_printf(out, "  %7s  %.*s%s%.*s", share.at, (int)name.len, name.at,
		module.len ? "  " : "", (int)module.len, module.at);
	if (alike)
		buffer_printf(out, " (%s)", frame_kind_name((enum frame_kind)f.kind));
	buffer_char(out, '\n');
	buffer_release(&share);
}

static void add_hottest(struct buffer *out, const struct session *s, const struct view *v)
{
	size_t frames = view_frame_count(v);
	int64_t *self = memory_new(v->tree.caller.len, sizeof(*self)), total = 0;
	struct hot *hot = memory_new(frames, sizeof(*hot));
	frame_id ids[HOTTEST];
	bool alike[HOTTEST];
	size_t listed = 0;

	view_self(v, self);
	for (size_t i = 0; i < v->tree.caller.len; i++) {
		hot[v->tree.frame.items[i]].self += self[i];
		total += self[i];
	}
	for (size_t i = 0; i < frames; i++) {
		hot[i].frame = (frame_id)i;
		hot[i].self *= total < 0 ? -1 : 1;
	}
	qsort(hot, frames, sizeof(*hot), hotter);
	if (total)
		buffer_printf(out, "%s:\n", mode_heading(s->recorder->mode, s->options));
	while (listed < frames && listed < HOTTEST && hot[listed].self) {
		ids[listed] = hot[listed].frame;
		listed++;
	}
	frames_find_alike(v, ids, listed, alike);
	for (size_t i = 0; i < listed; i++)
		add_function(out, v, &hot[i], alike[i], total < 0 ? -total : total);
	free(self);
	free(hot);
}

/* Lines of one function are one; a view that tells them apart is not the right one. */
static void add_hottest_functions(struct buffer *out, const struct session *s, const struct view *v)
{
	struct view whole;

	if (v->projection == BY_FUNCTION) {
		add_hottest(out, s, v);
		return;
	}
	view_init(&whole, &s->profile, BY_FUNCTION);
	add_hottest(out, s, &whole);
	view_release(&whole);
}

/* ---- Modules without symbols ---- */

/* How many are listed; they are sorted by samples. */
static size_t count_listed(const struct symbolize_report *report)
{
	size_t i = 0;

	while (i < report->modules.len && i < UNNAMED_LIMIT && report->modules.items[i].samples &&
		report->modules.items[i].samples * UNNAMED_PART >= report->samples)
		i++;
	return i;
}

static void add_unnamed(struct buffer *out, const struct symbolize_report *report)
{
	const struct unnamed_module *modules = report->modules.items;
	size_t listed = count_listed(report), width = 0;

	if (!listed)
		return;
	for (size_t i = 0; i < listed; i++)
		width = bytes_base_name(modules[i].file).len > width
				? bytes_base_name(modules[i].file).len
				: width;
	width = width < NAME_LIMIT ? width : NAME_LIMIT;
	buffer_text(out, "modules without symbols (share of the samples that end there):\n");
	for (size_t i = 0; i < listed; i++) {
		struct bytes name = bytes_base_name(modules[i].file);
		struct buffer share = {0};

		percent(&share, modules[i].samples, report->samples);
		buffer_printf(out, "  %7s  %-*.*s  %s\n", share.at, (int)width, (int)name.len,
			name.at, modules[i].why);
		buffer_release(&share);
	}
	if (report->modules.len > listed)
		buffer_printf(out, "  and %zu more\n", report->modules.len - listed);
}

static void add_next(struct buffer *out, const char *path)
{
	bool kiln = path && bytes_ends_with(bytes_of(path), BYTES(".kiln"));

	if (!path || !strcmp(path, "-"))
		return;
	buffer_printf(out, "wrote %s", path);
	if (kiln && !strcmp(path, "profile.kiln"))
		buffer_text(out, "; next: kiln view, or kiln draw -o profile.svg");
	else if (kiln)
		buffer_printf(out, "; next: kiln view %s, or kiln draw %s -o %.*s.svg", path, path,
			(int)strlen(path) - 5, path);
	else if (bytes_ends_with(bytes_of(path), BYTES(".svg")))
		buffer_text(out, "; next: open it in a browser");
	buffer_char(out, '\n');
}

void record_summary(const struct session *s, const struct view *v,
	const struct symbolize_report *report, const char *path)
{
	struct buffer out = {0}, shown = {0};
	struct bytes text, line;

	add_events(&out, s);
	add_stacks(&out, s);
	add_shares(&out, s);
	add_waiting(&out, s);
	add_short_lived(&out, s);
	add_notes(&out, &s->profile);
	add_hottest_functions(&out, s, v);
	add_unnamed(&out, report);
	record_advice(&out, s, report, path);
	add_next(&out, path);
	text = buffer_bytes(&out);
	while (bytes_line(&text, &line)) {
		buffer_visible(&shown, line);
		buffer_char(&shown, '\n');
	}
	fwrite(shown.at, 1, shown.len, stderr);
	buffer_release(&out);
	buffer_release(&shown);
}

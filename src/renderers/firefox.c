/* firefox.c: the Firefox Profiler's file: every stream of every thread becomes a thread there.
 *
 * This is the processed format in version 60 (docs-developer/CHANGELOG-formats.md of
 * firefox-devtools/profiler), which newer profilers upgrade when they load it. Times are kept;
 * kinds of frames become categories. The meaning of a thread's values and its process are under
 * the key "kiln", for Kiln itself. */
#include "renderers/export.h"
#include "renderers/renderers.h"

#include <stdlib.h>

#define MS_DECIMALS 6u
#define VERSION	    60

/* Numbers for strings, in the order of first use. */
struct numbering {
	uint32_t *number; /* for each string of the view: plus one; 0: not used yet */
	VECTOR(string_id) ids;
};

struct firefox {
	const struct view *view;
	struct export_frames frames;
	struct export_parts parts;
	struct numbering strings, sources, modules;
	struct buffer text, name;
	struct output *out;
};

static uint32_t number_of(struct numbering *n, string_id id)
{
	if (!n->number[id]) {
		vector_push(&n->ids, id);
		n->number[id] = (uint32_t)n->ids.len;
	}
	return n->number[id] - 1;
}

/* ---- Columns ---- */

static struct frame frame_at(const struct firefox *f, size_t row)
{
	return view_frame_at(f->view, f->frames.frames.items[row]);
}

static void none(struct firefox *f, size_t row)
{
	(void)row;
	buffer_text(&f->text, "null");
}

static void zero(struct firefox *f, size_t row)
{
	(void)row;
	buffer_char(&f->text, '0');
}

static void minus_one(struct firefox *f, size_t row)
{
	(void)row;
	buffer_text(&f->text, "-1");
}

static void one(struct firefox *f, size_t row)
{
	(void)row;
	buffer_char(&f->text, '1');
}

static void self(struct firefox *f, size_t row)
{
	buffer_u64(&f->text, row);
}

static void frame_line(struct firefox *f, size_t row)
{
	uint32_t line = frame_at(f, row).line;

	if (line)
		buffer_u64(&f->text, line);
	else
		none(f, row);
}

static void frame_category(struct firefox *f, size_t row)
{
	buffer_u64(&f->text, frame_at(f, row).kind);
}

static void frame_depth(struct firefox *f, size_t row)
{
	buffer_char(&f->text, frame_at(f, row).kind == FRAME_INLINED ? '1' : '0');
}

static void func_name(struct firefox *f, size_t row)
{
	buffer_u64(&f->text, number_of(&f->strings, frame_at(f, row).function));
}

static void func_resource(struct firefox *f, size_t row)
{
	string_id module = frame_at(f, row).module;

	if (module)
		buffer_u64(&f->text, number_of(&f->modules, module));
	else
		minus_one(f, row);
}

static void func_source(struct firefox *f, size_t row)
{
	string_id file = frame_at(f, row).file;

	if (file)
		buffer_u64(&f->text, number_of(&f->sources, file));
	else
		none(f, row);
}

static void no(struct firefox *f, size_t row)
{
	(void)row;
	buffer_text(&f->text, "false");
}

static void stack_frame(struct firefox *f, size_t row)
{
	buffer_u64(&f->text, f->frames.number[f->view->tree.frame.items[row + 1]] - 1);
}

/* Node 0 is not in the table: row 0 is node 1. */
static void stack_prefix(struct firefox *f, size_t row)
{
	node_id caller = f->view->tree.caller.items[row + 1];

	if (caller)
		buffer_u64(&f->text, caller - 1);
	else
		none(f, row);
}

static void source_name(struct firefox *f, size_t row)
{
	buffer_u64(&f->text, number_of(&f->strings, f->sources.ids.items[row]));
}

static void resource_name(struct firefox *f, size_t row)
{
	buffer_u64(&f->text, number_of(&f->strings, f->modules.ids.items[row]));
}

struct column {
	const char *name;
	void (*cell)(struct firefox *f, size_t row);
};

static void table_write(
	struct firefox *f, const char *name, const struct column *columns, size_t rows)
{
	struct buffer *b = &f->text;

	buffer_printf(b, "\"%s\":{", name);
	for (; columns->name; columns++) {
		buffer_printf(b, "\"%s\":[", columns->name);
		for (size_t row = 0; row < rows; row++) {
			if (row)
				buffer_char(b, ',');
			columns->cell(f, row);
			export_flush(b, f->out, false);
		}
		buffer_text(b, "],\n");
	}
	buffer_printf(b, "\"length\":%zu}", rows);
}

/* ---- Tables shared by threads ---- */

static void libs_write(struct firefox *f)
{
	struct buffer *b = &f->text;

	buffer_text(b, "\"libs\":[");
	for (size_t i = 0; i < f->modules.ids.len; i++) {
		static const char *const keys[] = {"name", "path", "debugName", "debugPath"};
		struct bytes name = view_text(f->view, f->modules.ids.items[i]);

		buffer_text(b, i ? ",\n{" : "{");
		for (size_t k = 0; k < 4; k++) {
			buffer_printf(b, "\"%s\":", keys[k]);
			buffer_json(b, name);
			buffer_char(b, ',');
		}
		buffer_text(b, "\"arch\":\"\",\"breakpadId\":\"\",\"codeId\":null}");
		export_flush(b, f->out, false);
	}
	buffer_text(b, "]");
}

/* Strings are written last, after the other tables have numbered them. */
static void strings_write(struct firefox *f)
{
	buffer_text(&f->text, "\"stringArray\":[");
	for (size_t i = 0; i < f->strings.ids.len; i++) {
		buffer_text(&f->text, i ? ",\n" : "\n");
		buffer_json(&f->text, view_text(f->view, f->strings.ids.items[i]));
		export_flush(&f->text, f->out, false);
	}
	buffer_char(&f->text, ']');
}

static const struct column stack_columns[] = {
	{"frame", stack_frame}, {"prefix", stack_prefix}, {NULL, NULL}};
static const struct column frame_columns[] = {{"address", minus_one}, {"inlineDepth", frame_depth},
	{"category", frame_category}, {"subcategory", zero}, {"func", self}, {"nativeSymbol", none},
	{"innerWindowID", zero}, {"line", frame_line}, {"column", none}, {NULL, NULL}};
static const struct column func_columns[] = {{"name", func_name}, {"isJS", no},
	{"relevantForJS", no}, {"resource", func_resource}, {"source", func_source},
	{"lineNumber", none}, {"columnNumber", none}, {NULL, NULL}};
static const struct column source_columns[] = {
	{"uuid", none}, {"filename", source_name}, {NULL, NULL}};
static const struct column resource_columns[] = {
	{"name", resource_name}, {"host", none}, {"lib", self}, {"type", one}, {NULL, NULL}};
static const struct column symbol_columns[] = {{"libIndex", none}, {"address", none},
	{"name", none}, {"functionSize", none}, {NULL, NULL}};

static void shared_write(struct firefox *f)
{
	size_t frames = f->frames.frames.len;

	buffer_text(&f->text, "\"shared\":{");
	table_write(f, "stackTable", stack_columns, f->view->tree.caller.len - 1);
	buffer_text(&f->text, ",\n");
	table_write(f, "frameTable", frame_columns, frames);
	buffer_text(&f->text, ",\n");
	table_write(f, "funcTable", func_columns, frames);
	buffer_text(&f->text, ",\n");
	table_write(f, "sources", source_columns, f->sources.ids.len);
	buffer_text(&f->text, ",\n");
	table_write(f, "resourceTable", resource_columns, f->modules.ids.len);
	buffer_text(&f->text, ",\n");
	table_write(f, "nativeSymbols", symbol_columns, 0);
	buffer_text(&f->text, ",\n");
	strings_write(f);
	buffer_text(&f->text, "},\n");
	libs_write(f);
}

/* ---- Threads ---- */

static const char *weight_type(struct bytes unit)
{
	if (bytes_equal(unit, BYTES("ns")))
		return "tracing-ms";
	return bytes_equal(unit, BYTES("bytes")) ? "bytes" : "samples";
}

static void samples_write(struct firefox *f, const struct export_part *part)
{
	const struct profile *p = f->view->profile;
	const struct stream *stream = &p->streams.items[part->stream];
	const struct samples *s = &p->samples.items[stream->row.samples];
	struct bytes unit = profile_text(p, stream->row.unit);
	bool in_ns = bytes_equal(unit, BYTES("ns"));
	unsigned decimals = in_ns ? MS_DECIMALS : export_decimals(f->view, part->stream);
	struct buffer *b = &f->text;

	buffer_text(b, "\"samples\":{\"stack\":[");
	for (size_t i = 0; i < part->count; i++) {
		node_id node = view_node(f->view, stream->row.samples, part->samples[i]);

		buffer_text(b, i ? "," : "");
		if (node)
			buffer_u64(b, node - 1);
		else
			buffer_text(b, "null");
		export_flush(b, f->out, false);
	}
	buffer_text(b, "],\n\"time\":[");
	for (size_t i = 0; i < part->count; i++) {
		buffer_text(b, i ? "," : "");
		if (s->time.len)
			buffer_decimal(b, (int64_t)s->time.items[part->samples[i]], MS_DECIMALS);
		else
			buffer_u64(b, i);
		export_flush(b, f->out, false);
	}
	buffer_text(b, "],\n\"weight\":[");
	for (size_t i = 0; i < part->count; i++) {
		buffer_text(b, i ? "," : "");
		buffer_decimal(b, stream_value(stream, part->samples[i]), decimals);
		export_flush(b, f->out, false);
	}
	buffer_printf(
		b, "],\n\"weightType\":\"%s\",\"length\":%zu}", weight_type(unit), part->count);
}

static void thread_write(struct firefox *f, const struct export_part *part, bool main)
{
	const struct profile *p = f->view->profile;
	const struct thread *thread = &p->threads.items[part->thread];
	const struct process *process = &p->processes.items[thread->process];
	bool timed = p->samples.items[p->streams.items[part->stream].row.samples].time.len;
	struct buffer *b = &f->text;

	buffer_text(b, "{\"name\":");
	f->name.len = 0;
	export_part_name(&f->name, f->view, part);
	buffer_json(b, buffer_bytes(&f->name));
	buffer_text(b, ",\"processName\":");
	buffer_json(b, profile_text(p, process->name));
	buffer_printf(b,
		",\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":"
		"null,"
		"\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"isMainThread\":%"
		"s,"
		"\"pid\":\"%d\",\"tid\":\"%d-%u\",\n",
		main ? "true" : "false", process->pid < 0 ? 0 : process->pid,
		thread->tid < 0 ? 0 : thread->tid, part->stream);
	export_part_extra(b, f->view, part, !timed);
	buffer_text(b, ",\n\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],"
		       "\"phase\":[],\"category\":[],\"length\":0},\n");
	samples_write(f, part);
	buffer_char(b, '}');
}

/* ---- The file ---- */

static void meta_write(struct firefox *f)
{
	static const char *const colours[FRAME_KINDS] = {"grey", "orange", "green", "yellow",
		"blue", "transparent", "purple", "darkgrey", "lightblue", "brown"};
	const struct profile *p = f->view->profile;
	int64_t start = p->streams.len ? p->streams.items[0].row.wall_offset : INT64_MIN;
	struct buffer *b = &f->text;

	buffer_text(b, "{\"meta\":{\"interval\":1,\"startTime\":");
	buffer_decimal(b, start == INT64_MIN ? 0 : start, MS_DECIMALS);
	buffer_printf(b,
		",\"processType\":0,\"product\":\"%s\",\"stackwalk\":1,\"version\":30,"
		"\"preprocessedProfileVersion\":%d,\"symbolicated\":true,"
		"\"symbolicationNotSupported\":true,\"markerSchema\":[],\"sampleUnits\":{"
		"\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},"
		"\"kiln\":{},\n\"categories\":[",
		EXPORT_BY, VERSION);
	for (unsigned kind = 0; kind < FRAME_KINDS; kind++)
		buffer_printf(b,
			"%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
			kind ? "," : "", frame_kind_name((enum frame_kind)kind), colours[kind]);
	buffer_text(b, "]},\n");
}

static void firefox_write(struct firefox *f)
{
	meta_write(f);
	shared_write(f);
	buffer_text(&f->text, ",\n\"threads\":[");
	for (size_t i = 0; i < f->parts.parts.len; i++) {
		buffer_text(&f->text, i ? ",\n" : "\n");
		thread_write(f, &f->parts.parts.items[i], !i);
	}
	buffer_text(&f->text, "]}\n");
	export_flush(&f->text, f->out, true);
}

static void numbering_release(struct numbering *n)
{
	memory_free(n->number);
	vector_release(&n->ids);
}

static bool firefox_render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	size_t strings = view_string_count(v);
	struct firefox f = {.view = v,
		.out = out,
		.strings.number = memory_new(strings, sizeof(uint32_t)),
		.sources.number = memory_new(strings, sizeof(uint32_t)),
		.modules.number = memory_new(strings, sizeof(uint32_t))};

	(void)settings;
	(void)err;
	export_frames_init(&f.frames, v);
	export_parts_init(&f.parts, v, false);
	firefox_write(&f);
	export_frames_release(&f.frames);
	export_parts_release(&f.parts);
	numbering_release(&f.strings);
	numbering_release(&f.sources);
	numbering_release(&f.modules);
	buffer_release(&f.text);
	buffer_release(&f.name);
	return true;
}

const struct renderer renderer_firefox = {
	.name = "firefox",
	.suffix = ".firefox.json",
	.media_type = MEDIA_JSON,
	.save.label = "Firefox Profiler",
	.about = "Firefox Profiler: every stream of every thread, with times",
	.proof = "the Firefox Profiler's own loader, stack by stack",
	.by_line = true,
	.render = firefox_render,
};

/* kiln.c: the functions of kiln.h over the floors above.
 *
 * Each public function that can fail runs its work in a scope (base/scope.h), so that memory
 * that runs out becomes KILN_MEMORY and leaves nothing behind. Work that could fail half way is
 * done on a copy, which replaces the original at the end. */
#define KILN_API __attribute__((visibility("default")))
#include "kiln.h"

#include "base/scope.h"
#include "loading/loading.h"
#include "model/view.h"
#include "renderers/renderers.h"
#include "transforms/transforms.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct kiln_profile {
	struct profile profile;
	char *copy; /* owned: the memory that the profile borrows from */
};

struct kiln_view {
	struct view view;
	int64_t *self, *total; /* of every node */
	bool summed;	       /* both are valid */
};

static_assert((int)KILN_IO == (int)ERR_IO && (int)KILN_PERMISSION == (int)ERR_PERMISSION &&
		      (int)KILN_LIMIT == (int)ERR_LIMIT && (int)KILN_MEMORY == (int)ERR_MEMORY,
	"error codes are passed on as they are");

/* Pass an error to the caller. Returns false. */
static bool failed(const struct error *from, kiln_error *err)
{
	if (err) {
		err->code = (enum kiln_error_code)from->code;
		snprintf(err->text, sizeof(err->text), "%s", from->text);
	}
	return false;
}

/* Call call(context), which allocates; false: memory ran out, and everything was released. */
static bool in_scope(void (*call)(void *context), void *context, struct error *err)
{
	size_t failed_size;

	if (scope_run(call, context, &failed_size))
		return true;
	return failed_size ? error_set(err, ERR_MEMORY, "out of memory: cannot allocate %zu bytes",
				     failed_size)
			   : error_set(err, ERR_MEMORY, "out of memory");
}

static kiln_text text_of(struct bytes bytes)
{
	return (kiln_text){bytes.len ? bytes.at : "", bytes.len};
}

const char *kiln_version(void)
{
	return KILN_VERSION;
}

#define NAME_AT(table, i)                                                                          \
	for (size_t at = 0; (table)[at]; at++)                                                     \
		if (at == (i))                                                                     \
			return (table)[at]->name;                                                  \
	return NULL

const char *kiln_reader_name(size_t i)
{
	NAME_AT(readers, i);
}

const char *kiln_transform_name(size_t i)
{
	NAME_AT(transforms, i);
}

const char *kiln_renderer_name(size_t i)
{
	NAME_AT(renderers, i);
}

/* ---- Profiles ---- */

static bool format_known(const char *format, struct error *err)
{
	if (!format || reader_by_name(format))
		return true;
	return error_set(err, ERR_USAGE, "no reader is called '%s'", format);
}

struct load_call {
	const char *path; /* NULL: from memory */
	struct bytes content;
	const char *format;
	kiln_profile *ret;
	struct error err;
};

static void read_profile(struct load_call *l, struct input *in, kiln_profile *p)
{
	const struct loading_request request = {.want = WANT_ALL};
	struct loading loading;

	loading_init(&loading, &(struct loading_options){.format = l->format});
	if (loading_read(&loading, in, &request, &p->profile, &l->err))
		l->ret = p;
	else
		kiln_profile_free(p);
	loading_release(&loading);
}

static void load_file(struct load_call *l)
{
	struct input in;

	if (input_open(&in, l->path, &l->err))
		read_profile(l, &in, memory_new(1, sizeof(kiln_profile)));
}

static void load_memory(struct load_call *l)
{
	kiln_profile *p = memory_new(1, sizeof(*p));
	struct input in;

	p->copy = memory_copy_text(l->content.at, l->content.len);
	if (!input_open_bytes(&in, (struct bytes){p->copy, l->content.len}, "<memory>", &l->err)) {
		kiln_profile_free(p);
		return;
	}
	read_profile(l, &in, p);
	if (l->ret && !p->profile.borrowed) {
		memory_free(p->copy);
		p->copy = NULL;
	}
}

static void load(void *context)
{
	struct load_call *l = context;

	if (!format_known(l->format, &l->err))
		return;
	if (l->path)
		load_file(l);
	else
		load_memory(l);
}

static kiln_profile *loaded(struct load_call *l, kiln_error *ret_err)
{
	if (in_scope(load, l, &l->err) && l->ret)
		return l->ret;
	failed(&l->err, ret_err);
	return NULL;
}

kiln_profile *kiln_load(const char *path, const char *format, kiln_error *ret_err)
{
	struct load_call l = {.path = path, .format = format};

	return loaded(&l, ret_err);
}

kiln_profile *kiln_load_memory(
	const void *bytes, size_t len, const char *format, kiln_error *ret_err)
{
	struct load_call l = {.content = {bytes, len}, .format = format};

	return loaded(&l, ret_err);
}

void kiln_profile_free(kiln_profile *p)
{
	if (!p)
		return;
	profile_release(&p->profile);
	memory_free(p->copy);
	memory_free(p);
}

size_t kiln_stream_count(const kiln_profile *p)
{
	return p->profile.streams.len;
}

kiln_stream kiln_stream_at(const kiln_profile *p, size_t stream)
{
	const struct profile *from = &p->profile;
	const struct stream_row *row;

	if (stream >= from->streams.len)
		return (kiln_stream){0};
	row = &from->streams.items[stream].row;
	return (kiln_stream){
		.kind = text_of(profile_text(from, row->kind)),
		.unit = text_of(profile_text(from, row->unit)),
		.event = text_of(profile_text(from, row->event)),
		.samples = row->samples,
		.side = row->side,
		.expected = row->expected,
		.delivered = row->delivered,
		.lost = profile_lost(from, (uint32_t)stream),
	};
}

size_t kiln_loss_count(const kiln_profile *p)
{
	return p->profile.losses.len;
}

kiln_loss kiln_loss_at(const kiln_profile *p, size_t loss)
{
	const struct loss *l;

	if (loss >= p->profile.losses.len)
		return (kiln_loss){0};
	l = &p->profile.losses.items[loss];
	return (kiln_loss){l->stream, text_of(profile_text(&p->profile, l->reason)), l->count};
}

size_t kiln_meta_count(const kiln_profile *p)
{
	return p->profile.meta.len;
}

void kiln_meta_at(const kiln_profile *p, size_t meta, kiln_text *ret_key, kiln_text *ret_value)
{
	struct meta none = {0}, *m = &none;

	if (meta < p->profile.meta.len)
		m = &p->profile.meta.items[meta];
	*ret_key = text_of(profile_text(&p->profile, m->key));
	*ret_value = text_of(profile_text(&p->profile, m->value));
}

static const struct samples *samples_of(const kiln_profile *p, size_t stream)
{
	static const struct samples none = {0};

	if (stream >= p->profile.streams.len)
		return &none;
	return &p->profile.samples.items[p->profile.streams.items[stream].row.samples];
}

size_t kiln_sample_count(const kiln_profile *p, size_t stream)
{
	return samples_of(p, stream)->count;
}

kiln_sample kiln_sample_at(const kiln_profile *p, size_t stream, size_t sample)
{
	const struct profile *from = &p->profile;
	const struct samples *s = samples_of(p, stream);
	const struct process *process;
	const struct thread *thread;

	if (sample >= s->count)
		return (kiln_sample){0};
	thread = &from->threads.items[s->thread.len ? s->thread.items[sample] : 0];
	process = &from->processes.items[thread->process];
	return (kiln_sample){
		.value = stream_value(&from->streams.items[stream], sample),
		.stack = s->stack.items[sample],
		.cpu = s->cpu.len && s->cpu.items[sample] != NO_CPU ? s->cpu.items[sample]
								    : KILN_NO_CPU,
		.time = s->time.len ? s->time.items[sample] : 0,
		.has_time = s->time.len != 0,
		.duration = s->duration.len ? s->duration.items[sample] : 0,
		.pid = process->pid,
		.tid = thread->tid,
		.process = text_of(profile_text(from, process->name)),
		.thread = text_of(profile_text(from, thread->name)),
	};
}

uint32_t kiln_stack_caller(const kiln_profile *p, uint32_t stack)
{
	return stack < p->profile.stack_caller.len ? p->profile.stack_caller.items[stack] : 0;
}

size_t kiln_stack_frames(const kiln_profile *p, uint32_t stack, kiln_frame *ret_frames, size_t room)
{
	const struct profile *from = &p->profile;
	struct span names;

	if (stack >= from->stack_caller.len)
		return 0;
	names = from->location_names.items[from->stack_location.items[stack]];
	for (size_t i = 0; i < names.count && i < room; i++) {
		const struct frame *f =
			&from->frames.items[from->location_frames.items[names.first + i]];

		ret_frames[i] = (kiln_frame){
			.function = text_of(profile_text(from, f->function)),
			.module = text_of(profile_text(from, f->module)),
			.file = text_of(profile_text(from, f->file)),
			.line = f->line,
			.kind = frame_kind_name((enum frame_kind)f->kind),
		};
	}
	return names.count;
}

/* ---- Views ---- */

/* Allocate where failure can be reported; the pages are populated later. */
static void sums_prepare(kiln_view *v)
{
	v->self = memory_new(v->view.tree.caller.len, sizeof(*v->self));
	v->total = memory_new(v->view.tree.caller.len, sizeof(*v->total));
}

struct viewing {
	const kiln_profile *profile;
	enum kiln_by by;
	kiln_view *ret;
};

static void make_view(void *context)
{
	struct viewing *viewing = context;
	kiln_view *v = memory_new(1, sizeof(*v));
	enum projection projection = BY_FUNCTION;

	if (viewing->by == KILN_BY_LINE)
		projection = BY_LINE;
	else if (viewing->by == KILN_BY_ADDRESS)
		projection = BY_ADDRESS;
	view_init(&v->view, &viewing->profile->profile, projection);
	sums_prepare(v);
	viewing->ret = v;
}

kiln_view *kiln_view_new(const kiln_profile *p, enum kiln_by by)
{
	struct viewing viewing = {p, by, NULL};
	struct error ignored = {0};

	return in_scope(make_view, &viewing, &ignored) ? viewing.ret : NULL;
}

void kiln_view_free(kiln_view *v)
{
	if (!v)
		return;
	memory_free(v->self);
	memory_free(v->total);
	view_release(&v->view);
	memory_free(v);
}

struct selecting {
	struct view *view;
	struct bytes kind;
	bool with_idle, done;
	struct error err;
};

/* Only an error allocates. */
static void select_streams(void *context)
{
	struct selecting *s = context;

	s->done = view_select(s->view, s->kind, s->with_idle, &s->err);
}

bool kiln_view_select(kiln_view *v, const char *kind, bool with_idle, kiln_error *ret_err)
{
	struct selecting s = {.view = &v->view, .with_idle = with_idle};

	if (kind)
		s.kind = bytes_of(kind);
	v->summed = false;
	return (in_scope(select_streams, &s, &s.err) && s.done) || failed(&s.err, ret_err);
}

struct transforming {
	const kiln_view *view;
	const char *name, *argument;
	kiln_view ret;
	bool done;
	struct error err;
};

static const struct transform *transform_find(const struct transforming *t, struct error *err)
{
	const struct transform *transform = transform_by_name(t->name);

	if (!transform)
		error_set(err, ERR_USAGE, "no transform is called '%s'", t->name);
	else if (!transform->argument != !t->argument)
		error_set(err, ERR_USAGE, "%s: %s", t->name,
			t->argument ? "takes no argument" : "expected an argument");
	else
		return transform;
	return NULL;
}

/* Transform a copy, so that the view is unchanged after a failure. */
static void transform_copy(void *context)
{
	struct transforming *t = context;
	const struct transform *transform = transform_find(t, &t->err);

	if (!transform)
		return;
	view_copy(&t->view->view, &t->ret.view);
	t->done = transform_apply(transform, &t->ret.view, t->argument, &t->err);
	if (t->done)
		sums_prepare(&t->ret);
	else
		view_release(&t->ret.view);
}

bool kiln_view_transform(kiln_view *v, const char *name, const char *argument, kiln_error *ret_err)
{
	struct transforming t = {.view = v, .name = name, .argument = argument};

	if (!in_scope(transform_copy, &t, &t.err) || !t.done)
		return failed(&t.err, ret_err);
	memory_free(v->self);
	memory_free(v->total);
	view_release(&v->view);
	*v = t.ret;
	return true;
}

size_t kiln_node_count(const kiln_view *v)
{
	return v->view.tree.caller.len;
}

kiln_node kiln_node_at(kiln_view *v, size_t node)
{
	struct frame frame;

	if (node >= kiln_node_count(v))
		return (kiln_node){0};
	if (!v->summed) {
		view_self(&v->view, v->self);
		tree_totals(&v->view.tree, v->self, v->total);
		v->summed = true;
	}
	frame = view_frame_at(&v->view, v->view.tree.frame.items[node]);
	return (kiln_node){
		.caller = v->view.tree.caller.items[node],
		.frame = {text_of(view_text(&v->view, frame.function)),
			text_of(view_text(&v->view, frame.module)),
			text_of(view_text(&v->view, frame.file)), frame.line,
			frame_kind_name((enum frame_kind)frame.kind)},
		.self = v->self[node],
		.total = v->total[node],
	};
}

/* ---- Output ---- */

static bool option_apply(
	const struct renderer *renderer, void *settings, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	size_t len = equals ? (size_t)(equals - text) : strlen(text);

	for (const struct option *o = renderer->options; o && o->name; o++) {
		if (strlen(o->name) != len || memcmp(o->name, text, len))
			continue;
		if (!o->argument != !equals)
			return error_set(err, ERR_USAGE, "%s: %s", o->name,
				equals ? "expected no value" : "expected =VALUE");
		return o->set(settings, o, equals ? equals + 1 : NULL, err) ||
		       error_prefix(err, "%s: ", o->name);
	}
	return error_set(err, ERR_USAGE, "%s has no option '%.*s'", renderer->name, (int)len, text);
}

static bool render_to(const kiln_view *v, const struct renderer *renderer,
	const char *const *options, struct output *out, struct error *err)
{
	void *settings = renderer_settings(renderer);
	bool done = true;

	for (size_t i = 0; done && options && options[i]; i++)
		done = option_apply(renderer, settings, options[i], err);
	done = done && renderer_write(renderer, &v->view, settings, out, err);
	if (done && out->failed.code) {
		*err = out->failed;
		done = false;
	}
	memory_free(settings);
	return done;
}

struct rendering {
	const kiln_view *view;
	const struct renderer *renderer;
	const char *const *options;
	const char *path; /* NULL: into memory */
	struct buffer ret;
	bool done;
	struct error err;
};

static void render_file(struct rendering *r)
{
	struct output out;

	if (!output_open(&out, r->path, 0666, &r->err))
		return;
	r->done = render_to(r->view, r->renderer, r->options, &out, &r->err) &&
		  output_commit(&out, &r->err);
	output_discard(&out);
}

static void render_memory(struct rendering *r)
{
	struct output out;

	output_open_memory(&out);
	r->done = render_to(r->view, r->renderer, r->options, &out, &r->err);
	if (r->done) {
		buffer_reserve(&out.pending, 1); /* not NULL, even if nothing was written */
		r->ret = out.pending;
		out.pending = (struct buffer){0};
	}
	output_discard(&out);
}

static void render(void *context)
{
	struct rendering *r = context;

	if (r->path)
		render_file(r);
	else
		render_memory(r);
}

bool kiln_render(const kiln_view *v, const char *format, const char *const *options,
	const char *path, kiln_error *ret_err)
{
	struct rendering r = {.view = v, .options = options, .path = path};

	r.renderer = format ? renderer_by_name(format) : renderer_for_path(path);
	if (!r.renderer)
		error_set(&r.err, ERR_USAGE, "no renderer for '%s'", format ? format : path);
	else if (in_scope(render, &r, &r.err) && r.done)
		return true;
	return failed(&r.err, ret_err);
}

bool kiln_render_memory(const kiln_view *v, const char *format, const char *const *options,
	char **ret_bytes, size_t *ret_len, kiln_error *ret_err)
{
	struct rendering r = {.view = v, .options = options};

	r.renderer = renderer_by_name(format);
	if (!r.renderer)
		error_set(&r.err, ERR_USAGE, "no renderer is called '%s'", format);
	if (!r.renderer || !in_scope(render, &r, &r.err) || !r.done)
		return failed(&r.err, ret_err);
	*ret_bytes = r.ret.at;
	*ret_len = r.ret.len;
	return true;
}

void kiln_free(void *bytes)
{
	memory_free(bytes);
}

/* kiln.c: how do others call Kiln? */
#define KILN_API __attribute__((visibility("default")))
#include "kiln.h"

#include "model/view.h"
#include "process/symbolize.h"
#include "readers/readers.h"
#include "renderers/renderers.h"
#include "transforms/transforms.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct kiln_profile {
	struct profile profile;
	char *copy; /* of the memory it borrows from */
};

struct kiln_view {
	struct view view;
	int64_t *self, *total; /* NULL: to be computed */
};

static_assert((int)KILN_IO == (int)ERR_IO && (int)KILN_PERMISSION == (int)ERR_PERMISSION &&
		      (int)KILN_LIMIT == (int)ERR_LIMIT,
	"error codes are passed on as they are");

/* Pass an error on. Returns false. */
static bool failed(const struct error *from, kiln_error *err)
{
	if (err) {
		err->code = (enum kiln_error_code)from->code;
		snprintf(err->text, sizeof(err->text), "%s", from->text);
	}
	return false;
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

static kiln_profile *profile_loaded(struct input *in, const char *format, kiln_error *ret_err)
{
	const struct read_options options = {.want = WANT_ALL, .format = format};
	kiln_profile *p = memory_new(1, sizeof(*p));
	struct error err = {0};
	bool done = profile_read_input(in, &options, &p->profile, &err);

	input_release(in);
	if (done) {
		if (profile_needs_names(&p->profile))
			profile_symbolize(&p->profile, NULL, NULL);
		return p;
	}
	failed(&err, ret_err);
	kiln_profile_free(p);
	return NULL;
}

kiln_profile *kiln_load(const char *path, const char *format, kiln_error *ret_err)
{
	struct error err = {0};
	struct input in;

	if (!format_known(format, &err) || !input_open(&in, path, &err)) {
		failed(&err, ret_err);
		return NULL;
	}
	return profile_loaded(&in, format, ret_err);
}

kiln_profile *kiln_load_memory(
	const void *bytes, size_t len, const char *format, kiln_error *ret_err)
{
	struct error err = {0};
	kiln_profile *p;
	struct input in;
	char *copy; /* the profile may borrow from it */

	if (!format_known(format, &err)) {
		failed(&err, ret_err);
		return NULL;
	}
	copy = memory_copy_text(bytes, len);
	if (!input_open_bytes(&in, (struct bytes){copy, len}, "<memory>", &err)) {
		failed(&err, ret_err);
		free(copy);
		return NULL;
	}
	p = profile_loaded(&in, format, ret_err);
	if (p && p->profile.borrowed)
		p->copy = copy;
	else
		free(copy);
	return p;
}

void kiln_profile_free(kiln_profile *p)
{
	if (!p)
		return;
	profile_release(&p->profile);
	free(p->copy);
	free(p);
}

size_t kiln_stream_count(const kiln_profile *p)
{
	return p->profile.streams.len;
}

kiln_stream kiln_stream_at(const kiln_profile *p, size_t stream)
{
	const struct profile *from = &p->profile;
	const struct stream_row *row = &from->streams.items[stream].row;

	assert(stream < from->streams.len);
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
	const struct loss *l = &p->profile.losses.items[loss];

	assert(loss < p->profile.losses.len);
	return (kiln_loss){l->stream, text_of(profile_text(&p->profile, l->reason)), l->count};
}

size_t kiln_meta_count(const kiln_profile *p)
{
	return p->profile.meta.len;
}

void kiln_meta_at(const kiln_profile *p, size_t meta, kiln_text *ret_key, kiln_text *ret_value)
{
	const struct meta *m = &p->profile.meta.items[meta];

	assert(meta < p->profile.meta.len);
	*ret_key = text_of(profile_text(&p->profile, m->key));
	*ret_value = text_of(profile_text(&p->profile, m->value));
}

static const struct samples *samples_of(const kiln_profile *p, size_t stream)
{
	assert(stream < p->profile.streams.len);
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

	assert(sample < s->count);
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
	assert(stack < p->profile.stack_caller.len);
	return p->profile.stack_caller.items[stack];
}

size_t kiln_stack_frames(const kiln_profile *p, uint32_t stack, kiln_frame *ret_frames, size_t room)
{
	const struct profile *from = &p->profile;
	struct span names;

	assert(stack < from->stack_caller.len);
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

kiln_view *kiln_view_new(const kiln_profile *p, enum kiln_by by)
{
	kiln_view *v = memory_new(1, sizeof(*v));

	view_init(&v->view, &p->profile,
		by == KILN_BY_LINE	? BY_LINE
		: by == KILN_BY_ADDRESS ? BY_ADDRESS
					: BY_FUNCTION);
	return v;
}

static void values_forget(kiln_view *v)
{
	free(v->self);
	free(v->total);
	v->self = v->total = NULL;
}

void kiln_view_free(kiln_view *v)
{
	if (!v)
		return;
	values_forget(v);
	view_release(&v->view);
	free(v);
}

bool kiln_view_select(kiln_view *v, const char *kind, bool with_idle, kiln_error *ret_err)
{
	struct error err = {0};

	values_forget(v);
	return view_select(&v->view, kind ? bytes_of(kind) : (struct bytes){0}, with_idle, &err) ||
	       failed(&err, ret_err);
}

bool kiln_view_transform(kiln_view *v, const char *name, const char *argument, kiln_error *ret_err)
{
	const struct transform *transform = transform_by_name(name);
	struct error err = {0};

	if (!transform)
		error_set(&err, ERR_USAGE, "no transform is called '%s'", name);
	else if (!transform->argument != !argument)
		error_set(&err, ERR_USAGE, "%s: %s", name,
			argument ? "takes no argument" : "an argument is missing");
	else if (transform_apply(transform, &v->view, argument, &err))
		return values_forget(v), true;
	return failed(&err, ret_err);
}

size_t kiln_node_count(const kiln_view *v)
{
	return v->view.tree.caller.len;
}

kiln_node kiln_node_at(kiln_view *v, size_t node)
{
	size_t nodes = kiln_node_count(v);
	struct frame frame;

	assert(node < nodes);
	if (!v->self) {
		v->self = memory_new(nodes, sizeof(*v->self));
		v->total = memory_new(nodes, sizeof(*v->total));
		view_self(&v->view, v->self);
		tree_totals(&v->view.tree, v->self, v->total);
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
				equals ? "takes no value" : "expected =VALUE");
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
	free(settings);
	return done;
}

bool kiln_render(const kiln_view *v, const char *format, const char *const *options,
	const char *path, kiln_error *ret_err)
{
	const struct renderer *renderer =
		format ? renderer_by_name(format) : renderer_for_path(path);
	struct error err = {0};
	struct output out;
	bool done;

	if (!renderer) {
		error_set(&err, ERR_USAGE, "no renderer for '%s'", format ? format : path);
		return failed(&err, ret_err);
	}
	if (!output_open(&out, path, 0666, &err))
		return failed(&err, ret_err);
	done = render_to(v, renderer, options, &out, &err) && output_commit(&out, &err);
	output_discard(&out);
	return done || failed(&err, ret_err);
}

bool kiln_render_memory(const kiln_view *v, const char *format, const char *const *options,
	char **ret_bytes, size_t *ret_len, kiln_error *ret_err)
{
	const struct renderer *renderer = renderer_by_name(format);
	struct error err = {0};
	struct output out;

	if (!renderer) {
		error_set(&err, ERR_USAGE, "no renderer is called '%s'", format);
		return failed(&err, ret_err);
	}
	output_open_memory(&out);
	if (!render_to(v, renderer, options, &out, &err)) {
		output_discard(&out);
		return failed(&err, ret_err);
	}
	buffer_room(&out.pending, 1); /* not NULL, even when nothing was written */
	*ret_bytes = out.pending.at;
	*ret_len = out.pending.len;
	out.pending = (struct buffer){0};
	output_discard(&out);
	return true;
}

void kiln_free(void *bytes)
{
	free(bytes);
}

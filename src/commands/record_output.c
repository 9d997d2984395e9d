/* record_output.c: where a recording goes while it grows and when it is finished. */
#include "commands/record_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PENDING_MOST ((size_t)256 << 10) /* bytes */

#define OUTPUT_MODE 0600 /* stacks and command lines are nobody else's business */

static char *with_suffix(const char *path, const char *suffix)
{
	struct buffer text = {0};

	buffer_printf(&text, "%s%s", path, suffix);
	return text.at;
}

static bool flush(struct record_output *o, struct error *err)
{
	bool done = output_write_fd(o->fd, buffer_bytes(&o->pending), err);

	o->pending.len = 0;
	return done || error_prefix(err, "%s: ", o->growing ? o->growing : "standard output");
}

/* A column a second is a few bytes, and a call for each would take longer than to write them. */
static bool sink_write(void *context, struct bytes bytes, struct error *err)
{
	struct record_output *o = context;

	buffer_add(&o->pending, bytes.at, bytes.len);
	return o->pending.len < PENDING_MOST || flush(o, err);
}

static bool keep_old(struct record_output *o, struct error *err)
{
	char *old;

	if (access(o->growing, F_OK))
		return true;
	old = with_suffix(o->growing, ".old");
	o->kept = !rename(o->growing, old);
	if (!o->kept)
		error_errno(err, "renaming %s to %s", o->growing, old);
	free(old);
	return o->kept;
}

static bool open_growing(struct record_output *o, struct error *err)
{
	bool kiln = !strcmp(o->renderer->name, "kiln");
	struct stat status;

	o->growing = with_suffix(o->path, kiln ? "" : ".kiln");
	if (!stat(o->growing, &status) && !S_ISREG(status.st_mode)) {
		o->stream = true;
		o->fd = open(o->growing, O_WRONLY | O_CLOEXEC);
	} else if (!keep_old(o, err)) {
		return false;
	} else {
		o->fd = open(o->growing, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, OUTPUT_MODE);
	}
	if (o->fd < 0)
		return error_errno(err, "%s: cannot create", o->growing);
	if (!o->stream)
		output_give_to_caller(o->fd);
	return true;
}

static bool unknown_suffix(const char *path, struct error *err)
{
	struct buffer known = {0};

	renderer_suffixes(&known);
	error_set(err, ERR_USAGE, "-o %s: the suffix chooses the format; expected one of %s", path,
		known.at);
	buffer_release(&known);
	return false;
}

bool record_output_open(struct record_output *o, const char *path, struct error *err)
{
	*o = (struct record_output){.path = path, .fd = -1};
	o->writer.sink = (struct kiln_sink){sink_write, o};
	if (!strcmp(path, "-")) {
		o->renderer = renderer_by_name("kiln");
		o->fd = STDOUT_FILENO;
		o->stream = true;
		return true;
	}
	o->renderer = renderer_for_path(path);
	if (!o->renderer && !strncmp(path, "/dev/", 5))
		o->renderer = renderer_by_name("kiln");
	if (!o->renderer)
		return unknown_suffix(path, err);
	return renderer_check(o->renderer, err) && open_growing(o, err);
}

bool record_output_append(struct record_output *o, const struct profile *p, struct error *err)
{
	return kiln_writer_append(&o->writer, p, err) && flush(o, err);
}

/* A .kiln file has all there is, and is told apart by who looks at it. */
static bool group(const struct record_output *o, struct view *view, struct error *err)
{
	return !strcmp(o->renderer->name, "kiln") || transform_list_apply(o->by, view, err);
}

static bool render(struct record_output *o, struct view *v, struct error *err)
{
	void *settings = renderer_settings(o->renderer);
	struct output out = {0};
	bool done;

	done = group(o, v, err) && output_open(&out, o->path, OUTPUT_MODE, err) &&
	       o->renderer->render(v, settings, &out, err) && output_commit(&out, err);
	output_discard(&out);
	free(settings);
	return done;
}

static bool finish_growing(struct record_output *o, const struct profile *p, struct error *err)
{
	return kiln_writer_finish(&o->writer, p, err) && flush(o, err);
}

bool record_output_finish(struct record_output *o, struct view *v, struct error *err)
{
	struct error other = {0}; /* the first one is told */

	if (o->stream)
		return finish_growing(o, v->profile, err);
	if (!render(o, v, err)) {
		finish_growing(o, v->profile, &other);
		error_prefix(err, "what was recorded is in %s: ", o->growing);
		return false;
	}
	if (strcmp(o->growing, o->path))
		unlink(o->growing);
	return true;
}

void record_output_discard(struct record_output *o)
{
	char *old;

	if (o->fd < 0 || o->stream)
		return;
	unlink(o->growing);
	if (!o->kept)
		return;
	old = with_suffix(o->growing, ".old");
	rename(old, o->growing);
	free(old);
}

void record_output_release(struct record_output *o)
{
	if (o->fd >= 0 && o->fd != STDOUT_FILENO)
		close(o->fd);
	free(o->growing);
	buffer_release(&o->pending);
	kiln_writer_release(&o->writer);
	*o = (struct record_output){.fd = -1};
}

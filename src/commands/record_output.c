/* record_output.c: where a recording goes while it grows and when it is finished. */
#include "commands/record_output.h"

#include "base/libc.h"
#include "base/memory.h"
#include "base/output_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PENDING_LIMIT ((size_t)256 << 10) /* bytes */

#define OUTPUT_MODE 0600 /* stacks and command lines are private */

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

/* Collect what the writer appends: most of its pieces have a few bytes, too few for a system call
 * each. */
static bool sink_write(void *context, struct bytes bytes, struct error *err)
{
	struct record_output *o = context;

	buffer_add(&o->pending, bytes.at, bytes.len);
	return o->pending.len < PENDING_LIMIT || flush(o, err);
}

/* Rename the existing link or file to NAME.old. */
static bool keep_old(struct record_output *o, struct error *err)
{
	struct output_folder *f = &o->folder;

	if (fstatat(f->fd, f->name, &o->old, AT_SYMLINK_NOFOLLOW))
		return true;
	o->old_name = with_suffix(f->name, ".old");
	if (!renameat(f->fd, f->name, f->fd, o->old_name))
		return true;
	error_errno(err, "renaming %s to %s.old", o->growing, o->growing);
	free(o->old_name);
	o->old_name = NULL;
	return false;
}

static void put_old_back(struct record_output *o)
{
	struct output_folder *f = &o->folder;
	struct stat now;

	if (o->old_name && !fstatat(f->fd, o->old_name, &now, AT_SYMLINK_NOFOLLOW) &&
		now.st_dev == o->old.st_dev && now.st_ino == o->old.st_ino)
		renameat2(f->fd, o->old_name, f->fd, f->name, RENAME_NOREPLACE);
}

/* A file without a name yet; -1: this file system has none. */
static int open_unnamed(const struct output_folder *f)
{
	return openat(f->fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, OUTPUT_MODE);
}

static bool give_name(struct record_output *o, struct error *err)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", o->fd);
	if (!linkat(AT_FDCWD, link, o->folder.fd, o->folder.name, AT_SYMLINK_FOLLOW))
		return true;
	error_errno(err, "%s: cannot create", o->growing);
	put_old_back(o);
	return false;
}

static bool create_named(struct record_output *o, struct error *err)
{
	if (!keep_old(o, err))
		return false;
	o->fd = output_folder_create(&o->folder, o->folder.name, OUTPUT_MODE);
	if (o->fd >= 0)
		return true;
	error_errno(err, "%s: cannot create", o->growing);
	put_old_back(o);
	return false;
}

static bool commit_nothing(struct record_output *o, struct error *err)
{
	struct profile nothing;
	bool done;

	profile_init(&nothing);
	done = record_output_append(o, &nothing, 0, err);
	profile_release(&nothing);
	return done;
}

static bool create_growing(struct record_output *o, struct error *err)
{
	bool has_name;

	o->fd = open_unnamed(&o->folder);
	has_name = o->fd < 0;
	if (has_name && !create_named(o, err))
		return false;
	output_folder_chown_to_sudo_user(&o->folder, o->fd);
	return commit_nothing(o, err) && (has_name || (keep_old(o, err) && give_name(o, err)));
}

/* Create the growing file. Where the file system has files without names, it gets its name only
 * when it can be read as a .kiln file. So whatever ends the recorder leaves a readable file. */
static bool open_growing(struct record_output *o, struct error *err)
{
	bool kiln = !strcmp(o->renderer->name, "kiln");

	o->growing = with_suffix(o->path, kiln ? "" : ".kiln");
	if (!output_folder_open(&o->folder, o->growing, false, err))
		return false;
	if (o->folder.device >= 0) {
		o->stream = true;
		o->fd = o->folder.device;
		return true;
	}
	return (kiln ? output_folder_copy(&o->folder, &o->finished, err)
		     : output_folder_open(&o->finished, o->path, true, err)) &&
	       create_growing(o, err);
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
	*o = (struct record_output){.path = path,
		.fd = -1,
		.folder = OUTPUT_FOLDER_NONE,
		.finished = OUTPUT_FOLDER_NONE};
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

bool record_output_append(
	struct record_output *o, const struct profile *p, size_t unnamed, struct error *err)
{
	o->writer.unnamed = unnamed;
	return kiln_writer_append(&o->writer, p, err) && flush(o, err);
}

/* A .kiln file has all data; its viewers choose root frames. */
static bool group(const struct record_output *o, struct view *view, struct error *err)
{
	return !strcmp(o->renderer->name, "kiln") || transform_list_apply(o->by, view, err);
}

static bool render(struct record_output *o, struct view *v, struct error *err)
{
	void *settings = renderer_settings(o->renderer);
	struct output out = {0};
	bool done;

	done = group(o, v, err) && output_open_in(&out, &o->finished, o->path, OUTPUT_MODE, err) &&
	       renderer_write(o->renderer, v, settings, &out, err) && output_commit(&out, err);
	output_discard(&out);
	free(settings);
	return done;
}

static bool finish_growing(struct record_output *o, const struct profile *p, struct error *err)
{
	o->writer.unnamed = 0;
	return kiln_writer_finish(&o->writer, p, err) && flush(o, err);
}

/* Another program has put a file in the place of the growing one: leave that file alone, write the
 * recording under a free name, and fail with an error that says so. */
static bool render_beside(struct record_output *o, struct view *v, struct error *err)
{
	struct output_folder *f = &o->finished;
	char *name;
	bool done;

	output_folder_free_name(f);
	name = memory_copy_text(f->name, strlen(f->name));
	done = render(o, v, err);
	if (done)
		error_set(err, ERR_IO,
			"another program replaced %s, which is left unchanged: the recording is in "
			"%s",
			o->path, name);
	free(name);
	return false;
}

bool record_output_finish(struct record_output *o, struct view *v, struct error *err)
{
	bool kiln = !strcmp(o->renderer->name, "kiln");
	struct error other = {0}; /* only the first error is reported */
	bool taken;

	if (o->stream)
		return finish_growing(o, v->profile, err);
	taken = output_folder_taken(&o->folder, o->folder.name, o->fd);
	if (kiln && taken)
		return render_beside(o, v, err);
	if (!render(o, v, err)) {
		finish_growing(o, v->profile, &other);
		if (!taken)
			error_prefix(err, "the recording is in %s: ", o->growing);
		return false;
	}
	if (!kiln)
		output_folder_remove(&o->folder, o->folder.name, o->fd);
	return true;
}

void record_output_discard(struct record_output *o)
{
	if (o->fd < 0 || o->stream)
		return;
	output_folder_remove(&o->folder, o->folder.name, o->fd);
	put_old_back(o);
}

void record_output_release(struct record_output *o)
{
	if (o->fd >= 0 && !o->stream)
		close(o->fd);
	output_folder_release(&o->folder);
	output_folder_release(&o->finished);
	free(o->growing);
	free(o->old_name);
	buffer_release(&o->pending);
	kiln_writer_release(&o->writer);
	*o = (struct record_output){
		.fd = -1, .folder = OUTPUT_FOLDER_NONE, .finished = OUTPUT_FOLDER_NONE};
}

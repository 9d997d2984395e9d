/* output.c: how is output collected, and where does it go? */
#include "base/output.h"

#include "base/deadline.h"
#include "base/expansion.h"
#include "base/memory.h"
#include "base/output_file.h"

#include <unistd.h>

/* Write at once from this many bytes on. Renderers' pieces of text are longer (folded_lines.c)
 * and are not copied first. */
#define OUTPUT_PIECE ((size_t)64 << 10)

/* ---- Opening ---- */

bool output_open_in(struct output *o, struct output_folder *folder, const char *path, unsigned mode,
	struct error *err)
{
	*o = (struct output){.fd = -1, .file = output_file_create(folder, mode)};
	if (!o->file)
		return error_errno(err, "%s: cannot create", path);
	o->path = memory_copy_text(path, strlen(path));
	o->fd = output_file_fd(o->file);
	return true;
}

bool output_open(struct output *o, const char *path, unsigned mode, struct error *err)
{
	struct output_folder folder;

	*o = (struct output){.fd = -1};
	if (!strcmp(path, "-")) {
		o->fd = STDOUT_FILENO;
		return true;
	}
	return output_folder_open(&folder, path, true, err) &&
	       output_open_in(o, &folder, path, mode, err);
}

const struct output_folder *output_folder_of(const struct output *o)
{
	return output_file_folder(o->file);
}

void output_open_memory(struct output *o)
{
	*o = (struct output){.fd = -1, .in_memory = true};
}

/* ---- Writing ---- */

static void flush(struct output *o)
{
	if (o->in_memory) {
		if (!o->failed.code)
			deadline_check(&o->failed);
		return;
	}
	if (!o->failed.code)
		output_write_fd(o->fd, buffer_bytes(&o->pending), &o->failed);
	o->pending.len = 0;
}

static bool exceeds_limit(struct output *o, size_t len)
{
	o->written += len;
	if (!o->limit || o->written <= o->limit)
		return false;
	if (!o->failed.code)
		expansion_error("the output", o->limit, &o->failed);
	return true;
}

void output_write(struct output *o, struct bytes bytes)
{
	if (exceeds_limit(o, bytes.len))
		return;
	if (bytes.len >= OUTPUT_PIECE && !o->in_memory) {
		flush(o);
		if (!o->failed.code)
			output_write_fd(o->fd, bytes, &o->failed);
		return;
	}
	if (!o->in_memory || !o->failed.code)
		buffer_add(&o->pending, bytes.at, bytes.len);
	if (o->pending.len >= OUTPUT_PIECE)
		flush(o);
}

/* ---- The end ---- */

bool output_commit(struct output *o, struct error *err)
{
	bool done;

	flush(o);
	done = !o->failed.code && (!o->file || output_file_commit(o->file, &o->failed));
	if (!done) {
		*err = o->failed;
		error_prefix(err, "%s: ", o->path ? o->path : "<stdout>");
	}
	output_discard(o);
	return done;
}

void output_discard(struct output *o)
{
	output_file_release(o->file);
	memory_free(o->path);
	buffer_release(&o->pending);
	*o = (struct output){.fd = -1};
}

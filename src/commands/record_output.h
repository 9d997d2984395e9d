/* record_output.h: where a recording goes while it grows and when it is finished. */
#ifndef KILN_COMMANDS_RECORD_OUTPUT_H
#define KILN_COMMANDS_RECORD_OUTPUT_H

#include "base/output.h"
#include "model/kiln_file.h"
#include "renderers/renderers.h"
#include "transforms/transforms.h"

#include <sys/stat.h>

/* While recording, what is new is appended to a .kiln file (or to standard output), so that
 * whatever ends the recorder leaves a readable file. At the end a whole file takes its place, if
 * its name still is that of the growing file; otherwise it gets a name of its own. */
struct record_output {
	const char *path;
	const struct renderer *renderer; /* of the finished file */
	char *growing; /* the file that is appended to: `path`, or PATH.kiln for other formats */
	int fd;
	struct output_folder folder;	 /* of the growing file */
	struct output_folder finished;	 /* where the finished file gets its name */
	const struct transform_list *by; /* root frames of pictures and text; the caller's */
	char *old_name;			 /* in the folder: what had the name before; or NULL */
	struct stat old;
	bool stream; /* a pipe or device: what is appended is all there is */
	struct kiln_writer writer;
	struct buffer pending; /* of what is appended */
};

/* Begin; `by` is to be set then. A .kiln file of that name becomes NAME.old. ERR_USAGE for an
 * unknown suffix. */
bool record_output_open(struct record_output *o, const char *path, struct error *err);
/* Append what is new in the profile; its last `unnamed` locations are named afterwards. */
bool record_output_append(
	struct record_output *o, const struct profile *p, size_t unnamed, struct error *err);
/* Write the finished file, of this view of all that was recorded, and remove what was growing. On
 * failure what was appended stays. */
bool record_output_finish(struct record_output *o, struct view *v, struct error *err);
/* Nothing was recorded: leave nothing behind, and put an old file back. */
void record_output_discard(struct record_output *o);
void record_output_release(struct record_output *o);

#endif

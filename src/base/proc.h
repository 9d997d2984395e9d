/* proc.h: files of /proc. */
#ifndef KILN_BASE_PROC_H
#define KILN_BASE_PROC_H

#include "base/buffer.h"

#define PROC_TEXT_LIMIT ((size_t)256 << 20) /* bytes of one file in /proc */

/* Read a whole file, whose size is not known in advance, up to PROC_TEXT_LIMIT, and replace the
 * content of `text`. False and errno when it cannot be read. */
bool proc_text(struct buffer *text, const char *path);
/* The same up to `max` bytes, or a few more. */
bool proc_text_up_to(struct buffer *text, const char *path, size_t max);

/* Call `each` with the id of every thread that process `pid` has now; never when the process has
 * ended. */
typedef void each_thread(void *context, int32_t tid);
void proc_threads(int32_t pid, each_thread *each, void *context);

#endif

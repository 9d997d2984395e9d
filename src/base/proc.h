/* proc.h: files of /proc. */
#ifndef KILN_BASE_PROC_H
#define KILN_BASE_PROC_H

#include "base/buffer.h"

#define PROC_TEXT_LIMIT ((size_t)256 << 20) /* bytes of one file in /proc */

/* The whole of a file (whose size is not known before it is read), up to PROC_TEXT_LIMIT, in place
 * of what `text` has. False, with errno, when it cannot be read. */
bool proc_text(struct buffer *text, const char *path);

/* Call `each` with the id of every thread that process `pid` has now; of none when it is gone. */
typedef void each_thread(void *context, int32_t tid);
void proc_threads(int32_t pid, each_thread *each, void *context);

#endif

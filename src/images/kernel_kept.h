/* kernel_kept.h: the running kernel's symbols, kept from one run to the next.
 *
 * The kernel needs 30 to 60 ms to produce the text of /proc/kallsyms, and parsing it takes another
 * 10: more than the rest of most commands. So the table is kept in the symbol cache
 * (symbol_cache.h), as a file that is used in place. It is the table of this boot, of the modules
 * that are loaded now (/proc/modules), and of the BPF programs that are. Only root may ask which
 * programs there are; for others, a table is kept if there are none, and programs that are loaded
 * later have no names. Trampolines of ftrace and kprobes come and go unnoticed; the only names that
 * they have are those of their kind. */
#ifndef KILN_IMAGES_KERNEL_KEPT_H
#define KILN_IMAGES_KERNEL_KEPT_H

#include "images/kernel.h"
#include "images/kernel_rows.h"

#define KERNEL_KEPT_MAGIC "KILNKER1" /* the file's first bytes */

/* Note which BPF programs there are. For a process that will read the symbols within some seconds,
 * and may not ask any more then. */
void kernel_kept_prepare(void);

/* NULL: there is no such table, or /proc/kallsyms hides its addresses from this user. */
struct kernel *kernel_kept_open(void);

/* What of the kernel is loaded now; false: unknown. */
bool kernel_key_read(struct kernel_key *ret);

/* Keep the symbols that kernel_open_text("/proc/kallsyms") has just read, unless something else is
 * loaded now than before. */
void kernel_keep(const struct kernel *k, const struct kernel_key *before);

#endif

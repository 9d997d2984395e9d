/* symbol_cache.h: answers about binaries that outlive the process, in a folder of small files.
 *
 * Reading the symbols and debugging information of large binaries takes longer than everything else
 * in a run, and the next run asks for mostly the same addresses. So the answers for each binary
 * (chains.h) are written to a file, named by its build id and the depth of the answers
 * (image_names.c). `bench/symbolize.sh`: 1.03 s without, 0.11 s with the cache.
 *
 * The folder is $KILN_CACHE, or else kiln/ in $XDG_CACHE_HOME or in $HOME/.cache. It is created on
 * first use, private to the user, and used only if it belongs to the user and nobody else can write
 * to it. Under sudo, $HOME may still be the caller's: root then uses /var/cache/kiln, and any other
 * user has no cache. An empty $KILN_CACHE disables it.
 *
 * There is no lock. Files appear complete, under their final names: a reader never sees a part
 * of one, and the last of two writers wins. Any file may be deleted at any time. When all files
 * together exceed $KILN_CACHE_SIZE (1G; bytes, or with K, M, G), those that have not been used
 * for the longest time are deleted. */
#ifndef KILN_IMAGES_SYMBOL_CACHE_H
#define KILN_IMAGES_SYMBOL_CACHE_H

#include "base/output.h"
#include "base/stable_file.h"

#define SYMBOL_CACHE_SIZE ((uint64_t)1 << 30) /* bytes, unless $KILN_CACHE_SIZE says otherwise */

/* From now on, this process has no cache. */
void symbol_cache_switch_off(void);

/* The folder, created if missing; false: none. `ret_path` must be empty; its content changes even
 * on failure. */
bool symbol_cache_folder(struct buffer *ret_path);

/* The content of the file with this name (without '/'), which is marked as used; false: none.
 * The caller releases it. */
bool symbol_cache_open(const char *name, struct stable_file *ret);

/* Begin writing the file of this name, of `size` bytes; then output_write and
 * symbol_cache_commit. False when there is no folder, or the file is too large for it: not an
 * error. */
bool symbol_cache_create(const char *name, size_t size, struct output *ret_out);
/* Give the file its name, and delete old files if the folder has become too large. */
void symbol_cache_commit(struct output *out);

#endif

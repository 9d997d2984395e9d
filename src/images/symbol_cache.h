/* symbol_cache.h: where answers about binaries outlive the process: a folder of small files.
 *
 * The folder is $KILN_CACHE; else kiln/ in $XDG_CACHE_HOME, else in $HOME/.cache. It is made on
 * first use, for the user alone, and is used only when it belongs to the user and nobody else may
 * write to it: root, whose $HOME sudo may have left to be the caller's, then takes /var/cache/kiln,
 * and anybody else has no cache. An empty $KILN_CACHE: no cache.
 *
 * Files appear whole, under their final name: readers never see half of one, and of two writers the
 * last one wins. Anything in the folder may be deleted at any time. When all files together are
 * larger than $KILN_CACHE_SIZE (1G; bytes, or with K, M, G), those that were not used for the
 * longest time are deleted. */
#ifndef KILN_IMAGES_SYMBOL_CACHE_H
#define KILN_IMAGES_SYMBOL_CACHE_H

#include "base/output.h"
#include "base/stable_file.h"

#define SYMBOL_CACHE_SIZE ((uint64_t)1 << 30) /* bytes, unless $KILN_CACHE_SIZE says otherwise */

/* The folder, made if it is missing; false: there is none. ret_path, which is empty, is written to
 * in any case. */
bool symbol_cache_folder(struct buffer *ret_path);

/* The whole file of this name (no '/' in it); false when there is none. It is marked as used. The
 * caller releases it. */
bool symbol_cache_open(const char *name, struct stable_file *ret);

/* Begin to write the file of this name, of `size` bytes; then output_write and symbol_cache_commit.
 * False when there is no folder, or it would not take the file: that is no failure. */
bool symbol_cache_create(const char *name, size_t size, struct output *ret_out);
/* Give the file its name, and make room when the folder has become too large. */
void symbol_cache_commit(struct output *out);

#endif

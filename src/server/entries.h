/* entries.h: the list of what is served: named files, uploads, and profiles below folders. */
#ifndef KILN_SERVER_ENTRIES_H
#define KILN_SERVER_ENTRIES_H

#include "server/folder.h"

struct cache_entry; /* profile_cache.h */

struct entry {
	char *name;
	const struct folder *folder; /* NULL: the name is a path */
	const char *path;	     /* below the folder (points into `name`); or "-" */
	bool is_read_once;	     /* its content can be read only once */
	bool is_upload;		     /* ... and is lost when it is evicted */
	bool is_gone;
	struct file_mark mark;
	bool is_profile;	    /* by the first bytes of a file with this mark */
	struct cache_entry *cached; /* NULL: not in memory */
};

typedef VECTOR(struct entry *) entry_list;

struct entries {
	entry_list single;
	VECTOR(struct source *) sources;
	int64_t scanned; /* when the folders were scanned last, ns */
};

/* A new entry for a file ("-": standard input), or for an upload, with an unused name. Add it with
 * entries_add. */
struct entry *entry_of_path(const char *path);
struct entry *entry_of_upload(const struct entries *all, const char *name);
void entry_release(struct entry *e);

/* Update its mark from the file. */
void entry_refresh(struct entry *e);

void entries_add(struct entries *all, struct entry *e);

/* Remove and release an entry that is not in memory. */
void entries_remove(struct entries *all, struct entry *e);

/* Every profile below a folder becomes an entry, also later ones. *ret_more: there are more files
 * than are listed. */
bool entries_add_folder(struct entries *all, const char *path, bool *ret_more, struct error *err);

/* Scan all folders, unless that was done less than `gap` ns ago. Entries of deleted files stay as
 * long as they are in memory. */
void entries_rescan(struct entries *all, int64_t gap);

/* Visit all, in the order of the list. */
typedef bool entry_visit(struct entry *e, void *context); /* false: stop */
void entries_each(const struct entries *all, entry_visit *visit, void *context);

/* By name (NULL: the first one); NULL: not found. */
struct entry *entries_find(const struct entries *all, const char *name);

/* No entry may be in memory. */
void entries_release(struct entries *all);

#endif

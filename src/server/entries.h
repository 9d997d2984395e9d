/* entries.h: what can be asked for: files that were named or sent, and profiles below folders. */
#ifndef KILN_SERVER_ENTRIES_H
#define KILN_SERVER_ENTRIES_H

#include "server/folder.h"

struct held; /* kept.h */

struct entry {
	char *name;
	const struct folder *folder; /* NULL: the name is a path */
	const char *path;	     /* below the folder; in `name`; or "-" */
	bool only_here;		     /* its content can be read once only */
	bool was_sent;		     /* ... and it is gone when it is let go */
	bool is_gone;
	struct file_mark mark;
	bool is_profile;   /* by the first bytes of a file with this mark */
	struct held *held; /* NULL: it is not in memory */
};

typedef VECTOR(struct entry *) entry_list;

struct entries {
	entry_list single;
	VECTOR(struct source *) sources;
	int64_t looked; /* at the folders: when, ns */
};

/* A file ("-": standard input), or what somebody has sent, by a name that is free. It is one of
 * all once it is added. */
struct entry *entry_of_path(const char *path);
struct entry *entry_of_sent(const struct entries *all, const char *name);
void entry_release(struct entry *e);

/* Look what its file is now. */
void entry_look(struct entry *e);

void entries_add(struct entries *all, struct entry *e);

/* Release what was added, and is not in memory. */
void entries_forget(struct entries *all, struct entry *e);

/* Every profile below a folder is one, those that come later, too. *ret_more: there are so many
 * files that not all are. */
bool entries_add_folder(struct entries *all, const char *path, bool *ret_more, struct error *err);

/* Look at all folders, unless that was done less than `gap` ns ago. What is gone stays as long as
 * it is in memory. */
void entries_look(struct entries *all, int64_t gap);

/* All, in the order of the list. */
typedef bool entry_visit(struct entry *e, void *context); /* false: enough */
void entries_each(const struct entries *all, entry_visit *visit, void *context);

/* NULL, as a name: the first one; as what is returned: there is none. */
struct entry *entries_find(const struct entries *all, const char *name);

/* None is in memory any longer. */
void entries_release(struct entries *all);

#endif

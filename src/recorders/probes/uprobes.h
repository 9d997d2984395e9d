/* uprobes.h: programs on places in files, in the processes that are recorded.
 *
 * A breakpoint costs whoever runs into it. So each target gets its own, and so do its children, as
 * soon as it is heard of them; only who says --yes has breakpoints in every process that runs the
 * file, which are there from a child's first instruction on. All go away with their descriptors. */
#ifndef KILN_RECORDERS_PROBES_UPROBES_H
#define KILN_RECORDERS_PROBES_UPROBES_H

#include "recorders/session.h"

struct bpf_program;
struct bpf_link;

struct uprobe {
	const struct bpf_program *program;
	char path[32];	    /* as long as it is attached to more processes */
	uint64_t offset;    /* in the file */
	uint64_t semaphore; /* ... or 0 */
	uint64_t cookie;
	bool at_return;
};

struct uprobes {
	VECTOR(struct uprobe) list;
	VECTOR(struct bpf_link *) links;
	VECTOR(int32_t) pids; /* that have them */
	bool everywhere;      /* in all processes that run the files */
	bool begun, ended;
	size_t seen;   /* rows of the session's processes */
	uint64_t late; /* processes that ran before they had them */
};

/* Have one more, in all processes that have the others. */
bool uprobes_add(struct uprobes *u, const struct uprobe *uprobe, struct error *err);
/* Put all into the targets, or everywhere. */
bool uprobes_begin(struct uprobes *u, const struct session *s, struct error *err);
/* Put them into children that the session has heard of; after the end they are only counted. */
bool uprobes_follow(struct uprobes *u, const struct session *s, struct error *err);
void uprobes_end(struct uprobes *u);
/* Say how many had them late. */
void uprobes_note(const struct uprobes *u, struct profile *profile);
void uprobes_release(struct uprobes *u);

#endif

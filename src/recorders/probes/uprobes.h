/* uprobes.h: attaching programs to places in files, in the processes that are recorded.
 *
 * A probe is a breakpoint, which costs each process that runs into it. So it is attached to each
 * target, and to its children when the session hears of them. With --yes it is attached to every
 * process that runs the file: then it is there from the first instruction of a child on. Probes end
 * with their descriptors, also when the recorder is killed. */
#ifndef KILN_RECORDERS_PROBES_UPROBES_H
#define KILN_RECORDERS_PROBES_UPROBES_H

#include "recorders/session.h"

struct bpf_program;
struct bpf_link;

struct uprobe {
	const struct bpf_program *program;
	char path[32];	    /* open descriptors, while it can be attached to more processes */
	uint64_t offset;    /* in the file */
	uint64_t semaphore; /* ... or 0 */
	uint64_t cookie;
	bool at_return;
};

struct uprobes {
	VECTOR(struct uprobe) list;
	VECTOR(struct bpf_link *) links;
	VECTOR(int32_t) pids; /* that the probes are attached to */
	bool everywhere;      /* in all processes that run the files */
	bool begun, ended;
	size_t seen;   /* rows of the session's processes */
	uint64_t late; /* processes whose probes were attached late */
};

/* Add a probe; it is attached to the same processes as the others. */
bool uprobes_add(struct uprobes *u, const struct uprobe *uprobe, struct error *err);
/* Attach all probes to the targets, or everywhere. */
bool uprobes_begin(struct uprobes *u, const struct session *s, struct error *err);
/* Attach them to the children that the session knows; after the end, only count those. */
bool uprobes_follow(struct uprobes *u, const struct session *s, struct error *err);
void uprobes_end(struct uprobes *u);
/* Note how many processes had their probes late. */
void uprobes_note(const struct uprobes *u, struct profile *profile);
void uprobes_release(struct uprobes *u);

#endif

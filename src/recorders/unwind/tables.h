/* tables.h: what programs in the kernel need to walk stacks: the mappings of processes and
 * the unwind tables of their binaries, in the maps of bpf/unwind.h.
 *
 * Call unwind_tables_update whenever records have been applied: what has changed since is told. A
 * binary's table is made once for a build id, a large one by another thread, and goes when no
 * process has it any more and its memory is needed. Those of the processes that run already when a
 * whole system is recorded are made when a walk asks for them. Where there is no room, stacks end
 * with
 * `[truncated:no-table]`, and it is counted. */
#ifndef KILN_RECORDERS_UNWIND_TABLES_H
#define KILN_RECORDERS_UNWIND_TABLES_H

#include <bpf/libbpf.h>

#include "base/buffer.h"
#include "process/processes.h"
#include "recorders/unwind/builder.h"
#include "recorders/unwind/handover.h"

#define UNWIND_TABLES_BYTES ((uint64_t)512 << 20) /* of tables in the kernel, by default */

enum unwind_table_state {
	UNWIND_TABLE_UNMADE,
	UNWIND_TABLE_BEING_MADE,
	UNWIND_TABLE_THERE,   /* the kernel has it */
	UNWIND_TABLE_EMPTY,   /* the kernel knows that the binary has none... */
	UNWIND_TABLE_NO_ROOM, /* ... or believes so */
};

/* Of a binary. */
struct unwind_table {
	char identity[65];
	enum unwind_table_state state;
	const struct image *image; /* NULL: it is not mapped */
	uint32_t spaces;	   /* that have it mapped */
	int fd;			   /* of a new one, until it is handed over; else -1 */
	uint64_t bytes;		   /* that it takes, or would take */
	uint64_t used;		   /* the last update that needed it */
};

/* A space that the kernel has. */
struct known_space {
	uint64_t id;
	uint32_t pages;
	uint32_t processes; /* that are in it */
	VECTOR(uint16_t) tables;
};

struct known_process {
	uint32_t space; /* id; 0: none */
	uint32_t gone;	/* it ended in this one */
};

struct unwind_tables {
	int tables_fd, spaces_fd, processes_fd; /* the program's, borrowed */
	struct unwind_requests *wants;		/* the program's, mapped */
	int empty_fd;				/* a table that says nothing */
	uint64_t bytes_most;

	uint64_t bytes;		/* of tables that are there */
	uint64_t built;		/* tables made, or read from disk */
	uint64_t kept;		/* of these: read */
	uint64_t build_ns;	/* ... and how long that took */
	uint64_t no_room;	/* binaries that had to go without a table... */
	uint64_t no_memory;	/* ... as the kernel, or the recorder, had no memory for it */
	uint64_t maps_left_out; /* mappings beyond what a space can tell */
	uint64_t spaces_failed; /* spaces that the kernel had no room for */

	VECTOR(struct unwind_table) tables; /* 0 is unused; its index is the program's number */
	struct unwind_builder builder;
	struct handovers handovers;
	VECTOR(uint32_t) new_tables;	   /* not handed over yet */
	VECTOR(struct unwind_job) unkept;  /* not on disk yet */
	VECTOR(uint16_t) by_binary;	   /* row of the binaries -> number; 0: not looked at */
	VECTOR(struct known_space) spaces; /* by id */
	VECTOR(struct known_process) told; /* by row of the processes */
	struct id_map by_identity;
	bool lazy; /* the next update is about so many processes that few tables will be needed */
	uint64_t update;    /* counts updates */
	uint64_t swept;	    /* ns: when processes that are gone were last looked for */
	struct buffer work; /* a space's pages */
};

/* ERR_UNSUPPORTED when the object does not have the maps of bpf/unwind.h. It stays where it is: a
 * thread knows it. */
bool unwind_tables_init(
	struct unwind_tables *t, const struct bpf_object *object, struct error *err);
void unwind_tables_release(struct unwind_tables *t);

/* Make the tables of a command's binary and of the libraries that it needs: it will run soon. */
void unwind_tables_prepare(struct unwind_tables *t, const char *command);

/* Say in the profile what there was no room for. */
void unwind_tables_note(const struct unwind_tables *t, struct profile *profile);

/* Make what walks ask for, and hand over what was made. */
void unwind_tables_serve(struct unwind_tables *t);

/* Serve, and tell what differs from what was told. `applied`: records up to this time
 * (CLOCK_MONOTONIC, ns) have been applied; what a process was before it began to run another
 * program is not told. */
void unwind_tables_update(struct unwind_tables *t, struct processes *p, uint64_t applied);

#endif

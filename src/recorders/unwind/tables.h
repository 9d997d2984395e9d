/* tables.h: the export of unwind tables and mappings to the maps in which programs walk stacks
 * (bpf/unwind.h).
 *
 * Three kinds of things are in these maps: a table for each binary, the spaces (sets of mappings),
 * and for each process the number of its space. They are written in this order, so that a walk
 * never finds a number that is not there yet.
 *
 * unwind_tables_update compares the state of all processes with what the maps have, and writes what
 * has changed. It is called whenever records of the kernel have been applied to that state. A table
 * is made once for a build id: a small one at once, a large one by a thread (builder.h), or it is
 * read from disk (pages.h). If a walk meets a table that is not made yet, it ends, its stack is
 * copied instead, and the table is requested in a map that both sides see: unwind_tables_serve
 * makes it. So when a whole system is recorded, only tables that walks need are made.
 *
 * A table whose binary no process maps any more stays until its memory is needed. Where there is no
 * room, stacks end with `[truncated:no-table]`, and that is counted. */
#ifndef KILN_RECORDERS_UNWIND_TABLES_H
#define KILN_RECORDERS_UNWIND_TABLES_H

#include "base/buffer.h"
#include "process/processes.h"
#include "recorders/unwind/builder.h"
#include "recorders/unwind/handover.h"

#include <bpf/libbpf.h>

#define UNWIND_TABLES_BYTES ((uint64_t)512 << 20) /* of tables in the kernel, by default */

enum unwind_table_state {
	UNWIND_TABLE_NOT_MADE,
	UNWIND_TABLE_IN_WORK,
	UNWIND_TABLE_PUBLISHED, /* the kernel has it */
	UNWIND_TABLE_EMPTY,	/* the binary has none: the kernel has an empty table */
	UNWIND_TABLE_NO_ROOM,	/* there is no room: the kernel has an empty table */
};

/* The table of a binary. */
struct unwind_table {
	char identity[65];
	enum unwind_table_state state;
	const struct image *image; /* NULL: it is not mapped */
	uint32_t spaces;	   /* that map the binary */
	int fd;			   /* of a new table, until it is published; else -1 */
	uint64_t bytes;		   /* of memory that it takes, or would take */
	uint64_t used;		   /* the last update that needed it */
};

/* A space that the kernel has. */
struct known_space {
	uint64_t id;
	uint32_t pages;
	uint32_t processes; /* that have this space */
	VECTOR(uint16_t) tables;
};

struct known_process {
	uint32_t space; /* id; 0: none */
	uint32_t gone;	/* the space that it had when it ended */
};

struct unwind_tables {
	int tables_fd, spaces_fd, processes_fd; /* of the programs; borrowed */
	struct unwind_requests *requests;	/* of the programs, mapped */
	int empty_fd;				/* a table without rules */
	uint64_t bytes_most;

	uint64_t bytes;		/* of tables that are published */
	uint64_t built;		/* tables made, or read from disk */
	uint64_t from_disk;	/* of these: read */
	uint64_t build_ns;	/* ... and how long that took */
	uint64_t no_room;	/* binaries whose table had no room... */
	uint64_t no_memory;	/* ... of these: the kernel or the recorder had no memory */
	uint64_t maps_left_out; /* mappings beyond what a space can hold */
	uint64_t spaces_failed; /* spaces that the kernel had no room for */
	size_t refused_maps;	/* of the last of them: as many are not tried before there is room;
				   0: there may be */

	VECTOR(struct unwind_table) tables; /* by number; 0 is unused */
	struct unwind_builder builder;
	struct handovers handovers;
	VECTOR(uint32_t) new_tables;		/* not published yet */
	VECTOR(struct unwind_job) unsaved;	/* made, and not on disk yet */
	VECTOR(uint16_t) by_binary;		/* row of the binaries -> number; 0: none yet */
	VECTOR(struct known_space) spaces;	/* by id */
	VECTOR(struct known_process) processes; /* by row of the processes */
	struct id_map by_identity;
	bool lazy; /* the next update makes no tables: of so many processes few will be needed */
	uint64_t update;     /* counts updates */
	uint64_t last_sweep; /* ns: when ended processes were last removed */
	struct buffer work;  /* the pages of a space */
};

/* ERR_UNSUPPORTED if the object does not have the maps of bpf/unwind.h. The struct may not move: a
 * thread has its address. */
bool unwind_tables_init(
	struct unwind_tables *t, const struct bpf_object *object, struct error *err);
void unwind_tables_release(struct unwind_tables *t);

/* Make the tables of the binary and the libraries of a command that is about to run. */
void unwind_tables_prepare(struct unwind_tables *t, const char *command);

/* Add notes about what there was no room for. */
void unwind_tables_note(const struct unwind_tables *t, struct profile *profile);

/* Make the tables that walks have requested, and publish those that are made. */
void unwind_tables_serve(struct unwind_tables *t);

/* Serve, and write what has changed. `applied`: records up to this time (CLOCK_MONOTONIC, ns) have
 * been applied; the mappings that a process had before a later exec are not written. */
void unwind_tables_update(struct unwind_tables *t, struct processes *p, uint64_t applied);

#endif

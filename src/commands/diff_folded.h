/* diff_folded.h: the difference of folded files, line by line, without profiles. */
#ifndef KILN_COMMANDS_DIFF_FOLDED_H
#define KILN_COMMANDS_DIFF_FOLDED_H

#include "base/output.h"
#include "commands/diff_source.h"

struct diff_file {
	const char *path;
	size_t side; /* 0: before, 1: after */
};

/* Can the files be merged as they are? They are read to find out: all must be folded text of whole
 * numbers. False is no failure: then they have to become profiles, and so has everything that
 * cannot be opened. */
struct diff_folded {
	const struct diff_file *files;
	size_t count;
	const struct canonical *canonical;
	bool normalised;
	size_t range; /* pieces that one thread merges at a time; 0: as many as is good */
	struct diff_source *sources; /* filled in, and so is: */
	int64_t total[2];
};
bool diff_folded_can(struct diff_folded *d);
void diff_folded_release(struct diff_folded *d);

/* Write what the renderer of folded text would. */
bool diff_folded_write(const struct diff_folded *d, struct output *out, struct error *err);

#endif

/* diff_folded.h: the difference of sorted folded files, line by line, in next to no memory. */
#ifndef KILN_COMMANDS_DIFF_FOLDED_H
#define KILN_COMMANDS_DIFF_FOLDED_H

#include "base/error.h"
#include "transforms/canonical.h"

struct diff_file {
	const char *path;
	size_t side; /* 0: before, 1: after */
};

/* Can the files be merged as they are? They are read once to find out: all must be sorted folded
 * text of whole numbers in which `canonical` changes no name. False is no failure: then they have
 * to become profiles, and so has everything that cannot be opened. */
struct diff_folded {
	const struct diff_file *files;
	size_t count;
	const struct canonical *canonical;
	bool normalised;
	int64_t total[2]; /* filled in */
};
bool diff_folded_can(struct diff_folded *d);

/* Write what the renderer of folded text would. */
bool diff_folded_write(const struct diff_folded *d, const char *path, struct error *err);

#endif

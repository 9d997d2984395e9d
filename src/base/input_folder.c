/* input_folder.c: which files of a folder are one content? */
#include "base/input_folder.h"

#include "base/scope.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define GAP_LIMIT 512u /* numbers behind a missing part that are tried */

void input_folder_close(struct input_part_fds *fds)
{
	while (fds->len)
		scope_close(fds->items[--fds->len]);
	vector_release(fds);
}

/* Is there a part behind one that is missing? */
static bool has_gap(input_part_opener *open, void *context, unsigned missing)
{
	char name[sizeof("data.4294967295")];
	int fd = -1;

	for (unsigned part = missing + 1; fd < 0 && part <= missing + GAP_LIMIT; part++) {
		snprintf(name, sizeof(name), "data.%u", part);
		fd = open(context, name);
	}
	if (fd >= 0)
		scope_close(fd);
	return fd >= 0;
}

bool input_folder_open(input_part_opener *open, void *context, struct input_part_fds *ret_fds)
{
	char name[sizeof("data.4294967295")] = "data";
	int fd = open(context, name);

	for (unsigned part = 0; fd >= 0 && part < INPUT_PARTS_LIMIT; part++) {
		vector_push(ret_fds, fd);
		snprintf(name, sizeof(name), "data.%u", part);
		fd = open(context, name);
	}
	if (fd >= 0) {
		scope_close(fd);
		errno = EMFILE;
		return false;
	}
	if (!ret_fds->len || errno != ENOENT)
		return false;
	if (!has_gap(open, context, (unsigned)ret_fds->len - 1))
		return true;
	errno = ENOENT;
	return false;
}

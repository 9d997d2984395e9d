/* plain_file.h: how is a file opened whose name somebody else chose?
 *
 * Opening alone does something to some devices (a watchdog is armed, a tape is wound back, a
 * terminal is made), and whoever chooses a name may let a link to one have it. So what a name
 * stands for is looked at first, and then that is opened, whatever has the name by now. */
#ifndef KILN_BASE_PLAIN_FILE_H
#define KILN_BASE_PLAIN_FILE_H

/* Open a regular file for reading. -1 with errno: ENXIO when it is something else, ELOOP when it is
 * a link and `flags`, which are those of open(2), have O_NOFOLLOW. */
int plain_file_open(int folder, const char *path, int flags);

/* As plain_file_open, and ELOOP for a link that belongs to neither root nor this user. */
int plain_file_open_trusted(const char *path);

/* Open what was opened with O_PATH, which is closed; -1: nothing was, and errno says why. */
int plain_file_take(int place);

#endif

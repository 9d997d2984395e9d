/* plain_file.h: opens a file whose name an untrusted party chose.
 *
 * Opening some devices has an effect (it arms a watchdog, rewinds a tape or creates a terminal),
 * and the name may be a link to such a device. So the name is first opened with O_PATH, which has
 * no effect, and the file is checked. Then that file is opened through /proc/self/fd, even if the
 * name means another file by then. */
#ifndef KILN_BASE_PLAIN_FILE_H
#define KILN_BASE_PLAIN_FILE_H

/* Open a regular file for reading. -1 with errno: ENXIO when it is something else, ELOOP when it is
 * a link and `flags`, which are those of open(2), have O_NOFOLLOW. */
int plain_file_open(int folder, const char *path, int flags);

/* As plain_file_open, and ELOOP for a link that belongs to neither root nor this user. */
int plain_file_open_trusted(const char *path);

/* Open for reading the regular file that `place` refers to (O_PATH), and close `place`. -1 with
 * errno as for plain_file_open. `place` may be -1: errno then stays as it is. */
int plain_file_take(int place);

#endif

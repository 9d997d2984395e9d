/* truncated.c: what if a file that is mapped into memory becomes shorter?
 *
 * The kernel then answers with SIGBUS, wherever the file is being looked at. Only what is safe in a
 * signal handler is called here; /proc tells which file it is, so that nobody needs to keep books
 * of what is mapped. */
#include "commands/truncated.h"

#include "base/output.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile sig_atomic_t zeroes_instead;

/* START-END PERMS OFFSET DEVICE INODE      PATH: the path, when `address` lies in the mapping. */
static bool line_tells(struct bytes line, uint64_t address, struct bytes *ret_path)
{
	const char *dash = memchr(line.at, '-', line.len), *blank = memchr(line.at, ' ', line.len);
	const char *slash = memchr(line.at, '/', line.len);
	uint64_t start, end;

	if (!dash || !blank || !slash || blank < dash ||
		!bytes_hex((struct bytes){line.at, (size_t)(dash - line.at)}, &start) ||
		!bytes_hex((struct bytes){dash + 1, (size_t)(blank - dash - 1)}, &end))
		return false;
	*ret_path = (struct bytes){slash, line.len - (size_t)(slash - line.at)};
	return address >= start && address < end;
}

/* The path, in `room`, of the file that is mapped at `address`. */
static bool find_file(uint64_t address, char *room, size_t size, struct bytes *ret_path)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	bool found = false;
	size_t len = 0;
	ssize_t got;

	while (!found && fd >= 0 && (got = read(fd, room + len, size - len)) > 0) {
		struct bytes text = {room, len + (size_t)got}, line;

		while (!found && memchr(text.at, '\n', text.len) && bytes_line(&text, &line))
			found = line_tells(line, address, ret_path);
		if (!found)
			memmove(room, text.at, text.len);
		len = text.len;
	}
	if (fd >= 0)
		close(fd);
	return found;
}

/* In one piece, so that nothing gets between its parts; `path` lies in `room`, which is used up. */
static void say(struct bytes path, char *room, size_t size)
{
	static const char before[] = "kiln: ";
	static const char after[] = ": was truncated, or its disk failed, while it was read\n";
	const size_t start = sizeof(before) - 1, end = sizeof(after) - 1;
	struct error ignored = {0}; /* stderr is gone: nothing is left to say it to */

	if (path.len > size - start - end)
		path.len = size - start - end;
	memmove(room + start, path.at, path.len);
	memcpy(room, before, start);
	memcpy(room + start + path.len, after, end);
	output_write_fd(STDERR_FILENO, (struct bytes){room, start + path.len + end}, &ignored);
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
	static volatile sig_atomic_t said;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t address = (uintptr_t)info->si_addr;
	struct bytes path;
	char room[8192];

	(void)context;
	if (info->si_code != BUS_ADRERR || !find_file(address, room, sizeof(room), &path)) {
		signal(number, SIG_DFL); /* a fault of ours or of the memory: it comes again */
		return;
	}
	if (!said)
		say(path, room, sizeof(room));
	said = true;
	if (!zeroes_instead) {
		output_abandon();
		_exit(2);
	}
	if (mmap((void *)(address / page * page), page, PROT_READ,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		signal(number, SIG_DFL);
}

void truncated_catch(bool go_on)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	zeroes_instead = go_on;
	sigaction(SIGBUS, &action, NULL);
}

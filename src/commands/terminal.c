/* terminal.c: what can the reader's terminal show? */
#include "commands/terminal.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NARROWEST 40u /* columns; below it nothing can be laid out */
#define WIDEST	  1000u

size_t terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = {0};
	uint64_t width;

	if (!isatty(fd))
		return 0;
	if (!columns || !bytes_u64(bytes_of(columns), &width) || !width)
		width = !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
	return width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : width;
}

bool terminal_colour(int fd)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && !(none && *none) && term && strcmp(term, "dumb");
}

/* The names are looked at, not the locale loaded: a terminal speaks UTF-8 whether or not the
 * locale's files are installed on this machine. */
bool terminal_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

/* terminal.h: what can the reader's terminal show? */
#ifndef KILN_COMMANDS_TERMINAL_H
#define KILN_COMMANDS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Columns of the terminal behind `fd` (COLUMNS overrides); 0 when it is not a terminal. */
size_t terminal_width(int fd);

/* A terminal with colours that are not disabled (NO_COLOR, TERM=dumb). */
bool terminal_colour(int fd);

/* The locale's characters are UTF-8, by LC_ALL, LC_CTYPE or LANG. */
bool terminal_utf8(void);

#endif

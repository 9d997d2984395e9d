/* desktop.h: what shows a file or a page on this desktop? */
#ifndef KILN_COMMANDS_DESKTOP_H
#define KILN_COMMANDS_DESKTOP_H

/* Show it with the program that the desktop has for it, and say so when that cannot be. Returns
 * when xdg-open does, which some desktops' only does when the window is closed. */
void desktop_show(const char *what);

#endif

/* browser.h: what the browser does for the module: web/offline/worker.mjs has the other side. */
#ifndef KILN_PAGE_BROWSER_H
#define KILN_PAGE_BROWSER_H

#include <stdbool.h>
#include <stddef.h>

#define BROWSER(name) __attribute__((import_module("browser"), import_name(#name)))

/* The number of a regular expression; -1: `text` (UTF-8) is none, and `ret_why` of `room` bytes
 * says why, zeros behind it. */
BROWSER(pattern) int browser_pattern(const char *text, size_t len, char *ret_why, size_t room);
BROWSER(pattern_match) bool browser_pattern_match(int number, const char *subject, size_t len);
BROWSER(pattern_forget) void browser_pattern_forget(int number);

#endif

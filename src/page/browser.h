/* browser.h: functions that the browser provides to the module; web/offline/worker.mjs implements
 * them. */
#ifndef KILN_PAGE_BROWSER_H
#define KILN_PAGE_BROWSER_H

#include <stdbool.h>
#include <stddef.h>

#define BROWSER(name) __attribute__((import_module("browser"), import_name(#name)))

/* Compile a regular expression: returns its number, or -1 and an error text in `ret_why`, a buffer
 * of `room` zeroed bytes. `text` is UTF-8. */
BROWSER(pattern) int browser_pattern(const char *text, size_t len, char *ret_why, size_t room);
BROWSER(pattern_match) bool browser_pattern_match(int number, const char *subject, size_t len);
BROWSER(pattern_free) void browser_pattern_free(int number);

#endif

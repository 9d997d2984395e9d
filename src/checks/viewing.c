/* viewing.c: can profiles be shown here? */
#include "checks/checks.h"

#include "renderers/page_parts.h"
#include "server/server.h"

#include <stdlib.h>

static void check_server(const struct machine *m, struct findings *out)
{
	struct buffer command = {0};
	struct error err = {0};

	if (server_check(&err)) {
		finding_add(out, "kiln view", CHECK_OK, NULL, "shows profiles in a browser");
		return;
	}
	if (m->packages.manager == PACKAGES_APT)
		packages_install(&m->packages, "libmicrohttpd12", &command);
	finding_add(out, "kiln view", CHECK_MISSING, command.at, "%s", err.text);
	buffer_release(&command);
}

static void check_browser(const struct machine *m, struct findings *out)
{
	const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
	bool desktop = (x11 && *x11) || (wayland && *wayland);
	struct buffer path = {0}, command = {0};

	if (!desktop) {
		finding_add(out, "browser", CHECK_LIMITED, NULL,
			"no desktop in this session: kiln view prints an address to open "
			"elsewhere");
	} else if (!check_find_program("xdg-open", &path)) {
		packages_install(&m->packages, "xdg-utils", &command);
		finding_add(out, "browser", CHECK_LIMITED, command.at,
			"kiln view cannot open it (there is no xdg-open): it prints an address");
	} else {
		finding_add(out, "browser", CHECK_OK, NULL, "xdg-open opens it");
	}
	buffer_release(&path);
	buffer_release(&command);
}

static void check_page(const struct machine *m, struct findings *out)
{
	(void)m;
	if (page_parts.unavailable)
		finding_add(out, "page", CHECK_MISSING, NULL, "no .html pages: %s",
			page_parts.unavailable);
	else
		finding_add(out, "page", CHECK_OK, NULL,
			"kiln draw -o FILE.html writes a page to send around");
}

static const struct check checks[] = {
	{"kiln view", "loads the HTTP library", check_server},
	{"browser", "looks for a desktop and xdg-open", check_browser},
	{"page", "what this Kiln was built with", check_page},
	{0},
};

extern const struct check_subject check_subject_viewing;
const struct check_subject check_subject_viewing = {"Viewing", checks};

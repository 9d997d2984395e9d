/* view.c: `kiln view`: profiles in a browser. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "commands/desktop.h"
#include "commands/load.h"
#include "commands/names.h"
#include "readers/readers.h"
#include "server/server.h"

static struct settings {
	uint64_t port;
	bool no_open;
} own;

static const struct option options[] = {
	{.name = "port",
		.argument = "N",
		.help = "the port on 127.0.0.1 (one that is free)",
		.set = option_u64,
		.offset = offsetof(struct settings, port)},
	{.name = "no-open",
		.help = "only print the address: do not open a browser",
		.set = option_flag,
		.offset = offsetof(struct settings, no_open)},
	{0},
};

extern const struct command command_view;

static const struct option_group *groups(void)
{
	static struct option_group all[2 + LOAD_GROUPS];
	struct option_group loading[LOAD_GROUPS];

	load_groups(loading);
	all[0] = (struct option_group){"Page", options, &own};
	/* What is shown, and in which shape, is asked for on the page. */
	all[1] = loading[LOAD_INPUT];
	all[2] = loading[LOAD_PLACES];
	all[3] = loading[LOAD_DETAIL];
	return all;
}

/* ---- What is served ---- */

struct open_files {
	struct loaded *loaded;
	struct shelf_profile *profiles;
	struct shelf shelf;
};

static void files_release(struct open_files *f)
{
	for (size_t i = 0; i < f->shelf.count; i++)
		loaded_release(&f->loaded[i]);
	free(f->loaded);
	free(f->profiles);
}

static bool is_taken(const struct open_files *f, const char *name)
{
	for (size_t i = 0; i < f->shelf.count; i++)
		if (!strcmp(f->profiles[i].name, name))
			return true;
	return false;
}

/* All of its values can be asked for on the page. */
static const struct load_steps steps = {.all_kinds = true};

static bool files_open(
	struct open_files *f, char **operands, const char *usual, size_t count, struct error *err)
{
	f->loaded = memory_new(count, sizeof(*f->loaded));
	f->profiles = memory_new(count, sizeof(*f->profiles));
	f->shelf.profiles = f->profiles;
	for (size_t i = 0; i < count; i++) {
		struct loaded *l = &f->loaded[f->shelf.count];
		const char *path = usual ? usual : operands[i];

		if (is_taken(f, strcmp(path, "-") ? path : "<stdin>"))
			continue; /* it is there already */
		if (!load_file(path, WANT_ALL, &steps, l, err))
			return false;
		f->profiles[f->shelf.count++] =
			(struct shelf_profile){l->name, &l->profile, names_projection()};
	}
	return true;
}

/* ---- The browser ---- */

static void *show(void *url)
{
	desktop_show(url);
	return NULL;
}

/* Whatever it takes: nobody waits for it. */
static void open_browser(const char *url)
{
	pthread_t thread;

	if (own.no_open || !(getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")))
		return;
	if (!pthread_create(&thread, NULL, show, (void *)(uintptr_t)url))
		pthread_detach(thread);
}

/* The address that the own machine has for who came by ssh: SSH_CONNECTION is "client port server
 * port". */
static bool own_address(struct bytes *ret_address)
{
	const char *connection = getenv("SSH_CONNECTION");
	struct bytes rest = bytes_of(connection ? connection : "");
	bool more = true;

	for (int field = 0; field < 3 && more; field++)
		more = bytes_cut(&rest, ' ', ret_address);
	return more;
}

static void tell(const struct server *s)
{
	struct buffer text = {0};
	struct bytes address;

	buffer_printf(&text, "%s\n", server_url(s));
	print(&text);
	fflush(stdout);
	if (own_address(&address))
		say("to see it from where you are: ssh -L %u:127.0.0.1:%u %.*s", server_port(s),
			server_port(s), (int)address.len, address.at);
	say("Ctrl-C ends it");
	buffer_release(&text);
}

/* Blocked in all threads, those of the server included. */
static void wait_for_end(const sigset_t *ends)
{
	int ignored;

	while (sigwait(ends, &ignored))
		;
}

static int serve(const struct shelf *shelf)
{
	struct error err = {0};
	struct server *server;
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	server = server_open(shelf, (uint16_t)own.port, &err);
	if (!server)
		return fail(&err);
	tell(server);
	open_browser(server_url(server));
	wait_for_end(&ends);
	server_close(server);
	return 0;
}

static int run(char **operands)
{
	struct open_files files = {0};
	const char *usual = NULL;
	struct error err = {0};
	size_t count = 0;
	int code;

	if (own.port > UINT16_MAX) {
		error_set(&err, ERR_USAGE, "view: --port: expected at most %u, got %llu",
			UINT16_MAX, (unsigned long long)own.port);
		return fail(&err);
	}
	if (!server_check(&err))
		return fail(&err);
	while (operands[count])
		count++;
	if (!count) {
		if (!load_choose(&command_view, operands, &usual, &err)) {
			error_prefix(&err, "view: ");
			return fail(&err);
		}
		count = 1;
	}
	code = files_open(&files, operands, usual, count, &err) ? serve(&files.shelf) : fail(&err);
	files_release(&files);
	names_release();
	return code;
}

const struct command command_view = {
	.name = "view",
	.about = "look at profiles in a browser: heat map, flames and table",
	.usage = "view [OPTIONS] [FILE...]",
	.groups = groups,
	.run = run,
};

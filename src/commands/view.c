/* view.c: `kiln view`: profiles in a browser. */
#include "base/broker.h"
#include "base/confine.h"
#include "base/large_pages.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/output_file.h"
#include "commands/load.h"
#include "commands/view_files.h"
#include "readers/readers.h"
#include "server/files.h"
#include "server/folder.h"
#include "server/server.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CACHE_USUAL   ((uint64_t)1 << 30)   /* bytes */
#define UPLOADS_USUAL ((uint64_t)256 << 20) /* bytes; where nobody else can ask */
#define REQUEST_USUAL 2.0		    /* seconds of CPU time */
#define REQUEST_LIMIT 1e6
#define CLOSE_MS      1500 /* then the process ends whatever its threads do */

static struct settings {
	uint64_t port, cache, uploads;
	const char *listen, *token_file;
	double request_seconds;
	bool no_open, no_source;
} own = {.cache = CACHE_USUAL, .uploads = UINT64_MAX, .request_seconds = REQUEST_USUAL};

static const struct option options[] = {
	{.name = "port",
		.argument = "N",
		.help = "the port on 127.0.0.1 (default: a free one)",
		.set = option_u64,
		.offset = offsetof(struct settings, port)},
	{.name = "cache",
		.argument = "SIZE",
		.help = "keep profiles of folders in memory up to this total size (1G)",
		.set = option_size,
		.offset = offsetof(struct settings, cache)},
	{.name = "listen",
		.argument = "ADDRESS:PORT",
		.help = "accept connections from other machines; they need the token "
			"(--token-file); traffic is not encrypted",
		.set = option_text,
		.offset = offsetof(struct settings, listen)},
	{.name = "token-file",
		.argument = "FILE",
		.help = "the first line of FILE is the token that requests need (default: a new "
			"one)",
		.set = option_text,
		.offset = offsetof(struct settings, token_file)},
	{.name = "uploads",
		.argument = "SIZE",
		.help = "accept files dropped on the page, up to this total size while they are "
			"sent (256M; 0 with --listen); they stay in memory",
		.set = option_size,
		.offset = offsetof(struct settings, uploads)},
	{.name = "request-seconds",
		.argument = "N",
		.help = "limit the CPU time of an answer in seconds, not counting the time to read "
			"the file (2; 0: no limit)",
		.set = option_double,
		.offset = offsetof(struct settings, request_seconds)},
	{.name = "no-open",
		.help = "print the address, do not open a browser",
		.set = option_flag,
		.offset = offsetof(struct settings, no_open)},
	{.name = "no-source",
		.help = "do not show source files and machine code of this machine; implied by "
			"--listen",
		.set = option_flag,
		.offset = offsetof(struct settings, no_source)},
	{0},
};

extern const struct command command_view;

/* ---- How files are read: by which options, for who copies a command ---- */

#define NOTED_LIMIT 16u /* options of a group */

static struct option_group common[LOAD_GROUPS + 1];
static struct buffer noted; /* "--lines","--symfs","/mnt": those that were given, as JSON */

static void note(const char *dashes, const char *word)
{
	struct buffer text = {0};

	buffer_printf(&text, "%s%s", dashes, word);
	if (noted.len)
		buffer_char(&noted, ',');
	buffer_json(&noted, buffer_bytes(&text));
	buffer_release(&text);
}

static bool set_and_note(
	void *target, const struct option *option, const char *value, struct error *err)
{
	const struct option *plain = option_find(common, bytes_of(option->name));

	if (!plain->set(target, plain, value, err))
		return false;
	note("--", option->name);
	if (value)
		note("", value);
	return true;
}

static struct option_group noting(const struct option_group *group, struct option *ret_options)
{
	size_t count = 0;

	for (; group->options[count].name; count++) {
		assert(count < NOTED_LIMIT);
		ret_options[count] = group->options[count];
		ret_options[count].set = set_and_note;
	}
	return (struct option_group){group->title, ret_options, group->target};
}

static const struct option_group *groups(void)
{
	/* The page chooses what is shown, and its shape. */
	static const enum load_group those[] = {LOAD_INPUT, LOAD_PLACES, LOAD_DETAIL};
	static struct option copies[sizeof(those) / sizeof(*those)][NOTED_LIMIT + 1];
	static struct option_group all[2 + LOAD_GROUPS];

	load_groups(common);
	all[0] = (struct option_group){"Page", options, &own};
	for (size_t i = 0; i < sizeof(those) / sizeof(*those); i++)
		all[i + 1] = noting(&common[those[i]], copies[i]);
	return all;
}

/* ---- What is served ---- */

static bool is_folder(const char *path)
{
	struct stat status;

	return strcmp(path, "-") != 0 && !stat(path, &status) && S_ISDIR(status.st_mode);
}

static bool add_operand(struct files *f, const char *path, bool *ret_folder, struct error *err)
{
	bool more = false;

	if (!is_folder(path))
		return files_add(f, path, err);
	*ret_folder = true;
	if (!files_add_folder(f, path, &more, err))
		return false;
	if (more)
		print_notice(
			"%s: more than %u files: the rest is not listed", path, FOLDER_FILES_LIMIT);
	return true;
}

/* *ret_folder: are there folders? */
static bool add_operands(struct files *f, char **operands, bool *ret_folder, struct error *err)
{
	for (; *operands; operands++)
		if (!add_operand(f, *operands, ret_folder, err))
			return false;
	return true;
}

/* Reading and answering take more memory than what is kept. As long as one thing is done after the
 * other it stays, for the next one: SIGALRM comes when nothing was done for a while. */
#define IDLE_SECONDS 1u

static void schedule_trim(void)
{
	alarm(IDLE_SECONDS);
}

/* While the browser starts. */
struct reading {
	struct files *files;
	char **operands;
	struct error err;
	bool failed;
	atomic_bool done;
};

static void *read_operands(void *context)
{
	struct reading *r = context;

	for (char **operand = r->operands; *operand && !r->failed; operand++)
		if (strcmp(*operand, "-") != 0 && !is_folder(*operand))
			r->failed = !files_read(r->files, *operand, &r->err);
	r->done = true;
	schedule_trim();
	if (r->failed)
		kill(getpid(), SIGTERM); /* nothing else is to be waited for */
	return NULL;
}

/* ---- The browser ---- */

/* Its time does not matter: no request waits for it. */
static void *show(void *unused)
{
	(void)unused;
	broker_ask(BROKER_SHOW, "", NULL);
	return NULL;
}

static void open_browser(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, show, NULL))
		pthread_detach(thread);
}

/* The address that an ssh client used: SSH_CONNECTION is "client port server port". False: not by
 * ssh. */
static bool ssh_endpoint(struct bytes *ret_address, struct bytes *ret_port)
{
	const char *connection = getenv("SSH_CONNECTION");
	struct bytes rest = bytes_of(connection ? connection : ""), client, port;

	if (!bytes_cut(&rest, ' ', &client) || !bytes_cut(&rest, ' ', &port) ||
		!bytes_cut(&rest, ' ', ret_address))
		return false;
	*ret_port = rest;
	return rest.len > 0;
}

/* The user of the ssh login, which sudo keeps. */
static const char *ssh_user(void)
{
	const char *user = getenv("SUDO_USER");

	return user ? user : getenv("LOGNAME");
}

/* The line to type over there. */
static void print_ssh_hint(uint16_t port, struct bytes address, struct bytes ssh_port)
{
	bool usual = bytes_equal(ssh_port, BYTES("22"));
	const char *user = ssh_user();
	struct buffer target = {0};

	if (!usual)
		buffer_printf(&target, "-p %.*s ", (int)ssh_port.len, ssh_port.at);
	if (user)
		buffer_printf(&target, "%s@", user);
	buffer_add(&target, address.at, address.len);
	buffer_char(&target, '\0');
	print_notice(
		"to open it on your own machine: ssh -L %u:127.0.0.1:%u %s", port, port, target.at);
	buffer_release(&target);
}

static void print_address(const struct server_settings *settings)
{
	struct buffer text = {0};
	struct bytes address, ssh_port;

	server_url(settings, &text);
	buffer_char(&text, '\n');
	print(&text);
	fflush(stdout);
	if (settings->place.is_shared)
		print_notice("traffic is not encrypted: use ssh -L instead of --listen where that "
			     "matters");
	else if (ssh_endpoint(&address, &ssh_port))
		print_ssh_hint(settings->port, address, ssh_port);
	print_notice("Ctrl-C ends it");
	buffer_release(&text);
}

/* Signals are blocked in all threads, those of the server included. */
static void wait_for_end(const sigset_t *signals)
{
	int signal;

	while (sigwait(signals, &signal) || signal == SIGALRM)
		large_pages_trim();
}

/* Until it is told to end, or what it was to read cannot be read. */
static bool serve_files(const struct server_settings *settings, const sigset_t *signals,
	char **operands, struct error *err)
{
	struct reading reading = {.files = settings->files, .operands = operands};
	pthread_t reader;
	bool reads;

	print_address(settings);
	reads = !pthread_create(&reader, NULL, read_operands, &reading);
	if (settings->ticket)
		open_browser();
	wait_for_end(signals);
	if (reads && !reading.done)
		_exit(0); /* do not wait for output that is not shown */
	if (reads)
		pthread_join(reader, NULL);
	*err = reading.err;
	return !reading.failed;
}

/* Work in progress is discarded. Files are written beside their names and renamed: none is
 * half-written, and temporary ones are removed. */
static void *force_exit(void *code)
{
	const struct timespec time = {CLOSE_MS / 1000, CLOSE_MS % 1000 * 1000000L};

	nanosleep(&time, NULL);
	output_file_abandon();
	_exit((int)(intptr_t)code);
}

static void close_in_time(struct server *server, int code)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, force_exit, (void *)(intptr_t)code))
		pthread_detach(thread);
	server_close(server);
}

static int serve(struct files *f, char **operands, struct server_settings *settings)
{
	struct error err = {0};
	struct server *server;
	sigset_t signals;
	int code;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	settings->files = f;
	settings->answered = schedule_trim;
	server = server_open(settings, &err);
	if (!server)
		return fail(&err);
	code = serve_files(settings, &signals, operands, &err) ? 0 : fail(&err);
	close_in_time(server, code);
	return code;
}

static bool find_place(struct listen_address *ret, struct error *err)
{
	if (own.port > UINT16_MAX)
		return error_set(err, ERR_USAGE, "--port: expected at most %u, got %llu",
			UINT16_MAX, (unsigned long long)own.port);
	*ret = listen_address_local((uint16_t)own.port);
	if (!own.listen)
		return true;
	if (own.port)
		return error_set(err, ERR_USAGE, "--listen includes the port: leave out --port");
	if (!listen_address_parse(own.listen, ret, err))
		return error_prefix(err, "--listen: ");
	return own.token_file ||
	       error_set(err, ERR_USAGE,
		       "--listen accepts connections from other machines: add --token-file FILE");
}

/* NULL: no browser is to be opened, or it cannot be done without telling others the token. */
static struct ticket *make_ticket(void)
{
	static struct ticket ticket;
	struct error err = {0};

	if (own.no_open || !(getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")))
		return NULL;
	if (ticket_make(&ticket, &err))
		return &ticket;
	print_notice("not opening a browser: %s", err.text);
	return NULL;
}

static bool make_settings(
	const struct loading *loading, struct server_settings *ret, struct error *err)
{
	if (!(own.request_seconds >= 0 && own.request_seconds <= REQUEST_LIMIT))
		return error_set(err, ERR_USAGE,
			"view: --request-seconds: expected 0 to %g, got %g", REQUEST_LIMIT,
			own.request_seconds);
	*ret = (struct server_settings){.upload_limit = own.uploads,
		.request_limit = (uint64_t)(own.request_seconds * 1e9)};
	if (!find_place(&ret->place, err) ||
		!(own.token_file ? token_read(own.token_file, &ret->token, err)
				 : token_make(&ret->token, err)))
		return error_prefix(err, "view: ");
	ret->ticket = make_ticket();
	if (!own.no_source && !own.listen) /* others are not to read files of ours */
		ret->binary_locations = &loading->binary_locations;
	if (own.uploads == UINT64_MAX)
		ret->upload_limit = own.listen ? 0 : UPLOADS_USUAL;
	return server_check(err) && listen_address_open(&ret->place, &ret->socket, &ret->port, err);
}

/* Said to who asks for more: what can be done about it is another kernel. */
static void print_confinement(unsigned confined)
{
	if (verbosity > 0 && confined == (CONFINED_FILES | CONFINED_CALLS))
		print_notice("file readers are sandboxed by Landlock and seccomp");
	else if (verbosity > 0)
		print_notice("file readers are not sandboxed: this kernel has no %s",
			!confined		     ? "Landlock and no seccomp"
			: confined == CONFINED_FILES ? "seccomp"
						     : "Landlock");
}

/* Nothing has been read before, and no other thread is there. */
static bool confine(const struct loading *loading, char **operands,
	const struct server_settings *settings, struct error *err)
{
	static struct buffer url;
	static struct view_files files;
	unsigned confined;

	if (settings->ticket)
		server_ticket_url(settings, &url);
	files = (struct view_files){.operands = operands,
		.binary_locations = &loading->binary_locations,
		.v8_logs = loading->options.naming.v8_logs,
		.url = url.at,
		.shows_sources = settings->binary_locations,
		.stores_names = !loading->options.naming.no_cache};
	if (!view_files_confine(&files, &confined, err))
		return false;
	print_confinement(confined);
	return true;
}

static int serve_operands(const struct loading *loading, char **operands)
{
	const struct files_settings reading = {
		.cache = own.cache, .loading = loading, .options = noted.len ? noted.at : ""};
	const char *usual[] = {NULL, NULL}; /* what is read when nothing is named */
	struct error err = {0};
	struct server_settings settings = {0};
	struct files *files;
	int code;

	if (!make_settings(loading, &settings, &err))
		return fail(&err);
	if (!operands[0]) {
		if (!load_choose(&command_view, operands, &usual[0], &err)) {
			error_prefix(&err, "view: ");
			return fail(&err);
		}
		operands = (char **)(uintptr_t)usual;
	}
	if (!confine(loading, operands, &settings, &err))
		return fail(&err);
	large_pages_single_heap();
	files = files_new(&reading);
	code = add_operands(files, operands, &settings.starts_with_list, &err)
		       ? serve(files, operands, &settings)
		       : fail(&err);
	files_release(files);
	if (settings.ticket)
		ticket_release(settings.ticket);
	return code;
}

static int run(char **operands)
{
	struct loading loading;
	int code;

	load_begin(&loading, 0);
	code = serve_operands(&loading, operands);
	loading_release(&loading);
	buffer_release(&noted);
	return code;
}

const struct command command_view = {
	.name = "view",
	.about = "explore profiles in a browser: heat map, flame graph and table",
	.usage = "view [OPTIONS] [FILE|DIR...]",
	.groups = groups,
	.run = run,
};

/* debuginfod.c: what do the servers have that the user's environment names? */
#include "images/debuginfod.h"

#include "base/broker.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"
#include "images/image_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct debuginfod {
	struct debuginfod_listener listener;
	pthread_mutex_t lock; /* guards the members below: one download at a time */
	void *client;
	bool tried, given_up;
	/* The running download: */
	struct bytes name;
	const char *what;
	double began, shown; /* in seconds; shown 0: nothing is shown */
};

struct debuginfod *debuginfod_new(const struct debuginfod_listener *listener)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct debuginfod *d;

	if (!urls || !urls[strspn(urls, " ")])
		return NULL;
	d = memory_new(1, sizeof(*d));
	d->listener = *listener;
	pthread_mutex_init(&d->lock, NULL);
	return d;
}

bool debuginfod_gave_up(struct debuginfod *d)
{
	bool given_up;

	pthread_mutex_lock(&d->lock);
	given_up = d->given_up;
	pthread_mutex_unlock(&d->lock);
	return given_up;
}

/* As the client determines it: debuginfod_find_debuginfo(3), CACHE. */
bool debuginfod_cache_folder(struct buffer *ret)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	ret->len = 0;
	if (own && *own) {
		buffer_text(ret, own);
	} else if (home && *home) {
		buffer_printf(ret, "%s/.debuginfod_client_cache", home);
		if (!access(ret->at, F_OK))
			return true;
		ret->len = 0;
		if (xdg && *xdg)
			buffer_text(ret, xdg);
		else
			buffer_printf(ret, "%s/.cache", home);
		mkdir(ret->at, 0700);
		buffer_text(ret, "/debuginfod_client");
	}
	return ret->len && (!mkdir(ret->at, 0700) || errno == EEXIST);
}

#ifdef HAVE_DEBUGINFOD
#include <dlfcn.h>
#include <elfutils/debuginfod.h>

#define SHOW_AFTER 0.5 /* seconds; a quicker download needs no progress line */
#define SHOW_EVERY 0.2 /* seconds */
/* Seconds without any answer, unless DEBUGINFOD_TIMEOUT sets a limit: the client itself waits for
 * 90 seconds, three times. */
#define WAIT_LIMIT  60.0
#define FETCH_LIMIT 1800.0 /* seconds for one file */

/* If a broker opens files for this process, the broker also asks the servers. */
static char *fetch_by_broker(
	struct debuginfod *d, bool executable, struct bytes name, struct bytes build_id)
{
	struct buffer question = {0}, path = {0};

	if (d->given_up)
		return NULL;
	buffer_printf(&question, "%d %.*s %.*s", executable, (int)build_id.len, build_id.at,
		(int)name.len, name.at);
	broker_ask(BROKER_FETCH, question.at, &path);
	d->given_up = errno == ECANCELED;
	buffer_release(&question);
	if (!path.len)
		buffer_release(&path);
	return path.at;
}

static struct {
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_end) *end;
	__typeof__(debuginfod_find_executable) *find_executable;
	__typeof__(debuginfod_find_debuginfo) *find_debuginfo;
	__typeof__(debuginfod_set_progressfn) *set_progressfn;
	__typeof__(debuginfod_set_user_data) *set_user_data;
	__typeof__(debuginfod_get_user_data) *get_user_data;
	bool there;
} api;

static const struct {
	const char *name;
	void *where;
} functions[] = {
	{"debuginfod_begin", &api.begin},
	{"debuginfod_end", &api.end},
	{"debuginfod_find_executable", &api.find_executable},
	{"debuginfod_find_debuginfo", &api.find_debuginfo},
	{"debuginfod_set_progressfn", &api.set_progressfn},
	{"debuginfod_set_user_data", &api.set_user_data},
	{"debuginfod_get_user_data", &api.get_user_data},
};

static double seconds_now(void)
{
	return (double)monotonic_ns() / 1e9;
}

/* Called by the client about once a second, and with each piece of data; a result other than 0
 * stops it. Until data arrives, `done` counts the calls and `whole` is 0. */
static int on_progress(debuginfod_client *client, long done, long whole)
{
	struct debuginfod *d = api.get_user_data(client);
	double now = seconds_now(), waited = now - d->began;
	struct buffer text = {0};

	if (whole > (long)IMAGE_SIZE_LIMIT || done > (long)IMAGE_SIZE_LIMIT || waited > FETCH_LIMIT)
		return 1;
	if (whole <= 0 && waited > WAIT_LIMIT && !getenv(DEBUGINFOD_TIMEOUT_ENV_VAR))
		return 1;
	if (waited < SHOW_AFTER || now - d->shown < SHOW_EVERY)
		return 0;
	buffer_printf(&text, "debuginfod: %s of %.*s: ", d->what, (int)d->name.len, d->name.at);
	if (whole > 0)
		buffer_printf(&text, "%.1f of %.1f MB", (double)done / 1e6, (double)whole / 1e6);
	else
		buffer_printf(&text, "waiting for the server, %.0f s", waited);
	d->listener.progress(d->listener.self, text.at);
	d->shown = now;
	buffer_release(&text);
	return 0;
}

/* Once for all threads. */
static void load_library(void)
{
	void *library = dlopen(DEBUGINFOD_SONAME, RTLD_NOW | RTLD_LOCAL);

	api.there = library;
	for (size_t i = 0; api.there && i < sizeof(functions) / sizeof(*functions); i++) {
		void *function = dlsym(library, functions[i].name);

		api.there = function;
		memcpy(functions[i].where, &function, sizeof(function));
	}
	if (library && !api.there)
		dlclose(library);
}

static bool library_is_there(void)
{
	static pthread_once_t loaded = PTHREAD_ONCE_INIT;

	pthread_once(&loaded, load_library);
	return api.there;
}

bool debuginfod_check(struct error *err)
{
	return library_is_there() ||
	       error_set(err, ERR_UNSUPPORTED,
		       DEBUGINFOD_SONAME " is not installed (Debian: libdebuginfod1)");
}

static bool client_start(struct debuginfod *d)
{
	if (d->tried)
		return d->client;
	d->tried = true;
	if (library_is_there())
		d->client = api.begin();
	if (!d->client) {
		d->listener.note(d->listener.self,
			"DEBUGINFOD_URLS is set, but " DEBUGINFOD_SONAME
			" is not installed (Debian: libdebuginfod1): servers are not used");
		return false;
	}
	api.set_user_data(d->client, d);
	api.set_progressfn(d->client, on_progress);
	return true;
}

void debuginfod_release(struct debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		api.end(d->client);
	/* The library stays loaded: libraries that it uses do not all survive unloading. */
	pthread_mutex_destroy(&d->lock);
	memory_free(d);
}

/* A server without the file is the usual case and not mentioned; an unreachable server is. */
static void note_failure(struct debuginfod *d, int code)
{
	double waited = seconds_now() - d->began;
	struct buffer text = {0};

	buffer_printf(&text, "debuginfod: %s of %.*s: ", d->what, (int)d->name.len, d->name.at);
	if (code == -ETIME || code == -ETIMEDOUT || waited > WAIT_LIMIT)
		buffer_printf(&text,
			"no answer within %.0f s; servers are not used any more "
			"(DEBUGINFOD_TIMEOUT sets the limit, --no-debuginfod turns them off)",
			waited);
	else
		buffer_printf(&text, "%s; servers are not used any more (DEBUGINFOD_URLS=%s)",
			strerror(-code), getenv("DEBUGINFOD_URLS"));
	d->listener.note(d->listener.self, text.at);
	buffer_release(&text);
}

static char *fetch(struct debuginfod *d, bool executable, struct bytes name, struct bytes build_id)
{
	char *id, *path = NULL;
	int fd;

	if (broker_is_running())
		return fetch_by_broker(d, executable, name, build_id);
	if (d->given_up || !client_start(d))
		return NULL;
	d->name = name;
	d->what = executable ? "executable" : "symbols";
	d->began = seconds_now();
	id = memory_copy_text(build_id.at, build_id.len);
	/* A length of 0: the build id is text. */
	fd = (executable ? api.find_executable : api.find_debuginfo)(
		d->client, (const unsigned char *)id, 0, &path);
	memory_free(id);
	if (d->shown > 0)
		d->listener.progress(d->listener.self, "");
	d->shown = 0;
	if (fd >= 0) {
		close(fd);
		return path;
	}
	if (fd != -ENOENT) {
		d->given_up = true;
		note_failure(d, fd);
	}
	return NULL;
}

#else

bool debuginfod_check(struct error *err)
{
	return error_set(err, ERR_UNSUPPORTED,
		"this kiln has no debuginfod support: build it with libdebuginfod "
		"(libdebuginfod-dev, and not as a static program)");
}

void debuginfod_release(struct debuginfod *d)
{
	if (d)
		pthread_mutex_destroy(&d->lock);
	memory_free(d);
}

static char *fetch(struct debuginfod *d, bool executable, struct bytes name, struct bytes build_id)
{
	(void)executable;
	(void)name;
	(void)build_id;
	if (!d->given_up)
		d->listener.note(d->listener.self,
			"DEBUGINFOD_URLS is set, but this build of kiln has no debuginfod support");
	d->given_up = true;
	return NULL;
}
#endif

char *debuginfod_fetch(
	struct debuginfod *d, bool executable, struct bytes name, struct bytes build_id)
{
	char *path;

	pthread_mutex_lock(&d->lock);
	path = fetch(d, executable, name, build_id);
	pthread_mutex_unlock(&d->lock);
	return path;
}

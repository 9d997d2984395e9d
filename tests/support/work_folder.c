/* work_folder.c: where do the programs and files lie that a test makes? */
#include "support/work_folder.h"

#include "unit/test.h"

#include "base/buffer.h"

static pid_t maker;

static const char *work(void);

/* The processes that a test forks have no folder to remove. */
static void remove_folder(void)
{
	if (getpid() == maker && !getenv("KILN_KEEP"))
		work_try("rm -r %s", work());
}

static const char *work(void)
{
	static char folder[128];

	if (!maker) {
		const char *temporary = getenv("TMPDIR");

		assert_in_range(snprintf(folder, sizeof(folder), "%s/kiln-test-XXXXXX",
					temporary ? temporary : P_tmpdir),
			1, sizeof(folder) - 1);
		assert_non_null(mkdtemp(folder));
		maker = getpid();
		assert_int_equal(atexit(remove_folder), 0);
	}
	return folder;
}

const char *work_path(const char *name)
{
	static char paths[4][256];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", work(), name);
	return path;
}

void work_write(const char *name, const char *text)
{
	FILE *file = fopen(work_path(name), "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* ---- Commands ---- */

__attribute__((format(printf, 1, 0))) static struct buffer in_folder(const char *fmt, va_list args)
{
	struct buffer command = {0};
	char *text;

	assert_true(vasprintf(&text, fmt, args) >= 0);
	buffer_printf(&command, "cd %s && { %s; }", work(), text);
	free(text);
	return command;
}

static bool run_quietly(const struct buffer *command)
{
	struct buffer quiet = {0};
	int status;

	buffer_printf(&quiet, "%s >%s/log 2>&1", command->at, work());
	status = system(quiet.at);
	buffer_release(&quiet);
	return !status;
}

bool work_try(const char *fmt, ...)
{
	struct buffer command;
	va_list args;
	bool done;

	va_start(args, fmt);
	command = in_folder(fmt, args);
	va_end(args);
	done = run_quietly(&command);
	buffer_release(&command);
	return done;
}

void work_run(const char *fmt, ...)
{
	struct buffer command;
	va_list args;

	va_start(args, fmt);
	command = in_folder(fmt, args);
	va_end(args);
	if (!run_quietly(&command)) {
		char *said = work_output("tail -n 30 log");

		fail_msg("failed: %s\n%s", command.at, said);
	}
	buffer_release(&command);
}

char *work_output(const char *fmt, ...)
{
	struct buffer command, out = {0};
	char part[4096];
	va_list args;
	FILE *pipe;
	size_t got;

	va_start(args, fmt);
	command = in_folder(fmt, args);
	va_end(args);
	pipe = popen(command.at, "r");
	assert_non_null(pipe);
	while ((got = fread(part, 1, sizeof(part), pipe)))
		buffer_add(&out, part, got);
	if (pclose(pipe))
		fail_msg("failed: %s", command.at);
	buffer_release(&command);
	buffer_text(&out, "");
	return out.at;
}

/* interrupted.c: what if a signal ends the process while it writes a file?
 *
 * Most files have no name until they are complete, and need nobody to remove them. Those that have
 * a temporary one, where the file system knows no other way, are removed here. */
#include "commands/interrupted.h"

#include "base/output.h"
#include "base/output_file.h"

#include <signal.h>
#include <unistd.h>

static pid_t owner;

/* Only what is safe in a signal handler. A child that has not become its program writes nothing. */
static void on_end(int number)
{
	if (getpid() == owner)
		output_file_abandon();
	raise(number); /* the handler is gone (SA_RESETHAND) */
}

static void on_file_size(int number)
{
	(void)number; /* write says EFBIG */
}

void interrupted_catch(void)
{
	static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGPIPE, SIGALRM, SIGTERM,
		SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU};
	struct sigaction end = {.sa_handler = on_end, .sa_flags = (int)SA_RESETHAND}, before;
	struct sigaction file_size = {.sa_handler = on_file_size, .sa_flags = SA_RESTART};

	owner = getpid();
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (!sigaction(ends[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(ends[i], &end, NULL);
	sigaction(SIGXFSZ, &file_size, NULL);
}

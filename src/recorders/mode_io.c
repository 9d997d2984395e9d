/* mode_io.c: what can be asked about calls that read and write files? */
#include "recorders/modes.h"

#define AT(member) offsetof(struct record_options, member)
static const struct option options[] = {
	{.name = "reads",
		.letter = 'r',
		.set = option_flag,
		.offset = AT(reads),
		.help = "only what reads (with -w: what reads or writes, without fsync)"},
	{.name = "writes",
		.letter = 'w',
		.set = option_flag,
		.offset = AT(writes),
		.help = "only what writes"},
	{.name = "latency",
		.set = option_flag,
		.offset = AT(latency),
		.help = "the time that calls take, instead of the bytes that they move"},
	{.name = "files",
		.set = option_flag,
		.offset = AT(files),
		.help = "put the file's name on top of the stack"},
	{0},
};

static bool used(const struct record_options *o)
{
	return o->reads || o->writes || o->latency || o->files;
}

static bool check(const struct record_options *o, struct error *err)
{
	return !o->kernel_only ||
	       error_set(err, ERR_USAGE,
		       "-k leaves nothing in --mode io: it shows where user space calls the "
		       "kernel");
}

const struct mode mode_io = {
	.name = "io",
	.about = "where files are read and written",
	.none = "the target called neither read, write nor fsync on a regular file",
	.top = "what was done with files",
	.what = "call",
	.options = options,
	.title = "Files (--mode io)",
	.own = "-r, -w, --latency (which --mode disk has, too) and --files",
	.used = used,
	.check = check,
};

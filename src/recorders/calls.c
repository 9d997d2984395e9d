/* calls.c: what is common to recorders of calls, built with programs for the kernel or not. */
#include "recorders/calls.h"

#define AT(member) offsetof(struct record_options, member)
const struct option io_options[] = {
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

bool io_check(const struct record_options *o, struct error *err)
{
	if (o->frequency || o->events || o->stack_bytes || o->tee)
		return error_set(err, ERR_USAGE,
			"-F, -e, --stack-bytes and --tee belong to --mode cpu: --mode io records "
			"every call");
	if (o->least || o->most || o->wait_kinds)
		return error_set(err, ERR_USAGE, "--min, --max and --state belong to --mode off");
	if (o->kernel_only)
		return error_set(err, ERR_USAGE,
			"-k leaves nothing in --mode io: it shows where user space calls the "
			"kernel");
	return true;
}

bool io_options_unused(const struct record_options *o, struct error *err)
{
	return !(o->reads || o->writes || o->latency || o->files) ||
	       error_set(err, ERR_USAGE, "-r, -w, --latency and --files belong to --mode io");
}

/* mode_mem.c: what can be asked about memory? */
#include "recorders/modes.h"

#define AT(member) offsetof(struct record_options, member)
static const struct option options[] = {
	{.name = "cheap",
		.set = option_flag,
		.offset = AT(cheap),
		.help = "where memory comes from the kernel instead: page faults, mmap and brk, in "
			"bytes, for hardly any cost"},
	{0},
};

static bool used(const struct record_options *o)
{
	return o->cheap;
}

static void shared(struct record_options *o)
{
	o->yes = false;
}

static bool check(const struct record_options *o, struct error *err)
{
	if (o->kernel_only)
		return error_set(err, ERR_USAGE,
			"-k leaves nothing in --mode mem: it shows where user space asks for "
			"memory");
	return o->yes || o->cheap || (!o->system_wide && !o->groups.list.len) ||
	       error_set(err, ERR_USAGE,
		       "--mode mem of whoever comes by puts breakpoints on malloc and free into "
		       "every process, which cost each some us a call: say --yes to have it");
}

const struct mode mode_mem = {
	.name = "mem",
	.about = "where memory is allocated, and which of it is not freed",
	.none = "the target did not call malloc or the like; an allocator without these names is "
		"not seen",
	.top = "who allocated",
	.what = "allocation",
	.options = options,
	.title = "Memory (--mode mem)",
	.own = "options such as --cheap",
	.used = used,
	.shared = shared,
	.check = check,
};

/* mode_disk.c: what can be asked about requests to block devices? */
#include "recorders/modes.h"

#define AT(member) offsetof(struct record_options, member)
static const struct option options[] = {
	{.name = "devices",
		.set = option_flag,
		.offset = AT(devices),
		.help = "put the device's name on top of the stack; -r, -w and --latency are as in "
			"--mode io, there with the time in the queue apart"},
	{0},
};

static bool used(const struct record_options *o)
{
	return o->devices;
}

static void shared(struct record_options *o)
{
	o->reads = o->writes = o->latency = o->files = false;
}

static bool check(const struct record_options *o, struct error *err)
{
	return !o->files ||
	       error_set(err, ERR_USAGE,
		       "--files belongs to --mode io: requests to devices do not know of files; "
		       "--devices names these");
}

const struct mode mode_disk = {
	.name = "disk",
	.about = "what is asked of block devices",
	.none = "the target asked nothing of a device: what it read was in memory, and what it "
		"wrote is written by threads of the kernel, which -a shows",
	.top = "what was asked of devices",
	.what = "request",
	.options = options,
	.title = "Devices (--mode disk)",
	.own = "options such as --devices",
	.used = used,
	.shared = shared,
	.check = check,
};

/* without_bpf.c: modes that this Kiln was built without. */
#include "recorders/calls.h"
#include "recorders/recorders.h"
#include "recorders/waits.h"

static bool refuse(struct session *s, struct error *err)
{
	return error_set(err, ERR_UNSUPPORTED,
		"--mode %s: this Kiln was built without programs for the kernel (BPF): build it "
		"where clang, bpftool and libbpf are",
		s->recorder->name);
}

static void close_nothing(struct session *s)
{
	(void)s;
}

extern const struct recorder recorder_off;
const struct recorder recorder_off = {
	.name = "off",
	.about = OFF_ABOUT,
	.none = OFF_NONE,
	.top = OFF_TOP,
	.options = off_options,
	.title = OFF_TITLE,
	.check = off_check,
	.open = refuse,
	.close = close_nothing,
};

extern const struct recorder recorder_io;
const struct recorder recorder_io = {
	.name = "io",
	.about = IO_ABOUT,
	.none = IO_NONE,
	.top = IO_TOP,
	.options = io_options,
	.title = IO_TITLE,
	.check = io_check,
	.open = refuse,
	.close = close_nothing,
};

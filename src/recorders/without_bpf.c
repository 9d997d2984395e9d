/* without_bpf.c: modes that this Kiln was built without. */
#include "recorders/recorders.h"

static bool refuse(struct session *s, struct error *err)
{
	return error_set(err, ERR_UNSUPPORTED,
		"--mode %s: this Kiln was built without programs for the kernel (BPF): build it "
		"where clang, bpftool and libbpf are",
		s->recorder->mode->name);
}

static void close_nothing(struct session *s)
{
	(void)s;
}

extern const struct recorder recorder_off, recorder_wall, recorder_io, recorder_disk, recorder_lock,
	recorder_count;
const struct recorder recorder_off = {.mode = &mode_off, .open = refuse, .close = close_nothing};
const struct recorder recorder_wall = {.mode = &mode_wall, .open = refuse, .close = close_nothing};
const struct recorder recorder_io = {.mode = &mode_io, .open = refuse, .close = close_nothing};
const struct recorder recorder_disk = {.mode = &mode_disk, .open = refuse, .close = close_nothing};
const struct recorder recorder_lock = {.mode = &mode_lock, .open = refuse, .close = close_nothing};
const struct recorder recorder_count = {
	.mode = &mode_count, .open = refuse, .close = close_nothing};

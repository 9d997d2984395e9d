/* fuzz_replay.c: saved ring bytes, from the merge to the profile. */
#include "support/replay_tee.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	struct replay r;

	replay_tee(&r, (struct bytes){(const char *)data, size}, false, &err);
	replay_release(&r);
	return 0;
}

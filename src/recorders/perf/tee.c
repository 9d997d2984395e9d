/* tee.c: saves all input of a recorder, from the kernel and /proc, as it arrives. */
#include "recorders/perf/tee.h"

#define TEE_PIECE ((size_t)1 << 30) /* bytes of one chunk; longer inputs become several chunks */

bool tee_open(struct tee *tee, const char *path, struct error *err)
{
	if (!output_open(&tee->out, path, 0600, err))
		return false;
	tee->open = true;
	output_write(&tee->out, BYTES(TEE_MAGIC));
	return true;
}

void tee_add(struct tee *tee, enum tee_kind kind, uint32_t a, uint32_t b, struct bytes content)
{
	static const char zeroes[8];

	while (tee->open) {
		size_t size = content.len < TEE_PIECE ? content.len : TEE_PIECE;
		struct tee_chunk chunk = {kind, (uint32_t)size, a, b};

		output_write(&tee->out, (struct bytes){(const char *)&chunk, sizeof(chunk)});
		output_write(&tee->out, (struct bytes){content.at, size});
		output_write(&tee->out, (struct bytes){zeroes, (8 - size % 8) % 8});
		content.at += size;
		content.len -= size;
		if (!content.len)
			break;
	}
}

bool tee_close(struct tee *tee, struct error *err)
{
	bool done = !tee->open || output_commit(&tee->out, err);

	tee->open = false;
	return done;
}

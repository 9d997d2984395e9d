/* filter.h: decompression, or conversion to UTF-8, piece by piece. */
#ifndef KILN_BASE_FILTERS_FILTER_H
#define KILN_BASE_FILTERS_FILTER_H

#include "base/bytes.h"
#include "base/error.h"

struct filter {
	const char *name;
	struct bytes magic;

	void *(*open)(void);
	void (*close)(void *state);

	/* Read from `in` (and advance it) and write at most `room` bytes to `out`; *ret_len is
	 * how many. `last`: nothing follows `in`. *ret_done is set when the content has ended
	 * and `in` is empty. Concatenated members are one content. ERR_FORMAT when damaged or
	 * cut short. */
	bool (*step)(void *state, struct bytes *in, bool last, char *out, size_t room,
		size_t *ret_len, bool *ret_done, struct error *err);
};

extern const struct filter filter_gzip;
extern const struct filter filter_utf16_little, filter_utf16_big;
#ifdef HAVE_ZSTD
extern const struct filter filter_zstd;
#endif
#ifdef HAVE_LZMA
extern const struct filter filter_xz;
#endif

#endif

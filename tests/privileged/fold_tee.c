/* fold_tee.c: what does a recording say when it is made again of its saved ring bytes?
 *
 * fold_tee FILE.tee: folded text, as `kiln fold` makes it of the recording itself. */
#include "base/input.h"
#include "process/symbolize.h"
#include "support/fold_text.h"
#include "support/replay_tee.h"

#include <stdio.h>

#define TEE_LIMIT ((uint64_t)4 << 30) /* bytes */

static const struct image *image_of(void *self, mapping_id mapping)
{
	const struct replay *r = self;
	const struct binary *binary = binaries_of_mapping(&r->binaries, mapping);

	return binary ? binary->image : NULL;
}

static void print(struct replay *r)
{
	struct image_cache cache = {0};
	struct symbolize_hooks hooks = {.self = r, .cache = &cache, .image = image_of};
	struct buffer text = {0};

	profile_symbolize(&r->profile, &(struct symbolize_options){.hooks = &hooks}, NULL);
	fold_profile(&r->profile, NULL, false, NULL, &text);
	fwrite(text.at, 1, text.len, stdout);
	buffer_release(&text);
	image_cache_release(&cache);
}

int main(int argc, char **argv)
{
	struct error err = {0};
	struct input in = {0};
	struct bytes content;
	struct replay r = {0};
	bool done = false;

	if (argc != 2)
		error_set(&err, ERR_USAGE, "usage: fold_tee FILE.tee");
	else if (input_open(&in, argv[1], &err) && input_whole(&in, TEE_LIMIT, &content, &err)) {
		done = replay_tee(&r, content, true, &err);
		if (done)
			print(&r);
		replay_release(&r);
	}
	if (!done)
		fprintf(stderr, "fold_tee: %s\n", err.text);
	input_release(&in);
	return done ? 0 : 2;
}

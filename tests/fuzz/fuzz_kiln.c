/* fuzz_kiln.c: .kiln files of any content, with checksums as they come and with right ones. */
#include "base/buffer.h"
#include "model/kiln_file.h"
#include "model/materialise.h"
#include "mutate_kiln.h"
#include "profile_cost.h"
#include "transforms/transforms.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool to_buffer(void *context, struct bytes bytes, struct error *err)
{
	(void)err;
	buffer_add(context, bytes.at, bytes.len);
	return true;
}

/* Reading what was written of it must give the same rows. */
static void write_and_read(const struct profile *p)
{
	struct buffer file = {0};
	struct kiln_writer w = {.sink = {to_buffer, &file}};
	struct error err = {0};
	struct profile again;
	const char *where;

	if (!kiln_writer_finish(&w, p, &err))
		abort();
	if (!kiln_file_read(buffer_bytes(&file), NULL, &again, &err) ||
		!profiles_equal(p, &again, &where))
		abort();
	profile_release(&again);
	kiln_writer_release(&w);
	buffer_release(&file);
}

/* Whatever was accepted can be looked at, reshaped and walked without a further check. */
static void look(const struct profile *p)
{
	for (enum projection by = BY_FUNCTION; by <= BY_ADDRESS; by++) {
		struct error err = {0};
		struct profile made;
		struct view v;
		int64_t *self;

		view_init(&v, p, by);
		for (size_t i = 0; transforms[i]; i++)
			if (!transforms[i]->argument)
				transforms[i]->apply(&v, NULL, &err);
		self = memory_new(v.tree.caller.len, sizeof(*self));
		view_self(&v, self);
		view_materialise(&v, &made);
		profile_release(&made);
		view_release(&v);
		free(self);
	}
}

static bool read_one(struct bytes content)
{
	struct error err = {0};
	struct profile p;

	if (!kiln_file_read(content, NULL, &p, &err)) {
		if ((err.code != ERR_FORMAT && err.code != ERR_LIMIT) || !err.text[0])
			abort();
		return false;
	}
	write_and_read(&p);
	if (profile_is_small(&p) && profile_check_values(&p, &err))
		look(&p);
	profile_release(&p);
	return true;
}

/* The same sections with right places, sizes and checksums: what is left to refuse is in the rows.
 */
static void read_sealed(struct bytes content)
{
	struct kiln_draft d;
	struct buffer file = {0};

	kiln_draft_read(&d, content);
	kiln_draft_write(&d, &file);
	read_one(buffer_bytes(&file));
	kiln_draft_release(&d);
	buffer_release(&file);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	return mutate_kiln(data, size, max_size, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
	size_t size2, uint8_t *out, size_t max_out_size, unsigned seed)
{
	return cross_kiln((struct bytes){(const char *)data1, size1},
		(struct bytes){(const char *)data2, size2}, out, max_out_size, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = memory_new(1, size);

	if (size)
		memcpy(copy, data, size);
	mutation_count(read_one((struct bytes){copy, size}));
	read_sealed((struct bytes){copy, size});
	free(copy);
	return 0;
}

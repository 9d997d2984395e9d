/* fuzz_kiln.c: .kiln files of any content, with checksums as they come and with right ones. */
#include "base/buffer.h"
#include "model/kiln_columns.h"
#include "model/kiln_file.h"
#include "model/materialise.h"
#include "support/random_profile.h"
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

static void read_one(struct bytes content)
{
	struct error err = {0};
	struct profile p;

	if (!kiln_file_read(content, NULL, &p, &err)) {
		if (err.code != ERR_FORMAT || !err.text[0])
			abort();
		return;
	}
	write_and_read(&p);
	if (profile_values_fit(&p, &err))
		look(&p);
	profile_release(&p);
}

/* Give every section that can be walked to a right place, size and checksum, and the index the
 * headers that there are: what is left to refuse is in the rows. */
static void seal(char *file, size_t len)
{
	struct kiln_header *h = (struct kiln_header *)(void *)file;
	struct buffer headers = {0};
	size_t at = sizeof(*h);

	if (len < sizeof(*h))
		return;
	memcpy(h->magic, KILN_FILE_MAGIC, sizeof(h->magic));
	h->version = KILN_FILE_VERSION;
	h->align = KILN_ALIGN;
	h->checksum = hash_bytes(h, offsetof(struct kiln_header, checksum));
	while (len - at >= sizeof(struct kiln_section)) {
		struct kiln_section *s = (struct kiln_section *)(void *)(file + at);
		size_t room = (len - at - sizeof(*s)) & ~(KILN_ALIGN - 1), padded;

		s->magic = KILN_SECTION_MAGIC;
		s->offset = at;
		s->size = s->size > room ? room : s->size;
		padded = (s->size + KILN_ALIGN - 1) & ~(KILN_ALIGN - 1);
		memset(file + at + sizeof(*s) + s->size, 0, padded - s->size);
		if (s->table == TABLE_CONTROL && s->column == CONTROL_INDEX &&
			s->size == headers.len && s->size)
			memcpy(file + at + sizeof(*s), headers.at, headers.len);
		s->payload_checksum =
			kiln_checksum((struct bytes){file + at + sizeof(*s), (size_t)s->size});
		s->checksum = hash_bytes(s, offsetof(struct kiln_section, checksum));
		buffer_add(&headers, s, sizeof(*s));
		at += sizeof(*s) + padded;
	}
	buffer_release(&headers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = memory_new(1, size);

	if (size)
		memcpy(copy, data, size);
	read_one((struct bytes){copy, size});
	seal(copy, size);
	read_one((struct bytes){copy, size});
	free(copy);
	return 0;
}

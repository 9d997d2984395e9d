/* mutate_chains.c: how is a file of the symbol cache changed so that its reader still believes it?
 */
#include "mutate_chains.h"

#include "images/chains.h"
#include "support/small_elf.h"

#include <stdlib.h>

#define TABLES 5u

/* The parts behind the header, in their order. */
struct draft {
	struct chains_header header;
	struct buffer tables[TABLES];
};
static const size_t sizes[TABLES] = {
	sizeof(uint64_t), sizeof(uint32_t), sizeof(struct chain), sizeof(uint32_t), 1};

void chains_seal(char *file, size_t len, uint64_t key, uint64_t source)
{
	struct chains_header h;

	if (len < sizeof(h))
		return;
	memcpy(&h, file, sizeof(h));
	memcpy(h.magic, CHAINS_MAGIC, sizeof(h.magic));
	h.origin.key = key;
	h.origin.source = source;
	memcpy(file, &h, sizeof(h));
	h.checksum = chains_checksum((struct bytes){file, len});
	memcpy(file, &h, sizeof(h));
}

static bool draft_read(struct draft *d, struct bytes file)
{
	uint64_t counts[TABLES];
	size_t at = sizeof(d->header);

	if (file.len < at)
		return false;
	memcpy(&d->header, file.at, at);
	counts[0] = counts[1] = d->header.addresses;
	counts[2] = d->header.chains;
	counts[3] = d->header.texts;
	counts[4] = d->header.text_bytes;
	for (unsigned i = 0; i < TABLES; i++) {
		uint64_t room = (file.len - at) / sizes[i];
		size_t len = (size_t)(counts[i] < room ? counts[i] : room) * sizes[i];

		buffer_add(&d->tables[i], file.at + at, len);
		at += len;
	}
	return true;
}

static uint32_t count(const struct draft *d, unsigned table)
{
	return (uint32_t)(d->tables[table].len / sizes[table]);
}

static void draft_write(struct draft *d, struct buffer *out)
{
	d->header.addresses = count(d, 0);
	d->header.chains = count(d, 2);
	d->header.texts = count(d, 3);
	d->header.text_bytes = count(d, 4);
	buffer_add(out, &d->header, sizeof(d->header));
	for (unsigned i = 0; i < TABLES; i++)
		buffer_add(out, d->tables[i].at, d->tables[i].len);
	chains_seal(out->at, out->len, d->header.origin.key, d->header.origin.source);
}

static void add_item(struct draft *d, unsigned table, uint64_t *state)
{
	char item[sizeof(struct chain)] = {0};
	uint32_t rows = count(d, table);

	if (rows)
		memcpy(item, d->tables[table].at + random_below(state, rows) * sizes[table],
			sizes[table]);
	buffer_add(&d->tables[table], item, sizes[table]);
}

static void change(struct draft *d, uint64_t *state)
{
	unsigned table = random_below(state, TABLES);
	struct buffer *b = &d->tables[table];
	uint32_t way = random_below(state, 6);
	size_t width = sizes[table] % 4 ? 1 : sizes[table] == 8 ? 8 : 4, at;

	if (way == 0) {
		for (uint32_t left = 1 + random_below(state, 8); left; left--) {
			add_item(d, table, state);
			if (table < 2)
				add_item(d, 1 - table, state);
		}
	} else if (way == 1 && b->len) {
		b->len -= sizes[table] * random_below(state, count(d, table));
	} else if (table == 4 && way == 2) {
		struct bytes text = mutation_text(state);

		buffer_add(b, text.at, text.len);
	} else if (table == 0 && b->len && way < 5) {
		/* One that a binary of small_elf.h has. */
		uint64_t address = SMALL_ELF_CODE + 8 * (uint64_t)random_below(state, 64);

		memcpy(b->at + random_below(state, count(d, 0)) * sizes[0], &address, sizes[0]);
	} else if (b->len) {
		at = random_below(state, (uint32_t)(b->len / width)) * width;
		mutation_change(state, b->at + at, width);
	}
}

/* ---- Repairing ---- */

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

/* Addresses ascend, each once, and each has a chain. */
static void repair_addresses(struct draft *d)
{
	uint64_t before = 0, address;

	while (count(d, 1) < count(d, 0))
		buffer_add(&d->tables[1], &(uint32_t){0}, sizes[1]);
	d->tables[1].len = count(d, 0) * sizes[1];
	if (d->tables[0].len)
		qsort(d->tables[0].at, count(d, 0), sizes[0], compare_numbers);
	for (uint32_t i = 0; i < count(d, 0); i++) {
		memcpy(&address, d->tables[0].at + i * sizes[0], sizeof(address));
		if (i && address <= before)
			address = before + 1;
		memcpy(d->tables[0].at + i * sizes[0], &address, sizeof(address));
		before = address;
	}
}

static void below(char *at, uint32_t bound)
{
	uint32_t id;

	memcpy(&id, at, sizeof(id));
	id = id < bound ? id : bound ? id % bound : 0;
	memcpy(at, &id, sizeof(id));
}

static void repair(struct draft *d)
{
	uint32_t end = 0, next, len = count(d, 4);

	repair_addresses(d);
	if (!count(d, 2))
		buffer_add(&d->tables[2], &(struct chain){0}, sizeof(struct chain));
	if (!count(d, 3))
		buffer_add(&d->tables[3], &end, sizeof(end));
	for (uint32_t i = 0; i < count(d, 1); i++)
		below(d->tables[1].at + i * sizes[1], count(d, 2));
	for (uint32_t i = 0; i < count(d, 2); i++) {
		char *row = d->tables[2].at + i * sizes[2];

		below(row + offsetof(struct chain, caller), i);
		below(row + offsetof(struct chain, function), i ? count(d, 3) : 0);
		below(row + offsetof(struct chain, file), i ? count(d, 3) : 0);
		if (!i)
			memset(row, 0, sizes[2]);
	}
	for (uint32_t i = 0; i < count(d, 3); i++) {
		memcpy(&next, d->tables[3].at + i * sizes[3], sizeof(next));
		end = !i ? 0 : next < end ? end : next > len ? len : next;
		end = i && i + 1 == count(d, 3) ? len : end;
		memcpy(d->tables[3].at + i * sizes[3], &end, sizeof(end));
	}
	if (count(d, 3) == 1)
		d->tables[4].len = 0;
}

size_t mutate_chains(uint8_t *data, size_t size, size_t max_size, uint64_t seed)
{
	struct buffer out = {0};
	struct draft d = {0};

	draft_read(&d, (struct bytes){(const char *)data, size});
	for (uint32_t left = 1 + random_below(&seed, 4); left; left--)
		change(&d, &seed);
	if (!mutation_chance(&seed, 8))
		repair(&d);
	draft_write(&d, &out);
	for (unsigned i = 0; i < TABLES; i++)
		buffer_release(&d.tables[i]);
	return mutation_done(&out, data, size, max_size);
}

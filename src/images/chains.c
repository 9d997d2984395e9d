/* chains.c: what is known about the addresses of one binary, in memory and as a file. */
#include "images/chains.h"

#include "base/search.h"

#include <stdlib.h>

void chains_init(struct chains *c)
{
	*c = (struct chains){0};
	vector_push(&c->rows, (struct chain){0});
	vector_push(&c->text_ends, 0);
}

void chains_release(struct chains *c)
{
	vector_release(&c->addresses);
	vector_release(&c->chain_of);
	vector_release(&c->rows);
	vector_release(&c->text_ends);
	vector_release(&c->text);
	id_map_release(&c->by_text);
	id_map_release(&c->by_row);
}

/* ---- Rows ---- */

struct bytes chains_text_at(const struct chains *c, uint32_t text)
{
	uint32_t start = text ? c->text_ends.items[text - 1] : 0;

	return (struct bytes){c->text.items + start, c->text_ends.items[text] - start};
}

static uint64_t row_hash(const struct chain *row)
{
	return hash_pair(
		(uint64_t)row->caller << 32 | row->function, (uint64_t)row->file << 32 | row->line);
}

/* Chains that were read from a file have no maps until something is added. */
static void enter_texts(struct chains *c)
{
	for (uint32_t id = 1; id < c->text_ends.len; id++) {
		struct bytes text = chains_text_at(c, id);

		id_map_insert(&c->by_text, hash_bytes(text.at, text.len), id);
	}
}

static void enter_rows(struct chains *c)
{
	for (uint32_t id = 1; id < c->rows.len; id++)
		id_map_insert(&c->by_row, row_hash(&c->rows.items[id]), id);
}

uint32_t chains_text(struct chains *c, struct bytes text)
{
	uint64_t hash = hash_bytes(text.at, text.len);
	uint32_t id;
	size_t at;

	if (!text.len)
		return 0;
	if (!c->by_text.slots)
		enter_texts(c);
	at = id_map_first(&c->by_text, hash);
	while ((id = id_map_candidate(&c->by_text, hash, &at)))
		if (bytes_equal(chains_text_at(c, id), text))
			return id;
	if (c->text_ends.len >= CHAINS_LIMIT || text.len > UINT32_MAX - c->text.len)
		return 0;
	id = (uint32_t)c->text_ends.len;
	vector_reserve(&c->text, text.len);
	memcpy(c->text.items + c->text.len, text.at, text.len);
	c->text.len += text.len;
	vector_push(&c->text_ends, (uint32_t)c->text.len);
	id_map_insert_at(&c->by_text, hash, at, id);
	return id;
}

uint32_t chains_row(struct chains *c, const struct chain *row)
{
	uint64_t hash = row_hash(row);
	uint32_t id;
	size_t at;

	if (!c->by_row.slots)
		enter_rows(c);
	at = id_map_first(&c->by_row, hash);
	while ((id = id_map_candidate(&c->by_row, hash, &at)))
		if (!memcmp(&c->rows.items[id], row, sizeof(*row)))
			return id;
	if (c->rows.len >= CHAINS_LIMIT)
		return 0;
	id = (uint32_t)c->rows.len;
	vector_push(&c->rows, *row);
	id_map_insert_at(&c->by_row, hash, at, id);
	return id;
}

/* ---- Addresses ---- */

/* The first known address from `at` on that is not below `address`, found in doubling steps:
 * cheap for a few addresses in a large table, and never more than one pass for many. */
static size_t first_from(const struct chains *c, size_t at, uint64_t address)
{
	const uint64_t *known = c->addresses.items;
	size_t len = c->addresses.len, step = 1, low = at;

	while (at < len && known[at] < address) {
		low = at + 1;
		at += step;
		step *= 2;
	}
	if (at > len)
		at = len;
	return low < at ? low + search_below(known + low, at - low, address) : low;
}

size_t chains_find(
	const struct chains *c, const uint64_t *addresses, size_t count, uint32_t *ret_chains)
{
	size_t at = 0, unknown = 0;

	for (size_t i = 0; i < count; i++) {
		at = first_from(c, at, addresses[i]);
		if (at < c->addresses.len && c->addresses.items[at] == addresses[i]) {
			ret_chains[i] = c->chain_of.items[at];
		} else {
			ret_chains[i] = CHAINS_UNKNOWN;
			unknown++;
		}
	}
	return unknown;
}

void chains_add(struct chains *c, const uint64_t *addresses, const uint32_t *chains, size_t count)
{
	struct chains merged = {0};
	size_t at = 0, total = c->addresses.len + count;

	vector_reserve(&merged.addresses, total);
	vector_reserve(&merged.chain_of, total);
	for (size_t i = 0; i < count; i++) {
		if (i && addresses[i] == addresses[i - 1])
			continue;
		for (; at < c->addresses.len && c->addresses.items[at] < addresses[i]; at++) {
			vector_push(&merged.addresses, c->addresses.items[at]);
			vector_push(&merged.chain_of, c->chain_of.items[at]);
		}
		vector_push(&merged.addresses, addresses[i]);
		vector_push(&merged.chain_of, chains[i]);
	}
	for (; at < c->addresses.len; at++) {
		vector_push(&merged.addresses, c->addresses.items[at]);
		vector_push(&merged.chain_of, c->chain_of.items[at]);
	}
	vector_release(&c->addresses);
	vector_release(&c->chain_of);
	memcpy(&c->addresses, &merged.addresses, sizeof(c->addresses));
	memcpy(&c->chain_of, &merged.chain_of, sizeof(c->chain_of));
}

/* ---- As a file ---- */

uint64_t chains_checksum(struct bytes content)
{
	size_t from = offsetof(struct chains_header, checksum) + sizeof(uint64_t);

	return hash_bytes(content.at + from, content.len - from);
}

static size_t size_of(const struct chains_header *h)
{
	return sizeof(*h) + h->addresses * (sizeof(uint64_t) + sizeof(uint32_t)) +
	       h->chains * sizeof(struct chain) + h->texts * sizeof(uint32_t) + h->text_bytes;
}

static bool header_fits(const struct chains_header *h, struct bytes content, uint64_t key)
{
	return !memcmp(h->magic, CHAINS_MAGIC, sizeof(h->magic)) && h->origin.key == key &&
	       !h->reserved && h->addresses <= CHAINS_LIMIT && h->chains <= CHAINS_LIMIT &&
	       h->chains && h->texts <= CHAINS_LIMIT && h->texts && h->text_bytes <= UINT32_MAX &&
	       size_of(h) == content.len && h->checksum == chains_checksum(content);
}

static bool chains_fit(const struct chains *c)
{
	static const struct chain none = {0};
	uint16_t *lengths = memory_new(c->rows.len, sizeof(*lengths));
	bool fit = !memcmp(&c->rows.items[0], &none, sizeof(none));

	for (size_t i = 1; fit && i < c->rows.len; i++) {
		const struct chain *row = &c->rows.items[i];

		fit = row->caller < i && lengths[row->caller] < CHAIN_LIMIT &&
		      row->function < c->text_ends.len && row->file < c->text_ends.len;
		lengths[i] = fit ? (uint16_t)(lengths[row->caller] + 1) : 0;
	}
	memory_free(lengths);
	return fit;
}

/* The checksum proves that a file is as it was written, not that its writer was correct. */
static bool rows_fit(const struct chains *c)
{
	for (size_t i = 0; i < c->addresses.len; i++)
		if (c->chain_of.items[i] >= c->rows.len ||
			(i && c->addresses.items[i] <= c->addresses.items[i - 1]))
			return false;
	for (size_t i = 1; i < c->text_ends.len; i++)
		if (c->text_ends.items[i] < c->text_ends.items[i - 1])
			return false;
	return !c->text_ends.items[0] && c->text_ends.items[c->text_ends.len - 1] == c->text.len &&
	       chains_fit(c);
}

/* Make a vector of `count` items at `*at` that borrows them; `*at` moves behind. */
#define BORROW(vector, at, count)                                                                  \
	((vector)->items = (void *)(uintptr_t) * (at), (vector)->len = (count), (vector)->cap = 0, \
		*(at) += (count) * sizeof(*(vector)->items))

bool chains_read(
	struct bytes content, uint64_t key, struct chains *ret, struct chains_origin *ret_origin)
{
	struct chains_header h;
	const char *at = content.at + sizeof(h);
	struct chains c = {0};

	chains_init(ret);
	if (content.len < sizeof(h) || (uintptr_t)content.at % sizeof(uint64_t))
		return false;
	memcpy(&h, content.at, sizeof(h));
	if (!header_fits(&h, content, key))
		return false;
	BORROW(&c.addresses, &at, h.addresses);
	BORROW(&c.chain_of, &at, h.addresses);
	BORROW(&c.rows, &at, h.chains);
	BORROW(&c.text_ends, &at, h.texts);
	BORROW(&c.text, &at, h.text_bytes);
	if (!rows_fit(&c))
		return false;
	chains_release(ret);
	*ret = c;
	*ret_origin = h.origin;
	return true;
}

static struct chains_header header_of(const struct chains *c)
{
	return (struct chains_header){.magic = CHAINS_MAGIC,
		.addresses = c->addresses.len,
		.chains = c->rows.len,
		.texts = c->text_ends.len,
		.text_bytes = c->text.len};
}

size_t chains_size(const struct chains *c)
{
	struct chains_header h = header_of(c);

	return size_of(&h);
}

static void add_items(struct buffer *b, const void *items, size_t count, size_t size)
{
	if (count)
		buffer_add(b, items, count * size);
}

void chains_write(const struct chains *c, const struct chains_origin *origin, struct output *out)
{
	struct chains_header h = header_of(c);
	struct buffer b = {0};

	h.origin = *origin;
	buffer_reserve(&b, size_of(&h));
	add_items(&b, &h, 1, sizeof(h));
	add_items(&b, c->addresses.items, c->addresses.len, sizeof(uint64_t));
	add_items(&b, c->chain_of.items, c->addresses.len, sizeof(uint32_t));
	add_items(&b, c->rows.items, c->rows.len, sizeof(struct chain));
	add_items(&b, c->text_ends.items, c->text_ends.len, sizeof(uint32_t));
	add_items(&b, c->text.items, c->text.len, 1);
	h.checksum = chains_checksum(buffer_bytes(&b));
	memcpy(b.at, &h, sizeof(h));
	output_write(out, buffer_bytes(&b));
	buffer_release(&b);
}

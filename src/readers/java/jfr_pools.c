/* jfr_pools.c: where in a chunk is the constant with this key? */
#include "readers/java/jfr_pools.h"

void jfr_pools_release(struct jfr_pools *p)
{
	for (size_t i = 0; i < p->pools.len; i++) {
		vector_release(&p->pools.items[i].constants);
		id_map_release(&p->pools.items[i].by_key);
	}
	vector_release(&p->pools);
}

/* ---- Constants ---- */

static uint32_t find_row(struct jfr_pool *pool, uint64_t key, uint64_t hash, size_t *ret_at)
{
	uint32_t row;

	*ret_at = id_map_first(&pool->by_key, hash);
	while ((row = id_map_candidate(&pool->by_key, hash, ret_at)))
		if (pool->constants.items[row - 1].key == key)
			return row;
	return 0;
}

/* Checkpoints may repeat a constant; the first one counts, as for the JVM's own reader. */
static void add_constant(struct jfr_pool *pool, uint64_t key, uint64_t offset)
{
	uint64_t hash = hash_pair(key, 0);
	size_t at;

	if (find_row(pool, key, hash, &at) || pool->constants.len >= UINT32_MAX - 1)
		return;
	vector_push(&pool->constants, ((struct jfr_constant){.key = key, .at = offset}));
	id_map_insert_at(&pool->by_key, hash, at, (uint32_t)pool->constants.len);
}

struct jfr_constant *jfr_constant_find(struct jfr_pool *pool, uint64_t key)
{
	size_t at;

	if (!pool)
		return NULL;
	if (!pool->last || pool->constants.items[pool->last - 1].key != key)
		pool->last = find_row(pool, key, hash_pair(key, 0), &at);
	return pool->last ? &pool->constants.items[pool->last - 1] : NULL;
}

/* ---- Checkpoints ---- */

/* The pool of a class, a new one if need be; NULL: no such class, or its layout is not known. */
static struct jfr_pool *open_pool(struct jfr_pools *p, struct jfr_layouts *layouts, uint64_t id)
{
	struct jfr_pool new = {.class = jfr_class_by_id(layouts->types, id)};

	for (size_t i = 0; i < p->pools.len; i++)
		if (p->pools.items[i].class == new.class)
			return &p->pools.items[i];
	if (!new.class || !jfr_layout_compile(layouts, new.class, NULL, &new.skip))
		return NULL;
	vector_push(&p->pools, new);
	return &p->pools.items[p->pools.len - 1];
}

static void take_pool(struct jfr_pool *pool, const struct jfr_chunk *chunk,
	const struct jfr_layouts *layouts, uint64_t count, struct cursor *c)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t key = jfr_number(c, 8, chunk->compressed), at;

		at = (uint64_t)((const char *)c->at - chunk->events.at);
		jfr_layout_skip(layouts, pool->skip, c);
		if (c->bad)
			return;
		add_constant(pool, key, at);
	}
}

/* False: a part of it could not be read. */
static bool take_checkpoint(struct jfr_pools *p, const struct jfr_chunk *chunk,
	struct jfr_layouts *layouts, struct cursor c)
{
	uint64_t pools;

	for (unsigned i = 0; i < 3; i++) /* start, duration, distance to the one before */
		jfr_number(&c, 8, chunk->compressed);
	cursor_u8(&c); /* its kind */
	pools = jfr_number(&c, 4, chunk->compressed);
	for (uint64_t i = 0; i < pools && !c.bad; i++) {
		uint64_t id = jfr_number(&c, 8, chunk->compressed);
		uint64_t count = jfr_number(&c, 4, chunk->compressed);
		struct jfr_pool *pool = c.bad ? NULL : open_pool(p, layouts, id);

		if (!pool)
			return false;
		take_pool(pool, chunk, layouts, count, &c);
	}
	return !c.bad;
}

void jfr_pools_take(struct jfr_pools *p, const struct jfr_chunk *chunk, struct jfr_layouts *layouts)
{
	for (size_t i = 0; i < chunk->checkpoints.len; i++) {
		uint64_t at = chunk->checkpoints.items[i];
		struct jfr_event event;

		if (!jfr_event_next(chunk, &at, &event) ||
			!take_checkpoint(p, chunk, layouts, event.content))
			p->damaged++;
	}
}

struct jfr_pool *jfr_pool_by_name(struct jfr_pools *p, struct bytes class)
{
	for (size_t i = 0; i < p->pools.len; i++)
		if (bytes_equal(p->pools.items[i].class->name, class))
			return &p->pools.items[i];
	return NULL;
}

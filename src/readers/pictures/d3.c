/* d3.c: the call tree that d3-flame-graph draws, and other tools write for it:
 *
 *	{"name": "root", "value": 100, "children": [{"name": "main", "value": 90, "children":
 *[...]}]}
 *	{"n": "all", "l": "", "v": 0, "c": [{"n": "main", "l": "", "v": 90, "c": [...]}]}
 *
 * The second form is that of `perf script report flamegraph -f json`; "l" says that it is the
 * kernel. A value includes those of the children; the rest is the node's own. d3-flame-graph can
 * also be told that values do not include them (selfValue), as perf's script does: this is what a
 * file means that has a node with less than its children. The outermost node is the picture, not a
 * function, if it has one of the usual names. Source of the format: the README.md of
 * github.com/spiermar/d3-flame-graph. */
#include "readers/stacks/json_stacks.h"

#define NONE UINT32_MAX

/* A node is behind its parent. */
struct node {
	uint32_t parent;
	stack_id stack;
	int64_t value, below; /* `below`: the sum of the children's */
	string_id name;
	bool has_value, kernel;
};

/* A node that is being read. */
struct level {
	uint32_t node;
	bool in_children;
};

struct d3 {
	struct text_stacks stacks;
	struct json *json;
	VECTOR(struct node) nodes;
	VECTOR(struct level) levels;
	struct json_oddity deltas;
	uint64_t rounded;
	bool exclusive; /* values do not include those of the children */
};

static void d3_release(struct d3 *d)
{
	vector_release(&d->nodes);
	vector_release(&d->levels);
}

/* ---- Reading ---- */

static void open_node(struct d3 *d)
{
	uint32_t parent = d->levels.len ? d->levels.items[d->levels.len - 1].node : NONE;

	vector_push(&d->levels, ((struct level){(uint32_t)d->nodes.len, false}));
	vector_push(&d->nodes, ((struct node){.parent = parent}));
}

static bool is_picture(struct bytes name)
{
	return !name.len || bytes_equal(name, BYTES("root")) || bytes_equal(name, BYTES("all")) ||
	       bytes_equal(name, BYTES("total"));
}

static bool take_value(struct d3 *d, struct node *node, struct json *j)
{
	struct json_decimal number;

	if (!json_decimal_if(j, &number))
		return true;
	d->rounded += number.exponent < 0;
	node->value = json_decimal_scale(&number, 0, -1);
	node->has_value = true;
	return node->value >= 0 || json_fail(j, "expected a value from 0 to 2^63");
}

static bool is_key(struct bytes key, struct bytes name)
{
	return bytes_equal(key, name) || bytes_equal(key, (struct bytes){name.at, 1});
}

static bool take_key(struct d3 *d, struct bytes key, struct json *j)
{
	struct level *level = &d->levels.items[d->levels.len - 1];
	struct node *node = &d->nodes.items[level->node];

	if (is_key(key, BYTES("children")) && json_peek(j) == JSON_ARRAY) {
		level->in_children = json_array(j);
	} else if (is_key(key, BYTES("name"))) {
		node->name = profile_string(d->stacks.profile, json_string_if(j));
	} else if (is_key(key, BYTES("value"))) {
		return take_value(d, node, j);
	} else if (bytes_equal(key, BYTES("l"))) {
		node->kernel = bytes_equal(json_string_if(j), BYTES("kernel"));
	} else {
		if (bytes_equal(key, BYTES("delta")))
			json_odd(&d->deltas, j);
		json_skip(j);
	}
	return true;
}

/* Nothing recurses: `levels` are the open nodes. */
static bool read_tree(struct d3 *d, struct json *j)
{
	struct bytes key;

	json_object(j);
	open_node(d);
	while (d->levels.len) {
		struct level *level = &d->levels.items[d->levels.len - 1];

		if (level->in_children && json_item(j)) {
			if (json_object_if(j))
				open_node(d);
		} else if (level->in_children) {
			level->in_children = false;
		} else if (json_key(j, &key)) {
			if (!take_key(d, key, j))
				return false;
		} else {
			d->levels.len--;
		}
	}
	return json_finish(j);
}

/* ---- Samples ---- */

/* Children are behind their parents: each has its value when it is added to its parent's. A node
 * without a value has that of its children. */
static bool sum_children(struct d3 *d)
{
	for (size_t i = d->nodes.len; i-- > 0;) {
		struct node *node = &d->nodes.items[i];
		int64_t *below = node->parent == NONE ? NULL : &d->nodes.items[node->parent].below;

		if (!node->has_value)
			node->value = node->below;
		d->exclusive |= node->value < node->below;
		if (below && __builtin_add_overflow(*below, node->value, below))
			return json_fail(d->json, "the sum of all values exceeds 2^63");
	}
	return true;
}

/* 0: it is no frame. */
static location_id locate(struct d3 *d, const struct node *node)
{
	struct profile *p = d->stacks.profile;
	struct bytes name = profile_text(p, node->name);
	enum frame_kind kind = node->kernel ? FRAME_KERNEL : FRAME_NATIVE;

	if (node->parent == NONE && is_picture(name))
		return 0;
	return profile_location_named(
		p, profile_frame_named(p, name.len ? name : BYTES("[unknown]"), kind));
}

static bool add_nodes(struct d3 *d, struct error *err)
{
	for (size_t i = 0; i < d->nodes.len; i++) {
		struct node *node = &d->nodes.items[i];
		stack_id caller = node->parent == NONE ? 0 : d->nodes.items[node->parent].stack;
		location_id location = locate(d, node);
		int64_t own = !d->exclusive	? node->value - node->below
			      : node->has_value ? node->value
						: 0;

		node->stack =
			location ? profile_stack(d->stacks.profile, caller, location) : caller;
		if (own && !text_stacks_add_stack(
				   &d->stacks, (struct sample){.stack = node->stack}, &own, err))
			return false;
	}
	return true;
}

static bool d3_take(struct d3 *d, struct json *j, struct error *err)
{
	struct profile *p = d->stacks.profile;

	if (!read_tree(d, j) || !sum_children(d))
		return false;
	text_stacks_stream(&d->stacks, BYTES("samples"), BYTES("count"), (struct bytes){0});
	if (d->exclusive)
		profile_note(p, "a node has less than its children: the values of all nodes are "
				"taken for their own, without their children's");
	json_count_note(p, d->rounded, "values that are no whole numbers, rounded");
	json_odd_note(&d->deltas, p, "differences of a comparison");
	return add_nodes(d, err) && json_stacks_finish(&d->stacks, d->stacks.taken, j, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct d3 d = {0};
	struct json j;
	bool done;

	json_open(&j, in, err);
	text_stacks_open(&d.stacks, in, options, out);
	d.json = &j;
	done = d3_take(&d, &j, err);
	d3_release(&d);
	text_stacks_release(&d.stacks);
	json_release(&j);
	return done;
}

/* An object whose first key is one of the three, and that has all of them. */
static int bid(struct bytes head)
{
	static const char *const forms[2][3] = {
		{"\"name\"", "\"value\"", "\"children\""}, {"\"n\"", "\"v\"", "\"c\""}};
	struct bytes first = bytes_trim(head);

	if (!json_begins(head) || *first.at != '{')
		return 0;
	first = bytes_trim((struct bytes){first.at + 1, first.len - 1});
	for (size_t i = 0; i < 2; i++) {
		bool starts = false, all = true;

		for (size_t k = 0; k < 3; k++) {
			starts |= bytes_starts_with(first, bytes_of(forms[i][k]));
			all &= json_contains(head, forms[i][k]);
		}
		if (starts && all)
			return 40;
	}
	return 0;
}

const struct reader reader_d3 = {
	.name = "d3",
	.about = "call trees for d3-flame-graph, as JSON",
	.expects = "a JSON object with `name`, `value` and `children`",
	.proof = "perf 6.1's flamegraph script, compared with perf script of the same recording",
	.bid = bid,
	.read = read,
	.one_table = true,
};

/* call_graph.c: stacks out of a call graph, which says who calls whom at what cost, but not from
 * where.
 *
 * The assumption is gprof's: what a function costs is the same on average, whoever calls it. So if
 * a third of the cost of all calls of f is that of calls by g, then a third of what f and its
 * callees cost is on stacks with g above f. It is wrong where a function does more work for one
 * caller than for another and its own callees show the difference; nothing in the file tells. Costs
 * of functions themselves and of each call are exact.
 *
 * Functions are visited callers first. Each has contexts: a stack that it is called from, with the
 * cost of the calls from there. Its own cost, and the cost of each of its calls, is divided among
 * its contexts in the proportion of their costs, separately for each kind of cost; a call makes a
 * context of the callee. What is more than the calls cost is a context without a caller, if it is
 * at least a hundredth: less comes from measuring, or rounding, calls and functions separately.
 *
 * Functions that call one another in a circle are one component (Tarjan, "Depth-first search and
 * linear graph algorithms", 1972), since the costs of calls inside of it count some work several
 * times. It has contexts as one function has. On a stack, the function through which it was entered
 * is the caller of all others.
 *
 * A function deep in a graph may have exponentially many stacks. So a component has a limited
 * number of contexts; the least costly ones become one, below "[several callers]" instead of a
 * stack. Time and memory are proportional to calls times that number, which is smaller for larger
 * graphs.
 *
 * Costs are divided as real numbers and rounded so that the samples of a function add up to exactly
 * its own cost: each one is the difference of two rounded sums. */
#include "readers/stacks/call_graph.h"

#include "base/sort.h"

#include <math.h>

#define NONE	       UINT32_MAX
#define CONTEXTS_ALL   ((size_t)1 << 19) /* in a graph, about */
#define CONTEXTS_LEAST ((size_t)8)	 /* in a component */
#define CONTEXTS_MOST  ((size_t)4096)
#define ROOT_LEAST     0.01   /* of a component's cost: less has no context of its own */
#define LARGEST	       9.2e18 /* costs are below 2^63 */

void call_graph_release(struct call_graph *g)
{
	vector_release(&g->functions);
	vector_release(&g->calls);
	vector_release(&g->self);
	vector_release(&g->inclusive);
	id_map_release(&g->by_pair);
}

/* ---- The graph ---- */

static bool add_costs(int64_t *sums, const int64_t *costs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (costs[i] == INT64_MIN || __builtin_add_overflow(sums[i], costs[i], &sums[i]) ||
			sums[i] == INT64_MIN)
			return false;
	return true;
}

uint32_t call_graph_function(struct call_graph *g, location_id location)
{
	for (size_t i = 0; i < g->costs; i++)
		vector_push(&g->self, 0);
	vector_push(&g->functions, ((struct graph_function){.location = location}));
	return (uint32_t)g->functions.len - 1;
}

bool call_graph_add_self(struct call_graph *g, uint32_t function, const int64_t *costs)
{
	return add_costs(g->self.items + function * g->costs, costs, g->costs);
}

bool call_graph_add_call(
	struct call_graph *g, uint32_t caller, uint32_t callee, const int64_t *costs)
{
	uint64_t hash = hash_pair(caller, callee);
	size_t at = id_map_first(&g->by_pair, hash);

	for (uint32_t id; (id = id_map_candidate(&g->by_pair, hash, &at));) {
		const struct graph_call *call = &g->calls.items[id - 1];

		if (call->caller == caller && call->callee == callee)
			return add_costs(g->inclusive.items + (id - 1) * g->costs, costs, g->costs);
	}
	vector_push(&g->calls, ((struct graph_call){caller, callee}));
	id_map_insert_at(&g->by_pair, hash, at, (uint32_t)g->calls.len);
	for (size_t i = 0; i < g->costs; i++)
		vector_push(&g->inclusive, 0);
	return add_costs(g->inclusive.items + (g->calls.len - 1) * g->costs, costs, g->costs);
}

/* ---- Its components ---- */

/* A stack that a component is called from. */
struct context {
	stack_id caller;
	uint32_t entry; /* the function that is called */
	uint32_t depth; /* frames of `caller` */
	bool several;	/* it is below "[several callers]" */
};

struct component {
	uint32_t first_member, members; /* of `members` */
	VECTOR(struct context) contexts;
	VECTOR(double) weights; /* costs of each context; then its parts of the component's */
};

struct walk {
	struct call_graph *graph;
	struct text_stacks *stacks;
	uint32_t *calls;   /* rows, those of each caller one behind the other */
	uint32_t *members; /* functions, those of each component one behind the other */
	VECTOR(struct component) components; /* callees before their callers */
	size_t contexts_limit;
	bool estimated;	 /* something was divided among contexts by the assumption */
	int64_t several; /* the first cost of all samples below "[several callers]" */
	stack_id several_stack;
};

static void index_calls(struct walk *w)
{
	struct call_graph *g = w->graph;
	uint32_t at = 0;

	w->calls = memory_new(g->calls.len + 1, sizeof(*w->calls));
	for (size_t i = 0; i < g->calls.len; i++)
		g->functions.items[g->calls.items[i].caller].calls++;
	for (size_t i = 0; i < g->functions.len; i++) {
		g->functions.items[i].first_call = at;
		at += g->functions.items[i].calls;
		g->functions.items[i].calls = 0;
	}
	for (uint32_t i = 0; i < g->calls.len; i++) {
		struct graph_function *caller = &g->functions.items[g->calls.items[i].caller];

		w->calls[caller->first_call + caller->calls++] = i;
	}
}

/* Tarjan's algorithm. `order` numbers functions as they are met, from 1; `low` is the smallest
 * number that can be reached from one. */
struct search {
	uint32_t *order, *low, *next_call, met;
	VECTOR(uint32_t) path, open; /* functions that are being visited; without a component */
};

static void enter(struct search *s, uint32_t function)
{
	s->order[function] = s->low[function] = ++s->met;
	vector_push(&s->path, function);
	vector_push(&s->open, function);
}

/* The function can reach none that was met before it: those behind it are its component. */
static void close_component(struct walk *w, struct search *s, uint32_t function, uint32_t *placed)
{
	struct component c = {.first_member = *placed};
	uint32_t member;

	do {
		member = s->open.items[--s->open.len];
		w->graph->functions.items[member].component = (uint32_t)w->components.len;
		w->members[(*placed)++] = member;
	} while (member != function);
	c.members = *placed - c.first_member;
	vector_push(&w->components, c);
}

static void visit(struct walk *w, struct search *s, uint32_t *placed)
{
	uint32_t function = s->path.items[s->path.len - 1], caller;
	const struct graph_function *f = &w->graph->functions.items[function];

	if (s->next_call[function] < f->calls) {
		uint32_t call = w->calls[f->first_call + s->next_call[function]++];
		uint32_t callee = w->graph->calls.items[call].callee;

		if (!s->order[callee])
			enter(s, callee);
		else if (w->graph->functions.items[callee].component == NONE &&
			 s->order[callee] < s->low[function])
			s->low[function] = s->order[callee];
		return;
	}
	s->path.len--;
	if (s->low[function] == s->order[function])
		close_component(w, s, function, placed);
	if (!s->path.len)
		return;
	caller = s->path.items[s->path.len - 1];
	if (s->low[function] < s->low[caller])
		s->low[caller] = s->low[function];
}

static void find_components(struct walk *w)
{
	size_t count = w->graph->functions.len;
	struct search s = {.order = memory_new(count + 1, sizeof(uint32_t)),
		.low = memory_new(count + 1, sizeof(uint32_t)),
		.next_call = memory_new(count + 1, sizeof(uint32_t))};
	uint32_t placed = 0;

	w->members = memory_new(count + 1, sizeof(*w->members));
	for (size_t i = 0; i < count; i++)
		w->graph->functions.items[i].component = NONE;
	for (uint32_t i = 0; i < count; i++) {
		if (!s.order[i])
			enter(&s, i);
		while (s.path.len)
			visit(w, &s, &placed);
	}
	memory_free(s.order);
	memory_free(s.low);
	memory_free(s.next_call);
	vector_release(&s.path);
	vector_release(&s.open);
}

/* ---- Contexts ---- */

static stack_id several_stack(struct walk *w)
{
	if (!w->several_stack)
		w->several_stack = profile_stack(w->stacks->profile, 0,
			text_stacks_named(w->stacks, BYTES("[several callers]"), FRAME_META));
	return w->several_stack;
}

static void add_context(
	struct component *c, const struct context *context, const double *weights, size_t costs)
{
	vector_push(&c->contexts, *context);
	for (size_t i = 0; i < costs; i++)
		vector_push(&c->weights, weights[i]);
}

/* The cost of the component: of its functions and of their calls of others; less that of calls from
 * outside is what its context without a caller has. */
static void add_root(struct walk *w, struct component *c)
{
	const struct call_graph *g = w->graph;
	double rest[TEXT_STREAMS_LIMIT] = {0}, least[TEXT_STREAMS_LIMIT] = {0};
	bool any = !c->contexts.len;

	for (uint32_t i = 0; i < c->members; i++) {
		uint32_t member = w->members[c->first_member + i];
		const struct graph_function *f = &g->functions.items[member];

		for (size_t k = 0; k < g->costs; k++)
			rest[k] += (double)g->self.items[member * g->costs + k];
		for (uint32_t n = 0; n < f->calls; n++) {
			uint32_t call = w->calls[f->first_call + n];
			const struct graph_function *callee =
				&g->functions.items[g->calls.items[call].callee];

			for (size_t k = 0; callee->component != f->component && k < g->costs; k++)
				rest[k] += (double)g->inclusive.items[call * g->costs + k];
		}
	}
	for (size_t k = 0; k < g->costs; k++)
		least[k] = 0.5 + rest[k] * ROOT_LEAST;
	for (size_t i = 0; i < c->weights.len; i++)
		rest[i % g->costs] -= c->weights.items[i];
	for (size_t k = 0; k < g->costs; k++) {
		any |= rest[k] > least[k];
		rest[k] = rest[k] < 0 ? 0 : rest[k];
	}
	/* The search met the member that was closed last first. */
	if (any)
		add_context(c,
			&(struct context){.entry = w->members[c->first_member + c->members - 1]},
			rest, g->costs);
}

/* Sums of weights; 0 where they are of no use: none is above 0, or one is below. */
static void sum_weights(const struct component *c, size_t costs, double *ret_sums)
{
	bool bad[TEXT_STREAMS_LIMIT] = {false};

	for (size_t k = 0; k < costs; k++)
		ret_sums[k] = 0;
	for (size_t i = 0; i < c->weights.len; i++) {
		ret_sums[i % costs] += c->weights.items[i];
		bad[i % costs] |= c->weights.items[i] < 0;
	}
	for (size_t k = 0; k < costs; k++)
		if (bad[k] || !(ret_sums[k] > 0))
			ret_sums[k] = 0;
}

/* From costs to parts of the whole. A cost whose sum is of no use is divided as the first one of
 * some use, or evenly. */
static void divide_weights(struct component *c, size_t costs)
{
	double sums[TEXT_STREAMS_LIMIT];
	size_t useful = 0;

	sum_weights(c, costs, sums);
	while (useful < costs && !(sums[useful] > 0))
		useful++;
	for (size_t i = 0; i < c->contexts.len; i++) {
		double *weights = c->weights.items + i * costs;
		double even = useful < costs ? weights[useful] / sums[useful]
					     : 1 / (double)c->contexts.len;

		for (size_t k = 0; k < costs; k++)
			weights[k] = sums[k] > 0 ? weights[k] / sums[k] : even;
	}
}

/* The contexts with the least parts, those behind the limit, become one. */
static void limit_contexts(struct walk *w, struct component *c, size_t costs)
{
	size_t count = c->contexts.len, extra;
	uint64_t *parts = memory_new(count, sizeof(*parts));
	struct sort_key *sorted = memory_new(count, sizeof(*sorted));
	struct component kept = {.first_member = c->first_member, .members = c->members};
	double rest[TEXT_STREAMS_LIMIT] = {0};

	for (size_t i = 0; i < c->weights.len; i++)
		parts[i / costs] += (uint64_t)(c->weights.items[i] * 0x1p40);
	sort_by_number(parts, count, sorted);
	extra = count - w->contexts_limit + 1;
	for (size_t i = 0; i < extra; i++)
		for (size_t k = 0; k < costs; k++)
			rest[k] += c->weights.items[sorted[i].row * costs + k];
	for (size_t i = extra; i < count; i++)
		add_context(&kept, &c->contexts.items[sorted[i].row],
			c->weights.items + sorted[i].row * costs, costs);
	add_context(&kept,
		&(struct context){.caller = several_stack(w),
			.entry = c->contexts.items[sorted[0].row].entry,
			.depth = 1,
			.several = true},
		rest, costs);
	vector_release(&c->contexts);
	vector_release(&c->weights);
	*c = kept;
	memory_free(parts);
	memory_free(sorted);
}

/* ---- Samples ---- */

/* A context of a function of the component: where it is on a stack. */
static struct context place_member(struct walk *w, const struct context *context, uint32_t member)
{
	const struct call_graph *g = w->graph;
	struct context placed = *context;

	if (placed.depth + 2 > STACK_DEPTH_LIMIT)
		placed = (struct context){several_stack(w), context->entry, 1, true};
	placed.caller = profile_stack(
		w->stacks->profile, placed.caller, g->functions.items[context->entry].location);
	placed.depth++;
	if (member == context->entry)
		return placed;
	placed.caller = profile_stack(
		w->stacks->profile, placed.caller, g->functions.items[member].location);
	placed.depth++;
	return placed;
}

static void pass_calls(
	struct walk *w, uint32_t member, const struct context *placed, const double *parts)
{
	struct call_graph *g = w->graph;
	const struct graph_function *f = &g->functions.items[member];
	bool divided = w->components.items[f->component].contexts.len > 1;
	double weights[TEXT_STREAMS_LIMIT];

	for (uint32_t n = 0; n < f->calls; n++) {
		uint32_t call = w->calls[f->first_call + n];
		uint32_t callee = g->calls.items[call].callee;
		uint32_t component = g->functions.items[callee].component;
		struct context context = *placed;

		if (component == f->component)
			continue;
		for (size_t k = 0; k < g->costs; k++)
			weights[k] = (double)g->inclusive.items[call * g->costs + k] * parts[k];
		context.entry = callee;
		w->estimated |= divided;
		add_context(&w->components.items[component], &context, weights, g->costs);
	}
}

/* What a function's contexts have had of its own costs. */
struct shared {
	double parts[TEXT_STREAMS_LIMIT];
	int64_t given[TEXT_STREAMS_LIMIT];
};

static bool add_own(struct walk *w, uint32_t member, const struct context *placed,
	const double *parts, bool last, struct shared *shared, struct error *err)
{
	struct call_graph *g = w->graph;
	const int64_t *self = g->self.items + member * g->costs;
	int64_t values[TEXT_STREAMS_LIMIT];
	bool any = false;

	for (size_t k = 0; k < g->costs; k++) {
		double sum = (double)self[k] * fmin(shared->parts[k] += parts[k], 1);
		int64_t given = last || fabs(sum) > LARGEST ? self[k] : llround(sum);

		values[k] = given - shared->given[k];
		shared->given[k] = given;
		any |= values[k] != 0;
	}
	if (placed->several)
		w->several += values[0];
	return !any || text_stacks_add_stack(
			       w->stacks, (struct sample){.stack = placed->caller}, values, err);
}

static bool add_member(struct walk *w, struct component *c, uint32_t member, struct error *err)
{
	size_t costs = w->graph->costs;
	struct shared shared = {0};
	bool done = true;

	for (size_t i = 0; done && i < c->contexts.len; i++) {
		const double *parts = c->weights.items + i * costs;
		struct context placed = place_member(w, &c->contexts.items[i], member);

		done = add_own(w, member, &placed, parts, i + 1 == c->contexts.len, &shared, err);
		pass_calls(w, member, &placed, parts);
	}
	return done;
}

static bool add_component(struct walk *w, struct component *c, struct error *err)
{
	size_t costs = w->graph->costs;
	bool done = true;

	add_root(w, c);
	divide_weights(c, costs);
	w->estimated |= c->members > 1;
	if (c->contexts.len > w->contexts_limit)
		limit_contexts(w, c, costs);
	for (uint32_t i = c->members; done && i-- > 0;)
		done = add_member(w, c, w->members[c->first_member + i], err);
	vector_release(&c->contexts);
	vector_release(&c->weights);
	return done;
}

static void add_notes(const struct walk *w)
{
	const struct text_stacks *t = w->stacks;

	if (w->estimated)
		profile_note(t->profile,
			"stacks are estimated: the file says what a function calls at what cost, "
			"but "
			"not where it was called from then; its calls are taken to cost the same "
			"whoever calls it");
	if (w->several > 0 && t->total[0] > 0)
		profile_note(t->profile,
			"%.2f%% of the cost is below [several callers]: it has more stacks than "
			"are "
			"told apart",
			100.0 * (double)w->several / (double)t->total[0]);
}

static void walk_release(struct walk *w)
{
	for (size_t i = 0; i < w->components.len; i++) {
		vector_release(&w->components.items[i].contexts);
		vector_release(&w->components.items[i].weights);
	}
	vector_release(&w->components);
	memory_free(w->calls);
	memory_free(w->members);
}

bool call_graph_finish(struct call_graph *g, struct text_stacks *t, struct error *err)
{
	struct walk w = {.graph = g, .stacks = t};
	bool done = true;

	w.contexts_limit = CONTEXTS_ALL / (g->calls.len + g->functions.len + 1);
	w.contexts_limit = w.contexts_limit < CONTEXTS_LEAST  ? CONTEXTS_LEAST
			   : w.contexts_limit > CONTEXTS_MOST ? CONTEXTS_MOST
							      : w.contexts_limit;
	index_calls(&w);
	find_components(&w);
	for (size_t i = w.components.len; done && i-- > 0;)
		done = add_component(&w, &w.components.items[i], err);
	if (done)
		add_notes(&w);
	walk_release(&w);
	return done;
}

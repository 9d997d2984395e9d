/* call_graph.h: stacks out of a call graph, which says who calls whom at what cost, but not from
 * where.
 *
 *	struct call_graph g = {.costs = 2};
 *	main = call_graph_function(&g, location); ...
 *	call_graph_add_self(&g, leaf, costs);
 *	call_graph_add_call(&g, main, leaf, inclusive_costs);
 *	call_graph_finish(&g, &stacks, err);
 *
 * call_graph.c says how, and what is assumed. */
#ifndef KILN_READERS_STACKS_CALL_GRAPH_H
#define KILN_READERS_STACKS_CALL_GRAPH_H

#include "readers/lines/text_stacks.h"

struct graph_function {
	location_id location;
	uint32_t component, first_call, calls; /* filled in at the end */
};

struct graph_call {
	uint32_t caller, callee;
};

/* `{.costs = n}`, 1 to TEXT_STREAMS_LIMIT, is empty. */
struct call_graph {
	size_t costs; /* of a function, and of a call */
	VECTOR(struct graph_function) functions;
	VECTOR(struct graph_call) calls;
	VECTOR(int64_t) self;	   /* `costs` of each function */
	VECTOR(int64_t) inclusive; /* `costs` of each call, of the callee with all that it calls */
	struct id_map by_pair;
};
void call_graph_release(struct call_graph *g);

/* A new function; returns its number. */
uint32_t call_graph_function(struct call_graph *g, location_id location);
/* Add the costs of the function itself, or of all calls of `callee` by `caller`. False: a sum
 * overflows. */
bool call_graph_add_self(struct call_graph *g, uint32_t function, const int64_t *costs);
bool call_graph_add_call(
	struct call_graph *g, uint32_t caller, uint32_t callee, const int64_t *costs);

/* All costs of all functions become samples of `t`, whose streams they are. */
bool call_graph_finish(struct call_graph *g, struct text_stacks *t, struct error *err);

#endif

/* v8_tree.h: how did V8 write its CPU profiles before nodes were a list?
 *
 * Until 2016 (Chrome 54, Node.js 6) they were a tree: "head" is an object with "children". Lines
 * count from 1, the profile starts and ends at seconds, and "timestamps" tell when each sample was,
 * in microseconds; before 2014 nobody told, and samples were as far from one another as they could
 * be. Heap profiles are such a tree still, with a "selfSize" for each node (heapprofile.c). */
#ifndef KILN_READERS_BROWSERS_V8_TREE_H
#define KILN_READERS_BROWSERS_V8_TREE_H

#include "readers/browsers/v8_data.h"

/* Read the tree. */
void v8_tree_read(struct v8_profile *v, struct json *j, struct text_stacks *t);

/* After reading: convert its times to the form of today's profiles. */
void v8_tree_times(struct v8_profile *v);

#endif

/* heatmap.h: durations of a heat map's columns that people read easily. */
#ifndef KILN_RENDERERS_HEATMAP_H
#define KILN_RENDERERS_HEATMAP_H

#include <stdint.h>

/* Ascending, in milliseconds; 0 ends them. `--columns` chooses one of these. */
extern const uint64_t heatmap_column_ms[];

#endif

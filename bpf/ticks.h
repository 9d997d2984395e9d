/* ticks.h: which ticks of a timer are samples, where its frequency cannot be lowered?
 *
 * Children inherit the timer of their thread as it was opened, and nobody can change it then. To
 * lower the frequency, one in `every` ticks of a thread is taken. The first is chosen at random, so
 * that threads that end soon are sampled for the same share of their time as others. */
#ifndef KILN_BPF_TICKS_H
#define KILN_BPF_TICKS_H

#include "bpf/core.h"

__u32 every; /* one in so many ticks of a thread is a sample; below 2: each */

/* `left`: ticks of the thread until its next sample; 0: it has had none yet. */
static __always_inline bool tick_skipped(__u32 *left)
{
	__u32 of = every;

	if (of < 2)
		return false;
	if (!*left || *left > of)
		*left = bpf_get_prandom_u32() % of + 1;
	if (--*left)
		return true;
	*left = of;
	return false;
}

#endif

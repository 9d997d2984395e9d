/* times.c: what is the first and the last time of a profile's samples? */
#include "model/times.h"

struct times times_both(struct times a, struct times b)
{
	return (struct times){
		a.first < b.first ? a.first : b.first, a.last > b.last ? a.last : b.last};
}

/* Four independent minima and maxima, so that no comparison waits for the one before. */
#define TIMES_AT_ONCE 4u

struct times samples_times(const struct samples *s)
{
	struct times some[TIMES_AT_ONCE], ret = {UINT64_MAX, 0};
	size_t i = 0;

	for (size_t each = 0; each < TIMES_AT_ONCE; each++)
		some[each] = ret;
	for (; i + TIMES_AT_ONCE <= s->time.len; i += TIMES_AT_ONCE)
		for (size_t each = 0; each < TIMES_AT_ONCE; each++) {
			uint64_t time = s->time.items[i + each];

			some[each] = times_both(some[each], (struct times){time, time});
		}
	for (; i < s->time.len; i++)
		ret = times_both(ret, (struct times){s->time.items[i], s->time.items[i]});
	for (size_t each = 0; each < TIMES_AT_ONCE; each++)
		ret = times_both(ret, some[each]);
	return ret;
}

struct times profile_times(const struct profile *p)
{
	struct times ret = {UINT64_MAX, 0};

	for (size_t i = 0; i < p->samples.len; i++)
		ret = times_both(ret, samples_times(&p->samples.items[i]));
	return ret;
}

/* seen.c: what did these bytes mean the last time? Stops remembering if that is rarely of use. */
#include "readers/stacks/seen.h"

#define TRIAL	  16384u /* lookups before their use is judged */
#define HITS_PART 8u	 /* at least one of so many lookups should hit */

void seen_release(struct seen *s)
{
	memo_release(&s->memo);
	*s = (struct seen){0};
}

void seen_expect(const struct seen *s, const struct seen_question *questions, size_t count)
{
	for (size_t i = 0; !s->useless && i < count; i++)
		memo_candidate(&s->memo, questions[i].hash);
}

uint32_t seen_find(struct seen *s, const struct seen_question *question)
{
	uint32_t value;

	if (s->useless)
		return 0;
	value = memo_find_hashed(&s->memo, question->bytes, question->hash);
	s->lookups++;
	s->hits += value != 0;
	return value;
}

void seen_put(struct seen *s, const struct seen_question *question, uint32_t value)
{
	if (s->useless)
		return;
	if (s->lookups >= TRIAL && s->hits < s->lookups / HITS_PART) {
		seen_release(s);
		s->useless = true;
		return;
	}
	memo_put_hashed(&s->memo, question->bytes, question->hash, value);
}

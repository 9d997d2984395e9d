/* seen.c: what did these bytes mean the last time, if that is worth asking? */
#include "readers/stacks/seen.h"

#define TRIAL	   16384u /* questions before it is asked whether it is worth while */
#define KNOWN_PART 8u	  /* of so many questions one should be answered */

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
	s->asked++;
	s->known += value != 0;
	return value;
}

void seen_put(struct seen *s, const struct seen_question *question, uint32_t value)
{
	if (s->useless)
		return;
	if (s->asked >= TRIAL && s->known < s->asked / KNOWN_PART) {
		seen_release(s);
		s->useless = true;
		return;
	}
	memo_put_hashed(&s->memo, question->bytes, question->hash, value);
}

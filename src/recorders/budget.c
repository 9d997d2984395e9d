/* budget.c: how much of the CPUs may the recorder take, and what does it do about it? */
#include "recorders/budget.h"

#include "base/buffer.h"

#include <stdlib.h>

#define WINDOW	    ((uint64_t)1000000000) /* ns */
#define LEAST	    19 /* Hz: at each change a CPU's current period begins anew */
#define ROOM	    3  /* times: what it may take must be so much more than it does... */
#define CALM	    10 /* ... in so many updates, for it to sample twice as often */
#define STEPS_SHOWN 6u
#define MARGIN_PART 10 /* of the budget is left, as not all costs go by the frequency */

void budget_begin(struct budget *b, uint64_t most, uint64_t frequency, uint64_t now, uint64_t spent)
{
	*b = (struct budget){.most = most,
		.requested = frequency,
		.began = now,
		.updated = now,
		.at_begin = spent,
		.at_update = spent};
	vector_push(&b->steps, ((struct budget_step){now, frequency}));
}

void budget_release(struct budget *b)
{
	vector_release(&b->steps);
}

/* In parts of what `cpus` CPUs have in that time. */
static double share(uint64_t spent, uint64_t time, size_t cpus)
{
	return time && cpus ? (double)spent * BUDGET_WHOLE / ((double)time * (double)cpus) : 0;
}

static uint64_t slower(const struct budget *b, uint64_t frequency, double taken)
{
	double most = (double)b->most * (1 - 1.0 / MARGIN_PART);
	uint64_t next = (uint64_t)((double)frequency * most / taken);

	if (frequency <= LEAST)
		return frequency;
	return next > LEAST ? next : LEAST;
}

uint64_t budget_update(
	struct budget *b, size_t cpus, uint64_t frequency, uint64_t now, uint64_t spent)
{
	double taken;

	if (!b->most || now - b->updated < WINDOW)
		return frequency;
	taken = share(spent - b->at_update, now - b->updated, cpus);
	b->updated = now;
	b->at_update = spent;
	b->calm = taken * ROOM < (double)b->most ? b->calm + 1 : 0;
	if (taken > (double)b->most)
		return slower(b, frequency, taken);
	if (b->calm < CALM || frequency >= b->requested)
		return frequency;
	b->calm = 0;
	return frequency * 2 < b->requested ? frequency * 2 : b->requested;
}

void budget_changed(struct budget *b, uint64_t now, uint64_t frequency)
{
	vector_push(&b->steps, ((struct budget_step){now, frequency}));
}

static void list_steps(const struct budget *b, struct buffer *out)
{
	for (size_t i = 0; i < b->steps.len; i++) {
		const struct budget_step *step = &b->steps.items[i];

		if (i + 1 < b->steps.len && i + 1 > STEPS_SHOWN)
			continue;
		buffer_printf(out, "%s%s%llu Hz from %.1f s on",
			i + 1 == b->steps.len && i > STEPS_SHOWN ? ", ..." : "", i ? ", " : "",
			(unsigned long long)step->frequency, (double)(step->time - b->began) / 1e9);
	}
	buffer_char(out, 0);
}

static const char *why_more(const struct budget *b)
{
	if (b->steps.len && b->steps.items[b->steps.len - 1].frequency <= LEAST)
		return "which is the lowest rate";
	return "which includes the start; in longer recordings that is a smaller share";
}

void budget_note(
	const struct budget *b, size_t cpus, uint64_t now, uint64_t spent, struct profile *profile)
{
	double taken = share(spent - b->at_begin, now - b->began, cpus) * 100 / BUDGET_WHOLE;
	double most = (double)b->most * 100 / BUDGET_WHOLE;
	struct buffer text = {0};

	if (!b->most)
		return;
	buffer_printf(&text, "%.3f%% of %zu CPUs", taken, cpus);
	profile_set_meta(profile, BYTES("recorder took"), buffer_bytes(&text));
	text.len = 0;
	list_steps(b, &text);
	if (b->steps.len > 1)
		profile_note(profile,
			"the sampling rate was lowered to keep the recorder below %g%% of the "
			"CPUs; samples weigh more: %s",
			most, text.at);
	if (taken > most)
		profile_note(profile, "the recorder used %.2g%% of the CPUs (limit %g%%): %s",
			taken, most, why_more(b));
	buffer_release(&text);
}

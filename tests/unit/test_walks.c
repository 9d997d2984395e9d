/* test_walks.c: is every stack copy walked once and delivered in order, whichever thread walks
 * it? */
#include "test.h"

#include "base/memory.h"
#include "process/walks.h"

#include <linux/perf_event.h>

#define SAMPLES	   60000u
#define COPY_BYTES 64u
#define CODE	   UINT64_C(0x400000) /* where the first sample was taken; the next one a byte later */

/* asm/perf_regs.h of x86, which another machine has not got. */
enum { REGISTER_SP = 7, REGISTER_IP };

static const struct perf_layout layout = {
	.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	.regs_user = UINT64_C(1) << REGISTER_SP | UINT64_C(1) << REGISTER_IP};

struct delivery {
	uint64_t next, wrong;
	uint64_t last; /* at which it fails */
};

/* Nothing is mapped, so a stack is only the address at which the thread was. */
static bool deliver(void *context, const struct walk_job *job, struct error *err)
{
	struct delivery *d = context;
	bool right = job->period == d->next;

	if (job->has_copy)
		right = right && job->frames.count == 1 &&
			job->frames.addresses[0] == CODE + d->next;
	d->wrong += !right;
	return d->next++ < d->last || error_set(err, ERR_FORMAT, "the last one");
}

static bool prepare(void *context)
{
	(void)context;
	return false;
}

/* Returns whether all samples were delivered. */
static bool run(struct delivery *d, uint64_t every)
{
	const struct walks_callbacks calls = {deliver, prepare, d};
	uint64_t *registers = memory_new(2 * (size_t)SAMPLES, sizeof(*registers));
	static const char stack[COPY_BYTES];
	struct binaries binaries = {0};
	struct error err = {0};
	struct walks *walks = walks_new(arch_by_name(BYTES("x86_64")), &binaries, &calls);
	bool done = true;

	for (uint64_t i = 0; i < SAMPLES && done; i++) {
		struct walk_job job = {.period = i, .has_copy = i % every == 0};
		struct perf_sample *sample = &job.record.sample;

		registers[2 * i + 1] = CODE + i;
		job.record.misc = PERF_RECORD_MISC_USER;
		sample->layout = &layout;
		sample->regs_user_abi = PERF_SAMPLE_REGS_ABI_64;
		sample->regs_user = (struct perf_words){&registers[2 * i], 2};
		sample->stack_user = (struct bytes){stack, sizeof(stack)};
		sample->stack_user_size = sizeof(stack);
		done = walks_add(walks, &job, &err);
	}
	done = done && walks_finish(walks, &err);
	walks_release(walks);
	free(registers);
	return done;
}

static void all_are_delivered_in_order(void **state)
{
	(void)state;
	for (uint64_t every = 1; every < 4; every++) {
		struct delivery d = {.last = UINT64_MAX};

		assert_true(run(&d, every));
		assert_int_equal(d.next, SAMPLES);
		assert_int_equal(d.wrong, 0);
	}
}

static void nothing_is_delivered_after_a_failure(void **state)
{
	(void)state;
	for (uint64_t last = 0; last < SAMPLES; last = 3 * last + 1) {
		struct delivery d = {.last = last};

		assert_false(run(&d, 1));
		assert_int_equal(d.next, last + 1);
		assert_int_equal(d.wrong, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_delivered_in_order),
		cmocka_unit_test(nothing_is_delivered_after_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* pattern.c: does a text match a regular expression?
 *
 * Some expressions take exponential time, and a user of `kiln view` may type one. PCRE2's own match
 * limit does not bound that: it counts matches that start at one offset of the text, and does not
 * count single repeats. Compiled code can be interrupted only by callouts.
 *
 * So there are two stages. A short text is matched without callouts first, within a limit that
 * most searches never reach; the worst case takes about as long as reading a name. Everything
 * else is matched by code with a callout at each part of the pattern, where steps are counted
 * and the deadline is checked. That takes up to five times as long. */
#include "base/pattern.h"

#include "base/deadline.h"
#include "base/memory.h"
#include "base/scope.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#define SHORT_TEXT    2048u  /* bytes of texts that are matched without callouts first */
#define SHORT_LIMIT   2048u  /* PCRE2's match limit for them */
#define SCAN_PER_STEP 64u    /* bytes that a repeat scans in the time of a step */
#define CHECK_STEPS   2048   /* steps between checks of the deadline */
#define CHECK_BYTES   4096u  /* ... and bytes of texts that take few steps */
#define HEAP_LIMIT    65536u /* KiB for backtracking, where there is no compiled code */

struct pattern_steps {
	pcre2_code *code; /* with callouts; NULL: not needed so far */
	pcre2_match_context *context;
	int64_t left;	  /* steps left for all matches */
	int64_t check_at; /* ... value at which the deadline is checked next */
	PCRE2_SIZE last;  /* offset in the text at the last step */
	size_t bytes;	  /* of texts since the deadline was checked */
};

static void free_code(void *code)
{
	pcre2_code_free(code);
}

static void free_match(void *match)
{
	pcre2_match_data_free(match);
}

static void free_context(void *context)
{
	pcre2_match_context_free(context);
}

/* Register an object of PCRE2's; NULL means that it had no memory for it. */
static void *held(void *part, void (*release)(void *part))
{
	if (!part)
		scope_fail(0);
	scope_hold(part, release);
	return part;
}

/* "$" matches only at the end, as in the browser, not before a last newline. */
static pcre2_code *compile(const char *text, uint32_t options, int *ret_code, size_t *ret_at)
{
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
		PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | options, ret_code, ret_at, NULL);

	if (!code && *ret_code == PCRE2_ERROR_HEAP_FAILED)
		scope_fail(0);
	if (!code)
		return NULL;
	held(code, free_code);
	pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* without it matching is slower */
	return code;
}

bool pattern_compile(struct pattern *p, const char *text, struct error *err)
{
	size_t at = 0;
	int code = 0;

	*p = (struct pattern){.text = text};
	p->code = compile(text, 0, &code, &at);
	if (!p->code) {
		unsigned char why[200] = "";

		pcre2_get_error_message(code, why, sizeof(why));
		return error_set(err, ERR_USAGE,
			"expected a regular expression, got '%s': %s at offset %zu", text, why, at);
	}
	p->match = held(pcre2_match_data_create_from_pattern(p->code, NULL), free_match);
	p->context = held(pcre2_match_context_create(NULL), free_context);
	pcre2_set_match_limit(p->context, SHORT_LIMIT);
	pcre2_set_heap_limit(p->context, HEAP_LIMIT);
	p->steps = memory_new(1, sizeof(*p->steps));
	p->steps->left = PATTERN_STEPS;
	return true;
}

void pattern_release(struct pattern *p)
{
	if (p->steps) {
		scope_drop(p->steps->context);
		pcre2_match_context_free(p->steps->context);
		scope_drop(p->steps->code);
		pcre2_code_free(p->steps->code);
	}
	memory_free(p->steps);
	scope_drop(p->context);
	pcre2_match_context_free(p->context);
	scope_drop(p->match);
	pcre2_match_data_free(p->match);
	scope_drop(p->code);
	pcre2_code_free(p->code);
	*p = (struct pattern){0};
}

static int run(const pcre2_code *code, struct bytes subject, uint32_t options,
	pcre2_match_data *match, pcre2_match_context *context)
{
	return pcre2_match(code, (PCRE2_SPTR)(subject.len ? subject.at : ""), subject.len, 0,
		PCRE2_NO_UTF_CHECK | options, match, context);
}

/* ---- Matching in steps ---- */

/* The distance in the text since the last step is part of the cost. */
static int count_step(pcre2_callout_block *at, void *steps)
{
	struct pattern_steps *s = steps;
	PCRE2_SIZE here = at->current_position;

	s->left -=
		1 + (int64_t)((here > s->last ? here - s->last : s->last - here) / SCAN_PER_STEP);
	s->last = here;
	if (s->left >= s->check_at)
		return 0;
	s->check_at = s->left - CHECK_STEPS;
	return s->left < 0 || deadline_passed() ? PCRE2_ERROR_CALLOUT : 0;
}

static bool make_steps(const struct pattern *p, struct error *err)
{
	struct pattern_steps *s = p->steps;
	size_t at;
	int code;

	if (s->code)
		return true;
	s->code = compile(p->text, PCRE2_AUTO_CALLOUT, &code, &at);
	if (!s->code)
		return error_set(
			err, ERR_LIMIT, "'%s' is too long to match against long names", p->text);
	s->context = held(pcre2_match_context_create(NULL), free_context);
	pcre2_set_match_limit(s->context, UINT32_MAX);
	pcre2_set_heap_limit(s->context, HEAP_LIMIT);
	pcre2_set_callout(s->context, count_step, s);
	return true;
}

static void begin_steps(struct pattern_steps *s, size_t len)
{
	s->left += PATTERN_STEPS_PER_BYTE * (int64_t)len;
	s->check_at = s->left;
	s->last = 0;
}

static bool too_long(const struct pattern *p, struct bytes subject, struct error *err)
{
	return error_set(err, ERR_LIMIT,
		"matching '%s' takes too long on '%.*s'; use no nested repetitions", p->text,
		subject.len < 60 ? (int)subject.len : 60, subject.at);
}

static bool match_in_steps(
	const struct pattern *p, struct bytes subject, bool *ret_match, struct error *err)
{
	struct pattern_steps *s = p->steps;
	int found;

	if (!make_steps(p, err))
		return false;
	begin_steps(s, subject.len);
	found = run(s->code, subject, 0, p->match, s->context);
	if (found == PCRE2_ERROR_JIT_STACKLIMIT)
		found = run(s->code, subject, PCRE2_NO_JIT, p->match, s->context);
	*ret_match = found >= 0;
	if (found >= 0 || found == PCRE2_ERROR_NOMATCH)
		return true;
	return deadline_check(err) && too_long(p, subject, err);
}

bool pattern_match(
	const struct pattern *p, struct bytes subject, bool *ret_match, struct error *err)
{
	struct pattern_steps *s = p->steps;
	int found = PCRE2_ERROR_MATCHLIMIT;

	s->bytes += subject.len;
	if (s->bytes > CHECK_BYTES) {
		s->bytes = 0;
		if (!deadline_check(err))
			return false;
	}
	if (subject.len <= SHORT_TEXT)
		found = run(p->code, subject, 0, p->match, p->context);
	if (found == PCRE2_ERROR_NOMEMORY)
		scope_fail(0);
	if (found < 0 && found != PCRE2_ERROR_NOMATCH)
		return match_in_steps(p, subject, ret_match, err);
	*ret_match = found >= 0;
	return true;
}

bool pattern_replace(
	const struct pattern *p, struct buffer *text, const char *with, struct error *err)
{
	PCRE2_SIZE room = text->len + 4 * strlen(with) + 256, size;
	struct buffer replaced = {0};
	int done;

	if (!make_steps(p, err))
		return false;
	do { /* if the room is too small, PCRE2 returns the size it needs */
		size = room;
		buffer_reserve(&replaced, size);
		begin_steps(p->steps, text->len);
		done = pcre2_substitute(p->steps->code, (PCRE2_SPTR)text->at, text->len, 0,
			PCRE2_SUBSTITUTE_OVERFLOW_LENGTH | PCRE2_NO_UTF_CHECK, p->match,
			p->steps->context, (PCRE2_SPTR)with, PCRE2_ZERO_TERMINATED,
			(PCRE2_UCHAR *)replaced.at, &size);
		if (done == PCRE2_ERROR_NOMEMORY && (size == PCRE2_UNSET || size <= room))
			scope_fail(0);
		room = size;
	} while (done == PCRE2_ERROR_NOMEMORY);
	if (done >= 0) {
		text->len = 0;
		buffer_add(text, replaced.at, size);
	}
	buffer_release(&replaced);
	if (done == PCRE2_ERROR_CALLOUT)
		return deadline_check(err) && too_long(p, buffer_bytes(text), err);
	if (done < 0) {
		unsigned char why[200] = "";

		pcre2_get_error_message(done, why, sizeof(why));
		return error_set(err, ERR_USAGE, "expected a replacement for '%s', got '%s': %s",
			p->text, with, why);
	}
	return true;
}

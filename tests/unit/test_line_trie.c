/* test_line_trie.c: lines in any order come out sorted, each once, with the sum of its numbers. */
#include "test.h"

#include "readers/folded/line_trie.h"
#include "support/random_profile.h"

struct known {
	struct bytes line;
	int64_t value;
};

static int by_line(const void *left, const void *right)
{
	return bytes_compare(
		((const struct known *)left)->line, ((const struct known *)right)->line);
}

/* Sort and add up, the simple way. */
static size_t add_up(struct known *lines, size_t count)
{
	size_t common = 0;

	qsort(lines, count, sizeof(*lines), by_line);
	for (size_t i = 0; i < count; i++)
		if (common && bytes_equal(lines[common - 1].line, lines[i].line))
			lines[common - 1].value += lines[i].value;
		else
			lines[common++] = lines[i];
	return common;
}

static void fill(struct line_trie *t, const struct known *lines, size_t count, size_t at_once)
{
	struct line_search searches[16] = {{.found = 0}};

	for (size_t i = 0; i < count; i += at_once) {
		size_t some = count - i < at_once ? count - i : at_once;

		for (size_t k = 0; k < some; k++)
			searches[k].line = lines[i + k].line;
		line_trie_fetch(t, searches, some);
		for (size_t k = 0; k < some; k++) {
			line_trie_seek(t, &searches[k]);
			assert_true(line_trie_add(t, &searches[k], lines[i + k].value, false));
		}
	}
	for (size_t k = 0; k < 16; k++)
		line_search_release(&searches[k]);
	line_trie_sort(t);
}

/* From position `place` of the order to its end, the walk returns the expected lines from `at`
 * on. */
static void walks(const struct line_trie *t, size_t place, const struct known *expected, size_t at,
	size_t count)
{
	struct line_walk w = {.trie = t, .end = t->sorted.len};
	struct bytes last = {"", 0};
	int64_t sum = 0;

	line_walk_seek(&w, place);
	for (; line_walk_next(&w); at++) {
		struct bytes line = buffer_bytes(&w.line);

		assert_true(at < count);
		assert_true(bytes_equal(line, expected[at].line));
		assert_true(w.value == expected[at].value);
		assert_true(w.common <= last.len && w.common <= line.len);
		assert_memory_equal(line.at, last.at, w.common);
		last = expected[at].line;
		sum += w.value;
	}
	assert_true(at == count);
	assert_true(sum == line_trie_sum(t, place, t->sorted.len));
	line_walk_release(&w);
}

/* The position of the first line that is not before a text is found, for existing lines and for
 * their prefixes. */
static void places(const struct line_trie *t, const struct known *expected, size_t count)
{
	for (size_t i = 0; i < count; i += 1 + count / 13) {
		walks(t, line_trie_place(t, expected[i].line), expected, i, count);
		/* Each prefix of the line. */
		for (size_t len = 0; len < expected[i].line.len; len += 50) {
			struct bytes start = {expected[i].line.at, len};
			size_t first = i;

			while (first && bytes_compare(expected[first - 1].line, start) >= 0)
				first--;
			walks(t, line_trie_place(t, start), expected, first, count);
		}
	}
}

/* Frames of few names, short and long ones, zeroes and high bytes among them. */
static void put_line(struct buffer *out, uint64_t *seed)
{
	static const char names[][8] = {"a", "b", "a(int)", "f", "", "long_na", "\xC3\xA9", "z"};
	size_t frames = 1 + (size_t)random_below(seed, 40);

	for (size_t i = 0; i < frames; i++) {
		size_t name = (size_t)random_below(seed, 8);
		size_t times = random_below(seed, 30) ? 1 : (size_t)random_below(seed, 400);

		/* Mostly the same frames as in other lines. */
		if (i < 30 && random_below(seed, 8))
			name = i % 8;
		if (i)
			buffer_char(out, ';');
		for (size_t k = 0; k < times; k++)
			buffer_text(out, names[name]);
		if (!random_below(seed, 200))
			buffer_char(out, '\0');
	}
	if (!out->len)
		buffer_char(out, 'x');
}

static void sorts_random_lines(void **state)
{
	(void)state;
	for (uint64_t turn = 0; turn < 40; turn++) {
		size_t count = 1 + (turn % 4 ? (size_t)turn * 7 : (size_t)turn * 60);
		struct known *lines = memory_new(count, sizeof(*lines));
		struct buffer *texts = memory_new(count, sizeof(*texts));
		struct line_trie t = {0};
		uint64_t seed = turn + 1;
		size_t common;

		for (size_t i = 0; i < count; i++) {
			put_line(&texts[i], &seed);
			lines[i] = (struct known){
				buffer_bytes(&texts[i]), (int64_t)random_below(&seed, 1000)};
		}
		fill(&t, lines, count, 1 + turn % 16);
		common = add_up(lines, count);
		walks(&t, 0, lines, 0, common);
		places(&t, lines, common);
		line_trie_release(&t);
		for (size_t i = 0; i < count; i++)
			buffer_release(&texts[i]);
		free(texts);
		free(lines);
	}
}

static size_t seek(struct line_trie *t, const char *line, int add, bool mark)
{
	struct line_search s = {.line = bytes_of(line)};
	size_t marked;

	line_trie_fetch(t, &s, 1);
	marked = line_trie_seek(t, &s);
	if (add)
		assert_true(line_trie_add(t, &s, add, mark));
	line_search_release(&s);
	return marked;
}

static void marked_prefixes_are_found(void **state)
{
	char line[400], other[400];
	struct line_trie t = {0};

	(void)state;
	memset(line, 'x', sizeof(line));
	line[150] = line[310] = ';'; /* ends of pieces */
	line[399] = '\0';
	memcpy(other, line, sizeof(line));
	other[200] = 'y';
	assert_int_equal(seek(&t, line, 1, false), 0);
	assert_int_equal(seek(&t, line, 0, false), 0);
	assert_int_equal(seek(&t, other, 1, true), 0);
	assert_int_equal(seek(&t, other, 0, false), 399);
	assert_int_equal(seek(&t, line, 0, false), 151);
	assert_int_equal(seek(&t, line, 1, true), 151);
	assert_int_equal(seek(&t, line, 0, false), 399);
	other[350] = 'y';
	assert_int_equal(seek(&t, other, 0, false), 311);
	line_trie_release(&t);
}

static void an_empty_trie_is_sorted(void **state)
{
	struct line_trie t = {0};
	struct line_walk w = {.trie = &t};

	(void)state;
	line_trie_sort(&t);
	line_walk_seek(&w, 0);
	assert_false(line_walk_next(&w));
	assert_int_equal(line_trie_place(&t, BYTES("a")), 0);
	line_walk_release(&w);
	line_trie_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_random_lines),
		cmocka_unit_test(marked_prefixes_are_found),
		cmocka_unit_test(an_empty_trie_is_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

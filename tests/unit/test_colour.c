/* test_colour.c: the classic palettes, and the contrast of all colours with text. */
#include "test.h"

#include "base/buffer.h"
#include "renderers/colour.h"
#include "renderers/palette_map.h"
#include "support/work_folder.h"

static void assert_colour(struct colour c, int red, int green, int blue)
{
	assert_int_equal(c.red, red);
	assert_int_equal(c.green, green);
	assert_int_equal(c.blue, blue);
}

static struct colour by_name(enum palette palette, const char *name)
{
	return colour_classic(palette, SEED_NAME, bytes_of(name), NULL);
}

/* "main": m+a+i+n = 109+97+105+110 = 421; x = (421 << 16) + 0x330E; (x * 0x5DEECE66D + 0xB) mod
 * 2^48 over 2^48 is 0.7785...: r = 205 + int(50 * v), g = int(230 * v), b = int(55 * v). The others
 * follow the same way; "größe" counts code points, not bytes. */
static void names_seed_the_classic_shades(void **state)
{
	(void)state;
	assert_colour(by_name(PALETTE_HOT, "main"), 243, 179, 42);
	assert_colour(by_name(PALETTE_HOT, "niam"), 243, 179, 42);
	assert_colour(by_name(PALETTE_HOT, ""), 213, 39, 9);
	assert_colour(by_name(PALETTE_HOT, "gr\xC3\xB6\xC3\x9F"
					   "e"),
		229, 113, 27);
	assert_colour(by_name(PALETTE_MEM, "main"), 0, 228, 163);
	assert_colour(by_name(PALETTE_IO, "main"), 126, 126, 232);
}

/* v1 of "main": characters 109, 97, 105 modulo 10, 11, 12 over 9, 10, 11 with weights 1, .7, .49:
 * 1 - (1 + .9 * .7 + 9/11 * .49) / (1 + 1 + .7 + .49) = 0.3633...: int(230 * v1) = 83. */
static void hash_shades_follow_the_characters(void **state)
{
	struct colour_sequence none = {0};

	(void)state;
	assert_colour(colour_classic(PALETTE_HOT, SEED_HASH, BYTES("main"), &none), 247, 83, 46);
	/* All of 1 is left when there are no letters. */
	assert_colour(colour_classic(PALETTE_HOT, SEED_HASH, BYTES(""), &none), 255, 230, 55);
	/* The module does not count at the start; at the end it counts as nothing behind the tick.
	 */
	assert_colour(
		colour_classic(PALETTE_HOT, SEED_HASH, BYTES("mod`func"), &none), 253, 172, 53);
	assert_colour(colour_classic(PALETTE_HOT, SEED_HASH, BYTES("`tick"), &none), 255, 122, 55);
}

static void random_shades_change_and_repeat(void **state)
{
	struct colour_sequence one = {0}, other = {0};
	struct colour first, second;

	(void)state;
	first = colour_classic(PALETTE_HOT, SEED_RANDOM, BYTES("a"), &one);
	second = colour_classic(PALETTE_HOT, SEED_RANDOM, BYTES("a"), &one);
	assert_memory_not_equal(&first, &second, sizeof(first));
	second = colour_classic(PALETTE_HOT, SEED_RANDOM, BYTES("b"), &other);
	assert_memory_equal(&first, &second, sizeof(first));
}

static void assert_hue(enum palette palette, const char *name, enum palette expected)
{
	struct colour given = by_name(palette, name), wanted = by_name(expected, name);

	assert_memory_equal(&given, &wanted, sizeof(given));
}

static void multi_palettes_choose_by_name(void **state)
{
	(void)state;
	assert_hue(PALETTE_JAVA, "x_[j]", PALETTE_GREEN);
	assert_hue(PALETTE_JAVA, "x_[i]", PALETTE_AQUA);
	assert_hue(PALETTE_JAVA, "Ljava/util/List", PALETTE_GREEN);
	assert_hue(PALETTE_JAVA, "io/netty/X", PALETTE_GREEN);
	assert_hue(PALETTE_JAVA, "a:::b", PALETTE_GREEN);
	assert_hue(PALETTE_JAVA, "a::b", PALETTE_YELLOW);
	assert_hue(PALETTE_JAVA, "a_[k]", PALETTE_ORANGE);
	assert_hue(PALETTE_JAVA, "read", PALETTE_RED);
	assert_hue(PALETTE_JS, "LazyCompile:~f /x/y.js:3_[j]", PALETTE_GREEN);
	assert_hue(PALETTE_JS, "Builtin:x_[j]", PALETTE_AQUA);
	assert_hue(PALETTE_JS, "v8::f", PALETTE_YELLOW);
	assert_hue(PALETTE_JS, "/x/y.js:3", PALETTE_GREEN);
	assert_hue(PALETTE_JS, ":x", PALETTE_AQUA);
	assert_hue(PALETTE_JS, " ", PALETTE_GREEN);
	assert_hue(PALETTE_JS, "a_[k]b", PALETTE_ORANGE);
	assert_hue(PALETTE_PERL, "a::b", PALETTE_YELLOW);
	assert_hue(PALETTE_PERL, "Perl_pp", PALETTE_GREEN);
	assert_hue(PALETTE_PERL, "a_[k]", PALETTE_ORANGE);
	assert_hue(PALETTE_PERL, "read", PALETTE_RED);
	assert_hue(PALETTE_WAKEUP, "read", PALETTE_AQUA);
	assert_hue(PALETTE_CHAIN, "a_[w]", PALETTE_AQUA);
	assert_hue(PALETTE_CHAIN, "a", PALETTE_BLUE);
}

/* Relative luminance and contrast as WCAG 2.1 defines them, the powers by a series of steps. */
static double channel(double c)
{
	double low = 0, high = 1;

	c = c <= 0.03928 ? c / 12.92 : (c + 0.055) / 1.055;
	if (c <= 0.03928 / 12.92 + 1e-9)
		return c;
	/* c^2.4 is x with x^5 = c^12. */
	for (int i = 0; i < 60; i++) {
		double x = (low + high) / 2;
		double c2 = c * c, c4 = c2 * c2;

		if (x * x * x * x * x < c4 * c4 * c4)
			low = x;
		else
			high = x;
	}
	return low;
}

static double contrast_with_black(struct colour c, double opacity, struct colour behind)
{
	double light = 0.2126 * channel((c.red * opacity + behind.red * (1 - opacity)) / 255) +
		       0.7152 * channel((c.green * opacity + behind.green * (1 - opacity)) / 255) +
		       0.0722 * channel((c.blue * opacity + behind.blue * (1 - opacity)) / 255);

	return (light + 0.05) / 0.05;
}

static void assert_readable(struct colour c)
{
	const struct colour dark = {0x18, 0x18, 0x1b};

	assert_true(contrast_with_black(c, 1, dark) >= 7);
	assert_true(contrast_with_black(c, 0.86, dark) >= 4.5);
}

static void own_colours_contrast_with_their_text(void **state)
{
	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct buffer name = {0}, module = {0};
		enum frame_kind kind = (enum frame_kind)(i % FRAME_KINDS);

		buffer_printf(&name, "function_%d", i);
		buffer_printf(&module, "lib%d.so", i % 97);
		assert_readable(colour_by_kind(kind, buffer_bytes(&name)));
		assert_readable(colour_by_module(kind, buffer_bytes(&module), buffer_bytes(&name)));
		buffer_release(&name);
		buffer_release(&module);
	}
}

static void equal_names_have_equal_colours(void **state)
{
	struct colour one, two;

	(void)state;
	one = colour_by_kind(FRAME_NATIVE, BYTES("main"));
	two = colour_by_kind(FRAME_NATIVE, BYTES("main"));
	assert_memory_equal(&one, &two, sizeof(one));
	two = colour_by_kind(FRAME_NATIVE, BYTES("niam"));
	assert_memory_not_equal(&one, &two, sizeof(one));
	two = colour_by_kind(FRAME_KERNEL, BYTES("main"));
	assert_memory_not_equal(&one, &two, sizeof(one));
	one = colour_by_module(FRAME_NATIVE, BYTES("libc.so.6"), BYTES("x"));
	two = colour_by_module(FRAME_NATIVE, BYTES("libm.so.6"), BYTES("x"));
	assert_memory_not_equal(&one, &two, sizeof(one));
}

static void backgrounds_have_names(void **state)
{
	struct colour c[2];

	(void)state;
	assert_true(background_by_name(BYTES("yellow"), c));
	assert_colour(c[0], 0xee, 0xee, 0xee);
	assert_colour(c[1], 0xee, 0xee, 0xb0);
	assert_true(background_by_name(BYTES("#0102fF"), c));
	assert_colour(c[0], 1, 2, 255);
	assert_colour(c[1], 1, 2, 255);
	assert_false(background_by_name(BYTES("#12345"), c));
	assert_false(background_by_name(BYTES("#12345g"), c));
	assert_false(background_by_name(BYTES("pink"), c));
	assert_string_equal(background_of_palette(PALETTE_MEM), "green");
	assert_string_equal(background_of_palette(PALETTE_CHAIN), "blue");
	assert_string_equal(background_of_palette(PALETTE_JAVA), "yellow");
	assert_string_equal(background_of_palette(PALETTE_AQUA), "grey");
	assert_null(background_of_palette(PALETTE_KIND));
}

/* Each by a rule of its own: the colours of these names are those of plain palettes. */
static void python_and_rust_choose_by_name(void **state)
{
	const struct {
		enum palette palette, same_as;
		struct bytes name;
	} cases[] = {
		{PALETTE_PYTHON, PALETTE_AQUA, BYTES("/usr/lib/python3/site-packages/x.py")},
		{PALETTE_PYTHON, PALETTE_AQUA, BYTES("C:\\Python311\\site-packages\\x.py")},
		{PALETTE_PYTHON, PALETTE_YELLOW, BYTES("/usr/lib/python3.11/json/decoder.py")},
		{PALETTE_PYTHON, PALETTE_YELLOW, BYTES("<frozen importlib._bootstrap>")},
		{PALETTE_PYTHON, PALETTE_RED, BYTES("/home/me/pythonic/site-packages2/x.py")},
		{PALETTE_RUST, PALETTE_ORANGE, BYTES("core::fmt::write")},
		{PALETTE_RUST, PALETTE_ORANGE, BYTES("libfoo`<alloc::vec::Vec<T> as X>::x")},
		{PALETTE_RUST, PALETTE_AQUA,
			BYTES("<core::future::from_generator::GenFuture<T>>::poll")},
		{PALETTE_RUST, PALETTE_AQUA, BYTES("mycore::run")},
		{PALETTE_RUST, PALETTE_YELLOW, BYTES("main")},
	};
	struct colour_sequence s = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct colour got = colour_classic(cases[i].palette, SEED_NAME, cases[i].name, &s);
		struct colour same = colour_classic(cases[i].same_as, SEED_NAME, cases[i].name, &s);

		assert_colour(got, same.red, same.green, same.blue);
	}
	assert_string_equal(background_of_palette(PALETTE_RUST), "yellow");
}

/* The ends and the middle of both scales, by their formulas: 210 (most - change) / most, and
 * 100 + 150 (2000 - [2000 sqrt(share)]) / 2000. */
static void values_have_colours(void **state)
{
	(void)state;
	assert_colour(colour_of_change(0, 40), 255, 255, 255);
	assert_colour(colour_of_change(40, 40), 255, 0, 0);
	assert_colour(colour_of_change(-40, 40), 0, 0, 255);
	assert_colour(colour_of_change(10, 40), 255, 157, 157);
	assert_colour(colour_of_change(-10, 40), 157, 157, 255);
	assert_colour(colour_of_change(INT64_MAX, INT64_MAX), 255, 0, 0);
	assert_colour(colour_of_share(0), 250, 250, 250);
	assert_colour(colour_of_share(0.25), 255, 175, 175);
	assert_colour(colour_of_share(1), 255, 100, 100);
}

static void palette_maps_are_read_back(void **state)
{
	const char *path = work_path("palette.map");
	struct palette_map map = {0};
	struct error err = {0};

	(void)state;
	work_write("palette.map", "->rgb(255,230,55)\nX::operator->->rgb(1,2,3)\n");
	assert_true(palette_map_read(&map, path, &err));
	assert_colour(*palette_map_find(&map, BYTES("")), 255, 230, 55);
	assert_colour(*palette_map_find(&map, BYTES("X::operator->")), 1, 2, 3);
	assert_null(palette_map_find(&map, BYTES("main")));
	palette_map_add(&map, BYTES("main"), (struct colour){9, 8, 7});
	assert_true(palette_map_write(&map, path, &err));
	palette_map_release(&map);
	assert_true(palette_map_read(&map, path, &err));
	assert_int_equal(map.entries.len, 3);
	assert_bytes_equal(map.entries.items[1].name, "X::operator->");
	assert_colour(*palette_map_find(&map, BYTES("main")), 9, 8, 7);
	palette_map_release(&map);
	work_write("palette.map", "main->rgb(1,2,3)\nmain->rgb(1,2,300)\n");
	assert_false(palette_map_read(&map, path, &err));
	assert_non_null(strstr(err.text, "line 2: expected 'NAME->rgb(R,G,B)'"));
	palette_map_release(&map);
	unlink(path);
	assert_true(palette_map_read(&map, path, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_seed_the_classic_shades),
		cmocka_unit_test(hash_shades_follow_the_characters),
		cmocka_unit_test(random_shades_change_and_repeat),
		cmocka_unit_test(multi_palettes_choose_by_name),
		cmocka_unit_test(own_colours_contrast_with_their_text),
		cmocka_unit_test(equal_names_have_equal_colours),
		cmocka_unit_test(backgrounds_have_names),
		cmocka_unit_test(python_and_rust_choose_by_name),
		cmocka_unit_test(values_have_colours),
		cmocka_unit_test(palette_maps_are_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

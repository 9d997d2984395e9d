/* test_svg.c: what is in a flame graph as SVG? */
#include "test.h"

#include "renderers/name_attributes.h"
#include "renderers/palette_map.h"
#include "renderers/renderers.h"
#include "renderers/svg_options.h"
#include "support/small_profile.h"
#include "support/work_folder.h"

/* ---- Drawing ---- */

static bool draw_profile(const struct profile *p, const struct svg_settings *settings,
	struct buffer *ret_svg, struct error *err)
{
	struct output out;
	struct view view;
	bool done;

	view_init(&view, p, BY_FUNCTION);
	output_open_memory(&out);
	done = renderer_by_name("svg")->render(&view, settings, &out, err);
	if (done)
		buffer_add(ret_svg, out.pending.at, out.pending.len);
	output_discard(&out);
	view_release(&view);
	return done;
}

/* The picture of a small profile, which must be drawn. */
static char *draw(const char *text, const struct svg_settings *settings)
{
	struct profile p;
	struct buffer svg = {0};
	struct error err = {0};

	small_profile(&p, text, false);
	if (!draw_profile(&p, settings, &svg, &err))
		fail_msg("%s", err.text);
	profile_release(&p);
	return svg.at;
}

static struct svg_settings defaults(void)
{
	struct svg_settings s;

	svg_defaults(&s);
	return s;
}

/* Does the picture hold this? Frees it. */
static void assert_has(char *svg, const char *part)
{
	if (!strstr(svg, part))
		fail_msg("no %s in %s", part, svg);
	free(svg);
}

static void assert_has_not(char *svg, const char *part)
{
	if (strstr(svg, part))
		fail_msg("%s in %s", part, svg);
	free(svg);
}

/* ---- Frames ---- */

/* 1180 pixels for 10 samples; the root at the bottom: 36 above the frames, two rows of 16 further
 * up, a free pixel above each. Its text stands 10.5 lower. */
static void frames_are_classic_elements(void **state)
{
	struct svg_settings s = defaults();
	char *svg;

	(void)state;
	s.palette = PALETTE_HOT;
	svg = draw("main;b 1,main;c 8,main 1", &s);
	assert_non_null(strstr(svg, "<g><title>main (10 samples, 100.00%)</title><rect x=\"10\" "
				    "y=\"53\" width=\"1180\" "
				    "height=\"15\" fill=\"rgb(243,179,42)\"/><text x=\"13\" "
				    "y=\"63.5\">main</text></g>\n"));
	assert_non_null(
		strstr(svg, "<title>all (10 samples, 100%)</title><rect x=\"10\" y=\"69\" "));
	assert_non_null(strstr(svg, "<title>b (1 samples, 10.00%)</title><rect x=\"128\" y=\"37\" "
				    "width=\"118\""));
	assert_has(
		svg, "<title>c (8 samples, 80.00%)</title><rect x=\"246\" y=\"37\" width=\"944\"");
}

static void icicles_have_the_root_at_the_top(void **state)
{
	struct svg_settings s = defaults();
	char *svg;

	(void)state;
	s.icicle = true;
	svg = draw("main 10", &s);
	assert_non_null(strstr(svg, ">Icicle Graph</text>"));
	assert_non_null(strstr(svg, " data-inverted="));
	assert_non_null(
		strstr(svg, "<title>all (10 samples, 100%)</title><rect x=\"10\" y=\"36\" "));
	assert_has(svg, "<title>main (10 samples, 100.00%)</title><rect x=\"10\" y=\"52\" ");
}

static void annotations_colour_but_are_not_shown(void **state)
{
	struct svg_settings s = defaults();
	char *svg;

	(void)state;
	s.palette = PALETTE_JAVA;
	svg = draw("x_[k] 1,y_[w] 1", &s);
	assert_non_null(strstr(svg, "<title>x (1 samples, 50.00%)</title>"));
	assert_non_null(strstr(svg, "<title>y (1 samples, 50.00%)</title>"));
	/* Orange has no blue at all, and no other hue of this palette is without it. */
	assert_non_null(strstr(svg, ",0)\"/><text x=\"13\" y=\"47.5\">x</text>"));
	assert_has_not(svg, "_[");
}

/* 59 pixels less the margins are 4.41 times the font: ten of "ili", four of "WMW", none of them on
 * the average of all letters. */
static void text_is_cut_where_it_ends(void **state)
{
	struct svg_settings s = defaults();

	(void)state;
	assert_has(draw("abcdefg 1,rest 19", &s), ">abcdefg</text>");
	assert_has(draw("abcdefgh 1,rest 19", &s), ">abcdef..</text>");
	assert_has(draw("ililililililil 1,rest 19", &s), ">ililililililil</text>");
	assert_has(draw("WMWMW 1,rest 19", &s), ">WMW..</text>");
	/* Letters, not bytes. */
	assert_has(draw("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F"
			"abcde 1,rest 19",
			   &s),
		">\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F"
		"a..</text>");
	/* Monospaced fonts, and a width that the user gives. */
	s.font_type = "monospace";
	assert_has(draw("abcdefg 1,rest 19", &s), ">abcdefg</text>");
	assert_has(draw("ililililililil 1,rest 19", &s), ">ilili..</text>");
	s.font_width = 0.5;
	assert_has(draw("ililililililil 1,rest 19", &s), ">ililil..</text>");
	s = defaults();
	s.rules = RULES_PERL;
	assert_has(draw("abcdefgh 1,rest 19", &s), ">abcdefgh</text>");
	assert_has(draw("WMWMWMWMW 1,rest 19", &s), ">WMWMWM..</text>");
	s = defaults();
	/* No room for three letters: no text at all. */
	assert_has(draw("ab 1,rest 64", &s), "width=\"18.15\" height=\"15\" fill=\"");
	assert_has_not(draw("ab 1,rest 64", &s), ">ab</text>");
}

static void paths_are_cut_in_front(void **state)
{
	struct svg_settings s = defaults();

	(void)state;
	assert_has(draw("/tmp/a 1,rest 19", &s), ">/tmp/a</text>");
	assert_has(draw("/var/lib/a.db 1,rest 19", &s), ">\u2026/a.db</text>");
	assert_has(draw("/var/blk00012.dat 1,rest 19", &s), ">\u202612.dat</text>");
	assert_has(draw("var/lib/a.db 1,rest 19", &s), ">var/lib..</text>");
	s.rules = RULES_PERL;
	assert_has(draw("/var/lib/a.db 1,rest 19", &s), ">/var/l..</text>");
}

static void narrow_frames_are_left_out(void **state)
{
	struct svg_settings s = defaults();

	(void)state;
	/* 1180 / 11801 is just below a tenth of a pixel. */
	assert_has(draw("tiny 1,wide 11799", &s), "<title>tiny ");
	assert_has_not(draw("tiny 1,wide 11800", &s), "<title>tiny ");
	s.min_width = 1;
	s.min_is_percent = true;
	assert_has(draw("tiny 1,wide 99", &s), "<title>tiny ");
	assert_has_not(draw("tiny 1,wide 100", &s), "<title>tiny ");
}

/* What would be markup, a control character (in a view, a blank) or no UTF-8. */
static void names_are_escaped(void **state)
{
	struct svg_settings s = defaults();
	char *svg;

	(void)state;
	s.title = "a<b>&\"'\x01";
	s.subtitle = "</text><script>";
	s.notes = "a--b-->";
	s.font_type = "\"><x";
	svg = draw("<script>alert(1)</script>&\"'\x02\xFF 1", &s);
	assert_non_null(strstr(svg, "&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;"));
	assert_non_null(strstr(svg, ">a&lt;b&gt;&amp;&quot;&#39;\xEF\xBF\xBD</text>"));
	assert_non_null(strstr(svg, "<!-- NOTES: a- -b- -> -->"));
	assert_non_null(strstr(svg, "font-family=\"&quot;&gt;&lt;x\""));
	assert_null(strstr(svg, "\xFF"));
	assert_null(strstr(svg, "\x02"));
	assert_has_not(svg, "<script>");
}

static void total_and_factor_are_classic(void **state)
{
	struct svg_settings s = defaults();

	(void)state;
	s.total = 40;
	assert_has(draw("main 10", &s),
		"<title>main (10 samples, 25.00%)</title><rect x=\"10\" y=\"37\" width=\"295\"");
	assert_has(draw("main 10", &s), "<title>all (40 samples, 100%)</title>");
	s.total = 5;
	assert_has(draw("main 10", &s), "<title>main (10 samples, 100.00%)</title>");
	s.total = 0;
	s.factor = 2.5;
	assert_has(draw("main 1001", &s), "<title>main (2,502 samples, 100.00%)</title>");
	s.count_name = "b<tes";
	assert_has(draw("main 2", &s), "<title>main (5 b&lt;tes, 100.00%)</title>");
}

static void separators_are_grey(void **state)
{
	struct svg_settings s = defaults();
	char *svg;

	(void)state;
	s.palette = PALETTE_CHAIN;
	svg = draw("a;--;a 2,-;b 1", &s);
	assert_non_null(
		strstr(svg, "fill=\"rgb(160,160,160)\"/><text x=\"406.33\" y=\"63.5\">--<"));
	assert_non_null(strstr(svg, "fill=\"rgb(200,200,200)\""));
	/* Below the separator blue, above it aqua. */
	assert_non_null(strstr(svg, "fill=\"rgb(118,118,236)\"/><text x=\"406.33\" y=\"79.5\">a<"));
	assert_has(svg, "fill=\"rgb(63,176,176)\"/><text x=\"406.33\" y=\"47.5\">a<");
}

/* ---- Texts around the frames ---- */

static void legend_sums_up_to_all(void **state)
{
	struct svg_settings s = defaults();
	char *svg;

	(void)state;
	svg = draw("a;b_[k] 1,a 2,a;c_[j] 1", &s);
	assert_non_null(strstr(svg, ">native 50.00%</text>"));
	assert_non_null(strstr(svg, ">kernel 25.00%</text>"));
	assert_has(svg, ">jit 25.00%</text>");
	assert_has_not(draw("a;b 1", &s), "id=\"legend\"");
	s.palette = PALETTE_HOT;
	assert_has_not(draw("a;b_[k] 1,a 2", &s), "id=\"legend\"");
}

static char *draw_recorded(void (*change)(struct profile *p), const struct svg_settings *s)
{
	struct profile p;
	struct buffer svg = {0};
	struct error err = {0};

	small_profile(&p, "a;b 30,a;[truncated:no-table] 10", false);
	change(&p);
	if (!draw_profile(&p, s, &svg, &err))
		fail_msg("%s", err.text);
	profile_release(&p);
	return svg.at;
}

static void lose(struct profile *p)
{
	p->streams.items[0].row.expected = 1000;
	p->streams.items[0].row.delivered = 988;
	profile_add_loss(p, 0, BYTES("ring full"), 10);
	profile_add_loss(p, 0, BYTES("throttled"), 2);
}

static void lose_one_way(struct profile *p)
{
	p->streams.items[0].row.delivered = 99;
	profile_add_loss(p, 0, BYTES("ring full"), 1);
}

static void idle(struct profile *p)
{
	uint32_t table = profile_add_samples(p);

	profile_add_stream(p, table, BYTES("idle"), BYTES("count"), BYTES(""));
	p->streams.items[1].row.fixed_value = 60;
	profile_add_sample(p, table, &(struct sample){0});
}

static void note(struct profile *p)
{
	profile_set_meta(p, BYTES("command"), BYTES("gcc -c <x>.c"));
	profile_note(p, "12 lines skipped");
}

static void note_twice(struct profile *p)
{
	profile_note(p, "first");
	profile_note(p, "second");
}

static void two_events(struct profile *p)
{
	p->streams.items[0].row.event = profile_string(p, BYTES("cycles:u"));
	profile_add_stream(p, 0, BYTES("faults"), BYTES("count"), BYTES("page-faults"));
}

static void lose_few(struct profile *p)
{
	p->streams.items[0].row.delivered = 1000000;
	profile_add_loss(p, 0, BYTES("ring full"), 1);
	profile_add_loss(p, 0, BYTES("throttled"), 2);
}

static void wait_in_b(struct profile *p)
{
	for (size_t i = 1; i < p->frames.len; i++)
		if (bytes_equal(profile_text(p, p->frames.items[i].function), BYTES("b")))
			p->frames.items[i].kind = FRAME_WAITING;
}

static void legend_has_names_that_people_know(void **state)
{
	struct svg_settings s = defaults();
	char *svg = draw_recorded(wait_in_b, &s);

	(void)state;
	assert_non_null(strstr(svg, ">waiting 75.00%</text>"));
	assert_has(svg, ">other 25.00%</text>");
}

static void missing_data_is_reported_in_the_subtitle(void **state)
{
	struct svg_settings s = defaults();

	(void)state;
	assert_has(draw_recorded(lose, &s),
		">lost 1.20% (ring full 1.00%, throttled 0.20%) \xC2\xB7 "
		"25.00% of stacks truncated</text>");
	assert_has(draw_recorded(lose_one_way, &s), ">lost 1.00% (ring full) \xC2\xB7 ");
	assert_has(draw_recorded(idle, &s), ">idle samples left out (60.00% of all) \xC2\xB7 ");
	assert_has(draw_recorded(note, &s),
		">gcc -c &lt;x&gt;.c \xC2\xB7 25.00% of stacks truncated "
		"\xC2\xB7 12 lines skipped</text>");
	assert_has(
		draw_recorded(note_twice, &s), "truncated \xC2\xB7 2 notes\nfirst\nsecond</title>");
	assert_has(draw_recorded(two_events, &s), ">cycles:u \xC2\xB7 25.00%");
	assert_has(draw_recorded(lose_few, &s), ">lost &lt;0.01% (ring full &lt;0.01%, ");
	s.subtitle = "mine";
	assert_has(draw_recorded(note, &s), "</title>mine \xC2\xB7 25.00% of");
	assert_has_not(
		draw("a 1",
			&(struct svg_settings){
				.height = 16, .font_size = 12, .font_width = 0.59, .factor = 1}),
		"id=\"subtitle\"");
}

static void values_are_named_by_their_unit(void **state)
{
	struct svg_settings s = defaults();
	struct profile p;
	struct buffer svg = {0};
	struct error err = {0};

	(void)state;
	small_profile(&p, "main 1234567", false);
	p.streams.items[0].row.kind = profile_string(&p, BYTES("cpu"));
	p.streams.items[0].row.unit = profile_string(&p, BYTES("ns"));
	assert_true(draw_profile(&p, &s, &svg, &err));
	profile_release(&p);
	assert_non_null(strstr(svg.at, " data-unit=\"ns\""));
	assert_has(svg.at, "<title>main (1,234,567 ns, 100.00%)</title>");
}

/* ---- Options ---- */

static void refuses(const char *name, const char *value, const char *why)
{
	struct svg_settings s = defaults();
	struct option_group groups[] = {{"", svg_options, &s}, {0}};
	char *arguments[] = {(char *)(uintptr_t) "kiln", (char *)(uintptr_t)name,
		(char *)(uintptr_t)value, NULL};
	struct error err = {0};
	char **operands;

	if (options_parse(groups, arguments, false, &operands, &err))
		assert_false(svg_settings_check(&s, &err));
	assert_int_equal(err.code, ERR_USAGE);
	if (!strstr(err.text, why))
		fail_msg("%s %s: %s", name, value, err.text);
}

static void invalid_options_are_refused(void **state)
{
	(void)state;
	refuses("--width", "99", "expected 100 to 100000 pixels");
	refuses("--width", "x", "expected a whole number");
	refuses("--height", "1", "expected 2 to 1000 pixels");
	refuses("--fontsize", "0", "expected 1 to 200 pixels");
	refuses("--fontwidth", "0", "expected a share");
	refuses("--minwidth", "x%", "expected pixels or a share");
	refuses("--minwidth", "-1", "expected pixels or a share");
	refuses("--factor", "0", "expected a positive number");
	refuses("--bgcolors", "pink", "expected yellow, blue, green, grey or #rrggbb");
	refuses("--colors", "pink", "expected one of kind, module, hot");
	refuses("--encoding", "latin1", "expected UTF-8");
	refuses("--order", "size", "expected one of name, weight");
}

static void an_empty_picture_is_an_error(void **state)
{
	struct svg_settings s = defaults();
	struct profile p;
	struct buffer svg = {0};
	struct error err = {0};

	(void)state;
	small_profile(&p, "", false);
	assert_false(draw_profile(&p, &s, &svg, &err));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_non_null(strstr(err.text, "nothing to draw"));
	profile_release(&p);
}

/* ---- Attributes by name ---- */

static const char *write_attributes(const char *text)
{
	work_write("attributes", text);
	return work_path("attributes");
}

static void names_can_have_attributes(void **state)
{
	struct svg_settings s = defaults();
	char *svg;

	(void)state;
	s.name_attributes = write_attributes("main\tclass=mine\t\ttitle=about <main>\t"
					     "g_extra=a=\"1\" b = '<'\n"
					     "f\thref=https://example.org/?a&b\nf\tid=second\n");
	svg = draw("main;f 1", &s);
	assert_non_null(strstr(svg,
		"<g class=\"mine\" a=\"1\" b=\"&lt;\"><title>about &lt;main&gt;</title><rect"));
	assert_null(strstr(svg, "second"));
	assert_has(
		svg, "<a xlink:href=\"https://example.org/?a&amp;b\" target=\"_top\"><title>f (1 ");
}

static void refuses_attributes(const char *text, const char *why)
{
	const char *file = write_attributes(text);
	struct name_attributes a;
	struct error err = {0};

	assert_false(name_attributes_read(&a, file, &err));
	assert_int_equal(err.code, ERR_FORMAT);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
}

static void attributes_run_no_scripts(void **state)
{
	(void)state;
	refuses_attributes("ok\tid=x\nmain\n", "line 2: expected a name, a tab and attributes");
	refuses_attributes("main\tonclick=alert(1)\n", "line 1: 'onclick' is a script");
	refuses_attributes(
		"main\thref=javascript:alert(1)\n", "line 1: 'href' is a link that is not");
	refuses_attributes("main\tg_extra=onload=\"x\"\n", "line 1: 'onload' is a script");
	refuses_attributes("main\tg_extra=a=\"1\" b\n", "an attribute without a name");
	refuses_attributes("main\tg_extra=a=\"1\n", "an attribute without a name");
	refuses_attributes("main\ta b=1\n", "a name that XML does not allow");
	refuses_attributes("main\t=1\n", "an attribute without a name");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_classic_elements),
		cmocka_unit_test(icicles_have_the_root_at_the_top),
		cmocka_unit_test(annotations_colour_but_are_not_shown),
		cmocka_unit_test(text_is_cut_where_it_ends),
		cmocka_unit_test(paths_are_cut_in_front),
		cmocka_unit_test(narrow_frames_are_left_out),
		cmocka_unit_test(names_are_escaped),
		cmocka_unit_test(total_and_factor_are_classic),
		cmocka_unit_test(separators_are_grey),
		cmocka_unit_test(legend_sums_up_to_all),
		cmocka_unit_test(legend_has_names_that_people_know),
		cmocka_unit_test(missing_data_is_reported_in_the_subtitle),
		cmocka_unit_test(values_are_named_by_their_unit),
		cmocka_unit_test(invalid_options_are_refused),
		cmocka_unit_test(an_empty_picture_is_an_error),
		cmocka_unit_test(names_can_have_attributes),
		cmocka_unit_test(attributes_run_no_scripts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

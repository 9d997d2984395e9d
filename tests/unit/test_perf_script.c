/* test_perf_script.c: `perf script` text: its lines, its names, its samples. */
#include "test.h"

#include "support/fold_text.h"

#include "model/idle.h"
#include "names/tidy.h"
#include "readers/perf/perf_line.h"
#include "readers/reading.h"

/* ---- Lines ---- */

static void event_lines_of_any_shape(void **state)
{
	static const struct {
		const char *line, *comm, *event, *rest;
		int pid, tid, cpu;
		uint64_t time, period;
	} cases[] = {
		{"dd 29776 666709.771979:   10101010 cpu-clock: ", "dd", "cpu-clock", "", -1, 29776,
			-1, 666709771979000, 10101010},
		{"iperf 27409/28744 [003] 441995.133575: cpu-clock: ", "iperf", "cpu-clock", "",
			27409, 28744, 3, 441995133575000, 0},
		{"java 19983 cycles:", "java", "cycles", "", -1, 19983, -1, 0, 0},
		{"V8 WorkerThread 24636/25607 [000] 94564.109216123: 100 cycles:uppp:",
			"V8 WorkerThread", "cycles:uppp", "", 24636, 25607, 0, 94564109216123, 100},
		{"           false 39654 19115.489713:          1 cycles:u:  ffff [x] (y)", "false",
			"cycles:u", "ffff [x] (y)", -1, 39654, -1, 19115489713000, 1},
		{"my 12 3.5: 7 [001] 9.000001:  5 sched:sched_switch: prev_comm=a 1 [000] 2.0: b:",
			"my 12 3.5:", "sched:sched_switch", "prev_comm=a 1 [000] 2.0: b:", -1, 7, 1,
			9000001000, 5},
		{"a 1 5 cycles:", "a", "cycles", "", -1, 1, -1, 0, 5},
		{"x 1 [002] KU 3.25: cycles:", "x", "cycles", "", -1, 1, 2, 3250000000, 0},
		{"t prog    1001001 cpu-clock: ", "t prog", "cpu-clock", "", -1, -1, -1, 0,
			1001001},
		{"t prog  123 cpu-clock: ", "t prog", "cpu-clock", "", -1, 123, -1, 0, 0},
		{"t prog [002]  3.25: ", "t prog", "", "", -1, -1, 2, 3250000000, 0},
		{"t prog 3.25:    7 cycles:", "t prog", "cycles", "", -1, -1, -1, 3250000000, 7},
		{"t prog 4242 ", "t prog", "", "", -1, 4242, -1, 0, 0},
		{"  17/18 [002] 3.25: cycles:", "", "cycles", "", 17, 18, 2, 3250000000, 0},
	};
	struct perf_event e;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!perf_event_parse(bytes_of(cases[i].line), &e))
			fail_msg("not taken: %s", cases[i].line);
		assert_bytes_equal(e.comm, cases[i].comm);
		assert_bytes_equal(e.event, cases[i].event);
		assert_bytes_equal(bytes_trim(e.rest), cases[i].rest);
		assert_int_equal(e.pid, cases[i].pid);
		assert_int_equal(e.tid, cases[i].tid);
		assert_int_equal(e.cpu, cases[i].cpu);
		assert_int_equal(e.time, cases[i].time);
		assert_int_equal(e.period, cases[i].period);
	}
	assert_false(perf_event_parse(BYTES("THIS_IS_A_WEIRD_LINE"), &e));
	assert_false(perf_event_parse(BYTES("\t 401194 main+0x1c (/x)"), &e));
	assert_false(perf_event_parse(BYTES(""), &e));
}

static void frame_lines_of_any_shape(void **state)
{
	static const struct {
		const char *line;
		enum perf_line what;
		const char *symbol, *module;
	} cases[] = {
		{"\t          414b3b fsnotify+0x1f (/lib/vmlinux)", PERF_FRAME, "fsnotify",
			"/lib/vmlinux"},
		{"ffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])", PERF_FRAME,
			"native_write_msr_safe", "[kernel.kallsyms]"},
		{"\t 1 a b(int, (x)) const+0x0 (/usr/x y (deleted))", PERF_FRAME,
			"a b(int, (x)) const", "/usr/x y (deleted)"},
		{"\t7f1e2215d058  (/lib/libc-2.15.so)", PERF_FRAME, "", "/lib/libc-2.15.so"},
		{"\t 1f main+0x1f", PERF_FRAME, "main", ""},
		{"\t 1f main (/x)  0x1/0x2/P/-/-/0", PERF_FRAME, "main", "/x"},
		{"\t 1f (perf) (/x)", PERF_NOTHING, "", ""},
		{"  file.cpp:137", PERF_SOURCE, "", ""},
		{"  libc-2.33.so[27b25]", PERF_SOURCE, "", ""},
		{"\t0000000000401194\tinsn: 48 89 e5", PERF_EXTRA, "", ""},
		{" 0x401194/0x401190/P/-/-/0 0x1/0x2/P/-/-/0", PERF_EXTRA, "", ""},
		{"   \r", PERF_BLANK, "", ""},
		{"\t THIS_IS_A_WEIRD_LINE", PERF_WEIRD, "", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_frame frame = {0};

		assert_int_equal(perf_frame_parse(bytes_of(cases[i].line), &frame), cases[i].what);
		assert_bytes_equal(frame.symbol, cases[i].symbol);
		assert_bytes_equal(frame.module, cases[i].module);
	}
}

/* ---- Names ---- */

static void names_are_tidied(void **state)
{
	static const char *const cases[][2] = {
		{"go/build.(*importReader).readByte", "go/build.(*importReader).readByte"},
		{"foo<Vec::<usize>>(Vec<usize>)", "foo<Vec::<usize>>"},
		{"base(BasicType) const", "base"},
		{"std::function<void (int, int)>::operator(int, int)",
			"std::function<void (int, int)>::operator"},
		{"{lambda(int, int)#2}::operator()", "{lambda(int, int)#2}::operator()"},
		{"(anonymous namespace)::myBar()", "(anonymous namespace)::myBar"},
		{"a;b", "a;b"},
		{"_ZN3foo3barEi", "foo::bar"},
		{"std::sys::open::hb90e1c1c787080f0", "std::sys::open"},
		{"_$LT$$RF$std..fs..File$u20$as$u20$std..io..Read$GT$::read::h5d84059cf335c8e6",
			"<&std::fs::File as std::io::Read>::read"},
		{"_RNvC6_123foo3bar", "123foo::bar"},
		{"main", "main"},
	};
	struct buffer out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		out.len = 0;
		tidy_name(bytes_of(cases[i][0]), &out);
		assert_bytes_equal(buffer_bytes(&out), cases[i][1]);
	}
	buffer_release(&out);
}

static void arrows_separate_inlined_functions(void **state)
{
	static const char *const cases[][4] = {
		{"a->b->c", "a", "b", "c"},
		{"X<fn(u8)->u8>::f", "X<fn(u8)->u8>::f", NULL, NULL},
		{"P::operator->()", "P::operator->()", NULL, NULL},
		{"", "", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes names = bytes_of(cases[i][0]), name;

		for (size_t k = 1; k < 4 && cases[i][k]; k++) {
			assert_true(tidy_next_inlined(&names, &name));
			assert_bytes_equal(name, cases[i][k]);
		}
		assert_false(tidy_next_inlined(&names, &name));
	}
}

static void modules_determine_kinds(void **state)
{
	static const struct {
		const char *module;
		enum frame_kind kind;
	} cases[] = {
		{"[kernel.kallsyms]", FRAME_KERNEL},
		{"[kernel.kallsyms].init.text", FRAME_KERNEL},
		{"[nf_conntrack]", FRAME_KERNEL},
		{"/usr/lib/debug/boot/vmlinux-5.4.14-x", FRAME_KERNEL},
		{"/lib/modules/6.1/mlx5_core.ko", FRAME_KERNEL},
		{"/opt/vmlinux tools/x", FRAME_NATIVE},
		{"[vdso]", FRAME_NATIVE},
		{"[unknown]", FRAME_NATIVE},
		{"/tmp/perf-12.map", FRAME_JIT},
		{"/home/x/jitted-12-3.so", FRAME_JIT},
		{"inlined", FRAME_INLINED},
		{"/usr/lib/libc.so.6", FRAME_NATIVE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(tidy_module_kind(bytes_of(cases[i].module)), cases[i].kind);
}

/* ---- Samples ---- */

static void assert_folds(const char *text, const char *kind, const char *mark, const char *expected)
{
	struct buffer out = {0};
	struct error err = {0};
	struct profile p;

	if (!read_text(&p, bytes_of(text), NULL, 0, &err))
		fail_msg("%s", err.text);
	fold_profile(&p, kind, false, mark, &out);
	assert_bytes_equal(buffer_bytes(&out), expected);
	buffer_release(&out);
	profile_release(&p);
}

#define TWO_SAMPLES                                                                                \
	"a b 12 [001] 1.000001:    10 cycles: \n"                                                  \
	"\t              1f leaf+0x1 (/bin/x)\n"                                                   \
	"\t              2f main+0x2 (/bin/x)\n"                                                   \
	"\n"                                                                                       \
	"a b 12 [001] 1.000002:    30 cycles: \n"                                                  \
	"\t              1a leaf+0x7 (/bin/x)\n"                                                   \
	"\t              2f main+0x2 (/bin/x)\n"

static void periods_are_the_weight_and_samples_a_kind(void **state)
{
	(void)state;
	assert_folds(TWO_SAMPLES "\n", NULL, NULL, "a_b;main;leaf 40\n");
	assert_folds(TWO_SAMPLES "\n", "samples", NULL, "a_b;main;leaf 2\n");
	/* without the empty line at the end, and without the newline before it */
	assert_folds(TWO_SAMPLES, NULL, NULL, "a_b;main;leaf 40\n");
}

static void a_shared_outer_part_is_the_same_stack(void **state)
{
	(void)state;
	/* "xmain" ends as "main" does, "\t 2f main" is not the same line as "\t12f main". */
	assert_folds("p 1 1.0: cycles:\n\t 1 a (/x)\n\t 2 b (/x)\n\t 3 main (/x)\n\n"
		     "p 1 2.0: cycles:\n\t 1 c (/x)\n\t 12 b (/x)\n\t 3 main (/x)\n\n"
		     "p 1 3.0: cycles:\n\t 2 b (/x)\n\t 3 main (/x)\n\n"
		     "p 1 4.0: cycles:\n\t 3 main (/x)\n\n"
		     "p 1 5.0: cycles:\n\n"
		     "p 1 6.0: cycles:\n\t 2 b (/x)\n\t 3 main (/x)\n\n"
		     "q 1 7.0: cycles:\n\t 2 b (/x)\n\t 3 main (/x)\n\n",
		NULL, NULL, "p 1\np;main 1\np;main;b 2\np;main;b;a 1\np;main;b;c 1\nq;main;b 1\n");
}

static void carriage_returns_and_comments_do_no_harm(void **state)
{
	(void)state;
	assert_folds("# captured on: today\r\n#\r\n\r\n"
		     "p 1 1.0: cycles:\r\n\t 1 a (/x)\r\n\t 3 main (/x)\r\n\r\n"
		     "p 1 2.0: cycles:\r\n\t 1 a (/x)\r\n\t 3 main (/x)\r\n\r\n",
		NULL, NULL, "p;main;a 2\n");
}

static void a_frame_may_stand_on_the_event_line(void **state)
{
	(void)state;
	assert_folds("p 1 1.0:  1 cycles:  ffff9b20 [unknown] ([unknown])\n"
		     "p 1 2.0:  1 cycles:  7fa6 _dl_start+0x4 (/usr/lib/ld-2.31.so)\n"
		     "p 1 3.0:  1 cycles:  7fa6 _dl_start+0x8 (/usr/lib/ld-2.31.so)\n",
		NULL, NULL, "p;[unknown] 1\np;_dl_start 2\n");
	/* and events without any frame need no empty lines either */
	assert_folds("p 1 1.0:  5 cycles: \np 1 2.0:  6 cycles: \n", NULL, NULL, "p 11\n");
	/* a tracepoint's arguments are no frame */
	assert_folds("p 1 [000] 1.0: sched:sched_switch: prev_comm=x (y)\n\t 1 a "
		     "([kernel.kallsyms])\n\n",
		NULL, "kernel", "p;a_[k] 1\n");
}

static void unknown_functions_are_called_after_their_module(void **state)
{
	(void)state;
	assert_folds(
		"p 1 1.0: cycles:\n\t 1 [unknown] (/tmp/perf-7.map)\n\t 2 [unknown] (/lib/c.so)\n"
		"\t 3 [unknown] ([unknown])\n\n",
		NULL, "all", "p;[unknown];[c.so];[perf-7.map]_[j] 1\n");
}

static void java_and_inlined_names(void **state)
{
	(void)state;
	assert_folds("java 1 1.0: cycles:\n\t 1 La/B;::c->La/D;::e+0x4 (/tmp/perf-7.map)\n\n"
		     "node 1 1.0: cycles:\n\t 1 La/B;::c (/tmp/perf-7.map)\n\n",
		NULL, "jit", "java;a/B:::c_[j];a/D:::e_[i] 1\nnode;La/B:::c_[j] 1\n");
}

static void source_lines_are_kept_on_request(void **state)
{
	static const char text[] =
		"p 1 1.0: cycles:\n\t 1 a+0x1 (/x)\n  a.c:12\n\t 2 main+0x2 (/x)\n"
		"  x[27b25]\n\n";
	struct error err = {0};
	struct profile p;
	bool found = false;

	(void)state;
	assert_folds(text, NULL, NULL, "p;main;a 1\n");
	assert_true(read_text(&p, bytes_of(text), NULL, WANT_LINES, &err));
	for (size_t i = 0; i < p.frames.len; i++) {
		const struct frame *f = &p.frames.items[i];

		if (bytes_equal(profile_text(&p, f->function), BYTES("a"))) {
			assert_bytes_equal(profile_text(&p, f->file), "a.c");
			assert_int_equal(f->line, 12);
			found = true;
		}
	}
	assert_true(found);
	profile_release(&p);
}

static void columns_are_built_on_request(void **state)
{
	struct error err = {0};
	struct profile p;
	const struct samples *s;

	(void)state;
	assert_true(read_text(&p, BYTES(TWO_SAMPLES), NULL, 0, &err));
	s = &p.samples.items[0];
	assert_int_equal(s->count, 1);
	assert_int_equal(s->time.len + s->thread.len + s->cpu.len, 0);
	profile_release(&p);
	assert_true(read_text(&p, BYTES(TWO_SAMPLES), NULL, WANT_ALL, &err));
	s = &p.samples.items[0];
	assert_int_equal(s->count, 2);
	assert_int_equal(s->time.items[1], 1000002000);
	assert_int_equal(s->cpu.items[1], 1);
	assert_int_equal(p.threads.items[s->thread.items[0]].tid, 12);
	assert_bytes_equal(profile_text(&p, p.threads.items[s->thread.items[0]].name), "a b");
	profile_release(&p);
}

static void every_event_is_a_kind(void **state)
{
	static const char text[] = "p 1 1.0: 3 cycles:u:\n\t 1 a (/x)\n\n"
				   "p 1 1.0: 5 instructions:\n\t 1 a (/x)\n\n"
				   "p 1 2.0: 7 cycles:u:\n\t 1 a (/x)\n\n"
				   "p 1 2.0: 100 cpu-clock:\n\t 1 b (/x)\n\n";

	(void)state;
	assert_folds(text, NULL, NULL, "p;a 10\n");
	assert_folds(text, "instructions", NULL, "p;a 5\n");
	assert_folds(text, "cpu", NULL, "p;b 100\n");
	assert_folds(text, "samples", NULL, "p;a 2\n");
}

#define IDLE_SAMPLES                                                                               \
	"p 1 [000] 1.0: cycles:\n\t 1 a (/x)\n\n"                                                  \
	"swapper     0 [000] 1.0: cycles:\n\tffff8103ce3b native_safe_halt ([kernel.kallsyms])\n"  \
	"\tffff8103ce3b do_idle ([kernel.kallsyms])\n\n"                                           \
	"swapper     0/0 [000] 1.0: cycles:\n\tffff8103ce3b tcp_ack ([kernel.kallsyms])\n"         \
	"\tffff8103ce3b common_interrupt ([kernel.kallsyms])\n"                                    \
	"\tffff8103ce3b do_idle ([kernel.kallsyms])\n\n"

static void idle_is_a_kind_of_its_own(void **state)
{
	struct buffer out = {0};
	struct error err = {0};
	struct profile p;

	(void)state;
	assert_folds(
		IDLE_SAMPLES, NULL, NULL, "p;a 1\nswapper;do_idle;common_interrupt;tcp_ack 1\n");
	assert_folds(IDLE_SAMPLES, "idle", NULL, "swapper;do_idle;native_safe_halt 1\n");
	assert_true(read_text(&p, BYTES(IDLE_SAMPLES), NULL, 0, &err));
	assert_int_equal(p.streams.items[0].row.delivered, 3);
	fold_profile(&p, NULL, true, NULL, &out);
	assert_bytes_equal(buffer_bytes(&out), "p;a 1\nswapper;do_idle;common_interrupt;tcp_ack 1\n"
					       "swapper;do_idle;native_safe_halt 1\n");
	buffer_release(&out);
	profile_release(&p);
	assert_true(idle_is_interrupted_by(BYTES("asm_sysvec_apic_timer_interrupt")));
	assert_true(idle_is_interrupted_by(BYTES("irq_exit_rcu")));
	assert_false(idle_is_interrupted_by(BYTES("intel_idle_irq")));
	assert_false(idle_is_interrupted_by(BYTES("_raw_spin_unlock_irqrestore")));
}

/* ---- Bad input ---- */

static void assert_note(const char *text, const char *expected)
{
	struct error err = {0};
	struct profile p;

	assert_true(read_text(&p, bytes_of(text), NULL, 0, &err));
	assert_bytes_equal(profile_meta(&p, BYTES("note")), expected);
	profile_release(&p);
}

static void assert_refused(const char *text, const char *expected)
{
	struct error err = {0};
	struct profile p;

	assert_false(read_text(&p, bytes_of(text), "perf-script", 0, &err));
	assert_string_equal(err.text, expected);
	assert_int_equal(error_exit_code(&err), 2);
	profile_release(&p);
}

static void invalid_lines_are_counted_and_reported_once(void **state)
{
	(void)state;
	assert_note("p 1 1.0: cycles:\n\t 1 a (/x)\n\tWEIRD\n\t 1 b (/x)\n\n"
		    "p 1 1.0: cycles:\n\t 1 c (/x)\n\tWEIRD\n\t 1 b (/x)\n\n"
		    "weird event\n",
		"3 of 11 lines skipped, first at line 3: expected a frame such as "
		"`7f12a0 main+0x1c (/usr/bin/x)`");
	assert_refused("what is\nthis\n",
		"test: line 1: expected an event line such as `comm 123 4.5: cycles:`");
	assert_refused("\xff\xfe\x01\n",
		"test: line 1: expected an event line such as `comm 123 4.5: cycles:`");
	assert_refused("# nothing\n\n", "test: line 2: unexpected end: expected a sample");
	assert_refused("p 1 1.0: 9223372036854775808 cycles:\n\t 1 a (/x)\n\n",
		"test: line 1: the periods of all samples exceed 2^63");
}

/* ---- The corpus ---- */

static void collect_file(const char *path, struct buffer *out)
{
	struct error err = {0};
	struct bytes content;
	struct input in;

	assert_true(input_open(&in, path, &err));
	assert_true(input_whole(&in, 1 << 30, &content, &err));
	buffer_add(out, content.at, content.len);
	input_release(&in);
}

/* Sum of the last words of all lines. */
static uint64_t sum_of(struct bytes folded)
{
	uint64_t sum = 0, value;
	struct bytes line;

	while (bytes_line(&folded, &line)) {
		const char *blank = memrchr(line.at, ' ', line.len);

		assert_non_null(blank);
		assert_true(bytes_u64(
			(struct bytes){blank + 1, (size_t)(line.at + line.len - blank - 1)},
			&value));
		sum += value;
	}
	return sum;
}

static void read_corpus(const char *input, const char *mark, struct buffer *out)
{
	struct read_options options = {0};
	struct error err = {0};
	struct profile p;

	if (!profile_read(corpus_path(input), &options, &p, &err))
		fail_msg("%s", err.text);
	fold_profile(&p, NULL, true, mark, out);
	profile_release(&p);
}

/* Idle samples included, the first event's sum is what stackcollapse-perf.pl gives. */
static void totals_are_those_of_the_perl_script(void **state)
{
	static const char *const names[] = {"perf-cycles-instructions-01", "perf-dd-stacks-01",
		"perf-funcab-cmd-01", "perf-funcab-pid-01", "perf-iperf-stacks-pidtid-01",
		"perf-java-stacks-01", "perf-java-stacks-02", "perf-js-stacks-01",
		"perf-rust-Yamakaky-dcpu"};
	static const char *const same_text = "perf-rust-Yamakaky-dcpu perf-js-stacks-01";

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct buffer ours = {0}, theirs = {0};
		char path[256];

		snprintf(path, sizeof(path), "flamegraph/perf/%s.folded", names[i]);
		if (!corpus_path(path))
			skip();
		collect_file(corpus_path(path), &theirs);
		snprintf(path, sizeof(path), "flamegraph/perf/%s.txt", names[i]);
		read_corpus(path, NULL, &ours);
		assert_int_equal(sum_of(buffer_bytes(&ours)), sum_of(buffer_bytes(&theirs)));
		/* Perl cuts Rust names at their first parenthesis and drops quotes. */
		if (!strstr(same_text, names[i]))
			assert_bytes_equal(buffer_bytes(&ours), theirs.at);
		buffer_release(&ours);
		buffer_release(&theirs);
	}
}

/* inferno cuts "operator()" at its brackets, and keeps the type that a template returns. */
static void restore_names(const char *text, struct buffer *out)
{
	static const char call[] = "::operator;", type[] = ";oopDesc* ";

	while (*text) {
		size_t len = 1;

		if (!strncmp(text, call, strlen(call))) {
			buffer_text(out, "::operator()");
			len = strlen("::operator");
		} else if (!strncmp(text, type, strlen(type))) {
			buffer_char(out, ';');
			len = strlen(type);
		} else {
			buffer_char(out, *text);
		}
		text += len;
	}
}

static void names_are_those_of_inferno(void **state)
{
	static const char *const cases[][3] = {
		{"inferno/collapse-perf/cpp-stacks-std-function.txt", NULL,
			"cpp-stacks-std-function-collapsed.txt"},
		{"inferno/collapse-perf/java-inline.txt", NULL, "java-inline-collapsed.txt"},
		{"inferno/collapse-perf/single-event.txt", NULL, "single-event-collapsed.txt"},
		{"inferno/collapse-perf/versioned-vmlinux.txt", "kernel",
			"versioned-vmlinux-collapsed-kernel.txt"},
		{"inferno/collapse-perf/sourcepawn-jitdump.txt", "jit",
			"sourcepawn-jitdump-collapsed-jit.txt"},
		{"flamegraph/perf/perf-rust-Yamakaky-dcpu.txt", "all",
			"perf-rust-Yamakaky-dcpu-collapsed-all.txt"},
		{"flamegraph/example-perf-stacks.txt.gz", NULL,
			"example-perf-stacks-collapsed.txt"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer ours = {0}, theirs = {0}, expected = {0};
		char path[256];

		snprintf(path, sizeof(path), "inferno/collapse-perf/results/%s", cases[i][2]);
		if (!corpus_path(path))
			skip();
		collect_file(corpus_path(path), &theirs);
		read_corpus(cases[i][0], cases[i][1], &ours);
		restore_names(theirs.at, &expected);
		assert_bytes_equal(buffer_bytes(&ours), expected.at);
		buffer_release(&ours);
		buffer_release(&theirs);
		buffer_release(&expected);
	}
}

/* A line whose address holds a blank names another function, whether its like was read before. */
static void equal_lines_are_recognised_with_their_address(void **state)
{
	static const char first[] =
		"a 1 1.0: 1 cpu-clock: \n\t           e5f70 read (/lib/c.so)\n\n";
	static const char second[] =
		"a 1 2.0: 1 cpu-clock: \n\t       e    5f70 read (/lib/c.so)\n\n";
	struct buffer both = {0}, folded = {0};
	struct error err = {0};
	struct profile p;

	(void)state;
	buffer_text(&both, first);
	buffer_text(&both, second);
	buffer_text(&both, first);
	assert_true(read_text(&p, buffer_bytes(&both), "perf-script", 0, &err));
	fold_profile(&p, "samples", true, NULL, &folded);
	assert_bytes_equal(buffer_bytes(&folded), "a;5f70 read 1\na;read 2\n");
	profile_release(&p);
	buffer_release(&both);
	buffer_release(&folded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_lines_are_recognised_with_their_address),
		cmocka_unit_test(event_lines_of_any_shape),
		cmocka_unit_test(frame_lines_of_any_shape),
		cmocka_unit_test(names_are_tidied),
		cmocka_unit_test(arrows_separate_inlined_functions),
		cmocka_unit_test(modules_determine_kinds),
		cmocka_unit_test(periods_are_the_weight_and_samples_a_kind),
		cmocka_unit_test(a_shared_outer_part_is_the_same_stack),
		cmocka_unit_test(carriage_returns_and_comments_do_no_harm),
		cmocka_unit_test(a_frame_may_stand_on_the_event_line),
		cmocka_unit_test(unknown_functions_are_called_after_their_module),
		cmocka_unit_test(java_and_inlined_names),
		cmocka_unit_test(source_lines_are_kept_on_request),
		cmocka_unit_test(columns_are_built_on_request),
		cmocka_unit_test(every_event_is_a_kind),
		cmocka_unit_test(idle_is_a_kind_of_its_own),
		cmocka_unit_test(invalid_lines_are_counted_and_reported_once),
		cmocka_unit_test(totals_are_those_of_the_perl_script),
		cmocka_unit_test(names_are_those_of_inferno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

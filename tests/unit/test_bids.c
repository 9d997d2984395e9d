/* test_bids.c: does exactly one reader want each golden input, and is it the right one? */
#include "test.h"

#include "readers/readers.h"

#include <glob.h>

static unsigned inputs; /* bid on so far */

/* The highest bid must be one reader's alone, and that reader's must be `name`. */
static void check_bids(const char *path, const char *name)
{
	struct error err = {0};
	struct input in;
	int highest = 0, bidders = 0;
	const struct reader *winner = NULL;
	struct bytes head;

	assert_true(input_open(&in, path, &err));
	assert_true(input_fill(&in, READER_HEAD, &err));
	head = (struct bytes){
		in.window.at, in.window.len < READER_HEAD ? in.window.len : READER_HEAD};
	for (size_t i = 0; readers[i]; i++) {
		int bid = readers[i]->bid(head);

		if (bid && bid == highest)
			bidders++;
		if (bid > highest) {
			highest = bid;
			bidders = 1;
			winner = readers[i];
		}
	}
	if (bidders != 1 || strcmp(winner->name, name))
		print_error("%s: %d readers bid %d\n", path, bidders, highest);
	assert_int_equal(bidders, 1);
	assert_string_equal(winner->name, name);
	assert_ptr_equal(reader_for(head), winner);
	input_release(&in);
	inputs++;
}

static void check_all(const char *pattern, const char *name)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		check_bids(found.gl_pathv[i], name);
	globfree(&found);
}

/* Formats whose golden inputs must all go to the reader of that name. */
static const char *const formats[] = {
	"aix",
	"ljp",
	"wcp",
	"bcc",
	"austin",
	"bpftrace",
	"callgrind",
	"dtrace",
	"eu-stack",
	"faulthandler",
	"gdb",
	"ghc",
	"go-raw",
	"go-text",
	"gperftools-text",
	"java-exceptions",
	"javacore",
	"jemalloc",
	"jfr-print",
	"jstack",
	"massif",
	"memleak",
	"instruments",
	"perf-report",
	"perf-sched",
	"pmc",
	"sample",
	"stap",
	"threadz",
	"vsprof",
	"vtune",
	"xctrace",
	"xdebug",
};

static void golden_inputs_have_one_reader(void **state)
{
	(void)state;
	inputs = 0;
	check_all(test_path("tests/golden/*/*.folded"), "folded");
	check_all(test_path("tests/golden/*/*.kiln"), "kiln");
	check_all(test_path("tests/golden/perf-script/*.txt"), "perf-script");
	check_all(test_path("tests/golden/folded/*.txt"), "folded");
	check_all(test_path("tests/golden/pprof/*.pb*"), "pprof");
	check_all(test_path("tests/golden/otlp/*.otlp*"), "otlp");
	check_all(test_path("tests/golden/jfr/*.jfr*"), "jfr");
	check_all(test_path("tests/golden/gperftools-cpu/*.prof"), "gperftools-cpu");
	check_all(test_path("tests/golden/otlp-json/*.json"), "otlp-json");
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		char pattern[256];

		snprintf(pattern, sizeof(pattern), "tests/golden/%s/*.txt", formats[i]);
		check_all(test_path(pattern), formats[i]);
	}
	check_all(test_path("tests/golden/bpftrace-json/*.json"), "bpftrace-json");
	check_all(test_path("tests/golden/chrome-trace/*.json"), "chrome-trace");
	check_all(test_path("tests/golden/cpuprofile/*.json"), "cpuprofile");
	check_all(test_path("tests/golden/firefox/*.json"), "firefox");
	check_all(test_path("tests/golden/gecko/*.json"), "gecko");
	check_all(test_path("tests/golden/simpleperf/*.trace"), "simpleperf");
	check_all(test_path("tests/golden/art-trace/*.trace"), "art-trace");
	check_all(test_path("tests/golden/async-html/*.html"), "async-html");
	check_all(test_path("tests/golden/html/*.html"), "html");
	check_all(test_path("tests/golden/d3/*.json"), "d3");
	check_all(test_path("tests/golden/dhat/*.json"), "dhat");
	check_all(test_path("tests/golden/flamebearer/*.json"), "flamebearer");
	check_all(test_path("tests/golden/heapprofile/*.json"), "heapprofile");
	check_all(test_path("tests/golden/heapsnapshot/*.json"), "heapsnapshot");
	check_all(test_path("tests/golden/speedscope/*.json"), "speedscope");
	check_all(test_path("tests/golden/stackprof/*.json"), "stackprof");
	assert_in_range(inputs, 6, UINT32_MAX);
}

static void corpus_inputs_have_one_reader(void **state)
{
	const char *corpus = corpus_path("flamegraph");
	char pattern[4096];

	(void)state;
	if (!corpus)
		skip();
	inputs = 0;
	snprintf(pattern, sizeof(pattern), "%s/perf/*.txt", corpus);
	check_all(pattern, "perf-script");
	assert_in_range(inputs, 9, UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_inputs_have_one_reader),
		cmocka_unit_test(corpus_inputs_have_one_reader),
	};

	return cmocka_run_group_tests_name("bids", tests, NULL, NULL);
}

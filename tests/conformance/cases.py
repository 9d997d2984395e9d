"""cases.py: which tool is given what, and where the output it should give is."""
import glob
import os
from dataclasses import dataclass


@dataclass
class Case:
    folder: str         # of the corpus; totals are by it
    name: str
    tool: str
    args: list          # "@PATH" is below the corpus
    inputs: list        # paths below the corpus, or "+PATH" below tests/golden, "=PATH" here, given as standard input
    expected: str = ""  # path below the corpus; "": what the tool itself prints
    kind: str = "exact"  # exact, sorted (lines in any order), merged (and counts of one stack summed, without zeroes:
    #                      what the tool leaves to flamegraph.pl), svg, fails, or told (malformed input: a failure, or a
    #                      count of skipped lines with the number of the first)
    colours: bool = True  # of pictures
    tail: bytes = b""   # given to the tool itself only: Perl drops a last stack without an empty line


PERF_FLAGS = ["", "pid", "tid", "kernel", "jit", "all", "addrs"]


def inputs_of(corpus, pattern):
    return sorted(os.path.relpath(path, corpus) for path in glob.glob(os.path.join(corpus, pattern)))


def stem(path):
    return os.path.basename(path).split(".")[0]


def perl_perf(corpus):
    for path in inputs_of(corpus, "flamegraph/perf/*.txt"):
        for flag in PERF_FLAGS:
            end = "." + flag if flag else ""
            yield Case("flamegraph/perf", stem(path) + end, "stackcollapse-perf.pl",
                       ["--" + flag] if flag else [], [path], path[:-4] + end + ".folded")
    yield Case("flamegraph", "example-perf-stacks", "stackcollapse-perf.pl", [],
               ["flamegraph/example-perf-stacks.txt.gz"], "flamegraph/example-perf-stacks.folded")


def perl_perf_beside(corpus):
    """More inputs, the script itself beside Kiln."""
    paths = inputs_of(corpus, "v8/script*.txt.gz") + inputs_of(corpus, "inferno/collapse-perf/*.txt") + \
        inputs_of(corpus, "flamegraph/perf/*.txt")
    for path in paths:
        for args in (["-al"], ["--Add", "-t"], ["--event-filter=instructions", "-ker"]):
            yield Case("beside stackcollapse-perf.pl", f"{os.path.basename(path)} {' '.join(args)}",
                       "stackcollapse-perf.pl", args, [path], tail=b"\n")


def inferno_perf(corpus):
    folder = "inferno/collapse-perf"
    for path in inputs_of(corpus, folder + "/*.txt") + ["flamegraph/example-perf-stacks.txt.gz",
                                                       "flamegraph/perf/perf-rust-Yamakaky-dcpu.txt"]:
        for flag in PERF_FLAGS:
            end = "-collapsed" + ("-" + flag if flag else "")
            expected = f"{folder}/results/{stem(path)}{end}.txt"
            if os.path.exists(os.path.join(corpus, expected)):
                yield Case(folder, stem(path) + end, "inferno-collapse-perf", ["--" + flag] if flag else [],
                           [path], expected, "sorted")


def inferno_perf_beside(corpus):
    paths = inputs_of(corpus, "v8/script*.txt.gz") + inputs_of(corpus, "inferno/collapse-perf/*.txt") + \
        inputs_of(corpus, "flamegraph/perf/*.txt")
    for path in paths:
        for args in (["--all"], ["--tid"], ["--pid", "--kernel", "-n", "1"]):
            yield Case("beside inferno-collapse-perf", f"{os.path.basename(path)} {' '.join(args)}",
                       "inferno-collapse-perf", args, [path], kind="sorted")


def diff(corpus):
    folder = "inferno/diff-folded"
    for name, flags, files in (("default", [], ("before", "after")), ("normalize", ["-n"], ("before", "after")),
                               ("strip_hex", ["-s"], ("before", "after")),
                               ("fractionals", [], ("before_fractionals", "after"))):
        args = flags + [f"@{folder}/{file}.txt" for file in files]
        yield Case(folder, name, "inferno-diff-folded", args, [], f"{folder}/results/{name}.txt", "sorted")


def diff_beside(corpus):
    folder = "inferno/diff-folded"
    pairs = [(f"{folder}/before.txt", f"{folder}/after.txt"), (f"{folder}/before_fractionals.txt", f"{folder}/after.txt"),
             ("flamegraph/perf/perf-js-stacks-01.folded", "flamegraph/perf/perf-rust-Yamakaky-dcpu.addrs.folded"),
             ("flamegraph/example-perf-stacks.folded", "inferno/collapse-perf/results/example-perf-stacks-collapsed.txt"),
             (f"{folder}/after.txt", f"{folder}/bad_before.txt")]
    for before, after in pairs:
        for flags in ([], ["-n"], ["-ns"]):
            for tool in ("difffolded.pl", "inferno-diff-folded"):
                yield Case(f"beside {tool}", f"{os.path.basename(before)} {os.path.basename(after)} {' '.join(flags)}",
                           tool, flags + ["@" + before, "@" + after], [], kind="sorted")


def inferno_drawing(corpus):
    folder = "inferno/flamegraph"
    vertx = f"{folder}/unsorted-input/perf-vertx-stacks-01-collapsed-all-unsorted.txt"
    java, js = (f"flamegraph/perf/perf-{name}-stacks-01.all.folded" for name in ("java", "js"))
    cycles = "flamegraph/perf/perf-cycles-instructions-01.all.folded"
    part = f"{folder}/colors/async-profiler-collapsed-part.txt"
    diff_text = f"{folder}/differential/perf-cycles-instructions-01-collapsed-all-diff.txt"
    stacks = "inferno/collapse-perf/results/example-perf-stacks-collapsed.txt"
    split = [f"@{folder}/multiple-inputs/perf-vertx-stacks-01-collapsed-all-unsorted-{n}.txt" for n in (1, 2)]
    flames, base = f"{folder}/flamechart/flames.txt", f"{folder}/base/flames.txt"
    fractional, space = (f"{folder}/fractional-samples/{name}.txt" for name in ("fractional", "with-space"))
    attributes = f"@{folder}/nameattr/nameattr"
    chart = ["--title", "Flame Chart"]
    with_colours = [
        ("colors/deterministic", [part], ["--deterministic"]),
        ("colors/java", [java], ["--colors", "java", "--bgcolors", "blue", "--hash"]),
        ("colors/async-profiler-java", [part], ["-c", "java", "--hash"]),
        ("colors/js", [js], ["--colors=js", "--bgcolors", "green", "--hash"]),
        ("differential/diff", [diff_text], []),
        ("differential/diff-negated", [diff_text], ["--negate"]),
        ("options/colordiffusion", [vertx], ["--colordiffusion"]),
        ("factor/factor-2.5", [vertx], ["--factor", "2.5", "--hash"]),
        ("nameattr/nameattr", [cycles], ["--hash", "--nameattr", attributes + ".txt"]),
        ("nameattr/nameattr", [cycles], ["--hash", "--nameattr", attributes + "_empty_first_line.txt"]),
        ("nameattr/nameattr", [cycles], ["--hash", "--nameattr", attributes + "_empty_attribute.txt"]),
        ("nameattr/nameattr_duplicate_attributes", [cycles],
         ["--hash", "--nameattr", attributes + "_duplicate_attributes.txt"]),
        ("narrow-blocks/narrow-blocks", [f"{folder}/narrow-blocks/narrow-blocks.txt"], ["--hash"]),
        ("inverted/inverted", [vertx], ["--hash", "-i"]),
        ("grey-frames/grey-frames", [f"{folder}/grey-frames/grey-frames.txt"], ["--hash"]),
        ("fractional-samples/fractional-reversed", [fractional], ["--hash", "--reverse"]),
        ("fractional-samples/with-space-reversed", [space], ["--hash", "--reverse"]),
        ("flamechart/flame", [flames], ["--flamechart", "--hash"]),
    ]
    options = [("default", []), ("title_simple", ["--title", "Test Graph"]),
               ("title_with_symbols", ["--title", "Test <& ' \""]), ("subtitle_simple", ["--subtitle", "Test Subtitle"]),
               ("subtitle_with_symbols", ["--subtitle", "Test Subtitle <& ' \""]), ("notes_simple", ["--notes", "Test Notes"]),
               ("notes_with_symbols", ["--notes", "Test Notes <& ' \""]),
               ("count_name_simple", ["--countname", "test-samples"]),
               ("count_name_with_symbols", ["--countname", "test-samples <& ' \""]),
               ("name_type_simple", ["--nametype", "Tfunction:"]), ("name_type_with_quote", ["--nametype", "Test: '"]),
               ("name_type_with_backslash", ["--nametype", "Test: \\"]), ("font_type_simple", ["--fonttype", "Andale Mono"]),
               ("font_type_with_quote", ["--fonttype", "Andale Mono\""]), ("font_type_serif", ["--fonttype", "serif"]),
               ("search_color", ["--search-color", "#7d7d7d"]), ("stroke_color", ["--stroke-color", "#7d7d7d"]),
               ("uicolor_color", ["--uicolor", "#ff0000"])]
    with_colours += [("options/" + name, [diff_text], args) for name, args in options]
    with_colours.append(("inverted/inverted", [], ["--hash", "--inverted"] + split))
    for name, inputs, args in with_colours:
        label = name + "".join(" " + os.path.basename(arg) for arg in args if arg.startswith("@"))
        yield Case(folder, label, "inferno-flamegraph", args, inputs, f"{folder}/{name}.svg", "svg")
    plain = [
        ("options/truncate-right", ["flamegraph/perf/perf-java-stacks-01.all.folded"], ["--truncate-text-right"]),
        ("example-perf-stacks/example-perf-stacks", [stacks], []),
        ("base/single-base", [base], chart + ["--base", "Final"]),
        ("base/multi-base", [base], chart + ["--base", "Final", "--base", "Samples"])]
    for name, inputs, args in plain:
        yield Case(folder, name, "inferno-flamegraph", args, inputs, f"{folder}/{name}.svg", "svg", colours=False)
    yield Case(folder, "empty/empty", "inferno-flamegraph", [], [f"{folder}/empty/empty.txt"], kind="fails")


DRAWING_OPTIONS = [[], ["--inv", "-ti=Titel", "--sub", "b"], ["--hash", "--col", "java"], ["-colors=mem", "--rev"],
                   ["--WIDTH", "800", "--min", "0.5%", "--fontsize=10"], ["--flame", "--color", "js"],
                   ["--count", "us", "--factor", "0.01", "--total", "5000"], ["--negate", "--colors=aqua", "--height=20"]]


def drawing_beside(corpus):
    folder = "inferno/flamegraph"
    inputs = inputs_of(corpus, "flamegraph/perf/*.all.folded") + ["flamegraph/example-perf-stacks.folded",
        "flamegraph/example-dtrace-stacks.folded", f"{folder}/unsorted-input/perf-vertx-stacks-01-collapsed-all-unsorted.txt",
        f"{folder}/differential/perf-cycles-instructions-01-collapsed-all-diff.txt", f"{folder}/flamechart/flames.txt",
        f"{folder}/colors/async-profiler-collapsed-part.txt", f"{folder}/grey-frames/grey-frames.txt",
        f"{folder}/narrow-blocks/narrow-blocks.txt", f"{folder}/bad-lines/bad-lines.txt", f"{folder}/empty/empty.txt",
        f"{folder}/fractional-samples/fractional.txt", f"{folder}/fractional-samples/with-space.txt", "ab-runs/g-A-1.folded.gz"]
    for path in inputs:
        for args in DRAWING_OPTIONS:
            yield Case("beside flamegraph.pl", f"{os.path.basename(path)} {' '.join(args)}", "flamegraph.pl", args, [path],
                       kind="svg")
        for args in (["--hash"], ["--deterministic", "--reverse", "--minwidth", "1"]):
            yield Case("beside inferno-flamegraph", f"{os.path.basename(path)} {' '.join(args)}", "inferno-flamegraph", args,
                       [path], kind="svg")


def tracers(corpus):
    folder = "flamegraph"
    yield Case(folder, "example-dtrace-stacks", "stackcollapse.pl", [], ["flamegraph/example-dtrace-stacks.txt"],
               "flamegraph/example-dtrace-stacks.folded")
    folder = "inferno/collapse-dtrace"
    for args, name in (([], "dtrace-example"), (["--includeoffset"], "dtrace-example-offsets")):
        yield Case(folder, name, "inferno-collapse-dtrace", args, ["flamegraph/example-dtrace-stacks.txt"],
                   f"{folder}/results/{name}.txt", "sorted")
    for path in inputs_of(corpus, folder + "/*.txt"):
        expected = f"{folder}/results/{os.path.basename(path)}"
        args = ["--includeoffset"] if stem(path) == "flamegraph-bug" else []
        if os.path.exists(os.path.join(corpus, expected)):
            yield Case(folder, stem(path), "inferno-collapse-dtrace", args, [path], expected, "sorted")
    folder = "inferno/collapse-sample"
    for args, name in (([], "sample-default"), (["--no-modules"], "sample-no-modules")):
        yield Case(folder, name, "inferno-collapse-sample", args, [folder + "/sample.txt"], f"{folder}/results/{name}.txt",
                   "sorted")
    folder = "inferno/collapse-xctrace"
    yield Case(folder, "basic", "inferno-collapse-xctrace", [], [folder + "/basic.xml"], folder + "/results/basic.folded",
               "sorted")
    folder = "inferno/collapse-ghcprof"
    for path in inputs_of(corpus, folder + "/*.prof"):
        for flag, end in (("time", ""), ("ticks", "_ticks"), ("bytes", "_bytes")):
            expected = f"{folder}/results/{stem(path)}{end}.txt"
            if os.path.exists(os.path.join(corpus, expected)):
                yield Case(folder, stem(path) + end, "inferno-collapse-ghcprof", ["--" + flag] if end else [], [path],
                           expected, "merged")
    folder = "inferno/collapse-vtune"
    for args, name in (([], "vtune-default"), (["--no-modules"], "vtune-no-modules")):
        yield Case(folder, name, "inferno-collapse-vtune", args, [folder + "/vtune.csv"], f"{folder}/results/{name}.txt",
                   "sorted")
    folder = "inferno/collapse-vsprof"
    yield Case(folder, "vsprof-default", "inferno-collapse-vsprof", [], [folder + "/CallTreeSummary.csv"],
               folder + "/results/vsprof-default.txt", "merged")
    for name in ("sample", "vtune", "vsprof"):
        for path in inputs_of(corpus, f"inferno/collapse-{name}/*"):
            if os.path.isfile(os.path.join(corpus, path)) and stem(path) not in ("sample", "vtune", "CallTreeSummary"):
                yield Case(f"inferno/collapse-{name}", os.path.basename(path), f"inferno-collapse-{name}", [], [path],
                           kind="told")
    folder = "inferno/collapse-recursive"
    yield Case(folder, "basic", "inferno-collapse-recursive", [], [folder + "/basic.txt"],
               folder + "/results/basic-collapsed.txt", "sorted")


def golden(name):
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden", name)
    return [f"+{name}/{file}" for file in sorted(os.listdir(folder)) if not file.endswith(".folded")]


FILTERS = ("range-perf.pl", "pkgsplit-perf.pl")
NOT_MERGING = ("stackcollapse-sample.awk", "stackcollapse-bpftrace.pl", "stackcollapse-perf-sched.awk", "stackcollapse-pmc.pl",
               "stackcollapse-instruments.pl", "stackcollapse-ljp.awk", "stackcollapse-chrome-tracing.py")


def own(name):
    """What these tools were made for, in small: nothing that they would lose."""
    return [f"=inputs/{name}.txt"]


def tools_beside(corpus):
    dtrace = ["flamegraph/example-dtrace-stacks.txt"] + inputs_of(corpus, "inferno/collapse-dtrace/*.txt") + golden("dtrace")
    samples = ["inferno/collapse-sample/sample.txt"] + golden("sample")
    folded = inputs_of(corpus, "flamegraph/perf/*.all.folded") + ["inferno/collapse-recursive/basic.txt",
                                                                  "inferno/flamegraph/flamechart/flames.txt"]
    perf = inputs_of(corpus, "flamegraph/perf/perf-*.txt") + inputs_of(corpus, "v8/script*.txt.gz") + golden("perf-script")
    java = [["--shorten", "--include-ti"], ["--no-include-tname"], []]
    for tool, inputs, options in (
            ("stackcollapse.pl", dtrace, [[]]), ("inferno-collapse-dtrace", dtrace, [[], ["--includeoffset"]]),
            ("stackcollapse-stap.pl", golden("stap"), [[]]), ("stackcollapse-bpftrace.pl", golden("bpftrace"), [[]]),
            ("stackcollapse-sample.awk", samples, [[]]),
            ("stackcollapse-perf-sched.awk", own("perf-sched") + golden("perf-sched"), [[]]),
            ("stackcollapse-gdb.pl", own("gdb") + golden("gdb"), [[]]), ("stackcollapse-aix.pl", golden("aix"), [[]]),
            ("stackcollapse-pmc.pl", own("pmc") + golden("pmc"), [[]]),
            ("stackcollapse-wcp.pl", own("wcp") + golden("wcp"), [[]]),
            ("stackcollapse-ljp.awk", golden("ljp"), [[]]), ("stackcollapse-instruments.pl", golden("instruments"), [[]]),
            ("stackcollapse-elfutils.pl", own("eu-stack") + golden("eu-stack"), [[], ["--pid", "-tid"]]),
            ("stackcollapse-faulthandler.pl", own("faulthandler") + golden("faulthandler"), [[]]),
            ("stackcollapse-go.pl", own("go-raw") + golden("go-raw"), [[]]),
            ("stackcollapse-jstack.pl", golden("jstack"), java),
            ("stackcollapse-ibmjava.pl", own("javacore") + golden("javacore"), java),
            ("stackcollapse-java-exceptions.pl", own("java-exceptions") + golden("java-exceptions"),
             [[], ["--sh"], ["-no-pkgs"]]),
            ("stackcollapse-recursive.pl", folded, [[]]), ("inferno-collapse-recursive", folded, [[]]),
            ("inferno-collapse-xctrace", golden("xctrace"), [[]]),
            ("range-perf.pl", perf, [["0", "0.5"], ["--timeraw", "4", "100000000"], ["-timez", "0.2", "3"]]),
            ("pkgsplit-perf.pl", perf, [[]]), ("inferno-collapse-guess", perf + dtrace, [[]])):
        for path in inputs:
            for args in options:
                label = f"{path.lstrip('+=')} {' '.join(args)}".rstrip()
                kind = "exact" if tool in FILTERS else "merged" if tool in NOT_MERGING else "sorted"
                yield Case("beside " + tool, label, tool, args, [path],
                           kind=kind,
                           tail=b"\n" if tool == "stackcollapse-jstack.pl" else b"")


def chrome_beside(corpus):
    del corpus
    for path in golden("chrome-trace"):
        yield Case("beside stackcollapse-chrome-tracing.py", path[1:], "stackcollapse-chrome-tracing.py", ["@" + path], [],
                   kind="merged")


FAMILIES = [perl_perf, inferno_perf, tracers, diff, inferno_drawing, tools_beside, chrome_beside, perl_perf_beside,
            inferno_perf_beside, diff_beside, drawing_beside]


def cases(corpus):
    for family in FAMILIES:
        yield from family(corpus)

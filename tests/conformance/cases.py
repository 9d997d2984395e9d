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
    #                      what the tool leaves to flamegraph.pl), svg, fails, mistake (the tool fails, too, with the same
    #                      code, and neither prints anything), or told (malformed input: a failure, or a count of skipped
    #                      lines with the number of the first)
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
    yield Case("beside inferno-flamegraph", "flames.txt --base --reverse", "inferno-flamegraph",
               ["--base", "Final", "--reverse"], [base], kind="svg", colours=False)
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
            ("stackcollapse-perf-sched.awk", own("perf-sched") + own("perf-sched-wakers") + golden("perf-sched"), [[]]),
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


# ---- Every option of every tool, and how its parser takes it ----

FLAMEGRAPH = """--title=T --title= -title=T +title=T --TITLE=T --ti=T --subtitle=sub --sub= --width=800 --width=60 --width=800.5
--width=abc --width= --height=20 --height=x --minwidth=5 --minwidth=1% --minwidth=.5 --minwidth=0 --minwidth=abc --minwidth=1e1
--minwidth=-1 --minw=100% --fonttype=Arial --fontsize=8 --fontsize=8.5 --fontsize=x --fontwidth=1 --fontwidth=.2 --countname=bytes
--nametype=Foo --colors=mem --colors=io --colors=wakeup --colors=chain --colors=java --colors=js --colors=perl --colors=red
--colors=green --colors=blue --colors=aqua --colors=yellow --colors=purple --colors=orange --colors=mauve --colors= --col=hot
--bgcolors=blue --bgcolors=green --bgcolors=grey --bgcolors=yellow --bgcolors=#123456 --bgcolors=gray --hash --hash=1 --nohash
--no-hash +hash --inverted --flamechart --reverse --negate --notes=hi --notes=a<b --total=200000 --total=5000 --total=1 --total=abc
--total=0 --total=-5 --total=1e5 --factor=2.5 --factor=1e3 --factor=.001 --factor=x --encoding=UTF-8 --cp --f --fo --fon --c --n
--name --r --i --t --no --foo - --""".split()

INFERNO_FLAMEGRAPH = [option.split() for option in """--deterministic|--title=T --hash|--subtitle sub --hash|--width=800 --hash
--width 800.5|--height=20 --hash|--minwidth=5 --hash|--minwidth=1%|--fonttype=Arial --hash|--fontsize=8 --hash|--fontwidth=1 --hash
--countname=x --hash|--nametype=Foo --hash|--colors=mem --hash|-c aqua --hash|-c=aqua --hash|-caqua --hash|-c Java|--colors=foo
--colors python --hash|--colors rust --hash|--colors js --hash|--bgcolors=blue --hash|--bgcolors=foo|--colordiffusion|--negate --hash
--notes=hi --hash|--factor=2.5 --hash|--factor=abc|-q --hash|-vvv --hash|-qv --hash|--hash=1|--has|--foo|-z|--version|-V
--pretty-xml --hash|--no-javascript --hash|--search-color=#ff0000 --hash|--search-color=red|--stroke-color=#ff0000 --hash
--stroke-color=red|--uicolor=#ff0000 --hash|--uicolor=red|--truncate-text-right --hash|--reverse --hash|- --hash|-i --hash
--inverted --hash|--base=java_start --hash|nowhere|--total=5|--random|--encoding=UTF-8""".replace("\n", "|").split("|")]

MISTAKES = {"flamegraph.pl": """--title= --sub= --width=800.5 --width=abc --width= --height=x --minwidth=abc --minwidth=1e1 --minwidth=-1
--fontsize=x --colors= --bgcolors=gray --hash=1 --nohash --no-hash --notes=a<b --factor=x --f --fo --fon --c --n --name --r --t
--no --foo""".split()}

PERF = [["--pid"], ["--tid"], ["--kernel"], ["--jit"], ["--all"], ["--addrs"], ["-p"], ["-k"], ["-j"], ["-t"], ["+pid"], ["-e", "cycles"],
        ["-e=cycles"], ["--event-filter", "nothing"], ["-all", "-ad"], ["--pid", "--tid"], ["--", "-"], ["-"], ["-c"]]
INFERNO_COMMON = [["-q"], ["-v"], ["-vvv"], ["--quiet"], ["--verbose"], ["-qv"]]
INFERNO_THREADS = [["-n", "1"], ["-n4"], ["-n=4"], ["--nthreads", "3"], ["--nthreads=3"]]
JAVA = [["--include-tid"], ["--no-include-tid"], ["--noinclude-tid"], ["--include-tname"], ["--no-include-tname"], ["--shorten-pkgs"],
        ["--shorten-pkgs", "--no-shorten-pkgs"], ["--nosh", "--sh"], ["--include-ti"], ["-include-tn"]]


def drawing_options(corpus):
    java = ["flamegraph/perf/perf-java-stacks-01.all.folded"]
    for option in FLAMEGRAPH:
        kind = "mistake" if option in MISTAKES["flamegraph.pl"] else "svg"
        yield Case("options of flamegraph.pl", option, "flamegraph.pl", [option], java, kind=kind)
    for args in (["--title", ""], ["--title"], ["--nameattr", "=inputs/nameattr.txt"], ["--flamechart", "--reverse"],
                 ["--colors=chain", "--reverse"], ["nowhere"],
                 ["nowhere", "-"], ["-", "nowhere"]):
        yield Case("options of flamegraph.pl", " ".join(args), "flamegraph.pl",
                   ["@" + arg if arg.startswith("=") else arg for arg in args], java, kind="mistake" if args == ["--title"] else "svg")
    for args in INFERNO_FLAMEGRAPH:
        wrong = len(args) == 1 and args[0] not in ("--deterministic", "--colordiffusion")
        yield Case("options of inferno-flamegraph", " ".join(args), "inferno-flamegraph", args, java,
                   kind="mistake" if wrong or args == ["--width", "800.5"] or args == ["-c", "Java"] else "svg")
    yield Case("options of inferno-flamegraph", "--base nothing", "inferno-flamegraph", ["--base", "nothing"], java, kind="svg")


def folding_options(corpus):
    perf, dtrace = ["flamegraph/perf/perf-java-stacks-01.txt"], ["flamegraph/example-dtrace-stacks.txt"]
    wakers = [[], ["-v", "record_tid=1"], ["-v", "record_wake_stack=1"], ["-v", "recurse=1"], ["-vrecurse=1", "-v", "record_tid=1"],
              ["-v", "record_wake_stack=1", "-v", "record_tid=1"], ["-v", "recurse=0"], ["-v", "other=1"], ["recurse=1", "-"]]
    skip = [["--skip-after", name] for name in ("java_start", "java_start(Thread*)", "sys_read")] + \
        [["--skip-after=vfs_read", "--all", "--skip-after", "Lio/netty/channel/nio/NioEventLoop;.processSelectedKey"]]
    for tool, inputs, options in (
            ("stackcollapse-perf.pl", perf, PERF), ("stackcollapse-jstack.pl", ["+jstack/states.txt"], JAVA),
            ("stackcollapse-ibmjava.pl", ["=inputs/javacore.txt"], [args for args in JAVA if args[0] not in ("--shorten-pkgs", "--nosh")]),
            ("stackcollapse-java-exceptions.pl", ["=inputs/java-exceptions.txt"],
             [["--sh"], ["--no-p"], ["--no-no-pkgs"], ["--nono-pkgs"], ["--no-sh"]]),
            ("stackcollapse-elfutils.pl", ["=inputs/eu-stack.txt"], [["--pid"], ["-t"], ["--PID", "+tid"]]),
            ("stackcollapse-perf-sched.awk", ["=inputs/perf-sched-wakers.txt"], wakers),
            ("inferno-collapse-perf", perf, INFERNO_COMMON + INFERNO_THREADS + PERF[:6] + skip +
             [["--event-filter", "cycles"], ["--event-filter=nothing"], ["--pid", "--tid", "--all", "--addrs"]]),
            ("inferno-collapse-dtrace", dtrace, INFERNO_COMMON + INFERNO_THREADS + [["--includeoffset", "-q"]]),
            ("inferno-collapse-guess", perf, INFERNO_COMMON + INFERNO_THREADS),
            ("inferno-collapse-vtune", ["inferno/collapse-vtune/vtune.csv"], INFERNO_COMMON + [["--no-modules"]]),
            ("inferno-collapse-recursive", ["inferno/collapse-recursive/basic.txt"], INFERNO_THREADS),
            ("inferno-collapse-xctrace", ["inferno/collapse-xctrace/basic.xml"], INFERNO_COMMON)):
        for args in options:
            yield Case("options of " + tool, " ".join(args), tool, args, inputs, kind="sorted",
                       tail=b"\n" if tool in ("stackcollapse-jstack.pl", "stackcollapse-perf.pl") else b"")
    for args in ([], ["--size"], ["-s"]):
        yield Case("options of stackcollapse-vtune-mc.pl", " ".join(args), "stackcollapse-vtune-mc.pl",
                   args + ["@+vtune/memory.txt"], [], kind="sorted")
    mistakes = {"stackcollapse-perf.pl": ["-a", "--foo", "--pid=1", "--nopid", "--event-filter", "--event-filter="],
                "stackcollapse-jstack.pl": ["--inc", "--no", "--include-tid=1", "--foo"],
                "stackcollapse-ibmjava.pl": ["--inc", "--no-in"], "stackcollapse-java-exceptions.pl": ["--n", "--nop"],
                "stackcollapse-elfutils.pl": ["--foo", "--pid=2"], "stackcollapse-go.pl": ["--foo"], "range-perf.pl": ["--foo"],
                "difffolded.pl": ["-x", "one.folded"], "inferno-diff-folded": ["-x", "--version", "one.folded"]}
    for tool in ("perf", "dtrace", "guess", "vtune", "sample", "xctrace", "ghcprof", "vsprof"):
        mistakes["inferno-collapse-" + tool] = ["--foo", "-z", "nowhere"] + (["-n", "-nx"] if tool in ("perf", "dtrace", "guess") else [])
    for tool, options in mistakes.items():
        for option in options:
            yield Case("options of " + tool, option, tool, [option], [], kind="mistake")


def diff_options(corpus):
    folder = "inferno/diff-folded"
    before, after = f"@{folder}/before.txt", f"@{folder}/after.txt"
    for tool in ("difffolded.pl", "inferno-diff-folded"):
        for flags in (["-n"], ["-s"], ["-ns"], ["-sn"], ["-n", "-s"], ["--"], ["-n", "--"]):
            yield Case("options of " + tool, " ".join(flags), tool, flags + [before, after], [], kind="sorted")
        yield Case("options of " + tool, "- AFTER", tool, ["-", after], [before[1:]], kind="sorted") if tool == "difffolded.pl" else \
            Case("options of " + tool, "--normalize --strip-hex", tool, ["--normalize", "--strip-hex", before, after], [], kind="sorted")
    yield Case("options of difffolded.pl", "BEFORE AFTER -n", "difffolded.pl", [before, after, "-n"], [], kind="sorted")


FAMILIES = [perl_perf, inferno_perf, tracers, diff, inferno_drawing, tools_beside, chrome_beside, perl_perf_beside,
            inferno_perf_beside, diff_beside, drawing_beside, drawing_options, folding_options, diff_options]


def cases(corpus):
    for family in FAMILIES:
        yield from family(corpus)

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
    inputs: list        # paths below the corpus, given as standard input
    expected: str = ""  # path below the corpus; "": what the tool itself prints
    kind: str = "exact"  # exact, sorted (lines in any order), svg, or fails
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


FAMILIES = [perl_perf, inferno_perf, diff, perl_perf_beside, inferno_perf_beside, diff_beside]


def cases(corpus):
    for family in FAMILIES:
        yield from family(corpus)

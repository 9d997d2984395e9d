#!/usr/bin/env python3
"""compare_folds.py PERF KILN: two folded texts of one recording, stack by stack, weight by weight.

PERF is folded from the text of `perf script`, KILN from the perf.data itself. Weights that both give to
a stack are equal. Of what is left, each stack of PERF is paired with one of KILN that differs by listed
improvements only. Prints one line of figures; anything that is not listed fails, and is shown."""
import collections
import sys

SHOWN = 5  # unlisted differences

# Improvements: what may differ, and why Kiln's answer is the better one. Each takes the frames of PERF
# and of KILN, root first.
IMPROVEMENTS = {}


def read_folded(path):
    weights = collections.Counter()
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            stack, _, weight = line.rstrip("\n").rpartition(" ")
            weights[tuple(stack.split(";"))] += int(weight)
    return weights


def explanation(perf, kiln):
    """The name of the improvement that makes `perf` to `kiln`, or None."""
    return next((name for name, applies in IMPROVEMENTS.items() if applies(perf, kiln)), None)


def pair(perf, kiln):
    """Pair what is left of both; the weight of each improvement. What has no partner stays."""
    listed = collections.Counter()
    for theirs in sorted(perf):
        for ours in sorted(kiln):
            name = kiln[ours] and explanation(theirs, ours)
            if name:
                weight = min(perf[theirs], kiln[ours])
                listed[name] += weight
                perf[theirs] -= weight
                kiln[ours] -= weight
            if not perf[theirs]:
                break
    return listed


def show(side, weights):
    rest = sorted((weight, stack) for stack, weight in weights.items() if weight)
    for weight, stack in rest[:-SHOWN - 1:-1]:
        print(f"  only {side}: {';'.join(stack)} {weight}")
    return sum(weight for weight, _ in rest)


def main():
    perf, kiln = (read_folded(path) for path in sys.argv[1:3])
    both = perf & kiln
    whole, stacks = sum(perf.values()), len(perf.keys() | kiln.keys())
    perf, kiln = perf - both, kiln - both
    listed = pair(perf, kiln)
    line = [f"{sum(both.values())} of {whole} equal", f"{len(both)} of {stacks} stacks"]
    line += [f"{name} {weight}" for name, weight in sorted(listed.items())]
    print(f"{sys.argv[2]}: " + "; ".join(line))
    unlisted = show("perf", perf) + show("kiln", kiln)
    if not whole or unlisted:
        sys.exit(f"{unlisted} of {whole} differ in a way that is not listed")


if __name__ == "__main__":
    main()

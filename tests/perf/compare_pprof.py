#!/usr/bin/env python3
"""compare_pprof.py: what `go tool pprof` says of a file beside what it says of Kiln's, or what Kiln says.

compare_pprof.py raw A B           two outputs of -raw: sample by sample, with labels, functions, files, lines
compare_pprof.py fold RAW KIND FOLDED   an output of -raw and folded text: stack by stack
compare_pprof.py top TOP JSON      an output of -top and of kiln top --json: function by function
"""
import collections
import json
import re
import sys


def parse_raw(path):
    """Types, and samples as (stack, labels) with a value for each type; a stack is a tuple of lines, outermost first."""
    part, types, samples, locations, mappings = None, [], [], {}, {}
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line in ("Samples:", "Locations", "Mappings"):
            part = line
        elif part == "Samples:" and not types:
            types = [word.replace("[dflt]", "") for word in line.split()]
        elif part == "Samples:" and re.match(r" *-?\d", line) and ":" in line and not re.match(r" {16}", line):
            values, ids = line.split(":", 1)
            samples.append([[int(v) for v in values.split()], [int(i) for i in ids.split()], []])
        elif part == "Samples:" and line.strip():
            samples[-1][2].append(line.strip())
        elif part == "Locations":
            match = re.match(r" *(\d+): 0x([0-9a-f]+) (?:M=(\d+) )?(.*)", line)
            if match:
                number = int(match[1])
                locations[number] = [match[3], []]
                line = match[4]
            # The line on which a function starts, and its mangled name, are not in a profile.
            line = re.sub(r" s=\d+(\(.*\))?$", "", line.strip())
            line = re.sub(r" \[F\]$", "", line)
            if line:
                locations[number][1].append(line)
        elif part == "Mappings":
            match = re.match(r"(\d+): 0x\S+ (.*?) *((\[\w\w\])*)$", line)
            if match:
                mappings[match[1]] = match[2].strip()
    named = {n: tuple((mappings.get(m, ""), text) for text in reversed(lines)) or ((mappings.get(m, ""), ""),)
             for n, (m, lines) in locations.items()}
    found = [collections.Counter() for _ in types]
    for values, ids, labels in samples:
        stack = tuple(frame for i in reversed(ids) for frame in named[i])
        labels = tuple(sorted(word for text in labels for word in re.findall(r"[^ :]+:\[[^\]]*\]", text)))
        for index, value in enumerate(values):
            if value:
                found[index][stack, labels] += value
    return dict(zip(types, found)), len(samples)


def fail_if_different(a, b, what):
    for key in sorted(set(a) | set(b), key=str):
        if a.get(key, 0) != b.get(key, 0):
            sys.exit(f"{what}: {key}: {a.get(key, 0)} and {b.get(key, 0)}")


def raw(path_a, path_b):
    (a, count), (b, _) = parse_raw(path_a), parse_raw(path_b)
    if set(a) != set(b):
        sys.exit(f"types {sorted(a)} and {sorted(b)}")
    for kind in a:
        fail_if_different(a[kind], b[kind], kind)
    labels = {label for counts in a.values() for _, given in counts for label in given}
    print(f"{count} samples of {len(a)} types, {len(labels)} labels: equal")


def fold(path, kind, folded):
    types, _ = parse_raw(path)
    expected, found = collections.Counter(), collections.Counter()
    for (stack, _), value in types[kind].items():
        names = [re.sub(r" \S*:\d+$", "", text) for _, text in stack]
        expected[";".join(names)] += value
    for line in open(folded, encoding="utf-8"):
        stack, value = line.rstrip("\n").rsplit(" ", 1)
        found[stack] += int(value)
    fail_if_different(expected, found, kind)
    print(f"{len(found)} stacks of {kind}, {sum(found.values())} in all: equal")


def top(path, path_json):
    flat, total = collections.Counter(), collections.Counter()
    number = r"(-?[\d.]+)[a-zA-Z]*"
    for line in open(path, encoding="utf-8"):
        match = re.match(rf" *{number} +-?[\d.]+% +-?[\d.]+% +{number} +-?[\d.]+%  (.*)$", line)
        if match:
            name = re.sub(r" \((partial-)?inline\)$", "", match[3])
            flat[name] += int(float(match[1]))
            total[name] += int(float(match[2]))
    own, own_total, whole = collections.Counter(), collections.Counter(), json.load(open(path_json))
    for function in whole["functions"]:
        own[function["function"]] += function["self"]
        own_total[function["function"]] += function["total"]
    fail_if_different(flat, own, "self")
    # A function that is inlined here and called there is two in Kiln: their totals may overlap.
    single = collections.Counter(f["function"] for f in whole["functions"])
    for name in total:
        if single[name] == 1 and total[name] != own_total[name]:
            sys.exit(f"total: {name}: {total[name]} and {own_total[name]}")
    if sum(flat.values()) != whole["total"]:
        sys.exit(f"sum: {sum(flat.values())} and {whole['sum']}")
    print(f"{len(flat)} functions, {sum(flat.values())} in all: equal")


{"raw": raw, "fold": fold, "top": top}[sys.argv[1]](*sys.argv[2:])

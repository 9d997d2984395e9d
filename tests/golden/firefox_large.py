"""firefox_large.py SHAPE: a profile of the Firefox Profiler whose threads are more than a batch, and what its
CPU times fold to, in expected.folded: what all threads need comes first, last, or each thread has its own
tables; or only the last thread, or none, says how much CPU time it used; or the end is missing."""
import collections
import json
import sys

SHAPE = sys.argv[1]
THREADS, ROWS = 40, 2_000
NAMES = ["main", "work", "wait", "read"]


def tables(first):
    """main, and the others below it; strings from `first` on."""
    return {
        "stackTable": {"frame": [0, 1, 2, 3], "prefix": [None, 0, 0, 1], "length": 4},
        "frameTable": {"func": [0, 1, 2, 3], "length": 4},
        "funcTable": {"name": [first, first + 1, first + 2, first + 3], "length": 4},
        "stringArray": [""] * first + NAMES,
    }


STACKS = ["main", "main;work", "main;wait", "main;work;read"]
expected = collections.Counter()
threads = []
for i in range(THREADS):
    stacks = [(i + row * row) % 4 for row in range(ROWS)]
    samples = {"stack": stacks, "time": list(range(ROWS)), "length": ROWS}
    if SHAPE not in ("none", "last") or (SHAPE == "last" and i == THREADS - 1):
        samples["threadCPUDelta"] = [row % 5 for row in range(ROWS)]
        for row, stack in enumerate(stacks):
            expected[f"p-1;t{i % 3}-{100 + i % 3};{STACKS[stack]}"] += row % 5 * 1000
    thread = {"name": f"t{i % 3}", "processName": "p", "pid": 1, "tid": 100 + i % 3, "samples": samples}
    threads.append(thread | (tables(i) if SHAPE == "own" else {}))

meta = {"preprocessedProfileVersion": 60, "startTime": 0, "sampleUnits": {"threadCPUDelta": "\u00b5s"}}
parts = {"meta": meta, "libs": [], "shared": tables(3), "threads": threads}
if SHAPE == "behind":
    parts = dict(reversed(parts.items()))
text = json.dumps(parts, separators=(",", ":"))
sys.stdout.write(text[: -len(text) // 8] if SHAPE == "cut" else text)
with open("expected.folded", "w", encoding="ascii") as file:
    file.writelines(f"{stack} {value}\n" for stack, value in sorted(expected.items()) if value)

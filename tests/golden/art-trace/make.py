#!/usr/bin/env python3
"""make.py FOLDER: method traces of one run, in every version and form that Android's ART writes."""
import os
import struct
import sys

METHODS = {0: ("Main", "run", "Main.java"), 4: ("com/example/View", "draw", "View.java"), 8: ("java.lang.Object", "wait", "Object.java")}
THREADS = {7: "main", 9: "worker"}
ENTER, EXIT, UNROLL = range(3)
# Thread, method, action, CPU time, wall time (us).
RUN = [
    (7, 0, ENTER, 10, 10), (7, 4, ENTER, 20, 30), (9, 8, ENTER, 1, 40), (7, 4, EXIT, 50, 80),
    (7, 8, ENTER, 60, 90), (7, 8, UNROLL, 61, 990), (9, 8, EXIT, 3, 1040), (9, 12, ENTER, 3, 1040),
    (7, 0, EXIT, 81, 1010), (7, 4, EXIT, 90, 1020), (7, 0, ENTER, 90, 1020),
]


def method(id):
    return "\t".join(("%#x" % id if id else "0",) + METHODS[id][:2] + ("()V", METHODS[id][2])) + "\n"


def text(version, clock, lists=True):
    return "".join(["*version\n%d\n" % version, "data-file-overflow=false\nclock=%s\npid=7\n" % clock, "*threads\n"] +
                   ["%d\t%s\n" % item for item in THREADS.items() if lists] + ["*methods\n"] +
                   [method(id) for id in METHODS if lists] + ["*end\n"]).encode()


def header(version, size, mark=0):
    start = b"SLOW" + struct.pack("<HHQ", version | mark, 32, 5000000)
    return (start + (struct.pack("<H", size) if version == 3 else b"")).ljust(32, b"\0")


def record(version, clock, tid, id, action, cpu, wall):
    times = {"dual": (cpu, wall), "wall": (wall,), "thread-cpu": (cpu,)}[clock]
    return struct.pack("<B" if version == 1 else "<H", tid) + struct.pack("<I", id | action) + b"".join(struct.pack("<I", t) for t in times)


def regular(version, clock):
    records = [record(version, clock, *r) for r in RUN]
    return text(version, clock) + header(version, len(records[0])) + b"".join(records)


def streaming(clock):
    records = [record(3, clock, *r) for r in RUN]
    out, methods, threads = header(3, len(records[0]), 0xF0), set(), set()
    for run, content in zip(RUN, records):
        if run[0] not in threads:
            name = THREADS[run[0]].encode()
            out += struct.pack("<HBHH", 0, 2, run[0], len(name)) + name
            threads.add(run[0])
        if run[1] in METHODS and run[1] not in methods:
            line = method(run[1]).encode()
            out += struct.pack("<HBH", 0, 1, len(line)) + line
            methods.add(run[1])
        out += content
    end = text(3, clock, False)
    return out + struct.pack("<HBI", 0, 3, len(end)) + end


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
for name, content in {"cpu-1": regular(1, "thread-cpu"), "wall-2": regular(2, "wall"), "dual-3": regular(3, "dual"),
                      "stream": streaming("dual")}.items():
    with open(os.path.join(folder, name + ".trace"), "wb") as out:
        out.write(content)

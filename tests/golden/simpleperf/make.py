#!/usr/bin/env python3
"""make.py FOLDER: reports of simpleperf, put together field by field: cmd_report_sample.proto of Android."""
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from protobuf import number, run

NO_SYMBOL = -1
KERNEL, LIBC, APP = range(3)
NATIVE, INTERPRETED, JIT = range(3)


def frame(file, symbol, execution=NATIVE):
    return run(3, number(1, 4096 + file) + number(2, file) + number(3, symbol) + (number(4, execution) if execution else b""))


def sample(time, tid, frames, count, event=0, more=b""):
    return run(1, number(1, time) + number(2, tid) + b"".join(frames) + number(4, count) + number(5, event) + more)


def file(id, path, *symbols):
    return run(3, number(1, id) + run(2, path) + b"".join(run(3, symbol) for symbol in symbols))


def thread(tid, pid, name):
    return run(4, number(1, tid) + number(2, pid) + run(3, name))


def report(*records):
    return b"SIMPLEPERF" + struct.pack("<H", 1) + b"".join(struct.pack("<I", len(r)) + r for r in records) + bytes(4)


main, loop, draw = frame(LIBC, 0), frame(APP, 0, INTERPRETED), frame(APP, 1, JIT)
records = [
    sample(1000, 12, [draw, loop, main], 250000),
    sample(2000, 12, [draw, loop, main], 250000),
    sample(3000, 13, [frame(KERNEL, 0), frame(LIBC, 1), main], 500000),
    sample(4000, 13, [frame(KERNEL, NO_SYMBOL), main], 1, 1),
    sample(5000, 14, [frame(9, 0), frame(LIBC, NO_SYMBOL)], 250000),
    sample(6000, 12, [loop], 100, more=run(6, number(3, 2))),
    run(6, number(1, 1) + number(2, 4500) + number(3, 13)),
    run(2, number(1, 7) + number(2, 3)),
    file(KERNEL, "[kernel.kallsyms]", "do_syscall_64"),
    file(LIBC, "/apex/com.android.runtime/lib64/bionic/libc.so", "__start_thread(void*)", "write"),
    file(APP, "/data/app/base.apk", "com.example.Main.loop", "com.example.View.draw"),
    thread(12, 12, "com.example"), thread(13, 12, "Binder:1"),
    run(5, run(1, "cpu-clock") + run(1, "sched:sched_switch") + run(2, "com.example")),
]

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
with open(os.path.join(folder, "threads.trace"), "wb") as out:
    out.write(report(*records))

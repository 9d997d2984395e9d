#!/usr/bin/env python3
"""make.py FOLDER: the OTLP profiles of these tests, put together field by field."""
import gzip
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import protobuf
from protobuf import fixed, run, varint


def number(field, value):
    """What is 0 is left out."""
    return protobuf.number(field, value) if value else b""


def packed(field, values):
    return protobuf.packed(field, values) if values else b""


def times(field, values):
    return run(field, b"".join(struct.pack("<Q", v) for v in values)) if values else b""


class Table:
    """Rows, each once; row 0 is the empty one."""

    def __init__(self, field, zero=b""):
        self.field = field
        self.rows = [zero]

    def __call__(self, row):
        if row not in self.rows:
            self.rows.append(row)
        return self.rows.index(row)

    def fields(self):
        return b"".join(run(self.field, row) for row in self.rows)


class Dictionary:
    def __init__(self):
        self.mapping, self.location, self.function = Table(1), Table(2), Table(3)
        self.link = Table(4, run(1, bytes(16)) + run(2, bytes(8)))
        self.string, self.attribute, self.stack = Table(5, ""), Table(6), Table(7)

    def attr(self, key, value, unit=""):
        kind = {str: lambda: run(1, value), bool: lambda: varint(2 << 3) + varint(value),
                int: lambda: varint(3 << 3) + varint(value), float: lambda: fixed(4, struct.unpack("<Q", struct.pack("<d", value))[0]),
                bytes: lambda: run(7, value), list: lambda: run(5, b"")}[type(value)]()
        return self.attribute(number(1, self.string(key)) + run(2, kind) + number(3, self.string(unit)))

    def fn(self, name, system="", file=""):
        return self.function(number(1, self.string(name)) + number(2, self.string(system)) + number(3, self.string(file)))

    def map(self, file, start, offset, *attributes):
        return self.mapping(number(1, start) + number(2, start + 0x100000) + number(3, offset) +
                            number(4, self.string(file)) + packed(5, attributes))

    def loc(self, mapping, address, lines=(), *attributes):
        return self.location(number(1, mapping) + number(2, address) +
                             b"".join(run(3, number(1, f) + number(2, line)) for f, line in lines) + packed(4, attributes))

    def stk(self, *locations):
        return self.stack(packed(1, locations))

    def type(self, field, kind, unit):
        return run(field, number(1, self.string(kind)) + number(2, self.string(unit)))

    def fields(self):
        return b"".join(t.fields() for t in (self.mapping, self.location, self.function, self.link, self.string,
                                             self.attribute, self.stack))


def sample(stack, values, when=(), attributes=(), link=0):
    return run(2, number(1, stack) + packed(2, attributes) + number(3, link) + packed(4, values) + times(5, when))


def pair(key, value):
    return run(1, run(1, key) + run(2, run(1, value)))


def everything(dictionary_first=False):
    """Two services with CPU profiles, one with allocations too; native, kernel, interpreted and inlined frames."""
    d = Dictionary()
    start = 1700000000000000000
    app = d.map("/opt/app", 0x400000, 0x2000, d.attr("process.executable.build_id.htlhash", "beefbeef"),
                d.attr("process.executable.build_id.gnu", "00FFAA"))
    kernel = d.attr("profile.frame.type", "kernel")
    python = d.attr("profile.frame.type", "cpython")
    main = d.loc(app, 0x400010, [(d.fn("main", file="app.c"), 10)])
    parse = d.loc(app, 0x400020, [(d.fn("skip", file="skip.h"), 3), (d.fn("parse", file="app.c"), 20)])
    mangled = d.loc(app, 0x400030, [(d.fn("", "_ZN2ns4workEv"), 0)])
    nameless = d.loc(app, 0x400040)
    syscall = d.loc(0, 0, [(d.fn("do_syscall_64"), 0)], kernel)
    script = d.loc(0, 0, [(d.fn("handle", file="app.py"), 7)], python)
    thread = [d.attr("thread.name", "worker"), d.attr("thread.id", 77)]
    odd = [d.attr("size", 512, "bytes"), d.attr("share", 0.5), d.attr("hot", True), d.attr("id", b"\x01\xff"), d.attr("more", [])]
    cpu = d.type(1, "cpu", "nanoseconds") + fixed(3, start) + number(4, 3000000000) + d.type(5, "cpu", "nanoseconds") + number(6, 10)
    first = cpu + b"".join([
        sample(d.stk(parse, main), [10, 20], [start + 5, start + 7], thread),
        sample(d.stk(syscall, mangled, main), [30], (), thread),
        sample(d.stk(nameless, main), [40], (), odd),
        sample(d.stk(script), [5], (), (), d.link(run(1, bytes(range(16))) + run(2, bytes(range(8))))),
        sample(d.stk(main), [], [start + 1, start + 2, start + 3]),  # times only: each counts 1
        sample(0, [6]),
    ])
    allocations = d.type(1, "alloc", "By") + sample(d.stk(parse, main), [4096]) + packed(11, [d.attr("heap", "young")])
    second = cpu + sample(d.stk(main), [100]) + run(9, "pprof") + run(10, b"ignored")
    resources = [
        run(1, run(1, pair("service.name", "front") + pair("process.executable.name", "app") +
                   run(1, run(1, "process.pid") + run(2, number(3, 1234)))) +
            run(2, run(1, run(1, "profiler") + run(2, "2.1")) + run(2, first) + run(2, allocations))),
        run(1, run(1, pair("service.name", "back")) + run(2, run(2, second))),
    ]
    dictionary = run(2, d.fields())
    return dictionary + b"".join(resources) if dictionary_first else b"".join(resources) + dictionary


def odd():
    """What refers to nothing, and samples that cannot be."""
    d = Dictionary()
    main = d.loc(0, 0, [(d.fn("main"), 0)])
    unknown = d.loc(99, 0, [(99, 0)])
    profile = d.type(1, "samples", "count") + b"".join([
        sample(d.stk(main), [1]),
        sample(d.stk(unknown, main), [2], (), [999]),
        sample(77, [1000]),
        sample(d.stk(555), [1000]),
        sample(d.stk(main), []),
        sample(d.stk(main), [1000, 1000], [5]),
    ])
    return run(1, run(2, run(2, profile))) + run(2, d.fields())


def messages():
    return {"everything": everything(), "dictionary-first": everything(True), "odd": odd()}


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    files = messages()
    for name, content in files.items():
        with open(f"{folder}/{name}.otlp", "wb") as out:
            out.write(content)
    with open(f"{folder}/everything.otlp.gz", "wb") as out:
        out.write(gzip.compress(files["everything"], mtime=0))


if __name__ == "__main__":
    main()

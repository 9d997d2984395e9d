#!/usr/bin/env python3
"""make.py FOLDER: the pprof files of these tests, put together field by field."""
import gzip
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from protobuf import number, packed, run, varint


class Strings:
    def __init__(self):
        self.list = [""]

    def __call__(self, text):
        if text not in self.list:
            self.list.append(text)
        return self.list.index(text)

    def fields(self):
        return b"".join(run(6, text) for text in self.list)


def label(s, key, value, unit=""):
    if isinstance(value, str):
        return run(3, number(1, s(key)) + number(2, s(value)))
    return run(3, number(1, s(key)) + number(3, value) + (number(4, s(unit)) if unit else b""))


def sample(locations, values, *labels):
    return run(2, packed(1, locations) + packed(2, values) + b"".join(labels))


def value_type(s, field, kind, unit):
    return run(field, number(1, s(kind)) + number(2, s(unit)))


def mapping(s, id, start, limit, offset, file, build_id=""):
    return run(3, number(1, id) + number(2, start) + number(3, limit) + number(4, offset) +
               number(5, s(file)) + number(6, s(build_id)))


def function(s, id, name, system="", file="", start=0):
    return run(5, number(1, id) + number(2, s(name)) + number(3, s(system)) + number(4, s(file)) + number(5, start))


def location(id, mapping_id, address, *lines):
    return run(4, number(1, id) + (number(2, mapping_id) if mapping_id else b"") + number(3, address) +
               b"".join(run(4, number(1, f) + number(2, line) + number(3, 9)) for f, line in lines))


def everything():
    """Two types, inlined functions, a kernel, addresses without names, labels, a mangled name, large ids."""
    s = Strings()
    far = 1 << 60
    return b"".join([
        value_type(s, 1, "samples", "count"),
        value_type(s, 1, "cpu", "nanoseconds"),
        sample([1, 2, far], [2, 20], label(s, "thread", "worker one"), label(s, "tid", 8), label(s, "pid", 7)),
        sample([3, 2, far], [3, 30], label(s, "thread", "worker one"), label(s, "tid", 8), label(s, "pid", 7)),
        sample([4, far], [4, 40], label(s, "colour", "red"), label(s, "size", 512, "bytes")),
        sample([5, far], [5, 50], label(s, "colour", "red"), label(s, "cpu", 3)),
        sample([6], [6, 60]),
        sample([7, 2, far], [7, 70], label(s, "comm", "server")),
        sample([], [8, 80]),
        mapping(s, 1, 0x400000, 0x500000, 0x1000, "/usr/bin/server", "00FF12"),
        mapping(s, 2, 0xFFFFFFFF81000000, 0xFFFFFFFF82000000, 0, "[kernel.kallsyms]"),
        # parse was inlined into read_all, and skip into parse.
        location(1, 1, 0x400100, (3, 31), (4, 41), (2, 21)),
        location(2, 1, 0x400200, (5, 51)),
        location(far, 1, 0x400300, (1, 11)),
        location(3, 2, 0xFFFFFFFF81000400, (6, 0)),
        location(4, 1, 0x400500),
        location(5, 0, 0, (7, 71), (8, 81)),
        location(6, 0, 0x7F0000000000),
        location(7, 0, 0),
        function(s, 1, "main", "main", "server.c", 10),
        function(s, 2, "read_all", "read_all", "read.c", 20),
        function(s, 3, "skip", "", "parse.c"),
        function(s, 4, "parse", "", "parse.c"),
        function(s, 5, "", "_ZN3net5serveEi", "net.cc"),
        function(s, 6, "do_syscall_64"),
        function(s, 7, "inner without address"),
        function(s, 8, "outer without address"),
        number(9, 1700000000123456789),
        number(10, 2500000000),
        value_type(s, 11, "cpu", "nanoseconds"),
        number(12, 10),
        run(13, varint(s("first comment"))),
        number(13, s("second comment")),
        number(15, s("https://example.org/profile")),
        s.fields(),
    ])


def odd():
    """Strings first, numbers not packed, fields of the future, the first type to be shown, and references to
    what is not there."""
    s = Strings()
    for text in ("space", "bytes", "objects", "count", "main", "work"):
        s(text)
    return b"".join([
        s.fields(),
        run(77, "from the future"), number(78, 5), varint(79 << 3 | 1) + bytes(8), varint(80 << 3 | 5) + bytes(4),
        value_type(s, 1, "space", "bytes"),
        value_type(s, 1, "objects", "count"),
        number(14, s("space")),
        function(s, 1, "main"), function(s, 2, "work"), run(5, number(1, 3) + number(2, 999)),
        location(1, 0, 0, (1, 0)), location(2, 0, 0, (2, 0)), location(3, 55, 0, (3, 0)), location(4, 0, 0, (88, 0)),
        run(2, number(1, 2) + number(1, 1) + number(2, 100) + number(2, 1)),
        run(2, number(1, 2) + packed(1, [1]) + packed(2, [10]) + number(2, 1)),
        sample([3, 1], [7, 1]),
        sample([4, 1], [9, 1]),
        sample([99, 1], [1000, 1]),
        sample([2, 1], [1000, 1, 1]),
        sample([1], [-30, 1]),
    ])


def dropping():
    """A file that asks to leave out allocators, but not realloc."""
    s = Strings()
    names = ["main", "grow", "malloc", "arena_get", "realloc", "malloc_inlined", "operator new(unsigned long)"]
    return b"".join([
        value_type(s, 1, "space", "bytes"),
        sample([3, 4, 2, 1], [1]),     # main grow arena_get malloc
        sample([3, 5, 2, 1], [2]),     # main grow realloc malloc
        sample([8, 2, 1], [4]),        # main grow [malloc_inlined inlined into copy]
        sample([3, 4], [8]),           # nothing else: stays
        sample([7, 1], [16]),          # operator new
        sample([2, 1], [32]),
        *[location(i + 1, 0, 0x1000 + i, (i + 1, 0)) for i in range(7)],
        location(8, 0, 0x9000, (6, 0), (9, 0)),
        *[function(s, i + 1, name) for i, name in enumerate(names)],
        function(s, 9, "copy"),
        number(7, s("malloc.*|arena_.*|re.*|operator new")),
        number(8, s("realloc")),
        s.fields(),
    ])


def period():
    """Samples that are only counted, every 50 ms of CPU time, as Parca's agent writes them."""
    s = Strings()
    return b"".join([
        value_type(s, 1, "samples", "count"),
        value_type(s, 11, "cpu", "nanoseconds"),
        number(12, 50000000),
        sample([1], [4]),
        sample([2, 1], [3]),
        location(1, 0, 0x1000, (1, 0)),
        location(2, 0, 0x1001, (2, 0)),
        function(s, 1, "work"),
        function(s, 2, "rest"),
        s.fields(),
    ])


def empty():
    """What a program that did nothing leaves."""
    s = Strings()
    return value_type(s, 1, "samples", "count") + value_type(s, 1, "cpu", "nanoseconds") + s.fields()


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    files = {"everything": everything(), "odd": odd(), "dropping": dropping(), "period": period(),
             "empty": empty()}
    for name, content in files.items():
        with open(f"{folder}/{name}.pb", "wb") as out:
            out.write(content)
    with open(f"{folder}/everything.pb.gz", "wb") as out:
        out.write(gzip.compress(files["everything"], mtime=0))


main()

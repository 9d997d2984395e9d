#!/usr/bin/env python3
"""make.py FOLDER: the recordings of these tests, put together field by field, and what they fold to.

Each is written with compressed integers and without. Its two chunks number types and constants differently, and
their classes have fields in them that only have to be skipped. Strings take turns in their encodings.
"""
import collections
import os
import struct
import sys

INTEGERS = {"char": 2, "short": 2, "int": 4, "long": 8}
TYPES = ["boolean", "byte", "char", "short", "int", "long", "float", "double", "java.lang.String"]
START, RATE, FIRST = 1700000000 * 10**9, 2 * 10**9, 5000  # ns; ticks per second; ticks

# A field: name, type, and marks: "k" the key of a constant, "[" a list, or its unit.
CLASSES = {
    "java.lang.Class": ("", [("loader", "long"), ("name", "jdk.types.Symbol", "k"), ("package", "jdk.types.Package", "k")]),
    "java.lang.Thread": ("", [("osName", "java.lang.String"), ("osThreadId", "long"), ("javaName", "java.lang.String"),
                              ("javaThreadId", "long"), ("virtual", "boolean")]),
    "jdk.types.Symbol": ("", [("string", "java.lang.String")]),
    "jdk.types.Module": ("", [("name", "jdk.types.Symbol", "k"), ("version", "jdk.types.Symbol", "k")]),
    "jdk.types.Package": ("", [("name", "jdk.types.Symbol", "k"), ("module", "jdk.types.Module", "k")]),
    "jdk.types.Method": ("", [("type", "java.lang.Class", "k"), ("name", "jdk.types.Symbol", "k"),
                              ("descriptor", "jdk.types.Symbol", "k"), ("hidden", "boolean")]),
    "jdk.types.FrameType": ("", [("description", "java.lang.String")]),
    "jdk.types.ThreadState": ("", [("name", "java.lang.String")]),
    "jdk.types.StackFrame": ("", [("method", "jdk.types.Method", "k"), ("lineNumber", "int"), ("bytecodeIndex", "int"),
                                  ("type", "jdk.types.FrameType", "k")]),
    "jdk.types.StackTrace": ("", [("truncated", "boolean"), ("frames", "jdk.types.StackFrame", "[")]),
    "test.Space": ("", [("start", "long"), ("share", "float"), ("names", "java.lang.String", "["),
                        ("stack", "jdk.types.StackFrame", "[")]),
}


def event(name, *fields, thread="eventThread", duration=False):
    own = [("startTime", "long", "TICKS")] + ([("duration", "long", "TICKS")] if duration else [])
    CLASSES[name] = ("jdk.jfr.Event", own + [("space", "test.Space")] + list(fields) + [
        (thread, "java.lang.Thread", "k"), ("stackTrace", "jdk.types.StackTrace", "k"), ("later", "test.Space", "[")])


STATE, SIZE = ("state", "jdk.types.ThreadState", "k"), ("allocationSize", "long")
OBJECT = ("objectClass", "java.lang.Class", "k")
event("jdk.ExecutionSample", STATE, thread="sampledThread")
event("jdk.NativeMethodSample", STATE, thread="sampledThread")
event("jdk.CPUTimeSample", ("failed", "boolean"), ("samplingPeriod", "long", "TICKS"))
event("jdk.CPUTimeSamplesLost", ("lostSamples", "int"))
event("jdk.DataLoss", ("amount", "long"), ("total", "long"))
event("profiler.WallClockSample", STATE, ("samples", "int"), thread="sampledThread")
event("jdk.ObjectAllocationInNewTLAB", OBJECT, SIZE, ("tlabSize", "long"))
event("jdk.ObjectAllocationOutsideTLAB", OBJECT, SIZE)
event("jdk.ObjectAllocationSample", OBJECT, ("weight", "long"))
event("jdk.JavaMonitorEnter", ("monitorClass", "java.lang.Class", "k"), duration=True)
event("jdk.ThreadPark", ("parkedClass", "java.lang.Class", "k"), ("timeout", "long", "NANOSECONDS"), duration=True)
event("jdk.FileRead", ("path", "java.lang.String"), ("bytesRead", "long"), duration=True)
event("test.Task", ("letter", "char"), ("small", "short"), ("exact", "double"), duration=True)
event("test.Mark")
CLASSES["jdk.ActiveSetting"] = ("jdk.jfr.Event", [("startTime", "long"), ("id", "long"), ("name", "java.lang.String"),
                                                  ("value", "java.lang.String", "k")])
CLASSES["jdk.JVMInformation"] = ("jdk.jfr.Event", [("startTime", "long"), ("jvmVersion", "java.lang.String"),
                                                   ("javaArguments", "java.lang.String"), ("pid", "long")])
STATES = ["STATE_RUNNABLE", "STATE_SLEEPING"]
KINDS = ["Interpreted", "JIT compiled", "Inlined", "Native", "C++", "Kernel", "C1 compiled"]

# Innermost first: class, method, line, kind. A class without '/' is in no module.
RUN = ("java/lang/Thread", "run", 840, "Interpreted")
MAIN = ("App", "main", 9, "Interpreted")
STACKS = {
    "work": [("App", "w\u00f6rk", 12, "Inlined"), ("App", "loop", 7, "JIT compiled"), MAIN],
    "worker": [("App$Inner", "\u5de5\U0001f600", 15, "C1 compiled"), RUN],
    "poll": [("sun/nio/ch/EPoll", "wait", -1, "Native"), ("App", "serve", 20, "Interpreted"), RUN],
    "native": [("", "do_syscall", 0, "Kernel"), ("libc.so.6", "read", 0, "C++"), MAIN],
    "cut": [("App", "deep", 30, "JIT compiled")] * 3,
    "empty": [],
}
THREADS = {"main": 11, "worker-1": 12}
ARRAYS = {"[I": "int[]", "[[Ljava/lang/String;": "java.lang.String[][]", "java/util/HashMap": "java.util.HashMap",
          "App$$Lambda$1+0x00007f0000001000/77": "App$$Lambda$1/0x00007f0000001000"}

# Event, stack, thread, fields, and ticks since the chunk began. A stack that is None was not recorded.
SAMPLES = [
    [("jdk.ExecutionSample", "work", "main", {"state": "STATE_RUNNABLE"}, 100)] * 3 +
    [("jdk.ExecutionSample", "native", "main", {"state": "STATE_RUNNABLE"}, 200),
     ("jdk.ExecutionSample", "cut", "main", {"state": "STATE_RUNNABLE"}, 250),
     ("jdk.NativeMethodSample", "poll", "worker-1", {"state": "STATE_RUNNABLE"}, 300),
     ("jdk.NativeMethodSample", "native", "main", {"state": "STATE_RUNNABLE"}, 400),
     ("jdk.CPUTimeSample", "work", "main", {"failed": 0, "samplingPeriod": 20000001}, 410),
     ("jdk.CPUTimeSample", None, "worker-1", {"failed": 1, "samplingPeriod": 20000000}, 420),
     ("jdk.CPUTimeSamplesLost", None, "main", {"lostSamples": 3}, 430),
     ("profiler.WallClockSample", "work", "main", {"state": "STATE_RUNNABLE", "samples": 1}, 500),
     ("profiler.WallClockSample", "poll", "worker-1", {"state": "STATE_SLEEPING", "samples": 40}, 510),
     ("test.Mark", "worker", "worker-1", {}, 520),
     ("test.Mark", None, "worker-1", {}, 530)],
    [("jdk.ExecutionSample", "worker", "worker-1", {"state": "STATE_RUNNABLE"}, 100),
     ("jdk.ExecutionSample", "empty", "worker-1", {"state": "STATE_RUNNABLE"}, 110),
     ("jdk.ExecutionSample", "missing", "worker-1", {"state": "STATE_RUNNABLE"}, 120),
     ("jdk.ObjectAllocationInNewTLAB", "work", "main", {"objectClass": "[I", "allocationSize": 16, "tlabSize": 1 << 40}, 130),
     ("jdk.ObjectAllocationOutsideTLAB", "work", "main", {"objectClass": "[I", "allocationSize": 1 << 20}, 140),
     ("jdk.ObjectAllocationOutsideTLAB", "worker", "worker-1",
      {"objectClass": "[[Ljava/lang/String;", "allocationSize": 127}, 140),
     ("jdk.ObjectAllocationSample", "worker", "worker-1",
      {"objectClass": "App$$Lambda$1+0x00007f0000001000/77", "weight": 128}, 150),
     ("jdk.JavaMonitorEnter", "work", "main", {"duration": 5000000, "monitorClass": "java/util/HashMap"}, 160),
     ("jdk.JavaMonitorEnter", "work", "main", {"duration": -1, "monitorClass": "java/util/HashMap"}, 160),
     ("jdk.ThreadPark", "worker", "worker-1", {"duration": 3, "parkedClass": None, "timeout": 1}, -300),
     ("jdk.FileRead", "work", "main", {"duration": 8, "path": "/tmp/x", "bytesRead": 300}, 170),
     ("test.Task", "work", "main", {"duration": 2000, "letter": 8364, "small": -2, "exact": 0.5}, 180),
     ("jdk.DataLoss", None, "main", {"amount": 4096, "total": 4096}, 190)],
]
SETTINGS = [("jdk.ActiveSetting", "engine", "ctimer"), ("jdk.ActiveSetting", "event", "cpu"),
            ("jdk.ExecutionSample", "interval", "9000000"), ("jdk.ExecutionSample", "wall", "50000000")]


class Chunk:
    def __init__(self, compressed, first_id, first_key):
        self.compressed, self.first_key, self.turn = compressed, first_key, 0
        self.ids = {name: first_id + 3 * i for i, name in enumerate(TYPES + list(CLASSES))}
        self.pools = collections.defaultdict(dict)

    def leb(self, value):
        out = b""
        for _ in range(8):
            if value < 128:
                return out + bytes([value])
            out, value = out + bytes([value & 127 | 128]), value >> 7
        return out + bytes([value])

    def integer(self, value, size):
        value &= (1 << 8 * size) - 1
        return self.leb(value) if self.compressed and size > 1 else value.to_bytes(size, "big")

    def text(self, value, constants=True):
        if not value:
            return bytes([value == ""])
        self.turn += 1
        latin = all(ord(c) < 256 for c in value)
        if self.turn % 4 == 0 and constants:
            return b"\2" + self.integer(self.key("java.lang.String", value), 8)
        if self.turn % 4 == 1 and latin:
            return b"\5" + self.integer(len(value), 4) + value.encode("latin-1")
        if self.turn % 4 == 2:
            units = struct.unpack(f">{len(value.encode('utf-16-be')) // 2}H", value.encode("utf-16-be"))
            return b"\4" + self.integer(len(units), 4) + b"".join(self.integer(unit, 2) for unit in units)
        return b"\3" + self.integer(len(value.encode()), 4) + value.encode()

    def key(self, kind, value):
        """Keys begin high, so that they need the ninth byte of an integer."""
        if value is None:
            return 0
        pool = self.pools[kind]
        if value not in pool:
            pool[value] = (self.first_key + 3 * len(pool), None)
            pool[value] = (pool[value][0], self.constant(kind, value))
        return pool[value][0]

    def constant(self, kind, value):
        if kind == "java.lang.String":
            return self.text(value, False)
        if kind == "java.lang.Thread":
            return self.value(kind, {"osName": "os", "osThreadId": THREADS[value], "javaName": value, "javaThreadId": 1})
        if kind == "java.lang.Class":
            return self.value(kind, {"name": value, "package": value.rpartition("/")[0] or None})
        if kind == "jdk.types.Package":
            return self.value(kind, {"name": value, "module": "java.base"})
        if kind == "jdk.types.Method":
            return self.value(kind, {"type": value[0], "name": value[1], "descriptor": value[2]})
        if kind == "jdk.types.StackTrace":
            frames = [{"method": (c, m, "()L;" if k in ("C++", "Kernel") else "()V"), "lineNumber": line,
                       "bytecodeIndex": 70000, "type": k} for c, m, line, k in STACKS[value]]
            return self.value(kind, {"truncated": value == "cut", "frames": frames})
        name = {"jdk.types.FrameType": "description", "jdk.types.Symbol": "string"}.get(kind, "name")
        return self.value(kind, {name: value})

    def value(self, kind, values):
        return b"".join(self.field(field, values.get(field[0])) for field in CLASSES[kind][1])

    def field(self, field, value):
        name, kind, marks = (field + ("",))[:3]
        if marks == "[":
            items = value if value is not None else [{}, {}] if kind == "test.Space" else []
            return self.integer(len(items), 4) + b"".join(self.field((name, kind), item) for item in items)
        if marks == "k":
            return self.integer(0x7fff if value == "missing" else self.key(kind, value), 8)
        if kind in INTEGERS:
            return self.integer(int(value or 0), INTEGERS[kind])
        if kind in ("boolean", "byte"):
            return bytes([int(value or 0)])
        if kind in ("float", "double"):
            return struct.pack(">f" if kind == "float" else ">d", value or 0)
        if kind == "java.lang.String":
            return self.text(value)
        return self.value(kind, value or {"start": 1 << 33, "share": 0.25})

    def event(self, type_id, content):
        body = self.integer(type_id, 8) + content
        if not self.compressed:
            return struct.pack(">i", len(body) + 4) + body
        size = len(body) + 4
        return bytes([size & 127 | 128, size >> 7 & 127 | 128, size >> 14 & 127 | 128, size >> 21]) + body

    def record(self, name, values):
        return self.event(self.ids[name], self.value(name, values))

    def checkpoint(self, kinds):
        out = self.integer(FIRST, 8) + self.integer(0, 8) + self.integer(-68, 8) + b"\0" + self.integer(len(kinds), 4)
        for kind in kinds:
            out += self.integer(self.ids[kind], 8) + self.integer(len(self.pools[kind]), 4)
            out += b"".join(self.integer(key, 8) + value for key, value in self.pools[kind].values())
        return self.event(1, out)

    def metadata(self):
        strings = []

        def number(text):
            if text not in strings:
                strings.append(text)
            return self.integer(strings.index(text), 4)

        def element(name, attributes, children=()):
            return (number(name) + self.integer(len(attributes), 4) +
                    b"".join(number(k) + number(str(v)) for k, v in attributes) + self.integer(len(children), 4) +
                    b"".join(children))

        def field(name, kind, marks=""):
            attributes = [("name", name), ("class", self.ids[kind])]
            attributes += [("constantPool", "true")] * (marks == "k") + [("dimension", 1)] * (marks == "[")
            unit = element("annotation", [("class", 9999), ("value", marks)]) if len(marks) > 1 else None
            return element("field", attributes, [unit] if unit else [])

        classes = [element("class", [("id", self.ids[name]), ("name", name)]) for name in TYPES]
        for name, (parent, fields) in CLASSES.items():
            classes.append(element("class", [("id", self.ids[name]), ("name", name)] + [("superType", parent)] * bool(parent),
                                   [element("annotation", [("class", 9998), ("value", "label")])] + [field(*f) for f in fields]))
        root = element("root", [], [element("metadata", [], classes), element("region", [("locale", "en")])])
        texts = self.integer(len(strings), 4) + b"".join(self.text(text, False) for text in strings)
        return self.event(0, self.integer(FIRST, 8) + self.integer(0, 8) + self.integer(1, 8) + texts + root)

    def write(self, samples):
        events = [self.record("jdk.ActiveSetting", {"id": self.ids[of], "name": name, "value": value})
                  for of, name, value in SETTINGS]
        events.append(self.record("jdk.JVMInformation", {"jvmVersion": "17", "javaArguments": "/srv/App x", "pid": 4711}))
        for name, stack, thread, values, ticks in samples:
            thread_field = next(f[0] for f in CLASSES[name][1] if f[1] == "java.lang.Thread")
            events.append(self.record(name, {"startTime": FIRST + ticks, "stackTrace": stack, thread_field: thread, **values}))
        kinds = list(self.pools)
        half = len(kinds) // 2  # two checkpoints, one of them before the events that refer to it
        metadata = self.metadata()
        events = [self.checkpoint(kinds[:half])] + events + [metadata, self.checkpoint(kinds[half:])]
        body = b"".join(events)
        at = 68 + len(body) - len(events[-1])
        return b"FLR\0" + struct.pack(">hhqqqqqqqi", 2, 1, 68 + len(body), at, at - len(metadata), START, 10**9, FIRST, RATE,
                                      int(self.compressed)) + body


def frames(stack):
    """As Kiln names them, outermost first."""
    if not STACKS.get(stack):
        return ["[no stack]"]
    names = [name if kind in ("C++", "Kernel") else f"{of.replace('/', '.')}.{name}" for of, name, _, kind in STACKS[stack]]
    return ["[truncated:depth]"] * (stack == "cut") + names[::-1]


def folded():
    """The value of each stack by kind."""
    kinds = collections.defaultdict(collections.Counter)
    for name, stack, _, v, _ in SAMPLES[0] + SAMPLES[1]:
        path = frames(stack) + [ARRAYS[v[f]] for f in ("objectClass", "monitorClass") if v.get(f)]
        path += ["[sleeping]"] * (v.get("state") == "STATE_SLEEPING" and name == "profiler.WallClockSample")
        ns = v.get("duration", 0) * 10**9 // RATE
        values = {
            "jdk.ExecutionSample": {"running": 1},
            "jdk.NativeMethodSample": {"waiting" if stack == "poll" else "running": 1},
            "jdk.CPUTimeSample": {"cpu": v.get("samplingPeriod", 0) * 10**9 // RATE},
            "profiler.WallClockSample": {"wall": v.get("samples", 0) * 50000000, "wall-samples": v.get("samples", 0)},
            "jdk.ObjectAllocationInNewTLAB": {"allocated": v.get("tlabSize")},
            "jdk.ObjectAllocationOutsideTLAB": {"allocated": v.get("allocationSize")},
            "jdk.ObjectAllocationSample": {"jdk.ObjectAllocationSample": v.get("weight")},
            "jdk.JavaMonitorEnter": {"lock": ns, "waits": 1}, "jdk.ThreadPark": {"park": ns, "parks": 1},
            "jdk.FileRead": {"io": ns, "calls": 1, "io-bytes": v.get("bytesRead")},
            "test.Task": {"test.Task": ns}, "test.Mark": {"test.Mark": 1} if stack else {},
        }.get(name, {})
        if v.get("duration", 0) >= 0:
            for kind, value in values.items():
                kinds[kind][";".join(path)] += value
    return kinds


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for name, compressed in (("compressed", True), ("plain", False)):
        with open(os.path.join(folder, name + ".jfr"), "wb") as out:
            out.write(Chunk(compressed, 2, 1).write(SAMPLES[0]) + Chunk(compressed, 300, 1 << 62).write(SAMPLES[1]))
    kinds = folded()
    with open(os.path.join(folder, "kinds.folded"), "w") as out:
        for kind in sorted(kinds):
            for stack in sorted(kinds[kind]):
                out.write(f"{kind} {stack} {kinds[kind][stack]}\n")


main(sys.argv[1])

#!/usr/bin/env python3
"""make.py FOLDER: perf.data files, word by word, and NAME.folded for all NAME-*.data: what they stand for.

What happened is told once: which records there are, and what each sample adds to which stack. The files
differ in how they say it: byte order, age of the kernel, pipe or file, compressed or not.
Written from linux/perf_event.h and Linux, tools/perf/Documentation/perf.data-file-format.txt. The names
come from two small programs below FOLDER/root (for --symfs)."""
import collections
import os
import struct
import sys

MMAP, LOST, COMM, EXIT, THROTTLE, UNTHROTTLE, FORK, READ, SAMPLE, MMAP2, AUX = range(1, 12)
ITRACE_START, LOST_SAMPLES, SWITCH, SWITCH_CPU_WIDE, NAMESPACES, KSYMBOL, BPF_EVENT = range(12, 19)
CGROUP, TEXT_POKE, AUX_OUTPUT_HW_ID = range(19, 22)
HEADER_ATTR, _, TRACING_DATA, BUILD_ID, FINISHED_ROUND, ID_INDEX, AUXTRACE_INFO, AUXTRACE = range(64, 72)
AUXTRACE_ERROR, THREAD_MAP, CPU_MAP, STAT_CONFIG, STAT, STAT_ROUND, EVENT_UPDATE = range(72, 79)
TIME_CONV, FEATURE, COMPRESSED, FINISHED_INIT, COMPRESSED2 = range(79, 84)
KERNEL, USER, COMM_EXEC, SWITCH_OUT, BUILD_ID_SIZED = 1, 2, 1 << 13, 1 << 13, 1 << 14

# sample_type, in the order of its bits
FIELDS = ("ip tid time addr read callchain id cpu period stream_id raw branch_stack regs_user stack_user weight"
          " data_src identifier transaction regs_intr phys_addr aux cgroup data_page_size code_page_size"
          " weight_struct").split()
BIT = {name: 1 << i for i, name in enumerate(FIELDS)}
# Flags of an event, by bit.
SAMPLE_ID_ALL = 18
FREQUENCY = 10
KERNEL_MARK, USER_MARK = 2**64 - 128, 2**64 - 512
NO_THREAD = 2**32 - 1
BUILD_IDS = {"/opt/kiln/program": bytes(range(20)), "/opt/kiln/other": bytes(range(100, 116))}


def bits(names):
    return sum(BIT[name] for name in names.split())


class Event:
    """One perf_event_attr, by default as Linux 5.13 to 6.2 has it."""

    def __init__(self, name, fields, size=128, ids=(), period=1, flags=(SAMPLE_ID_ALL,), read_format=0,
                 branch_type=0, regs_user=0, stack_user=0, regs_intr=0, config=0):
        self.name, self.fields, self.size, self.ids, self.period = name, bits(fields), size, list(ids), period
        self.flags, self.read_format, self.branch_type, self.config = flags, read_format, branch_type, config
        self.regs_user, self.stack_user, self.regs_intr = regs_user, stack_user, regs_intr

    def has(self, name):
        return bool(self.fields & BIT[name])


class Bytes:
    """Numbers and text in one byte order."""

    def __init__(self, order):
        self.order = order
        self.counted = collections.Counter()  # by event id, for samples that read the counter

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def words(self, *values):
        return self.pack(f"{len(values)}Q", *values)

    def text(self, value, multiple=8):
        data = value.encode() + b"\0"
        return data + bytes(-len(data) % multiple)

    def string(self, value):
        """As feature sections have it."""
        data = self.text(value, 64)
        return self.pack("I", len(data)) + data

    def record(self, kind, body, misc=0):
        assert len(body) % 8 == 0, (kind, len(body))
        return self.pack("IHH", kind, misc, 8 + len(body)) + body

    def attr(self, event):
        # A bit field starts at the high end of a big-endian word.
        flags = sum(1 << (bit if self.order == "<" else 63 - bit) for bit in event.flags)
        whole = self.pack("IIQQQQ", 1, event.size, event.config, event.period, event.fields, event.read_format)
        whole += self.words(flags) + self.pack("IIQQ", 0, 0, 0, 0)
        whole += self.words(event.branch_type, event.regs_user) + self.pack("Ii", event.stack_user, 0)
        whole += self.words(event.regs_intr) + self.pack("IHHIIQQ", 0, 0, 0, 0, 0, 0, 0)
        assert len(whole) == 136
        return whole[:event.size]

    def trailer(self, event, at, pid, tid, cpu=1):
        """What sample_id_all puts behind every record."""
        if SAMPLE_ID_ALL not in event.flags:
            return b""
        identity = event.ids[0] if event.ids else 0
        parts = [("tid", self.pack("II", pid, tid)), ("time", self.words(at)), ("id", self.words(identity)),
                 ("stream_id", self.words(77)), ("cpu", self.pack("II", cpu, 0)),
                 ("identifier", self.words(identity))]
        return b"".join(data for name, data in parts if event.has(name))

    def read(self, event, counted):
        """What the counter says, or those of a group in which the second one stands still."""
        total, running, identity, group, lost = (event.read_format >> i & 1 for i in range(5))
        times = [9] * (total + running)
        one = lambda value, number: [value] + [number] * identity
        if group:
            return self.words(2, *times, *one(counted, event.ids[0]), *[0] * lost, *one(0, event.ids[1]), *[0] * lost)
        return self.words(counted, *times, *[event.ids[0]] * identity, *[0] * lost)

    def sample(self, event, at, pid, tid, period, chain):
        """`chain`: what the kernel writes, marks included; its first address is the sampled one."""
        ip = next((word for word in chain if word < KERNEL_MARK - 4096 or word == 0), 0)
        identity, three = event.ids[0] if event.ids else 0, b"\1\2\3"
        raw = self.pack("I", 12) + bytes(12)
        branches = [2] + [5] * (event.branch_type >> 17 & 1) + [0x400011, 0x400022, 1, 0x400033, 0x400044, 2]
        registers = lambda mask: [2] + [0x1000 + i for i in range(bin(mask).count("1"))]
        stack = self.words(event.stack_user) + bytes(event.stack_user)
        counted = self.counted[identity] = self.counted[identity] + period
        parts = [
            ("identifier", self.words(identity)), ("ip", self.words(ip)), ("tid", self.pack("II", pid, tid)),
            ("time", self.words(at)), ("addr", self.words(0xadd4)), ("id", self.words(identity)),
            ("stream_id", self.words(77)), ("cpu", self.pack("II", 1, 0)), ("period", self.words(period)),
            ("read", self.read(event, counted)), ("callchain", self.words(len(chain), *chain)), ("raw", raw),
            ("branch_stack", self.words(*branches)), ("regs_user", self.words(*registers(event.regs_user))),
            ("stack_user", stack + (self.words(event.stack_user // 2) if event.stack_user else b"")),
            ("weight", self.words(3)), ("weight_struct", self.pack("IHH", 3, 4, 5)), ("data_src", self.words(6)),
            ("transaction", self.words(7)), ("regs_intr", self.words(*registers(event.regs_intr))),
            ("phys_addr", self.words(8)), ("cgroup", self.words(1)), ("data_page_size", self.words(4096)),
            ("code_page_size", self.words(4096)), ("aux", self.words(8) + three + bytes(5))]
        misc = KERNEL if chain[:1] == [KERNEL_MARK] else USER
        return self.record(SAMPLE, b"".join(data for name, data in parts if event.has(name)), misc)


# ---- The programs that are run ----

def program(build_id, functions, start=0x400000):
    """A little ELF file: each function 256 bytes, the first one 0x400 behind the start."""
    names, symbols, text = b"\0", bytes(24), 0x400
    for i, name in enumerate(functions):
        symbols += struct.pack("<IBBHQQ", len(names), 0x12, 0, 2, start + text + 256 * i, 256)
        names += name.encode() + b"\0"
    titles = b"\0.note.gnu.build-id\0.text\0.symtab\0.strtab\0.shstrtab\0"
    note = struct.pack("<III4s", 4, len(build_id), 3, b"GNU") + build_id
    # name, type, flags, offset (also from the start in memory), content, link, info, alignment, entry size
    sections = [(b".note", 7, 2, 176, note, 0, 0, 4, 0), (b".text", 1, 6, text, bytes(256 * len(functions)), 0, 0, 16, 0),
                (b".symtab", 2, 0, 0, symbols, 4, 1, 8, 24), (b".strtab", 3, 0, 0, names, 0, 0, 1, 0),
                (b".shstrtab", 3, 0, 0, titles, 0, 0, 1, 0)]
    body, table = bytearray(176), bytes(64)
    for title, kind, flags, at, content, link, info, alignment, entry in sections:
        body += bytes(max(at - len(body), -len(body) % 8))
        table += struct.pack("<IIQQQQIIQQ", titles.index(title), kind, flags, start + at if at else 0, len(body),
                             len(content), link, info, alignment, entry)
        body += content
    body += bytes(-len(body) % 8)
    body[:64] = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 2, 62, 1, start + text, 64, len(body), 0, 64, 56, 2, 64, 6, 5)
    body[64:120] = struct.pack("<IIQQQQQQ", 1, 5, 0, start, start, len(body), len(body), 0x1000)
    body[120:176] = struct.pack("<IIQQQQQQ", 4, 4, 176, start + 176, start + 176, len(note), len(note), 4)
    return bytes(body) + table


PROGRAMS = {"/opt/kiln/program": ["main", "work", "leaf", "spare"], "/opt/kiln/other": ["begin", "step", "stop"]}
MAIN, WORK, LEAF = 0x400410, 0x400520, 0x400630  # in program; in the other: begin, step, stop


# ---- What happened ----

class Story:
    """Records of the kernel in the order in which a file has them, and the weight of each stack."""

    def __init__(self, order, event, modern=True):
        self.out, self.event, self.modern = Bytes(order), event, modern
        self.records, self.weights = [], collections.Counter()

    def say(self, kind, body, at, pid=100, tid=None, misc=0, event=None):
        event = event or self.event
        self.records.append(self.out.record(
            kind, body + self.out.trailer(event, at, pid, pid if tid is None else tid), misc))

    def comm(self, at, pid, tid, name, exec_=False):
        body = self.out.pack("II", pid, tid) + self.out.text(name)
        self.say(COMM, body, at, pid, tid, COMM_EXEC if exec_ and self.modern else 0)

    def task(self, kind, at, pid, parent, tid, parent_tid):
        body = self.out.pack("IIII", pid, parent, tid, parent_tid) + self.out.words(at)
        self.say(kind, body, at, pid, tid)

    def map(self, at, pid, path, start=0x400000, size=0x1000, offset=0, misc=USER):
        body = self.out.pack("II", pid, pid) + self.out.words(start, size, offset)
        if not self.modern:
            self.say(MMAP, body + self.out.text(path), at, pid, misc=misc)
            return
        body += self.out.pack("IIQQ", 8, 1, 1234, 5) + self.out.pack("II", 5, 2)
        self.say(MMAP2, body + self.out.text(path), at, pid, misc=misc)

    def map_by_id(self, at, pid, path, start=0x400000, size=0x1000):
        """MMAP2 as --buildid-mmap has it."""
        identity = BUILD_IDS[path]
        body = self.out.pack("II", pid, pid) + self.out.words(start, size, 0)
        body += bytes([len(identity), 0, 0, 0]) + identity.ljust(20, b"\0") + self.out.pack("II", 5, 2)
        self.say(MMAP2, body + self.out.text(path), at, pid, misc=USER | BUILD_ID_SIZED)

    def sample(self, at, pid, tid, period, chain, stack, event=None):
        event = event or self.event
        self.records.append(self.out.sample(event, at, pid, tid, period, chain))
        self.weights[event.name, stack] += period if event.has("period") else event.period

    def round(self):
        self.records.append(self.out.record(FINISHED_ROUND, b""))


def first_chapter(s):
    """A program, its threads and children; records of several CPUs, so not in the order of time."""
    s.comm(100, 100, 100, "program", exec_=True)
    s.map(110, 100, "/opt/kiln/program")
    s.sample(200, 100, 100, 3, [USER_MARK, LEAF, WORK, MAIN], "program;main;work;leaf")
    s.sample(210, 100, 100, 4, [USER_MARK, WORK, MAIN], "program;main;work")
    s.sample(220, 100, 100, 5, [USER_MARK, MAIN], "program;main")
    s.task(FORK, 300, 100, 100, 101, 100)
    s.sample(310, 100, 101, 6, [USER_MARK, WORK, MAIN], "program;main;work")
    s.comm(320, 100, 101, "two words")
    s.sample(330, 100, 101, 7, [USER_MARK, WORK, MAIN], "two_words;main;work")
    s.round()
    # A child has its parent's name and mappings until it runs another program at the same place.
    s.sample(450, 200, 200, 9, [USER_MARK, WORK, MAIN], "other;begin;step")
    s.sample(410, 200, 200, 8, [USER_MARK, LEAF, MAIN], "program;main;leaf")
    s.task(FORK, 400, 200, 100, 200, 100)
    s.map(440, 200, "/opt/kiln/other")
    s.comm(430, 200, 200, "other", exec_=True)
    s.round()
    # Nothing is known there; the last word of a file that is mapped from its middle on.
    s.sample(500, 200, 200, 10, [USER_MARK, 0x70000000, MAIN], "other;begin;[unknown]")
    s.map(510, 200, "/opt/kiln/program", start=0x7f0000000000, size=0x800, offset=0x400)
    s.sample(520, 200, 200, 11, [USER_MARK, 0x7f0000000110, MAIN], "other;begin;work")
    s.task(EXIT, 530, 200, 200, 200, 200)
    # Half in the kernel; the first of its addresses is the one that was sampled.
    s.sample(540, 100, 100, 12, [USER_MARK, LEAF + 8, MAIN], "program;main;leaf")
    s.round()


def kernel_chapter(s):
    """Every kind of record that the kernel writes."""
    out, number = s.out, s.event.ids[0] if s.event.ids else 0
    s.say(LOST, out.words(number, 5), 600)
    s.say(THROTTLE, out.words(601, number, 77), 601)
    s.say(UNTHROTTLE, out.words(602, number, 77), 602)
    s.say(READ, out.pack("II", 100, 100) + out.read(s.event, 9), 603)
    s.say(MMAP, out.pack("II", 100, 100) + out.words(0x500000, 0x1000, 0) + out.text("/opt/kiln/other"), 604)
    s.sample(605, 100, 100, 13, [USER_MARK, 0x500520, MAIN], "program;main;step")
    if not s.modern:
        return
    s.map_by_id(606, 100, "/opt/kiln/other", start=0x600000)
    s.sample(607, 100, 100, 14, [USER_MARK, 0x600630, MAIN], "program;main;stop")
    s.say(AUX, out.words(0, 64, 0), 610)
    s.say(ITRACE_START, out.pack("II", 100, 100), 611)
    s.say(LOST_SAMPLES, out.words(2), 612)
    s.say(SWITCH, b"", 613, misc=SWITCH_OUT)
    s.say(SWITCH_CPU_WIDE, out.pack("II", 0, 0), 614)
    s.say(NAMESPACES, out.pack("II", 100, 100) + out.words(2, 1, 11, 2, 22), 615)
    s.say(KSYMBOL, out.words(0xffffffffc0001000) + out.pack("IHH", 256, 1, 0) + out.text("bpf_prog_0123_handler"), 616)
    s.sample(617, 100, 100, 15, [KERNEL_MARK, 0xffffffffc0001020, USER_MARK, LEAF, MAIN],
             "program;main;leaf;bpf_prog_0123_handler")
    s.say(BPF_EVENT, out.pack("HHI", 1, 0, 7) + bytes(8), 618)
    s.say(CGROUP, out.words(1) + out.text("/one"), 619)
    s.say(TEXT_POKE, out.words(0xffffffffc0001040) + out.pack("HH", 2, 2) + b"\1\2\3\4", 620)
    s.say(AUX_OUTPUT_HW_ID, out.words(3), 621)
    # A kind that is not known yet, shorter and longer than any other.
    s.say(50, b"", 622)
    s.say(51, bytes(400), 623)
    s.round()


def perf_chapter(s):
    """Every kind of record that perf writes itself."""
    out = s.out
    add = lambda kind, body, misc=0: s.records.append(out.record(kind, body, misc))
    add(BUILD_ID, out.pack("i", -1) + bytes(20) + bytes(4) + bytes(4) + out.text("[kernel.kallsyms]"))
    add(ID_INDEX, out.words(1, s.event.ids[0], 0, 1, 100))
    add(TIME_CONV, out.words(0, 1, 0))
    add(AUXTRACE_INFO, out.pack("II", 4, 0) + out.words(99, 1))
    # Its data stand behind the record, and look like a sample.
    data = out.sample(s.event, 700, 100, 100, 1000000, [USER_MARK, MAIN])
    s.records.append(out.record(AUXTRACE, out.words(len(data), 0, 0) + out.pack("IIII", 0, 100, 1, 0)) + data)
    add(AUXTRACE_ERROR, out.pack("IIIIII", 1, 1, 0, 100, 100, 0) + out.words(MAIN) + bytes(64))
    add(THREAD_MAP, out.words(1, 100) + b"program\0" + bytes(8))
    add(CPU_MAP, out.pack("HHHH", 0, 2, 0, 1))
    add(STAT_CONFIG, out.words(1, 1, 1))
    add(STAT, out.words(s.event.ids[0]) + out.pack("II", 0, 0) + out.words(1, 1, 1))
    add(STAT_ROUND, out.words(0, 0))
    add(FINISHED_INIT, b"")
    if s.event.size > 128:
        add(99, bytes(24))  # of a perf to come
    s.sample(800, 100, 100, 16, [USER_MARK, WORK, MAIN], "program;main;work")
    s.round()


# ---- Files ----

def with_features(out, at, sections):
    """Feature sections by number, to stand at offset `at`: a table, then what it points to."""
    table, body = b"", b""
    for number in sorted(sections):
        table += out.words(at + 16 * len(sections) + len(body), len(sections[number]))
        body += sections[number] + bytes(-len(sections[number]) % 8)
    return table + body


def build_ids(out):
    """The feature section 2; one of the build ids has 16 bytes."""
    section = b""
    for path, identity in BUILD_IDS.items():
        misc = USER | (1 << 15 if len(identity) < 20 else 0)
        name = out.text(path, 64)
        sized = identity.ljust(20, b"\0") + bytes([len(identity) if len(identity) < 20 else 0, 0, 0, 0])
        section += out.pack("IHHi", 0, misc, 36 + len(name), -1) + sized + name
    return section


def features(out, events, compressed=False):
    described = out.pack("II", len(events), events[0].size)
    for event in events:
        described += out.attr(event) + out.pack("I", len(event.ids)) + out.string(event.name)
        described += out.words(*event.ids)
    sections = {2: build_ids(out), 3: out.string("test.host"), 4: out.string("6.0.0-test"), 6: out.string("x86_64"),
                11: out.pack("I", 2) + out.string("perf") + out.string("record"), 12: described,
                21: out.words(200, 800)}
    if compressed:
        sections[27] = out.pack("IIIII", 1, 1, 1, 1, 1 << 20)
    return sections


def file_of(out, events, records, sections):
    magic = b"PERFILE2" if out.order == "<" else b"2ELIFREP"
    size = events[0].size
    ids = b"".join(out.words(*event.ids) for event in events)
    attrs, at = b"", 104
    for event in events:
        attrs += out.attr(event) + out.words(at if event.ids else 0, 8 * len(event.ids))
        at += 8 * len(event.ids)
    start = 104 + len(ids) + len(attrs)
    data = b"".join(records)
    present = sum(1 << number for number in sections)
    head = magic + out.words(104, size + 16, 104 + len(ids), len(attrs), start, len(data), 0, 0, present, 0, 0, 0)
    return head + ids + attrs + data + with_features(out, start + len(data), sections)


def pipe_of(out, events, records):
    whole = (b"PERFILE2" if out.order == "<" else b"2ELIFREP") + out.words(16)
    for event in events:
        whole += out.record(HEADER_ATTR, out.attr(event) + out.words(*event.ids))
    for number, section in sorted(features(out, events).items()):
        whole += out.record(FEATURE, out.words(number) + section + bytes(-len(section) % 8))
    # The record tells the size of what follows it.
    tracing = b"\x17\x08\x44tracing0.6\0" + bytes([out.order == ">", 8]) + out.pack("I", 4096)
    page = b"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
    tracing += b"header_page\0" + out.words(len(page)) + page + b"header_event\0" + out.words(len(page)) + page
    tracing += bytes(4 + 4 + 4 + 4 + 8)  # neither events nor symbols
    tracing += bytes(-len(tracing) % 8)
    whole += out.record(TRACING_DATA, out.pack("II", len(tracing), 0)) + tracing
    return whole + b"".join(records)


def compressed(out, records, kind):
    """The kernel's records as one stream of zstd (raw blocks), cut where no record ends; perf's own stay."""
    packed, run, started = [], b"", False
    kind_of = lambda record: struct.unpack_from(out.order + "I", record)[0]
    for record, after in zip(records, records[1:] + [None]):
        if kind_of(record) >= HEADER_ATTR:
            packed.append(record)
            continue
        run += record
        if after and kind_of(after) < HEADER_ATTR:
            continue
        for at in range(0, len(run), 700):
            part = run[at:at + 700]
            data = b"" if started else struct.pack("<IBB", 0xfd2fb528, 0, 0x50)
            data += struct.pack("<I", len(part) << 3)[:3] + part
            if kind == COMPRESSED2:
                packed.append(out.record(COMPRESSED2, out.words(len(data)) + data + bytes(-len(data) % 8)))
            else:  # of any length, until Linux 6.16
                packed.append(out.pack("IHH", COMPRESSED, 0, 8 + len(data)) + data)
            started = True
        run = b""
    return packed


def expected(weights, named=False):
    """As folded text; `named`: with the event in front of each line."""
    lines = [f"{event} {stack} {weight}\n" if named else f"{stack} {weight}\n"
             for (event, stack), weight in weights.items()]
    return "".join(sorted(lines, key=str.encode))


def write(folder, name, content):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def today(order, size=128):
    fields = "ip tid time callchain cpu period identifier"
    event = Event("cpu-clock", fields, size=size, ids=[41, 42], read_format=20)
    story = Story(order, event)
    first_chapter(story)
    kernel_chapter(story)
    perf_chapter(story)
    return story


def of_age(size):
    """Kernels and perfs of old: no identifier, MMAP instead of MMAP2, shorter attrs."""
    event = Event("cpu-clock", "ip tid time callchain period", size=size, ids=[7])
    story = Story("<", event, modern=False)
    first_chapter(story)
    kernel_chapter(story)
    return story


def of_fields(order):
    """One event for every field of a sample, one with all of them, and some with fields left out."""
    base = "ip tid time callchain period identifier"
    optional = [name for name in FIELDS if name not in base.split()]
    rest = dict(branch_type=1, regs_user=0xff0fff, stack_user=32, regs_intr=7, read_format=4)
    every = " ".join(name for name in FIELDS if name not in ("weight", "stack_user"))
    kinds = [(name, base + " " + name, rest) for name in optional]
    kinds += [("all", every, rest), ("hw_index", every, {**rest, "branch_type": 1 | 1 << 17}),
              ("no_stack", every + " stack_user", {**rest, "stack_user": 0}),  # nothing but its size
              ("lost", every, {**rest, "read_format": 1 | 2 | 4 | 16}),
              ("group", every, {**rest, "read_format": 1 | 2 | 4 | 8}),
              ("group_lost", every, {**rest, "read_format": 4 | 8 | 16}),
              ("no_period", "ip tid time callchain identifier", rest),
              ("no_callchain", "ip tid time period identifier", rest)]
    events = [Event("f-" + name, fields, ids=[1000 + 2 * i, 1001 + 2 * i], period=50 + i, config=i, **options)
              for i, (name, fields, options) in enumerate(kinds)]
    story = Story(order, events[0])
    story.comm(100, 100, 100, "program", exec_=True)
    story.map(110, 100, "/opt/kiln/program")
    for i, event in enumerate(events):
        chain, stack = [USER_MARK, LEAF, WORK, MAIN], "program;main;work;leaf"
        if not event.has("callchain"):
            chain, stack = [LEAF], "program;leaf"
        story.sample(200 + i, 100, 100, 2 + i, chain, stack, event)
        # What follows a record whose length was not understood is lost.
        story.sample(300 + i, 100, 100, 1, chain, stack, event)
    return story, events


def main():
    folder = sys.argv[1]
    for path, functions in PROGRAMS.items():
        write(folder, "root" + path, program(BUILD_IDS[path], functions))
    for order, name in (("<", "little"), (">", "big")):
        story = today(order)
        out, events = story.out, [story.event]
        sections, packed = features(out, events), features(out, events, True)
        write(folder, f"today-{name}.data", file_of(out, events, story.records, sections))
        write(folder, f"today-{name}-pipe.data", pipe_of(out, events, story.records))
        for kind in (COMPRESSED, COMPRESSED2):
            write(folder, f"today-{name}-{kind}.data",
                  file_of(out, events, compressed(out, story.records, kind), packed))
        write(folder, "today.folded", expected(story.weights))
        story, events = of_fields(order)
        write(folder, f"fields-{name}.data", file_of(out, events, story.records, features(out, events)))
        write(folder, "fields.folded", expected(story.weights, named=True))
    story = today("<", 136)  # since Linux 6.3
    write(folder, "today-136.data", file_of(story.out, [story.event], story.records, features(story.out, [story.event])))
    for size in (64, 72, 80, 96):
        story = of_age(size)
        write(folder, f"old-{size}.data", file_of(story.out, [story.event], story.records, {2: build_ids(story.out)}))
        write(folder, "old.folded", expected(story.weights))


if __name__ == "__main__":
    main()

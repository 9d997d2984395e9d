#!/usr/bin/env python3
"""view_perf_data.py TEXT OUT: the samples of `perf script`'s text as a perf.data file, for bench/view.sh.

Each file has a place of its own in every process, at which the text's addresses, which are offsets in it, are
addresses again; code without a file has none. Written from linux/perf_event.h and Linux,
tools/perf/Documentation/perf.data-file-format.txt.
"""
import re
import struct
import sys

COMM, SAMPLE, MMAP2 = 3, 9, 10
KERNEL, USER = 1, 2
IP, TID, TIME, CALLCHAIN, PERIOD = 1, 2, 4, 1 << 5, 1 << 8
SAMPLE_ID_ALL, ATTR_SIZE, CPU_CLOCK = 1 << 18, 112, 0
KERNEL_MARK, USER_MARK = 2**64 - 128, 2**64 - 512
KERNEL_START, ROOM = 0xFFFFFFFF80000000, 1 << 32  # bytes of a file's place
EXECUTABLE, PRIVATE = 5, 2
SAMPLE_LINE = re.compile(r"(\S.*?) +(\d+) +(\d+)\.(\d+): +(\d+) ")
FRAME_LINE = re.compile(r"\s+([0-9a-f]+) .*\((/[^()]*)\)$|\s+([0-9a-f]+) ")


def text(value):
    data = value.encode() + b"\0"
    return data + bytes(-len(data) % 8)


class Writer:
    def __init__(self, out):
        self.out, self.places, self.commands, self.mapped = out, {}, {}, set()

    def record(self, kind, body, misc=USER):
        self.out.write(struct.pack("<IHH", kind, misc, 8 + len(body)) + body)

    def told(self, kind, tid, time, body):
        """With what sample_id_all puts behind it."""
        self.record(kind, struct.pack("<II", tid, tid) + body + struct.pack("<IIQ", tid, tid, time))

    def map(self, tid, time, start, length, path):
        self.told(MMAP2, tid, time, struct.pack("<QQQIIQQII", start, length, 0, 0, 0, 0, 0, EXECUTABLE, PRIVATE) + text(path))

    def sample(self, command, tid, time, period, frames):
        if self.commands.get(tid) != command:
            self.commands[tid] = command
            self.told(COMM, tid, time, text(command))
        chain, mark = [], None
        for address, path in frames:
            if path and address < ROOM:
                start = self.places.setdefault(path, (len(self.places) + 1) * 2 * ROOM)
                if (tid, path) not in self.mapped:
                    self.mapped.add((tid, path))
                    self.map(tid, time, start, ROOM, path)
                address += start
            now = KERNEL_MARK if address >= KERNEL_START else USER_MARK
            chain += [now] * (now != mark) + [address]
            mark = now
        ip = chain[1] if chain else 0
        self.record(SAMPLE, struct.pack(f"<QIIQQQ{len(chain)}Q", ip, tid, tid, time, period, len(chain), *chain),
                    KERNEL if ip >= KERNEL_START else USER)

    def read(self, lines):
        self.map(2**32 - 1, 0, KERNEL_START, 2**64 - KERNEL_START - 1, "[kernel.kallsyms]_text")
        head, frames, samples = None, [], 0
        for line in lines:
            if line == "\n" and head:
                self.sample(*head, frames)
                head, frames, samples = None, [], samples + 1
            elif line[0] in " \t" and head:
                address, path, bare = FRAME_LINE.match(line).groups()
                frames.append((int(address or bare, 16), path))
            elif line != "\n":
                command, tid, seconds, rest, period = SAMPLE_LINE.match(line).groups()
                head = command, int(tid), int(seconds) * 10**9 + int(rest.ljust(9, "0")), int(period)
        if head:
            self.sample(*head, frames)
        return samples + bool(head)


def main():
    fields = IP | TID | TIME | CALLCHAIN | PERIOD
    attr = struct.pack("<IIQQQQQ", 1, ATTR_SIZE, CPU_CLOCK, 100000, fields, 0, SAMPLE_ID_ALL)
    attr += bytes(ATTR_SIZE - len(attr)) + bytes(16)  # and no ids
    header = 104
    with open(sys.argv[1], encoding="utf-8", errors="replace") as lines, open(sys.argv[2], "wb") as out:
        out.write(bytes(header) + attr)
        samples = Writer(out).read(lines)
        size = out.tell() - header - len(attr)
        out.seek(0)
        out.write(b"PERFILE2" + struct.pack("<8Q", header, len(attr), header, len(attr), header + len(attr), size, 0, 0))
    print("%d samples" % samples)


if __name__ == "__main__":
    main()

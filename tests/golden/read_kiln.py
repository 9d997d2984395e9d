#!/usr/bin/env python3
"""read_kiln.py FILE: the first kind of a .kiln file as folded text, written from docs/kiln-format.md."""
import collections
import struct
import sys

SECTION = struct.Struct("<IHHIIQQQQQQ")  # magic table column instance item first rows size offset sums
END, COMMIT = (0, 3), (0, 1)
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89KILN\r\n\x1a" and struct.unpack_from("<I", data, 8)[0] == 1
last = SECTION.unpack_from(data, len(data) - 64)
if last[1:3] == END:
    index = SECTION.unpack_from(data, last[5])
    sections = list(SECTION.iter_unpack(data[last[5] + 64:last[5] + 64 + index[7]]))
else:
    sections, at, complete = [], 64, 0
    while at + 64 <= len(data) and data[at:at + 4] == b"KSEC":
        sections.append(SECTION.unpack_from(data, at))
        at += 64 + (sections[-1][7] + 63) // 64 * 64
        if at <= len(data) and sections[-1][1:3] == COMMIT:
            complete = len(sections)
    del sections[complete:]
columns = collections.defaultdict(bytearray)
for _, table, column, instance, item, first, rows, size, offset, *_ in sections:
    columns[table, column, instance][first * item:(first + rows) * item] = data[offset + 64:offset + 64 + size]


def rows(table, column, layout, instance=0):
    return list(struct.iter_unpack("<" + layout, columns[table, column, instance]))


ends, text = [end for end, in rows(1, 1, "Q")], bytes(columns[1, 2, 0])
strings = [text[ends[i - 1] if i else 0:end].decode() for i, end in enumerate(ends)]
frames, place = [strings[f[0]] for f in rows(2, 1, "5I")], [f for f, in rows(6, 1, "I")]
names = [";".join(frames[f].replace(";", ":") for f in place[first:first + count]) for first, count in rows(5, 2, "2I")]
stacks = [""]
for (caller,), (location,) in list(zip(rows(7, 1, "I"), rows(7, 2, "I")))[1:]:
    stacks.append(f"{stacks[caller]};{names[location]}" if stacks[caller] else names[location])
streams, totals = rows(11, 1, "6I2q3Q"), collections.Counter()
for number, stream in enumerate(streams):
    if stream[:3] == streams[0][:3] and stream[4] == streams[0][4]:
        values = [value for value, in rows(11, 2, "q", number)]
        for i, (stack,) in enumerate(rows(10, 1, "I", stream[3])):
            totals[stacks[stack]] += values[i] if values else stream[6]
for stack in sorted(totals, key=str.encode):
    print(stack, totals[stack])

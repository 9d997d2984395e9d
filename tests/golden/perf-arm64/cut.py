#!/usr/bin/env python3
"""cut.py recording IN OUT STEP: every STEP-th sample of a perf.data file, and all of its other records.
cut.py tables IN OUT FROM-TO...: an ELF file of which only the headers and the entries of .eh_frame are left whose
functions begin at these addresses.

What a stack copy has behind its used part becomes zeroes, as does all that is dropped from an ELF file: the sizes of
files stay, and xz makes them small."""
import struct
import sys

SAMPLE = 9


def cut_sample(record):
    """The used part of the copy is the record's last word; the copy is behind the word with its size."""
    used, = struct.unpack_from("<Q", record, len(record) - 16)  # data_src is behind it
    size = 16384
    start = len(record) - 16 - size
    if struct.unpack_from("<Q", record, start - 8)[0] != size:  # a sample without a copy
        return record
    return record[:start + used] + bytes(size - used) + record[start + size:]


def cut_recording(content, step):
    data_at, data_size = struct.unpack_from("<QQ", content, 40)
    records, at, samples = [], data_at, 0
    while at < data_at + data_size:
        kind, _, size = struct.unpack_from("<IHH", content, at)
        if kind != SAMPLE:
            records.append(content[at:at + size])
        else:
            if samples % step == 0:
                records.append(cut_sample(content[at:at + size]))
            samples += 1
        at += size
    data = b"".join(records)
    shift = len(data) - data_size
    head = bytearray(content[:data_at])
    struct.pack_into("<Q", head, 48, len(data))
    tail = bytearray(content[data_at + data_size:])
    features = sum(bin(word).count("1") for word in struct.unpack_from("<4Q", content, 72))
    for i in range(features):
        offset, = struct.unpack_from("<Q", tail, 16 * i)
        struct.pack_into("<Q", tail, 16 * i, offset + shift)
    return bytes(head) + data + bytes(tail)


def keep(kept, content, at, size):
    kept[at:at + size] = content[at:at + size]


def cut_tables(content, ranges):
    sections_at, = struct.unpack_from("<Q", content, 40)
    size, count, names = struct.unpack_from("<HHH", content, 58)
    headers = [struct.unpack_from("<IIQQQQ", content, sections_at + i * size) for i in range(count)]
    kept = bytearray(len(content))
    keep(kept, content, 0, 4096)
    keep(kept, content, sections_at, count * size)
    for name, _, _, address, offset, length in headers:
        text = content[headers[names][4] + name:].split(b"\0", 1)[0]
        if text in (b".shstrtab", b".note.gnu.build-id"):
            keep(kept, content, offset, length)
        if text == b".eh_frame_hdr":  # 4 bytes, the place of .eh_frame, the number of rows, the rows
            keep(kept, content, offset, 12)
            rows = 0
            for i in range(struct.unpack_from("<I", content, offset + 8)[0]):
                start, entry = struct.unpack_from("<ii", content, offset + 12 + 8 * i)
                if any(first <= address + start < end for first, end in ranges):
                    struct.pack_into("<ii", kept, offset + 12 + 8 * rows, start, entry)
                    rows += 1
                    at = offset + entry  # .eh_frame is in the same segment
                    keep(kept, content, at, 4 + struct.unpack_from("<I", content, at)[0])
                    at += 4 - struct.unpack_from("<I", content, at + 4)[0]
                    keep(kept, content, at, 4 + struct.unpack_from("<I", content, at)[0])
            struct.pack_into("<I", kept, offset + 8, rows)
    return bytes(kept)


def main():
    with open(sys.argv[2], "rb") as source, open(sys.argv[3], "wb") as out:
        content = source.read()
        if sys.argv[1] == "tables":
            ranges = [[int(end, 16) for end in range_.split("-")] for range_ in sys.argv[4:]]
            out.write(cut_tables(content, ranges))
        else:
            out.write(cut_recording(content, int(sys.argv[4])))


if __name__ == "__main__":
    main()

"""protobuf.py: fields of protobuf messages as bytes (protobuf.dev/programming-guides/encoding)."""
import struct


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def fixed(field, value):
    return varint(field << 3 | 1) + struct.pack("<Q", value)


def run(field, content):
    """A string, bytes or a message."""
    if isinstance(content, str):
        content = content.encode()
    return varint(field << 3 | 2) + varint(len(content)) + content


def packed(field, values):
    return run(field, b"".join(varint(v) for v in values))

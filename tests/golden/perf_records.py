"""perf_records.py FILE: the records of a perf.data file, without its header and what follows them."""
import struct
import sys

content = open(sys.argv[1], "rb").read()
order = "<" if content.startswith(b"PERFILE2") else ">"
start, size = struct.unpack_from(order + "QQ", content, 40)
sys.stdout.buffer.write(content[start:start + size])

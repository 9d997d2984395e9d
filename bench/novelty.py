#!/usr/bin/env python3
"""novelty.py FILE: how much of a text of `perf script` is new?

A fold that remembers whole call chains would look fast on a text that repeats few of them; this prints
the share of bytes in call chains that did not occur before in the file."""
import sys

seen = set()
total = new = samples = 0
body = bytearray()
with open(sys.argv[1], "rb") as text:
    for line in text:
        if line == b"\n":
            samples += 1
            key = hash(bytes(body))
            if key not in seen:
                seen.add(key)
                new += len(body)
            body.clear()
        else:
            total += len(line)
            if line[:1] == b"\t":
                body += line
print(f"{samples:,} samples, {100 * new / total:.0f}% of the bytes in call chains not seen before")

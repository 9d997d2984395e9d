#!/usr/bin/env python3
"""large.py MIX OUT: folded text with 500,000 different stacks, made from a text of `perf script`.

Addresses stay on the two innermost frames, so that most stacks are different, and modules on all; programs are told apart by
their threads, and the recordings are taken for several machines until there are stacks enough."""
import sys

WANTED = 500_000
counts = {}


def take(event, frames, host):
    words = event.split()
    names = []
    for i, line in enumerate(frames):
        address, rest = line.split(None, 1)
        symbol, module = rest.rsplit(" (", 1)
        name, _, offset = symbol.rpartition("+0x")
        if i < 2:
            name = f"{symbol} {address}"
        name = (name or symbol).replace(";", ":")
        names.append(f"{name} ({module}")
    stack = ";".join([f"host{host}", f"{words[0]}-{words[1]}"] + names[::-1])
    counts[stack] = counts.get(stack, 0) + 1


def main():
    host = 0
    while len(counts) < WANTED:
        host += 1
        event, frames = "", []
        with open(sys.argv[1], encoding="utf-8", errors="replace") as text:
            for line in text:
                line = line.rstrip("\n")
                if line.startswith("\t"):
                    frames.append(line)
                elif line:
                    event = line
                elif frames:
                    take(event, frames, host)
                    frames = []
                    if len(counts) >= WANTED:
                        break
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        for stack in sorted(counts):
            out.write(f"{stack} {counts[stack]}\n")


main()

"""shapes.py: what all shapes of text are made of."""
import random
import sys

draw = random.Random(42)
text = {"written": 0}


def say(what):
    text["written"] += len(what)
    (sys.stdout.buffer if isinstance(what, bytes) else sys.stdout).write(what)


def written():
    """Characters, or bytes, so far."""
    return text["written"]


def place(name, spread=40, offset=None):
    """An address in a function: few different ones for each, as call sites are few."""
    return 0x400000 + hash_of(name) % 0x3FFFFF00 + (draw.randrange(spread) if offset is None else offset)


def hash_of(name):
    value = 5381
    for char in name:
        value = (value * 33 + ord(char)) & 0xFFFFFFFF
    return value


def places_of(frames):
    """(name, which of its places) for each: a callee has its place in the caller, the innermost frame any."""
    return [(name, hash_of(frames[depth - 1]) % 4 if depth else draw.randrange(4)) for depth, name in enumerate(frames)]


class Table:
    """Rows by number, from `first` on, each of which is there once."""

    def __init__(self, first=0):
        self.first, self.rows = first, {}

    def number(self, row):
        return self.rows.setdefault(row, len(self.rows) + self.first)


# ---- Trees, of a thread or an event each: name, own count, children by name, count of all below ----

def total(node):
    if node[3] is None:
        node[3] = node[1] + sum(total(child) for child in node[2].values())
    return node[3]


def walk(node, depth, visit):
    for child in node[2].values():
        visit(child, depth)
        walk(child, depth + 1, visit)

#!/usr/bin/env python3
"""make.py FOLDER [COUNT]: the profiles of ../otlp as JSON; with COUNT so many of any content, beside their messages."""
import os
import random
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", "otlp"), os.path.dirname(here)]
import make as otlp
from otlp_json import as_json
from protobuf import fixed, run


def anything(draw):
    """Whatever the format allows, and here and there what it does not."""
    d = otlp.Dictionary()

    def attributes():
        values = [draw.choice(["", "a", "long " * 9, "\u00e4\U0001f525\n\"\\"]), draw.randrange(-1 << 63, 1 << 63), draw.random() * 1e9,
                  draw.random() < 0.5, draw.randbytes(draw.randrange(9)), []]
        keys = ["thread.name", "thread.id", "process.pid", "profile.frame.type", "cpu.logical_number", "kind", "key"]
        return [d.attr(draw.choice(keys), draw.choice(values), draw.choice(["", "bytes"])) for _ in range(draw.randrange(3))]

    def index(count):
        return draw.randrange(count + 1) if draw.random() < 0.95 else 9999

    for i in range(draw.randrange(1, 5)):
        d.map(draw.choice(["", "/opt/a", "[kernel.kallsyms]", "//anon"]), draw.getrandbits(draw.choice([16, 47, 64])),
              i << 12, *attributes())
    for i in range(20):
        d.fn(f"f{i}", draw.choice(["", f"_Z2f{i}v"]), draw.choice(["", "a.c"]))
    for _ in range(30):
        d.loc(index(len(d.mapping.rows) - 1), draw.getrandbits(draw.choice([1, 16, 47, 64])),
              [(index(20), draw.randrange(1 << 12)) for _ in range(draw.randrange(4))], *attributes())
    for _ in range(30):
        d.stk(*[draw.randrange(1, len(d.location.rows)) for _ in range(draw.choice([1, 3, 40]))])
    d.link(run(1, draw.randbytes(16)) + run(2, draw.randbytes(8)))
    resources = b""
    for _ in range(draw.randrange(1, 4)):
        profiles = b""
        for _ in range(draw.randrange(1, 3)):
            content = d.type(1, *draw.choice([("cpu", "nanoseconds"), ("samples", "count")])) + fixed(3, draw.getrandbits(60))
            content += otlp.number(4, draw.getrandbits(40)) + otlp.number(6, draw.randrange(99))
            for _ in range(30):
                values = [draw.choice([1, -3, 1 << 40, draw.getrandbits(20)]) for _ in range(draw.choice([1, 1, 1, 3]))]
                when = [draw.getrandbits(62) for _ in values] if draw.random() < 0.5 else []
                content += otlp.sample(draw.randrange(len(d.stack.rows)), values, when, attributes(), draw.randrange(2))
            profiles += run(2, content + otlp.packed(11, attributes()))
        resource = run(1, otlp.pair("service.name", draw.choice("abc")) + otlp.pair("process.pid", "77"))
        resources += run(1, resource + run(2, run(1, run(1, "recorder") + run(2, "1")) + profiles))
    return resources + run(2, d.fields())


def make_many(folder, count):
    for seed in range(count):
        message = anything(random.Random(seed))
        with open(f"{folder}/{seed}.otlp", "wb") as out:
            out.write(message)
        for name, plain in ((f"{seed}.json", False), (f"{seed}.plain.json", True)):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as out:
                out.write(as_json(message, plain))


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    if len(sys.argv) > 2:
        make_many(folder, int(sys.argv[2]))
        return
    messages = otlp.messages()
    texts = {name: as_json(content) for name, content in messages.items()}
    texts["plain"] = as_json(messages["everything"], plain=True)
    for name, content in texts.items():
        with open(f"{folder}/{name}.json", "w", encoding="utf-8") as out:
            out.write(content)


main()

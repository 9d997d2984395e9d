"""pprof_orders.py SEED FILE FOLDED: a pprof file of so many stacks in no order that they wait for each other,
and what `kiln fold` makes of it.

Some come again and again, some are the start of others; locations have one line, several or none with a name,
and some are twice in the file; most samples have theirs in one field, some in several, some refer to nothing.
With an odd seed every sample starts the same way for a while and another way from then on."""
import random
import sys

from protobuf import number, packed, run

FUNCTIONS, LOCATIONS, SAMPLES = 300, 500, 80_000


def lines_of(location):
    """Functions, innermost first: locations from 400 on repeat others."""
    location %= 400
    inlined = [(location * 7 + i) % FUNCTIONS for i in range(location % 3 if location % 5 == 0 else 0)]
    return inlined + [location % FUNCTIONS]


def walk(rng, root):
    stack = [root]
    for _ in range(rng.randrange(30)):
        stack.append((stack[-1] * 31 + min(int(rng.expovariate(0.7)), 20)) % LOCATIONS)
    return stack


def sample(rng, stack, value):
    inside_out = [location + 1 for location in reversed(stack)]
    kind = rng.random()
    if kind < 0.02:
        content = b"".join(number(1, location) for location in inside_out)
    elif kind < 0.04:
        at = rng.randrange(len(inside_out))
        content = packed(1, inside_out[:at]) + packed(1, inside_out[at:])
    else:
        content = packed(1, inside_out)
    return run(2, content + packed(2, [value]))


def main():
    seed = int(sys.argv[1])
    rng = random.Random(seed)
    known, sums, samples = [], {}, []
    for i in range(SAMPLES):
        root = 0 if i < 9000 or seed % 2 == 0 else rng.randrange(1, 4)
        stack = rng.choice(known) if known and rng.random() < 0.08 else walk(rng, root)
        if rng.random() < 0.05:
            stack = stack[: rng.randrange(1, len(stack) + 1)]
        known.append(stack)
        if rng.random() < 0.01:
            samples.append(sample(rng, stack + [LOCATIONS + 9], 1))
            continue
        value = rng.randrange(1, 100)
        samples.append(sample(rng, stack, value))
        names = []
        for location in stack:
            lines = lines_of(location)[::-1]
            names += [f"f{f}" for f in lines]
        text = ";".join(names)
        sums[text] = sums.get(text, 0) + value
    strings = ["", "cpu", "count"] + [f"f{i}" for i in range(FUNCTIONS)]
    with open(sys.argv[2], "wb") as out:
        out.write(run(1, number(1, 1) + number(2, 2)))
        out.write(b"".join(samples))
        for location in range(LOCATIONS):
            lines = b"".join(run(4, number(1, f + 1)) for f in lines_of(location))
            out.write(run(4, number(1, location + 1) + lines))
        for f in range(FUNCTIONS):
            out.write(run(5, number(1, f + 1) + number(2, f + 3)))
        out.write(b"".join(run(6, text) for text in strings))
    with open(sys.argv[3], "w", encoding="ascii") as out:
        out.writelines(f"{stack} {value}\n" for stack, value in sums.items())


main()

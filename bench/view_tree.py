#!/usr/bin/env python3
"""view_tree.py NODES: folded text whose call tree has about that many nodes, 20 to 60 deep, of 50,000 names."""
import random
import sys

draw = random.Random(42)
wanted, nodes, line = int(sys.argv[1]), 0, []
while nodes < wanted:
    # Go on from somewhere in the stack before: most of it is shared.
    del line[int(len(line) * draw.random() ** 0.5):]
    deep = draw.randrange(20, 60)
    while len(line) < deep:
        line.append(f"namespace::function_{int(50000 * draw.random() ** 2)}")
        nodes += 1
    print(";".join(line), draw.randrange(1, 100))

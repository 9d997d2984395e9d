"""circles.py [ROOT]: do files include one another in a circle?

A unit is NAME.c with NAME.h, and NAME_internal.h, which has what its files share with others of one subject;
NAME_loops.h and NAME_avx2.c are loops of it that are compiled for several processors. One unit depends on another when one of its files includes the other's header. Each circle is printed with an include
that makes each step of it.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]*)"', re.M)


def units(root):
    """For each unit, the units that it includes: {unit: {other: "file:line"}}."""
    found = {}
    for top in "src", "include", "bpf":
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                if name.endswith((".c", ".h")):
                    path = os.path.relpath(os.path.join(folder, name), root)
                    add_file(found, root, path)
    return found


def unit_of(path):
    return re.sub(r"(_internal|_loops|_avx2|\.bpf)?\.[ch]$", "", path)


def add_file(found, root, path):
    includes = found.setdefault(unit_of(path), {})
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = file.read()
    for match in INCLUDE.finditer(text):
        for place in match[1], "src/" + match[1]:
            if os.path.exists(os.path.join(root, place)) and unit_of(place) != unit_of(path):
                line = text.count("\n", 0, match.start()) + 1
                includes.setdefault(unit_of(place), f"{path}:{line}")


def circles(graph):
    """The strongly connected components of more than one unit (Tarjan 1972)."""
    index, low, stack, result = {}, {}, [], []

    def visit(unit):
        index[unit] = low[unit] = len(index)
        stack.append(unit)
        for other in graph.get(unit, {}):
            if other not in index:
                visit(other)
            if other in stack:
                low[unit] = min(low[unit], low[other])
        if low[unit] == index[unit]:
            component = []
            while unit not in component:
                component.append(stack.pop())
            if len(component) > 1:
                result.append(component)

    sys.setrecursionlimit(10000)
    for unit in sorted(graph):
        if unit not in index:
            visit(unit)
    return result


def shortest(graph, component):
    """The shortest circle through the first unit of a component, as a list that ends where it began."""
    start = min(component)
    paths, seen = [[start]], {start}
    for path in paths:
        for other in sorted(graph[path[-1]]):
            if other == start:
                return [*path, start]
            if other in component and other not in seen:
                seen.add(other)
                paths.append([*path, other])


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    graph = units(root)
    found = circles(graph)
    for component in found:
        path = shortest(graph, component)
        print("a circle of includes: " + ", ".join(
            f"{graph[unit][other]} {other}.h" for unit, other in zip(path, path[1:])))
    sys.exit(1 if found else 0)


main()

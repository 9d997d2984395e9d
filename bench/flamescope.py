#!/usr/bin/env python3
"""flamescope.py FOLDER TEXT: how long does FlameScope take to read a text of `perf script` and bin it?

Its own functions are called; of its server only what finds a file is left out, so that neither Flask nor libmagic
is needed."""
import sys
import time
import types

folder, text = sys.argv[1:]
sys.path.insert(0, folder)
app = types.ModuleType("app")
app.__path__ = [folder + "/app"]
sys.modules["app"] = app


def refuse(*_):
    """In place of an answer with status 500: as for samples that are out of order."""
    raise ValueError


for name, members in {"flask": {"abort": refuse}, "app.common.fileutil": {"get_file": open}}.items():
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)
from app.perf import flame_graph, heatmap  # noqa: E402


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


print("FlameScope, reading and binning alone: heat map %.2f s" %
      seconds(lambda: heatmap.perf_read_offsets(text)), flush=True)
try:
    graph = seconds(lambda: flame_graph.perf_generate_flame_graph(text))
    print("FlameScope: flame graph %.2f s" % graph)
except ValueError:
    print("FlameScope: flame graph: it refuses this text")

"""json_shapes.py: real stacks as programs that write JSON would have printed them: frames innermost first."""
import json

from shapes import draw, places_of, say, written, Table

# ---- Chrome's traces: calls that begin and end ----

spans = []  # that are open: name


def chrome_trace(frames, count):
    """From the calls that are open to these: what differs ends, what is new begins."""
    names = frames[::-1]
    same = 0
    while same < min(len(spans), len(names)) and spans[same] == names[same]:
        same += 1

    def event(phase, name):
        begun = f'"args":{{"data":{{"frame":"{count:032X}"}}}},' if phase == "B" else ""
        say(f'{{{begun}"cat":"devtools.timeline","name":{json.dumps(name)},"ph":"{phase}","pid":4711,"tid":259,'
            f'"ts":{written()}}},\n')

    while len(spans) > same:
        event("E", spans.pop())
    for name in names[same:]:
        spans.append(name)
        event("B", name)


# ---- bpftrace -f json: a map at a time ----

stacks = {}


def bpftrace_json(frames, count):
    key = "\n" + "".join(f"    {name}+{draw.randrange(40)}\n" for name in frames) + ",app"
    stacks[key] = stacks.get(key, 0) + count
    if len(stacks) == 1000:
        say(bpftrace_json_end())


def bpftrace_json_end():
    line = json.dumps({"type": "map", "data": {"@": stacks}}) + "\n"
    stacks.clear()
    return line


# ---- OpenTelemetry: samples that refer to tables behind them ----

strings, functions, locations, paths = Table(), Table(), Table(), Table()
for table, none in (strings, ""), (functions, 0), (locations, None), (paths, ()):
    table.number(none)
SAMPLE_TYPE = strings.number("samples"), strings.number("count")


def otlp_json(frames, count):
    path = tuple(locations.number((functions.number(strings.number(name)), call)) for name, call in places_of(frames))
    time = 1795000000000000000 + written() * 977
    say(f'{{"stackIndex":{paths.number(path)},"values":["{count}"],"timestampsUnixNano":["{time}"]}},')


def otlp_json_end():
    dictionary = {
        "mappingTable": [{}],
        "locationTable": [{} if row is None else {"address": str(row[0] * 64 + row[1]), "lines": [
            {"functionIndex": row[0], "line": str(row[1] + 1)}]} for row in locations.rows],
        "functionTable": [{"nameStrindex": row} for row in functions.rows],
        "linkTable": [{}],
        "stringTable": list(strings.rows),
        "attributeTable": [{}],
        "stackTable": [{"locationIndices": row} for row in paths.rows]}
    return '{"stackIndex":0,"values":["0"]}]}]}]}],"dictionary":' + json.dumps(dictionary, separators=(",", ":")) + "}\n"


EACH = {"chrome-trace": chrome_trace, "bpftrace-json": bpftrace_json, "otlp-json": otlp_json}
BEFORE = {"chrome-trace": '{"traceEvents":[\n',
          "otlp-json": '{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":'
                       f'{{"typeStrindex":{SAMPLE_TYPE[0]},"unitStrindex":{SAMPLE_TYPE[1]}}},"samples":['}
END = {"chrome-trace": lambda: '{"name":"end","ph":"i","pid":4711,"tid":259,"ts":0,"s":"t"}]}\n',
       "bpftrace-json": bpftrace_json_end, "otlp-json": otlp_json_end}

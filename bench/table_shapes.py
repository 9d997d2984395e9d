"""table_shapes.py: real stacks as programs that give places numbers would have printed them: frames innermost first."""
from xml.sax.saxutils import quoteattr

from shapes import hash_of, place, places_of, say, written, Table

# ---- go tool pprof -raw: samples, then places ----

locations = Table(1)


def go_raw(frames, count):
    numbers = "".join(f"{locations.number(call)} " for call in places_of(frames))
    say(f"{count:11d} {count * 10000000:10d}: {numbers}\n")


def go_raw_end():
    rows = [f"{number:6d}: 0x{place(name, offset=call):x} M=1 {name} /srv/src/{name[:6]}.go:{hash_of(name) % 500 + call} s=0\n"
            for (name, call), number in locations.rows.items()]
    return "Locations\n" + "".join(rows) + "Mappings\n1: 0x400000/0x40000000/0x0 /usr/bin/app  [FN]\n"


# ---- xctrace export: what came before is referred to ----

ids = Table(100)


def once(key, whole, reference):
    """All of an element the first time, then only its number."""
    known = key in ids.rows
    number = ids.number(key)
    return f"<{reference} ref=\"{number}\"/>" if known else whole(number)


def binary():
    return once("binary", lambda number: f'<binary id="{number}" name="app" path="/usr/bin/app"/>', "binary")


def frame(name, call):
    return once(("frame", name, call), lambda number: f'<frame id="{number}" name={quoteattr(name)} '
                f'addr="0x{place(name, offset=call):x}">{binary()}</frame>', "frame")


def xctrace(frames, count):
    calls = places_of(frames)
    backtrace = once(tuple(calls), lambda number: f'<backtrace id="{number}">' + "".join(
        frame(*call) for call in calls) + "</backtrace>", "backtrace")
    time = ids.number(("time", written()))
    thread = once("thread", lambda number: f'<thread id="{number}" fmt="Main Thread 0x1a2b (app, pid: 12)"/>', "thread")
    weight = once(count, lambda number: f'<weight id="{number}" fmt="{count}.00 ms">{count}000000</weight>', "weight")
    say(f'<row><sample-time id="{time}" fmt="00:00.100">{written()}</sample-time>{thread}{weight}{backtrace}</row>\n')


# ---- pprof: samples, with labels, then places, functions and strings, in protobuf ----

def number(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def field(tag, value):
    """A number, or bytes with their length."""
    if isinstance(value, int):
        return number(tag << 3) + number(value)
    return number(tag << 3 | 2) + number(len(value)) + value


strings, functions = Table(), Table(1)
for string in "", "samples", "count", "cpu", "nanoseconds", "thread":
    strings.number(string)


def pprof(frames, count):
    path = b"".join(number(locations.number(call)) for call in places_of(frames))
    label = field(1, 5) + field(3, 100 + count % 7)
    say(field(2, field(1, path) + field(2, number(1) + number(count * 10000000)) + field(3, label)))


def pprof_end():
    rows = []
    for (name, call), row in locations.rows.items():
        line = field(1, functions.number(name)) + field(2, hash_of(name) % 500 + call)
        rows.append(field(4, field(1, row) + field(3, place(name, offset=call)) + field(4, line)))
    for name, row in functions.rows.items():
        rows.append(field(5, field(1, row) + field(2, strings.number(name))))
    return b"".join(rows + [field(6, string.encode()) for string in strings.rows])


EACH = {"go-raw": go_raw, "pprof": pprof, "xctrace": xctrace}
BEFORE = {"go-raw": "PeriodType: cpu nanoseconds\nPeriod: 10000000\nSamples:\nsamples/count cpu/nanoseconds\n",
          "pprof": field(1, field(1, 1) + field(2, 2)) + field(1, field(1, 3) + field(2, 4)),
          "xctrace": '<?xml version="1.0"?>\n<trace-query-result>\n<node xpath=\'//trace-toc[1]/run[1]/data[1]/table[11]\'>'
                     '<schema name="time-profile"><col><mnemonic>time</mnemonic><name>Sample Time</name></col></schema>\n'}
END = {"go-raw": go_raw_end, "pprof": pprof_end, "xctrace": lambda: "</node></trace-query-result>\n"}

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


EACH = {"go-raw": go_raw, "xctrace": xctrace}
BEFORE = {"go-raw": "PeriodType: cpu nanoseconds\nPeriod: 10000000\nSamples:\nsamples/count cpu/nanoseconds\n",
          "xctrace": '<?xml version="1.0"?>\n<trace-query-result>\n<node xpath=\'//trace-toc[1]/run[1]/data[1]/table[11]\'>'
                     '<schema name="time-profile"><col><mnemonic>time</mnemonic><name>Sample Time</name></col></schema>\n'}
END = {"go-raw": go_raw_end, "xctrace": lambda: "</node></trace-query-result>\n"}

"""deep_stacks.py FORMAT: a profile with one stack of 20,000 frames of value 1, "outer" to "inner",
and one of two frames of value 2, "outer" and "beside"."""
import json
import sys

DEEP = ["outer"] + ["f%d" % (i % 7) for i in range(19998)] + ["inner"]
BESIDE = ["outer", "beside"]
NAMES = list(dict.fromkeys(DEEP + BESIDE))


def folded():
	return "%s 1\n%s 2\n" % (";".join(DEEP), ";".join(BESIDE))


def perf_script():
	def event(frames):
		return "p 1 1.0: cycles:\n%s\n" % "".join("\t 1 %s (/x)\n" % name for name in reversed(frames))
	return event(DEEP) + event(BESIDE) * 2


def bcc():
	return "".join("".join("    %s\n" % name for name in reversed(frames)) + "        %d\n\n" % value
		for frames, value in ((BESIDE, 2), (DEEP, 1)))


def dtrace():
	return "\n" + "".join("".join("              a.out`%s+0x1\n" % name for name in reversed(frames)) + "                %d\n\n" % value
		for frames, value in ((BESIDE, 2), (DEEP, 1)))


def number(value):
	out = b""
	while value > 127:
		out += bytes([value & 127 | 128])
		value >>= 7
	return out + bytes([value])


def field(key, value):
	if isinstance(value, int):
		return number(key << 3) + number(value)
	return number(key << 3 | 2) + number(len(value)) + value


def pprof():
	texts = ["", "samples", "count"] + NAMES
	out = field(1, field(1, 1) + field(2, 2))
	for frames, value in ((DEEP, 1), (BESIDE, 2)):
		ids = b"".join(number(NAMES.index(name) + 1) for name in reversed(frames))
		out += field(2, field(1, ids) + field(2, number(value)))
	for i in range(len(NAMES)):
		out += field(4, field(1, i + 1) + field(4, field(1, i + 1)))
		out += field(5, field(1, i + 1) + field(2, i + 3))
	return out + b"".join(field(6, text.encode()) for text in texts)


def go_raw():
	def row(frames, value):
		return " %d: %s\n" % (value, " ".join(str(NAMES.index(name) + 1) for name in reversed(frames)))
	places = "".join("     %d: 0x%x M=1 %s /a.go:1 s=0\n" % (i + 1, i + 16, name) for i, name in enumerate(NAMES))
	return "PeriodType: cpu nanoseconds\nSamples:\nsamples/count\n" + row(DEEP, 1) + row(BESIDE, 2) + "Locations\n" + places


def chain(frames):
	"""Nodes of a tree with both stacks: (name, parent) of each; the ends are the last two."""
	nodes = [(name, i - 1) for i, name in enumerate(frames)]
	return nodes + [("beside", 0)]


def cpuprofile():
	nodes = [{"id": i + 1, "callFrame": {"functionName": name, "url": "", "lineNumber": 0, "columnNumber": 0},
		"children": []} for i, (name, parent) in enumerate(chain(DEEP))]
	for i, (name, parent) in enumerate(chain(DEEP)):
		if parent >= 0:
			nodes[parent]["children"].append(i + 1)
	return json.dumps({"nodes": nodes, "startTime": 0, "endTime": 3000,
		"samples": [len(DEEP), len(DEEP) + 1, len(DEEP) + 1], "timeDeltas": [1000, 1000, 1000]})


def firefox():
	nodes = chain(DEEP)
	names = list(range(len(NAMES)))
	return json.dumps({"meta": {"version": 29, "preprocessedProfileVersion": 48, "interval": 1, "categories": []},
		"libs": [], "threads": [{"name": "main", "pid": 1, "tid": 1, "processName": "p",
			"samples": {"stack": [len(DEEP) - 1] + [len(DEEP)] * 2, "time": [1, 2, 3], "weight": None,
				"weightType": "samples", "length": 3},
			"stackTable": {"frame": [NAMES.index(name) for name, parent in nodes],
				"prefix": [parent if parent >= 0 else None for name, parent in nodes], "length": len(nodes)},
			"frameTable": {"func": names, "line": [None] * len(names), "length": len(names)},
			"funcTable": {"name": names, "resource": [-1] * len(names), "fileName": [None] * len(names),
				"isJS": [False] * len(names), "length": len(names)},
			"resourceTable": {"lib": [], "name": [], "host": [], "type": [], "length": 0},
			"stringArray": NAMES}]})


def speedscope(profile):
	return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json",
		"shared": {"frames": [{"name": name} for name in NAMES]}, "profiles": [profile]})


def speedscope_sampled():
	return speedscope({"type": "sampled", "name": "p", "unit": "none", "startValue": 0, "endValue": 3,
		"samples": [[NAMES.index(name) for name in frames] for frames in (DEEP, BESIDE)], "weights": [1, 2]})


def speedscope_evented():
	frames = [NAMES.index(name) for name in DEEP]
	opened = [{"type": "O", "frame": frame, "at": 0} for frame in frames]
	closed = [{"type": "C", "frame": frame, "at": 1} for frame in reversed(frames[1:])]
	beside = NAMES.index("beside")
	return speedscope({"type": "evented", "name": "p", "unit": "none", "startValue": 0, "endValue": 3,
		"events": opened + closed + [{"type": "O", "frame": beside, "at": 1}, {"type": "C", "frame": beside, "at": 3},
			{"type": "C", "frame": frames[0], "at": 3}]})


def chrome_spans():
	def event(phase, name, at):
		return {"ph": phase, "name": name, "ts": at, "pid": 1, "tid": 1}
	return json.dumps({"traceEvents": [event("B", name, 0) for name in DEEP] +
		[event("E", name, 1) for name in reversed(DEEP[1:])] +
		[event("B", "beside", 1), event("E", "beside", 3), event("E", "outer", 3)]})


def flamebearer():
	levels = [[0, 3, 0, 0], [0, 3, 0, 1 + NAMES.index("outer")]]
	for i, name in enumerate(DEEP[1:]):
		levels.append([0, 1, int(name == "inner"), 1 + NAMES.index(name)])
	levels[2] += [0, 2, 2, 1 + NAMES.index("beside")]
	return json.dumps({"version": 1, "flamebearer": {"names": ["total"] + NAMES, "levels": levels, "numTicks": 3,
		"maxSelf": 2}, "metadata": {"format": "single", "units": "samples", "sampleRate": 100}})


content = globals()[sys.argv[1].replace("-", "_")]()
sys.stdout.buffer.write(content if isinstance(content, bytes) else content.encode())

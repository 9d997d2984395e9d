"""totals.py KILN FOLDER: do options and outputs keep the total of every input in FOLDER?

Whatever an option does to stacks, no value may come or go. Options that select, select complements
that add up to all. Each difference is printed; the last line counts."""
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

kiln, folder = sys.argv[1:]

# Options that keep all values. {re} is a function of the input.
KEEP = [["--by-cgroup"], ["--by-cpu"], ["--by-process", "--by-thread"], ["--reverse", "--lines"],
	["--collapse-recursion", "--collapse-module", "."], ["--drop", "{re}"], ["--charge", "{re}"],
	["--hide-below", "{re}"], ["--clean", "node", "--no-inline"], ["--kernel", "--jit", "--inlined"]]
# Options that select; `check` tests each.
SELECT = ["--include", "--exclude", "--focus", "--path", "--cpu", "--process", "--thread", "--time", "--idle", "--kind"]
# Options about files, and about what is printed.
OTHER = ["--output", "--all", "--format", "--max-expansion", "--symfs", "--build-id-dir", "--vmlinux", "--kallsyms",
	"--no-debuginfod", "--no-cache", "--v8-log", "--clean-file", "--help", "--quiet", "--verbose"]
CONVERT = ["kiln", "pb", "speedscope.json", "firefox.json", "flamebearer.json", "folded"]


def run(*args, text=None):
	done = subprocess.run([kiln, *args], input=text, capture_output=True)
	return done.stdout if done.returncode == 0 else None


def add(lines):
	return sum(Decimal(line.rsplit(b" ", 1)[1].decode()) for line in lines)


def total(path, *options):
	"""The sum of folded text. None: there are no such samples."""
	folded = run("fold", "-q", *options, path)
	return None if folded is None else add(folded.splitlines())


def function_of(path):
	"""A pattern for the middle frame of the last stack."""
	stack = run("fold", "-q", path).splitlines()[-1].rsplit(b" ", 1)[0].split(b";")
	return "^" + re.escape(stack[len(stack) // 2].decode()) + "$"


class Input:
	def __init__(self, path):
		self.path, self.wrong, self.checks = path, [], 0
		self.total = total(path)

	def expect(self, what, found, right=None):
		self.checks += 1
		right = self.total if right is None else right
		if (found or 0) != right:
			self.wrong.append("%s: %s: %s; expected %s" % (self.path, what, found, right))

	def parts(self, option, values, all_have_one=False):
		"""Values of which each sample has at most one, or one."""
		found = sum(total(self.path, option, value) or 0 for value in values)
		if values and (all_have_one or found > self.total):
			self.expect(option, found)

	def streams(self, info):
		shown = [each for each in info["streams"] if each["shown"]]
		for each in info["streams"]: # "count/10": values are tenths
			each["sum"] = Decimal(each["sum"]) / Decimal((each["unit"].split("/") + ["1"])[1])
		self.parts_of_one = Decimal((shown[0]["unit"].split("/") + ["1"])[1])
		self.expect("sum of info", shown[0]["sum"])
		idle = sum(each["sum"] for each in info["streams"] if each["kind"] == "idle" and each["unit"] == shown[0]["unit"]
			and each["event"] == shown[0]["event"])
		self.expect("--idle", total(self.path, "--idle"), self.total + idle)
		names = [each["kind"] for each in info["streams"]]
		for each in info["streams"]:
			if names.count(each["kind"]) == 1 and each["kind"] not in [other["event"] for other in info["streams"]]:
				self.expect("--kind", total(self.path, "--kind", each["kind"]), each["sum"])

	def selections(self, info, pattern):
		with_it = total(self.path, "--include", pattern) or 0
		self.expect("--include and --exclude", with_it + (total(self.path, "--exclude", pattern) or 0))
		self.expect("--focus", total(self.path, "--focus", pattern), with_it)
		roots = {}
		for line in run("fold", "-q", self.path).splitlines():
			roots.setdefault(line.rsplit(b" ", 1)[0].split(b";")[0], []).append(line)
		for root, lines in list(roots.items())[:2]:
			if root and b":" not in root: # there is no root, or it has a semicolon, which is a colon here
				self.expect("--path", total(self.path, "--path", root.decode()), add(lines))
		self.parts("--cpu", [str(each) for each in info["cpu_list"]])
		ids = sorted({each["tid"] for each in info["thread_list"]})
		if ids and min(ids) >= 0:
			self.parts("--thread", [str(each) for each in ids])
		ids = sorted({each["pid"] for each in info["thread_list"]})
		if ids and min(ids) >= 0:
			self.parts("--process", [str(each) for each in ids])
		if info["span_ns"] > 2:
			middle = "%dns" % (info["span_ns"] // 2)
			self.parts("--time", [".." + middle, middle + ".."], True)

	def outputs(self):
		self.expect("top", Decimal(json.loads(run("top", "--json", "-q", self.path))["total"]) / self.parts_of_one)
		for suffix in CONVERT:
			with tempfile.TemporaryDirectory() as work:
				made = os.path.join(work, "out." + suffix)
				to = [] if suffix in ("kiln", "pb", "folded") else ["--to", suffix.split(".")[0]]
				if run("convert", "-q", *to, "-o", made, self.path) is None:
					if suffix == "flamebearer.json" and b"-" in run("fold", "-q", self.path):
						continue # it has no negative values
					self.wrong.append("%s: convert to %s failed" % (self.path, suffix))
				else:
					self.expect("convert to " + suffix, total(made))

	def check(self):
		if not self.total:
			return self
		info = json.loads(run("info", "--json", "-q", self.path))
		if any(each["side"] for each in info["streams"]): # a difference has no total
			return self
		pattern = function_of(self.path)
		for options in KEEP:
			found = total(self.path, *[each.replace("{re}", pattern) for each in options])
			if found is not None or not options[0].startswith("--by-"): # refused: the input does not say
				self.expect(" ".join(options), found)
		self.streams(info)
		self.selections(info, pattern)
		self.outputs()
		return self


def options_are_known():
	listed = set(re.findall(r"^ +(?:-\w, +)?    ?(--[a-z0-9-]+)", run("fold", "--help").decode(), re.M))
	known = {word for options in KEEP for word in options if word.startswith("--")} | set(SELECT) | set(OTHER)
	return ["not in totals.py: %s" % option for option in sorted(listed - known)]


paths = sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names
	if not name.endswith((".py", ".bats", ".bash", ".svg", ".html")) and "/root/" not in at + "/"
	and (not name.endswith(".folded") or at.endswith("/folded"))) # what others fold to is folded text all the same
with ThreadPoolExecutor(2) as pool:
	inputs = list(pool.map(lambda path: Input(path).check(), paths))
wrong = options_are_known() + [line for each in inputs for line in each.wrong]
print("\n".join(wrong))
print("%d inputs, %d checks, %d wrong" % (sum(each.checks > 0 for each in inputs), sum(each.checks for each in inputs), len(wrong)))
sys.exit(bool(wrong))

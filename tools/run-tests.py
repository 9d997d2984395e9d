#!/usr/bin/env python3
"""run-tests.py: every test there is, counted case by case.

    run-tests.py [-v] [SUITE...]

Suites: build, house, unit, sanitized, golden, cli, races, browser, privileged, perf; all of them by default; and
kernels: what is tagged so in tests/privileged, and tests/kernels, in a virtual machine with Debian's kernel. Every
test program speaks TAP; a program that dies or runs out of time is one more failed case. The last line
counts the cases, of what was repeated those of the second time. Under CI=true a machine that lacks root, perf or a browser is a fault of the machine:
cases skipped for that count as failed.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILDS = [  # directory, compiler, meson options
    ("build", "gcc", []),
    ("build-asan", "clang", ["-Db_sanitize=address,undefined", "-Db_lundef=false",
                             "-Doptimization=1"]),
    ("build-tsan", "clang", ["-Db_sanitize=thread", "-Db_lundef=false", "-Doptimization=1"]),
]
NEEDED_BY = {"build-asan": "sanitized", "build-tsan": "races"}  # suites; the others need the first one
SUITES = ["build", "house", "unit", "sanitized", "golden", "cli", "races", "browser", "privileged",
          "perf"]
# What looks at a machine that others use, too: a program that fails is run again, and what failed is told.
SECOND_TRY = ["house", "cli", "races", "browser", "privileged", "perf"]
ON_DEMAND = ["kernels"]  # takes a long time where processors are simulated
PROGRAM_LIMIT = 1500  # seconds for one test program
CASE = re.compile(r"^(not ok|ok)\b\s*\d*\s*-?\s*(.*?)\s*(?:#\s*(skip|todo)\b:?\s*(.*))?$", re.I)
NEEDS = re.compile(r"\bneeds (root|perf\b|a browser|chromium|node)", re.I)


class Tally:
    def __init__(self, verbose):
        self.passed = self.failed = self.skipped = self.repeated = 0
        self.verbose = verbose
        self.in_ci = os.environ.get("CI") == "true"

    def case(self, suite, name, outcome, detail=""):
        """Count one case; outcome is passed, failed or skipped."""
        if outcome == "skipped" and self.in_ci and (
                suite in ("browser", "privileged", "perf") or NEEDS.search(detail)):
            outcome, detail = "failed", f"skipped, which CI forbids: {detail}"
        setattr(self, outcome, getattr(self, outcome) + 1)
        if outcome == "failed" or self.verbose or outcome == "skipped":
            print(f"  {outcome.upper() if outcome == 'failed' else outcome}: {name}"
                  + (f" ({detail})" if detail and outcome == "skipped" else ""))
            if outcome == "failed" and detail:
                print("    " + detail.rstrip().replace("\n", "\n    "))

    def repeat(self, program, text):
        """A program failed and is about to be run again: say what it said."""
        self.repeated += 1
        lines = text.splitlines()
        print(f"  repeated: {program}")
        for number, line in enumerate(lines):
            if line.startswith("not ok"):
                print("    " + "\n    ".join([line, *remarks(lines[number + 1:]).splitlines()]))

    def tap(self, suite, program, text, status, errors=""):
        """Count the cases of a program's TAP output, and its death if it died without a word."""
        planned, seen, failed = 0, 0, 0
        lines = text.splitlines()
        for number, line in enumerate(lines):
            plan = re.match(r"^1\.\.(\d+)(?:\s*#\s*skip\w*\s*(.*))?", line, re.I)
            if plan:
                planned += int(plan[1])
                if plan[1] == "0":
                    self.case(suite, program, "skipped", plan[2] or "nothing to do")
                    seen = max(seen, 1)
                continue
            match = CASE.match(line)
            if not match:
                continue
            seen += 1
            name = f"{program}: {match[2] or match[4]}"
            if match[3]:
                self.case(suite, name, "skipped", match[4])
            elif match[1] == "ok":
                self.case(suite, name, "passed")
            else:
                failed += 1
                self.case(suite, name, "failed", remarks(lines[number + 1:]))
        if seen < max(planned, 1) or (status and not failed):
            self.case(suite, program, "failed",
                      f"{seen} of {planned} cases reported, exit {status}\n{tail(errors or text)}")


def remarks(lines):
    """The diagnostics right behind a failed case."""
    kept = []
    for line in lines:
        if CASE.match(line) or line.startswith("1.."):
            break
        kept.append(line)
    return "\n".join(kept[:40])


def tail(text):
    return "\n".join(text.splitlines()[-25:])


def run(command, limit=PROGRAM_LIMIT, **more):
    """Output, errors and exit status; a timeout is status 124."""
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", **more) as process:
        try:
            out, err = process.communicate(timeout=limit)
            return out, err, process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            return out, err + f"\nno end after {limit} s", 124


def targets(folder):
    """What is needed of a build; none are named where that is all of it."""
    if folder != "build-tsan":
        return []
    files = {}
    for target in json.loads(run(["meson", "introspect", folder, "--targets"])[0]):
        files[target["id"]] = target["filename"]
    needed = {"kiln", "tests/forget_names"}
    for test in json.loads(run(["meson", "introspect", folder, "--tests"])[0]):
        if "kiln:unit" in test["suite"]:
            needed |= {os.path.relpath(file, os.path.join(ROOT, folder))
                       for target in test["depends"] for file in files[target]}
    return sorted(needed)


def build(tally, chosen):
    """Every build is a case: it fails on a warning, which the project makes an error."""
    for folder, compiler, options in BUILDS:
        if "build" not in chosen and NEEDED_BY.get(folder) not in [None, *chosen]:
            continue
        started = time.time()
        if not os.path.exists(os.path.join(ROOT, folder, "build.ninja")):
            out, err, status = run(["meson", "setup", folder, *options],
                                   env={**os.environ, "CC": compiler})
            if status:
                tally.case("build", f"{folder} ({compiler})", "failed", tail(out + err))
                continue
        out, err, status = run(["ninja", "-C", folder, *targets(folder)])
        print(f"{folder} ({compiler}): {time.time() - started:.0f} s", flush=True)
        tally.case("build", f"{folder} ({compiler})", "failed" if status else "passed",
                   tail(out + err) if status else "")
        if status and folder == "build":
            return False
    return True


def meson_tests(tally, suite, folder, command=("meson",), chosen=(), env=None):
    """The C tests of one build directory, or some of them."""
    log = os.path.join(ROOT, folder, "meson-logs", "testlog.json")
    if os.path.exists(log):
        os.remove(log)
    out, err, status = run([*command, "test", "-C", folder, "--no-rebuild", "--quiet", *chosen], env=env)
    if not os.path.exists(log):
        tally.case(suite, folder, "failed", tail(out + err))
        return
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            test = json.loads(line)
            program = test["name"].split(" / ")[-1]
            died = test["returncode"] or (1 if test["result"] in ("TIMEOUT", "INTERRUPT") else 0)
            tally.tap(suite, program, test.get("stdout", ""), died,
                      f"{test['result']}\n{test.get('stderr', '')}")


def programs(tally, suite, pattern, command, env, at_once=1):
    """Test programs that are files of the tree, each its own process; `env` may be a function of their names.
    Where several run at once, those that fail are run again alone."""
    names = sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, pattern)))
    again = []

    def run_one(name):
        started = time.time()
        out, err, status = run([*command, name], env=env(name) if callable(env) else env)
        return name, out, err, status, time.time() - started

    def tell(name, out, err, status, seconds):
        tally.tap(suite, name, out, status, err)
        print(f"{name}: {seconds:.0f} s", flush=True)

    if at_once > 1:  # what takes longest first
        names.sort(key=os.path.getsize, reverse=True)
    with ThreadPoolExecutor(at_once) as pool:
        for name, out, err, status, seconds in pool.map(run_one, names):
            if status and suite in SECOND_TRY:
                tally.repeat(name, out)
                again.append(name)
            else:
                tell(name, out, err, status, seconds)
    for name in again:
        tell(*run_one(name))


def environment(folder):
    env = {**os.environ, "KILN_SOURCE": ROOT, "KILN_BUILD": os.path.join(ROOT, folder),
           "KILN": os.path.join(ROOT, folder, "kiln"), "LC_ALL": "C.UTF-8"}
    corpus = os.path.join(ROOT, "..", "shared", "corpus")
    if "KILN_CORPUS" not in env and os.path.isdir(corpus):
        env["KILN_CORPUS"] = os.path.realpath(corpus)
    return env


def races(tally):
    """The unit, golden and cli suites under ThreadSanitizer: the first race ends a process, and is told here
    even where the test does not notice."""
    reports = os.path.join(ROOT, "build-tsan", "races")
    shutil.rmtree(reports, ignore_errors=True)
    os.makedirs(reports)
    os.chmod(reports, 0o1777)  # some tests run as other users
    # Where addresses are random in more bits than clang 14 knows, they must not be.
    with open("/proc/sys/vm/mmap_rnd_bits", encoding="ascii") as bits:
        fixed = ["setarch", "-R"] if int(bits.read()) > 28 else []

    def env(name):
        options = {"halt_on_error": 1, "log_path": os.path.join(reports, name.replace("/", "_")),
                   "suppressions": os.path.join(ROOT, "tests/races.supp"),
                   # Threads may still be at work when a program ends, and are not waited for.
                   "report_thread_leaks": 0, "atexit_sleep_ms": 0}
        return {**environment("build-tsan"), "KILN_SANITIZER": "thread",
                "TSAN_OPTIONS": ":".join(f"{key}={value}" for key, value in options.items())}

    meson_tests(tally, "races", "build-tsan", [*fixed, "meson"], ["--suite", "unit", "--timeout-multiplier", "4"],
                env("unit"))
    for suite in "golden", "cli":
        programs(tally, "races", f"tests/{suite}/*.bats", [*fixed, "bats", "--formatter", "tap"], env, os.cpu_count())
    for name in sorted(os.listdir(reports)):
        with open(os.path.join(reports, name), encoding="utf-8", errors="replace") as report:
            tally.case("races", name, "failed", report.read())


def browser(tally):
    """The pages in a real browser; each *.test.mjs prints TAP."""
    if not glob.glob(os.path.join(ROOT, "tests/browser/*.test.mjs")):
        return
    if not shutil.which("node"):
        tally.case("browser", "tests/browser", "skipped", "needs node")
    elif not shutil.which("chromium"):
        tally.case("browser", "tests/browser", "skipped", "needs chromium")
    elif not os.path.isdir(os.path.join(ROOT, "tests/browser/node_modules/playwright-core")):
        tally.case("browser", "tests/browser", "skipped", "needs a browser driver (npm)")
    else:
        programs(tally, "browser", "tests/browser/*.test.mjs", ["node"], environment("build"), os.cpu_count())


def kernels(tally):
    """Recording under another kernel than this machine's: what is tagged so, and tests/kernels."""
    here = os.path.join(ROOT, "tests/kernels")
    out, err, status = run([f"{here}/kernel.sh", os.path.join(ROOT, "build/kernels")])
    if status:
        tally.case("kernels", "tests/kernels", "skipped", f"no kernel: {tail(err)}")
        return
    folder = out.split()[-1]
    print(f"under {os.path.basename(folder)}", flush=True)
    # The interpreter itself, not what chooses one: starting programs takes long there.
    env = {**environment("build"), "KILN_PROGRAMS": os.path.join(ROOT, "build/kernels/programs"),
           "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])}
    os.makedirs(env["KILN_PROGRAMS"], exist_ok=True)
    run([os.path.join(ROOT, "tests/privileged/programs/compile.sh"), env["KILN_PROGRAMS"]])
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/*/*.bats"))):
        with open(path, encoding="utf-8") as text:
            text = text.read()
        if "test_tags=kernels" not in text:
            continue
        boot, cpus = (re.search(f"^# {what}: (.*)", text, re.M) for what in ("boots with", "processors there"))
        programs(tally, "kernels", os.path.relpath(path, ROOT),
                 [f"{here}/vm.sh", folder, "bats", "--formatter", "tap", "--timing", "--filter-tags", "kernels"],
                 {**env, "VM_BOOT": boot[1] if boot else "", "VM_CPUS": cpus[1] if cpus else "1"})


def main():
    arguments = sys.argv[1:]
    verbose = "-v" in arguments
    chosen = [a for a in arguments if a != "-v"] or SUITES
    unknown = [a for a in chosen if a not in SUITES + ON_DEMAND]
    if unknown:
        sys.exit(f"run-tests: no suite '{unknown[0]}'; there are: {', '.join(SUITES + ON_DEMAND)}")
    tally = Tally(verbose)
    started = time.time()
    built = build(tally, chosen)
    bats = ["bats", "--formatter", "tap"]
    steps = {
        "house": lambda: programs(tally, "house", "tests/house/*.bats", bats, environment("build"),
                                  os.cpu_count()),
        "unit": lambda: meson_tests(tally, "unit", "build"),
        "sanitized": lambda: meson_tests(tally, "sanitized", "build-asan"),
        "golden": lambda: programs(tally, "golden", "tests/golden/*.bats", bats,
                                   environment("build"), os.cpu_count()),
        "cli": lambda: programs(tally, "cli", "tests/cli/*.bats", bats, environment("build"), os.cpu_count()),
        "races": lambda: races(tally),
        "browser": lambda: browser(tally),
        "privileged": lambda: programs(tally, "privileged", "tests/privileged/*.bats", bats,
                                       environment("build"), os.cpu_count()),
        "perf": lambda: programs(tally, "perf", "tests/perf/*.bats", bats, environment("build"), os.cpu_count()),
        "kernels": lambda: kernels(tally),
    }
    for suite, step in steps.items():
        if suite in chosen and built:
            print(f"-- {suite}", flush=True)
            step()
    print(f"in {time.time() - started:.0f} s")
    if tally.repeated:
        print(f"{tally.repeated} programs were repeated: see above what failed the first time")
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    sys.exit(1 if tally.failed or not built else 0)


if __name__ == "__main__":
    main()

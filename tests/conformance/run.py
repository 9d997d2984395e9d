#!/usr/bin/env python3
"""run.py KILN [--peers DIR] [NAME...]: does Kiln under other tools' names print what these tools print?

A line for every case, then totals. Inputs and expected outputs come from ${KILN_CORPUS:-../shared/corpus};
with --peers (or KILN_PEERS) the tools themselves run beside Kiln, on more inputs and options. With NAMEs
only cases whose names contain one of them run. What differs on purpose is in differences.txt, with the
reason; exit 1 when anything else differs, or when what is listed there is equal.
"""
import fnmatch
import gzip
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CORPUS = os.environ.get("KILN_CORPUS", os.path.join(ROOT, "../shared/corpus"))
sys.path.insert(0, os.path.join(ROOT, "tests/golden"))
sys.path.insert(0, HERE)
from cases import cases  # noqa: E402
import svg_compare  # noqa: E402


def read(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        return file.read()


def run(program, case, data, cwd):
    """Output and exit code; the input comes by a pipe, further files by name."""
    command = program + [path_of(a[1:]) if a.startswith("@") else a for a in case.args]
    done = subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                          env=dict(os.environ, LC_ALL="C.UTF-8"), check=False)
    return done.stdout, done.returncode, done.stderr


def path_of(name):
    if name.startswith("="):
        return os.path.join(HERE, name[1:])
    return os.path.join(HERE, "../golden", name[1:]) if name.startswith("+") else os.path.join(CORPUS, name)


def lines_of(data, case):
    lines = data.split(b"\n")
    if case.kind == "exact":
        return lines
    if case.kind == "merged":
        sums = {}
        for line in filter(None, lines):
            stack, _, count = line.rstrip(b"\r").rpartition(b" ")
            sums[stack] = sums.get(stack, 0) + float(count)
        lines = [b"%s %g" % item for item in sums.items() if item[1]]
    return sorted(filter(None, lines))


def picture(data, name):
    with tempfile.NamedTemporaryFile(suffix=name) as file:
        file.write(data)
        file.flush()
        return svg_compare.frames(file.name)


def near(one, other, colours):
    far = max(abs(one[1] - other[1]), abs(one[3] - other[3]))
    return one[0] == other[0] and one[2] == other[2] and far < 0.0025 and \
        (not colours or one[4] == other[4])


def headings(data):
    """Texts with an id, as far as they are the picture's and not the script's."""
    found = dict(re.findall(rb'<text [^>]*?id="(title|subtitle)"[^>]*>(?:<title>[^<]*</title>)?([^<]*)<', data))
    return {key: html.unescape(text.decode()) for key, text in found.items()}


ATTRIBUTE = re.compile(r'([\w:-]+)="([^"]*)"')


def rgb(colour):
    hexadecimal = re.fullmatch(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", colour)
    return f"rgb({','.join(str(int(two, 16)) for two in hexadecimal.groups())})" if hexadecimal else colour


def labels(frames):
    """What stands in boxes, and where in them; and what the user hung on them."""
    found = []
    for element in re.split(r"<(?=[ag][ >])", frames):
        text = re.search(r"<rect ([^>]*)>\s*<text ([^>]*)>([^<]*)</text>", element)
        box, at = (dict(ATTRIBUTE.findall(text[part])) if text else {"y": 0} for part in (1, 2))
        own = dict(ATTRIBUTE.findall(element[:element.find(">")]))
        if own or (text and text[3].strip()):
            found.append((text[3].strip() if text else "", float(at.get("x", 0)), float(at["y"]) - float(box["y"]),
                          sorted(own.items())))
    return sorted(found)


def around(data):
    """What flamegraph.pl's options do to a picture beside its frames; all but the ids are the same in Kiln's."""
    text = data.decode()
    start = dict(ATTRIBUTE.findall(re.search(r"<svg ([^>]*)>", text)[1]))
    style = re.search(r"text { font-family:([^;]*); font-size:([^;]*)px", text)
    font = (style[1], style[2]) if style else (start["font-family"].split(",")[0], start["font-size"])
    return {
        "size": [start["width"], start["height"], start["viewBox"]],
        "font": (html.unescape(font[0]), float(font[1])),
        "background": [rgb(colour) for colour in re.findall(r'stop-color="([^"]*)"', text)[:2]],
        "notes": [note.strip() for note in re.findall(r"<!-- NOTES:(.*?)-->", text, re.S) if note.strip()],
        "labels": labels(text[text.index('id="frames"'):]),
    }


def same_around(got, expected):
    ours, theirs = around(got), around(expected)
    for what, value in theirs.items():
        if ours[what] != value:
            return f"{what}: got {str(ours[what])[:200]}, expected {str(value)[:200]}"
    missing = set(re.findall(rb' id="(\w+)"', expected)) - set(re.findall(rb' id="(\w+)"', got))
    return f"no ids {missing}" if missing else ""


def same_picture(got, expected, case):
    if b'id="frames"' not in expected:
        same = b"ERROR: No valid input provided to flamegraph" in got and b'id="frames"' not in got
        return "" if same else "a picture, expected the one that says that there is none"
    ours, theirs = picture(got, "got.svg"), picture(expected, "expected.svg")
    if len(ours) != len(theirs):
        return f"{len(ours)} frames, expected {len(theirs)}"
    for one, other in zip(ours, theirs):
        if not near(one, other, case.colours):
            return f"got {one}, expected {other}"
    if headings(got) != headings(expected):
        return f"headings {headings(got)}, expected {headings(expected)}"
    return same_around(got, expected) if case.tool == "flamegraph.pl" else ""


def difference(case, got, expected):
    if case.kind == "svg":
        try:
            return same_picture(got, expected, case)
        except (ValueError, StopIteration, KeyError) as problem:
            return f"no picture: {problem!r}"
    got, expected = lines_of(got, case), lines_of(expected, case)
    for number, (one, other) in enumerate(zip(got, expected), 1):
        if one != other:
            return f"line {number}: got {one[:200]!r}, expected {other[:200]!r}"
    return "" if len(got) == len(expected) else f"{len(got) - 1} lines, expected {len(expected) - 1}"


def judge(case, links, peers):
    data = b"".join(read(path_of(path)) for path in case.inputs)
    with tempfile.TemporaryDirectory() as cwd:
        got, code, said = run([os.path.join(links, case.tool)], case, data, cwd)
        if case.kind == "fails":
            return "" if code else "exit 0, expected a failure"
        if case.kind == "told":
            return "" if re.search(rb"(line|byte) \d+", said) else f"exit {code}, said {said[:200]!r}"
        if case.expected:
            expected, expected_code = read(os.path.join(CORPUS, case.expected)), 0
        else:
            expected, expected_code, _ = run(peers[case.tool], case, data + case.tail, cwd)
    if code != expected_code:
        return f"exit {code}, expected {expected_code}"
    if case.kind == "mistake":
        return "" if code and not got and not expected and said else f"exit {code}, {len(got)} bytes, said {said[:200]!r}"
    return difference(case, got, expected)


def how_to_run(program):
    """Its command, or None. Scripts in awk were written for gawk: another awk makes other numbers of theirs. Some
    scripts are not executable where they come from; people give them to Perl."""
    if program.endswith(".py"):
        return [sys.executable, program]
    if program.endswith(".awk"):
        return ["gawk", "-f", program] if shutil.which("gawk") else None
    if program.endswith(".pl"):
        return ["perl", program]
    return [program] if os.access(program, os.X_OK) else None


def find_peers(folder):
    """Programs below a folder by name, three levels deep at most; the nearest one counts."""
    found = {}
    for path, folders, files in os.walk(folder, followlinks=True):
        if path[len(folder):].count(os.sep) >= 2:
            folders[:] = []
        for name in files:
            command = how_to_run(os.path.join(path, name))
            if command:
                found.setdefault(name, command)
    return found


def listed():
    reasons = {}
    with open(os.path.join(HERE, "differences.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, reason = line.rstrip("\n").split(": ", 1)
                reasons[name] = reason
    return reasons


def main():
    arguments = sys.argv[1:]
    peers = os.environ.get("KILN_PEERS", "")
    if "--peers" in arguments:
        at = arguments.index("--peers")
        peers = arguments[at + 1]
        del arguments[at:at + 2]
    peers = find_peers(peers) if peers else {}
    kiln, names = os.path.abspath(arguments[0]), arguments[1:]
    if not os.path.isdir(CORPUS):
        sys.exit(f"no corpus at {CORPUS}: KILN_CORPUS says where it is")
    reasons, counts, wrong = listed(), {}, 0
    with tempfile.TemporaryDirectory() as links:
        subprocess.run([kiln, "classic", "--link", links], check=True)
        for case in cases(CORPUS):
            label = f"{case.folder} {case.name}"
            if names and not any(name in label for name in names):
                continue
            count = counts.setdefault(case.folder, {"equal": 0, "listed": 0, "different": 0, "skipped": 0})
            if not case.expected and case.kind not in ("fails", "told") and \
                    case.tool not in peers:
                count["skipped"] += 1
                continue
            if not os.path.lexists(os.path.join(links, case.tool)):
                problem = "there is no such name yet"
            else:
                problem = judge(case, links, peers)
            key = next((key for key in reasons if fnmatch.fnmatchcase(label, key)), "")
            reason = reasons.get(key)
            if bool(problem) == bool(reason) or (not problem and "*" in key):
                outcome = "listed" if problem else "equal"
            else:
                outcome = "different"
                problem = problem or "listed as different, but equal"
                wrong += 1
            count[outcome] += 1
            note = "" if outcome == "equal" else f": {reason if outcome == 'listed' else problem}"
            print(f"{outcome:9} {label}{note}")
    print()
    for folder, count in counts.items():
        print(f"{folder}: " + ", ".join(f"{number} {what}" for what, number in count.items() if number))
    total = {what: sum(count[what] for count in counts.values()) for what in ("equal", "listed", "different", "skipped")}
    print("total: " + ", ".join(f"{number} {what}" for what, number in total.items()))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

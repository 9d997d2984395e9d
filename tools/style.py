"""style.py [ROOT]: is C written in the forms that CONTRIBUTING.md names, where clang-format does not decide?

sizeof(x) with parentheses, static_assert as assert.h has it (programs for the kernel have no assert.h), a file's own
header first and in a block of its own, Kiln's headers before those of the system, and comments whose lines are filled.
"""
import os
import re
import sys

COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)
COMMENT_LINE = re.compile(r"\s*/?\* (\S.*)$")
WIDTH = 100  # ColumnLimit of .clang-format
SHORT = 75  # a line that ends before here, with no sentence, was not filled


def files(root):
    for top in "src", "bpf", "include", "tests", "bench", "docs":
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = sorted(set(folders) - {"node_modules"})
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def forms(path, text):
    """Blank out comments and texts, of which lines remain."""
    code = COMMENT_OR_TEXT.sub(lambda match: re.sub(r"[^\n]", "_", match[0]), text)
    for number, line in enumerate(code.splitlines(), 1):
        if re.search(r"\bsizeof\b(?!\()", line):
            yield number, "write sizeof(x)"
        if not path.startswith("bpf/") and "_Static_assert" in line:
            yield number, "write static_assert"


def order(path, text):
    """Code, a comment or another directive between two includes ends a run of them; a blank line does not."""
    own, before = re.sub(r"\.c$", ".h", path.removeprefix("src/")), None
    for match in INCLUDE.finditer(text):
        number, gap = text.count("\n", 0, match.start()) + 1, before and text[before.end():match.start()]
        if before and match[2] == own:
            yield number, "include the file's own header first"
        elif before and before[2] == own and gap == "\n":
            yield number, "leave a line free behind the file's own header"
        elif before and before[1] == "<" and match[1] == '"' and not gap.strip():
            yield number, "include Kiln's headers before those of the system"
        before = match


def filled(text):
    for match in re.finditer(r"^ \*[A-Za-z(`\"]", text, re.M):
        yield text.count("\n", 0, match.start()) + 1, "a blank is missing behind the comment's *"
    lines = text.expandtabs(8).splitlines()
    for number, (line, after) in enumerate(zip(lines, lines[1:]), 1):
        this, other = COMMENT_LINE.match(line), COMMENT_LINE.match(after)
        if not this or not other or not after.strip().startswith("* ") or "*/" in line:
            continue
        if this[1][0] == " " or re.search(r"[.:;!?]$", this[1]) or other[1][:1] in "-*0123456789/":
            continue
        if len(line) < SHORT and len(line) + 1 + len(other[1].split()[0]) <= WIDTH:
            yield number, "the comment's next word fits in this line"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    found = 0
    for path in files(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        for number, problem in [*forms(path, text), *order(path, text), *filled(text)]:
            print(f"{path}:{number}: {problem}")
            found += 1
    sys.exit(found != 0)


main()

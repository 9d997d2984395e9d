"""recipe.py ROOT HEADING: follow a recipe of CONTRIBUTING.md in the tree at ROOT, and print its commands.

A recipe is the section below a heading "### HEADING". A sentence "add `'X'` to `LIST` in `FILE`" adds a line to a
list of a meson.build, one with `"X"` to the end of an array in C; a line "`FILE`:" names the file that the next block is; a block of `console` has commands
behind "$ ", each followed by what it prints: it is printed as it stands.
"""
import os
import re
import sys


def section(text, heading):
    match = re.search(rf"^### {re.escape(heading)}\n(.*?)(?=^##|\Z)", text, re.M | re.S)
    if not match:
        sys.exit(f"recipe.py: CONTRIBUTING.md has no recipe '{heading}'")
    return match[1]


def add_lines(root, text):
    for item, name, path in re.findall(r"[Aa]dd\s+`(['\"][\w/]+['\"])`\s+to\s+`(\w+)`\s+in\s+`([\w/.]+)`", text):
        path = os.path.join(root, path)
        with open(path, encoding="utf-8") as file:
            lines = file.read()
        if item[0] == "'":
            changed = re.sub(rf"^{name} = \[\n", rf"\g<0>  {item},\n", lines, count=1, flags=re.M)
        else:
            changed = re.sub(rf"\b{name}\[\] = {{\n(.*?\n)}};", rf"{name}[] = {{\n\1\t{item},\n}};", lines, count=1, flags=re.S)
        if changed == lines:
            sys.exit(f"recipe.py: {path} has no list '{name}'")
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed)


def write_files(root, text):
    for path, block in re.findall(r"^`([\w/.-]+)`:\n\n```\w+\n(.*?)^```$", text, re.M | re.S):
        path = os.path.join(root, path)
        if os.path.exists(path):
            sys.exit(f"recipe.py: {path} is there already")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(block)


def main():
    root, heading = sys.argv[1:]
    with open(os.path.join(root, "CONTRIBUTING.md"), encoding="utf-8") as file:
        text = section(file.read(), heading)
    add_lines(root, text)
    write_files(root, text)
    print("".join(re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)), end="")


main()

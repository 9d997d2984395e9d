#!/usr/bin/env python3
"""Put text files into a C header: embed.py OUT.h NAME=FILE...

Each becomes a string `embedded_NAME` and `EMBEDDED_NAME_HASH`, its SHA-256 as a Content
Security Policy wants it. Indentation, blank lines and lines that are only a comment are left out: files
may not have strings that span lines. The same files always give the same header.
"""
import base64
import hashlib
import sys


def shrink(text):
    lines = []
    in_comment = False
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("/*"):
            in_comment = True
        if in_comment:
            in_comment = not line.endswith("*/")
        elif line and not line.startswith("//"):
            lines.append(line)
    return "\n".join(lines) + "\n"


def literal(text):
    """Numbers, because ISO C wants no string literals longer than 4095 characters."""
    data = text.encode() + b"\0"
    rows = [data[i:i + 20] for i in range(0, len(data), 20)]
    return "\n".join("\t" + "".join("%d," % byte for byte in row) for row in rows)


def main():
    out, inputs = sys.argv[1], sys.argv[2:]
    parts = ["/* Made by tools/embed.py from files in web/. */\n"]
    for item in inputs:
        name, path = item.split("=", 1)
        with open(path, encoding="utf-8") as file:
            text = shrink(file.read())
        if not text.isascii():
            sys.exit("%s: only ASCII can be embedded" % path)
        if "]]>" in text:
            sys.exit("%s: ]]> would end the CDATA section around it" % path)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        parts.append("static const char embedded_%s[] = {\n%s\n};\n" % (name, literal(text)))
        parts.append('#define EMBEDDED_%s_HASH "sha256-%s"\n' % (name.upper(), digest))
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(parts))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Put the page of `kiln view` into a C header as one file that asks a module: page.py OUT.h DEPFILE WEB MODULE

WEB is the folder web/, MODULE the WebAssembly that answers in place of a server. Styles and modules of view.html
become parts of it, with offline/module.mjs in place of view/server.mjs, and alone.mjs of served.mjs; a profile is to be put between
`page_start` and `page_end`, in base64 of gzip. What may run is said by its hash. The same files always give
the same header.
"""
import base64
import gzip
import hashlib
import os
import re
import sys

from embed import literal, shrink

IMPORT = re.compile(r'^import\s+(?:\*\s+as\s+(\w+)|\{([^}]*)\})\s+from\s+"([^"]+)";$', re.M)
EXPORT = re.compile(r"^export\s+((?:async\s+)?function\*?|class|const)\s+(\w+)(.*)", re.M)
ANOTHER = re.compile(r",\s*(\w+)\s*=(?![=>])")  # of several in one line


class Bundle:
    """ES modules as one script: each a function that returns what it exports, in the order they need."""

    def __init__(self, web, instead):
        self.web, self.instead = web, instead
        self.numbers, self.parts, self.names = {}, [], []

    def read(self, path):
        path = self.instead.get(path, path)
        with open(os.path.join(self.web, path), encoding="utf-8") as file:
            return path, shrink(file.read())

    def add(self, path):
        path, text = self.read(path)
        if path not in self.numbers:
            self.numbers[path] = None  # being added: who imports it now imports in a circle
            text = IMPORT.sub(lambda found: self.bind(path, found), text)
            names = []
            for kind, name, rest in EXPORT.findall(text):
                names += [name, *(ANOTHER.findall(rest) if kind == "const" and not re.search("[([{]", rest) else [])]
            text = EXPORT.sub(r"\1 \2\3", text)
            if re.search(r"^(import|export)\b", text, re.M):
                sys.exit("%s: an import or export that this tool does not know" % path)
            self.numbers[path] = len(self.parts)
            self.names.append(names)
            self.parts.append("const m%d = (() => {\n%sreturn {%s};\n})();\n"
                              % (self.numbers[path], text, ", ".join(names)))
        return self.numbers[path]

    def bind(self, path, found):
        whole, names, target = found.groups()
        number = self.add(os.path.normpath(os.path.join(os.path.dirname(path), target)))
        if number is None:
            sys.exit("%s: %s imports it, too" % (path, target))
        for name in re.findall(r"(\w+)(?:\s+as\s+\w+)?\s*(?:,|$)", names or ""):
            if name not in self.names[number]:
                sys.exit("%s: %s does not export %s" % (path, target, name))
        return "const %s = m%d;" % (whole or "{%s}" % names.replace(" as ", ": "), number)

    def text(self, entry):
        self.add(entry)
        return '"use strict";\n' + "".join(self.parts)


def source(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def data(name, kind, text):
    return '<script type="%s" id="%s">%s</script>\n' % (kind, name, text)


def main():
    out, depfile, web, module = sys.argv[1:]
    page, worker = Bundle(web, {"view/server.mjs": "offline/module.mjs", "view/served.mjs": "offline/alone.mjs"}), Bundle(web, {})
    with open(os.path.join(web, "view.html"), encoding="utf-8") as file:
        html = file.read()
    with open(module, "rb") as file:
        code = base64.b64encode(gzip.compress(file.read(), 9, mtime=0)).decode()
    style_path = re.search(r'<link rel="stylesheet" href="([^"]+)">\n', html)
    script_path = re.search(r'<script type="module" src="([^"]+)"></script>\n', html)
    _, style = page.read(style_path[1])
    script = page.text(script_path[1])
    thread = worker.text("offline/worker.mjs")
    policy = ("default-src 'none'; script-src %s 'wasm-unsafe-eval'; style-src %s; worker-src blob:; "
              "img-src data: blob:; base-uri 'none'; form-action 'none'" % (source(script), source(style)))
    html = html.replace(style_path[0], "<style>%s</style>\n" % style).replace(script_path[0], "")
    html = html.replace('<meta charset="utf-8">\n', '<meta charset="utf-8">\n<meta name="generator" content="kiln">\n'
                        '<meta http-equiv="Content-Security-Policy" content="%s">\n' % policy, 1)
    start, end = html.split("</body>")
    start += (data("worker-code", "text/plain", thread) + data("module-code", "text/plain", code) +
              '<script type="text/plain" id="profile-data"')
    end = '</script>\n<script type="module">%s</script>\n</body>%s' % (script, end)
    for part in style, thread, script:
        if re.search(r"</(script|style)|<!--", part) or not part.isascii():
            sys.exit("page.py: a part cannot stand in a page")
    with open(out, "w", encoding="utf-8") as file:
        file.write("/* Made by tools/page.py from files in web/. */\n"
                   "static const char page_start[] = {\n%s\n};\nstatic const char page_end[] = {\n%s\n};\n"
                   % (literal(start), literal(end)))
    inputs = [*page.numbers, *worker.numbers, style_path[1], "view.html"]
    with open(depfile, "w", encoding="utf-8") as file:
        file.write("%s: %s\n" % (out, " ".join(os.path.join(web, name) for name in inputs)))


if __name__ == "__main__":
    main()

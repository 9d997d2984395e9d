#!/usr/bin/env python3
"""Put pages of web/ into a C header, each with its styles and modules inside:

    page.py OUT.h DEPFILE WEB PAGE...            those that `kiln view` serves
    page.py --offline OUT.h DEPFILE WEB MODULE   view.html as one file that asks MODULE, the WebAssembly
                                                 that answers in place of a server

A browser that has the page has all of it: nothing else is fetched before it can ask for numbers. Of a served
page there are `page_NAME`, `PAGE_NAME_POLICY` and `PAGE_NAME_END`, where its body ends. The other one has offline/module.mjs in place of view/server.mjs, and
alone.mjs of served.mjs; a profile is to be put between `page_start` and `page_end`, in base64 of gzip. What may run is
said by its hash. The same files always give the same header.
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
    """ES modules as scripts: each module a function that returns what it exports, in the order they need.

    A script has what the ones before it do not have.
    """

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
        old = len(self.parts)
        self.add(entry)
        return '"use strict";\n%s' % "".join(self.parts[old:])


def source(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def data(name, kind, text):
    return '<script type="%s" id="%s">%s</script>\n' % (kind, name, text)


class Page:
    """A page of web/: its HTML, in three pieces, with what it links inside; or with its scripts apart."""

    def __init__(self, web, path, instead, apart):
        bundle = Bundle(web, instead)
        _, html = bundle.read(path)
        styles = re.findall(r'<link rel="stylesheet" href="([^"]+)">\n', html)
        self.style = "".join(bundle.read(each)[1] for each in styles)
        linked = re.findall(r'<script src="([^"]+)"></script>\n', html)
        self.scripts = [bundle.text(each) for each in linked]
        self.elements = ["<script>%s</script>\n" % each for each in self.scripts]
        for name, element in zip(linked, self.elements):
            html = html.replace('<script src="%s"></script>\n' % name, "" if apart else element)
        html = re.sub(r'<link rel="stylesheet"[^\n]*\n', "", html)
        self.head, rest = html.split("</head>")
        self.head += "<style>%s</style>\n" % self.style
        body, end = rest.split("</body>")
        self.body, self.end = "</head>" + body, "</body>" + end
        self.inputs = [*bundle.numbers, *styles, path]
        check(self.style, *self.scripts)

    def policy(self, *more):
        return "script-src %s; style-src %s" % (" ".join([*map(source, self.scripts), *more]), source(self.style))


def check(*parts):
    for part in parts:
        if re.search(r"</(script|style)|<!--", part) or not part.isascii():
            sys.exit("page.py: a part cannot stand in a page")


def declared(name, text):
    return "static const char %s[] = {\n%s\n};\n" % (name, literal(text))


def served(web, paths):
    pages = [Page(web, path, {}, False) for path in paths]
    parts = []
    for path, page in zip(paths, pages):
        name = os.path.splitext(path)[0]
        parts.append(declared("page_" + name, page.head + page.body + page.end))
        parts.append('#define PAGE_%s_POLICY "%s"\n' % (name.upper(), page.policy()))
        parts.append("#define PAGE_%s_END %d\n" % (name.upper(), len(page.head + page.body)))
    return parts, [each for page in pages for each in page.inputs]


def offline(web, module):
    page = Page(web, "view.html", {"view/server.mjs": "offline/module.mjs", "view/served.mjs": "offline/alone.mjs"}, True)
    worker = Bundle(web, {})
    with open(module, "rb") as file:
        code = base64.b64encode(gzip.compress(file.read(), 9, mtime=0)).decode()
    thread = worker.text("offline/worker.mjs")
    check(thread)
    policy = ("default-src 'none'; %s; worker-src blob:; img-src data: blob:; base-uri 'none'; form-action 'none'"
              % page.policy("'wasm-unsafe-eval'"))
    start = page.head.replace('<meta charset="utf-8">\n', '<meta charset="utf-8">\n<meta name="generator" content="kiln">\n'
                              '<meta http-equiv="Content-Security-Policy" content="%s">\n' % policy, 1) + page.body
    start += (data("worker-code", "text/plain", thread) + data("module-code", "text/plain", code) +
              '<script type="text/plain" id="profile-data"')
    return [declared("page_start", start), declared("page_end", "</script>\n%s" % "".join(page.elements) + page.end)], [*page.inputs, *worker.numbers]


def main():
    arguments = sys.argv[1:]
    alone = arguments[0] == "--offline"
    out, depfile, web, *rest = arguments[alone:]
    parts, inputs = offline(web, *rest) if alone else served(web, rest)
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(["/* Made by tools/page.py from files in web/. */", *parts]))
    with open(depfile, "w", encoding="utf-8") as file:
        file.write("%s: %s\n" % (out, " ".join(os.path.join(web, name) for name in sorted(set(inputs)))))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""sbom.py OUT VERSION KIND:NAME:VERSION...: what a build of Kiln consists of, as SPDX 2.3 in JSON.

KIND says how NAME belongs to kiln: dynamic (linked), static (linked or compiled in), loaded (when it is needed),
contained (own parts), tool (it built kiln). An empty VERSION is that of Debian's package, where there is one: of
libraries without a pkg-config file. The same build and SOURCE_DATE_EPOCH give the same bytes.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import time

RELATIONSHIPS = {  # kind: type, and whether it goes from kiln to the part
    "dynamic": ("DYNAMIC_LINK", True),
    "static": ("STATIC_LINK", True),
    "contained": ("CONTAINS", True),
    "loaded": ("OPTIONAL_DEPENDENCY_OF", False),
    "tool": ("BUILD_TOOL_OF", False),
}
LICENSES = {  # as their authors declare them, in SPDX's words; others are left open
    "kiln": "MIT",
    "kiln-web": "MIT",
    "bpftool": "GPL-2.0-only OR BSD-2-Clause",
    "clang": "Apache-2.0 WITH LLVM-exception",
    "compiler-rt": "Apache-2.0 WITH LLVM-exception",
    "gcc": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "glibc": "LGPL-2.1-or-later",
    "libbpf": "LGPL-2.1-only OR BSD-2-Clause",
    "libdebuginfod": "GPL-2.0-or-later OR LGPL-3.0-or-later",
    "libdeflate": "MIT",
    "libelf": "GPL-2.0-or-later OR LGPL-3.0-or-later",
    "libmicrohttpd": "LGPL-2.1-or-later",
    "lld": "Apache-2.0 WITH LLVM-exception",
    "meson": "Apache-2.0",
    "pcre2": "BSD-3-Clause",
    "xxhash": "BSD-2-Clause",
    "zlib": "Zlib",
    "zstd": "BSD-3-Clause OR GPL-2.0-only",
}
DEBIAN = {"libiberty": "libiberty-dev", "wasi-libc": "wasi-libc", "compiler-rt": "libclang-rt-dev-wasm32"}


def debian_version(name):
    try:
        return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", DEBIAN.get(name, name)], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(name, version):
    described = {
        "SPDXID": identifier(name),
        "name": name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": LICENSES.get(name, "NOASSERTION"),
        "copyrightText": "NOASSERTION",
    }
    if version:
        described["versionInfo"] = version
    return described


def relationship(kind, name):
    type_, outward = RELATIONSHIPS[kind]
    ends = [identifier("kiln"), identifier(name)]
    if not outward:
        ends.reverse()
    return {"spdxElementId": ends[0], "relationshipType": type_, "relatedSpdxElement": ends[1]}


def document(version, parts):
    created = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    packages = {"kiln": package("kiln", version)}
    relationships = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                      "relatedSpdxElement": identifier("kiln")}]
    for part in parts:
        kind, name, part_version = part.split(":", 2)
        packages.setdefault(name, package(name, part_version or debian_version(name)))
        if relationship(kind, name) not in relationships:
            relationships.append(relationship(kind, name))
    content = {"packages": list(packages.values()), "relationships": relationships}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"kiln-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/kiln-{version}-{digest[:32]}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(created)),
            "creators": [f"Tool: kiln-sbom-{version}"],
        },
        **content,
    }


def main():
    out, version, *parts = sys.argv[1:]
    with open(out, "w", encoding="utf-8") as file:
        json.dump(document(version, parts), file, indent=2)
        file.write("\n")


main()

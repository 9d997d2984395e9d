"""unused.py BUILD: is every function and variable of src/ that has a name outside of its file used by another file?

By the symbols of the object files of `kiln`, of libkiln and of a page's module. What only tests, fuzz targets and
benchmarks use is named below, with the reason why it stays.
"""
import os
import re
import subprocess
import sys

KEPT = {
    "main": "the system calls it",
    # Called by a browser: src/page/page.c.
    **{f"page_{name}": "a browser calls it"
       for name in ("ask", "body", "body_len", "open", "room", "type", "why")},
    # Parsers of files that a recorder reads as they grow: tests and fuzz targets give them whole texts.
    **{name: "whole texts in tests" for name in (
        "jitdump_offset", "jitdump_parse", "kernel_parse", "perf_map_parse", "v8_log_parse", "profile_read")},
    # Parts that tests check on their own, beside another way to the same answer.
    **{name: "checked on its own" for name in (
        "cfi_arch", "cfi_stats", "cfi_table_find", "cgroup_find", "cgroup_is_of_container", "chains_checksum",
        "copy_registers", "kernel_symbol_count", "listen_address_port", "symbols_source", "unwind_pages_build")},
    # Rings of files that --tee saved are read again by tests/support/replay_tee.c.
    **{name: "replays saved rings" for name in ("perf_ring_feed", "perf_ring_init")},
    # In builds without programs for the kernel.
    **{name: "-Dbpf=disabled" for name in ("recorder_close_nothing", "recorder_refuse")},
}


def symbols(path):
    """(defined, used) outside of an object file."""
    with open(path, "rb") as file:
        tool = "nm" if file.read(4) == b"\x7fELF" else "llvm-nm"
    out = subprocess.run([tool, "-g", path], capture_output=True, text=True, check=True).stdout
    defined, used = set(), set()
    for line in out.splitlines():
        kind, name = line.split()[-2:]
        (used if kind in "Uvw" else defined).add(name)
    return defined, used


def objects(build):
    for folder, _, files in os.walk(build):
        inside = os.path.relpath(folder, build)
        for name in files:
            if name.endswith(".o") and (inside + "/").startswith(("src/", "kiln.p/")):
                yield os.path.join(folder, name)


def main():
    build = sys.argv[1]
    every = {path: symbols(path) for path in objects(build)}
    used = set().union(*(uses for _, uses in every.values()))
    found = sorted((name, os.path.relpath(path, build)) for path, (defined, _) in every.items()
                   for name in defined - used if not name.startswith("kiln_") and name not in KEPT)
    for name, path in found:
        print(f"{name}: nothing outside of {path} uses it")
    sys.exit(1 if found else 0)


main()

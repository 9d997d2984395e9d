#!/usr/bin/env python3
"""uninstall.py BUILD: remove what `meson install` of that build put under DESTDIR, empty folders too."""
import json
import os
import subprocess
import sys

build = sys.argv[1]
destdir = os.environ.get("DESTDIR", "")
installed = json.loads(subprocess.check_output(["meson", "introspect", "--installed", build]))
paths = [destdir + path for path in installed.values()]
for path in paths:
    if os.path.lexists(path):
        os.remove(path)

# Folders that only Kiln filled; stops at the first one that holds anything else.
for folder in sorted({os.path.dirname(path) for path in paths}, key=len, reverse=True):
    while folder and folder not in ("/", destdir):
        try:
            os.rmdir(folder)
        except OSError:
            break
        folder = os.path.dirname(folder)

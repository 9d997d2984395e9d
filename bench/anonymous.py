#!/usr/bin/env python3
"""anonymous.py COMMAND...: the most anonymous memory that a command has at once, files it has mapped apart."""
import re
import subprocess
import sys

most = 0
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
while process.poll() is None:
    try:
        status = open(f"/proc/{process.pid}/status").read()
    except OSError:
        break
    found = re.search(r"^RssAnon:\s+(\d+) kB", status, re.M)
    most = max(most, int(found.group(1)) if found else 0)
print(f"{most / 1024:.0f} MiB")
sys.exit(process.wait())

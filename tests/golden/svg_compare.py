#!/usr/bin/env python3
"""svg_compare.py [-c] [-m] OURS THEIRS: do two flame graphs have the same frames?

A frame is its title, its row, where it begins and how wide it is; with -c also its colour. With -m the
other tool draws from right to left. Lengths are
compared as shares of the root's, because some tools write pixels and others percent; 0.001% is a
hundredth of a pixel, to which lengths are rounded. Prints what differs; exit 1 when something does.
"""
import html
import re
import sys

FRAME = re.compile(r"<title>([^<]*)</title>\s*<rect ([^>]*)>")
ATTRIBUTE = re.compile(r'([\w:]+)="([^"]*)"')
TOLERANCE = 0.0021  # percent: both edges of both files are rounded


def frames(path, mirrored=False):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = text[text.index('id="frames"'):]
    found = []
    for title, rect in FRAME.findall(text):
        values = dict(ATTRIBUTE.findall(rect))
        found.append((html.unescape(title), float(values["y"]), float(values["x"].rstrip("%")),
                      float(values["width"].rstrip("%")), values["fill"]))
    root = next(frame for frame in found if frame[0].startswith("all ("))
    placed = []
    for title, y, x, width, fill in found:
        left, share = 100 * (x - root[2]) / root[3], 100 * width / root[3]
        placed.append((round(y - root[1]), 100 - left - share if mirrored else left, title, share,
                       fill))
    return sorted(placed)


def main():
    colours = "-c" in sys.argv
    ours, theirs = frames(sys.argv[-2]), frames(sys.argv[-1], "-m" in sys.argv)
    wrong = 0
    if len(ours) != len(theirs):
        print("%d frames, expected %d" % (len(ours), len(theirs)))
        wrong += 1
    for one, other in zip(ours, theirs):
        far = max(abs(one[1] - other[1]), abs(one[3] - other[3])) > TOLERANCE
        if one[0] != other[0] or one[2] != other[2] or far or (colours and one[4] != other[4]):
            wrong += 1
            if wrong < 5:
                print("got      %r\nexpected %r" % (one, other))
    print("%d frames compared, %d wrong" % (len(ours), wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures anew what docs/performance.md shows: its tables and the pictures docs/images/bench-*.png.

    update_performance.py BUILD [MESHES | --integrators]

BUILD is a build with -DCLOTHLAB_BENCH=ON, MESHES a folder of OBJ files; without one the table of meshes stays as it
is. --integrators measures nothing but the table of all integrators, and needs no -DCLOTHLAB_BENCH. Run it on a machine
that does nothing else.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "performance.md"
BLOCK = re.compile(r"<!-- bench: ([\w-]+) -->\n.*?<!-- end -->\n", re.DOTALL)


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    build = Path(arguments[0])
    alone = arguments[1:] == ["--integrators"]
    meshes = sorted(map(str, Path(arguments[1]).glob("*.obj"))) if len(arguments) == 2 and not alone else []
    pictures = ROOT / "docs" / "images"
    chart = ["--png", pictures / "bench-integrators.png"]
    commands = [[build / "clothlab", "bench", "--full", *chart],
                [build / "bench" / "clothlab_bench", "--sizes", "20,32,64,128,256,317,512",
                 "--products", "64,128,256,512,1024", "--png", pictures / "bench",
                 *(["--meshes", *meshes] if meshes else [])]]
    if alone:
        commands = [[build / "clothlab", "bench", "--integrators", "--sizes", "none", *chart]]
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        tables = Path(folder) / "tables.md"
        for command in commands:
            done = subprocess.run([*map(str, command), "--markdown", str(tables)], check=False)
            if done.returncode != 0:
                return done.returncode
            for match in BLOCK.finditer(tables.read_text(encoding="utf-8")):
                measured[match[1]] = match[0]  # the machine as the second program sees it
    if alone:
        del measured["machine"]  # that of the other tables
    page = PAGE.read_text(encoding="utf-8")
    shown = {match[1] for match in BLOCK.finditer(page)}
    for name in sorted(set(measured) - shown):
        print(f"{PAGE.name} has no place for the table '{name}'", file=sys.stderr)
    PAGE.write_text(BLOCK.sub(lambda match: measured.get(match[1], match[0]), page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

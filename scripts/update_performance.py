#!/usr/bin/env python3
"""Measures anew what docs/performance.md shows: its tables and the pictures docs/images/bench-*.png.

    update_performance.py PROGRAM [options of `clothlab bench`]

Without options all is measured but meshes: --full. Tables that these options leave out stay as they are. Run it
on a machine that does nothing else.
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
    if not arguments or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program, options = arguments[0], arguments[1:] or ["--full"]
    with tempfile.TemporaryDirectory() as folder:
        tables = Path(folder) / "tables.md"
        done = subprocess.run([program, "bench", *options, "--markdown", str(tables), "--png",
                               str(ROOT / "docs" / "images" / "bench")], check=False)
        if done.returncode != 0:
            return done.returncode
        measured = {match[1]: match[0] for match in BLOCK.finditer(tables.read_text(encoding="utf-8"))}
    page = PAGE.read_text(encoding="utf-8")
    shown = {match[1] for match in BLOCK.finditer(page)}
    for name in sorted(set(measured) - shown):
        print(f"{PAGE.name} has no place for the table '{name}'", file=sys.stderr)
    PAGE.write_text(BLOCK.sub(lambda match: measured.get(match[1], match[0]), page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

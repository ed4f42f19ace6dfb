#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parses the sources with clang++ and the project's warnings, which are errors; generates no code.

    check_clang.py BUILD [FOLDER]    BUILD has a compile database of a unity build; FOLDER is src by default

The sources of one target become one translation unit, so that headers are parsed once per target. Exit 77 where
clang++ is not installed.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMPILERS = ["clang++", *(f"clang++-{version}" for version in range(19, 13, -1))]
# Of GCC alone, of the precompiled header that clang cannot read, and of code generation.
DROPPED = ("-Wno-subobject-linkage", "-Wno-restrict", "-Wno-stringop-overflow", "-Winvalid-pch", "-O", "-c")


def arguments(command):
    """The compiler's arguments in `command` that clang needs."""
    words = shlex.split(command)[1:-1]
    kept, skip = [], False
    for word in words:
        if skip or word.startswith(DROPPED):
            skip = False
        elif word in ("-o", "-include"):
            skip = True
        else:
            kept.append(word)
    return kept


def targets(build, folder):
    """Target -> (arguments, sources), from the database."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = Path(entry["file"])
        inside = (build.resolve() / folder) in source.parents
        if inside and source.name.startswith("unity_") and "headers.dir" not in entry["file"]:
            found.setdefault(source.parent, (arguments(entry["command"]), []))[1].append(source)
    return found


def main(words):
    if len(words) not in (1, 2):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if not compiler:
        print("clang++ is not installed (Debian: clang)", file=sys.stderr)
        return 77
    found = targets(Path(words[0]), words[1] if len(words) == 2 else "src")
    if not found:
        print(f"{words[0]}/compile_commands.json names no unity build of that folder", file=sys.stderr)
        return 2

    def parse(target):
        flags, sources = target
        text = "".join(f'#include "{source}"\n' for source in sorted(sources))
        return subprocess.run([compiler, "-fsyntax-only", "-Werror", *flags, "-x", "c++", "-"], input=text, text=True,
                              check=False).returncode

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return 1 if any(list(pool.map(parse, found.values()))) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

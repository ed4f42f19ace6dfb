#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parses src/ with clang++ and the project's warnings, which are errors; generates no code.

    check_clang.py BUILD [--tidy]

BUILD has a compile database of a unity build. The sources of one target of src/ become one translation unit, so that
headers are parsed once per target. --tidy runs clang-tidy 14 with the checks of .clang-tidy instead, which takes
minutes. Exit 77 where the tool is not installed.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMPILERS = ["clang++", *(f"clang++-{version}" for version in range(19, 13, -1))]
# Of GCC alone, of the precompiled header that clang cannot read, and of code generation.
DROPPED = ("-Wno-subobject-linkage", "-Wno-restrict", "-Wno-stringop-overflow", "-Winvalid-pch", "-O", "-fPIC", "-fPIE", "-fvisibility", "-c")

# What most targets include; parsed once.
COMMON = ["algorithm", "array", "cmath", "filesystem", "fstream", "functional", "map", "memory", "mutex", "optional", "ranges",
          "set", "span", "string", "string_view", "thread", "variant", "vector", "glm/glm.hpp", "nlohmann/json.hpp"]


def precompile(tool, folder, flags):
    """Arguments for a header of COMMON: none, if `flags`, which all targets share, do not suffice for it."""
    header, out = Path(folder) / "common.h", Path(folder) / "common.pch"
    header.write_text("".join(f"#include <{name}>\n" for name in COMMON), encoding="utf-8")
    done = subprocess.run([tool, *flags, "-x", "c++-header", str(header), "-o", str(out)], capture_output=True, check=False)
    return [] if done.returncode else ["-include-pch", str(out)]


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


def targets(build):
    """Target -> (arguments, sources), from the database."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = Path(entry["file"])
        inside = (build.resolve() / "src") in source.parents
        if inside and source.name.startswith("unity_") and "headers.dir" not in entry["file"]:
            found.setdefault(source.parent, (arguments(entry["command"]), []))[1].append(source)
    return found


def main(words):
    if len(words) not in (1, 2) or words[1:] not in ([], ["--tidy"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    build, tidy = Path(words[0]).resolve(), len(words) == 2
    tool = next(filter(None, map(shutil.which, ["clang-tidy-14"] if tidy else COMPILERS)), None)
    if not tool:
        print("clang-tidy 14 is not installed (Debian: clang-tidy-14)" if tidy else
              "clang++ is not installed (Debian: clang)", file=sys.stderr)
        return 77
    found = targets(build)
    if not found:
        print(f"{build}/compile_commands.json has no unity build of src/", file=sys.stderr)
        return 2
    root = Path(__file__).resolve().parent.parent

    every = [flags for flags, _ in found.values()]
    shared = [flag for flag in every[0] if all(flag in flags for flags in every)]

    def check(target, common):
        flags, sources = target
        text = "".join(f'#include "{source}"\n' for source in sorted(sources))
        if not tidy:
            return subprocess.run([tool, "-fsyntax-only", "-Werror", *flags, *common, "-x", "c++", "-"], input=text, text=True,
                                  check=False).returncode
        unit = sources[0].parent / "tidy.cpp"
        unit.write_text(text, encoding="utf-8")
        done = subprocess.run([tool, "--quiet", f"--config-file={root}/.clang-tidy", f"--header-filter={root}/src/.*",
                               str(unit), "--", *flags], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False)
        print(done.stdout, end="", flush=True)
        return done.returncode

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        common = [] if tidy else precompile(tool, folder, shared)
        return 1 if any(list(pool.map(lambda target: check(target, common), found.values()))) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

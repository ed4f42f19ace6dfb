#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the include lines of src/ keep to the layers of docs/architecture.md.

    check_layers.py              checks this project; prints each violation, exit 1 if there is any
    check_layers.py --self-test  proves that each rule catches a violation of it
"""

import re
import sys
import tempfile
from pathlib import Path

# From the lowest layer to the highest. A folder includes itself and lower layers only.
LAYERS = [
    {"core"},
    {"linalg", "mesh", "io", "chart"},
    {"dynamics", "collide"},
    {"cloth", "integrate"},
    {"contact"},
    {"sim", "analysis"},
    {"arena"},
    {"documents"},
    {"session"},
    {"experiments"},
    {"render", "ui"},
    {"app", "cli"},
    {"main", "python"},
]
LAYER_OF = {folder: number for number, folders in enumerate(LAYERS) for folder in folders}
FRONT = {"render", "ui", "app", "main"}
LIVE = {"documents", "session", "experiments", "cli", "python"} | FRONT
PHYSICS = {"linalg", "dynamics", "cloth", "integrate", "collide", "contact", "sim", "analysis", "arena"}

# What | which headers | in which folders (or files, without their suffix) they are legal.
HEADER_RULES = [
    ("OpenGL, GLFW and Dear ImGui", r"(GLFW|glad|GL|GLES\d?|EGL|KHR)/.*|imgui.*", FRONT),
    ("threads", r"thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|stop_token|execution",
     {"documents", "session", "experiments", "core/worker_pool"}),
    ("atomics", r"atomic", set(LAYER_OF) - PHYSICS),
    ("clocks", r"chrono|ctime|time\.h|sys/time\.h", LIVE),
    ("Eigen", r"(unsupported/)?Eigen/.*", {"linalg"}),
    ("tinyobjloader", r"tiny_obj_loader\.h", {"mesh"}),
    ("libzip", r"zip\.h", {"core/archive"}),
    ("the command-line parser", r"CLI/.*", {"cli"}),
    ("the bindings of Python", r"pybind11/.*", {"python"}),
    ("files and streams", r"fstream|filesystem|iostream", set(LAYER_OF) - PHYSICS),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def violations(source):
    """One sentence for each include line below `source` (the src folder) that breaks a rule."""
    found = []
    parsers = []
    for path in sorted(source.rglob("*")):
        if path.suffix not in {".h", ".hpp", ".c", ".cpp", ".mm"}:
            continue
        relative = path.relative_to(source)
        folder = relative.parts[0]
        if folder not in LAYER_OF:
            found.append(f"src/{relative}: the folder belongs to no layer")
            continue
        places = {folder, str(relative.with_suffix(""))}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, header = match.groups()
            where = f"src/{relative}:{number}: {header}: "
            if quote == '"':
                target = header.split("/")[0]
                if "/" not in header or target not in LAYER_OF:
                    found.append(where + 'a project header is written from src/, as in "core/vec.h"')
                elif target != folder and LAYER_OF[target] >= LAYER_OF[folder]:
                    found.append(where + f"{folder} (layer {LAYER_OF[folder]}) may not include {target} "
                                         f"(layer {LAYER_OF[target]})")
            for what, headers, allowed in HEADER_RULES:
                if re.fullmatch(headers, header) and not places & allowed:
                    found.append(where + f"{what}: legal only in {', '.join(sorted(allowed))}")
            if header.startswith("nlohmann/") and header != "nlohmann/json_fwd.hpp" and path.suffix == ".h":
                found.append(where + "JSON stays out of headers, it is slow to compile")
            if header == "tiny_obj_loader.h" and folder == "mesh":
                parsers.append(where + "tinyobjloader is included in more than one file")
    return found + parsers[1:]


def self_test():
    legal = {
        "core/vec.h": "#include <glm/vec3.hpp>",
        "core/worker_pool.cpp": '#include "core/vec.h"\n#include <thread>\n#include <atomic>',
        "mesh/obj.cpp": '#include "mesh/obj.h"\n#include <tiny_obj_loader.h>\n#include <filesystem>',
        "linalg/direct.cpp": "#include <Eigen/Sparse>",
        "sim/scene_json.cpp": '#include <nlohmann/json.hpp>\n#include "mesh/obj.h"\n// #include <chrono>',
        "sim/scene_values.h": "#include <nlohmann/json_fwd.hpp>",
        "session/pacer.cpp": '#include <chrono>\n#include <thread>\n#include "sim/simulation.h"',
        "ui/panel.cpp": '#include <imgui.h>\n#include "session/frame.h"',
        "main/main.cpp": '#include "cli/cli.h"\n#include "app/application.h"',
        "cli/run.cpp": "#include <CLI/CLI.hpp>",
        "python/module.cpp": '#include <pybind11/pybind11.h>\n#include "cli/options.h"',
    }
    illegal = [
        ("core/vec.h", '#include "mesh/obj.h"'),  # climbs
        ("cloth/model.cpp", '#include "integrate/integrator.h"'),  # a sibling
        ("ui/panel.cpp", '#include "render/renderer.h"'),
        ("app/window.cpp", '#include "cli/cli.h"'),  # they meet in main
        ("cli/run.cpp", '#include "app/application.h"'),
        ("cli/run.cpp", "#include <imgui.h>"),
        ("cli/run.cpp", "#include <pybind11/pybind11.h>"),
        ("main/main.cpp", '#include "python/run.h"'),
        ("sim/simulation.cpp", '  #  include "session/mailbox.h"'),
        ("mesh/obj.cpp", '#include "obj.h"'),
        ("mesh/obj.cpp", '#include "../core/vec.h"'),
        ("stage/lanes.cpp", "#include <vector>"),  # no such layer
        ("session/frame.h", "#include <GLFW/glfw3.h>"),
        ("sim/frame.h", "#include <imgui.h>"),
        ("linalg/cg.cpp", "#include <thread>"),
        ("core/profile.cpp", "#include <mutex>"),
        ("integrate/euler.cpp", "#include <atomic>"),
        ("sim/simulation.cpp", "#include <chrono>"),
        ("cloth/model.cpp", "#include <Eigen/Dense>"),
        ("io/csv.cpp", "#include <tiny_obj_loader.h>"),
        ("mesh/grid.cpp", "#include <tiny_obj_loader.h>"),  # the second file that does
        ("sim/scene_json.h", "#include <nlohmann/json.hpp>"),
        ("documents/bundle.cpp", "#include <zip.h>"),
        ("sim/options.cpp", "#include <CLI/CLI.hpp>"),
        ("dynamics/state.cpp", "#include <fstream>"),
    ]

    def check(files):
        with tempfile.TemporaryDirectory() as directory:
            source = Path(directory) / "src"
            for name, text in files.items():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).write_text(text + "\n", encoding="utf-8")
            return violations(source)

    failures = [f"legal, but reported: {line}" for line in check(legal)]
    for name, line in illegal:
        files = dict(legal)
        files[name] = files.get(name, "") + "\n" + line
        reported = check(files)
        if len(reported) != 1 or not reported[0].startswith("src/"):
            failures.append(f"{line} in src/{name} should give one violation, gave {reported}")
    return failures


def main(arguments):
    if arguments == ["--self-test"]:
        found = self_test()
    elif not arguments:
        source = Path(__file__).resolve().parent.parent / "src"
        if not any(source.rglob("*.h")):
            found = [f"{source}: no headers found"]
        else:
            found = violations(source)
    else:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

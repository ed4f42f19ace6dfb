#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that what comments and pages refer to exists.

    check_references.py              checks this project; prints file:line for each, exit 1 if there is any
    check_references.py --self-test  proves that each rule catches a violation of it

Checked are files of the project, headings of its pages (`model.md, "Blow-up"`, links with an anchor) and keys of
docs/references.md (`[Baraff 1998, §5.3]`), in comments of the sources and in the text of the pages.
"""

import re
import sys
import tempfile
from pathlib import Path

FOLDERS = ("src", "shaders", "bench", "tests", "docs", "scripts", "cmake", "examples")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "third_party/README.md")
BIBLIOGRAPHY = "docs/references.md"
SLASHED = {".h", ".cpp", ".c", ".frag", ".vert", ".glsl"}
HASHED = {".py", ".sh", ".cmake", ".txt"}
# Where a file may lie that is named without its folder.
ROOTS = ("", "src", "docs", "tests", "scripts", "shaders", "cmake")
FILE = re.compile(r"(?<![\w./*<-])((?:[\w-]+/)*[\w.-]+\.(?:md|h|cpp|py|sh|frag|vert|glsl|cmake))\b(?![\w(*])"
                  r'(?:,\s"([^"]+)")?')
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
CITATION = re.compile(r"(?<![\w)\]])\[([^][]*?\b(?:18|19|20)\d\d\b[^][]*)\]")
KEY = re.compile(r"([A-ZÀ-Ž][\w'-]+ (?:18|19|20)\d\d)(?:[,.]|$)")
# Of libraries, or made by the build.
FOREIGN = {"imgui.h", "imgui_internal.h", "vcpkg.cmake", "render/shader_sources.h"}


def comments(path):
    """(line, text) of each comment, with the marks taken off; neighbouring lines are one comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".md":
        return [(1, "\n".join(lines))]
    mark = re.compile(r"(?:^|\s)//[/!]?<?\s?(.*)" if path.suffix in SLASHED else r"(?:^|\s)#\s?(.*)")
    found = []
    docstring = False
    for number, line in enumerate(lines, 1):
        match = mark.search(line)
        if path.suffix == ".py" and line.count('"""') == 1:
            docstring = not docstring
        text = line if docstring else match.group(1) if match else None
        if text is None:
            continue
        if found and found[-1][0] + found[-1][1].count("\n") + 1 == number:
            found[-1] = (found[-1][0], found[-1][1] + "\n" + text)
        else:
            found.append((number, text))
    return found


def headings(page):
    return [match.group(1).strip() for match in re.finditer(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)]


def anchor(heading):
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def locate(root, path, name, by_name):
    """A name without a folder may lie anywhere."""
    for folder in (path.parent, *(root / r for r in ROOTS)):
        if (folder / name).is_file():
            return folder / name
    return by_name.get(name)


def violations(root):
    found, used = [], set()
    bibliography = root / BIBLIOGRAPHY
    keys = {row.group(1) for row in re.finditer(r"^\| (\w[^|]* \d{4}) \|", bibliography.read_text(encoding="utf-8"), re.M)}
    paths = [root / page for page in PAGES if (root / page).is_file()]
    for folder in FOLDERS:
        paths += [path for path in sorted((root / folder).rglob("*"))
                  if path.suffix in SLASHED | HASHED | {".md"} and path != bibliography]
    by_name = {path.name: path for path in paths}
    for path in paths:
        if path.name == Path(__file__).name:  # its self-test has references that lead nowhere
            continue
        for first, text in comments(path):
            def complain(match, sentence):
                line = first + text.count("\n", 0, match.start())
                found.append(f"{path.relative_to(root)}:{line}: {sentence}")

            for match in FILE.finditer(text):
                name, section = match.groups()
                if name in FOREIGN:
                    continue
                target = locate(root, path, name, by_name)
                if not target:
                    complain(match, f"there is no file {name}")
                elif section and target.suffix == ".md" and " ".join(section.split()) not in headings(target):
                    complain(match, f'{name} has no heading "{section}"')
            for match in LINK.finditer(text) if path.suffix == ".md" else ():
                name, section = match.groups()
                if "://" in name:
                    continue
                target = path.parent / name if name else path
                if not target.exists():
                    complain(match, f"the link to {name} leads nowhere")
                elif section and section not in map(anchor, headings(target)):
                    complain(match, f"{name or path.name} has no heading #{section}")
            for match in CITATION.finditer(re.sub(r"`[^`\n]*`", lambda code: "`" * len(code.group()), text)):
                for part in " ".join(match.group(1).split()).split(";"):
                    key = KEY.search(part)
                    if not key or key.group(1) not in keys:
                        complain(match, f"[{part.strip()}] is not in {BIBLIOGRAPHY}")
                    else:
                        used.add(key.group(1))
    found += [f"{BIBLIOGRAPHY}: nothing refers to {key}" for key in sorted(keys - used)]
    return found


def self_test():
    project = {
        BIBLIOGRAPHY: "| key | authors |\n|---|---|\n| Müller 2007 | M. Müller |",
        "docs/model.md": "# The model\n\n## Blow-up\n\nSee [above](#the-model) and [this](model.md#blow-up).",
        "src/sim/step.h": '/// As model.md, "Blow-up", says\n/// [Müller\n/// 2007, (10)]; sim/step.h.\nint kYear[2007];',
    }
    wrong = ["// see cli.md", '// model.md, "Blow"', "// [Baraff 1998]", "// [Müller 2007; Baraff 1998, §5]", "// sim/steps.h",
             "// [Müller et al., 2007]"]
    wrong_pages = ["[that](cli.md)", "[that](model.md#blow)", "[Müller 2008]"]

    def check(files):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in files.items():
                (Path(directory) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(directory) / name).write_text(text + "\n", encoding="utf-8")
            return violations(Path(directory))

    failures = [f"legal, but reported: {line}" for line in check(project)]
    for where, text in [*(("src/sim/other.h", text) for text in wrong), *(("docs/other.md", text) for text in wrong_pages)]:
        reported = check({**project, where: text})
        if not reported or not reported[0].startswith(f"{where}:1: "):
            failures.append(f"{text} should be reported, gave {reported}")
    if check({**project, "src/sim/step.h": "// nothing"}) != [f"{BIBLIOGRAPHY}: nothing refers to Müller 2007"]:
        failures.append("a key that nothing uses should be reported")
    return failures


def main(arguments):
    if arguments not in ([], ["--self-test"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    found = self_test() if arguments else violations(Path(__file__).resolve().parent.parent)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks docs/sources.md, which gives each part of the five documents its place in the project.

    check_sources.py              checks this project; prints file:line for each, exit 1 if there is any
    check_sources.py --open       lists the rows that name something that is not there yet
    check_sources.py --self-test  proves that each rule catches a violation of it

A row is | place in the document | claim | where |. *Where* names a test, a file, a scene, an integrator, a command, an option or a heading of a
page, and all that it names exists. Otherwise it begins with "Left out:" or "Not yet:" and a reason. Every section, equation and figure has
a row, and docs/references.md names each document.
"""

import re
import sys
import tempfile
from pathlib import Path

from check_references import anchor, headings

PAGE = "docs/sources.md"


def numbers(form, *chosen):
    return [form.format(n) for n in chosen]


# Heading in PAGE -> title in docs/references.md, and the places that need a row. Numbers without an equation are missing.
DOCUMENTS = {
    "A numerical perspective": (
        "Simulating deformable objects for computer animation: a numerical perspective",
        ["abstract", *numbers("§{}", 1, 2, 3.1, 3.2, 3.3, 3.4, 3.5, "3.5.1", "3.5.2", 4, 5, 5.1, 5.2, 5.3, 6),
         *numbers("example {}", 1, 2), *numbers("figure {}", *range(1, 10)),
         *numbers("({})", *range(1, 10), *range(11, 29), 31, 32, 33, *range(36, 40))]),
    "An introduction to simulation": (
        "An introduction to simulation",
        [*numbers("§{}", 1, 2, 2.1, 2.2, 3, 3.1, 3.2, "3.2.1", "3.3.1", "3.3.2", "3.3.3", 4.1, "4.1.1", "4.1.2", "4.2.1", "4.2.2", 4.3),
         *numbers("figure {}", *range(1, 9)), *numbers("({})", *range(1, 38))]),
    "Implicit Euler for mass-spring systems": (
        "Implementing the implicit Euler method for mass-spring systems",
        numbers("§{}", 1, 1.1, 2, 2.1, 2.2, 3, 3.1, "3.2.1", "3.2.2", "3.2.3", 4.1, 4.2, 4.3, 5)),
    "Implementation details for backward Euler": (
        "Implementation details for backward Euler",
        ["Overview", "Force Jacobians", "Constant force", "Gravitational force", "Implementation", "Scene", "Backward Euler", "Results"]),
    "A blog on simulation": (
        "Hello integrator",
        ["Hello integrator", "Maya plugin for intersection", "Projective constraints", "Are constraint forces ever infinite",
         "The merits of projecting twice", "The many faces of projection", "Mixed FEM and constrained dynamics"]),
}

HEADING = re.compile(r"^## (.*)$")
ROW = re.compile(r"^\| (?!place )([^|]*) \| ([^|]*) \| (.*) \|$")
LINK = re.compile(r"\[[^]]*\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
REASON = re.compile(r"(?:Left out|Not yet): \S+ \S+")
GOOGLE_TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.M)
INSTANCE = re.compile(r"^(?:INSTANTIATE_TEST_SUITE_P\(\s*\w+,\s*|CLOTHLAB_FOR_EVERY_INTEGRATOR\(\s*)(\w+)", re.M)
PYTHON_TEST = re.compile(r"^class (\w+)|^    def (test_\w+)", re.M)


def tests_of(root):
    """Suite.Name of all tests in tests/ that run; those with parameters need an instance."""
    found = set()
    for path in (root / "tests").rglob("*_test.cpp"):
        text = path.read_text(encoding="utf-8")
        instances = set(INSTANCE.findall(text))
        found |= {f"{match.group(1)}.{match.group(2)}" for match in GOOGLE_TEST.finditer(text)
                  if (match.group(1) in instances or not match.group().startswith("TEST_P"))
                  and not match.group(2).startswith("DISABLED_")}
    for path in (root / "tests").rglob("*_test.py"):
        suite = ""
        for name, case in PYTHON_TEST.findall(path.read_text(encoding="utf-8")):
            suite = name or suite
            found |= {f"{suite}.{case}"} if case else set()
    return found


def level_two(page):
    return set(re.findall(r"^## (.*)$", page.read_text(encoding="utf-8"), re.M)) if page.is_file() else set()


class Project:
    def __init__(self, root):
        self.root = root
        self.tests = tests_of(root)
        self.methods = level_two(root / "docs/integrators.md")
        manual = root / "docs/command-line.md"
        self.commands = {heading.strip("`") for heading in level_two(manual)}
        self.options = set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", manual.read_text(encoding="utf-8"), re.M))

    def missing(self, name):
        """What `name` would be and is not there; empty if it is there."""
        if re.fullmatch(r"[A-Z]\w*\.\w+", name):
            return "" if name in self.tests else "there is no test"
        if name.startswith("--"):
            return "" if name in self.options else "docs/command-line.md has no option"
        if name.startswith("clothlab "):
            return "" if name in self.commands else "docs/command-line.md has no command"
        if re.fullmatch(r"\d\d-[a-z-]+", name):
            return "" if (self.root / f"assets/scenes/{name}.json").is_file() else "there is no scene"
        if "/" in name:
            return "" if (self.root / name).exists() else "there is no file"
        return "" if name in self.methods else "there is no integrator, and no other kind of name,"

    def broken(self, page, section):
        target = self.root / "docs" / page if page else self.root / PAGE
        if not target.is_file():
            return f"the link to {page} leads nowhere"
        return "" if not section or section in map(anchor, headings(target)) else f"{page} has no heading #{section}"


def places(cell):
    """The cell with ranges written out, without the letters of parts: (8a), (15)–(17), figures 1–3."""
    cell = re.sub(r"\((\d+)[a-g](?:[–, ]+[a-g])*\)", r"(\1)", cell)
    cell = re.sub(r"\((\d+)\)–\((\d+)\)", lambda m: " ".join(f"({n})" for n in range(int(m[1]), int(m[2]) + 1)), cell)
    return re.sub(r"figures (\d+)(?:–| and )(\d+)",
                  lambda m: " ".join(f"figure {n}" for n in range(int(m[1]), int(m[2]) + 1)), cell)


def violations(root, documents):
    found, covered, document = [], {}, ""
    project = Project(root)
    for number, line in enumerate((root / PAGE).read_text(encoding="utf-8").splitlines(), 1):
        def complain(sentence):
            found.append(f"{PAGE}:{number}: {sentence}")

        if heading := HEADING.match(line):
            document = heading.group(1)
        if not line.startswith("|") or line.startswith(("| place |", "|---")) or document not in documents:
            continue
        row = ROW.match(line)
        if not row:
            complain("a row has three cells")
            continue
        place, claim, where = row.groups()
        covered.setdefault(document, []).append(places(place))
        names, links = re.findall(r"`([^`]+)`", where), LINK.findall(where)
        if not claim.strip():
            complain("the claim is missing")
        if not REASON.match(where) and not names and not links:
            complain('names nothing; write the reason after "Left out:" or "Not yet:"')
        for name in names:
            if why := project.missing(name):
                complain(f"{why} {name}")
        for page, section in links:
            if why := project.broken(page, section):
                complain(why)
    references = " ".join((root / "docs/references.md").read_text(encoding="utf-8").split()).lower()
    for heading, (title, needed) in documents.items():
        if title.lower() not in references:
            found.append(f'docs/references.md: does not name "{title}"')
        rows = "\n".join(covered.get(heading, []))
        found += [f'{PAGE}: "{heading}" has no row for {place}' for place in needed
                  if not re.search(rf"(?<!\w){re.escape(place)}(?![\w.]*\d)", rows)]
    return found


def open_rows(root):
    return [f"{PAGE}:{number}: {line.strip('| ')}" for number, line in enumerate((root / PAGE).read_text(encoding="utf-8").splitlines(), 1)
            if ROW.match(line) and re.search("not (?:yet|begun)", line, re.I)]


def self_test():
    documents = {"Euler": ("On steps", ["§1", "§3.1", "(1)", "(2)", "(3)", "figure 1", "figure 2"])}
    table = ("# Sources\n\n| place | x | y |\n|---|---|---|\n| none | of a document | `Nothing` |\n\n"
             "## Euler\n\n| place | claim | where |\n|---|---|---|\n")
    good = ("| §1, (1)–(3) | it moves | `Step.Moves`, `Every.Moves`, `Line.test_help`, `01-ball`, `src/step.h` |\n"
            "| §3.1, figures 1 and 2 | it stops | `clothlab run`, `--dt`, `verlet`, [Steps](model.md#all-steps), [here](#sources) |\n"
            "| §1 | it is known | Left out: not our subject |\n")
    project = {
        PAGE: table + good,
        "docs/references.md": "N. N., *On\nsteps*, 1900",
        "docs/model.md": "# All steps",
        "docs/integrators.md": "## verlet",
        "docs/command-line.md": "## `clothlab run`\n\n```\n  --dt s   Step.\n```",
        "assets/scenes/01-ball.json": "{}",
        "src/step.h": "",
        "tests/step_test.cpp": "TEST(Step, Moves) {\nTEST_P(Every, Moves) {\nTEST_P(Never, Moves) {\nTEST(Step, DISABLED_Rests) {\n"
                               "INSTANTIATE_TEST_SUITE_P(\n    All, Every, x);",
        "tests/line_test.py": "class Line(TestCase):\n    def test_help(self):",
    }
    wrong = ["`Step.Rests`", "`Never.Moves`", "`Step.DISABLED_Rests`", "`Line.test_version`", "`02-ball`", "`src/steps.h`", "`clothlab walk`",
             "`--dtt`", "`euler`", "[Steps](model.md#some-steps)", "[Steps](models.md)", "", "a test", "Left out: no", "Not yet:",
             "Left out: for a reason, see `Step.Rests`"]

    def check(files):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in files.items():
                (Path(directory) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(directory) / name).write_text(text + "\n", encoding="utf-8")
            return violations(Path(directory), documents)

    failures = [f"legal, but reported: {line}" for line in check(project)]
    line = (table + good).count("\n") + 1
    for row in [*(f"| §1 | a claim | {where} |" for where in wrong), "| §1 |  | `Step.Moves` |", "| §1 | a claim |"]:
        reported = check({**project, PAGE: table + good + row})
        if len(reported) != 1 or not reported[0].startswith(f"{PAGE}:{line}: "):
            failures.append(f"{row} should give one violation, gave {reported}")
    for old, new, sentence in [("(1)–(3)", "(1)–(2)", f'{PAGE}: "Euler" has no row for (3)'),
                               ("figures 1 and 2", "figure 2", f'{PAGE}: "Euler" has no row for figure 1'),
                               ("§3.1", "§3.1.2", f'{PAGE}: "Euler" has no row for §3.1')]:
        reported = check({**project, PAGE: table + good.replace(old, new)})
        if reported != [sentence]:
            failures.append(f"{new} instead of {old} should give {sentence}, gave {reported}")
    if check({**project, "docs/references.md": "On Steppes"}) != ['docs/references.md: does not name "On steps"']:
        failures.append("a document that docs/references.md does not name should be reported")
    return failures


def main(arguments):
    if arguments not in ([], ["--open"], ["--self-test"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    root = Path(__file__).resolve().parent.parent
    if arguments == ["--open"]:
        print(*open_rows(root), sep="\n")
        return 0
    found = self_test() if arguments else violations(root, DOCUMENTS)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rejects phrases and identifiers that have a plain replacement, in src/, docs/, README.md and assets/scenes/.

    check_language.py              checks this project; prints file:line for each, exit 1 if there is any
    check_language.py --count      prints how often each phrase of STILL_IN_SRC occurs, by folder of src/
    check_language.py --self-test  proves that each rule catches a violation of it

A phrase matches whole words, in any case, also across a line break of a comment or a string. An identifier matches as a
part of a longer one too. Generated parts of the pages count as src/, because their text comes from there. A card of a scene has at most two figures.
"""

import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

# Phrase -> what to write instead. Checked everywhere.
REJECTED = {
    "as good as none": "ignored",
    "at the most": "at most",
    "beyond rescue": "blows up",
    "by heart": "leave it out",
    "came back": "caught up, returned",
    "coming back": "catching up, returning",
    "dearer": "costs more",
    "dearest": "most expensive",
    "farthest from home": "farthest from the start",
    "in one go": "in one pass",
    "none otherwise": "no other",
    "on the way through the step": "during the step",
    "out of nothing": "spurious",
    "see to it": "ensure",
    "sees to it": "ensures",
    "stand beside": "are next to",
    "thrown out": "blows up",
    "turn round": "reverse",
    "turns round": "reverses",
    "twice over": "twice",
    "was gone": "blew up",
    "worth the name": "significant",
    # Identifiers, also as a part of a longer one.
    "aim(": "set_pin_targets",
    "bars_ways": "limits_displacements",
    "begin_ways": "reset the displacement bounds",
    "blow(": "update_wind",
    "books": "ledger",
    "close_books": "end_ledger",
    "come_back": "catch_up",
    "ComeBack": "CatchUp",
    "common_way": "common_displacement",
    "EnergyBooks": "EnergyLedger",
    "find_meetings": "find_contacts",
    "FoundPlace": "closest point, surface point or material point",
    "free_way": "displacement bound",
    "FreeWay": "displacement bound",
    "has_met_": "contact set",
    "has_place_for": "supports",
    "is_sound": "is_good",
    "JournalPlace": "LogPosition",
    "kNoPlaceForContact": "kContactNotSupported",
    "kSameWay": "same direction or displacement: name it",
    "kSoundStrain": "kGoodStrain",
    "last_sound": "last_good",
    "may_meet": "may_collide",
    "meet_world": "detect_contacts",
    "met_otherwise": "contact_set_changed",
    "no_way": "no displacement",
    "on_its_way": "catching_up",
    "open_books": "begin_ledger",
    "ParticlePlaces": "particle positions",
    "PinPlace": "pin position",
    "pins_under_way": "moving_pins",
    "RestoreSoundState": "RestoreLastGoodState",
    "settle(": "converge, come to rest, resolve or finalise",
    "shorten_ways": "limit_displacements",
    "solve_ways": "solve_displacements",
    "sound_moment": "good_moment",
    "sound_time": "good_time",
    "strikes_contact": "uses_impulses",
    "SurfacePlace": "closest point on a surface",
    "TurnRound": "ReverseVelocities",
    "was_sound": "was_good",
    "ways_begin": "start of the displacement bound",
    "WindowPlace": "window position",
    # Phrases.
    "alike": "both, equally, the same",
    "all the same": "anyway",
    "anew": "again",
    "asks for it": "requests it, needs it",
    "asks to stop": "requests cancellation",
    "astray": "away",
    "by turns": "alternately, interleaved",
    "come back": "catch up, return",
    "comes back": "catches up, returns",
    "for ever": "permanently, indefinitely",
    "from nothing": "spurious",
    "holds on": "stays, keeps",
    "is gone": "blew up, was removed",
    "it promises nothing": "it guarantees nothing",
    "last sound": "last good",
    "let go": "release, released",
    "lets go": "releases",
    "likewise": "also, the same",
    "newest sound": "last good",
    "no place for": "does not support",
    "nobody": "name what is absent",
    "on its way": "catching up, in motion",
    "on their way": "catching up, in motion",
    "sound one": "good one",
    "sound state": "last good state",
    "the hand": "the grab, the mouse",
    "turned round": "reversed",
    "unsolved": "not converged",
    "what holds": "name the constraint",
    "what meets": "contacts, colliding features",
    "what sticks": "sticking contacts",
}

# The same, for phrases that the generated parts of docs/performance.md still have: checked in the other pages and
# the scenes only.
STILL_IN_SRC = {
    "beside": "next to, compared with",
    "goes through": "traverses, passes",
    "that of the": "repeat the noun",
}

SOURCES = {".h", ".cpp"}
# Between two words of a phrase: also the end of a line of a comment, or of a string literal.
GAP = r'(?:\s*"\s*\n\s*"\s*|\s+(?://[/!]?<?\s*)?)'
VOCABULARY = re.compile(r"(?<=^## Vocabulary\n).*?(?=^## |\Z)", re.S | re.M)
LAST_CELL = re.compile(r"(?<=\|)[^|\n]*\|$", re.M)
GENERATED = re.compile(r"<!-- (?:registry|bench): .*?<!-- end -->", re.S)
FIGURE = re.compile(r"(?<![\w²])\d+(?:[.,/]\d+)*")
FIGURES_OF_A_CARD = 2


def pattern(phrase):
    if re.search(r"_|[a-z][A-Z]", phrase):  # an identifier
        return re.compile(re.escape(phrase))
    if phrase.endswith("("):
        return re.compile(r"(?<![A-Za-z])" + re.escape(phrase))
    return re.compile(r"(?<!\w)" + GAP.join(map(re.escape, phrase.split())) + r"(?!\w)", re.I)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def written_by_hand(path, text):
    """The text of a page without its generated parts and without the words of the window that it quotes."""
    if path.name == "integrators.md":
        return ""
    if path.name == "command-line.md":
        return text.split("\n## `clothlab`")[0]
    if path.name == "lecture.md":
        text = re.sub(r'"[^"\n]*(?:\n[^"\n]+)?"', blank, text)
    return GENERATED.sub(blank, text)


def files(root):
    """(path, text, is it src) of every file that is checked."""
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in SOURCES:
            yield path, path.read_text(encoding="utf-8"), True
    for path in sorted([*(root / "docs").rglob("*.md"), *(root / "assets" / "scenes").glob("*.json")]):
        text = path.read_text(encoding="utf-8")
        if path.name == "architecture.md":  # its vocabulary has the rejected words in the last column
            text = VOCABULARY.sub(lambda section: LAST_CELL.sub(blank, section.group()), text)
        yield path, text, False
    if (root / "README.md").is_file():
        yield root / "README.md", (root / "README.md").read_text(encoding="utf-8"), False


def violations(root, rejected, still_in_src):
    everywhere = [(pattern(phrase), phrase, better) for phrase, better in rejected.items()]
    in_pages = [(pattern(phrase), phrase, better) for phrase, better in still_in_src.items()]
    found = []
    for path, text, source in files(root):
        name = path.relative_to(root)
        for rules, checked in ((everywhere, text), (in_pages, "" if source else written_by_hand(path, text))):
            for rule, phrase, better in rules:
                for match in rule.finditer(checked):
                    line = checked.count("\n", 0, match.start()) + 1
                    found.append(f'{name}:{line}: "{phrase}"; write instead: {better}')
        if path.suffix == ".json":
            figures = FIGURE.findall(json.loads(text).get("description", ""))
            if len(figures) > FIGURES_OF_A_CARD:
                found.append(f"{name}:1: the card has {len(figures)} figures ({', '.join(figures)}), "
                             f"at most {FIGURES_OF_A_CARD} are allowed; docs/scenes.md has the others")
    return found


def counts(root):
    """A line per phrase of STILL_IN_SRC: how often, phrase, and the folders that have it."""
    sources = [(path.relative_to(root).parts[1], text) for path, text, source in files(root) if source]
    lines, total = [], 0
    for phrase in STILL_IN_SRC:
        rule = pattern(phrase)
        folders = Counter()
        for folder, text in sources:
            folders[folder] += len(rule.findall(text))
        count = sum(folders.values())
        total += count
        lines.append(f"{count:5}  {phrase:20}  {' '.join(f'{name} {n}' for name, n in folders.most_common() if n)}".rstrip())
    return [*lines, f"{total:5}  in all"]


def self_test():
    card = '{{"description": "{}"}}'
    legal = {
        "src/sim/step.h": "/// Goes on beside the others.\nint dearly; bool reopen_books; settle(1);",
        "docs/model.md": "# The model\n\nThe step converges.\n\n<!-- registry: steps -->\n- likewise\n<!-- end -->",
        "docs/integrators.md": "likewise",
        "docs/command-line.md": "# The command line\n\n## `clothlab`\n\nlikewise",
        "docs/architecture.md": "# The shape\n\n## Vocabulary\n\n| anyway | all the same |\n\n## Rules",
        "docs/lecture.md": 'Seen: "blew up likewise".',
        "assets/scenes/01.json": card.format("RK4 with h = 1/60 s and 1.5 m."),
        "README.md": "# Likely, and it does not settle (yet)",
    }
    rejected = {"thrown out": "blows up"}
    still_in_src = {"beside": "next to", "likewise": "also", "all the same": "anyway", "open_books": "begin_ledger",
                    "settle(": "converge"}
    wrong = [
        ("src/sim/step.h", "/// It is thrown out."),
        ("src/sim/step.cpp", "// It is Thrown\n// out."),
        ("src/sim/step.cpp", '"it is thrown "\n  "out"'),
        ("docs/integrators.md", "It is thrown out."),
        ("docs/model.md", "It stands beside it."),
        ("docs/model.md", "It blew up all\nthe same."),
        ("docs/lecture.md", 'Likewise "blew up".'),
        ("docs/architecture.md", "It blew up all the same."),
        ("docs/deep/page.md", "`reopen_books_of`"),
        ("docs/model.md", "`settle(2)`"),
        ("README.md", "Likewise."),
        ("assets/scenes/01.json", card.format("It blew up likewise.")),
        ("assets/scenes/01.json", card.format("1 m, 2.5 m and 1/60 s.")),
    ]

    def check(texts):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in texts.items():
                (Path(directory) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(directory) / name).write_text(text + "\n", encoding="utf-8")
            return violations(Path(directory), rejected, still_in_src)

    failures = [f"legal, but reported: {line}" for line in check(legal)]
    for name, text in wrong:
        reported = check({**legal, name: text})
        if len(reported) != 1 or not reported[0].startswith(name + ":1: "):
            failures.append(f"{text!r} in {name} should give one violation, gave {reported}")
    failures += [f'"{phrase}" is in both lists' for phrase in REJECTED if phrase in STILL_IN_SRC]
    return failures


def main(arguments):
    root = Path(__file__).resolve().parent.parent
    if arguments == ["--count"]:
        print("\n".join(counts(root)))
        return 0
    if arguments not in ([], ["--self-test"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    found = self_test() if arguments else violations(root, REJECTED, STILL_IN_SRC)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

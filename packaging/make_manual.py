#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the man page and the completions of bash, zsh and fish from the program's own --help.

    make_manual.py PROGRAM FOLDER     clothlab.1.gz, clothlab.bash, _clothlab and clothlab.fish in FOLDER
    make_manual.py --self-test

Every line of every help text must be understood; otherwise it ends with 1 and names the line.
"""
import dataclasses
import gzip
import os
import pathlib
import re
import subprocess
import sys

KINDS = ("json", "obj", "checkpoint", "journal", "clothlab")  # of files that the window opens
ENVIRONMENT = [("CLOTHLAB_SHADER_DIR", "Folder from which the shaders are read instead of those in the program."),
               ("XDG_CONFIG_HOME", "Folder of the settings; default ~/.config."),
               ("XDG_STATE_HOME", "Folder of the log and of the sessions of open windows; default ~/.local/state.")]
FILES = [("~/.config/clothlab/settings.json", "Position of the window, open tab, text size and recent files."),
         ("~/.local/state/clothlab/sessions", "The sessions of open windows, and of those that did not end properly."),
         ("~/.local/state/clothlab/log.txt", "The log of the window, for reports of faults; before it log.1.txt."),
         ("../share/clothlab/assets", "Scenes and meshes that come with the program, from the folder of the program.")]


@dataclasses.dataclass
class Option:
    names: list     # "-h", "--help"; of a positional its name
    value: str      # "FILE.json"; empty: a flag
    text: str
    group: str

    @property
    def choices(self):
        listed = re.search(r"\bOne of ([\w.,: -]+?)(?:;|\.(?: |$))", self.text)
        if self.value == "[on|off]":
            return ["on", "off"]
        if re.fullmatch(r"[a-z-]+(\|[a-z-]+)+", self.value):
            return self.value.split("|")
        return listed.group(1).split(", ") if listed else []

    @property
    def is_path(self):
        return bool(re.match(r"(FILE|DIR)\b", self.value))


@dataclasses.dataclass
class Command:
    words: list     # after the program's name
    text: str
    usage: str
    options: list
    positionals: list
    subcommands: list


def help_of(program, words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout


def rows_of(lines, where):
    """Pairs of the columns of a section; a second column may begin in the next line and go on in further ones."""
    rows = []
    for line in lines:
        if re.match(r"  [^ ]", line):
            left, _, right = line[2:].partition("  ")
            if len(left) > 26 and not right:
                left, right = line[2:], ""
            rows.append([left.strip(), right.strip()])
        elif rows and line.startswith("   "):
            rows[-1][1] = (rows[-1][1] + " " + line.strip()).strip()
        else:
            sys.exit(f"make_manual.py: {where}: the line {line!r} is neither an option nor its text.")
    return rows


def option_of(left, text, group, where):
    names, rest = left.split(" ", 1) if " " in left else (left, "")
    # "Excludes: --steps" and "REQUIRED" are said in the texts or shown by the program.
    value = re.split(r" ?\b(?:REQUIRED|Excludes:|Needs:)", rest)[0].strip()
    required = " Required." if "REQUIRED" in rest else ""
    excludes = re.search(r"Excludes: ([-\w ]+)", rest)
    if excludes:
        text += " Not with " + ", ".join(excludes.group(1).split()) + "."
    names = names.split(",")
    if any(not re.fullmatch(r"--?[A-Za-z][\w-]*|[A-Z]\w*", name) for name in names):
        sys.exit(f"make_manual.py: {where}: {left!r} is no option.")
    return Option(names, value, text + required, group)


def command_of(words, text):
    where = " ".join(["clothlab", *words])
    usage = re.search(r"^Usage: (.*)$", text, re.M)
    if not usage:
        sys.exit(f"make_manual.py: {where}: no usage.")
    command = Command(words, " ".join(text[:usage.start()].split()), usage.group(1).replace(" []", ""), [], [], [])
    body = text[usage.end():]
    for section in re.split(r"\n\n+", body.strip("\n")):
        title, *lines = section.split("\n")
        if not re.fullmatch(r"[A-Z][\w ]*:", title):
            command.footer = " ".join(section.split())
            continue
        rows = rows_of(lines, where)
        if title == "Subcommands:":
            command.subcommands = rows
        else:
            into = command.positionals if title == "Positionals:" else command.options
            into += [option_of(*row, title[:-1], where) for row in rows]
    return command


def commands_of(program):
    """The program, its subcommands and theirs, in the order of its help."""
    found = []

    def add(words):
        command = command_of(words, help_of(program, words))
        found.append(command)
        for name, _ in command.subcommands:
            add([*words, name])
    add([])
    return found


# The man page

def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + text if text.startswith((".", "\\(aq")) else text


def listed(head, text):
    return f".TP\n{head}\n{roff(text)}\n"


def options_in_roff(options, shown):
    page, group = "", None
    for option in options:
        if (key := (tuple(option.names), option.value, option.text)) in shown:
            continue
        shown.add(key)
        if option.group != group and option.group != "Options":
            page += f".PP\n.I {roff(option.group)}\n"
        group = option.group
        value = f" \\fI{roff(option.value)}\\fR" if option.value else ""
        page += listed(", ".join(f"\\fB{roff(name)}\\fR" for name in option.names) + value, option.text)
    return page


def manual(commands, version):
    program, shown = commands[0], set()
    page = f'.\\" Written by packaging/make_manual.py from the help of the program.\n.TH CLOTHLAB 1 "" "{version}" "User Commands"\n'
    page += ".SH NAME\nclothlab \\- laboratory for cloth and its time integrators\n.SH SYNOPSIS\n"
    for command in commands:
        if len(command.words) < 2:
            name, *rest = command.usage.split(" ")
            words = " ".join([name, *command.words])
            rest = [word for word in rest if word not in command.words and word != "[SUBCOMMAND]"]
            more = " \\fIANALYSIS\\fR" if command.subcommands and command.words else ""
            page += f".B {roff(words)}\n{roff(' '.join(rest))}{more}\n.br\n"
    page += f".SH DESCRIPTION\n{roff(program.text)}\n.PP\nAn option that several commands share is listed at the first of them.\n"
    page += ".SH OPTIONS\n" + options_in_roff([*program.positionals, *program.options], shown)
    page += ".SH COMMANDS\n"
    for command in commands[1:]:
        page += f".SS {roff(' '.join(['clothlab', *command.words]))}\n{roff(command.text)}\n"
        page += options_in_roff([*command.positionals, *command.options], shown)
    page += f".SH VALUES AND EXIT STATUS\n{roff(program.footer)}\n"
    for title, rows in ("ENVIRONMENT", ENVIRONMENT), ("FILES", FILES):
        page += f".SH {title}\n" + "".join(listed(f"\\fB{roff(name)}\\fR", text) for name, text in rows)
    return page


# Completions

HEAD = "# Written by packaging/make_manual.py from the help of the program.\n"


def bash(commands):
    cases = choices = ""
    for command in commands:
        names = [name for name, _ in command.subcommands]
        options = [name for option in command.options for name in option.names]
        cases += f"    '{' '.join(command.words)}') words='{' '.join(names + options)}' ;;\n"
    seen = {}
    for option in (option for command in commands for option in command.options):
        for name in option.names:
            if option.choices:
                seen.setdefault(name, " ".join(option.choices))
    for name, words in seen.items():
        choices += f"    {name}) COMPREPLY=($(compgen -W '{words}' -- \"$cur\")); return ;;\n"
    values = sorted({name for command in commands for option in command.options if option.value and not option.choices
                     for name in option.names} - set(seen))
    known = "|".join("'" + ":".join([" ".join(c.words[:-1]), c.words[-1]]) + "'" for c in commands if c.words)
    return HEAD + f"""_clothlab() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command='' words='' k
  for ((k = 1; k < COMP_CWORD; ++k)); do
    case $command:${{COMP_WORDS[k]}} in
      {known}) command+=${{command:+ }}${{COMP_WORDS[k]}} ;;
    esac
  done
  case $prev in
{choices}    {'|'.join(values)}) compopt -o default; COMPREPLY=(); return ;;
  esac
  case $command in
{cases}  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [[ $cur == -* ]] || compopt -o default
}}
complete -F _clothlab clothlab
"""


def short(text):
    """The first sentence, for a line of a menu; without a list of choices, which the menu shows."""
    text = re.sub(r"^One of .*?(?=default)", "", text)
    return re.split(r"(?<=[a-z)])[.;:] ", text)[0].rstrip(".")


def zsh(commands):
    def escaped(text):
        return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")

    def spec(option):
        if not option.value:
            action = ""
        elif option.choices:
            action = f":{escaped(option.value)}:({' '.join(option.choices)})"
        else:
            action = f":{escaped(option.value)}:" + ("_files" if option.is_path else " ")
        return " ".join(f"'{name}[{escaped(short(option.text))}]{action}'" for name in option.names)

    def function(command):
        body = " \\\n    ".join(spec(option) for option in command.options)
        if not command.subcommands:
            rest = "" if not command.positionals else " \\\n    '*:file:_files'"
            return f"_{'_'.join(['clothlab', *command.words]).replace('-', '_')}() {{\n  _arguments \\\n    {body}{rest}\n}}\n"
        rows = " ".join(f"'{name}:{escaped(short(text))}'" for name, text in command.subcommands)
        glob = f"*.({'|'.join(KINDS)})(-.)"
        files = f"_files -g '{glob}'" if command.positionals else ":"
        calls = "\n".join(f"      {name}) _{'_'.join(['clothlab', *command.words, name]).replace('-', '_')} ;;"
                          for name, _ in command.subcommands)
        return f"""_{'_'.join(['clothlab', *command.words])}() {{
  local state line curcontext=$curcontext
  local -a names=({rows})
  _arguments -C \\
    {body} \\
    '1: :->first' '*:: :->rest'
  case $state in
    first) _describe command names; {files} ;;
    rest) case $line[1] in
{calls}
    esac ;;
  esac
}}
"""
    return "#compdef clothlab\n" + HEAD + "".join(function(c) for c in reversed(commands)) + '_clothlab "$@"\n'


def fish(commands):
    def quoted(text):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    lines, firsts = [], [c.words[0] for c in commands if len(c.words) == 1]
    for command in commands:
        if not command.words:
            when = "not __fish_seen_subcommand_from " + " ".join(firsts)
        else:
            when = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.words)
            if command.subcommands:
                when += "; and not __fish_seen_subcommand_from " + " ".join(name for name, _ in command.subcommands)
        for name, text in command.subcommands:
            lines.append(f"complete -c clothlab -n {quoted(when)} -a {name} -d {quoted(short(text))}")
        for option in command.options:
            flags = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            if option.choices:
                flags += " -xa " + quoted(" ".join(option.choices))
            elif option.value:
                flags += " -r" if option.is_path else " -x"
            lines.append(f"complete -c clothlab -n {quoted(when)} {flags} -d {quoted(short(option.text))}")
    return HEAD + "\n".join(lines) + "\n"


def self_test():
    text = """Runs the cloth.
Usage: clothlab simulate [OPTIONS]

Stepping:
  --method NAME               How. One of a-b, c; default c.
  --steps N Excludes: --time
                              Number.
  --png FILE REQUIRED         Picture.
  --quiet                     No progress.
"""
    command = command_of(["simulate"], text)
    assert [o.names[0] for o in command.options] == ["--method", "--steps", "--png", "--quiet"], command
    assert command.options[0].choices == ["a-b", "c"] and command.options[1].text == "Number. Not with --time."
    assert command.options[2].is_path and command.options[2].text == "Picture. Required." and not command.options[3].value
    assert roff(".a-b\\") == "\\&.a\\-b\\e"
    for wrong in text.replace("  --quiet", "--quiet"), text.replace("Usage", "Use"):
        try:
            command_of(["simulate"], wrong)
        except SystemExit:
            continue
        raise AssertionError(wrong)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    commands = commands_of(program)
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "clothlab.1.gz").write_bytes(gzip.compress(manual(commands, version).encode(), mtime=0))
    for name, text in ("clothlab.bash", bash(commands)), ("_clothlab", zsh(commands)), ("clothlab.fish", fish(commands)):
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

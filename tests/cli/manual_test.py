# SPDX-License-Identifier: MIT
"""Compares man page and completions with --help, and tries the completions in the shells that are installed.

    manual_test.py PROGRAM SOURCE_DIR
"""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
SCRIPT = pathlib.Path(sys.argv[2]).resolve() / "packaging" / "make_manual.py"
# What is typed, and what is completed among other words.
TYPED = [("clothlab sim", {"simulate"}), ("clothlab simulate --stretch-", {"--stretch-stiffness"}), ("clothlab --pla", {"--play"}),
         ("clothlab simulate --integrator backward-", {"backward-euler"}), ("clothlab analyze dri", {"drift"}),
         ("clothlab analyze drift --stabilisation b", {"baumgarte"}), ("clothlab render --look ", {"dark", "light"})]


def shows_manuals():
    """False also for the `man` of reduced systems, which only reports that there are no pages."""
    if shutil.which("man") is None:
        return False
    return re.search(r"\d\.\d", subprocess.run(["man", "--version"], capture_output=True, text=True).stdout) is not None


def help_of(*words):
    return subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True).stdout


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.dir = pathlib.Path(cls.folder.name)
        subprocess.run([sys.executable, SCRIPT, PROGRAM, cls.dir], check=True, timeout=300)
        cls.page = gzip.decompress((cls.dir / "clothlab.1.gz").read_bytes()).decode()
        words = [[name] for name in re.findall(r"^  (\w+)  ", help_of().split("Subcommands:")[1], re.M)]
        analyses = re.findall(r"^  ([\w-]+)  ", help_of("analyze").split("Subcommands:")[1], re.M)
        cls.commands = [[], *words, *(["analyze", name] for name in analyses)]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_option_is_there(self):
        """Counted in the help texts, not by the script's own reader."""
        self.assertGreater(len(self.commands), 20)
        bash, fish, zsh = ((self.dir / name).read_text() for name in ("clothlab.bash", "clothlab.fish", "_clothlab"))
        for words in self.commands:
            options = set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", help_of(*words), re.M))
            self.assertGreaterEqual(len(options), 1)
            line = re.search(rf"^    '{' '.join(words)}'\) words='(.*)' ;;$", bash, re.M).group(1).split()
            name = "_" + "_".join(["clothlab", *words]).replace("-", "_")
            function = re.search(rf"^{name}\(\) {{\n(.*?)^}}", zsh, re.M | re.S).group(1)
            seen = [f"__fish_seen_subcommand_from {word}" for word in words]
            for option in options:
                self.assertIn(option, line, words)
                self.assertIn(f"'{option}[", function, words)
                self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", self.page)
                lines = [row for row in fish.splitlines() if f" -l {option[2:]} " in row]
                self.assertTrue(any(all(part in row for part in seen) for row in lines), (words, option))
            if words:
                self.assertIn(f".SS {' '.join(['clothlab', *words])}".replace("-", "\\-"), self.page)

    def test_bundles_and_the_log(self):
        self.assertIn("|clothlab)", (self.dir / "_clothlab").read_text())
        self.assertIn("clothlab/log.txt", self.page)

    def test_the_reader_refuses_what_it_does_not_know(self):
        subprocess.run([sys.executable, SCRIPT, "--self-test"], check=True)

    def completions(self, shell, typed):
        if shell == "bash":
            script = (f"source {self.dir}/clothlab.bash; compopt() {{ :; }}; COMP_WORDS=({typed.rstrip()}); "
                      + ("COMP_WORDS+=(''); " if typed.endswith(" ") else "")
                      + "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _clothlab; printf '%s\\n' \"${COMPREPLY[@]}\"")
        else:
            script = f"source {self.dir}/clothlab.fish; complete -C '{typed}'"
        done = subprocess.run([shell, "-c", script], capture_output=True, text=True, timeout=60, cwd=self.dir,
                              env=os.environ | {"HOME": str(self.dir)})
        self.assertEqual(done.stderr, "")
        return {line.split("\t")[0] for line in done.stdout.splitlines()}

    def test_the_shells_complete(self):
        for shell in "bash", "fish":
            with self.subTest(shell):
                if shutil.which(shell) is None:
                    self.skipTest(f"no {shell}")
                for typed, wanted in TYPED:
                    found = self.completions(shell, typed)
                    self.assertLessEqual(wanted, found, typed)
                    last = typed.split(" ")[-1]
                    self.assertTrue(all(word.startswith(last) for word in found), (typed, found))

    @unittest.skipIf(shutil.which("zsh") is None, "no zsh")
    def test_zsh_reads_its_file(self):
        done = subprocess.run(["zsh", "-n", self.dir / "_clothlab"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")

    @unittest.skipUnless(shows_manuals(), "no man that shows pages")
    def test_man_shows_the_page_without_warnings(self):
        done = subprocess.run(["man", "--warnings", "-l", self.dir / "clothlab.1.gz"], capture_output=True, text=True,
                              env=os.environ | {"LC_ALL": "C.UTF-8", "MANWIDTH": "80"}, check=True)
        self.assertEqual(done.stderr, "")
        for heading in "NAME", "SYNOPSIS", "OPTIONS", "COMMANDS", "FILES":
            self.assertRegex(done.stdout, rf"(?m)^{heading}$")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

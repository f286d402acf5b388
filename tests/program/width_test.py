"""What the program prints for people fits a screen of 100 columns. A word, as a path or the name of a dataset, is never
broken: a line of one long word alone may be longer. JSON, and the
errors and warnings of a run, which are one line each for logs, are not for a screen."""

import fcntl
import itertools
import os
import pty
import struct
import subprocess
import termios
import unittest

import h5py

from program_case import PENDULUM, PROGRAM, SMALL, STUDIES, SWINGS, ProgramTest

COLUMNS = 100
MECHANISMS = STUDIES.parent / "mechanisms"
COMMANDS = ("run", "merge", "replay", "validate", "bench", "report", "schema", "list", "compile", "version")


def too_wide(text, columns=COLUMNS):
    """Lines beyond the columns, but for a single long word."""
    return [line for line in text.splitlines()
            if len(line) > columns and not (line.startswith("warning: ") or len(line.split()) == 1)]


def said_in_a_terminal(*words, columns=COLUMNS, errors=False, **environment):
    """What a command says to standard output, or to standard error, where that is a terminal."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {**{name: value for name, value in os.environ.items() if name != "NO_COLOR"}, **environment}
    streams = {"stdout": subprocess.DEVNULL, "stderr": follower} if errors else {"stdout": follower, "stderr": subprocess.DEVNULL}
    said = b""
    with subprocess.Popen([PROGRAM, *map(str, words)], env=environment, **streams) as process:
        os.close(follower)
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # the program has closed its side
                break
            if not piece:
                break
            said += piece
    os.close(leader)
    assert process.returncode == 0, said
    return said.decode().replace("\r\n", "\n")


class Width(ProgramTest):
    def fits(self, *arguments):
        done = self.myriad(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(too_wide(done.stdout + done.stderr), [], arguments)
        return done.stdout

    def test_help_lists_and_versions_fit(self):
        for command in COMMANDS:
            self.fits(command, "--help")
        for arguments in (["--help"], ["version"], ["list"], ["schema", "expression"]):
            self.fits(*arguments)
        systems = [line.split()[0] for line in self.fits("list").split("\n\n")[0].splitlines()[1:]
                   if line.startswith("  ") and line[2] != " "]
        self.assertIn("heavy_top", systems)
        for system in systems:
            self.fits("list", "--system", system)

    def test_every_bundled_mechanism_is_listed_within_the_columns(self):
        listed = sorted(MECHANISMS.glob("*.json"))
        self.assertGreater(len(listed), 10)
        for mechanism in listed:
            self.fits("list", "--mechanism", mechanism)

    def test_runs_and_what_is_said_of_their_results_fit(self):
        self.study(PENDULUM, "pendulum.json")
        for name, study in (("tops", SMALL), ("swings", SWINGS)):
            file = self.study(study, f"{name}.json")
            self.fits("run", file, "--check-step", "10%", "--instances", 64)
            self.fits("report", f"{name}.h5")
            self.fits("replay", f"{name}.h5", "--instance", 5)
        for study in ("bouncing_sphere", "sphere_cradle", "slider_crank_slot", "double_pendulum_frequencies"):
            self.fits("run", STUDIES / f"{study}.json", "--instances", 8)
            self.fits("report", f"{study}.h5")
        for part in (0, 1):
            self.fits("run", "tops.json", "--shard", f"{part}/2", "--out", f"part{part}.h5")
        self.fits("merge", "part0.h5", "part1.h5", "--out", "merged.h5")

    def test_checks_fit(self):
        self.fits("validate", "steady_precession")

    def test_wrapped_rows_lose_no_word(self):
        """What goes on below is the rest of the same cell: the words of a dataset's description, in their order."""
        self.fits("run", self.study(SMALL), "--out", "study.h5")
        printed = self.fits("report", "study.h5")
        with h5py.File(self.path / "study.h5") as file:
            described = {path: file[path].attrs["description"] for path in ("/instance/warnings", "/statistics/mean_remark")}
        lines = printed.splitlines()
        for path, description in described.items():
            row = next(k for k, line in enumerate(lines) if line.split()[:1] == [path])
            below = itertools.takewhile(lambda line: line.startswith(" "), lines[row + 1:])
            said = " ".join(" ".join([lines[row], *below]).split())
            self.assertGreater(len(description), 80)
            self.assertIn(description, said)

    def test_a_terminal_has_its_own_width(self):
        for columns in (70, 160):
            text = said_in_a_terminal("list", columns=columns)
            self.assertEqual(too_wide(text, columns), [])
            self.assertGreater(max(map(len, text.splitlines())), columns - 20)

    def test_a_terminal_gets_no_control_sequence_where_none_is_wanted(self):
        study = self.study(SMALL)
        command = ["run", study, "--chunk", 20, "--backend", "cpu", "--overwrite", "--out", self.path / "study.h5"]
        bar = said_in_a_terminal(*command, errors=True, TERM="xterm")
        self.assertIn("\x1b[K", bar)
        for more, environment in ((["--no-color"], {"TERM": "xterm"}), ([], {"TERM": "xterm", "NO_COLOR": "1"}),
                                  ([], {"TERM": "dumb"})):
            text = said_in_a_terminal(*command, *more, errors=True, **environment)
            self.assertNotIn("\x1b", text)
            self.assertIn("instances saved", text)


if __name__ == "__main__":
    unittest.main()

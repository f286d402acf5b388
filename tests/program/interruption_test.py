"""Killed, stopped and full-disk runs from outside: nothing is lost, and a resumed run has the same bits.

Run by ctest with MYRIAD_PROGRAM (the program) and MYRIAD_SOURCE_DIR (the project) in the environment.
"""

import json
import os
import random
import resource
import signal
import subprocess
import unittest

from program_case import LONG, PROGRAM, SMALL, ProgramTest, datasets, same_bits


KINDS = [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGKILL]
# How often it runs to the end with as many kills: once in every run of the tests; MYRIAD_KILLS counts the kills.
ROUNDS = -(-int(os.environ.get("MYRIAD_KILLS", "1")) // len(KINDS))


class Interruption(ProgramTest):
    def start(self, *arguments):
        return subprocess.Popen([PROGRAM, "run", self.study(LONG), "--backend", "cpu", "--chunk", "100", *arguments],
                                cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_a_run_killed_again_and_again_finishes_with_the_same_bits(self):
        self.myriad("run", self.study(LONG), "--out", "whole.h5", "--backend", "cpu")
        whole = datasets(self.path / "whole.h5")
        for turn in range(ROUNDS):
            with self.subTest(turn=turn):
                self.kill_and_finish(whole, random.Random(5 + turn))

    def kill_and_finish(self, whole, generator):
        kills = saved = 0
        for number in KINDS:
            process = self.start(*(["--resume"] if kills else []))
            # The head of the journal first, then some of its 80 chunks.
            for _ in range(2 + generator.randrange(8)):
                saved = self.wait_for_more(process, saved)
            process.send_signal(number)
            error = process.communicate()[1]
            kills += 1
            if process.returncode == 0:
                self.fail("the study is too short to be interrupted")
            if number != signal.SIGKILL:
                self.assertEqual(process.returncode, 128 + number, error)
                self.assertIn("--resume", error)
            self.assertFalse((self.path / "study.h5").exists())
        done = self.myriad("run", self.study(LONG), "--backend", "cpu", "--chunk", "33", "--resume", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("going on after", done.stderr)
        self.assertTrue(same_bits(whole, datasets(self.path / "study.h5")))
        self.assertFalse((self.path / "study.h5.journal").exists())
        (self.path / "study.h5").unlink()

    def test_a_limit_on_file_sizes_is_told_before_the_run(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

        done = self.myriad("run", self.study(SMALL), "--backend", "cpu", "--chunk", 20, preexec_fn=limit)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("ulimit -f", done.stderr)
        self.assertEqual(list(self.path.glob("study.h5*")), [])
        done = self.myriad("run", self.study(SMALL), "--backend", "cpu", "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_resume_refuses_the_journal_of_another_study(self):
        process = self.start()
        self.wait_for_more(process, 0)
        process.kill()
        process.communicate()
        other = {**LONG, "design": {"kind": "monte_carlo", "seed": 4}}
        done = self.myriad("run", self.study(other), "--backend", "cpu", "--resume")
        self.assertIn(done.returncode, (1, 4), done.stderr)
        self.assertIn("another", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)

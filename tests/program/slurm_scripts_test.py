"""The batch scripts of docs/, without Slurm: bash reads them, and as tasks of an array they make the datasets of one run.

Run by ctest with MYRIAD_PROGRAM (the program) and MYRIAD_SOURCE_DIR (the project) in the environment.
"""

import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from program_case import LONG, PROGRAM, SMALL, ProgramTest, datasets, same_bits

EXAMPLES = Path(os.environ["MYRIAD_SOURCE_DIR"]) / "docs" / "examples"
ARRAY = EXAMPLES / "slurm_array.sh"


class SlurmScripts(ProgramTest):
    def task(self, k, count, **more):
        (self.path / "scontrol").write_text('#!/bin/sh\necho "$@" >>requeued\n')
        (self.path / "scontrol").chmod(0o755)
        environment = {
            **os.environ, "MYRIAD": PROGRAM, "PATH": f"{self.path}:{os.environ['PATH']}", "SLURM_ARRAY_JOB_ID": "7",
            "SLURM_ARRAY_TASK_ID": str(k), "SLURM_ARRAY_TASK_COUNT": str(count), "SLURM_ARRAY_TASK_MIN": "0",
            "SLURM_ARRAY_TASK_MAX": str(count - 1), **more}
        return subprocess.Popen(["bash", ARRAY, "study.json", "--backend", "cpu", "--chunk", "33"], cwd=self.path,
                                env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_bash_reads_every_script(self):
        scripts = sorted(EXAMPLES.glob("slurm_*.sh"))
        self.assertGreater(len(scripts), 0)
        for script in scripts:
            done = subprocess.run(["bash", "-n", script], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), script)

    def test_the_tasks_of_an_array_are_the_shards_of_a_study(self):
        self.study(SMALL)
        self.myriad("run", "study.json", "--backend", "cpu", "--out", "whole.h5")
        for k in (2, 0, 1, 1):
            task = self.task(k, 3)
            said = task.communicate()
            self.assertEqual(task.returncode, 0, said)
        done = self.myriad("merge", "--link", *sorted(path.name for path in self.path.glob("study.*-*.h5")), "--out",
                           "study.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(same_bits(datasets(self.path / "whole.h5"), datasets(self.path / "study.h5")))
        self.assertFalse((self.path / "requeued").exists())

    def test_an_array_that_does_not_begin_at_zero_is_refused(self):
        self.study(SMALL)
        task = self.task(3, 1, SLURM_ARRAY_TASK_MIN="3", SLURM_ARRAY_TASK_MAX="3")
        self.assertIn("--array=0-15", task.communicate()[1])
        self.assertEqual(task.returncode, 1)
        self.assertEqual(list(self.path.glob("*.h5*")), [])

    def test_a_task_whose_time_is_over_keeps_what_it_has_and_is_queued_again(self):
        self.study(LONG)
        task = self.task(1, 2)
        journal = self.path / "study.4000-8000.h5.journal"
        heads = []  # the sizes so far: the first is that of the head, a later one has records
        while task.poll() is None and len(set(heads)) < 2:
            time.sleep(0.01)
            if journal.exists() and journal.stat().st_size > 0:
                heads.append(journal.stat().st_size)
        task.send_signal(signal.SIGUSR1)
        error = task.communicate()[1]
        self.assertEqual(task.returncode, 128 + signal.SIGUSR1, error)
        self.assertIn("interrupted", error)
        self.assertEqual((self.path / "requeued").read_text(), "requeue 7_1\n")
        task = self.task(1, 2)
        self.assertIn("going on after", task.communicate()[1])
        self.assertEqual(task.returncode, 0)
        self.assertTrue((self.path / "study.4000-8000.h5").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
